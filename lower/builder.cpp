// SPDX-License-Identifier: Apache-2.0
// Appending of values, accesses and structured control.
#include "lower/builder.h"
#include <algorithm>
#include <cassert>

namespace tilenest::plan {

Builder::Builder(std::string name, IdVector<ParamId, Param> params) {
  plan_.name = std::move(name);
  plan_.params = std::move(params);
  plan_.body = open_block({});
}

Plan Builder::finish() {
  assert(open_.size() == 1);
  open_.clear();
  return std::move(plan_);
}

// --- buffers ---

BufferId Builder::buffer(Buffer b) { return plan_.buffers.push(std::move(b)); }

BufferId Builder::argument(std::string name, ScalarType elem, std::vector<Extent> shape, int position,
                           ArgumentAccess access, bool strided) {
  return buffer({std::move(name), elem, AddressSpace::argument, std::move(shape), position, access, false, strided});
}

BufferId Builder::memory(AddressSpace space, std::string name, ScalarType elem, std::vector<Extent> shape) {
  return buffer({std::move(name), elem, space, std::move(shape)});
}

// --- operations and blocks ---

OpIndex Builder::append(Kind kind, Regs operands, Attributes attr) {
  const OpIndex op = plan_.ops.push({kind, std::move(operands), {}, {}, std::move(attr), source_});
  plan_.blocks[open_.back().block].ops.push_back(op);
  return op;
}

Reg Builder::append_value(Kind kind, Regs operands, Type type, Attributes attr) {
  const OpIndex op = append(kind, std::move(operands), std::move(attr));
  const Reg r = new_reg(type);
  op_of(op).results.push_back(r);
  return r;
}

BlockId Builder::open_block(OpIndex op) {
  const BlockId block = plan_.blocks.push({});
  if (op) op_of(op).blocks.push_back(block);
  open_.push_back({block, op, {}});
  return block;
}

OpIndex Builder::close_block(Regs yields) {
  assert(open_.size() > 1);
  const Open closed = std::move(open_.back());
  open_.pop_back();
  plan_.blocks[closed.block].yields = std::move(yields);
  return closed.op;
}

Regs Builder::results_like(OpIndex op, const Regs &values) {
  Regs results;
  for (Reg r : values) results.push_back(new_reg(type(r)));
  op_of(op).results = results;
  return results;
}

// --- values ---

// The result of a visible operation of this kind for which same(op) holds.
template <class Same> Reg Builder::reused(Kind kind, Same &&same) const {
  for (std::size_t i = open_.size(); i-- > 0;)
    for (OpIndex at : open_[i].reusable)
      if (const Op &op = plan_.ops[at]; op.kind == kind && same(op)) return op.results[0];
  return {};
}

Reg Builder::constant(Type type, std::uint64_t bits) {
  if (const int width = bit_width(type.elem); width < 64) bits &= (std::uint64_t{1} << width) - 1;
  const Reg before = reused(Kind::constant, [&](const Op &op) {
    return this->type(op.results[0]) == type && std::get<ConstantAttr>(op.attr).bits == bits;
  });
  if (before) return before;
  const Reg r = append_value(Kind::constant, {}, type, ConstantAttr{bits});
  open_.back().reusable.push_back(plan_.blocks[open_.back().block].ops.back());
  if (type == Type{}) known_.push_back({r, static_cast<std::int64_t>(bits)});
  return r;
}

std::optional<std::int64_t> Builder::known(Reg r) const {
  const auto at = std::lower_bound(known_.begin(), known_.end(), r, [](const auto &k, Reg x) { return k.first < x; });
  if (at == known_.end() || at->first != r) return std::nullopt;
  return at->second;
}

Reg Builder::extent(const Extent &e) {
  if (const auto value = e.constant()) return i64(*value);
  const Reg before = reused(Kind::extent, [&](const Op &op) { return std::get<ExtentAttr>(op.attr).extent == e; });
  if (before) return before;
  const Reg r = append_value(Kind::extent, {}, {}, ExtentAttr{e});
  open_.back().reusable.push_back(plan_.blocks[open_.back().block].ops.back());
  return r;
}

Reg Builder::stride(BufferId buffer, int axis) {
  const Reg before = reused(Kind::stride, [&](const Op &op) {
    const auto &attr = std::get<StrideAttr>(op.attr);
    return attr.buffer == buffer && attr.axis == axis;
  });
  if (before) return before;
  const Reg r = append_value(Kind::stride, {}, {}, StrideAttr{buffer, axis});
  open_.back().reusable.push_back(plan_.blocks[open_.back().block].ops.back());
  return r;
}

Reg Builder::lane_ids(std::uint16_t lanes) {
  if (lanes == 1) return i64(0);
  const Reg before =
      reused(Kind::lane_ids, [&](const Op &op) { return type(op.results[0]).lanes == lanes; });
  if (before) return before;
  const Reg r = append_value(Kind::lane_ids, {}, {ScalarType::i64, lanes});
  open_.back().reusable.push_back(plan_.blocks[open_.back().block].ops.back());
  return r;
}

Reg Builder::prim(Primitive p, Regs operands, std::optional<ScalarType> result) {
  assert(!operands.empty());
  if (p == Primitive::div || p == Primitive::rem || p == Primitive::min || p == Primitive::max) {
    const auto a = known(operands[0]), b = known(operands[1]);
    if (a && b && *a >= 0 && *b > 0)
      return i64(p == Primitive::div ? *a / *b : p == Primitive::rem ? *a % *b : p == Primitive::min ? std::min(*a, *b) : std::max(*a, *b));
  }
  if (p == Primitive::add || p == Primitive::sub || p == Primitive::mul) {
    const auto a = known(operands[0]), b = known(operands[1]);
    const auto left = static_cast<std::uint64_t>(a.value_or(0)), right = static_cast<std::uint64_t>(b.value_or(0));
    if (a && b) {
      const std::uint64_t value = p == Primitive::add ? left + right : p == Primitive::sub ? left - right : left * right;
      return i64(static_cast<std::int64_t>(value));
    }
    if (b && *b == (p == Primitive::mul ? 1 : 0)) return operands[0];
    if (a && *a == (p == Primitive::mul ? 1 : 0) && p != Primitive::sub) return operands[1];
  }
  const Type in = type(operands.back());
  if (!result) result = result_type(p, in.elem);
  assert(result);
  return append_value(Kind::prim, std::move(operands), {result.value_or(in.elem), in.lanes}, PrimAttr{p});
}

Reg Builder::cast(Reg x, ScalarType to) { return type(x).elem == to ? x : prim(Primitive::cast, {x}, to); }

Reg Builder::shuffle(Regs operands, std::vector<std::uint16_t> lanes) {
  const Type result{type(operands[0]).elem, static_cast<std::uint16_t>(lanes.size())};
  return append_value(Kind::shuffle, std::move(operands), result, ShuffleAttr{std::move(lanes)});
}

Reg Builder::splat(Reg scalar, std::uint16_t lanes) {
  return lanes == 1 ? scalar : shuffle({scalar}, std::vector<std::uint16_t>(lanes, 0));
}

Reg Builder::lane(Reg vector, std::uint16_t i) { return type(vector).lanes == 1 ? vector : shuffle({vector}, {i}); }

// --- memory ---

Reg Builder::load(BufferId buffer, Type type, Reg offset, Reg mask) {
  Regs operands{offset};
  if (mask) operands.push_back(mask);
  return append_value(Kind::load, std::move(operands), type, AccessAttr{buffer, mask.valid()});
}

Reg Builder::load(BufferId buffer, Reg offset, std::uint16_t lanes, Reg mask) {
  return load(buffer, Type{plan_.buffers[buffer].elem, lanes != 0 ? lanes : type(offset).lanes}, offset, mask);
}

void Builder::store(BufferId buffer, Reg offset, Reg value, Reg mask) {
  Regs operands{offset, value};
  if (mask) operands.push_back(mask);
  append(Kind::store, std::move(operands), AccessAttr{buffer, mask.valid()});
}

void Builder::atomic(AtomicKind kind, BufferId buffer, Reg offset, Reg value, Reg mask) {
  Regs operands{offset, value};
  if (mask) operands.push_back(mask);
  append(Kind::atomic, std::move(operands), AccessAttr{buffer, mask.valid(), kind});
}

void Builder::barrier() { append(Kind::barrier, {}); }

void Builder::assert_(Reg condition, std::string text) {
  append(Kind::assert_, {condition}, AssertAttr{std::move(text)});
}

// --- control ---

Builder::Loop Builder::begin_for(Reg lo, Reg hi, std::int64_t step, Regs inits, Binding binding) {
  Regs operands{lo, hi};
  operands.insert(operands.end(), inits.begin(), inits.end());
  const BlockId block = open_block(append(Kind::for_, std::move(operands), ForAttr{step, binding}));
  Loop loop;
  loop.iv = new_reg({});
  for (Reg r : inits) loop.carried.push_back(new_reg(type(r)));
  Regs &args = plan_.blocks[block].args;
  args = loop.carried;
  args.insert(args.begin(), loop.iv);
  return loop;
}

Regs Builder::end_for(Regs yields) {
  const OpIndex op = close_block(std::move(yields));
  return results_like(op, {op_of(op).operands.begin() + 2, op_of(op).operands.end()});
}

void Builder::begin_if(Reg condition) { open_block(append(Kind::if_, {condition})); }

void Builder::begin_else(Regs yields) { open_block(close_block(std::move(yields))); }

Regs Builder::end_if(Regs yields) {
  OpIndex op = close_block(yields);
  if (op_of(op).blocks.size() == 1) {
    open_block(op);
    close_block({});
  }
  return results_like(op, yields);
}

Regs Builder::begin_while(Regs inits) {
  const BlockId block = open_block(append(Kind::while_, inits));
  Regs carried;
  for (Reg r : inits) carried.push_back(new_reg(type(r)));
  return plan_.blocks[block].args = carried;
}

Regs Builder::begin_do(Reg condition) {
  const OpIndex op = close_block({condition});
  const BlockId block = open_block(op);
  Regs carried;
  for (Reg r : op_of(op).operands) carried.push_back(new_reg(type(r)));
  return plan_.blocks[block].args = carried;
}

Regs Builder::end_while(Regs yields) {
  const OpIndex op = close_block(std::move(yields));
  return results_like(op, op_of(op).operands);
}

Regs Builder::begin_launch(std::string name, Regs extents) {
  const std::size_t rank = extents.size();
  const BlockId block = open_block(append(Kind::launch, std::move(extents), LaunchAttr{std::move(name)}));
  Regs coordinates;
  for (std::size_t i = 0; i < rank; ++i) coordinates.push_back(new_reg({}));
  return plan_.blocks[block].args = coordinates;
}

void Builder::end_launch() { close_block({}); }

} // namespace tilenest::plan
