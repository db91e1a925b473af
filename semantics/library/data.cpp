// SPDX-License-Identifier: Apache-2.0
// What goes where the data says: histograms, sums by segment, elements taken and put by index.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

ValueId indices64(Call &c, ValueId x) { return c.elem(x) == ScalarType::i64 ? x : c.b.cast(OpKind::cast, ScalarType::i64, x); }

// The axis is fresh in x: the result would name the dim twice.
bool fresh_ok(Call &c, std::string_view axis, ValueId x) {
  const DimId d = c.axis(axis).dim;
  if (c.space(x).find(d) < 0) return true;
  return c.refuse_option(axis, "`" + c.b.program().dim_text(d) + "`", "the tile has that dim already");
}

std::vector<ValueId> histogram(Call &c) {
  const ValueId x = c.tile("x");
  if (!fresh_ok(c, "bins", x)) return {};
  const ValueId hit = c.op(OpKind::eq, {indices64(c, x), c.b.iota(c.axis("bins"))});
  const std::vector<DimId> all = c.dims_or_all("", x);
  return {c.fold(c.b.cast(OpKind::cast, ScalarType::i64, hit), all, Reducer::add)};
}

Reducer reducer_named(const std::string &word) { return *reducer_of(*find_op(word)); }

// The argument has that factor alone.
bool index_ok(Call &c, std::string_view argument, const Factor &along) {
  const Space &s = c.space(c.tile(argument));
  if (s.rank() != 1 || s.factors[0].dim != along.dim)
    return c.refuse_tile(argument, "a tile over `" + c.b.program().dim_text(along.dim) + "` alone");
  return c.need_extent(argument, c.tile(argument), along.dim, along.extent);
}

// The dims of x with one of them replaced.
Space with_factor(Call &c, ValueId x, DimId old, const Factor &by) {
  Space s = c.space(x);
  s.factors[static_cast<std::size_t>(s.find(old))] = by;
  return s;
}

std::vector<ValueId> segment_reduce(Call &c) {
  const ValueId x = c.tile("x"), ids = c.tile("ids");
  if (!fresh_ok(c, "segments", x) || !index_ok(c, "ids", c.factor(x, c.dim())) || !c.refuse_ragged("x")) return {};
  const Factor segments = c.axis("segments");
  Space space = c.space(x);
  space.factors.push_back(segments);
  const ValueId mine = c.op(OpKind::eq, {indices64(c, ids), c.b.iota(segments)});
  const DimId dims[] = {c.dim()};
  const ValueId folded = c.fold(c.b.restrict(c.b.broadcast(x, space), mine), dims, reducer_named(c.word("reducer")));
  std::vector<DimId> order;
  for (const Factor &f : with_factor(c, x, c.dim(), segments).factors) order.push_back(f.dim);
  return {c.b.transpose(folded, order)};
}

std::vector<ValueId> take_along(Call &c) {
  return {c.at_along(c.tile("x"), c.dim(), c.tile("indices"))};
}

// Which values each place of x gets: by a sum over the values' dim, since a tile has no atomics.
std::vector<ValueId> put_along(Call &c) {
  const ValueId x = c.tile("x"), values = c.tile("values"), indices = c.tile("indices");
  const Space &index = c.space(indices);
  if (index.rank() != 1) return c.refuse_tile("indices", "a tile of rank 1"), std::vector<ValueId>{};
  const Factor from = index.factors[0];
  for (std::string_view name : {"x", "values", "indices"})
    if (!c.refuse_ragged(name)) return {};
  if (c.space(x).find(from.dim) >= 0) return c.refuse_tile("indices", "a tile over a dim that `x` lacks"), std::vector<ValueId>{};
  const Space wanted = with_factor(c, x, c.dim(), from);
  bool alike = c.elem(values) == c.elem(x) && c.space(values).rank() == wanted.rank();
  for (std::size_t i = 0; alike && i < wanted.rank(); ++i) alike = c.space(values).factors[i].dim == wanted.factors[i].dim;
  if (!alike)
    return c.refuse_tile("values", "a tile of the type and dims of `x`, with `" + c.b.program().dim_text(from.dim) + "` in place of `" +
                                       c.b.program().dim_text(c.dim()) + "`,"), std::vector<ValueId>{};
  for (const Factor &f : wanted.factors)
    if (!c.need_extent("values", values, f.dim, f.extent)) return {};
  const Factor along = c.factor(x, c.dim());
  const DimId dims[] = {from.dim};
  const ValueId hit = c.op(OpKind::eq, {indices64(c, indices), c.b.iota(along)}); // [from, along]
  const ValueId count = c.fold(c.b.cast(OpKind::cast, ScalarType::i64, hit), dims, Reducer::add);
  const std::string word = c.word("reducer");
  if (word != "none") {
    Space space = c.space(values);
    space.factors.push_back(along);
    const Reducer reducer = reducer_named(word);
    const ValueId folded = c.fold(c.b.restrict(c.b.broadcast(values, space), hit), dims, reducer);
    std::vector<DimId> order;
    for (const Factor &f : c.space(x).factors) order.push_back(f.dim);
    const ValueId placed = c.b.transpose(folded, order);
    return {c.op(OpKind::ite, {c.op(OpKind::gt, {count, std::int64_t{0}}), c.op(folding_op(reducer), {x, placed}), x})};
  }
  // Two values for one place: an index that is out of range has no result, and says so where it is used.
  const ValueId place = c.fold(c.op(OpKind::mul, {c.b.iota(from), c.b.cast(OpKind::cast, ScalarType::i64, hit)}), dims, Reducer::add);
  const ValueId one = c.op(OpKind::ite, {c.op(OpKind::le, {count, std::int64_t{1}}), place, std::int64_t{-1}});
  Space space = c.space(x);
  const ValueId taken = c.at_along(values, from.dim, one);
  std::vector<DimId> order;
  for (const Factor &f : space.factors) order.push_back(f.dim);
  return {c.op(OpKind::ite, {c.op(OpKind::gt, {count, std::int64_t{0}}), c.b.transpose(taken, order), x})};
}

constexpr Function data_table[] = {
    {"histogram", {tile("x", OpOperands::integer), axis("bins")}, "counts", histogram, "how many elements are 0, 1, 2, ..., i64",
     "x: any space, also with a predicate; the result has the dim of bins alone. What is in no bin is not counted. Refused: bins over a dim of x",
     "exact", "kernel k(X: i32[8], Y: out i64[4]) { axis n = 8, b = 4; Y(0, [b]).store(histogram(X[0, [n]], b)) }"},
    {"segment_reduce", {tile("x", OpOperands::numeric), tile("ids", OpOperands::integer), dim(), axis("segments"),
                        word("reducer", "add|mul|min|max", "add")}, "y", segment_reduce, "folds the elements of each segment along dim",
     "x: any space with dim; ids: over dim alone; the result has segments in place of dim. An element whose id is no segment counts nowhere, "
     "an empty segment gives the identity of the reducer. Refused: x with a predicate, segments over a dim of x, ids of another space",
     "composition: each step correctly rounded in the type of x, in any grouping",
     "kernel k(X: f32[8], I: i32[8], Y: out f32[8]) { axis n = 8, s = 8; Y(0, [s]).store(segment_reduce(X[0, [n]], I[0, [n]], n, s)) }"},
    {"take_along", {tile("x", OpOperands::any), tile("indices", OpOperands::integer), dim()}, "y", take_along, "the elements of x at indices along dim",
     "x: any space with dim; indices: dims of x, and others; the result has the dims of both, without dim where indices lack it. An index out of range has no result", "exact",
     "kernel k(X: f32[4, 6], I: i32[4], Y: out f32[4]) { axis m = 4, n = 6; Y(0, [m]).store(take_along(X[(0, 0), [m, n]], mod(I[0, [m]], 6), n)) }",
     "an index is out of range"},
    {"put_along", {tile("x", OpOperands::numeric), tile("values", OpOperands::numeric), tile("indices", OpOperands::integer), dim(),
                   word("reducer", "none|add|mul|min|max", "none")}, "y", put_along, "x with values at indices along dim",
     "x: any space with dim; indices: rank 1, over a dim that x lacks; values: the dims of x with that one in place of dim. With a reducer, "
     "values are folded into the element of x; without one, two values for one place have no result. An index out of range puts nothing. "
     "Refused: tiles with a predicate, indices over a dim of x, values of another type or space", "exact without a reducer, else each step correctly rounded, in any grouping",
     "kernel k(X: f32[8], V: f32[4], I: i32[4], Y: out f32[8]) { axis n = 8, k = 4; Y(0, [n]).store(put_along(X[0, [n]], V[0, [k]], I[0, [k]], n)) }",
     "two values for one place, and no reducer"},
};

} // namespace

Family data() { return {"data", "Elements by index", data_table}; }

} // namespace tilenest::library
