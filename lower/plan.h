// SPDX-License-Identifier: Apache-2.0
// The plan: a target-neutral kernel IR between a program and a target's code. Structured control, scalar and vector
// SSA, buffers with address spaces, launches. Every decision of the lowering stands in it: what is a loop, a launch or
// a vector, where a value lies, in which order a reduction folds; a backend decides nothing. Extents stay expressions
// of the program's parameters. Plain data; what it means stands in interpret.h, what is well formed in verify.h.
#pragma once
#include "semantics/numerics/primitives.h"
#include "semantics/program/program.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tilenest::plan {

using Reg = Id<struct RegTag>;
using BlockId = Id<struct BlockTag>;
using OpIndex = Id<struct PlanOpTag>;
using BufferId = Id<struct BufferTag>;

// The type of a register: a scalar (one lane) or a vector. Coordinates, offsets and trip counts are i64, conditions
// bool; a vector of bool is a mask.
struct Type {
  ScalarType elem = ScalarType::i64;
  std::uint16_t lanes = 1;
  friend bool operator==(const Type &, const Type &) = default;
};

enum class Kind : std::uint8_t {
  // --- values ---
  constant, // every lane has the bits
  extent,   // an extent expression, i64
  stride,   // of an axis of a strided argument, in its elements (4-bit: in elements, too), i64
  prim,     // a scalar primitive, lane by lane; where a lane has no result (VAL-MARK) it is 0 and nothing traps
  shuffle,  // lanes of one vector, or of two one behind the other, chosen by number; one lane is a scalar, and the
            // lanes of a scalar are its one: a splat is shuffle(x)[0, 0, ...]
  lane_ids, // 0, 1, 2, ... as i64
  // --- memory: an offset in elements of the accessed type ---
  load,     // (offset[, mask]): a scalar offset reads lanes that lie side by side, a vector of offsets gathers.
            // Lanes that the mask leaves out touch nothing and are 0.
  store,    // (offset, value[, mask]): likewise; of lanes with one offset the last stays
  atomic,   // (offset, value[, mask]): one read-modify-write per lane
  // --- structure ---
  for_,     // (lo, hi, carried...) { body(iv, carried...) }: iv = lo, lo + step, ... below hi
  if_,      // (condition) { then } { otherwise }: the blocks yield the results
  while_,   // (carried...) { condition(carried...) yields one bool } { body(carried...) }
  launch,   // (extent per grid axis) { instance(coordinate per axis) }: independent instances; nothing is carried
  barrier,  // the participants of an instance meet, and what they wrote before is seen after
  assert_   // (condition): the program's own claim; a false one ends in `A0001` and the run goes on
};

// Where a buffer lies, and how many there are of it.
enum class AddressSpace : std::uint8_t {
  argument, // the caller's
  scratch,  // one a run, seen by all instances of all launches
  shared,   // one an instance of a launch, seen by its participants
  instance  // one an instance of a launch and nobody else's
};

// What a loop's iterations are bound to.
enum class Binding : std::uint8_t {
  serial,      // one after the other
  participants // independent iterations: each participant of the instance takes some
};

struct ConstantAttr {
  std::uint64_t bits = 0; // of one lane, zero above the type's width
};
struct StrideAttr {
  BufferId buffer;
  int axis = 0;
};
struct PrimAttr {
  Primitive primitive;
};
struct ShuffleAttr {
  std::vector<std::uint16_t> lanes; // below the lanes of the operands together
};
struct AccessAttr {
  BufferId buffer;
  bool masked = false;                  // the last operand is a mask with the access's lanes
  AtomicKind atomic = AtomicKind::add;  // atomic
};
struct ForAttr {
  std::int64_t step = 1; // positive
  Binding binding = Binding::serial;
};
struct LaunchAttr {
  std::string name; // unique in the plan
};
struct AssertAttr {
  std::string text;
};

using Attributes = std::variant<std::monostate, ConstantAttr, ExtentAttr, StrideAttr, PrimAttr, ShuffleAttr, AccessAttr,
                                ForAttr, LaunchAttr, AssertAttr>;

struct Op {
  Kind kind;
  std::vector<Reg> operands, results;
  std::vector<BlockId> blocks;
  Attributes attr;
  OpId source; // the operation of the program that it computes, or invalid: names and sites alone
};

// A block sees the registers of the blocks around it that are defined before it.
struct Block {
  std::vector<Reg> args;
  std::vector<OpIndex> ops;
  std::vector<Reg> yields; // of a loop's body: the carried values of the next iteration
};

struct Buffer {
  std::string name; // unique in the plan
  ScalarType elem = ScalarType::f32;
  AddressSpace space = AddressSpace::instance;
  std::vector<Extent> shape; // row-major; rank 0 is one element. Undefined until it is written, but for `in` and `mut` arguments
  // argument:
  int argument = -1; // its position in the signature
  ArgumentAccess access = ArgumentAccess::in;
  bool overlapping = false; // it may share storage with other such arguments; no other buffers overlap
  bool strided = false; // its axes have strides of their own (`stride`); else it is row-major without gaps
};

struct Plan {
  std::string name;
  IdVector<ParamId, Param> params; // the program's
  IdVector<BufferId, Buffer> buffers;
  IdVector<Reg, Type> regs;
  IdVector<BlockId, Block> blocks;
  IdVector<OpIndex, Op> ops;
  BlockId body; // what the host runs: launches, and the control around them
};

} // namespace tilenest::plan
