// SPDX-License-Identifier: Apache-2.0
// Builder: regions, their coordinates, the carries that the assignments inside imply.
#include "semantics/diag/codes.h"
#include "semantics/program/builder.h"
#include "semantics/program/signature.h"
#include <algorithm>

namespace tilenest {

RegionId Builder::add_region(OpId op, LevelId level) {
  Region r;
  r.op = op;
  r.level = level;
  const RegionId id = program_.regions.push(std::move(r));
  if (op.valid()) program_.ops[op].regions.push_back(id);
  return id;
}

Builder::Frame &Builder::open_frame(OpId op, bool loop_like) {
  Frame f;
  f.op = op;
  f.level = top().level;
  f.loop_like = loop_like;
  f.serial = next_serial_++;
  f.lost_before = local_to_reduce_;
  f.name = info(program_.ops[op].kind).name;
  frames_.push_back(std::move(f));
  return frames_.back();
}

bool Builder::is_open(const Scope &scope) const {
  for (const Frame &f : frames_)
    if (f.serial == scope.serial && f.serial != 0) return true;
  return false;
}

// rule: CTX-PAR
Scope Builder::begin_parallel(const ParallelSpec &spec) {
  std::vector<ValueId> operands;
  if (spec.predicate) operands.push_back(use(*spec.predicate));
  if (spec.domain.rank() == 0 && !spec.infer) error(Code::T0210, {});
  if (const DimId twice = repeated_dim(spec.domain); twice.valid())
    error(Code::T0203, {{"dim", program_.dim_text(twice)}});
  const LevelId parent = top().level;
  Level level;
  level.parent = parent;
  level.depth = program_.levels[parent].depth + 1;
  level.domain = spec.domain;
  level.name = unique_name(spec.name.empty() ? "nest" : spec.name);
  level.scope = spec.scope;
  level.inferred = spec.infer;
  if (spec.map) level.map = program_.layouts.push(*spec.map);
  const OpId op = add_op(OpKind::parallel, std::move(operands), {});
  level.op = op;
  const LevelId id = program_.levels.push(std::move(level));
  program_.ops[op].attr = ParallelAttr{id};
  Frame &f = open_frame(op, true);
  f.parallel = true;
  f.level = rule_broken(Rule::ctx_par) ? parent : id;
  f.name = program_.levels[id].name;
  f.region = f.insertion = add_region(op, f.level);
  Scope scope{op, id, {}, f.serial};
  for (std::size_t i = 0; i < spec.domain.rank(); ++i) {
    const ValueId c = add_value({ScalarType::i64, {}, {}}, {}, f.region, static_cast<int>(i));
    program_.regions[f.region].args.push_back(c);
    scope.coords.push_back(c);
  }
  f.coords = scope.coords;
  return scope;
}

Scope Builder::begin_loop(OpKind kind, const LoopSpec &spec, LoopAttr attr) {
  std::vector<ValueId> operands;
  if (spec.predicate) operands.push_back(use(*spec.predicate));
  if (spec.domain.rank() == 0) error(Code::T0210, {});
  if (const DimId twice = repeated_dim(spec.domain); twice.valid())
    error(Code::T0203, {{"dim", program_.dim_text(twice)}});
  attr.domain = spec.domain;
  attr.name = unique_name(spec.name.empty() ? "i" : spec.name);
  if (spec.order) {
    if (spec.order->inputs() != static_cast<int>(spec.domain.rank()) ||
        spec.order->outputs() != static_cast<int>(spec.domain.rank()))
      error(Code::T0606, {{"nest", attr.name}, {"expected", std::to_string(spec.order->inputs())},
                          {"found", std::to_string(spec.domain.rank())}});
    attr.order = program_.layouts.push(*spec.order);
  }
  const OpId op = add_op(kind, std::move(operands), attr);
  Frame &f = open_frame(op, true);
  f.reduction = kind == OpKind::reduce_region;
  f.name = attr.name;
  f.region = f.insertion = add_region(op, f.level);
  Scope scope{op, f.level, {}, f.serial};
  for (std::size_t i = 0; i < spec.domain.rank(); ++i) {
    const ValueId c = add_value({ScalarType::i64, {}, {}}, {}, f.region, static_cast<int>(i));
    program_.regions[f.region].args.push_back(c);
    scope.coords.push_back(c);
  }
  f.coords = scope.coords;
  return scope;
}

// rule: CTX-SER
Scope Builder::begin_serial(const LoopSpec &spec) { return begin_loop(OpKind::serial, spec, {}); }

// rule: CTX-PIPE
Scope Builder::begin_pipeline(const LoopSpec &spec) {
  const PipelinePolicy &p = spec.pipeline;
  if (p.stages < 0 || p.initiation_interval < 0 || p.max_in_flight < 0)
    error(Code::T0607, {{"why", "stages, ii and max_in_flight are positive, or 0 to leave them open"}});
  LoopAttr attr;
  attr.pipeline = program_.policies.push(rule_broken(Rule::ctx_pipe) ? PipelinePolicy{} : p);
  return begin_loop(OpKind::pipeline, spec, std::move(attr));
}

// rule: CTX-RED
Scope Builder::begin_reduce(const LoopSpec &spec) {
  LoopAttr attr;
  attr.algebra = program_.algebras.push({spec.reduction, {}, {}});
  return begin_loop(OpKind::reduce_region, spec, std::move(attr));
}

// rule: CTX-STAGE
void Builder::stage(std::string label) {
  Frame &f = top();
  if (!f.op.valid() || program_.ops[f.op].kind != OpKind::pipeline)
    return error(Code::T0601, {}, "move it to the top level of the pipeline's body");
  f.insertion = f.region;
  const OpId op = add_op(OpKind::stage, {}, StageAttr{std::move(label)});
  const RegionId region = add_region(op, f.level);
  f.insertion = region;
}

void Builder::begin_arm() {
  Frame &f = top();
  local_to_reduce_ = f.lost_before;
  f.region = f.insertion = add_region(f.op, f.level);
}

void Builder::close_arm(Frame &f) {
  if (program_.ops[f.op].regions.empty()) { // between `switch` and its first arm
    if (!program_.regions[f.region].ops.empty())
      error(Code::T0604, {{"what", "a `switch` holds only cases"}}, "move the statement into a case");
    else
      program_.regions.pop();
    f.defs.clear();
    f.declared.clear();
    return;
  }
  f.lost_after.insert(local_to_reduce_.begin(), local_to_reduce_.end());
  f.arm_defs.push_back(std::move(f.defs));
  f.defs.clear();
  f.declared.clear();
}

void Builder::begin_if(ValueId condition) {
  condition = use(condition);
  const TileType &t = type(condition);
  if (t.elem != ScalarType::boolean)
    error(Code::T0105, {{"what", "the condition of `if`"}, {"type", program_.type_text(t)}});
  else if (t.space.rank() != 0 || !t.active.empty())
    error(Code::T0106, {{"what", "the condition of `if`"}, {"type", program_.type_text(t)}},
          "use `ite` for a choice per element");
  const OpId op = add_op(OpKind::if_, {condition}, {});
  open_frame(op, false);
  begin_arm();
}

void Builder::begin_else() {
  Frame &f = top();
  if (!f.op.valid() || program_.ops[f.op].kind != OpKind::if_ || program_.ops[f.op].regions.size() != 1)
    return error(Code::T0604, {{"what", "`else` without its `if`"}});
  close_arm(f);
  begin_arm();
}

void Builder::begin_switch(ValueId selector) {
  selector = use(selector);
  const TileType &t = type(selector);
  if (t.space.rank() != 0 || !t.active.empty())
    error(Code::T0106, {{"what", "the selector of `switch`"}, {"type", program_.type_text(t)}});
  else if (!is_integer(t.elem))
    error(Code::T0107, {{"what", "the selector of `switch`"}, {"type", program_.type_text(t)}});
  else if (is_packed(t.elem))
    error(Code::T0108, {{"what", "the selector of `switch`"}, {"type", std::string(to_string(t.elem))}},
          cast_to_compute(t.elem));
  const OpId op = add_op(OpKind::switch_, {selector}, SwitchAttr{});
  Frame &f = open_frame(op, false);
  f.region = f.insertion = add_region({}, f.level); // nothing may stand before the first arm
}

void Builder::begin_case(std::int64_t v) {
  Frame &f = top();
  if (!f.op.valid() || program_.ops[f.op].kind != OpKind::switch_)
    return error(Code::T0604, {{"what", "`case` outside a `switch`"}});
  auto &cases = std::get<SwitchAttr>(program_.ops[f.op].attr).cases;
  if (std::find(cases.begin(), cases.end(), v) != cases.end())
    error(Code::T0604, {{"what", "case " + std::to_string(v) + " stands twice"}});
  if (program_.ops[f.op].regions.size() > cases.size())
    error(Code::T0604, {{"what", "a `case` after the `default`"}});
  const ScalarType elem = type(program_.ops[f.op].operands[0]).elem;
  const int bits = bit_width(elem) - (is_signed(elem) ? 1 : 0);
  const bool below = v < 0 && (!is_signed(elem) || (bits < 63 && v < -(std::int64_t{1} << bits)));
  if (is_integer(elem) && (below || (bits < 63 && v >= std::int64_t{1} << bits)))
    error(Code::T0103, {{"literal", std::to_string(v)}, {"type", std::string(to_string(elem))}});
  close_arm(f);
  cases.push_back(v);
  begin_arm();
}

void Builder::begin_default() {
  Frame &f = top();
  if (!f.op.valid() || program_.ops[f.op].kind != OpKind::switch_)
    return error(Code::T0604, {{"what", "`default` outside a `switch`"}});
  if (program_.ops[f.op].regions.size() > std::get<SwitchAttr>(program_.ops[f.op].attr).cases.size())
    return error(Code::T0604, {{"what", "a second `default`"}});
  close_arm(f);
  begin_arm();
}

void Builder::begin_while() {
  const OpId op = add_op(OpKind::while_, {}, {});
  Frame &f = open_frame(op, true);
  f.region = f.insertion = add_region(op, f.level);
}

void Builder::while_condition(ValueId condition) {
  Frame &f = top();
  if (!f.op.valid() || program_.ops[f.op].kind != OpKind::while_ || f.while_body)
    return error(Code::T0604, {{"what", "a `while` condition outside its `while`"}});
  condition = use(condition);
  const TileType &t = type(condition);
  if (t.elem != ScalarType::boolean)
    error(Code::T0105, {{"what", "the condition of `while`"}, {"type", program_.type_text(t)}});
  else if (t.space.rank() != 0 || !t.active.empty())
    error(Code::T0106, {{"what", "the condition of `while`"}, {"type", program_.type_text(t)}});
  if (!f.assigned.empty())
    error(Code::T0604, {{"what", "the condition of `while` assigns a variable from outside"}},
          "assign it in the body");
  program_.regions[f.region].yields = {condition};
  f.while_body = true;
  f.insertion = add_region(f.op, f.level); // arguments stay with the condition's region
}

void Builder::end() {
  if (frames_.size() <= 1) return error(Code::T0604, {{"what", "nothing is open here"}});
  Frame f = std::move(frames_.back());
  frames_.pop_back();
  if (program_.ops[f.op].kind == OpKind::while_ && !f.while_body) {
    error(Code::T0604, {{"what", "a `while` without a condition"}});
    return;
  }
  if (!program_.ops[f.op].regions.size()) { // a switch without arms
    frames_.push_back(std::move(f));
    begin_default();
    f = std::move(frames_.back());
    frames_.pop_back();
  }
  if (f.contract) return error(Code::T0604, {{"what", "a contract that gives nothing"}});
  // A value that one way through the region does not give is none after it.
  if (f.loop_like) {
    close_loop(f);
    local_to_reduce_.insert(f.lost_before.begin(), f.lost_before.end());
  } else {
    close_arms(f);
    local_to_reduce_ = std::move(f.lost_after);
  }
}

// rule: VAL-CARRY
void Builder::close_loop(Frame &f) {
  const RegionId yielding = f.while_body ? program_.ops[f.op].regions[1] : f.region;
  std::vector<ValueId> results;
  for (VarId var : f.assigned) {
    auto arg = f.args.find(var);
    if (f.reduction && arg == f.args.end()) {
      // Each contribution writes it before it reads: local (RED-LAW), no value leaves.
      local_to_reduce_.insert(var);
      continue;
    }
    ValueId inside, outside;
    if (arg != f.args.end()) {
      std::tie(inside, outside) = arg->second;
    } else {
      outside = read_in(frames_.size() - 1, var);
      inside = add_value(program_.values[outside].type, {}, f.region, 0);
    }
    // A variable that lost its value inside stays lost; give the carry something defined.
    ValueId yielded = f.defs[var];
    const TileType outer_type = program_.values[outside].type;
    if (program_.values[yielded].type.active != outer_type.active) {
      error(Code::T0213, {{"var", program_.variables[var].name}},
            "give both the same index set with `restrict`, or total values with `ite`");
    }
    Region &r = program_.regions[f.region];
    program_.values[inside].index = static_cast<int>(r.args.size());
    r.args.push_back(inside);
    program_.regions[yielding].yields.push_back(yielded);
    program_.ops[f.op].operands.push_back(outside);
    program_.ops[f.op].carries.push_back(var);
    const ValueId result =
        add_value(outer_type, f.op, {}, static_cast<int>(program_.ops[f.op].results.size()));
    program_.ops[f.op].results.push_back(result);
    if (f.reduction && !rule_broken(Rule::ctx_red)) {
      const AlgebraId algebra = std::get<LoopAttr>(program_.ops[f.op].attr).algebra;
      program_.algebras[algebra].states.push_back({var, {}});
    }
    // It is carried, whatever was read first: its assignments have a definition before them.
    for (const auto &[assigned, op] : f.blind)
      if (assigned == var) program_.ops[op].operands.push_back(inside);
    f.args.erase(var);
    define(var, result);
  }
  for (const auto &[var, arg] : f.args) replaced_[arg.first] = arg.second;
  last_op_ = f.op;
  if (f.reduction) require_contracted_states(f);
}

void Builder::close_arms(Frame &f) {
  close_arm(f);
  const std::size_t cases = program_.ops[f.op].kind == OpKind::if_
                                ? 1 : std::get<SwitchAttr>(program_.ops[f.op].attr).cases.size();
  while (program_.ops[f.op].regions.size() <= cases) { // no else, no default: an empty arm
    add_region(f.op, f.level);
    f.arm_defs.emplace_back();
    f.lost_after.insert(f.lost_before.begin(), f.lost_before.end());
  }
  const std::vector<RegionId> arms = program_.ops[f.op].regions;
  for (VarId var : f.assigned) {
    const ValueId outside = read_in(frames_.size() - 1, var);
    const std::vector<ValueId> active = program_.values[outside].type.active;
    bool same = true;
    for (std::size_t a = 0; a < arms.size(); ++a) {
      auto at = f.arm_defs[a].find(var);
      const ValueId yielded = at == f.arm_defs[a].end() ? outside : at->second;
      program_.regions[arms[a]].yields.push_back(yielded);
      same &= program_.values[yielded].type.active == active;
    }
    if (!same)
      error(Code::T0213, {{"var", program_.variables[var].name}},
            "give both the same index set with `restrict`, or total values with `ite`");
    program_.ops[f.op].carries.push_back(var);
    const TileType result_type = program_.values[outside].type;
    const ValueId result = add_value(result_type, f.op, {}, static_cast<int>(program_.ops[f.op].results.size()));
    program_.ops[f.op].results.push_back(result);
    define(var, result);
  }
  last_op_ = f.op;
}

// rule: SYNC
void Builder::sync(LevelId nest) {
  if (top().level != nest || nest == TileProgram::root())
    return error(Code::T0602, {{"nest", program_.levels[nest].name},
                               {"why", "it is not the innermost enclosing parallel"}});
  add_op(OpKind::sync, {}, ParallelAttr{nest});
}

// rule: CTX-MAP
std::vector<ValueId> Builder::coord(const Scope &scope) {
  std::vector<Operand> inputs;
  std::vector<LevelId> path;
  for (LevelId l = scope.level; l != TileProgram::root(); l = program_.levels[l].parent) path.push_back(l);
  std::reverse(path.begin(), path.end());
  std::vector<ValueId> current;
  for (LevelId l : path) {
    const OpId op = program_.levels[l].op;
    std::vector<Operand> in(current.begin(), current.end());
    const Region &r = program_.regions[program_.ops[op].regions[0]];
    for (std::size_t i = 0; i < program_.levels[l].domain.rank(); ++i) in.push_back(r.args[i]);
    std::vector<ValueId> next;
    const LayoutId map = program_.levels[l].map;
    if (!map.valid() || rule_broken(Rule::ctx_map)) {
      for (const Operand &o : in) next.push_back(std::get<ValueId>(o));
    } else {
      const Map m = program_.layouts[map];
      if (m.inputs() != static_cast<int>(in.size())) {
        error(Code::T0606, {{"nest", program_.levels[l].name}, {"expected", std::to_string(m.inputs())},
                            {"found", std::to_string(in.size())}});
        return current;
      }
      for (int o = 0; o < m.outputs(); ++o) {
        std::vector<ValueId> operands;
        for (const Operand &x : in) operands.push_back(std::get<ValueId>(x));
        next.push_back(value_op(OpKind::map_coord, std::move(operands), MapAttr{map, o}));
      }
    }
    current = std::move(next);
  }
  // A temporal scope appends its own coordinates to the path of its level.
  const OpKind kind = program_.ops[scope.op].kind;
  if (kind != OpKind::parallel)
    for (ValueId c : scope.coords) current.push_back(c);
  return current;
}

// rule: CTX-INFER
std::vector<ValueId> Builder::infer_coordinates(Scope &scope, ViewId view) {
  Level &level = program_.levels[scope.level];
  const View &v = program_.views[view];
  for (Frame &f : frames_) {
    if (f.serial != scope.serial) continue;
    if (f.coords.empty()) {
      if (v.space.rank() == 0) {
        error(Code::T0605, {{"nest", level.name}, {"why", "`" + v.name + "` is a scalar"}}, "give a domain");
        return {};
      }
      f.inferred_from = v.name;
      for (std::size_t i = 0; i < v.space.rank(); ++i) {
        level.domain.factors.push_back({dim(level.name + std::to_string(i)), v.space.factors[i].extent});
        const ValueId c = add_value({ScalarType::i64, {}, {}}, {}, f.region, static_cast<int>(i));
        program_.regions[f.region].args.push_back(c);
        f.coords.push_back(c);
      }
    } else if (f.coords.size() != v.space.rank()) {
      error(Code::T0605, {{"nest", level.name},
                          {"why", "`" + v.name + "` has rank " + std::to_string(v.space.rank()) +
                                      ", `" + f.inferred_from + "` rank " + std::to_string(f.coords.size())}},
            "give a domain");
    } else {
      for (std::size_t i = 0; i < v.space.rank(); ++i) {
        const Factor &mine = level.domain.factors[i];
        const Extent &theirs = v.space.factors[i].extent;
        const Judged judged = judge_equal(mine.extent, theirs);
        if (judged == Judged::no)
          error(Code::T0605, {{"nest", level.name},
                              {"why", "`" + v.name + "` has extent " + program_.extent_text(theirs) + " at axis " +
                                          std::to_string(i) + ", `" + f.inferred_from + "` " +
                                          program_.extent_text(mine.extent)}},
                "give a domain");
        else if (judged == Judged::unknown)
          program_.constraints.push_back({{mine.extent, theirs, mine.dim}, Code::T0605, site_, level.name, false, {},
                                          "`" + f.inferred_from + "` and `" + v.name + "` differ in extent at axis " + std::to_string(i)});
      }
    }
    scope.coords = f.coords;
    return f.coords;
  }
  error(Code::T0608, {{"nest", level.name}});
  return {};
}

} // namespace tilenest
