// SPDX-License-Identifier: Apache-2.0
// Random regions, and the kernel around them.
#include "conformance/fuzz/concurrent_generator.h"
#include <algorithm>

namespace tilenest::conformance {

// --- regions ---

void ConcurrentGenerator::body(int most) {
  ++depth_;
  statements(1 + below(most));
  --depth_;
}

void ConcurrentGenerator::parallel() {
  static const int extents[] = {3, 2, 2};
  const std::size_t level = static_cast<std::size_t>(std::count_if(
      coordinates_.begin(), coordinates_.end(), [](const Coordinate &c) { return c.concurrent; }));
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
  if (chance(30))
    spec.predicate =
        op(chance(50) ? OpKind::ne : OpKind::lt, b_.iota({d, Extent(n)}), std::int64_t{chance(50) ? 1 : 2});
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

void ConcurrentGenerator::loop() {
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

void ConcurrentGenerator::pipeline() {
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

void ConcurrentGenerator::reduce() {
  const std::size_t level = static_cast<std::size_t>(std::count_if(
      coordinates_.begin(), coordinates_.end(), [](const Coordinate &c) { return c.concurrent; }));
  line();
  const VarId state = b_.declare("r" + std::to_string(next_name_++), i32(below(4)));
  line();
  LoopSpec spec;
  spec.name = "r" + std::to_string(next_name_++);
  const int n = level == 0 ? 3 : 2;
  spec.domain.factors.push_back({b_.dim("d" + std::to_string(next_name_)), Extent(n)});
  static const std::vector<ReductionPolicy> policies = {
      ReductionPolicy::unordered_tree, ReductionPolicy::ordered_tree, ReductionPolicy::fold_left,
      ReductionPolicy::fold_right};
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

void ConcurrentGenerator::branch() {
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

void ConcurrentGenerator::selection() {
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

void ConcurrentGenerator::rounds() {
  line();
  const VarId i = b_.declare("i" + std::to_string(next_name_++), i32(0));
  const bool uniform = chance(60);
  ValueId limit = i32(1 + below(2));
  if (!uniform && !coordinates_.empty())
    limit = b_.cast(OpKind::cast, ScalarType::i32, pick(coordinates_).value);
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

void ConcurrentGenerator::statement() {
  using K = ConcurrentGenerator;
  struct Kind {
    void (K::*make)();
    int weight;
  };
  static constexpr Kind kinds[] = {
      {&K::store, 3},    {&K::lifted, 2}, {&K::atomic, 2},  {&K::scatter, 2}, {&K::gathered, 1},
      {&K::contraction, 1}, {&K::exchange, 3}, {&K::memory, 1}, {&K::declare, 1}, {&K::assign, 1},
      {&K::window, 2},   {&K::sync, 1},   {&K::assign, 1},  {&K::single_update, 2}, // 23; what follows has a body
      {&K::loop, 2},     {&K::pipeline, 1}, {&K::reduce, 2}, {&K::branch, 2}, {&K::selection, 1}, {&K::rounds, 1}, {&K::parallel, 7}};
  --fuel_;
  const bool nest = depth_ < 5 && fuel_ > 0;
  int at = below(nest ? 39 : 23);
  const Kind *kind = kinds;
  while (at >= kind->weight) at -= kind++->weight;
  (this->*kind->make)();
}

void ConcurrentGenerator::statements(int most) {
  for (int i = 0; i < most && fuel_ > -10; ++i) statement();
}

ConcurrentKernel ConcurrentGenerator::run() {
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
  Storage c = argument("C", ScalarType::i32, ArgumentAccess::mut),
          f = argument("F", ScalarType::f32, ArgumentAccess::mut);
  c.shared_name = f.shared_name = true;
  storages_ = {counters, lifted_to, scattered, c, f}; // in this order
  if (chance(30)) {
    Storage u = argument("U", ScalarType::i32, ArgumentAccess::out);
    storages_.push_back(u);
  }
  if (chance(50)) {
    line();
    Storage narrow = c;
    static const std::vector<std::pair<ScalarType, int>> types = {
        {ScalarType::u8, 4}, {ScalarType::i16, 2}, {ScalarType::u32, 1}};
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

ConcurrentKernel concurrent_kernel(std::uint64_t seed) { return ConcurrentGenerator(seed).run(); }

} // namespace tilenest::conformance
