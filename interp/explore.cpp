// SPDX-License-Identifier: Apache-2.0
// Runs a program along many groupings on copies of its outputs and keeps what differs.
#include "interp/explore.h"
#include "interp/private_copy.h"
#include "interp/single_reductions.h"
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

namespace tilenest {

namespace {

// A written argument: what its elements were in the runs so far.
class Output {
public:
  explicit Output(const PrivateCopy &copy) : copy_(copy), argument_(copy.argument()), type_(copy.type()) {}

  // After the reference run.
  void begin(const AdmittedSets &sets, bool enclosed) {
    for (std::int64_t i = 0; i < copy_.count(); ++i) {
      reference_.push_back(element(i));
      sets_.push_back(enclosed ? sets.load(copy_.place(i), type_, reference_.back()) : Enclosure{0, 0, true, true, Enclosure::many});
    }
    reference_bytes_ = copy_.bytes();
  }
  const std::vector<Enclosure> &sets() const { return sets_; }
  bool fixed() const {
    return std::all_of(sets_.begin(), sets_.end(), [](const Enclosure &e) { return e.is_point(); });
  }

  // After a run; `schedule(i)` gives element `i` what it has.
  template <class F> void look(F &&schedule) {
    if ((copy_.bytes() == reference_bytes_ && seen_.empty()) || rule_broken(Rule::red_sens)) return;
    for (std::int64_t i = 0; i < copy_.count(); ++i) {
      const std::uint64_t bits = element(i);
      auto at = seen_.find(i);
      if (at == seen_.end()) {
        const std::uint64_t first = reference_[static_cast<std::size_t>(i)];
        if (bits == first) continue;
        at = seen_.emplace(i, Seen{}).first;
        add(at->second, first, "reference");
      }
      if (!at->second.values.contains(bits)) add(at->second, bits, schedule(i));
    }
  }

  // `exact(origin)`: all values of the reduction were run; `enclosed`: the enclosures hold.
  template <class F> ExploredOutput result(bool all, bool enclosed, F &&exact) const {
    ExploredOutput out{argument_, seen_.size(), 0, 0, {}};
    const auto known = [&](std::size_t i) { return all || sets_[i].is_point() || exact(sets_[i].origin); };
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      out.open += !known(i);
      out.may += !known(i) && !seen_.contains(static_cast<std::int64_t>(i));
    }
    for (const auto &[index, seen] : seen_) {
      if (out.widest && out.widest->values >= seen.values.size()) continue;
      const bool is_exact = known(static_cast<std::size_t>(index));
      SensitiveElement e{index, seen.values.size(), is_exact, {}, {}, {}, {}, {}};
      if (!is_exact && enclosed) e.enclosure = sets_[static_cast<std::size_t>(index)];
      if (seen.low && seen.low->bits != seen.high->bits)
        e.low = seen.low->bits, e.high = seen.high->bits, e.low_schedule = seen.low->schedule, e.high_schedule = seen.high->schedule;
      out.widest = std::move(e);
    }
    return out;
  }

private:
  struct Extreme {
    std::uint64_t bits;
    std::string schedule;
  };
  struct Seen {
    std::set<std::uint64_t> values;
    std::optional<Extreme> low, high;
  };

  bool less(std::uint64_t a, std::uint64_t b) const { return order_key(type_, a) < order_key(type_, b); }

  void add(Seen &seen, std::uint64_t bits, const std::string &schedule) {
    if (!seen.values.insert(bits).second || is_nan_of(type_, bits)) return;
    if (!seen.low || less(bits, seen.low->bits)) seen.low = Extreme{bits, schedule};
    if (!seen.high || less(seen.high->bits, bits)) seen.high = Extreme{bits, schedule};
  }

  // Row-major element i; NaN is one value.
  std::uint64_t element(std::int64_t i) const { return canonical(type_, copy_.element(i)); }

  const PrivateCopy &copy_;
  std::size_t argument_;
  ScalarType type_;
  std::vector<std::byte> reference_bytes_;
  std::vector<std::uint64_t> reference_;
  std::vector<Enclosure> sets_;
  std::map<std::int64_t, Seen> seen_;
};

std::string listed(const std::vector<std::uint64_t> &choices) {
  std::size_t n = choices.size();
  while (n > 0 && choices[n - 1] == 0) --n; // what is not given is 0
  if (n == 0) return "reference";
  std::string out = "groupings=";
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    while (end < n && choices[end] == choices[i]) ++end;
    if (end - i < 4) end = i + 1;
    out += (i > 0 ? "," : "") + (end - i > 1 ? std::to_string(end - i) + "*" : "") + std::to_string(choices[i]);
  }
  return out;
}

} // namespace

std::set<std::string> unexplored_freedoms(const TileProgram &p) {
  std::set<std::string> out;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    const auto *mma = std::get_if<MmaAttr>(&op.attr);
    const auto *fold = std::get_if<ReduceAttr>(&op.attr);
    if (((mma && mma->wide_accumulation) || (fold && fold->wide_accumulation)) && is_float(p.values[op.results[0]].type.elem)) out.insert(std::string(info(op.kind).name));
  });
  return out;
}

// rule: RED-SENS
Exploration explore(const BoundProgram &program, const std::vector<Buffer> &buffers, const ExploreOptions &options) {
  Exploration out;
  const TileProgram &p = *program.program;
  std::vector<PrivateCopy> copies = private_copies(p, buffers);
  std::vector<Output> outputs(copies.begin(), copies.end());
  out.unexplored = unexplored_freedoms(p);

  // False: the run had an error, which is the result.
  const auto run_with = [&](RunOptions run_options, auto &&schedule) {
    RunResult result = run(program, with_fresh(buffers, copies), run_options);
    ++out.runs;
    if (has_error(result.diagnostics)) {
      out.diagnostics = std::move(result.diagnostics), out.schedule = schedule();
      return false;
    }
    if (out.runs == 1) out.diagnostics = std::move(result.diagnostics);
    return true;
  };
  const auto run_along = [&](Chooser &chooser, auto &&schedule, auto &&element_schedule) {
    RunOptions run_options = options.run;
    run_options.chooser = &chooser;
    if (!run_with(run_options, schedule)) return false;
    for (Output &o : outputs) o.look([&](std::int64_t i) { return element_schedule(o, i); });
    return true;
  };

  // What each element depends on.
  AdmittedSets sets(ieee_profile(), p);
  RunOptions reference = options.run;
  reference.sets = &sets;
  if (!run_with(reference, [] { return std::string("reference"); })) return out;
  const bool enclosed = sets.undecided().empty();
  for (Output &o : outputs) o.begin(sets, enclosed);
  const auto none = [](std::uint32_t) { return false; };
  const auto finish = [&](auto &&exact) {
    for (const Output &o : outputs) out.outputs.push_back(o.result(out.all, enclosed, exact));
    out.all = std::all_of(out.outputs.begin(), out.outputs.end(), [](const ExploredOutput &o) { return o.open == 0; });
    return out;
  };
  if (std::all_of(outputs.begin(), outputs.end(), [](const Output &o) { return o.fixed(); })) return finish(none);

  // Every grouping, where there are few.
  ExhaustiveChooser every(Freedom::grouping);
  while (!out.all && out.unexplored.empty() && out.runs <= options.limit) {
    const auto schedule = [&] { return listed(every.choices()); };
    if (!run_along(every, schedule, [&](const Output &, std::int64_t) { return schedule(); })) return out;
    if (out.runs == 2 && every.estimate() > static_cast<double>(options.limit)) break; // hopeless
    out.all = !every.next();
  }
  if (out.all) return finish(none);

  std::set<std::uint32_t> origins;
  for (const Output &o : outputs)
    for (const Enclosure &e : o.sets())
      if (e.has_one_origin()) origins.insert(e.origin);
  const SingleReductions single(sets, origins, options.merges, std::max<std::uint64_t>(options.limit, 1000));
  for (std::uint64_t round = 0; round < single.rounds(); ++round) {
    ListedChooser chooser(Freedom::grouping, single.all(round));
    const auto schedule = [&] { return listed(single.all(round)); };
    const auto own = [&](const Output &o, std::int64_t i) {
      const std::uint32_t origin = o.sets()[static_cast<std::size_t>(i)].origin;
      return single.exact(origin) ? listed(single.of_one(origin, round)) : schedule();
    };
    if (!run_along(chooser, schedule, own)) return out;
  }
  const auto exact = [&](std::uint32_t origin) { return single.exact(origin); };
  bool open = false;
  for (const Output &o : outputs) open |= o.result(false, enclosed, exact).open > 0;
  for (std::uint64_t seed = 0; open && seed < options.samples; ++seed) {
    SeededChooser sampled(seed);
    const auto schedule = [&] { return "seed=" + std::to_string(seed); };
    if (!run_along(sampled, schedule, [&](const Output &, std::int64_t) { return schedule(); })) return out;
  }
  return finish(exact);
}

std::unique_ptr<Chooser> chooser_of(std::string_view schedule) {
  const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  };
  if (schedule == "reference") return std::make_unique<ListedChooser>(Freedom::grouping, std::vector<std::uint64_t>{});
  if (schedule.starts_with("seed=")) {
    const auto seed = number(schedule.substr(5));
    return seed ? std::make_unique<SeededChooser>(*seed) : nullptr;
  }
  if (!schedule.starts_with("groupings=")) return nullptr;
  constexpr std::uint64_t most_listed = 1 << 26;
  std::vector<std::uint64_t> choices;
  for (std::string_view rest = schedule.substr(10);;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view item = rest.substr(0, comma);
    std::optional<std::uint64_t> times = 1;
    if (const std::size_t star = item.find('*'); star != std::string_view::npos) {
      times = number(item.substr(0, star));
      item = item.substr(star + 1);
    }
    const auto choice = number(item);
    if (!choice || !times || *times > most_listed || choices.size() > most_listed) return nullptr;
    choices.insert(choices.end(), *times, *choice);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  return std::make_unique<ListedChooser>(Freedom::grouping, std::move(choices));
}

} // namespace tilenest
