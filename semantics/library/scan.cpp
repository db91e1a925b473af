// SPDX-License-Identifier: Apache-2.0
// Scans: the row `scan` under the names that people know, and one whose combination is no reducer.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

template <Reducer reducer> std::vector<ValueId> cumulative(Call &c) {
  return {c.b.scan(c.tile("x"), c.dim(), reducer, c.flag("exclusive"), c.flag("reverse"))};
}

// x with its slice at one coordinate replaced.
ValueId replaced(Call &c, ValueId x, const Factor &along, ValueId at, ValueId piece) {
  Space window = c.space(x);
  std::vector<Operand> origin;
  for (Factor &factor : window.factors) {
    if (factor.dim == along.dim) factor.extent = Extent(1);
    origin.push_back(factor.dim == along.dim ? Operand(at) : Operand(std::int64_t{0}));
  }
  return c.b.insert(x, c.b.broadcast(piece, window), origin);
}

// v -> m v + b, composed: the earlier map is applied first.
std::vector<ValueId> affine_scan(Call &c) {
  const ValueId m = c.tile("m"), b = c.tile("b");
  if (!c.refuse_ragged("m") || !c.refuse_ragged("b")) return {};
  bool alike = c.elem(m) == c.elem(b) && c.space(m).rank() == c.space(b).rank();
  for (std::size_t i = 0; alike && i < c.space(m).rank(); ++i) alike = c.space(m).factors[i].dim == c.space(b).factors[i].dim;
  if (!alike) return c.refuse_tile("b", "a tile of the type and dims of `m`"), std::vector<ValueId>{};
  for (const Factor &f : c.space(m).factors)
    if (!c.need_extent("b", b, f.dim, f.extent)) return {};
  const Factor along = c.factor(m, c.dim());
  const bool reverse = c.flag("reverse");
  const VarId all_m = c.b.declare("products", m), all_b = c.b.declare("offsets", b);
  Space rest = c.space(m);
  rest.factors.erase(rest.factors.begin() + rest.find(along.dim));
  const VarId total_m = c.b.declare("product", c.b.full(c.elem(m), std::int64_t{1}, rest));
  const VarId total_b = c.b.declare("offset", c.b.full(c.elem(m), std::int64_t{0}, rest));
  LoopSpec loop;
  loop.name = "step";
  loop.domain = Space{{{c.b.dim("step"), along.extent}}};
  const Scope scope = c.b.begin_serial(loop);
  const ValueId at = reverse ? c.op(OpKind::sub, {c.op(OpKind::sub, {along.extent, scope.coords[0]}), std::int64_t{1}}) : scope.coords[0];
  const ValueId own_m = c.at_along(m, along.dim, at), own_b = c.at_along(b, along.dim, at);
  const ValueId so_m = c.b.read(total_m), so_b = c.b.read(total_b);
  const ValueId first_b = reverse ? own_b : so_b, then_m = reverse ? so_m : own_m, then_b = reverse ? so_b : own_b;
  c.b.assign(total_m, c.op(OpKind::mul, {so_m, own_m}));
  c.b.assign(total_b, c.op(OpKind::add, {c.op(OpKind::mul, {then_m, first_b}), then_b}));
  c.b.assign(all_m, replaced(c, c.b.read(all_m), along, at, c.b.read(total_m)));
  c.b.assign(all_b, replaced(c, c.b.read(all_b), along, at, c.b.read(total_b)));
  c.b.end();
  return {c.b.read(all_m), c.b.read(all_b)};
}

#define TILENEST_CUMULATIVE(name, reducer, what)                                                                            \
  {name, {tile("x", OpOperands::numeric), dim(), flag("exclusive", "false"), flag("reverse", "false")}, "y",                \
   cumulative<Reducer::reducer>, what " of every prefix along dim",                                                         \
   "x: any space with dim, also with a predicate, whose points alone count; the result has the same space. exclusive leaves " \
   "the point itself out, reverse takes suffixes",                                                                          \
   "composition: `scan`, each step correctly rounded in the type of x, each prefix in any grouping",                         \
   "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(" name "(X[(0, 0), [m, n]], n)) }"}

constexpr Function scan_table[] = {
    TILENEST_CUMULATIVE("cumsum", add, "the sum"),
    TILENEST_CUMULATIVE("cumprod", mul, "the product"),
    TILENEST_CUMULATIVE("cummin", min, "the least element"),
    TILENEST_CUMULATIVE("cummax", max, "the greatest element"),
    {"affine_scan", {tile("m", OpOperands::numeric), tile("b", OpOperands::numeric), dim(), flag("reverse", "false")}, "products, offsets",
     affine_scan, "the maps v -> m v + b of every prefix along dim, composed",
     "m, b: one type, the same dims; both results have their space. Point i composes the maps up to i, the first applied first: (m1, b1) "
     "then (m2, b2) is (m1 m2, m2 b1 + b2). reverse composes from i to the end. Refused: tiles with a predicate, b of another type or "
     "other dims than m",
     "composition: each step correctly rounded, in one chain",
     "kernel k(M: f32[6], B: f32[6], P: out f32[6], Q: out f32[6]) { axis n = 6; p, q = affine_scan(M[0, [n]], B[0, [n]], n); P(0, [n]).store(p); Q(0, [n]).store(q) }"},
};

} // namespace

Family scan() { return {"scan", "Scans along a dim", scan_table}; }

} // namespace tilenest::library
