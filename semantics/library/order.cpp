// SPDX-License-Identifier: Apache-2.0
// Order along one dim (NUM-NAN): every NaN behind every number in either direction, -0 equal to +0, ties to the
// lower index. Ranks are counted, so that a row of n elements takes n * n comparisons and n places.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

// Every element of x along the dim, one after the other: `body` gets its index, a scalar, and the element at it.
template <class F> void for_each_along(Call &c, ValueId x, const Factor &along, F &&body) {
  LoopSpec loop;
  loop.name = "other";
  loop.domain = Space{{{c.b.dim("other"), along.extent}}};
  const Scope scope = c.b.begin_reduce(loop);
  const ValueId element = c.at_along(x, along.dim, scope.coords[0]);
  body(scope.coords[0], element);
  c.b.end();
}

// a stands before b whatever their indices are.
ValueId ahead(Call &c, ValueId a, ValueId b, bool descending) {
  const ValueId beyond = c.op(descending ? OpKind::gt : OpKind::lt, {a, b});
  if (!is_float(c.elem(a))) return beyond;
  const ValueId number = c.op(OpKind::bit_not, {c.op(OpKind::is_nan, {a})});
  return c.op(OpKind::bit_or, {beyond, c.op(OpKind::bit_and, {number, c.op(OpKind::is_nan, {b})})});
}

// Where each element of x stands in the order: 0 for the first.
ValueId ranks(Call &c, ValueId x, const Factor &along, bool descending) {
  const VarId rank = c.b.declare("rank", c.b.full(ScalarType::i64, std::int64_t{0}, c.space(x)));
  const ValueId own = c.b.iota(along);
  for_each_along(c, x, along, [&](ValueId index, ValueId other) {
    const ValueId before = ahead(c, other, x, descending);
    const ValueId behind = ahead(c, x, other, descending);
    const ValueId earlier = c.op(OpKind::lt, {index, own});
    const ValueId tie = c.op(OpKind::bit_and, {earlier, c.op(OpKind::bit_not, {behind})});
    const ValueId one = c.b.cast(OpKind::cast, ScalarType::i64, c.op(OpKind::bit_or, {before, tie}));
    c.b.assign(rank, c.op(OpKind::add, {c.b.read(rank), one}));
  });
  return c.b.read(rank);
}

// The indices of the first `count` elements in the order, in x's space with that extent along the dim.
ValueId first_indices(Call &c, ValueId x, const Factor &along, const Extent &count, bool descending) {
  const ValueId rank = ranks(c, x, along, descending);
  Space space = c.space(x);
  space.factors[static_cast<std::size_t>(space.find(along.dim))].extent = count;
  const VarId indices = c.b.declare("index", c.b.full(ScalarType::i64, std::int64_t{0}, space));
  const ValueId place = c.b.iota({along.dim, count});
  for_each_along(c, rank, along, [&](ValueId index, ValueId rank_there) {
    const ValueId here = c.b.cast(OpKind::cast, ScalarType::i64, c.op(OpKind::eq, {rank_there, place}));
    c.b.assign(indices, c.op(OpKind::add, {c.b.read(indices), c.op(OpKind::mul, {index, here})}));
  });
  return c.b.read(indices);
}

bool ordered_ok(Call &c) {
  return c.refuse_ragged("x") && c.need_elements("x", c.factor(c.tile("x"), c.dim()), 1);
}

template <bool descending> std::vector<ValueId> extreme(Call &c) {
  if (!ordered_ok(c)) return {};
  const ValueId x = c.tile("x");
  const DimId dims[] = {c.dim()};
  const Factor along = c.factor(x, c.dim());
  const bool floats = is_float(c.elem(x));
  const ValueId best = c.fold(x, dims, descending ? (floats ? Reducer::maxnum : Reducer::max)
                                                  : (floats ? Reducer::minnum : Reducer::min));
  const ValueId where_best = c.op(OpKind::ite, {c.op(OpKind::eq, {x, best}), c.b.iota(along), along.extent});
  const ValueId index = c.fold(where_best, dims, Reducer::min);
  if (!floats) return {index};
  return {c.op(OpKind::ite, {c.op(OpKind::lt, {index, along.extent}), index, std::int64_t{0}})}; // a row of NaN
}

std::vector<ValueId> argsort(Call &c) {
  if (!ordered_ok(c)) return {};
  const Factor along = c.factor(c.tile("x"), c.dim());
  return {first_indices(c, c.tile("x"), along, along.extent, c.flag("descending"))};
}

std::vector<ValueId> sort(Call &c) {
  const std::vector<ValueId> indices = argsort(c);
  if (indices.empty()) return {};
  return {c.at_along(c.tile("x"), c.dim(), indices[0])};
}

std::vector<ValueId> topk(Call &c) {
  if (!ordered_ok(c)) return {};
  const Factor along = c.factor(c.tile("x"), c.dim());
  const Extent k = c.extents("k")[0];
  if (!c.need_count("k", k, 1) || !c.need_elements("x", along, k, "k")) return {};
  const ValueId indices = first_indices(c, c.tile("x"), along, k, c.flag("descending"));
  return {c.at_along(c.tile("x"), along.dim, indices), indices};
}

// The expansion counts, for each element, those that come before it.
#define TILENEST_QUADRATIC " Time grows with the square of the extent of dim, sort, argsort and topk alike whatever k is"
#define TILENEST_ORDER " Refused: a tile with a predicate, a dim without elements"

constexpr Function order_table[] = {
    {"argmax", {tile("x", OpOperands::numeric), dim()}, "index", extreme<true>, "the index of the greatest element along dim, i64",
     "x: any space with dim; the result lacks dim. NaN is behind every number, ties go to the lower index." TILENEST_ORDER, "exact",
     "kernel k(X: f32[4, 6], Y: out i64[4]) { axis m = 4, n = 6; Y((0), [m]).store(argmax(X[(0, 0), [m, n]], n)) }"},
    {"argmin", {tile("x", OpOperands::numeric), dim()}, "index", extreme<false>, "the index of the least element along dim, i64",
     "x: any space with dim; the result lacks dim. NaN is behind every number, ties go to the lower index." TILENEST_ORDER, "exact",
     "kernel k(X: f32[4, 6], Y: out i64[4]) { axis m = 4, n = 6; Y((0), [m]).store(argmin(X[(0, 0), [m, n]], n)) }"},
    {"sort", {tile("x", OpOperands::numeric), dim(), flag("descending", "false")}, "values", sort, "the elements in order along dim",
     "x: any space with dim; the result has the same space. Stable, NaN last in either direction, -0 equal to +0." TILENEST_ORDER "." TILENEST_QUADRATIC, "exact",
     "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(sort(X[(0, 0), [m, n]], n)) }"},
    {"argsort", {tile("x", OpOperands::numeric), dim(), flag("descending", "false")}, "indices", argsort,
     "the indices that sort x along dim, i64",
     "x: any space with dim; the result has the same space. Stable, NaN last in either direction, -0 equal to +0." TILENEST_ORDER "." TILENEST_QUADRATIC, "exact",
     "kernel k(X: f32[4, 6], Y: out i64[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(argsort(X[(0, 0), [m, n]], n, descending = true)) }"},
    {"topk", {tile("x", OpOperands::numeric), dim(), extent("k"), flag("descending", "true")}, "values, indices", topk,
     "the first k elements in order along dim, and their indices, i64",
     "x: any space with dim; both results have k elements along dim. Stable, NaN last in either direction. Refused: k below 1 or above "
     "the extent of dim, a tile with a predicate." TILENEST_QUADRATIC, "exact",
     "kernel k(X: f32[4, 6], V: out f32[4, 2], I: out i64[4, 2]) { axis m = 4, n = 6; v, i = topk(X[(0, 0), [m, n]], n, k = 2); V((0, 0), [m, n = 2]).store(v); I((0, 0), [m, n = 2]).store(i) }"},
};

} // namespace

Family order() { return {"order", "Order along a dim", order_table}; }

} // namespace tilenest::library
