// SPDX-License-Identifier: Apache-2.0
// Random statements and regions.
#include "tests/oracle/random_state.h"
#include <algorithm>

namespace tilenest::oracle {

// --- effects ---

void KernelGenerator::store() {
  const bool own = careful();
  if (own && !has_own() && levels_ > 0) return lifted();
  const auto s = storage(true, false);
  if (!s) return declare();
  line();
  const int width = s->per_word == 1 && chance(60) ? 1 + below(own ? own_width() : 3) : 0;
  ValueId x = width > 0 ? tile(width, 0) : scalar(0);
  if (width > 0 && chance(25)) x = b_.restrict(x, op(OpKind::lt, b_.iota({m_, Extent(width)}), std::int64_t{1 + below(width)}));
  Access a = at(*s, width > 0 ? index(own) : cell_index(*s, index(own)), width);
  if (width > 0 && chance(25)) {
    a.bounds = Bounds::predicate;
    a.predicate = op(OpKind::lt, op(OpKind::add, b_.iota({m_, Extent(width)}), a.origin[0]), std::int64_t{size - below(2)});
  } else if (own && chance(20)) {
    a.bounds = Bounds::assume;
  }
  b_.store(a, converted(x, s->elem));
}

// Nothing in it depends on an instance.
void KernelGenerator::lifted() {
  std::vector<Storage> fitting;
  for (const Storage &s : storages_)
    if (s.shared_name) fitting.push_back(s);
  if (instance_condition_ && careful()) return declare();
  const bool apart = careful(); // an object of its own
  const Storage s = apart ? fitting[0] : pick(fitting);
  line();
  const ValueId at_ = b_.literal(ScalarType::i64, std::int64_t{below(size)});
  if (in_reduce_ && careful()) return declare();
  if (chance(30)) {
    b_.store(at(s, at_, 0), converted(small(op(OpKind::add, converted(b_.load(at(s, at_, 0)), ScalarType::i32), std::int64_t{1})), s.elem));
  } else {
    b_.store(at(s, at_, 0), converted(i32(below(9)), s.elem));
  }
}

void KernelGenerator::atomic() {
  const bool own = careful();
  std::vector<Storage> counters, others;
  for (const Storage &s : storages_)
    if (s.atomics) counters.push_back(s);
    else if (s.writable && s.elem != ScalarType::f32) others.push_back(s);
  const bool counter = own || others.empty();
  const Storage s = counter ? counters[0] : pick(others);
  line();
  const int width = s.per_word == 1 && chance(40) ? 1 + below(3) : 0;
  const ValueId x = width > 0 ? tile(width, 1) : scalar(1);
  static const std::vector<AtomicKind> kinds = {AtomicKind::add, AtomicKind::max, AtomicKind::min, AtomicKind::bit_or, AtomicKind::bit_xor};
  const AtomicKind kind = own || chance(40) ? AtomicKind::add : pick(kinds);
  const ValueId i = width > 0 ? any_index() : cell_index(s, any_index());
  b_.atomic(at(s, i, width), kind, converted(x, s.elem));
}

void KernelGenerator::scatter() {
  const bool own = careful();
  if (own && !has_own() && levels_ > 0) return atomic();
  line();
  const int width = 1 + below(own ? own_width() : 3);
  Access from;
  from.view = index_;
  from.origin = {index(own)};
  from.window = {{false, m_, Extent(width)}};
  const ValueId where = b_.load(from);
  const ValueId x = tile(width, 1);
  IndexedAccess a;
  std::optional<AtomicKind> reducer;
  if (chance(35)) {
    a.view = storages_[0].view;
    reducer = own || chance(60) ? AtomicKind::add : AtomicKind::max;
    a.index = {where};
    return b_.scatter(a, x, reducer);
  }
  // In a careful kernel the indices are a permutation, and one object is scattered to and nothing else.
  const Storage s = own ? storages_[2] : *storage(true, true);
  a.view = s.view;
  a.index = {where};
  b_.scatter(a, converted(x, s.elem), {});
}

void KernelGenerator::gathered() {
  line();
  const int width = 1 + below(own_width());
  IndexedAccess a;
  a.view = in_;
  const auto s = storage(false, true);
  if (s && !careful() && s->elem == ScalarType::i32) a.view = s->view;
  Access from;
  from.view = index_;
  from.origin = {index(true)};
  from.window = {{false, m_, Extent(width)}};
  a.index = {b_.load(from)};
  const ValueId t = small(b_.gather(a));
  const DimId dims[] = {m_};
  variables_.push_back({b_.declare("g" + std::to_string(next_name_++), b_.reduce(t, dims, Reducer::add, ReductionPolicy::unordered_tree)), false});
}

void KernelGenerator::contraction() { // over m: a scalar plus a dot product
  line();
  const int width = own_width();
  const ValueId a = tile(width, 1), b = tile(width, 1), acc = scalar(1);
  variables_.push_back({b_.declare("d" + std::to_string(next_name_++), small(b_.mma(a, b, acc))), false});
}

// Stores an own element and reads the neighbour's, mostly after a meeting.
void KernelGenerator::exchange() {
  std::vector<Storage> fitting;
  for (const Storage &s : storages_)
    if (s.writable && s.per_word == 1 && s.levels < levels_ && !s.atomics) fitting.push_back(s);
  if (!sync_allowed_ || !has_own() || fitting.empty()) return store();
  const Storage s = pick(fitting);
  line();
  const ValueId x = scalar(1);
  b_.store(at(s, own_index(), 0), converted(x, s.elem));
  if (careful()) sync();
  line();
  const ValueId y = small(converted(b_.load(at(s, own_index(1), 0)), ScalarType::i32));
  variables_.push_back({b_.declare("x" + std::to_string(next_name_++), y), false});
  if (careful()) sync();
}

void KernelGenerator::sync() {
  if (!sync_allowed_) return;
  line();
  b_.sync(nest_);
}

void KernelGenerator::memory() {
  line();
  Space s;
  s.factors.push_back({m_, Extent(size)});
  Storage made;
  made.levels = levels_;
  made.view = b_.memory("t" + std::to_string(next_name_++), ScalarType::i32, s, {}, "");
  if (chance(92)) {
    line();
    b_.store(at(made, b_.literal(ScalarType::i64, std::int64_t{0}), size), chance(50) ? b_.broadcast(i32(below(5)), s) : tile(size, 2));
  }
  storages_.push_back(made);
  if (chance(35)) {
    line();
    Storage narrow = made;
    narrow.elem = chance(50) ? ScalarType::u8 : ScalarType::i16;
    narrow.per_word = narrow.elem == ScalarType::u8 ? 4 : 2;
    narrow.view = b_.view_as(made.view, narrow.elem, "n" + std::to_string(next_name_++));
    storages_.push_back(narrow);
  }
}

// --- variables ---

void KernelGenerator::declare() {
  line();
  const std::string name = "v" + std::to_string(next_name_++);
  if (chance(40)) {
    Space s;
    s.factors.push_back({m_, Extent(size)});
    const ValueId x = chance(50) ? b_.broadcast(scalar(2), s) : tile(size, 3);
    variables_.push_back({b_.declare(name, x), true});
  } else {
    const ValueId x = scalar(1);
    variables_.push_back({b_.declare(name, x), false});
  }
}

void KernelGenerator::assign() {
  if (first_assignable_ >= variables_.size()) return declare();
  const std::size_t k = first_assignable_ + static_cast<std::size_t>(below(static_cast<int>(variables_.size() - first_assignable_)));
  const Variable v = variables_[k];
  if (v.tile && chance(40)) return window();
  line();
  const ValueId old = b_.read(v.id);
  const bool collective = careful() && levels_ > 0;
  const ValueId x = collective ? i32(1 + below(4)) : scalar(1);
  if (collective && instance_condition_) return;
  b_.assign(v.id, small(op(OpKind::add, old, x)));
}

void KernelGenerator::window() {
  std::vector<Variable> tiles;
  for (std::size_t k = first_assignable_; k < variables_.size(); ++k)
    if (variables_[k].tile) tiles.push_back(variables_[k]);
  if (tiles.empty()) return declare();
  const bool own = careful();
  if (own && !has_own() && levels_ > 0) return;
  line();
  const VarId v = chance(60) ? tiles[0].id : pick(tiles).id; // outer ones first
  const int width = 1 + below(own ? own_width() : 2);
  const ValueId piece = tile(width, 1);
  ValueId origin = index(own);
  if (!own && chance(90)) origin = op(OpKind::mod, origin, std::int64_t{size - width + 1});
  if (!own && levels_ == 0) origin = b_.literal(ScalarType::i64, std::int64_t{below(size - width + 1)});
  if (own && levels_ == 0) origin = b_.literal(ScalarType::i64, std::int64_t{below(size - width + 1)});
  const Operand at_[] = {origin};
  ValueId chain = b_.read(v);
  if (chance(15)) { // through a copy
    const VarId copy = b_.declare("c" + std::to_string(next_name_++), chain);
    chain = b_.read(copy);
  }
  b_.assign(v, b_.insert(chain, piece, at_));
}

// A whole update by one instance, or by some.
void KernelGenerator::single_update() {
  if (first_assignable_ >= variables_.size()) return declare();
  const Variable v = pick(std::vector<Variable>(variables_.begin() + static_cast<std::ptrdiff_t>(first_assignable_), variables_.end()));
  if (!has_own()) return store();
  line();
  b_.begin_if(op(careful() ? OpKind::eq : OpKind::lt, own_index(), std::int64_t{4}));
  line();
  const ValueId old = b_.read(v.id);
  b_.assign(v.id, small(op(OpKind::add, old, scalar(2))));
  b_.end();
}

// --- regions ---

void KernelGenerator::body(int most) {
  ++depth_;
  statements(1 + below(most));
  --depth_;
}

void KernelGenerator::parallel() {
  static const int extents[] = {3, 2, 2};
  const std::size_t level = static_cast<std::size_t>(std::count_if(coordinates_.begin(), coordinates_.end(), [](const Coordinate &c) { return c.concurrent; }));
  if (level >= 3 || instances_ > 12) return store();
  line();
  ParallelSpec spec;
  spec.name = "p" + std::to_string(next_name_++);
  const int stride = level == 0 ? 4 : level == 1 ? 2 : 1;
  const int n = extents[level] - (chance(20) ? 1 : 0);
  const DimId d = b_.dim("d" + std::to_string(next_name_));
  spec.domain.factors.push_back({d, Extent(n)});
  const bool two = level < 2 && chance(20);
  const DimId d2 = b_.dim("e" + std::to_string(next_name_++));
  if (two) spec.domain.factors.push_back({d2, Extent(2)});
  if (chance(30)) spec.predicate = op(chance(50) ? OpKind::ne : OpKind::lt, b_.iota({d, Extent(n)}), std::int64_t{chance(50) ? 1 : 2});
  const Marks m = mark();
  const Scope scope = b_.begin_parallel(spec);
  const auto saved = std::tuple(nest_, sync_allowed_, stride_, levels_, instances_, instance_condition_);
  nest_ = scope.level;
  sync_allowed_ = !in_reduce_;
  instance_condition_ = false;
  levels_ += two ? 2 : 1;
  instances_ *= two ? 2 * n : n;
  coordinates_.push_back({scope.coords[0], n, true, stride});
  if (two) coordinates_.push_back({scope.coords[1], 2, true, stride / 2});
  stride_ = two ? stride / 2 : stride;
  body(5);
  std::tie(nest_, sync_allowed_, stride_, levels_, instances_, instance_condition_) = saved;
  reset(m);
  b_.end();
}

void KernelGenerator::loop() {
  line();
  LoopSpec spec;
  spec.name = "s" + std::to_string(next_name_++);
  const int n = 1 + below(3);
  const DimId d = b_.dim("d" + std::to_string(next_name_));
  spec.domain.factors.push_back({d, Extent(n)});
  if (chance(20)) spec.predicate = op(OpKind::ne, b_.iota({d, Extent(n)}), std::int64_t{1});
  const Marks m = mark();
  const Scope scope = b_.begin_serial(spec);
  coordinates_.push_back({scope.coords[0], n, false, 0});
  body(3);
  reset(m);
  b_.end();
}

void KernelGenerator::pipeline() {
  line();
  LoopSpec spec;
  spec.name = "l" + std::to_string(next_name_++);
  spec.domain.factors.push_back({b_.dim("d" + std::to_string(next_name_)), Extent(2)});
  spec.pipeline.stages = 2;
  const Marks m = mark();
  const Scope scope = b_.begin_pipeline(spec);
  coordinates_.push_back({scope.coords[0], 2, false, 0});
  line();
  b_.stage("load");
  body(2);
  line();
  b_.stage("compute");
  body(2);
  reset(m);
  b_.end();
}

void KernelGenerator::reduce() {
  const std::size_t level = static_cast<std::size_t>(std::count_if(coordinates_.begin(), coordinates_.end(), [](const Coordinate &c) { return c.concurrent; }));
  line();
  const VarId state = b_.declare("r" + std::to_string(next_name_++), i32(below(4)));
  line();
  LoopSpec spec;
  spec.name = "r" + std::to_string(next_name_++);
  const int n = level == 0 ? 3 : 2;
  spec.domain.factors.push_back({b_.dim("d" + std::to_string(next_name_)), Extent(n)});
  static const std::vector<ReductionPolicy> policies = {ReductionPolicy::unordered_tree, ReductionPolicy::ordered_tree, ReductionPolicy::fold_left, ReductionPolicy::fold_right};
  spec.reduction = pick(policies);
  const Marks m = mark();
  const Scope scope = b_.begin_reduce(spec);
  const auto saved = std::tuple(first_assignable_, sync_allowed_, stride_, levels_, instances_, in_reduce_);
  first_assignable_ = variables_.size();
  sync_allowed_ = false;
  in_reduce_ = true;
  levels_ += 1;
  instances_ *= n;
  const int stride = level >= 3 ? 0 : level == 0 ? 4 : level == 1 ? 2 : 1;
  coordinates_.push_back({scope.coords[0], n, true, stride});
  stride_ = stride;
  line();
  const ValueId c = scalar(1);
  b_.assign(state, op(OpKind::add, b_.read(state), c));
  if (chance(80)) body(2);
  std::tie(first_assignable_, sync_allowed_, stride_, levels_, instances_, in_reduce_) = saved;
  reset(m);
  b_.end();
  variables_.push_back({state, false});
}

void KernelGenerator::branch() {
  line();
  const bool uniform = chance(40);
  const ValueId c = condition(uniform);
  const auto saved = std::pair(sync_allowed_, instance_condition_);
  if (!uniform) sync_allowed_ = chance(3) && sync_allowed_, instance_condition_ = true;
  b_.begin_if(c);
  const Marks m = mark();
  body(2);
  reset(m);
  if (chance(40)) {
    b_.begin_else();
    body(2);
    reset(m);
  }
  std::tie(sync_allowed_, instance_condition_) = saved;
  b_.end();
}

void KernelGenerator::selection() {
  line();
  const ValueId x = scalar(1);
  const auto saved = std::pair(sync_allowed_, instance_condition_);
  sync_allowed_ = false, instance_condition_ = true;
  b_.begin_switch(x);
  const Marks m = mark();
  for (int k = 0; k < 2; ++k) {
    b_.begin_case(k);
    body(1);
    reset(m);
  }
  b_.begin_default();
  body(1);
  reset(m);
  std::tie(sync_allowed_, instance_condition_) = saved;
  b_.end();
}

void KernelGenerator::rounds() {
  line();
  const VarId i = b_.declare("i" + std::to_string(next_name_++), i32(0));
  const bool uniform = chance(60);
  ValueId limit = i32(1 + below(2));
  if (!uniform && !coordinates_.empty()) limit = b_.cast(OpKind::cast, ScalarType::i32, pick(coordinates_).value);
  const auto saved = std::pair(sync_allowed_, instance_condition_);
  if (!uniform) sync_allowed_ = false, instance_condition_ = true;
  line();
  b_.begin_while();
  b_.while_condition(op(OpKind::lt, b_.read(i), limit));
  const Marks m = mark();
  body(2);
  line();
  b_.assign(i, op(OpKind::add, b_.read(i), std::int64_t{1}));
  reset(m);
  std::tie(sync_allowed_, instance_condition_) = saved;
  b_.end();
}

void KernelGenerator::statement() {
  --fuel_;
  const bool nest = depth_ < 5 && fuel_ > 0;
  switch (below(nest ? 39 : 23)) {
  case 0:
  case 1:
  case 2: return store();
  case 3:
  case 4: return lifted();
  case 5:
  case 6: return atomic();
  case 7:
  case 8: return scatter();
  case 9: return gathered();
  case 10: return contraction();
  case 11:
  case 12:
  case 13: return exchange();
  case 14: return memory();
  case 15: return declare();
  case 16: return assign();
  case 17:
  case 18: return window();
  case 19: return sync();
  case 20: return assign();
  case 21:
  case 22: return single_update();
  case 23:
  case 24: return loop();
  case 25: return pipeline();
  case 26:
  case 27: return reduce();
  case 28:
  case 29: return branch();
  case 30: return selection();
  case 31: return rounds();
  default: return parallel();
  }
}

void KernelGenerator::statements(int most) {
  for (int i = 0; i < most && fuel_ > -10; ++i) statement();
}

RandomKernel KernelGenerator::run() {
  m_ = b_.dim("m");
  line();
  in_ = b_.argument("A", ScalarType::i32, {Extent(size)}, ArgumentAccess::in);
  index_ = b_.argument("I", ScalarType::i32, {Extent(size)}, ArgumentAccess::in);
  flags_ = b_.argument("M", ScalarType::boolean, {Extent(size)}, ArgumentAccess::in);
  const auto argument = [&](const char *name, ScalarType elem, ArgumentAccess access) {
    Storage s;
    s.view = b_.argument(name, elem, {Extent(size)}, access);
    s.elem = elem;
    return s;
  };
  Storage lifted_to = argument("L", ScalarType::i32, ArgumentAccess::mut);
  lifted_to.shared_name = true;
  lifted_to.atomics = true; // no other statement takes it
  lifted_to.writable = false;
  Storage counters = argument("T", ScalarType::i32, ArgumentAccess::mut);
  counters.atomics = true;
  Storage scattered = argument("S", ScalarType::i32, ArgumentAccess::out);
  scattered.writable = false;
  scattered.atomics = true;
  Storage c = argument("C", ScalarType::i32, ArgumentAccess::mut), f = argument("F", ScalarType::f32, ArgumentAccess::mut);
  c.shared_name = f.shared_name = true;
  storages_ = {counters, lifted_to, scattered, c, f}; // in this order
  if (chance(30)) {
    Storage u = argument("U", ScalarType::i32, ArgumentAccess::out);
    storages_.push_back(u);
  }
  if (chance(50)) {
    line();
    Storage narrow = c;
    static const std::vector<std::pair<ScalarType, int>> types = {{ScalarType::u8, 4}, {ScalarType::i16, 2}, {ScalarType::u32, 1}};
    const auto &[elem, per_word] = pick(types);
    narrow.elem = elem;
    narrow.per_word = per_word;
    narrow.view = b_.view_as(c.view, elem, "N");
    storages_.push_back(narrow);
    storages_.push_back(narrow);
  }
  if (chance(60)) {
    line();
    Space s;
    s.factors.push_back({m_, Extent(size)});
    Access all;
    all.view = in_;
    all.origin = {std::int64_t{0}};
    all.window = {{false, m_, Extent(size)}};
    const ValueId loaded = b_.load(all);
    variables_.push_back({b_.declare("acc", loaded), true});
  }
  if (chance(40)) memory();
  parallel();
  ++fuel_;
  statements(1 + below(2));
  if (chance(60)) parallel();
  // What the variables hold at the end is observed.
  for (const Variable &v : variables_) {
    line();
    Storage to;
    to.view = c.view;
    if (v.tile)
      b_.store(at(to, b_.literal(ScalarType::i64, std::int64_t{0}), size), b_.read(v.id));
    else
      b_.atomic(at(to, b_.literal(ScalarType::i64, std::int64_t{0}), 0), AtomicKind::add, b_.read(v.id));
  }
  return {b_.finish(), care_ >= 97};
}

RandomKernel random_kernel(std::uint64_t seed) { return KernelGenerator(seed).run(); }

} // namespace tilenest::oracle
