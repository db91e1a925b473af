// SPDX-License-Identifier: Apache-2.0
// The set is enumerated where its freedoms are groupings alone and few, else enclosed.
#include "interp/judge.h"
#include "interp/admitted.h"
#include "interp/explore.h"
#include "interp/private_copy.h"
#include "interp/single_reductions.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace tilenest {

namespace {

// The unit in the last place of a float at `bits`, as f64.
double ulp_at(ScalarType type, std::uint64_t bits) {
  const FloatLayout layout = float_layout(type);
  const double v = std::fabs(value_as_f64(type, bits));
  const int exponent = v == 0 || !std::isfinite(v) ? 1 - layout.bias() : std::max(std::ilogb(v), 1 - layout.bias());
  return std::ldexp(1.0, exponent - layout.fraction_bits);
}

double half_width(ScalarType type, const Enclosure &e) {
  if (!e.number || e.low == e.high) return 0;
  const double half = value_as_f64(type, e.high) / 2 - value_as_f64(type, e.low) / 2;
  return std::isnan(half) ? infinity : half;
}

// How far a result is from the middle of its enclosure, in half-widths.
double distance(ScalarType type, const Enclosure &e, std::uint64_t bits) {
  if (is_nan_of(type, bits)) return e.nan ? 0 : infinity;
  if (!e.number) return infinity;
  const double v = value_as_f64(type, bits), low = value_as_f64(type, e.low), high = value_as_f64(type, e.high);
  const double half = high / 2 - low / 2;
  if (!std::isfinite(half)) return e.contains(type, bits) ? 0 : infinity;
  if (half == 0) return e.contains(type, bits) ? 0 : infinity;
  return std::fabs(v - (low + half)) / half;
}

// Elements of the result of another engine, in C order.
std::uint64_t given_element(ScalarType type, const void *data, std::int64_t i) {
  return load_bits(type, static_cast<const std::byte *>(data) + i * static_cast<std::int64_t>(byte_size(type)));
}

struct Enumerated {
  bool all = false;    // every member was run
  bool member = false; // the results are one of them
  std::uint64_t runs = 0;
};

// rule: ADM-CHECK -- every member, where the only freedoms are groupings and there are few of them.
Enumerated enumerate(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::vector<GivenResult> &results,
                     const AdmittedResults &admitted, const JudgeOptions &options) {
  const auto unwritten = [&](const PrivateCopy &c, std::int64_t i) {
    for (const AdmittedResults::Output &o : admitted.outputs)
      if (o.argument == c.argument()) return bool(o.unwritten[static_cast<std::size_t>(i)]);
    return false;
  };
  Enumerated out;
  if (!unexplored_freedoms(*program.program).empty()) return out;
  std::vector<PrivateCopy> copies = private_copies(*program.program, buffers);
  ExhaustiveChooser every(Freedom::grouping);
  for (bool more = true; more;) {
    RunOptions run_options = options.run;
    run_options.chooser = &every;
    run_options.sets = nullptr;
    const RunResult r = run(program, with_fresh(buffers, copies), run_options);
    if (has_error(r.diagnostics)) return {};
    ++out.runs;
    bool same = true;
    for (const PrivateCopy &c : copies)
      for (const GivenResult &g : results)
        for (std::int64_t i = 0; g.argument == c.argument() && i < c.count(); ++i)
          same &= unwritten(c, i) || canonical(c.type(), c.element(i)) == canonical(c.type(), given_element(c.type(), g.data, i));
    out.member |= same;
    if (out.runs == 1 && every.estimate() > static_cast<double>(options.enumerate)) return {};
    more = every.next();
    if (more && out.runs >= options.enumerate) return {};
  }
  out.all = true;
  return out;
}

// The reference run with an enclosure of each element.
AdmittedResults enclosed_run(const BoundProgram &program, const std::vector<Buffer> &buffers, const JudgeOptions &options, AdmittedSets &sets) {
  const TileProgram &p = *program.program;
  AdmittedResults out;
  std::vector<PrivateCopy> copies = private_copies(p, buffers);
  RunOptions run_options = options.run;
  run_options.chooser = nullptr;
  run_options.sets = &sets;
  RunResult r = run(program, with_fresh(buffers, copies), run_options);
  out.diagnostics = std::move(r.diagnostics);
  if (has_error(out.diagnostics)) return out;
  for (const auto &[what, op] : sets.undecided()) out.undecided.push_back({what, p.site(p.ops[op].site)});
  for (const PrivateCopy &c : copies) {
    AdmittedResults::Output o{c.argument(), {}, {}, {}};
    for (std::int64_t i = 0; i < c.count(); ++i) {
      o.reference.push_back(c.element(i));
      o.sets.push_back(sets.load(c.place(i), c.type(), o.reference.back()));
      o.unwritten.push_back(sets.is_unwritten(c.place(i)));
    }
    out.outputs.push_back(std::move(o));
  }
  return out;
}

Enclosure hull(ScalarType type, const std::set<std::uint64_t> &values) {
  Enclosure out;
  for (const std::uint64_t v : values) out.join(type, Enclosure::of(type, v));
  return out;
}

// Elements that one reduction of few contributions decides.
class CountedElements {
public:
  struct Element {
    std::size_t result;
    std::int64_t index;
    std::uint32_t origin;
  };

  // rule: ADM-CHECK -- all values of an element, where a single reduction of at most ten contributions decides it.
  CountedElements(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::vector<GivenResult> &results,
                  const AdmittedResults &admitted, const AdmittedSets &sets, const JudgeOptions &options) {
    std::set<std::uint32_t> origins;
    std::vector<Element> elements;
    for (std::size_t k = 0; k < results.size(); ++k)
      for (const AdmittedResults::Output &o : admitted.outputs)
        for (std::size_t i = 0; o.argument == results[k].argument && i < o.sets.size(); ++i)
          if (results[k].data && o.sets[i].has_one_origin() && !o.unwritten[i]) {
            origins.insert(o.sets[i].origin);
            elements.push_back({k, static_cast<std::int64_t>(i), o.sets[i].origin});
          }
    if (elements.empty()) return;
    std::set<std::uint64_t> groupings; // freedoms that one element each depends on, so that elements go together in all ways
    for (const Element &e : elements) independent_ &= groupings.insert(sets.event(e.origin).first_choice).second;
    constexpr std::uint64_t looks = 50'000'000; // at elements, in all rounds
    const SingleReductions single(sets, origins, options.merges, std::min(options.enumerate, looks / elements.size() + 1));
    std::erase_if(elements, [&](const Element &e) { return !single.exact(e.origin); });
    if (elements.empty()) return;
    std::vector<PrivateCopy> copies = private_copies(*program.program, buffers);
    for (std::uint64_t round = 0; round < single.rounds(); ++round) {
      ListedChooser chooser(Freedom::grouping, single.all(round));
      RunOptions run_options = options.run;
      run_options.chooser = &chooser;
      run_options.sets = nullptr;
      if (has_error(run(program, with_fresh(buffers, copies), run_options).diagnostics)) {
        values_.clear();
        return;
      }
      for (const Element &e : elements)
        for (const PrivateCopy &c : copies)
          if (c.argument() == results[e.result].argument) values_[{e.result, e.index}].insert(canonical(c.type(), c.element(e.index)));
    }
  }

  // Null: only enclosed.
  const std::set<std::uint64_t> *values(std::size_t result, std::size_t index) const {
    const auto at = values_.find({result, static_cast<std::int64_t>(index)});
    return at == values_.end() ? nullptr : &at->second;
  }

  // No two elements depend on one reduction.
  bool independent() const { return independent_; }

private:
  std::map<std::pair<std::size_t, std::int64_t>, std::set<std::uint64_t>> values_;
  bool independent_ = true;
};

} // namespace

std::string_view to_string(Verdict v) {
  constexpr std::string_view names[] = {"equal", "member", "within", "undecided", "outside"};
  return names[static_cast<int>(v)];
}

AdmittedResults admitted_results(const BoundProgram &program, const std::vector<Buffer> &buffers, const JudgeOptions &options) {
  AdmittedSets sets(options.target ? *options.target : ieee_profile(), *program.program);
  return enclosed_run(program, buffers, options, sets);
}

// rule: ADM-CHECK
Judgement judge(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::vector<GivenResult> &results,
                const JudgeOptions &options) {
  Judgement out;
  const TileProgram &p = *program.program;
  AdmittedSets sets(options.target ? *options.target : ieee_profile(), p);
  AdmittedResults admitted = enclosed_run(program, buffers, options, sets);
  out.diagnostics = std::move(admitted.diagnostics);
  if (has_error(out.diagnostics)) return out;
  out.undecided = std::move(admitted.undecided);
  bool enclosed = true;
  std::optional<CountedElements> counted;
  if (!options.target || *options.target == ieee_profile()) {
    bool free = !out.undecided.empty();
    for (const auto &o : admitted.outputs)
      free |= !std::all_of(o.sets.begin(), o.sets.end(), [](const Enclosure &e) { return e.is_point(); });
    const Enumerated every = free && options.enumerate > 0 ? enumerate(program, buffers, results, admitted, options) : Enumerated{};
    if (every.all) {
      enclosed = false;
      out.members = every.runs;
      out.undecided.clear();
      for (const GivenResult &g : results) out.outputs.push_back({g.argument, every.member ? Verdict::member : Verdict::outside, 0, 0, 0, 0, {}, 0, 0});
    } else if (free && options.enumerate > 0 && out.undecided.empty()) {
      counted.emplace(program, buffers, results, admitted, sets, options);
    }
  }
  if (enclosed)
    for (const GivenResult &g : results) out.outputs.push_back({g.argument, Verdict::equal, 0, 0, 0, 0, {}, 0, 0});
  for (std::size_t k = 0; k < results.size(); ++k) {
    JudgedOutput &judged = out.outputs[k];
    const ScalarType type = p.objects[p.arguments[results[k].argument]].elem;
    const auto set = std::find_if(admitted.outputs.begin(), admitted.outputs.end(), [&](const auto &o) { return o.argument == results[k].argument; });
    if (enclosed && !out.undecided.empty()) {
      judged.verdict = Verdict::undecided;
      continue;
    }
    std::vector<double> widths;
    bool worst_inside = true, all_counted = counted && counted->independent();
    for (std::size_t i = 0; i < set->sets.size(); ++i) {
      if (set->unwritten[i]) {
        ++judged.unwritten;
        continue;
      }
      const std::uint64_t result = results[k].data ? given_element(type, results[k].data, static_cast<std::int64_t>(i)) : set->reference[i];
      const Enclosure &e = set->sets[i];
      const std::set<std::uint64_t> *values = counted ? counted->values(k, i) : nullptr;
      all_counted &= e.is_point() || values;
      const bool inside = values ? values->contains(canonical(type, result)) : e.contains(type, result);
      (inside ? e.is_point() ? judged.points : judged.within : judged.outside) += 1;
      if (is_float(type)) widths.push_back(half_width(type, e) / ulp_at(type, set->reference[i]));
      const double away = distance(type, e, result);
      if (!judged.worst || (worst_inside && !inside) || (worst_inside == inside && away > judged.worst->distance)) {
        judged.worst = JudgedElement{static_cast<std::int64_t>(i), result, set->reference[i], values ? hull(type, *values) : e,
                                     values ? values->size() : 0, away};
        worst_inside = inside;
      }
    }
    if (!widths.empty()) {
      const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
      std::nth_element(widths.begin(), middle, widths.end());
      judged.median_half_width = *middle;
      judged.largest_half_width = *std::max_element(widths.begin(), widths.end());
    }
    if (!enclosed) continue;
    if (judged.outside > 0) judged.verdict = Verdict::outside;
    else judged.verdict = judged.within == 0 ? Verdict::equal : all_counted ? Verdict::member : Verdict::within;
  }
  return out;
}

} // namespace tilenest
