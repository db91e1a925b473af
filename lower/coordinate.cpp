// SPDX-License-Identifier: Apache-2.0
// Coordinates: 64-bit arithmetic that might leave its type (NUM-WRAP). A wrapped coordinate is out of bounds, so it
// becomes one that no axis has; where the ranges of the operands show that nothing wraps, nothing is added.
#include "lower/lowering.h"
#include <algorithm>

namespace tilenest::lowering {

namespace {

constexpr __int128 most_extent = __int128{1} << 47; // the address space in bytes
constexpr Range any_extent{0, most_extent};

Range of_type(ScalarType t) {
  if (!is_integer(t)) return {0, 1};
  const int bits = bit_width(t);
  if (is_signed(t)) return {-(__int128{1} << (bits - 1)), (__int128{1} << (bits - 1)) - 1};
  return {0, (__int128{1} << bits) - 1};
}

bool is_wide(ScalarType t) { return t == ScalarType::i64 || t == ScalarType::u64; }

} // namespace

std::optional<Lowering::Bounds64> Lowering::bounds_of(ValueId v) {
  v = renamed(p, storage, v);
  const Range exact = range_of(v);
  constexpr __int128 far = __int128{1} << 62;
  if (p.values[v].type.elem != ScalarType::i64 || exact.low < -far || exact.high > far) return std::nullopt;
  if (p.values[v].type.space.rank() == 0) {
    const Reg r = scalar(v);
    return Bounds64{r, r};
  }
  const OpId def = p.values[v].op;
  if (!def.valid() || storage.slot[v].valid()) return std::nullopt;
  const Op &op = p.ops[def];
  switch (op.kind) {
  case OpKind::iota: return Bounds64{b.i64(0), b.sub(b.extent(p.values[v].type.space.factors[0].extent), b.i64(1))};
  case OpKind::broadcast:
  case OpKind::transpose:
  case OpKind::relabel:
  case OpKind::restrict: return bounds_of(op.operands[0]);
  case OpKind::add:
  case OpKind::sub: {
    const auto x = bounds_of(op.operands[0]), y = bounds_of(op.operands[1]);
    if (!x || !y) return std::nullopt;
    if (op.kind == OpKind::add) return Bounds64{b.add(x->low, y->low), b.add(x->high, y->high)};
    return Bounds64{b.sub(x->low, y->high), b.sub(x->high, y->low)};
  }
  default: return std::nullopt;
  }
}

Reg Lowering::true_everywhere(ValueId predicate) {
  const OpId def = p.values[renamed(p, storage, predicate)].op;
  if (!def.valid()) return {};
  const Op &op = p.ops[def];
  if (op.kind == OpKind::bit_and) {
    const Reg x = true_everywhere(op.operands[0]), y = true_everywhere(op.operands[1]);
    return x.valid() && y.valid() ? both(x, y) : Reg{};
  }
  const bool less = op.kind == OpKind::lt || op.kind == OpKind::le, greater = op.kind == OpKind::gt || op.kind == OpKind::ge;
  if (!less && !greater) return {};
  const auto x = bounds_of(op.operands[0]), y = bounds_of(op.operands[1]);
  if (!x || !y) return {};
  const Primitive compare = op.kind == OpKind::lt ? Primitive::lt : op.kind == OpKind::le ? Primitive::le : op.kind == OpKind::gt ? Primitive::gt : Primitive::ge;
  return less ? b.prim(compare, {x->high, y->low}) : b.prim(compare, {x->low, y->high});
}

// Of the exact value; deep chains are taken for anything.
Range Lowering::range_of(ValueId v, int depth) {
  v = renamed(p, storage, v);
  const ScalarType elem = p.values[v].type.elem;
  const Range all = of_type(elem);
  if (depth > 16) return all;
  const OpId def = p.values[v].op;
  if (!def.valid()) {
    const Op &holder = p.ops[p.regions[p.values[v].region].op];
    const std::size_t coordinates = p.regions[p.values[v].region].args.size() - holder.carries.size();
    return static_cast<std::size_t>(p.values[v].index) < coordinates ? any_extent : all;
  }
  const Op &op = p.ops[def];
  auto operand = [&](std::size_t i) { return range_of(op.operands[i], depth + 1); };
  auto within = [&](Range r) { return r.low >= all.low && r.high <= all.high ? r : all; };
  switch (op.kind) {
  case OpKind::constant:
    if (const auto *i = std::get_if<std::int64_t>(&std::get<LiteralAttr>(op.attr).literal)) return {*i, *i};
    return all;
  case OpKind::extent:
  case OpKind::iota: return any_extent;
  case OpKind::broadcast:
  case OpKind::transpose:
  case OpKind::relabel:
  case OpKind::reshape:
  case OpKind::restrict: return operand(0);
  case OpKind::cast: return is_integer(p.values[op.operands[0]].type.elem) ? within(operand(0)) : all;
  case OpKind::add: {
    const Range x = operand(0), y = operand(1);
    return within({x.low + y.low, x.high + y.high});
  }
  case OpKind::sub: {
    const Range x = operand(0), y = operand(1);
    return within({x.low - y.high, x.high - y.low});
  }
  case OpKind::mul: {
    const Range x = operand(0), y = operand(1);
    if (std::max({x.high, -x.low, y.high, -y.low}) >= __int128{1} << 62) return all;
    const __int128 products[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
    return within({*std::min_element(products, products + 4), *std::max_element(products, products + 4)});
  }
  case OpKind::neg: {
    const Range x = operand(0);
    return within({-x.high, -x.low});
  }
  case OpKind::min: {
    const Range x = operand(0), y = operand(1);
    return {std::min(x.low, y.low), std::min(x.high, y.high)};
  }
  case OpKind::max: {
    const Range x = operand(0), y = operand(1);
    return {std::max(x.low, y.low), std::max(x.high, y.high)};
  }
  case OpKind::ite: {
    const Range x = operand(1), y = operand(2);
    return {std::min(x.low, y.low), std::max(x.high, y.high)};
  }
  case OpKind::rem:
  case OpKind::mod: {
    const Range x = operand(0), y = operand(1);
    if (y.low <= 0) return all;
    return {op.kind == OpKind::mod || x.low >= 0 ? __int128{0} : -(y.high - 1), y.high - 1};
  }
  case OpKind::div:
  case OpKind::floordiv: {
    const Range x = operand(0), y = operand(1);
    return y.low >= 1 ? Range{std::min(x.low, __int128{0}), std::max(x.high, __int128{0})} : all;
  }
  case OpKind::bit_and: {
    const Range x = operand(0), y = operand(1);
    return x.low >= 0 && y.low >= 0 ? Range{0, std::min(x.high, y.high)} : all;
  }
  default: return all;
  }
}

// rule: NUM-WRAP -- whether the value, or what it was computed from by + - *, negation and casts, left 64 bits.
Reg Lowering::wrapped(ValueId v, const Point &at) {
  v = renamed(p, storage, v);
  const OpId def = p.values[v].op;
  if (!def.valid() || storage.slot[v].valid()) return {};
  const Op &op = p.ops[def];
  const TileType &type = p.values[v].type;
  auto there = [&](std::size_t i) { return project(at, type.space, p.values[op.operands[i]].type.space); };
  Reg out;
  switch (op.kind) {
  case OpKind::add:
  case OpKind::sub:
  case OpKind::mul:
  case OpKind::neg:
  case OpKind::cast: break;
  case OpKind::broadcast:
  case OpKind::transpose: return wrapped(op.operands[0], there(0));
  case OpKind::relabel:
  case OpKind::restrict: return wrapped(op.operands[0], at);
  case OpKind::map_coord: {
    const auto &attr = std::get<MapAttr>(op.attr);
    Regs inputs;
    std::vector<Range> ranges;
    for (ValueId x : op.operands) {
      inputs.push_back(origin(x));
      ranges.push_back(range_of(x));
      out = both_or(out, wrapped(x, {}));
    }
    return both_or(out, map_wrapped(p.layouts[attr.map], attr.output, inputs, ranges));
  }
  default: return {};
  }
  if (!is_integer(type.elem) || !is_integer(p.values[op.operands[0]].type.elem)) return {};
  for (std::size_t i = 0; i < op.operands.size(); ++i) out = both_or(out, wrapped(op.operands[i], there(i)));
  if (!is_wide(type.elem)) return out;
  const bool is_signed64 = type.elem == ScalarType::i64;
  const Range all = of_type(type.elem);
  Range exact = all;
  const Range x = range_of(op.operands[0]), y = op.operands.size() > 1 ? range_of(op.operands[1]) : Range{0, 0};
  switch (op.kind) {
  case OpKind::add: exact = {x.low + y.low, x.high + y.high}; break;
  case OpKind::sub: exact = {x.low - y.high, x.high - y.low}; break;
  case OpKind::neg: exact = {-x.high, -x.low}; break;
  case OpKind::cast: exact = x; break;
  default: {
    const __int128 limit = __int128{1} << 62;
    if (std::max({x.high, -x.low}) < limit && std::max({y.high, -y.low}) < limit) {
      const __int128 products[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
      exact = {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
    } else {
      exact = {all.low - 1, all.high + 1};
    }
  }
  }
  if (exact.low >= all.low && exact.high <= all.high) return out;
  const Reg a = element(op.operands[0], there(0)), r = element(v, at);
  if (op.kind == OpKind::cast) { // between the two types of 64 bits
    const Reg tested = is_signed64 ? r : a;
    return both_or(out, prim(Primitive::lt, {tested, b.zero({b.type(tested).elem, 1})}));
  }
  const Reg c = op.operands.size() > 1 ? element(op.operands[1], there(1)) : a;
  constexpr std::pair<OpKind, Primitive> primitives[] = {{OpKind::add, Primitive::add}, {OpKind::sub, Primitive::sub}, {OpKind::mul, Primitive::mul}, {OpKind::neg, Primitive::neg}};
  for (const auto &[kind, primitive] : primitives)
    if (kind == op.kind) return both_or(out, left_64_bits(primitive, a, c, r));
  return out;
}

// Whether r = a (+) c, of i64 or u64, is not the exact value.
Reg Lowering::left_64_bits(Primitive primitive, Reg a, Reg c, Reg r) {
  const plan::Type type{b.type(a).elem, 1};
  const bool is_signed64 = type.elem == ScalarType::i64;
  const Reg zero = b.zero(type);
  auto negative = [&](Reg n) { return prim(Primitive::lt, {n, zero}); };
  auto differ = [&](Reg x, Reg y) { return prim(Primitive::bit_xor, {x, y}); };
  switch (primitive) {
  case Primitive::add: // signed: both operands have the sign that the result has not
    return is_signed64 ? negative(prim(Primitive::bit_and, {differ(a, r), differ(c, r)})) : prim(Primitive::lt, {r, a});
  case Primitive::sub:
    return is_signed64 ? negative(prim(Primitive::bit_and, {differ(a, c), differ(a, r)})) : prim(Primitive::lt, {a, c});
  case Primitive::neg:
    return is_signed64 ? prim(Primitive::eq, {a, b.constant(type, std::uint64_t{1} << 63)}) : prim(Primitive::ne, {a, zero});
  default: // mul: the upper half of the product is not the sign of the lower
    return prim(Primitive::ne, {prim(Primitive::mul_high, {a, c}), is_signed64 ? prim(Primitive::shr, {r, b.constant(type, 63)}) : zero});
  }
}

Reg Lowering::both_or(Reg x, Reg y) {
  if (!x.valid() || !y.valid()) return x.valid() ? x : y;
  return prim(Primitive::bit_or, {x, y});
}

Reg Lowering::coordinate_of(ValueId v, const Point &at) {
  const Reg value = element(v, at);
  const plan::Type type = b.type(value);
  // What an u64 has beyond stands at the end of the range, where no axis reaches.
  const Reg limited = type.elem == ScalarType::u64 ? prim(Primitive::min, {value, b.constant({type.elem, 1}, INT64_MAX)}) : value;
  const Reg c = b.cast(limited, ScalarType::i64);
  const Reg left = wrapped(v, at);
  return left.valid() ? prim(Primitive::select, {left, b.i64(INT64_MIN), c}) : c;
}

} // namespace tilenest::lowering
