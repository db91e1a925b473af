// SPDX-License-Identifier: Apache-2.0
// One element of a value, or a vector of them side by side: elementwise operations by the rules of semantics/rules,
// index maps as changes of the point.
#include "lower/elementary.h"
#include "lower/lowering.h"
#include "semantics/numerics/literals.h"
#include "semantics/rules/elementwise.h"
#include <algorithm>

namespace tilenest::lowering {

namespace {

// The algebra of semantics/rules whose values are registers.
struct PlanAlgebra {
  using Value = Reg;
  Lowering &l;
  ScalarType result;
  template <class... X> Reg apply(Primitive primitive, X... x) {
    if constexpr (sizeof...(X) == 1)
      if (!l.options.strict)
        if (const auto fast = fast_elementary(l.b, primitive, x...)) return *fast;
    return l.prim(primitive, {x...});
  }
  Reg convert(Primitive primitive, Reg x) { return l.prim(primitive, {x}, result); }
};

} // namespace

Reg Lowering::prim(Primitive primitive, Regs operands, std::optional<ScalarType> result) {
  std::uint16_t most = 1;
  for (Reg r : operands) most = std::max(most, b.type(r).lanes);
  if (most > 1)
    for (Reg &r : operands)
      if (b.type(r).lanes == 1) r = b.splat(r, most);
  if (primitive == Primitive::cast && result && b.type(operands[0]).elem == *result) return operands[0];
  return b.prim(primitive, std::move(operands), result);
}

Reg Lowering::both(Reg x, Reg y) {
  if (!x.valid() || !y.valid()) return x.valid() ? x : y;
  return prim(Primitive::bit_and, {x, y});
}

Reg Lowering::choose(Reg condition, Reg yes, Reg no) {
  const ScalarType elem = b.type(yes).elem;
  if (!is_packed(elem)) return prim(Primitive::select, {condition, yes, no});
  return b.cast(prim(Primitive::select, {condition, b.cast(yes, ScalarType::i8), b.cast(no, ScalarType::i8)}), elem);
}

Reg Lowering::coordinate(const Coord &c) {
  if (!c.lane || lanes == 1) return c.base;
  const Reg ids = b.lane_ids(lanes);
  return b.add(b.splat(c.base, lanes), c.step.valid() ? b.mul(ids, b.splat(c.step, lanes)) : ids);
}

// rule: BCAST -- a dim that the operand lacks is passed by, one of extent 1 stands at 0.
Point Lowering::project(const Point &at, const Space &from, const Space &to) {
  Point out;
  for (const Factor &f : to.factors) {
    const int i = from.find(f.dim);
    if (i < 0 || f.extent.constant() == 1) {
      out.push_back({b.i64(0), false});
      continue;
    }
    Coord c = at[static_cast<std::size_t>(i)];
    if (judge_equal(f.extent, from.factors[static_cast<std::size_t>(i)].extent) != Judged::yes) {
      const Reg one = b.prim(Primitive::eq, {b.extent(f.extent), b.i64(1)}); // decided by binding
      c.base = b.select(one, b.i64(0), c.base);
      if (c.lane) c.step = b.select(one, b.i64(0), c.step.valid() ? c.step : b.i64(1));
    }
    out.push_back(c);
  }
  return out;
}

// rule: IDX-PRED
Reg Lowering::active(ValueId v, const Point &at) {
  Reg out;
  const TileType &type = p.values[v].type;
  for (ValueId predicate : type.active) {
    const Point there = project(at, type.space, p.values[predicate].type.space);
    if (std::find(always.begin(), always.end(), renamed(p, storage, predicate)) == always.end()) out = both(out, element(predicate, there));
    out = both(out, active(predicate, there));
  }
  return out;
}

Reg Lowering::element(ValueId v, const Point &at) {
  v = renamed(p, storage, v);
  if (const auto r = regs.find(v); r != regs.end()) return r->second;
  const bool repeats = !at.empty();
  if (repeats)
    if (const auto e = elements.find({v, at}); e != elements.end()) return e->second;
  auto remember = [&](Reg r) {
    if (repeats) {
      elements[{v, at}] = r;
      scoped_elements.emplace_back(v, at);
    }
    return r;
  };
  if (const SlotId slot = storage.kept[v].valid() ? storage.kept[v] : storage.slot[v]; slot.valid()) return remember(load_slot(slot, at));
  if (!p.values[v].op.valid() || !p.ops[p.values[v].op].regions.empty()) {
    const OpId at_op = current.valid() ? current : p.regions[p.body].ops[0];
    unsupported(p.ops[at_op], "a value of one instance where all instances meet");
    return b.zero({p.values[v].type.elem, 1});
  }
  const Reg r = compute(v, at);
  if (p.values[v].type.space.rank() == 0) define(v, r);
  return remember(r);
}

namespace {

// Each lane by itself, put together.
template <class F> Reg lane_by_lane(Lowering &l, const Point &at, F &&one) {
  const std::uint16_t n = std::exchange(l.lanes, 1);
  Regs parts;
  for (std::uint16_t i = 0; i < n; ++i) {
    Lowering::Scope scope(l);
    Point point = at;
    for (Coord &c : point)
      if (std::exchange(c.lane, false)) c.base = l.b.add(c.base, l.b.i64(i));
    parts.push_back(one(point, i));
  }
  l.lanes = n;
  for (std::uint16_t have = 1; have < n; have = static_cast<std::uint16_t>(2 * have)) { // n is a power of two
    std::vector<std::uint16_t> all;
    for (std::uint16_t k = 0; k < 2 * have; ++k) all.push_back(k);
    Regs pairs;
    for (std::size_t i = 0; i < parts.size(); i += 2) pairs.push_back(l.b.shuffle({parts[i], parts[i + 1]}, all));
    parts = std::move(pairs);
  }
  return parts[0];
}

bool has_lanes(const Lowering &l, const Point &at) {
  return l.lanes > 1 && std::any_of(at.begin(), at.end(), [](const Coord &c) { return c.lane; });
}

// The same position in lexicographic order in another space.
Reg reshaped(Lowering &l, const Op &op, const Point &at) {
  const Space &to = l.p.values[op.results[0]].type.space, &from = l.p.values[op.operands[0]].type.space;
  Reg linear = l.b.i64(0);
  for (std::size_t d = 0; d < to.rank(); ++d) linear = l.b.add(l.b.mul(linear, l.b.extent(to.factors[d].extent)), at[d].base);
  Point there(from.rank());
  for (std::size_t d = from.rank(); d-- > 0;) {
    const Reg n = l.b.extent(from.factors[d].extent);
    there[d].base = d == 0 ? linear : l.b.prim(Primitive::rem, {linear, n});
    linear = l.b.prim(Primitive::div, {linear, n});
  }
  return l.element(op.operands[0], there);
}

// rule: VAL-MARK -- a point outside has no value: 0 here.
Reg taken(Lowering &l, const Op &op, const Point &at) {
  const ValueId source = op.operands[0];
  const Space &from = l.p.values[source].type.space, &space = l.p.values[op.results[0]].type.space;
  Point there;
  Reg mask;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    const ValueId index = op.operands[1 + i];
    const Reg c = l.coordinate_of(index, l.project(at, space, l.p.values[index].type.space));
    mask = l.both(mask, l.both(l.prim(Primitive::ge, {c, l.b.i64(0)}), l.prim(Primitive::lt, {c, l.b.extent(from.factors[i].extent)})));
    there.push_back({c});
  }
  if (from.rank() == 0) return l.element(source, {});
  if (const SlotId slot = l.storage.slot[renamed(l.p, l.storage, source)]; slot.valid()) return l.load_slot(slot, there, mask);
  for (Coord &c : there) c.base = l.b.select(mask, c.base, l.b.i64(0));
  const Reg x = l.element(source, there);
  return l.choose(mask, x, l.b.zero(l.b.type(x)));
}

} // namespace

Reg Lowering::compute(ValueId v, const Point &at) {
  const Op &op = p.ops[p.values[v].op];
  const TileType &type = p.values[v].type;
  switch (op.kind) {
  case OpKind::constant: {
    const auto &attr = std::get<LiteralAttr>(op.attr);
    const auto bits = std::visit([&](auto literal) { return literal_bits(literal, attr.type); }, attr.literal);
    return b.constant({attr.type, 1}, bits.value_or(0));
  }
  case OpKind::iota: return coordinate(at[0]);
  case OpKind::extent: return b.extent(std::get<ExtentAttr>(op.attr).extent);
  case OpKind::map_coord: {
    const auto &attr = std::get<MapAttr>(op.attr);
    Regs inputs;
    for (ValueId x : op.operands) inputs.push_back(origin(x));
    return map_output(p.layouts[attr.map], attr.output, inputs);
  }
  case OpKind::assign:
  case OpKind::per:
  case OpKind::restrict:
  case OpKind::relabel: return element(op.operands[0], at);
  case OpKind::broadcast:
  case OpKind::transpose: return element(op.operands[0], project(at, type.space, p.values[op.operands[0]].type.space));
  case OpKind::reshape:
    return has_lanes(*this, at) ? lane_by_lane(*this, at, [&](const Point &one, std::uint16_t) { return reshaped(*this, op, one); })
                                : reshaped(*this, op, at);
  case OpKind::take:
    return has_lanes(*this, at) ? lane_by_lane(*this, at, [&](const Point &one, std::uint16_t) { return taken(*this, op, one); })
                                : taken(*this, op, at);
  case OpKind::load: return load_window(op, at);
  case OpKind::gather: return load_indexed(op, at);
  case OpKind::reduce: return reduce(op, at);
  case OpKind::mma: return mma_element(op, at);
  default: break;
  }
  if (info(op.kind).form != Form::elementwise) {
    unsupported(op, std::string("`") + info(op.kind).name + "` here");
    return b.zero({type.elem, 1});
  }
  Regs operands;
  for (ValueId x : op.operands) operands.push_back(element(x, project(at, type.space, p.values[x].type.space)));
  PlanAlgebra algebra{*this, type.elem};
  return rules::elementwise(algebra, op.kind, std::span<const Reg>(operands));
}

} // namespace tilenest::lowering
