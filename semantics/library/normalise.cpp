// SPDX-License-Identifier: Apache-2.0
// Normalisations: a tile against what is folded along some of its dims. Floats narrower than f32 are computed in f32
// and rounded once at the end: their sums would soon be out of range.
#include "semantics/library/families.h"
#include <limits>

namespace tilenest::library {

ValueId widened(Call &c, std::string_view argument) {
  const ValueId x = c.tile(argument);
  return bit_width(c.elem(x)) < 32 ? c.b.cast(OpKind::cast, ScalarType::f32, x) : x;
}

std::vector<ValueId> rounded(Call &c, ValueId result, std::string_view argument) {
  const ScalarType t = c.elem(c.tile(argument));
  return {bit_width(t) < 32 ? c.b.cast(OpKind::cast, t, result) : result};
}

namespace {

// How many points a fold of x along the dims takes, in x's type: the extents' product, or where x has values only
// where a predicate holds, a count of these.
ValueId count(Call &c, ValueId x, std::span<const DimId> dims) {
  const ScalarType t = c.elem(x);
  if (!c.type(x).active.empty()) {
    const ValueId yes = c.op(OpKind::bit_or, {c.op(OpKind::eq, {x, x}), c.b.literal(ScalarType::boolean, std::int64_t{1})});
    return c.fold(c.b.cast(OpKind::cast, t, yes), dims, Reducer::add);
  }
  ValueId n = c.b.literal(t, std::int64_t{1});
  for (DimId d : dims) n = c.op(OpKind::mul, {n, c.b.cast(OpKind::cast, t, c.factor(x, d).extent)});
  return n;
}

// exp(x - max) along the dims: the greatest term is 1, so that no finite row overflows.
struct Exponentials {
  ValueId shifted, terms, sum;
};
Exponentials exponentials(Call &c, ValueId x, ValueId top, std::span<const DimId> dims) {
  const ValueId shifted = c.op(OpKind::sub, {x, top});
  const ValueId terms = c.op(OpKind::exp, {shifted});
  return {shifted, terms, c.fold(terms, dims, Reducer::add)};
}

std::vector<ValueId> softmax(Call &c) {
  const ValueId x = widened(c, "x");
  const Exponentials e = exponentials(c, x, c.fold(x, c.dims("dim"), Reducer::max), c.dims("dim"));
  return rounded(c, c.op(OpKind::div, {e.terms, e.sum}));
}

std::vector<ValueId> log_softmax(Call &c) {
  const ValueId x = widened(c, "x");
  const Exponentials e = exponentials(c, x, c.fold(x, c.dims("dim"), Reducer::max), c.dims("dim"));
  return rounded(c, c.op(OpKind::sub, {e.shifted, c.op(OpKind::log, {e.sum})}));
}

std::vector<ValueId> logsumexp(Call &c) {
  const ValueId x = widened(c, "x");
  return rounded(c, log_sum_exp(c, x, c.dims_or_all("dims", x)));
}

std::vector<ValueId> mean(Call &c) {
  const ValueId x = widened(c, "x");
  return rounded(c, average(c, x, c.dims_or_all("dims", x)));
}

// More elements along the dims than the correction takes off, where one of their extents is open at most.
bool enough_elements(Call &c, std::int64_t correction) {
  const ValueId x = c.tile("x");
  if (!c.type(x).active.empty()) return true;
  Factor open;
  std::int64_t known = 1;
  for (DimId d : c.dims_or_all("dims", x)) {
    const Factor f = c.factor(x, d);
    if (open.dim.valid() && !open.extent.is_constant() && !f.extent.is_constant()) return true;
    if (f.extent.is_constant() && __builtin_mul_overflow(known, *f.extent.constant(), &known)) return true;
    if (!open.dim.valid() || !f.extent.is_constant()) open = f;
  }
  if (open.dim.valid() && !open.extent.is_constant())
    return known == 0 || c.need_elements("x", open, Extent((correction + known) / known)); // ceil((correction + 1) / known)
  return known > correction || c.refuse_option("correction", std::to_string(correction), "`x` has " + std::to_string(known) + " elements along its dims");
}

// In two passes: the mean, then the squares of what is left.
std::vector<ValueId> variance(Call &c) {
  const std::int64_t correction = c.integer("correction");
  if (correction < 0) {
    c.refuse_option("correction", std::to_string(correction), "it is taken off the number of elements");
    return {};
  }
  if (correction > 0 && !enough_elements(c, correction)) return {};
  const ValueId x = widened(c, "x");
  const std::vector<DimId> dims = c.dims_or_all("dims", x);
  const ValueId rest = c.op(OpKind::sub, {x, average(c, x, dims)});
  const ValueId squares = c.fold(c.op(OpKind::mul, {rest, rest}), dims, Reducer::add);
  const ValueId n = count(c, x, dims);
  const Operand correction_operand = correction;
  return rounded(c, c.op(OpKind::div, {squares, correction == 0 ? n : c.op(OpKind::sub, {n, correction_operand})}));
}

// Options of the two norms: a positive eps, weights over dims of x in x's type.
bool norm_ok(Call &c) {
  const double eps = c.number("eps");
  if (!(eps >= 0)) return c.refuse_option("eps", literal_text(eps), "it keeps a square root from 0");
  const ValueId x = c.tile("x");
  for (const char *name : {"weight", "bias"}) {
    if (!c.f.parameter(name) || !c.has(name)) continue;
    const ValueId w = c.tile(name);
    if (!c.need_inside(name, w, "x")) return false;
    if (c.elem(w) != c.elem(x)) return c.refuse_tile(name, "a tile of " + std::string(to_string(c.elem(x))));
  }
  return true;
}

std::vector<ValueId> scaled(Call &c, ValueId x, ValueId mean_square) {
  const ValueId root = c.op(OpKind::sqrt, {c.op(OpKind::add, {mean_square, c.number("eps")})});
  ValueId y = c.op(OpKind::div, {x, root});
  if (c.has("weight")) y = c.op(OpKind::mul, {y, widened(c, "weight")});
  if (c.has("bias")) y = c.op(OpKind::add, {y, widened(c, "bias")});
  return rounded(c, y);
}

std::vector<ValueId> layer_norm(Call &c) {
  if (!norm_ok(c)) return {};
  const ValueId x = widened(c, "x");
  const ValueId rest = c.op(OpKind::sub, {x, average(c, x, c.dims("dims"))});
  return scaled(c, rest, average(c, c.op(OpKind::mul, {rest, rest}), c.dims("dims")));
}

std::vector<ValueId> rms_norm(Call &c) {
  if (!norm_ok(c)) return {};
  const ValueId x = widened(c, "x");
  return scaled(c, x, average(c, c.op(OpKind::mul, {x, x}), c.dims("dims")));
}

constexpr const char *same = "x: any space with dim, also with a predicate, whose points alone count; the result has the same space. A row "
                             "with an infinite maximum gives NaN";
#define TILENEST_FOLDED_SHAPES \
  "x: any space, also with a predicate, whose points alone count; the result lacks the dims, all of x's where none is named. Refused: a dim twice"
constexpr const char *folded = TILENEST_FOLDED_SHAPES;

#define TILENEST_SAME(call)                                                                                  \
  "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; x = X[(0, 0), [m, n]]; Y((0, 0), [m, n]).store(" call ") }"
#define TILENEST_FOLDED(call)                                                                                \
  "kernel k(X: f32[4, 6], Y: out f32[4]) { axis m = 4, n = 6; x = X[(0, 0), [m, n]]; Y((0), [m]).store(" call ") }"

constexpr Function normalise_table[] = {
    {"softmax", {tile("x", floats), dim()}, "y", softmax, "exp(x - max) over the sum of it, along dim", same, rounded_steps,
     TILENEST_SAME("softmax(x, n)")},
    {"log_softmax", {tile("x", floats), dim()}, "y", log_softmax, "x - max - log(sum of exp(x - max)), along dim", same, rounded_steps,
     TILENEST_SAME("log_softmax(x, n)")},
    {"logsumexp", {tile("x", floats), optional_dims()}, "y", logsumexp, "max + log(sum of exp(x - max)); -inf of no elements", folded, rounded_steps,
     TILENEST_FOLDED("logsumexp(x, n)")},
    {"mean", {tile("x", floats), optional_dims()}, "y", mean, "the sum over the number of elements; NaN of none", folded, rounded_steps,
     TILENEST_FOLDED("mean(x, n)")},
    {"variance", {tile("x", floats), optional_dims(), integer("correction", "0")}, "y", variance,
     "the sum of (x - mean)^2 over the number of elements less the correction",
     TILENEST_FOLDED_SHAPES ", a correction that leaves no element, unless x has a predicate or several of the dims have open extents: the quotient is "
     "then by 0 or less",
     rounded_steps, TILENEST_FOLDED("variance(x, n, correction = 1)")},
    {"layer_norm", {tile("x", floats), dims(), optional_tile("weight", floats), optional_tile("bias", floats), number("eps", "1e-5")}, "y",
     layer_norm, "(x - mean) / sqrt(variance + eps) along the dims, times weight, plus bias",
     "x: any space with the dims; weight, bias: over dims of x, of its type; the result has x's space. Refused: an eps below 0, a dim twice, a weight or bias longer than x", rounded_steps,
     "kernel k(X: f32[4, 6], W: f32[6], B: f32[6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(layer_norm(X[(0, 0), [m, "
     "n]], n, weight = W[(0), [n]], bias = B[(0), [n]])) }"},
    {"rms_norm", {tile("x", floats), dims(), optional_tile("weight", floats), number("eps", "1e-5")}, "y", rms_norm,
     "x / sqrt(mean of x^2 + eps) along the dims, times weight",
     "x: any space with the dims; weight: over dims of x, of its type; the result has x's space. Refused: an eps below 0, a dim twice, a weight longer than x", rounded_steps,
     "kernel k(X: f32[4, 6], W: f32[6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(rms_norm(X[(0, 0), [m, n]], n, "
     "weight = W[(0), [n]], eps = 1e-6)) }"},
};

} // namespace

ValueId average(Call &c, ValueId x, std::span<const DimId> dims) {
  return c.op(OpKind::div, {c.fold(x, dims, Reducer::add), count(c, x, dims)});
}

// A maximum that is no number to subtract (no elements, only -inf, +inf, NaN) leaves the terms as they are.
ValueId log_sum_exp(Call &c, ValueId x, std::span<const DimId> dims) {
  const ValueId top = c.fold(x, dims, Reducer::max);
  const ValueId finite = c.op(OpKind::lt, {c.op(OpKind::abs, {top}), std::numeric_limits<double>::infinity()});
  const ValueId base = c.op(OpKind::ite, {finite, top, 0.0});
  return c.op(OpKind::add, {base, c.op(OpKind::log, {exponentials(c, x, base, dims).sum})});
}

Family normalise() { return {"normalise", "Normalisations", normalise_table}; }

} // namespace tilenest::library
