// SPDX-License-Identifier: Apache-2.0
// Builder: captures a TileProgram in one pass for both front ends: sites, views, variables with identity,
// implicit carries, region scopes, literals. It refuses ill-typed operations at once (with the current site)
// and goes on, so that one capture reports several errors. It does not infer anchors (placement/).
#pragma once
#include "semantics/program/program.h"
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace tilenest {

// What stands where a value is expected. A literal gets its type from what it meets (NUM-LIT): the other
// operands, the view, the accumulator; alone it is an i64 or an f64. An extent is an i64 scalar.
using Operand = std::variant<ValueId, std::int64_t, double, Extent>;

// One axis of an access window: a point, a factor, or an extent over the view's own dim (DIM-POS).
struct WindowAxis {
  bool point = false;
  DimId dim;     // invalid: the view's dim of this axis
  Extent extent; // unused for a point
};

struct Access {
  ViewId view;
  std::vector<Operand> origin; // one per view axis
  std::vector<WindowAxis> window; // one per view axis; empty: every axis is a point
  Bounds bounds = Bounds::zero;
  std::optional<Operand> predicate; // for Bounds::predicate
  std::optional<Operand> fallback;  // loads
  std::vector<ValueId> active;      // loads: bool tiles over the window; the tile has values where all hold
};

struct IndexedAccess {
  ViewId view;
  std::vector<Operand> index; // one integer tile per view axis
  Bounds bounds = Bounds::zero;
  std::optional<Operand> predicate;
  std::optional<Operand> fallback;
};

struct ParallelSpec {
  std::string name;
  Space domain;                     // ignored if `infer`
  std::optional<ValueId> predicate; // bool tile over (a subset of) the domain
  std::optional<std::string> scope; // catalog token
  std::optional<Map> map;           // CTX-MAP
  bool infer = false;               // CTX-INFER
};

struct LoopSpec {
  std::string name;
  Space domain;
  std::optional<ValueId> predicate;
  std::optional<Map> order;                                         // serial
  PipelinePolicy pipeline;                                          // pipeline
  ReductionPolicy reduction = ReductionPolicy::unordered_tree;      // reduce
};

// An open region: `coords` are the i64 coordinates of its domain in axis order (empty for an inferred
// domain until its index() has addressed an object).
struct Scope {
  OpId op;
  LevelId level; // parallel: the new level
  std::vector<ValueId> coords;
  std::uint32_t serial = 0; // identifies the scope for `is_open`
};

class Builder {
public:
  explicit Builder(std::string kernel_name);

  // The place of everything captured from here on.
  void at(Site site);
  Diagnostics &diagnostics() { return diagnostics_; }
  const TileProgram &program() const { return program_; }
  // Reports at the current site. The captured program is refused if an error was reported.
  void error(Code code, std::vector<std::pair<std::string, std::string>> args, std::string help = {});

  // --- declarations ---
  Extent extent_param(const std::string &name); // finds or makes the parameter
  DimId dim(std::string label);                 // fresh (DIM-ID)
  DimId positional_dim(int from_right);         // shared (DIM-POS)
  Space positional_space(std::span<const Extent> extents);
  ViewId argument(std::string name, ScalarType elem, std::vector<Extent> shape, ArgumentAccess access);
  // The same object under other dims: a checked identity retyping.
  ViewId with_dims(ViewId view, std::span<const DimId> dims, std::string name);
  // The same bits as another element type; the last axis' extent scales.
  ViewId view_as(ViewId view, ScalarType elem, std::string name);
  // MEM-OWN. `layout` maps coordinates to element offsets; empty: row-major.
  ViewId memory(std::string name, ScalarType elem, Space space, std::optional<Map> layout, std::string resource);

  // --- variables ---
  // A declaration is a definition, too. Returns an id that assign and read take.
  VarId declare(std::string name, ValueId value);
  void assign(VarId var, ValueId value);
  ValueId read(VarId var);
  // False once the region that declared it is closed.
  bool in_scope(VarId var) const;

  // --- values ---
  ValueId literal(ScalarType type, Operand literal); // rounded once; a poisoned value after an error
  ValueId value(const Operand &operand);             // a lone literal becomes i64 or f64
  // Stands for a value that the front end refused and reported: operations on it report nothing more.
  ValueId refused(ScalarType type) { return poison({type, {}, {}}); }
  ValueId elementwise(OpKind kind, std::span<const Operand> operands);
  ValueId cast(OpKind kind, ScalarType to, const Operand &operand); // cast, cast_sat, bitcast
  ValueId broadcast(const Operand &operand, Space to);
  // A broadcast of a scalar; `written` is what reports call it.
  ValueId full(ScalarType elem, const Operand &scalar, Space space, const char *written = "full");
  ValueId reshape(ValueId x, Space to);
  ValueId transpose(ValueId x, std::span<const DimId> order);
  ValueId relabel(ValueId x, std::span<const DimId> dims);
  ValueId take(ValueId x, std::span<const Operand> index);
  ValueId insert(ValueId x, const Operand &piece, std::span<const Operand> origin);
  ValueId restrict(ValueId x, const Operand &predicate);
  ValueId iota(Factor factor);
  ValueId map_coord(const Map &map, int output, std::span<const Operand> inputs);
  ValueId reduce(ValueId x, std::span<const DimId> dims, Reducer reducer, ReductionPolicy policy,
                 bool wide_accumulation = false);
  // The folds of all prefixes along the dim; each admits `ordered_tree`, or the one chain of `fold_left` (SCAN).
  ValueId scan(ValueId x, DimId dim, Reducer reducer, bool exclusive = false, bool reverse = false,
               ReductionPolicy policy = ReductionPolicy::ordered_tree);
  ValueId mma(ValueId a, ValueId b, ValueId acc, MmaAttr policy = {});
  ValueId load(const Access &access);
  void store(const Access &access, const Operand &value);
  void atomic(const Access &access, AtomicKind kind, const Operand &value);
  ValueId gather(const IndexedAccess &access);
  void scatter(const IndexedAccess &access, const Operand &value, std::optional<AtomicKind> reducer);
  ValueId per(LevelId nest, ValueId x);
  void assert_(ValueId condition, std::string text);

  // --- regions: begin_*, then end(); all nest lexically ---
  Scope begin_parallel(const ParallelSpec &spec);
  Scope begin_serial(const LoopSpec &spec);
  Scope begin_pipeline(const LoopSpec &spec);
  Scope begin_reduce(const LoopSpec &spec);
  // A contract of the reduce that was begun last, before anything of its body: what follows is captured as the
  // identity until `give`, then from begin_merge as the merge until `give`. begin_merge returns the states of the
  // left and then those of the right operand. A literal or a scalar that is given fills its state's space.
  void begin_contract(std::string name, std::vector<VarId> states, bool commutative);
  std::vector<ValueId> begin_merge(std::span<const std::string> names = {}); // what its arguments may be called
  void give(std::span<const Operand> values);
  // The contract was refused and reported: nothing more is said about the contracts of this reduce.
  void refuse_contracts();
  void stage(std::string label);                // in the innermost pipeline
  void begin_if(ValueId condition);
  void begin_else();                            // closes the then arm
  void begin_switch(ValueId selector);          // then begin_case / begin_default
  void begin_case(std::int64_t value);
  void begin_default();
  void begin_while();                           // capture the condition, then
  void while_condition(ValueId condition);      // ... the body follows
  void end();
  void sync(LevelId nest);
  bool is_open(const Scope &scope) const;
  // The coordinate path of an open scope's level: through its map, or the appended coordinates (CTX-MAP).
  std::vector<ValueId> coord(const Scope &scope);
  // The coordinates of an inferred domain, used whole and unmodified to address `view` (CTX-INFER).
  std::vector<ValueId> infer_coordinates(Scope &scope, ViewId view);

  // Pins the anchor of the operation captured last (`@anchor(nest)`).
  void pin_anchor(LevelId level);

  // --- calls of the library ---
  // What is captured until `end_call` is the expansion of one call; a call inside a call is part of it.
  void begin_call(std::string function, std::vector<CallArgument> arguments);
  void end_call(std::span<const ValueId> results);
  // What the open call demands of extents and binding decides.
  void demand(Constraint constraint);

  // Closes the capture: the program, or everything that was refused.
  Result<TileProgram> finish();

  const TileType &type(ValueId v) const { return program_.values[v].type; }

private:
  struct Frame { // one variable scope: the kernel's body, or one region (both arms of an if share one)
    OpId op;
    RegionId region;                           // whose variables these are
    RegionId insertion;                        // where operations go (a stage region in a pipeline)
    bool loop_like = false;                    // has arguments for the variables it carries
    bool reduction = false;
    bool contracts_refused = false;            // a reduce's, and reported
    bool contract = false;                     // an identity or a merge: sees nothing of the reduce's body
    bool parallel = false;
    bool while_body = false;
    LevelId level;
    std::unordered_map<VarId, ValueId> defs;   // current definitions as seen in here
    std::map<VarId, std::pair<ValueId, ValueId>> args; // provisional argument, definition outside
    std::vector<VarId> assigned;               // declared outside, assigned in here; first-assignment order
    std::vector<VarId> declared;
    std::vector<std::pair<VarId, OpId>> blind; // loop-like: assignments that saw no definition before them
    std::vector<std::unordered_map<VarId, ValueId>> arm_defs; // if/switch: definitions of closed arms
    std::unordered_set<VarId> lost_before, lost_after; // local_to_reduce_ at its begin, and of what ended in it
    std::vector<std::int64_t> cases;
    std::vector<ValueId> coords;
    std::uint32_t serial = 0;
    std::string name;
    std::string inferred_from;                 // an inferred domain's: the view that gave it
  };

  ValueId add_value(TileType type, OpId op, RegionId region, int index);
  ValueId poison(TileType type = {});
  OpId add_op(OpKind kind, std::vector<ValueId> operands, Attributes attr);
  ValueId value_op(OpKind kind, std::vector<ValueId> operands, Attributes attr);
  Op candidate(OpKind kind, const std::vector<ValueId> &operands, const Attributes &attr) const;
  void effect_op(OpKind kind, std::vector<ValueId> operands, Attributes attr);
  bool checked(const Op &op, struct Signature &out);
  void leave_open(std::vector<Constraint> constraints, const Op &op); // what binding must find true of the operation
  ValueId use(ValueId v);                          // visible here, or an error
  ValueId operand(const Operand &o, ScalarType type);
  std::vector<ValueId> integers(std::span<const Operand> operands, const char *as = nullptr); // `as`: what a refusal calls them
  bool access_operands(const Access &access, std::vector<ValueId> &operands, AccessAttr &attr);
  ValueId read_in(std::size_t frame, VarId var);
  // The current definition unless a contribution of a reduce has none yet: reading it would make a state.
  std::optional<ValueId> peek_in(std::size_t frame, VarId var);
  void define(VarId var, ValueId value);
  Frame &open_frame(OpId op, bool loop_like);
  RegionId add_region(OpId op, LevelId level);
  Scope begin_loop(OpKind kind, const LoopSpec &spec, LoopAttr attr);
  void close_loop(Frame &frame);
  void refuse_contract(const std::string &why);
  void require_contracted_states(const Frame &closed);
  void open_contract_region();
  TileType state_type(VarId state); // of the definition that comes into the reduce
  ValueId fitted(const Operand &given, VarId state);
  void close_arms(Frame &frame);
  void close_arm(Frame &frame);
  void begin_arm();
  std::string unique_name(std::string name);
  Frame &top() { return frames_.back(); }
  RegionId insertion() { return frames_.back().insertion; }

  TileProgram program_;
  Diagnostics diagnostics_;
  SiteId site_, site_of_call_; // site_of_call_: what `site_` was before the call
  CallId call_;
  int call_depth_ = 0;
  OpId last_op_;
  std::vector<Frame> frames_;
  std::unordered_set<VarId> local_to_reduce_; // without a value here: each contribution of a reduce wrote it first
  std::unordered_map<ValueId, ValueId> replaced_; // provisional arguments that carry nothing
  struct Name {
    int count = 0;    // how many have asked for it
    std::string base; // the name that this one was made from, if it was
  };
  std::unordered_map<std::string, Name> names_;
  std::unordered_map<int, DimId> positional_;
  std::uint32_t next_serial_ = 1;
};

} // namespace tilenest
