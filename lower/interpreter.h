// SPDX-License-Identifier: Apache-2.0
// The plan interpreter's object and its flat code, private to interpret*.cpp: registers have their places in one frame,
// constants stand in it from the start, every operation is one step function with its offsets.
#pragma once
#include "lower/interpret.h"
#include "semantics/numerics/row_kernels.h"
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace tilenest::plan {

struct Interpreter;
struct Instr;
using Step = bool (*)(Interpreter &, const Instr &); // false: stopped with an error

struct Move {
  std::uint32_t from, to, bytes;
};

struct Instr {
  Step step;
  RowKernel kernel;        // of a primitive, of an atomic
  std::uint32_t out;       // offsets into the frame
  std::uint32_t in[3];
  std::uint32_t lanes;
  std::uint32_t bytes;     // of one element
  const void *more;        // AccessCode, ControlCode, Assert, the lanes of a shuffle
  OpIndex op;
};

struct BlockCode {
  std::vector<Instr> instrs;
};

struct AccessCode {
  std::byte *base;
  std::int64_t first, end; // offsets that exist, in elements of the accessed type
  ScalarType elem;
  bool vector_offset, masked;
  std::uint32_t mask;
  BufferId buffer;
};

struct ControlCode {
  BlockCode blocks[2];
  std::vector<Move> before;   // a loop's first carried values
  std::vector<Move> after[2]; // what the blocks yield; `staged` where the order of the moves would count
  std::vector<Move> staged;   // second half: from the staging area to where they belong
  std::uint32_t condition = 0; // while: the bool that the first block yields
  std::int64_t step = 1;
  bool participants = false;
  std::vector<std::uint32_t> coordinates, extents; // launch
  std::vector<BufferId> fresh;                     // launch: the buffers of its instances that it touches
};

// Where a buffer lies: `base` is the element at coordinate 0, the bits from it that exist are [first_bit, end_bit).
struct Place {
  std::byte *base = nullptr;
  std::int64_t first_bit = 0, end_bit = 0;
  std::size_t bytes = 0;              // of memory that is no argument
  std::unique_ptr<std::byte[]> owned;
};

struct Interpreter {
  Interpreter(const Plan &plan, const Arguments &given, const InterpretOptions &o)
      : p(plan), arguments(given), options(o) {}

  // --- interpret_storage.cpp; each false with an error ---
  bool place_buffers();
  bool place_argument(const Buffer &b, Place &place);
  bool place_memory(const Buffer &b, Place &place);
  bool shape_of(const Buffer &b, std::vector<std::int64_t> &shape);
  bool allocate(std::size_t bytes, std::unique_ptr<std::byte[]> &out, const std::string &what);
  std::optional<std::int64_t> value_of(const Extent &e) const;
  std::vector<std::int64_t> strides_of(const Buffer &b) const;

  // --- interpret_compile.cpp ---
  bool compile();

  // --- interpret_steps.cpp, interpret_access.cpp ---
  bool run(const BlockCode &code) {
    for (const Instr &in : code.instrs)
      if (!in.step(*this, in)) return false;
    return true;
  }
  std::byte *at(std::uint32_t offset) const { return frame.get() + offset; }
  std::int64_t i64_at(std::uint32_t offset) const {
    std::int64_t v;
    std::memcpy(&v, at(offset), sizeof v);
    return v;
  }
  void set_i64(std::uint32_t offset, std::int64_t v) const { std::memcpy(at(offset), &v, sizeof v); }
  void move(const std::vector<Move> &moves) const {
    for (const Move &m : moves) std::memcpy(at(m.to), at(m.from), m.bytes);
  }
  bool outside(const Instr &in, std::int64_t offset);
  bool unfit(std::string why); // B1603

  const Plan &p;
  const Arguments &arguments;
  const InterpretOptions &options;
  IdVector<BufferId, Place> places;
  std::size_t memory_used = 0;
  std::unique_ptr<std::byte[]> frame;
  BlockCode body;
  std::deque<AccessCode> accesses; // addresses stay
  std::deque<ControlCode> controls;
  std::deque<std::vector<std::uint32_t>> shuffles; // per lane, where in the frame it comes from
  struct Assert {
    OpIndex op;
    std::uint64_t failed = 0;
  };
  std::deque<Assert> asserts; // in the order of the plan
  std::uint64_t visits = 0;   // launches and participants' loops so far: each is shuffled in a way of its own
  const Instr *launch = nullptr; // that is running
  Diagnostics errors;
};

// The steps of one operation each.
bool step_prim1(Interpreter &m, const Instr &in);
bool step_prim2(Interpreter &m, const Instr &in);
bool step_prim3(Interpreter &m, const Instr &in);
bool step_copy(Interpreter &m, const Instr &in);
bool step_shuffle(Interpreter &m, const Instr &in);
bool step_for(Interpreter &m, const Instr &in);
bool step_if(Interpreter &m, const Instr &in);
bool step_while(Interpreter &m, const Instr &in);
bool step_launch(Interpreter &m, const Instr &in);
bool step_assert(Interpreter &m, const Instr &in);
// The step that serves an access: one element, a row, or lane by lane.
Step load_step(const AccessCode &access, std::uint32_t lanes);
Step store_step(const AccessCode &access, std::uint32_t lanes);
bool step_atomic(Interpreter &m, const Instr &in);

} // namespace tilenest::plan
