// SPDX-License-Identifier: Apache-2.0
// The types of each operation, and where it may stand (the table of docs/plan.md).
#include "lower/print.h"
#include "lower/verify_state.h"

namespace tilenest::plan {

namespace {
constexpr Type i64_scalar{ScalarType::i64, 1};
constexpr Type bool_scalar{ScalarType::boolean, 1};
std::string quoted_type(Type t) { return "`" + type_text(t) + "`"; }
} // namespace

// Counts, visible operands, registers that exist: what everything after it relies on.
bool Verifier::shape_ok(const Op &op, std::size_t least, std::size_t most, std::size_t results, std::size_t blocks) {
  if (op.operands.size() < least || op.operands.size() > most) {
    const std::string due = least == most ? std::to_string(least) : std::to_string(least) + " or more";
    return fault("it has " + counted(op.operands.size(), "operand") + " where " + due + " are due"), false;
  }
  if (op.results.size() != results)
    return fault("it has " + counted(op.results.size(), "result") + " where " + std::to_string(results) + " are due"), false;
  if (op.blocks.size() != blocks)
    return fault("it has " + counted(op.blocks.size(), "block") + " where " + std::to_string(blocks) + " are due"), false;
  for (Reg r : op.operands)
    if (!use(r)) return false;
  for (Reg r : op.results)
    if (r.index >= p.regs.size()) return fault("its result is not in the table of registers"), false;
  return true;
}

template <class A> const A *Verifier::attr(const Op &op) {
  const A *a = std::get_if<A>(&op.attr);
  if (!a) fault("it lacks its attributes");
  return a;
}

void Verifier::is(Reg r, Type wanted, const std::string &what) {
  if (type(r) != wanted) fault(what + " is " + quoted_type(type(r)) + ", not " + quoted_type(wanted));
}

void Verifier::prim(const Op &op) {
  const auto *a = attr<PrimAttr>(op);
  if (!a) return;
  if (static_cast<int>(a->primitive) >= primitive_count) return fault("it has no primitive");
  const std::size_t n = static_cast<std::size_t>(arity(a->primitive));
  if (!shape_ok(op, n, n, 1, 0)) return;
  const Type in = type(op.operands.back()), result = type(op.results[0]);
  for (std::size_t i = 0; i < n; ++i)
    is(op.operands[i], {operand_type(a->primitive, static_cast<int>(i), in.elem), in.lanes}, "operand " + std::to_string(i));
  if (result.lanes != in.lanes)
    fault("the result has " + counted(result.lanes, "lane") + ", the operands " + std::to_string(in.lanes));
  if (!admits(a->primitive, in.elem, result.elem))
    fault("`" + std::string(to_string(a->primitive)) + "` does not go from " + quoted_type({in.elem, 1}) + " to " +
          quoted_type({result.elem, 1}));
}

void Verifier::shuffle(const Op &op) {
  const auto *a = attr<ShuffleAttr>(op);
  if (!a || !shape_ok(op, 1, 2, 1, 0)) return;
  const Type in = type(op.operands[0]);
  if (op.operands.size() == 2) is(op.operands[1], in, "operand 1");
  is(op.results[0], {in.elem, static_cast<std::uint16_t>(a->lanes.size())}, "the result");
  const std::size_t lanes = in.lanes * op.operands.size();
  for (std::uint16_t l : a->lanes)
    if (l >= lanes) return fault("lane " + std::to_string(l) + " is none of " + std::to_string(lanes));
}

void Verifier::touches(const Buffer &b, bool writes) {
  const bool of_instances = b.space == AddressSpace::shared || b.space == AddressSpace::instance;
  if (of_instances && !in_launch)
    fault("`" + b.name + "` is " + std::string(to_string(b.space)) + " memory, which is touched inside launches alone");
  if (writes && b.space == AddressSpace::argument && b.access == ArgumentAccess::in)
    fault("`" + b.name + "` is an input and is written");
}

void Verifier::access(const Op &op) {
  const auto *a = attr<AccessAttr>(op);
  if (!a) return;
  const std::size_t values = op.kind == Kind::load ? 0 : 1, n = 1 + values + (a->masked ? 1 : 0);
  if (!shape_ok(op, n, n, 1 - values, 0)) return;
  if (a->buffer.index >= p.buffers.size()) return fault("its buffer is not in the table");
  touches(p.buffers[a->buffer], values != 0);
  const Type value = type(values ? op.operands[1] : op.results[0]), offset = type(op.operands[0]);
  if (offset != i64_scalar && offset != Type{ScalarType::i64, value.lanes})
    fault("the offset is " + quoted_type(offset) + " where " + quoted_type(value) + " is accessed");
  if (a->masked) is(op.operands.back(), {ScalarType::boolean, value.lanes}, "the mask");
  if (op.kind == Kind::atomic) {
    const bool bits = a->atomic >= AtomicKind::bit_and;
    const bool admitted = bits ? !is_float(value.elem) : value.elem != ScalarType::boolean;
    if (!admitted || is_packed(value.elem) || a->atomic > AtomicKind::bit_xor)
      fault("there is no atomic of this kind on " + quoted_type({value.elem, 1}));
  } else if (a->atomic != AtomicKind::add) {
    fault("it is no atomic and has a kind");
  }
}

void Verifier::loop(const Op &op) {
  const auto *a = attr<ForAttr>(op);
  constexpr std::size_t any = 1u << 20;
  if (!a || !shape_ok(op, 2, any, op.operands.size() - std::min<std::size_t>(2, op.operands.size()), 1)) return;
  is(op.operands[0], i64_scalar, "the lower bound");
  is(op.operands[1], i64_scalar, "the upper bound");
  if (a->step <= 0) fault("its step is not positive");
  const bool participants = a->binding == Binding::participants, around = in_participants;
  if (participants && !in_launch) fault("a loop over participants stands outside of launches");
  if (participants && around) fault("a loop over participants stands in another");
  if (participants && op.operands.size() > 2) fault("a loop over participants carries values");
  const std::vector<Type> carried = types(op.operands, 2);
  std::vector<Type> args = carried;
  args.insert(args.begin(), i64_scalar);
  in_participants = around || participants;
  block(op.blocks[0], args, carried, "the body");
  in_participants = around;
  for (std::size_t i = 0; i < carried.size(); ++i) is(op.results[i], carried[i], "result " + std::to_string(i));
}

void Verifier::structure(const Op &op) {
  constexpr std::size_t any = 1u << 20;
  switch (op.kind) {
  case Kind::for_: loop(op); break;
  case Kind::if_: {
    if (!shape_ok(op, 1, 1, op.results.size(), 2)) return;
    is(op.operands[0], bool_scalar, "the condition");
    block(op.blocks[0], {}, types(op.results), "the first block");
    block(op.blocks[1], {}, types(op.results), "the second block");
    break;
  }
  case Kind::while_: {
    if (!shape_ok(op, 0, any, op.operands.size(), 2)) return;
    const std::vector<Type> carried = types(op.operands);
    block(op.blocks[0], carried, {bool_scalar}, "the condition");
    block(op.blocks[1], carried, carried, "the body");
    for (std::size_t i = 0; i < carried.size(); ++i) is(op.results[i], carried[i], "result " + std::to_string(i));
    break;
  }
  case Kind::launch: {
    const auto *a = attr<LaunchAttr>(op);
    if (!a || !shape_ok(op, 0, any, 0, 1)) return;
    unique(a->name, "a launch");
    if (in_launch) return fault("a launch stands in another");
    for (std::size_t i = 0; i < op.operands.size(); ++i) is(op.operands[i], i64_scalar, "extent " + std::to_string(i));
    in_launch = true;
    block(op.blocks[0], std::vector<Type>(op.operands.size(), i64_scalar), {}, "the instance");
    in_launch = false;
    break;
  }
  default: break;
  }
}

void Verifier::check(const Op &op) {
  const bool bare = op.kind == Kind::lane_ids || op.kind == Kind::if_ || op.kind == Kind::while_ || op.kind == Kind::barrier;
  if (bare && !std::holds_alternative<std::monostate>(op.attr)) fault("it has attributes that mean nothing");
  switch (op.kind) {
  case Kind::constant:
    if (const auto *a = attr<ConstantAttr>(op); a && shape_ok(op, 0, 0, 1, 0)) {
      const ScalarType elem = type(op.results[0]).elem;
      const bool fits =
          elem == ScalarType::boolean ? a->bits <= 1 : bit_width(elem) == 64 || a->bits >> bit_width(elem) == 0;
      if (!fits) fault("its bits do not fit " + quoted_type({elem, 1}));
    }
    break;
  case Kind::extent:
    if (const auto *a = attr<ExtentAttr>(op); a && shape_ok(op, 0, 0, 1, 0)) {
      is(op.results[0], i64_scalar, "the result");
      extent_ok(a->extent, "the extent");
    }
    break;
  case Kind::stride:
    if (const auto *a = attr<StrideAttr>(op); a && shape_ok(op, 0, 0, 1, 0)) {
      is(op.results[0], i64_scalar, "the result");
      if (a->buffer.index >= p.buffers.size()) fault("its buffer is not in the table");
      else if (const Buffer &b = p.buffers[a->buffer]; b.space != AddressSpace::argument || !b.strided)
        fault("`" + b.name + "` has no strides of its own");
      else if (a->axis < 0 || static_cast<std::size_t>(a->axis) >= b.shape.size())
        fault("`" + b.name + "` has no axis " + std::to_string(a->axis));
    }
    break;
  case Kind::prim: prim(op); break;
  case Kind::shuffle: shuffle(op); break;
  case Kind::lane_ids:
    if (shape_ok(op, 0, 0, 1, 0)) is(op.results[0], {ScalarType::i64, type(op.results[0]).lanes}, "the result");
    break;
  case Kind::load:
  case Kind::store:
  case Kind::atomic: access(op); break;
  case Kind::for_:
  case Kind::if_:
  case Kind::while_:
  case Kind::launch: structure(op); break;
  case Kind::barrier:
    if (!shape_ok(op, 0, 0, 0, 0)) break;
    if (!in_launch) fault("a barrier stands outside of launches");
    if (in_participants) fault("a barrier stands in a loop over participants");
    break;
  case Kind::assert_:
    if (attr<AssertAttr>(op) && shape_ok(op, 1, 1, 0, 0))
      is(op.operands[0], {ScalarType::boolean, type(op.operands[0]).lanes}, "the condition");
    break;
  default: fault("its kind is none"); break;
  }
  for (Reg r : op.results) define(r);
}

} // namespace tilenest::plan
