// SPDX-License-Identifier: Apache-2.0
// Runs a program along many groupings on copies of its outputs and keeps what differs.
#include "interp/explore.h"
#include "interp/private_copy.h"
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

  // After a run under the schedule.
  void look(const std::string &schedule) {
    if (reference_.empty()) {
      for (std::int64_t i = 0; i < copy_.count(); ++i) reference_.push_back(element(i));
      reference_bytes_ = copy_.bytes(), reference_schedule_ = schedule;
      return;
    }
    if ((copy_.bytes() == reference_bytes_ && seen_.empty()) || rule_broken(Rule::red_sens)) return;
    for (std::int64_t i = 0; i < copy_.count(); ++i) {
      const std::uint64_t bits = element(i);
      auto at = seen_.find(i);
      if (at == seen_.end()) {
        const std::uint64_t first = reference_[static_cast<std::size_t>(i)];
        if (bits == first) continue;
        at = seen_.emplace(i, Seen{}).first;
        add(at->second, first, reference_schedule_);
      }
      add(at->second, bits, schedule);
    }
  }

  ExploredOutput result() const {
    ExploredOutput out{argument_, seen_.size(), {}};
    for (const auto &[index, seen] : seen_) {
      if (out.widest && out.widest->values >= seen.values.size()) continue;
      SensitiveElement e{index, seen.values.size(), {}, {}, {}, {}};
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
  std::string reference_schedule_;
  std::map<std::int64_t, Seen> seen_;
};

std::string listed(const std::vector<std::uint64_t> &choices) {
  std::size_t n = choices.size();
  while (n > 0 && choices[n - 1] == 0) --n; // what is not given is 0
  if (n == 0) return "reference";
  std::string out = "groupings=";
  for (std::size_t i = 0; i < n; ++i) out += (i > 0 ? "," : "") + std::to_string(choices[i]);
  return out;
}

} // namespace

std::set<std::string> unexplored_freedoms(const TileProgram &p) {
  std::set<std::string> out;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    const bool atomic = op.kind == OpKind::atomic || (op.kind == OpKind::scatter && std::get<IndexedAttr>(op.attr).reducer);
    if (op.kind == OpKind::mma || op.kind == OpKind::scan || atomic) out.insert(std::string(info(op.kind).name));
  });
  return out;
}

Exploration explore(const BoundProgram &program, const std::vector<Buffer> &buffers, const ExploreOptions &options) {
  Exploration out;
  const TileProgram &p = *program.program;
  std::vector<PrivateCopy> copies = private_copies(p, buffers);
  std::vector<Output> outputs(copies.begin(), copies.end());

  out.unexplored = unexplored_freedoms(p);

  // False: the run had an error, which is the result.
  auto run_along = [&](Chooser &chooser, auto &&schedule) {
    RunOptions run_options = options.run;
    run_options.chooser = &chooser;
    RunResult result = run(program, with_fresh(buffers, copies), run_options);
    ++out.runs;
    const std::string name = schedule();
    if (has_error(result.diagnostics)) {
      out.diagnostics = std::move(result.diagnostics), out.schedule = name;
      return false;
    }
    if (out.runs == 1) out.diagnostics = std::move(result.diagnostics);
    for (Output &o : outputs) o.look(name);
    return true;
  };

  ExhaustiveChooser every(Freedom::grouping);
  while (!out.all && out.runs < std::max<std::uint64_t>(options.limit, 1)) {
    if (!run_along(every, [&] { return listed(every.choices()); })) return out;
    if (out.runs == 1 && every.estimate() > static_cast<double>(options.limit)) break; // hopeless
    out.all = !every.next();
  }
  for (std::uint64_t seed = 0; !out.all && seed < options.samples; ++seed) {
    SeededChooser sampled(seed);
    if (!run_along(sampled, [&] { return "seed=" + std::to_string(seed); })) return out;
  }
  out.all &= out.unexplored.empty();
  for (const Output &o : outputs) out.outputs.push_back(o.result());
  return out;
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
  std::vector<std::uint64_t> choices;
  for (std::string_view rest = schedule.substr(10);;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto choice = number(rest.substr(0, comma));
    if (!choice) return nullptr;
    choices.push_back(*choice);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  return std::make_unique<ListedChooser>(Freedom::grouping, std::move(choices));
}

} // namespace tilenest
