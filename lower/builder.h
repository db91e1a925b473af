// SPDX-License-Identifier: Apache-2.0
// Builder: appends operations to the innermost open block of a plan. It gives results their types, reuses a constant,
// an extent or a stride that is already visible, and folds arithmetic of i64 constants; it moves nothing and checks nothing
// (verify.h does). Control comes in two forms: begin/end pairs, and callbacks that return what the block yields.
#pragma once
#include "lower/plan.h"
#include <optional>
#include <type_traits>
#include <utility>

namespace tilenest::plan {

using Regs = std::vector<Reg>;

class Builder {
public:
  explicit Builder(std::string name, IdVector<ParamId, Param> params = {});
  // The finished plan; every block that was begun must be ended.
  Plan finish();
  const Plan &plan() const { return plan_; }

  // The source of the operations appended from here on.
  void at(OpId source) { source_ = source; }

  // --- buffers ---
  BufferId buffer(Buffer b);
  BufferId argument(std::string name, ScalarType elem, std::vector<Extent> shape, int position, ArgumentAccess access,
                    bool strided = false);
  void set_overlapping(BufferId argument, bool overlapping) { plan_.buffers[argument].overlapping = overlapping; }
  BufferId memory(AddressSpace space, std::string name, ScalarType elem, std::vector<Extent> shape);

  // --- values ---
  Type type(Reg r) const { return plan_.regs[r]; }
  Reg constant(Type type, std::uint64_t bits); // of one lane; what is above the type's width is dropped
  Reg zero(Type type) { return constant(type, 0); }
  Reg i64(std::int64_t value) { return constant({ScalarType::i64, 1}, static_cast<std::uint64_t>(value)); }
  Reg boolean(bool value) { return constant({ScalarType::boolean, 1}, value); }
  // The value of a scalar i64 that is known here.
  std::optional<std::int64_t> known(Reg r) const;
  Reg extent(const Extent &e);
  Reg stride(BufferId buffer, int axis);
  // `result` where the operands do not give the type: cast, cast_sat, bitcast.
  Reg prim(Primitive p, Regs operands, std::optional<ScalarType> result = std::nullopt);
  Reg add(Reg a, Reg b) { return prim(Primitive::add, {a, b}); }
  Reg sub(Reg a, Reg b) { return prim(Primitive::sub, {a, b}); }
  Reg mul(Reg a, Reg b) { return prim(Primitive::mul, {a, b}); }
  Reg select(Reg condition, Reg yes, Reg no) { return prim(Primitive::select, {condition, yes, no}); }
  Reg cast(Reg x, ScalarType to); // x itself where it has the type
  Reg shuffle(Regs operands, std::vector<std::uint16_t> lanes);
  Reg splat(Reg scalar, std::uint16_t lanes); // the scalar itself for one lane
  Reg lane(Reg vector, std::uint16_t i);      // the register itself where it has one lane
  Reg lane_ids(std::uint16_t lanes);          // 0, 1, ...; the constant 0 for one lane

  // --- memory; an absent mask is an invalid register ---
  // Lanes side by side from a scalar offset, or one lane per offset.
  Reg load(BufferId buffer, Type type, Reg offset, Reg mask = {});
  // In the buffer's own type; as many lanes as offsets where `lanes` is 0.
  Reg load(BufferId buffer, Reg offset, std::uint16_t lanes = 0, Reg mask = {});
  Reg gather(BufferId buffer, Reg offsets, Reg mask = {}) { return load(buffer, offsets, 0, mask); }
  void store(BufferId buffer, Reg offset, Reg value, Reg mask = {});
  void atomic(AtomicKind kind, BufferId buffer, Reg offset, Reg value, Reg mask = {});
  void barrier();
  void assert_(Reg condition, std::string text);

  // --- control, in pairs ---
  struct Loop {
    Reg iv;
    Regs carried;
  };
  Loop begin_for(Reg lo, Reg hi, std::int64_t step, Regs inits = {}, Binding binding = Binding::serial);
  Regs end_for(Regs yields = {}); // the values after the last iteration
  void begin_if(Reg condition);
  void begin_else(Regs yields = {}); // ends the first block
  Regs end_if(Regs yields = {});     // of the second block; one that was not begun is empty
  Regs begin_while(Regs inits = {}); // the carried values in the condition's block
  Regs begin_do(Reg condition);      // ends the condition's block: the carried values in the body
  Regs end_while(Regs yields = {});
  Regs begin_launch(std::string name, Regs extents); // the coordinates
  void end_launch();

  // --- control, by callbacks; one that carries nothing may return void ---
  // body(iv, carried) -> yields
  template <class Body>
  Regs for_loop(Reg lo, Reg hi, std::int64_t step, Regs inits, Body &&body, Binding binding = Binding::serial) {
    Loop loop = begin_for(lo, hi, step, std::move(inits), binding);
    return end_for(yields_of(body, loop.iv, std::as_const(loop.carried)));
  }
  // body(iv)
  template <class Body>
  void for_each(Reg lo, Reg hi, std::int64_t step, Body &&body, Binding binding = Binding::serial) {
    Loop loop = begin_for(lo, hi, step, {}, binding);
    body(loop.iv);
    end_for();
  }
  // then() -> yields, otherwise() -> yields
  template <class Then, class Else> Regs if_else(Reg condition, Then &&then, Else &&otherwise) {
    begin_if(condition);
    begin_else(yields_of(then));
    return end_if(yields_of(otherwise));
  }
  template <class Then> void if_then(Reg condition, Then &&then) {
    begin_if(condition);
    then();
    end_if();
  }
  // condition(carried) -> bool, body(carried) -> yields
  template <class Condition, class Body> Regs while_loop(Regs inits, Condition &&condition, Body &&body) {
    const Regs tested = begin_while(std::move(inits));
    const Regs carried = begin_do(condition(tested));
    return end_while(yields_of(body, carried));
  }
  // body(coordinates)
  template <class Body> void launch(std::string name, Regs extents, Body &&body) {
    const Regs coordinates = begin_launch(std::move(name), std::move(extents));
    body(coordinates);
    end_launch();
  }

private:
  struct Open {
    BlockId block;
    OpIndex op; // that holds the block; invalid for the plan's body
    std::vector<OpIndex> reusable; // its constants, extents, strides and lane ids
  };
  template <class F, class... Args> static Regs yields_of(F &f, Args &&...args) {
    if constexpr (std::is_void_v<std::invoke_result_t<F &, Args...>>) {
      f(std::forward<Args>(args)...);
      return {};
    } else {
      return f(std::forward<Args>(args)...);
    }
  }
  OpIndex append(Kind kind, Regs operands, Attributes attr = {});
  Reg append_value(Kind kind, Regs operands, Type type, Attributes attr = {});
  template <class Same> Reg reused(Kind kind, Same &&same) const;
  Reg new_reg(Type type) { return plan_.regs.push(type); }
  BlockId open_block(OpIndex op);
  OpIndex close_block(Regs yields);
  Regs results_like(OpIndex op, const Regs &values);
  Op &op_of(OpIndex i) { return plan_.ops[i]; }

  Plan plan_;
  std::vector<Open> open_;
  OpId source_;
  std::vector<std::pair<Reg, std::int64_t>> known_; // i64 constants, by register
};

} // namespace tilenest::plan
