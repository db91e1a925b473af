// SPDX-License-Identifier: Apache-2.0
// Random declarations, statements and regions.
#include "semantics/library/contracts.h"
#include "tests/text/random_state.h"
#include <algorithm>

namespace tilenest {

namespace {
constexpr int deepest_nesting = 4;
}

Generator::Generator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1), b_("k"), fuel_(60 + static_cast<int>(seed % 120)) {}

std::uint64_t Generator::next() { // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Names that a front end may hand over: plain, repeated, words of the language, not even identifiers.
std::string Generator::any_name() {
  static const std::vector<std::string> names = {"x",   "y",   "acc", "m",  "n",    "sum", "max",   "in",    "out",
                                                 "index", "v0", "a b", "",   "7up", "kernel", "exp", "zero", "i0",
                                                 "f32", "root", "x_1", "T",  "M",   "extent", "\xc3\xa9t\xc3\xa9", "where", "assume"};
  return pick(names);
}

// A type that any view of `t` can be seen as.
ScalarType Generator::narrower(ScalarType t) {
  for (;;)
    if (const ScalarType n = any_type(); n != t && bit_width(n) <= bit_width(t)) return n;
}

Extent Generator::any_extent() {
  switch (below(8)) {
  case 0: return pick(params_);
  case 1: return pick(params_).ceil_div(1 + below(8));
  case 2: return pick(params_).floor_div(2 + below(4)) + Extent(below(3));
  case 3: return pick(params_).times(2) + pick(params_).plus(below(4)).mod(3);
  case 4: return pick(params_).times(1 + below(3)) + Extent(1);
  case 5: return Extent(0);
  default: return Extent(1 + below(5));
  }
}

DimId Generator::fresh_dim() {
  const DimId d = b_.dim(any_name());
  dims_.emplace_back(d, any_extent());
  return d;
}

// A dim mostly stands with one extent, so that operands agree.
Factor Generator::any_factor() {
  if (dims_.size() < 6 && chance(30)) fresh_dim();
  if (dims_.empty() || chance(15)) {
    const int position = below(3);
    return {b_.positional_dim(position), Extent(2 + position)};
  }
  const auto &[d, e] = pick(dims_);
  return {d, e};
}

Space Generator::any_space(int most_rank) {
  Space s;
  for (int n = below(most_rank + 1); n > 0; --n)
    if (const Factor f = any_factor(); s.find(f.dim) < 0) s.factors.push_back(f);
  return s;
}

IndexExpr Generator::any_index(int inputs, int depth) {
  if (depth > 3 || chance(35)) {
    if (inputs > 0 && chance(70)) return index_input(below(inputs));
    return chance(50) ? index_extent(any_extent()) : index_extent(Extent(below(9) - 4));
  }
  const auto kind = static_cast<IndexNode::Kind>(static_cast<int>(IndexNode::Kind::add) + below(8));
  IndexExpr a = any_index(inputs, depth + 1);
  return index_binary(kind, std::move(a), any_index(inputs, depth + 1));
}

Map Generator::any_map(int inputs, int outputs) {
  if (outputs == 1 && chance(40)) {
    std::vector<Extent> strides;
    for (int i = 0; i < inputs; ++i) strides.push_back(any_extent());
    return Map::strided(std::move(strides), chance(50) ? Extent(0) : any_extent());
  }
  std::vector<IndexExpr> out;
  for (int i = 0; i < outputs; ++i) out.push_back(any_index(inputs, 0));
  return Map::expressions(inputs, std::move(out));
}

void Generator::reset(const Marks &m) {
  values_.resize(m.values);
  variables_.resize(m.variables);
  views_.resize(m.views);
  scopes_.resize(m.scopes);
  levels_.resize(m.levels);
}

void Generator::pin() {
  if (chance(4)) b_.pin_anchor(any_level());
}

// --- statements ---

void Generator::declare() {
  if (chance(10)) {
    Space s = any_space(2);
    if (s.rank() > 0 && !chance(20)) { // a ragged variable
      variables_.push_back(b_.declare(any_name(), ragged(any_type(), s, 1)));
      return;
    }
  }
  const ScalarType t = any_type();
  const ValueId v = value(t, any_space(3), 0);
  variables_.push_back(b_.declare(any_name(), v));
  pin();
}

void Generator::assign() {
  std::vector<VarId> fitting;
  for (VarId v : variables_)
    if (b_.program().variables[v].type.active.empty()) fitting.push_back(v);
  if (fitting.empty()) return declare();
  const VarId var = pick(fitting);
  const TileType type = b_.program().variables[var].type;
  // An update. A read whose value goes nowhere would make a state that no text shows.
  if (chance(60) && !lost_.count(var) && type.elem != ScalarType::boolean && !is_packed(type.elem)) {
    const ValueId old = b_.read(var);
    if (b_.type(old).active.empty()) {
      const Operand both[] = {old, operand(type.elem, type.space, 1)};
      const ValueId v = b_.elementwise(chance(50) ? OpKind::add : OpKind::max, both);
      b_.assign(var, v);
      lost_.erase(var);
      return pin();
    }
  }
  const ValueId v = value(type.elem, type.space, 1);
  b_.assign(var, v);
  lost_.erase(var);
  pin();
}

std::optional<Access> Generator::window_access(ScalarType *t, Space *s, bool) {
  std::vector<ViewId> fitting;
  for (ViewId v : views_)
    if (b_.program().objects[b_.program().views[v].object].access != ArgumentAccess::in) fitting.push_back(v);
  if (fitting.empty()) return std::nullopt;
  Access a;
  a.view = pick(fitting);
  const View view = b_.program().views[a.view];
  *t = view.elem;
  *s = {};
  for (std::size_t i = 0; i < view.space.rank(); ++i) {
    a.origin.push_back(index(1));
    WindowAxis axis;
    Factor f = any_factor();
    if (chance(30)) { // over the view's own dim
      f = {view.space.factors[i].dim, Extent(1 + below(4))};
    } else {
      axis.dim = f.dim;
    }
    axis.extent = f.extent;
    if (chance(40) || s->find(f.dim) >= 0)
      axis.point = true;
    else
      s->factors.push_back(f);
    a.window.push_back(axis);
  }
  if (s->rank() == 0 && chance(50)) a.window.clear();
  return a;
}

void Generator::store() {
  ScalarType t;
  Space s;
  auto a = window_access(&t, &s, true);
  if (!a) return declare();
  bounds(a->bounds, a->predicate, s, 2);
  if (chance(15) && s.rank() > 0) {
    const ValueId x = ragged(t, s, 1);
    b_.store(*a, x);
    return pin();
  }
  if (chance(40) && !is_packed(t)) {
    std::vector<AtomicKind> fitting;
    if (t != ScalarType::boolean) fitting = {AtomicKind::add, AtomicKind::min, AtomicKind::max};
    if (!is_float(t)) fitting.insert(fitting.end(), {AtomicKind::bit_and, AtomicKind::bit_or, AtomicKind::bit_xor});
    const Operand x = operand(t, s, 1);
    b_.atomic(*a, pick(fitting), x);
  } else {
    const Operand x = operand(t, s, 1);
    b_.store(*a, x);
  }
  pin();
}

void Generator::scatter() {
  std::vector<ViewId> fitting;
  for (ViewId v : views_)
    if (b_.program().objects[b_.program().views[v].object].access != ArgumentAccess::in) fitting.push_back(v);
  if (fitting.empty()) return declare();
  IndexedAccess a;
  a.view = pick(fitting);
  const View view = b_.program().views[a.view];
  const Space s = view.space.rank() == 0 ? Space() : any_space(2);
  a.index = indices(view.space.rank(), s, 2);
  bounds(a.bounds, a.predicate, s, 2);
  const Operand x = operand(view.elem, s, 1);
  std::optional<AtomicKind> reducer;
  if (chance(60) && !is_packed(view.elem)) {
    const bool bits = !is_float(view.elem) && (view.elem == ScalarType::boolean || chance(50));
    reducer = static_cast<AtomicKind>((bits ? 3 : 0) + below(3));
  }
  b_.scatter(a, x, reducer);
  pin();
}

void Generator::memory() {
  const Space s = any_space(3);
  std::optional<Map> layout;
  if (chance(40)) layout = any_map(static_cast<int>(s.rank()), 1);
  static const std::vector<std::string> resources = {"", "shared", "register file", "L1", "7\"x"};
  ViewId v = b_.memory(any_name(), any_type(), s, std::move(layout), pick(resources));
  pin();
  views_.push_back(v);
  if (chance(50)) {
    std::vector<DimId> dims;
    for (std::size_t i = 0; i < s.rank(); ++i) dims.push_back(fresh_dim());
    v = b_.with_dims(v, dims, any_name());
    views_.push_back(v);
  }
  if (chance(30) && s.rank() > 0) views_.push_back(b_.view_as(v, narrower(b_.program().views[v].elem), any_name()));
}

// --- regions ---

void Generator::body(int most) {
  ++depth_;
  const std::set<VarId> lost = lost_;
  statements(1 + below(most));
  lost_.insert(lost.begin(), lost.end()); // it may not have run
  --depth_;
}

void Generator::parallel() {
  ParallelSpec spec;
  spec.name = any_name();
  spec.domain = any_space(3);
  if (spec.domain.rank() == 0) spec.domain.factors.push_back(any_factor());
  if (chance(30)) spec.predicate = value(ScalarType::boolean, part_of(spec.domain), 2);
  static const std::vector<std::string> scopes = {"block", "warp", "my scope", "at"};
  if (chance(30)) spec.scope = pick(scopes);
  const int inputs = path_.back() + static_cast<int>(spec.domain.rank());
  int path = inputs;
  if (inferred_depth_ == 0 && chance(25)) {
    path = 1 + below(3);
    spec.map = any_map(inputs, path);
  }
  const Marks m = mark();
  const Scope scope = b_.begin_parallel(spec);
  pin();
  scopes_.push_back({scope, false, true});
  levels_.push_back(scope.level);
  path_.push_back(path);
  const bool sync = std::exchange(sync_allowed_, true), pipeline = std::exchange(in_pipeline_top_, false);
  body(5);
  sync_allowed_ = sync;
  in_pipeline_top_ = pipeline;
  path_.pop_back();
  reset(m);
  b_.end();
}

// CTX-INFER: whole index() addresses one object.
void Generator::inferred() {
  std::vector<ViewId> fitting;
  for (ViewId v : views_)
    if (b_.program().views[v].space.rank() > 0) fitting.push_back(v);
  if (fitting.empty()) return parallel();
  const ViewId view = pick(fitting);
  const Marks m = mark();
  ParallelSpec spec;
  spec.name = any_name();
  spec.infer = true;
  Scope scope = b_.begin_parallel(spec);
  scopes_.push_back({scope, true, true});
  levels_.push_back(scope.level);
  path_.push_back(0);
  ++inferred_depth_;
  ++depth_;
  const bool sync = std::exchange(sync_allowed_, true), pipeline = std::exchange(in_pipeline_top_, false);
  const std::set<VarId> lost = lost_;
  if (chance(50)) statements(1);
  const ScalarType t = b_.program().views[view].elem;
  auto access = [&] {
    Access a;
    a.view = view;
    for (ValueId c : b_.infer_coordinates(scope, view)) a.origin.push_back(c);
    return a;
  };
  const Access from = access();
  ValueId x = b_.load(from);
  if (chance(50)) x = keep(x);
  statements(1 + below(2));
  lost_.insert(lost.begin(), lost.end());
  if (b_.program().objects[b_.program().views[view].object].access != ArgumentAccess::in) {
    const Access to = access();
    if (chance(50)) x = scalar(t, 1);
    b_.store(to, x);
  }
  sync_allowed_ = sync;
  in_pipeline_top_ = pipeline;
  --depth_;
  --inferred_depth_;
  path_.pop_back();
  reset(m);
  b_.end();
}

// A random pure contract of the reduce that was begun. Returns its states.
std::vector<VarId> Generator::contract() {
  std::vector<VarId> fitting;
  for (VarId v : variables_) {
    const TileType &t = b_.program().variables[v].type;
    const auto &algebra = b_.program().algebras[AlgebraId(b_.program().algebras.size() - 1)];
    if (!lost_.count(v) && !algebra.contract_of(v) && t.active.empty() && t.elem != ScalarType::boolean && !is_packed(t.elem)) fitting.push_back(v);
  }
  if (fitting.empty()) return {};
  std::vector<VarId> states = {pick(fitting)};
  if (const VarId other = pick(fitting); other != states[0]) states.push_back(other);
  b_.begin_contract("", states, chance(70));
  std::vector<Operand> given;
  auto type_of = [&](VarId v) { return b_.program().variables[v].type; };
  for (VarId v : states) given.push_back(chance(70) ? any_literal(type_of(v).elem) : Operand(b_.full(type_of(v).elem, any_literal(type_of(v).elem), type_of(v).space)));
  b_.give(given);
  const std::vector<std::string> names = {any_name(), any_name()};
  const std::vector<ValueId> args = b_.begin_merge(names);
  given.clear();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const ValueId left = args[i], right = args[states.size() + i];
    const Operand both[] = {left, right};
    ValueId v = chance(20) ? right : b_.elementwise(chance(50) ? OpKind::add : OpKind::max, both);
    if (chance(30)) {
      const Operand chosen[] = {b_.elementwise(OpKind::lt, both), v, left};
      v = b_.elementwise(OpKind::ite, chosen);
    }
    if (chance(20)) v = b_.read(b_.declare(any_name(), v));
    given.push_back(v);
  }
  b_.give(given);
  return states;
}

void Generator::loop(OpKind kind) {
  LoopSpec spec;
  spec.name = any_name();
  spec.domain = any_space(2);
  if (spec.domain.rank() == 0) spec.domain.factors.push_back(any_factor());
  if (chance(25)) spec.predicate = value(ScalarType::boolean, part_of(spec.domain), 2);
  const int rank = static_cast<int>(spec.domain.rank());
  if (kind == OpKind::serial && chance(40)) spec.order = any_map(rank, rank);
  if (kind == OpKind::pipeline) spec.pipeline = {below(4), below(3), below(4)};
  spec.reduction = static_cast<ReductionPolicy>(below(4));
  // States for a contract of the library.
  const library::Contract *named = kind == OpKind::reduce_region && chance(30) ? &pick(contracts_) : nullptr;
  std::vector<VarId> states;
  if (named) {
    const ScalarType number = chance(50) ? ScalarType::f32 : ScalarType::f16, index = chance(50) ? ScalarType::i32 : ScalarType::i64;
    const bool places = named->name == std::string_view("topk"), indexed = places || named->name[0] == 'a';
    const Space space = places ? Space{{any_factor()}} : any_space(2);
    for (std::size_t i = 0; i < named->arity; ++i)
      states.push_back(b_.declare(any_name(), value(indexed && i == 1 ? index : number, space, 1)));
    variables_.insert(variables_.end(), states.begin(), states.end());
  }
  const Marks m = mark();
  const Scope scope = kind == OpKind::serial ? b_.begin_serial(spec)
                      : kind == OpKind::pipeline ? b_.begin_pipeline(spec) : b_.begin_reduce(spec);
  std::vector<VarId> contracted = states;
  if (named) library::declare(b_, *named, states);
  for (int n = kind == OpKind::reduce_region && chance(40) ? 1 + below(2) : 0; n > 0; --n)
    for (VarId v : contract()) contracted.push_back(v);
  pin();
  scopes_.push_back({scope, false, false});
  const bool sync = sync_allowed_, pipeline = std::exchange(in_pipeline_top_, kind == OpKind::pipeline);
  if (kind == OpKind::reduce_region) sync_allowed_ = false;
  for (VarId v : contracted) {
    const Operand both[] = {b_.read(v), any_literal(b_.program().variables[v].type.elem)};
    b_.assign(v, b_.elementwise(OpKind::add, both));
  }
  body(4);
  sync_allowed_ = sync;
  in_pipeline_top_ = pipeline;
  reset(m);
  b_.end();
  if (kind != OpKind::reduce_region) return;
  // What each contribution writes before it reads has no value from here on.
  std::set<VarId> assigned;
  const TileProgram &p = b_.program();
  for_each_op(p, p.ops[scope.op].regions[0], [&](const Op &op, OpId) {
    if (op.kind == OpKind::assign) assigned.insert(std::get<AssignAttr>(op.attr).var);
  });
  const auto &carries = p.ops[scope.op].carries;
  for (VarId v : variables_)
    if (assigned.count(v) && std::find(carries.begin(), carries.end(), v) == carries.end()) lost_.insert(v);
}

void Generator::branch() {
  const ValueId c = scalar(ScalarType::boolean, 1);
  const bool pipeline = std::exchange(in_pipeline_top_, false);
  b_.begin_if(c);
  pin();
  const Marks m = mark();
  body(3);
  reset(m);
  if (chance(60)) {
    b_.begin_else();
    if (chance(40) && depth_ < deepest_nesting) {
      ++depth_;
      branch();
      --depth_;
    } else {
      body(3);
    }
    reset(m);
  }
  b_.end();
  in_pipeline_top_ = pipeline;
}

void Generator::selection() {
  const bool may_be_negative = chance(50);
  const ValueId i = scalar(may_be_negative ? ScalarType::i64 : ScalarType::u8, 1);
  const bool pipeline = std::exchange(in_pipeline_top_, false);
  b_.begin_switch(i);
  pin();
  const Marks m = mark();
  std::set<std::int64_t> cases;
  for (int n = below(4); n > 0; --n) {
    const std::int64_t value = below(9) - (may_be_negative ? 3 : 0);
    if (!cases.insert(value).second) continue;
    b_.begin_case(value);
    if (chance(80)) body(2);
    reset(m);
  }
  if (chance(50)) {
    b_.begin_default();
    if (chance(80)) body(2);
    reset(m);
  }
  b_.end();
  in_pipeline_top_ = pipeline;
}

void Generator::rounds() {
  const bool pipeline = std::exchange(in_pipeline_top_, false);
  const Marks m = mark();
  b_.begin_while();
  if (chance(30)) keep(b_.broadcast(scalar(any_type(), 2), {})); // an operation, which text shows; a read alone leaves none
  const ValueId c = scalar(ScalarType::boolean, 1);
  b_.while_condition(c);
  body(3);
  reset(m);
  b_.end();
  pin();
  in_pipeline_top_ = pipeline;
}

void Generator::statement() {
  --fuel_;
  const bool nest = depth_ < deepest_nesting && fuel_ > 0;
  switch (below(nest ? 25 : 13)) {
  case 0:
  case 1:
  case 2: return declare();
  case 3:
  case 4:
  case 5: return assign();
  case 6:
  case 7: return store();
  case 8: return scatter();
  case 9: return memory();
  case 10: {
    static const std::vector<std::string> texts = {"", "in range", "a \"quoted\" \\ text", "line\nbreak\t\x01", "\xc3\xa9", "\xff"};
    b_.assert_(scalar(ScalarType::boolean, 1), pick(texts));
    return pin();
  }
  case 11:
    if (sync_allowed_ && levels_.size() > 1 && chance(70)) return b_.sync(levels_.back());
    { // a value, perhaps used later, perhaps not; an operation, since a read alone is nothing that text shows
      const Space space = any_space(2);
      keep(b_.broadcast(value(any_type(), space, 1), space));
    }
    return pin();
  case 12: return call();
  case 13:
  case 14:
  case 15: return parallel();
  case 16: return inferred();
  case 17: return loop(OpKind::serial);
  case 18: return loop(OpKind::pipeline);
  case 19:
  case 20: return loop(OpKind::reduce_region);
  case 21:
  case 22: return branch();
  case 23: return selection();
  default: return rounds();
  }
}

void Generator::statements(int most) {
  for (int i = 0; i < most && fuel_ > -40; ++i) {
    if (in_pipeline_top_ && chance(50)) {
      static const std::vector<std::string> labels = {"load", "", "compute", "two words", "\"q\""};
      b_.stage(pick(labels));
    }
    statement();
  }
}

Result<TileProgram> Generator::run() {
  levels_.push_back(TileProgram::root());
  static const std::vector<std::string> parameters = {"M", "N", "K", "steps", "x", "i0", "assume", "reduce_max", "extent"};
  const int count = 1 + below(3);
  for (int i = 0; i < count; ++i) params_.push_back(b_.extent_param(pick(parameters)));
  for (int n = 2 + below(6); n > 0; --n) {
    std::vector<Extent> shape;
    for (int rank = below(4); rank > 0; --rank) shape.push_back(any_extent());
    static const std::vector<std::string> functions = {"sum", "prod", "reduce_max", "exp", "exp_1", "iota", "broadcast", "reshape", "full",
                                                       "cast", "fallback", "predicate", "assume", "extent", "softmax", "take", "mma"};
    const ViewId v = b_.argument(chance(50) ? pick(functions) : any_name(), any_type(), std::move(shape), static_cast<ArgumentAccess>(below(3)));
    views_.push_back(v);
    const View view = b_.program().views[v];
    if (chance(30)) {
      std::vector<DimId> dims;
      for (std::size_t i = 0; i < view.space.rank(); ++i) dims.push_back(fresh_dim());
      views_.push_back(b_.with_dims(v, dims, any_name()));
      if (chance(50)) views_.push_back(b_.view_as(views_.back(), view.elem, any_name()));
    }
    if (chance(30) && view.space.rank() > 0) views_.push_back(b_.view_as(v, narrower(view.elem), any_name()));
  }
  statements(4 + below(8));
  return b_.finish();
}

Result<TileProgram> random_program(std::uint64_t seed) { return Generator(seed).run(); }

} // namespace tilenest
