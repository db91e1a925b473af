// SPDX-License-Identifier: Apache-2.0
// Tiles put together, padded and turned round: elements are moved, none is computed.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

// x at coordinates along one dim, over the dims of x.
ValueId moved(Call &c, ValueId x, const Factor &along, ValueId at) {
  std::vector<DimId> order;
  for (const Factor &f : c.space(x).factors) order.push_back(f.dim);
  return c.b.transpose(c.at_along(x, along.dim, at), order);
}

std::vector<ValueId> flip(Call &c) {
  const ValueId x = c.tile("x");
  if (!c.refuse_ragged("x")) return {};
  const Factor along = c.factor(x, c.dim());
  return {moved(c, x, along, c.op(OpKind::sub, {along.extent - Extent(1), c.b.iota(along)}))};
}

std::vector<ValueId> pad(Call &c) {
  const ValueId x = c.tile("x");
  if (!c.refuse_ragged("x")) return {};
  const Factor along = c.factor(x, c.dim());
  const Extent before = c.extents("before")[0], after = c.extents("after")[0];
  if (!c.need_count("before", before, 0) || !c.need_count("after", after, 0)) return {};
  const Extent more = along.extent + before;
  for (const char *name : {"before", "after"})
    if ((name[0] == 'b' ? more : more + after).overflowed())
      return c.refuse_option(name, c.b.program().extent_text(c.extents(name)[0]), "64 bits do not hold the extent of the result"), std::vector<ValueId>{};
  const ValueId at = c.op(OpKind::sub, {c.b.iota({along.dim, along.extent + before + after}), before});
  const ValueId inside = c.op(OpKind::bit_and, {c.op(OpKind::ge, {at, std::int64_t{0}}), c.op(OpKind::lt, {at, along.extent})});
  const Operand value = c.has("value") ? c.operand("value") : Operand(std::int64_t{0});
  if (const auto *v = std::get_if<ValueId>(&value); v && (c.elem(*v) != c.elem(x) || c.space(*v).rank() > 0))
    return c.refuse_option("value", c.b.program().type_text(c.type(*v)), "it is a scalar of the type of `x`"), std::vector<ValueId>{};
  return {c.op(OpKind::ite, {inside, moved(c, x, along, at), value})};
}

ValueId one_behind_the_other(Call &c, ValueId x, ValueId y, DimId dim) {
  const Factor first = c.factor(x, dim), second = c.factor(y, dim);
  const ValueId at = c.b.iota({dim, first.extent + second.extent});
  const ValueId behind = moved(c, y, second, c.op(OpKind::sub, {at, first.extent}));
  return c.op(OpKind::ite, {c.op(OpKind::lt, {at, first.extent}), moved(c, x, first, at), behind});
}

std::vector<ValueId> concat(Call &c) {
  const std::vector<ValueId> &parts = c.tiles("parts");
  const Space first = c.space(parts[0]);
  const DimId dim = c.dim();
  for (ValueId x : parts) {
    bool alike = c.elem(x) == c.elem(parts[0]) && c.space(x).rank() == first.rank() && c.type(x).active.empty();
    for (std::size_t i = 0; alike && i < first.rank(); ++i) alike = c.space(x).factors[i].dim == first.factors[i].dim;
    if (!alike) return c.refuse_tile("parts", "tiles of the type and dims of the first, without predicates,", x), std::vector<ValueId>{};
    for (const Factor &f : first.factors)
      if (f.dim != dim && !c.need_extent("parts", x, f.dim, f.extent)) return {};
  }
  if (parts.size() == 1) return {moved(c, parts[0], c.factor(parts[0], dim), c.b.iota(c.factor(parts[0], dim)))};
  // Two neighbours become one, until one is left: an element is taken as often as the parts' number has bits.
  std::vector<ValueId> row = parts;
  while (row.size() > 1) {
    std::vector<ValueId> pairs;
    for (std::size_t i = 0; i + 1 < row.size(); i += 2) pairs.push_back(one_behind_the_other(c, row[i], row[i + 1], dim));
    if (row.size() % 2) pairs.push_back(row.back());
    row = std::move(pairs);
  }
  return {row[0]};
}

constexpr Parameter value = operand("value", OpOperands::computed, "");

constexpr Function shape_table[] = {
    {"flip", {tile("x", OpOperands::any), dim()}, "y", flip, "the elements in reverse order along dim",
     "x: any space with dim; the result has it. Refused: a tile with a predicate", "exact",
     "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(flip(X[(0, 0), [m, n]], n)) }"},
    {"pad", {tile("x", OpOperands::computed), dim(), extent("before"), extent("after"), value}, "y", pad, "x with elements of one value before and behind it along dim",
     "x: any space with dim; the result has before + after elements more along it. value: a scalar of x's type, 0 where absent. Refused: a negative count, a tile with a predicate", "exact",
     "kernel k(X: f32[4], Y: out f32[8]) { axis n = 4; Y(0, [n = 8]).store(pad(X[0, [n]], n, before = 1, after = 3, value = 0.5)) }"},
    {"concat", {tiles("parts", OpOperands::computed), dim()}, "y", concat, "tiles one behind the other along dim",
     "parts: one type, the same dims, the same extents but along dim; the result has the sum of the extents there. Refused: other tiles, tiles with a predicate", "exact",
     "kernel k(X: f32[4], Z: f32[2], Y: out f32[6]) { axis n = 4; Y(0, [n = 6]).store(concat(X[0, [n]], Z[0, [n = 2]], dim = n)) }"},
};

} // namespace

Family shape() { return {"shape", "Tiles put together", shape_table}; }

} // namespace tilenest::library
