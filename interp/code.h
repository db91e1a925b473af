// SPDX-License-Identifier: Apache-2.0
// Routines: a bound program made ready to step: per level a routine whose values have numbered slots, per operation
// an instruction with its operands resolved and its plan (shapes, strides, kernels) computed once. Bodies keep
// the region tree; nothing is executed here.
#pragma once
#include "interp/tile.h"
#include "interp/tile_touches.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/program/bind.h"
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace tilenest {

struct Machine;
struct Frame;
struct Instr;
struct DomainPlan;

// An operand: the slot of a frame `up` levels above. `last`: nothing reads the slot afterwards, so the
// operation may take the storage.
struct Ref {
  std::uint32_t slot = 0;
  std::uint16_t up = 0;
  bool last = false;
};

// What an instruction knows beyond its operands; each form has its own.
struct Plan {
  virtual ~Plan() = default;
};

enum class Flow : std::uint8_t { leaf, parallel, loop, branch, while_, sync };

using Step = void (*)(Machine &, Frame &, const Instr &);

struct Body {
  std::vector<Instr> instrs;
  std::vector<std::uint32_t> args; // slots: coordinates first, then carried definitions
  std::vector<Ref> yields;
};

struct Instr {
  Flow flow = Flow::leaf;
  Step step = nullptr; // leaves
  OpId op;
  const Op *source = nullptr;
  std::vector<Ref> operands;
  std::vector<std::uint32_t> results;
  std::unique_ptr<Plan> plan;
  std::vector<std::unique_ptr<Body>> bodies;
  // ANC-ONCE: executed once for the anchor's instance and remembered there (ANC-SHARE): how many levels the
  // anchor lies above, 0 if the operation is the instance's own or repeating it cannot be observed.
  std::uint16_t lifted = 0;
  // Lifted, and repeating it could not be observed: its results are remembered to save time, within a budget.
  bool repeatable = false;
  std::vector<TileUse> tile_uses; // checked: what it reads of ancestors' tiles
  std::vector<std::uint8_t> deciding; // ADM-SET: operands that decide what happens
};

// One level's code: a parallel's body, or the kernel's.
struct Routine {
  LevelId level;
  std::uint32_t slots = 0;
  const Body *body = nullptr;
  std::vector<ObjectId> memories; // owned by an instance of this level
  bool has_sync = false;
  bool row_of_instances = false;  // instances may run a row at a time (Frame::lanes)
};

struct ValueInfo {
  std::uint32_t slot = 0;
  LevelId level; // the textual one: whose frames hold the slot
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  std::size_t bytes = 0; // of one element
  bool tracks_wrap = false; // flows into a coordinate (NUM-WRAP)
};

struct Routines {
  const BoundProgram *bound = nullptr;
  IdVector<ValueId, ValueInfo> values;
  IdVector<LevelId, Routine> routines;
  std::vector<std::uint32_t> memory_index; // by ObjectId: position in its routine's memories
  Body body;
  std::vector<std::uint32_t> storage; // by ObjectId: Compiler::storage
  // PAR-NI, by storage number: something writes it and something could be concurrent with that; and log2 of the bytes
  // (half bytes) of a cell: the narrowest element that a view sees there.
  std::vector<std::uint8_t> shadowed, cell_shift;
  bool halves = false; // some view has 4-bit elements
};

struct RunOptions;

// Builds the code. Errors: class N for what this engine does not run, class L for sizes.
struct Compiler {
  // `storage`: see there. `sparse`: some argument is larger than the memory.
  Compiler(const BoundProgram &bound, Routines &code, TilePool &pool, const RunOptions &options, std::vector<std::uint32_t> storage, bool sparse);
  const BoundProgram &bound;
  const TileProgram &p;
  Routines &code;
  TilePool &pool;
  bool checked;
  bool admitted; // enclosures go beside the values (ADM-SET)
  bool chosen;   // so, or a chooser resolves the freedoms: instances one at a time, on one thread
  bool interleaved; // instances take turns before accesses
  bool counted;  // stores, or touched parts of huge arguments, are counted: one thread
  bool laws;     // contracts are tried whatever the policy of their reduce is
  // By ObjectId: arguments whose buffers overlap have one number (EFF-ORDER).
  std::vector<std::uint32_t> storage;
  Diagnostics errors;
  IdVector<OpId, int> window_depths; // by insert
  IdVector<OpId, std::vector<TileUse>> tile_uses; // checked
  IdVector<LevelId, std::unordered_set<std::uint32_t>> written; // storage that is stored to under a level
  std::unordered_map<RegionId, std::vector<Ref>> read_after; // values of a body that are read when it has ended

  void compile();
  const ValueInfo &info(ValueId v) const { return code.values[v]; }
  const TileType &type(ValueId v) const { return p.values[v].type; }
  // `v` as an operand of an instruction that stands at `level`.
  Ref ref(ValueId v, LevelId level) const {
    return {info(v).slot, static_cast<std::uint16_t>(p.levels[level].depth - p.levels[info(v).level].depth), false};
  }
  // Element strides of `v` over the dims of `space`: 0 where v lacks the dim or has extent 1 there.
  std::vector<std::int64_t> strides_over(ValueId v, const Space &space) const;
  // UPD-JOIN: the depth of the instance whose writes an `insert` records, or -1.
  int window_depth(const Op &insert) const;
  void unsupported(const Op &op, const std::string &what);
  // PAR-NI: whether storage with shadow state is touched in it.
  bool watched(RegionId region) const;

private:
  void find_window_inserts();
  void number_values();
  void find_coordinates();
  void compile_body(const std::vector<OpId> &ops, Body &body, LevelId level);
  void compile_region(RegionId region, Body &body);
  void compile_op(OpId id, Instr &instr, LevelId level);
  void mark_last_uses(RegionId region, Body &body, const std::vector<ValueId> &defined);
  std::vector<OpId> flat_ops(RegionId region) const;
  void find_written();
  void find_shadowed();
  bool observes_repetition(const Op &op) const;
  bool remembered(const Op &op) const;
  bool row_of_instances_ok(const Op &parallel) const;
  bool may_make_notes(const Op &elementwise) const;
  double work_of(RegionId region, bool by_rows) const;
  void find_concurrency(const Op &parallel, DomainPlan &plan) const;
};

// --- plans that the machine itself reads ---

// A region's domain: its shape, and the predicate (the first operand) that makes points active.
struct DomainPlan : Plan {
  std::vector<std::int64_t> shape;
  std::int64_t total = 1;
  bool has_predicate = false;
  std::vector<std::int64_t> predicate_strides; // over the domain's dims
  std::int64_t predicate_count = 1;
  std::size_t first_carry = 0;                 // operand number of the first incoming definition
  // parallel
  const Routine *routine = nullptr;
  std::vector<std::string> carried;            // names, for reports
  std::vector<std::vector<std::int64_t>> carried_shapes;
  std::vector<std::size_t> carried_bytes;
  bool concurrent = false;                     // nothing sees the order of the instances (independence.cpp)
  std::vector<ViewId> stored;                  // concurrent: through which the instances write what outlives them
  bool may_stop = false;                       // concurrent: a report or a limit may end the run before the last instance
  double work = 0;                             // concurrent: about nanoseconds
  // loops
  std::vector<std::int64_t> order;             // CTX-SER: position -> point, both linear; empty: as is
  bool reverse = false;                        // fold_right
  bool contributions = false;                  // reduce_region: marks in a state are observed
  bool watched = false;                        // a parallel or reduce in which storage with shadow state is touched
  // reduce_region under a tree policy, or whose laws are tried: how partial results become one (RED-TREE).
  struct Merge {
    bool contract = false;
    std::string name;                          // a contract's, "" where it is written in the program
    Primitive primitive = Primitive::add;      // a recognised merge's
    ScalarType type = ScalarType::f32;         // of its state
    std::vector<std::size_t> states;           // positions among the carries, in the contract's order
    std::size_t identity = 0, merge = 0;       // a contract's bodies
    RowKernel kernel = nullptr;                // a recognised merge of one state
    std::uint64_t neutral = 0;                 // its identity
    // ADM-SET: what a contribution of a contract of the library puts to the states, where the body's form is known.
    struct Contribution {
      enum class Kind : std::uint8_t { sample, scaled } kind;
      struct Part {                            // read after the body
        Ref ref;
        ScalarType type = ScalarType::f32;
        std::vector<std::int64_t> strides;     // over the dims of a state
      };
      std::vector<Part> parts;                 // count, mean[, squares] or top[, weight], or terms
      bool block = false;                      // terms, with these offsets for one element of a state
      std::vector<std::int64_t> inner;
      bool residual = false, guarded = true;   // contract_step.h
    };
    std::optional<Contribution> contribution;
  };
  ReductionPolicy policy = ReductionPolicy::fold_left;
  std::vector<Merge> merges;
};

struct BranchPlan : Plan {
  std::vector<std::int64_t> cases; // `if`: none
  ScalarType selector = ScalarType::boolean;
};

// Row-major element strides.
std::vector<std::int64_t> row_major(const std::vector<std::int64_t> &shape);

// Plans and steps by form.
void compile_elementwise(Compiler &c, const Op &op, Instr &instr);
void compile_index_map(Compiler &c, const Op &op, Instr &instr);
void compile_generate(Compiler &c, const Op &op, Instr &instr);
void compile_reduce(Compiler &c, const Op &op, Instr &instr);
void compile_scan(Compiler &c, const Op &op, Instr &instr);
void compile_contract(Compiler &c, const Op &op, Instr &instr);
void compile_memory(Compiler &c, const Op &op, Instr &instr);
void compile_control(Compiler &c, const Op &op, Instr &instr); // assign, and the plans of region operations
void compile_meta(Compiler &c, const Op &op, Instr &instr);

// Loops of a kernel over several operands: extents and, per operand, element strides; adjacent dims that all
// operands traverse evenly are one. The last dim is the row.
struct StridedLoops {
  std::vector<std::int64_t> extents;               // outer dims, then the row
  std::vector<std::vector<std::int64_t>> strides;  // [operand][dim]
  StridedLoops() = default;
  StridedLoops(std::vector<std::int64_t> extents, std::vector<std::vector<std::int64_t>> strides);
  // Calls f(offsets) with the operands' element offsets at the start of each row.
  template <class F> void for_rows(F &&f) const {
    constexpr std::size_t max_operands = 8, max_dims = 64; // the front ends refuse more dims
    std::int64_t offset[max_operands] = {};
    const std::size_t n = strides.size(), outer = extents.size() - 1;
    for (std::int64_t e : extents)
      if (e == 0) return;
    std::int64_t at[max_dims] = {};
    for (;;) {
      f(static_cast<const std::int64_t *>(offset));
      std::size_t d = outer;
      while (d-- > 0) {
        for (std::size_t i = 0; i < n; ++i) offset[i] += strides[i][d];
        if (++at[d] < extents[d]) break;
        for (std::size_t i = 0; i < n; ++i) offset[i] -= strides[i][d] * extents[d];
        at[d] = 0;
      }
      if (d == static_cast<std::size_t>(-1)) return;
    }
  }
};

} // namespace tilenest
