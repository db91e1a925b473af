// SPDX-License-Identifier: Apache-2.0
// Builder: sites, declarations, variables, and the end of a capture.
#include "semantics/diag/codes.h"
#include "semantics/program/builder.h"
#include "semantics/program/call_arguments.h"
#include "semantics/program/signature.h"
#include <algorithm>

namespace tilenest {

Builder::Builder(std::string kernel_name) {
  program_.name = std::move(kernel_name);
  Level root;
  root.name = "root";
  program_.levels.push(std::move(root));
  Frame frame;
  frame.level = TileProgram::root();
  frame.region = frame.insertion = program_.body = add_region({}, frame.level);
  frames_.push_back(std::move(frame));
}

void Builder::at(Site site) { site_ = program_.sites.push(std::move(site)); }

void Builder::error(Code code, std::vector<std::pair<std::string, std::string>> args, std::string help) {
  diagnostics_.emplace_back(code, program_.site(site_), std::move(args), std::move(help));
}

std::string Builder::unique_name(std::string name) {
  if (name.empty()) name = "x";
  if (names_[name].count++ == 0) return name;
  // What has its name from another name shares the numbers of that one: chains of views do not grow their names.
  if (const std::string &base = names_[name].base; !base.empty()) name = std::string(base);
  int &count = names_[name].count;
  std::string candidate;
  do candidate = name + "_" + std::to_string(count++);
  while (names_.count(candidate));
  names_[candidate] = {1, name};
  return candidate;
}

// --- declarations ---

Extent Builder::extent_param(const std::string &name) {
  for (std::size_t i = 0; i < program_.params.size(); ++i)
    if (program_.params[ParamId(i)].name == name) return Extent::parameter(ParamId(i));
  return Extent::parameter(program_.params.push({name}));
}

// rule: DIM-ID
DimId Builder::dim(std::string label) { return program_.dims.push({std::move(label), -1}); }

// rule: DIM-POS
DimId Builder::positional_dim(int from_right) {
  if (rule_broken(Rule::dim_pos)) return program_.dims.push({"", from_right});
  auto [at, fresh] = positional_.try_emplace(from_right);
  if (fresh) at->second = program_.dims.push({"", from_right});
  return at->second;
}

Space Builder::positional_space(std::span<const Extent> extents) {
  Space s;
  for (std::size_t i = 0; i < extents.size(); ++i)
    s.factors.push_back({positional_dim(static_cast<int>(extents.size() - 1 - i)), extents[i]});
  return s;
}

ViewId Builder::argument(std::string name, ScalarType elem, std::vector<Extent> shape, ArgumentAccess access) {
  Object object;
  object.name = unique_name(name);
  object.elem = elem;
  object.shape = shape;
  object.access = access;
  object.owner = TileProgram::root();
  object.site = site_;
  const ObjectId id = program_.objects.push(object);
  program_.arguments.push_back(id);
  return program_.views.push({object.name, id, elem, positional_space(shape), site_});
}

ViewId Builder::with_dims(ViewId view, std::span<const DimId> dims, std::string name) {
  View v = program_.views[view];
  if (dims.size() != v.space.rank()) {
    error(Code::T0214, {{"what", "`with_dims` of `" + v.name + "`"}, {"expected", std::to_string(v.space.rank())},
                        {"found", std::to_string(dims.size())}});
    return view;
  }
  for (std::size_t i = 0; i < dims.size(); ++i) v.space.factors[i].dim = dims[i];
  if (const DimId twice = repeated_dim(v.space); twice.valid()) {
    error(Code::T0203, {{"dim", program_.dim_text(twice)}});
    return view;
  }
  v.name = unique_name(name);
  v.site = site_;
  return program_.views.push(std::move(v));
}

ViewId Builder::view_as(ViewId view, ScalarType elem, std::string name) {
  View v = program_.views[view];
  const int from = bit_width(v.elem), to = bit_width(elem);
  std::string why;
  if (v.space.rank() == 0 && from != to)
    why = "a scalar keeps its width";
  else if (from > to)
    v.space.factors.back().extent = v.space.factors.back().extent.times(from / to);
  else if (from < to) {
    const Extent &last = v.space.factors.back().extent;
    if (last.mod(to / from).constant() != 0)
      why = "its last axis is not known to be a multiple of " + std::to_string(to / from) + " elements";
    v.space.factors.back().extent = last.floor_div(to / from);
  }
  if (!why.empty()) {
    error(Code::T0403, {{"view", v.name}, {"from", std::string(to_string(v.elem))},
                        {"to", std::string(to_string(elem))}, {"why", why}});
    return view;
  }
  v.elem = elem;
  v.name = unique_name(name);
  v.site = site_;
  return program_.views.push(std::move(v));
}

ViewId Builder::memory(std::string name, ScalarType elem, Space space, std::optional<Map> layout,
                       std::string resource) {
  if (const DimId twice = repeated_dim(space); twice.valid())
    error(Code::T0203, {{"dim", program_.dim_text(twice)}});
  Object object;
  object.kind = ObjectKind::memory;
  object.name = unique_name(name);
  object.elem = elem;
  for (const Factor &f : space.factors) object.shape.push_back(f.extent);
  object.access = ArgumentAccess::mut;
  object.owner = top().level;
  object.resource = std::move(resource);
  object.site = site_;
  if (layout) {
    if (layout->inputs() != static_cast<int>(space.rank()) || layout->outputs() != 1)
      error(Code::T0404, {{"memory", object.name}, {"found", std::to_string(layout->inputs())},
                          {"expected", std::to_string(space.rank())}});
    else
      object.layout = program_.layouts.push(std::move(*layout));
  }
  const ObjectId id = program_.objects.push(object);
  add_op(OpKind::memory, {}, MemoryAttr{id});
  return program_.views.push({object.name, id, elem, std::move(space), site_});
}

// --- variables ---

VarId Builder::declare(std::string name, ValueId v) {
  v = use(v);
  Variable var;
  var.name = unique_name(std::move(name));
  var.type = program_.values[v].type;
  var.declared = top().level;
  var.site = site_;
  const VarId id = program_.variables.push(var);
  top().declared.push_back(id);
  const OpId op = add_op(OpKind::assign, {v}, AssignAttr{id, true});
  const ValueId result = add_value(program_.values[v].type, op, {}, 0);
  program_.ops[op].results = {result};
  program_.values[result].poisoned = program_.values[v].poisoned;
  top().defs[id] = result;
  return id;
}

bool Builder::in_scope(VarId var) const {
  for (const Frame &f : frames_)
    if (std::find(f.declared.begin(), f.declared.end(), var) != f.declared.end()) return true;
  return false;
}

// rule: VAL-OWN
void Builder::assign(VarId var, ValueId v) {
  const Variable &variable = program_.variables[var];
  if (!in_scope(var)) return error(Code::T0502, {{"var", variable.name}});
  v = use(v);
  const TileType &found = program_.values[v].type;
  const bool poisoned = program_.values[v].poisoned;
  std::vector<Constraint> open;
  bool same = variable.type.elem == found.elem && variable.type.space.rank() == found.space.rank();
  for (std::size_t i = 0; same && i < found.space.rank(); ++i) {
    const Factor &e = variable.type.space.factors[i], &f = found.space.factors[i];
    const Judged judged = judge_equal(e.extent, f.extent);
    same = e.dim == f.dim && judged != Judged::no;
    if (judged == Judged::unknown)
      open.push_back({{e.extent, f.extent, e.dim}, Code::T0215, site_, variable.name});
  }
  if (!same && !poisoned)
    return error(Code::T0501, {{"var", variable.name}, {"expected", program_.type_text(variable.type, &found.space)},
                               {"found", program_.type_text(found, &variable.type.space)}},
                 "a variable keeps its type and space; declare another one, or `cast`, `relabel` or `broadcast`");
  leave_open(std::move(open), candidate(OpKind::assign, {v}, {}));
  // A variable that a reduce left without a value gets one again.
  std::vector<ValueId> operands = {v};
  const bool lost = local_to_reduce_.erase(var) > 0;
  if (!lost)
    if (const auto before = peek_in(frames_.size() - 1, var)) operands.push_back(*before);
  const bool blind = !lost && operands.size() == 1;
  const OpId op = add_op(OpKind::assign, std::move(operands), AssignAttr{var, false});
  if (blind) std::find_if(frames_.rbegin(), frames_.rend(), [](const Frame &f) { return f.loop_like; })->blind.emplace_back(var, op);
  TileType type = program_.values[v].type;
  type.space = variable.type.space;
  const ValueId result = add_value(std::move(type), op, {}, 0);
  program_.ops[op].results = {result};
  program_.values[result].poisoned = poisoned;
  define(var, result);
}

void Builder::define(VarId var, ValueId v) {
  Frame &f = top();
  f.defs[var] = v;
  const bool mine = std::find(f.declared.begin(), f.declared.end(), var) != f.declared.end();
  if (!mine && std::find(f.assigned.begin(), f.assigned.end(), var) == f.assigned.end())
    f.assigned.push_back(var);
}

ValueId Builder::read(VarId var) {
  if (!in_scope(var)) {
    error(Code::T0502, {{"var", program_.variables[var].name}});
    return poison(program_.variables[var].type);
  }
  if (local_to_reduce_.count(var)) {
    error(Code::T0503, {{"var", program_.variables[var].name}},
          "declare it inside the reduce, or make it a state: `s = s + c`");
    return poison(program_.variables[var].type);
  }
  for (const Frame &f : frames_) // a contract takes its states as operands
    if (f.contract) {
      const auto &contracts = program_.algebras[std::get<LoopAttr>(program_.ops[f.op].attr).algebra].contracts;
      const std::vector<VarId> &states = contracts.back().states;
      if (std::find(states.begin(), states.end(), var) == states.end()) continue;
      refuse_contract("it reads `" + program_.variables[var].name + "`, a state, and not an operand of the merge");
      return poison(program_.variables[var].type);
    }
  return read_in(frames_.size() - 1, var);
}

ValueId Builder::read_in(std::size_t frame, VarId var) {
  Frame &f = frames_[frame];
  if (auto at = f.defs.find(var); at != f.defs.end()) return at->second;
  const ValueId outer = read_in(frame - (f.contract ? 2 : 1), var);
  Frame &g = frames_[frame];
  if (!g.loop_like) return outer;
  const ValueId arg = add_value(program_.values[outer].type, {}, g.region, 0);
  program_.values[arg].poisoned = program_.values[outer].poisoned;
  g.args[var] = {arg, outer};
  g.defs[var] = arg;
  return arg;
}

std::optional<ValueId> Builder::peek_in(std::size_t frame, VarId var) {
  for (std::size_t i = frame + 1; i-- > 0;) {
    if (frames_[i].defs.count(var)) return read_in(frame, var);
    if (frames_[i].reduction) return std::nullopt;
  }
  return std::nullopt;
}

// --- values and operations ---

ValueId Builder::add_value(TileType type, OpId op, RegionId region, int index) {
  Value v;
  v.type = std::move(type);
  v.op = op;
  v.region = region;
  v.index = index;
  return program_.values.push(std::move(v));
}

ValueId Builder::poison(TileType type) {
  // Defined by a literal operation of its own, so that every value has a definition even after an error.
  const OpId op = add_op(OpKind::constant, {}, LiteralAttr{type.elem, std::int64_t{0}});
  const ValueId v = add_value(std::move(type), op, {}, 0);
  program_.ops[op].results = {v};
  program_.values[v].poisoned = true;
  return v;
}

OpId Builder::add_op(OpKind kind, std::vector<ValueId> operands, Attributes attr) {
  Op op;
  op.kind = kind;
  op.operands = std::move(operands);
  op.attr = std::move(attr);
  op.parent = insertion();
  op.site = site_;
  op.call = call_;
  last_op_ = program_.ops.push(std::move(op));
  program_.regions[insertion()].ops.push_back(last_op_);
  return last_op_;
}

ValueId Builder::use(ValueId v) {
  const Value &value = program_.values[v];
  RegionId home = value.op.valid() ? program_.ops[value.op].parent : value.region;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame &f = frames_[i];
    if (f.region == home || f.insertion == home) return v;
    if (f.contract) --i; // past the body of its reduce
    // An earlier stage of the same pipeline, the condition of the same while.
    if (program_.regions[home].op.valid() && !f.contract) {
      const OpId holder = program_.regions[home].op;
      if (program_.ops[holder].kind == OpKind::stage && program_.ops[holder].parent == f.region) return v;
      if (f.while_body && holder == f.op) return v;
    }
  }
  error(Code::T0504, {}, "declare a variable outside the region and assign it inside");
  return poison(value.type);
}

bool Builder::checked(const Op &op, Signature &out) {
  for (ValueId v : op.operands)
    if (program_.values[v].poisoned) { // its cause is reported already
      out = signature(program_, op);
      return false;
    }
  out = signature(program_, op);
  for (Diagnostic &d : out.errors)
    diagnostics_.push_back(std::move(d.from_arguments(from_arguments(program_, call_, op))));
  if (!out.errors.empty()) return false;
  leave_open(std::move(out.open), op);
  return true;
}

void Builder::leave_open(std::vector<Constraint> constraints, const Op &op) {
  if (constraints.empty()) return;
  const std::string from = from_arguments(program_, call_, op);
  for (Constraint &c : constraints) {
    c.from = from;
    program_.constraints.push_back(std::move(c));
  }
}

Op Builder::candidate(OpKind kind, const std::vector<ValueId> &operands, const Attributes &attr) const {
  Op op;
  op.kind = kind;
  op.operands = operands;
  op.attr = attr;
  op.site = site_;
  return op;
}

ValueId Builder::value_op(OpKind kind, std::vector<ValueId> operands, Attributes attr) {
  for (ValueId &v : operands) v = use(v);
  Signature s;
  if (!checked(candidate(kind, operands, attr), s)) return poison(s.type);
  if (s.type.space.rank() > max_rank) {
    error(Code::L0102, {{"limit", std::to_string(max_rank)}});
    return poison({s.type.elem, {}, {}});
  }
  const OpId id = add_op(kind, std::move(operands), std::move(attr));
  const ValueId v = add_value(std::move(s.type), id, {}, 0);
  program_.ops[id].results = {v};
  return v;
}

void Builder::effect_op(OpKind kind, std::vector<ValueId> operands, Attributes attr) {
  for (ValueId &v : operands) v = use(v);
  Signature s;
  if (checked(candidate(kind, operands, attr), s)) add_op(kind, std::move(operands), std::move(attr));
}

void Builder::pin_anchor(LevelId level) {
  if (!last_op_.valid()) return;
  program_.ops[last_op_].anchor = level;
  program_.ops[last_op_].pinned = true;
}

// --- calls of the library ---

void Builder::begin_call(std::string function, std::vector<CallArgument> arguments) {
  if (call_depth_++ > 0) return;
  site_of_call_ = site_;
  Site site = program_.site(site_);
  site.within = function;
  at(std::move(site));
  call_ = program_.calls.push({std::move(function), std::move(arguments), {}, {}});
}

void Builder::end_call(std::span<const ValueId> results) {
  if (--call_depth_ > 0) return;
  program_.calls[call_].results.assign(results.begin(), results.end());
  call_ = CallId();
  site_ = site_of_call_;
}

void Builder::demand(Constraint constraint) {
  constraint.site = site_of_call_;
  program_.calls[call_].demands.push_back(std::move(constraint));
}

// --- the end of a capture ---

Result<TileProgram> Builder::finish() {
  while (frames_.size() > 1) {
    error(Code::T0604, {{"what", "`" + frames_.back().name + "` is not closed"}});
    end();
  }
  if (has_error(diagnostics_)) return diagnostics_;
  // Provisional arguments that carry nothing stand for the definition outside.
  auto resolve = [&](ValueId v) {
    for (auto at = replaced_.find(v); at != replaced_.end(); at = replaced_.find(v)) v = at->second;
    return v;
  };
  for (Op &op : program_.ops)
    for (ValueId &v : op.operands) v = resolve(v);
  for (Region &r : program_.regions)
    for (ValueId &v : r.yields) v = resolve(v);
  auto resolve_active = [&](TileType &t) {
    for (ValueId &v : t.active) v = resolve(v);
    std::sort(t.active.begin(), t.active.end());
    t.active.erase(std::unique(t.active.begin(), t.active.end()), t.active.end());
  };
  for (Value &v : program_.values) resolve_active(v.type);
  for (Variable &v : program_.variables) resolve_active(v.type);
  for (LibraryCall &c : program_.calls) {
    for (ValueId &v : c.results) v = resolve(v);
    for (CallArgument &a : c.arguments)
      if (auto *values = std::get_if<std::vector<ValueId>>(&a.value))
        for (ValueId &v : *values) v = resolve(v);
  }
  return std::move(program_);
}

} // namespace tilenest
