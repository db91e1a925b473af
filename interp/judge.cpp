// SPDX-License-Identifier: Apache-2.0
// The set is enumerated where its freedoms are groupings alone and few, else enclosed.
#include "interp/judge.h"
#include "interp/admitted.h"
#include "interp/explore.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilenest {

namespace {

std::int64_t count_of(const std::vector<std::int64_t> &shape) {
  std::int64_t n = 1;
  for (const std::int64_t e : shape) n *= e;
  return n;
}

// Every NaN as one.
std::uint64_t canonical(ScalarType type, std::uint64_t bits) {
  return is_nan_of(type, bits) ? float_layout(type).nan() : bits;
}

// A private copy of the arguments that a run writes.
class PrivateBuffers {
public:
  PrivateBuffers(const TileProgram &p, const std::vector<Buffer> &buffers) : buffers_(buffers), p_(p) {
    for (std::size_t i = 0; i < p.arguments.size(); ++i) {
      const Object &object = p.objects[p.arguments[i]];
      if (object.access == ArgumentAccess::in) continue;
      std::int64_t low = 0, high = 0;
      for (std::size_t d = 0; d < buffers[i].shape.size(); ++d) {
        const std::int64_t reach = (buffers[i].shape[d] - 1) * buffers[i].strides[d];
        (reach < 0 ? low : high) += reach;
      }
      Copy copy{i, 0, {}};
      if (count_of(buffers[i].shape) > 0) {
        const std::int64_t unit = is_packed(object.elem) ? 2 : 1;
        copy.first = low / unit - (low % unit != 0 ? 1 : 0);
        const std::int64_t end = is_packed(object.elem) ? high / 2 + 1 : high + static_cast<std::int64_t>(byte_size(object.elem));
        const auto *from = static_cast<const std::byte *>(buffers[i].data);
        copy.bytes.assign(from + copy.first, from + end);
        buffers_[i].data = copy.bytes.data() - copy.first;
      }
      copies_.push_back(std::move(copy));
    }
    // Moving a vector keeps its elements where they are.
  }
  std::vector<Buffer> buffers() const { return buffers_; }
  // f(argument, type, element number in C order, its place in half bytes of the address space, its bits).
  template <class F> void for_elements(F &&f) const {
    for (const Copy &copy : copies_) {
      const Buffer &b = buffers_[copy.argument];
      const ScalarType type = p_.objects[p_.arguments[copy.argument]].elem;
      const std::int64_t n = count_of(b.shape);
      for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t offset = 0, rest = i;
        for (std::size_t d = b.shape.size(); d-- > 0; rest /= b.shape[d]) offset += rest % b.shape[d] * b.strides[d];
        const auto base = reinterpret_cast<std::uint64_t>(b.data);
        const auto *at = static_cast<const std::byte *>(b.data) + (is_packed(type) ? offset >> 1 : offset);
        std::uint64_t bits = load_bits(type, at);
        if (is_packed(type)) {
          bits = (bits >> (offset & 1) * 4) & 15;
          if (is_signed(type) && bits > 7) bits |= 0xf0;
        }
        f(copy.argument, type, i, 2 * base + static_cast<std::uint64_t>(is_packed(type) ? offset : 2 * offset), bits);
      }
    }
  }

private:
  struct Copy {
    std::size_t argument;
    std::int64_t first;
    std::vector<std::byte> bytes;
  };
  std::vector<Buffer> buffers_;
  const TileProgram &p_;
  std::vector<Copy> copies_;
};

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
                     const JudgeOptions &options) {
  Enumerated out;
  if (!unexplored_freedoms(*program.program).empty()) return out;
  ExhaustiveChooser every(Freedom::grouping);
  for (bool more = true; more;) {
    PrivateBuffers copy(*program.program, buffers);
    RunOptions run_options = options.run;
    run_options.chooser = &every;
    run_options.sets = nullptr;
    const RunResult r = run(program, copy.buffers(), run_options);
    if (has_error(r.diagnostics)) return {};
    ++out.runs;
    bool same = true;
    copy.for_elements([&](std::size_t argument, ScalarType type, std::int64_t i, std::uint64_t, std::uint64_t bits) {
      for (const GivenResult &g : results)
        if (g.argument == argument) same &= canonical(type, bits) == canonical(type, given_element(type, g.data, i));
    });
    out.member |= same;
    if (out.runs == 1 && every.estimate() > static_cast<double>(options.enumerate)) return {};
    more = every.next();
    if (more && out.runs >= options.enumerate) return {};
  }
  out.all = true;
  return out;
}

} // namespace

std::string_view to_string(Verdict v) {
  constexpr std::string_view names[] = {"equal", "member", "within", "undecided", "outside"};
  return names[static_cast<int>(v)];
}

AdmittedResults admitted_results(const BoundProgram &program, const std::vector<Buffer> &buffers, const JudgeOptions &options) {
  const TileProgram &p = *program.program;
  AdmittedResults out;
  AdmittedSets sets(options.target ? *options.target : ieee_profile(), p);
  PrivateBuffers copy(p, buffers);
  RunOptions run_options = options.run;
  run_options.chooser = nullptr;
  run_options.sets = &sets;
  RunResult r = run(program, copy.buffers(), run_options);
  out.diagnostics = std::move(r.diagnostics);
  if (has_error(out.diagnostics)) return out;
  for (const auto &[what, op] : sets.undecided()) out.undecided.push_back({what, p.site(p.ops[op].site)});
  copy.for_elements([&](std::size_t argument, ScalarType type, std::int64_t i, std::uint64_t place, std::uint64_t bits) {
    if (i == 0) out.outputs.push_back({argument, {}, {}});
    out.outputs.back().reference.push_back(bits);
    out.outputs.back().sets.push_back(sets.load(place, type, bits));
  });
  return out;
}

// rule: ADM-CHECK
Judgement judge(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::vector<GivenResult> &results,
                const JudgeOptions &options) {
  Judgement out;
  const TileProgram &p = *program.program;
  AdmittedResults admitted = admitted_results(program, buffers, options);
  out.diagnostics = std::move(admitted.diagnostics);
  if (has_error(out.diagnostics)) return out;
  out.undecided = std::move(admitted.undecided);
  bool enclosed = true;
  if (!options.target || *options.target == ieee_profile()) {
    bool free = !out.undecided.empty();
    for (const auto &o : admitted.outputs)
      free |= !std::all_of(o.sets.begin(), o.sets.end(), [](const Enclosure &e) { return e.is_point(); });
    const Enumerated every = free && options.enumerate > 0 ? enumerate(program, buffers, results, options) : Enumerated{};
    if (every.all) {
      enclosed = false;
      out.members = every.runs;
      out.undecided.clear();
      for (const GivenResult &g : results) out.outputs.push_back({g.argument, every.member ? Verdict::member : Verdict::outside, 0, 0, 0, {}, 0, 0});
    }
  }
  if (enclosed)
    for (const GivenResult &g : results) out.outputs.push_back({g.argument, Verdict::equal, 0, 0, 0, {}, 0, 0});
  for (std::size_t k = 0; k < results.size(); ++k) {
    JudgedOutput &judged = out.outputs[k];
    const ScalarType type = p.objects[p.arguments[results[k].argument]].elem;
    const auto set = std::find_if(admitted.outputs.begin(), admitted.outputs.end(), [&](const auto &o) { return o.argument == results[k].argument; });
    if (set == admitted.outputs.end()) continue; // it has no elements
    std::vector<double> widths;
    for (std::size_t i = 0; i < set->sets.size(); ++i) {
      const std::uint64_t result = results[k].data ? given_element(type, results[k].data, static_cast<std::int64_t>(i)) : set->reference[i];
      const Enclosure &e = set->sets[i];
      const bool inside = e.contains(type, result);
      (inside ? e.is_point() ? judged.points : judged.within : judged.outside) += 1;
      if (is_float(type)) widths.push_back(half_width(type, e) / ulp_at(type, set->reference[i]));
      const double away = distance(type, e, result);
      const bool was_inside = !judged.worst || judged.worst->enclosure.contains(type, judged.worst->result);
      if (!judged.worst || (was_inside && !inside) || (was_inside == inside && away > judged.worst->distance))
        judged.worst = JudgedElement{static_cast<std::int64_t>(i), result, set->reference[i], e, away};
    }
    if (!widths.empty()) {
      const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
      std::nth_element(widths.begin(), middle, widths.end());
      judged.median_half_width = *middle;
      judged.largest_half_width = *std::max_element(widths.begin(), widths.end());
    }
    if (!enclosed) continue;
    if (!out.undecided.empty()) judged.verdict = Verdict::undecided;
    else if (judged.outside > 0) judged.verdict = Verdict::outside;
    else judged.verdict = judged.within > 0 ? Verdict::within : Verdict::equal;
  }
  return out;
}

} // namespace tilenest
