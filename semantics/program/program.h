// SPDX-License-Identifier: Apache-2.0
// TileProgram = (E, R, G, M, L, A, Pi, C): the one object that both front ends capture, the judgements judge,
// the machine runs and the passes transform. Tables of plain data indexed by typed ids; no C++ closure inside.
// Invariants stand beside the fields; typing/ checks them. Nothing here computes a judgement.
#pragma once
#include "semantics/diag/diagnostic.h"
#include "semantics/maps/map.h"
#include "semantics/op_table.h"
#include "semantics/space/space.h"
#include "semantics/support/id.h"
#include "semantics/support/scalar_type.h"
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilenest {

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using RegionId = Id<struct RegionTag>;
using LevelId = Id<struct LevelTag>;
using VarId = Id<struct VarTag>;
using ObjectId = Id<struct ObjectTag>;
using ViewId = Id<struct ViewTag>;
using LayoutId = Id<struct LayoutTag>;
using AlgebraId = Id<struct AlgebraTag>;
using PolicyId = Id<struct PolicyTag>;
using CallId = Id<struct CallTag>;
using SiteId = Id<struct SiteTag>;

// --- Parameters and dims -----------------------------------------------------------------------------------

struct Param {
  std::string name; // "M"; unique in the program
};

// --- E: the spatial nest -----------------------------------------------------------------------------------

// One level: the root (index 0, no op) or one `parallel`. A prefix is the path of levels from the root.
struct Level {
  OpId op;
  LevelId parent;
  int depth = 0; // 0 for the root
  Space domain;
  std::string name;                   // unique among levels, loops, values: "nest"
  std::optional<std::string> scope;   // catalog token ("block", "warp", ...); empty: left to binding
  LayoutId map;                       // CTX-MAP: P x I -> P'; invalid: append
  bool inferred = false;              // CTX-INFER: domain taken from what index() addresses
};

// --- G: dataflow -------------------------------------------------------------------------------------------

// The type of a tile: element type, ordered space, and the predicates (bool tiles) that must all hold at a
// point for the tile to have a value there (IDX-PRED); sorted, without repeats. Rank 0 is a scalar.
struct TileType {
  ScalarType elem = ScalarType::f32;
  Space space;
  std::vector<ValueId> active;
};

struct Value {
  TileType type;
  OpId op;           // the defining operation, or invalid for a region argument
  RegionId region;   // the region whose argument this is, or invalid
  int index = 0;     // which result or argument
  std::string name;  // printable, unique; "" until names are assigned
  LevelId anchor;    // filled by placement
  bool poisoned = false; // stands for a value whose operation was refused; only while capturing
};

// A tile variable: an identity bound to definitions. Type and space never change (VAL-OWN).
struct Variable {
  std::string name;
  TileType type;
  LevelId declared; // the innermost parallel around the declaration
  LevelId owner;    // filled by placement
  SiteId site;
};

enum class Bounds : std::uint8_t { zero, predicate, assume };
enum class AtomicKind : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor };
enum class Reducer : std::uint8_t { add, mul, min, max, minnum, maxnum, bit_and, bit_or, bit_xor };
// The row of the op table that a reducer folds with, and back.
constexpr OpKind folding_op(Reducer reducer) {
  constexpr OpKind ops[] = {OpKind::add,    OpKind::mul,     OpKind::min,    OpKind::max,    OpKind::minnum,
                            OpKind::maxnum, OpKind::bit_and, OpKind::bit_or, OpKind::bit_xor};
  return ops[static_cast<int>(reducer)];
}
constexpr std::optional<Reducer> reducer_of(OpKind op) {
  for (int i = 0; i <= static_cast<int>(Reducer::bit_xor); ++i)
    if (folding_op(static_cast<Reducer>(i)) == op) return static_cast<Reducer>(i);
  return std::nullopt;
}
enum class ReductionPolicy : std::uint8_t { unordered_tree, ordered_tree, fold_left, fold_right };
inline constexpr std::string_view reduction_policy_names[] = {"unordered_tree", "ordered_tree", "fold_left", "fold_right"};
constexpr std::string_view to_string(ReductionPolicy policy) { return reduction_policy_names[static_cast<int>(policy)]; }
// UPD-JOIN: how an assignment inside a `parallel` writes an ancestor's variable. `own` writes the whole
// variable in its instance, `window` what its inserts cover, `collective` makes the next shared definition.
enum class AssignRole : std::uint8_t { own, window, collective };

struct CastAttr {
  ScalarType to;
};
struct LiteralAttr { // as written; its value is rounded once to `type` (NUM-LIT)
  ScalarType type;
  std::variant<std::int64_t, double> literal;
};
struct SpaceAttr { // broadcast, reshape, transpose, relabel: the result's space
  Space space;
};
struct IotaAttr {
  Factor factor;
};
struct ExtentAttr {
  Extent extent;
};
struct MapAttr { // map_coord: operands are the map's inputs
  LayoutId map;
  int output;
};
struct ReduceAttr { // reduce, and scan along its one dim
  Reducer reducer;
  std::vector<DimId> dims;
  ReductionPolicy policy = ReductionPolicy::unordered_tree;
  bool wide_accumulation = false;
  bool exclusive = false, reverse = false; // scan: without the point itself; suffixes
};
struct MmaAttr {
  bool allow_reassociation = true;
  bool allow_contraction = true;
  bool wide_accumulation = true;
};
// load, store, atomic. Operands: [stored value] for store and atomic, then one origin scalar per view axis,
// then in this order, as flagged: predicate, fallback, and (load only) one bool tile per `active` of the
// result. Per view axis, `axes` holds the window's factor position, or -1 where the axis is a point.
struct AccessAttr {
  ViewId view;
  Space window;
  std::vector<int> axes;
  Bounds bounds = Bounds::zero;
  bool has_predicate = false; // Bounds::predicate: a bool tile over (a subset of) the window
  bool has_fallback = false;  // load: a scalar of the element type
  AtomicKind atomic = AtomicKind::add;
};
// gather, scatter. Operands: [value] for scatter, then one integer tile per view axis, then predicate,
// fallback as flagged. `reducer` set: the scatter is atomic.
struct IndexedAttr {
  ViewId view;
  Bounds bounds = Bounds::zero;
  bool has_predicate = false;
  bool has_fallback = false;
  std::optional<AtomicKind> reducer;
};
struct MemoryAttr {
  ObjectId object;
};
// Operands: the new value, and the definition before: absent at the declaration, and for a variable that a
// contribution of a reduce writes before it reads.
struct AssignAttr {
  VarId var;
  bool declares = false;
  AssignRole role = AssignRole::own; // filled by placement
};
struct ParallelAttr {
  LevelId level;
};
// serial, pipeline, reduce_region. The body's arguments: one i64 coordinate per axis, then the carries. A reduce has
// two more regions per contract (ReductionAlgebra).
struct LoopAttr {
  std::string name; // unique printable name of the handle
  Space domain;
  LayoutId order;     // CTX-SER: a bijection of the domain, from position to point; invalid: lexicographic
  PolicyId pipeline;  // pipeline only
  AlgebraId algebra;  // reduce_region only
};
struct StageAttr {
  std::string label;
};
struct SwitchAttr { // regions: one per case, then the default
  std::vector<std::int64_t> cases;
};
struct PerAttr {
  LevelId level;
};
struct AssertAttr {
  std::string text;
};

using Attributes =
    std::variant<std::monostate, CastAttr, LiteralAttr, SpaceAttr, IotaAttr, ExtentAttr, MapAttr, ReduceAttr,
                 MmaAttr, AccessAttr, IndexedAttr, MemoryAttr, AssignAttr, ParallelAttr, LoopAttr, StageAttr,
                 SwitchAttr, PerAttr, AssertAttr>;

// MEM-STATE: the state of one object that an access uses, and the one that it makes.
struct ObjectState {
  ObjectId object;
  std::uint32_t before = 0, after = 0; // after == before for a load
};

struct Op {
  OpKind kind;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<RegionId> regions;
  // Region operations: the variables they carry. Loops, parallel and while: the last carries.size()
  // operands are the incoming definitions, the body's last arguments the definitions inside (while: those of
  // its condition region), the body's yields the definitions at its end, the results the definitions after.
  // if and switch: no incoming operands and no arguments; yields per arm and results only.
  std::vector<VarId> carries;
  Attributes attr;
  RegionId parent;
  SiteId site;
  CallId call; // the library call whose expansion it belongs to, or invalid
  // Filled by placement; a pinned anchor was written in the program and is checked (ANC-LEAST).
  LevelId anchor, frontier;
  bool pinned = false;
  std::vector<ObjectState> states;

  // The regions whose yields are the definitions that it carries: every arm, the body of a loop.
  std::span<const RegionId> yielding_regions() const {
    const bool arms = kind == OpKind::if_ || kind == OpKind::switch_;
    return arms ? std::span(regions) : std::span(regions).subspan(kind == OpKind::while_ ? 1 : 0, 1);
  }
  std::size_t control_operand_count() const {
    const bool arms = kind == OpKind::if_ || kind == OpKind::switch_;
    return arms ? operands.size() : operands.size() - carries.size();
  }
};

// --- R(E): the region tree ---------------------------------------------------------------------------------

// A sequence of operations under one context. Stage regions are transparent: their values are visible in
// the stages after them.
struct Region {
  OpId op; // the operation that holds it; invalid for the kernel's body
  std::vector<ValueId> args;
  std::vector<OpId> ops;
  std::vector<ValueId> yields; // while's condition region: the condition
  LevelId level;               // the innermost parallel whose prefix this region stands under
};

// --- M and L: objects, views, layouts ----------------------------------------------------------------------

enum class ObjectKind : std::uint8_t { argument, memory };
enum class ArgumentAccess : std::uint8_t { in, mut, out }; // out: starts undefined

struct Object {
  ObjectKind kind = ObjectKind::argument;
  std::string name;
  ScalarType elem = ScalarType::f32;
  std::vector<Extent> shape;
  ArgumentAccess access = ArgumentAccess::in;
  LevelId owner;        // MEM-OWN; the root for arguments
  std::string resource; // catalog token ("shared"), or ""
  LayoutId layout;      // element layout of a memory; invalid: row-major. Arguments' strides are bound.
  SiteId site;
};

// An object seen with dims and an element type. The first view of an object has its own type.
struct View {
  std::string name;
  ObjectId object;
  ScalarType elem = ScalarType::f32;
  Space space; // dims in axis order; extents as seen through this element type
  SiteId site;
};

// --- A, Pi, C ----------------------------------------------------------------------------------------------

// The algebra of one reduce region: its policy, the contracts that it declares and, per carried state, what merges
// it: a contract, else the merge that RED-LAW recognises.
struct ReductionAlgebra {
  ReductionPolicy policy = ReductionPolicy::unordered_tree;
  struct State {
    VarId var;
    std::optional<OpKind> merge; // filled by the judgement; empty: no law, strict folds only
  };
  std::vector<State> states;
  // A declared merge of several states together. Contract i of a reduce has two of its regions: 1 + 2i yields the
  // identity, one value per state; 2 + 2i takes the states of the left and then those of the right operand and
  // yields the merged ones. Both are pure. That merging is associative, that the identity is neutral and that the
  // body is `merge(s, body(identity))` are its laws.
  struct Contract {
    std::string name; // of a contract of the library, or "": written in the program
    std::vector<VarId> states;
    bool commutative = true;
  };
  std::vector<Contract> contracts;

  // Position of the contract that merges this state, if one does.
  std::optional<std::size_t> contract_of(VarId var) const {
    for (std::size_t i = 0; i < contracts.size(); ++i)
      for (VarId s : contracts[i].states)
        if (s == var) return i;
    return std::nullopt;
  }
};

struct PipelinePolicy { // 0: left open
  std::int64_t stages = 0;
  std::int64_t initiation_interval = 0;
  std::int64_t max_in_flight = 0;
  friend bool operator==(const PipelinePolicy &, const PipelinePolicy &) = default;
};

// What capture could not decide on the open program; binding decides it and reports `code` at `site`.
struct Constraint {
  ExtentEquation equation;
  Code code;
  SiteId site;
  std::string subject;  // what the message calls the pair
  bool at_most = false; // `left <= right` instead of equality
  std::string argument = {}; // of a library call: the argument that is refused
  std::string why = {};      // T0218: what is wrong with its value, `right`; T0219: what stands before `left`; T0605: who differs
  std::string from = {};     // of an operation of an expansion: `from_arguments`
};

// --- Calls of the library ----------------------------------------------------------------------------------

// One argument of a call. Which alternative a parameter takes follows from its kind (library/function.h).
struct CallArgument {
  std::string name; // the parameter's
  std::variant<std::vector<ValueId>, std::int64_t, double, std::vector<Extent>, std::vector<DimId>, Space, bool,
               ScalarType, std::string, ViewId>
      value;
};

// Where a program's operations come from: the operations whose `call` this is are what the function captured.
// Reports alone read it. A pass that changes an operation of a call makes its `call` invalid.
struct LibraryCall {
  std::string function;                // "softmax"
  std::vector<CallArgument> arguments; // in the order written; what is left to its default is absent
  std::vector<ValueId> results;
  // What binding must find true of the arguments (T0217 to T0219). The expansion alone, printed, does not state it.
  std::vector<Constraint> demands;
};

// --- The program -------------------------------------------------------------------------------------------

struct TileProgram {
  std::string name;
  IdVector<ParamId, Param> params;
  IdVector<DimId, Dim> dims;
  IdVector<LevelId, Level> levels;          // E
  IdVector<RegionId, Region> regions;       // R(E)
  RegionId body;
  IdVector<OpId, Op> ops;                   // G
  IdVector<ValueId, Value> values;
  IdVector<VarId, Variable> variables;
  IdVector<ObjectId, Object> objects;       // M
  IdVector<ViewId, View> views;
  std::vector<ObjectId> arguments;          // in the order of the signature
  IdVector<LayoutId, Map> layouts;          // L
  IdVector<AlgebraId, ReductionAlgebra> algebras; // A
  IdVector<PolicyId, PipelinePolicy> policies;    // Pi
  std::vector<Constraint> constraints;            // C
  IdVector<CallId, LibraryCall> calls;
  IdVector<SiteId, Site> sites;

  static LevelId root() { return LevelId(0); }
  const Site &site(SiteId id) const;
  std::string extent_text(const Extent &e) const;
  // "[m=32, k=16]"; a positional dim is shown by its extent alone where it stands at its own position, else "#2=8".
  // Beside another space, a dim that only has the label of one there is told apart.
  std::string space_text(const Space &s, const Space *beside = nullptr) const;
  std::string type_text(const TileType &t, const Space *beside = nullptr) const; // "f32 [m=32, k=16]"
  std::string dim_text(DimId d) const;            // its label, or "#2" for a positional dim
};

// True if `inner` is `outer` or a level below it.
bool encloses(const TileProgram &p, LevelId outer, LevelId inner);
// The deeper of two levels on one path.
LevelId deeper(const TileProgram &p, LevelId a, LevelId b);

// Calls f(const Op&, OpId) for every operation under the region, in program order, outer before inner.
template <class F> void for_each_op(const TileProgram &p, RegionId region, F &&f) {
  for (OpId id : p.regions[region].ops) {
    f(p.ops[id], id);
    for (RegionId inner : p.ops[id].regions) for_each_op(p, inner, f);
  }
}

} // namespace tilenest
