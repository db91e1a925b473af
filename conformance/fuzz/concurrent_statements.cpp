// SPDX-License-Identifier: Apache-2.0
// Random effects and assignments.
#include "conformance/fuzz/concurrent_generator.h"

namespace tilenest::conformance {

// --- effects ---

void ConcurrentGenerator::store() {
  const bool own = careful();
  if (own && !has_own() && levels_ > 0) return lifted();
  const auto s = storage(true, false);
  if (!s) return declare();
  line();
  const int width = s->per_word == 1 && chance(60) ? 1 + below(own ? own_width() : 3) : 0;
  ValueId x = width > 0 ? tile(width, 0) : scalar(0);
  if (width > 0 && chance(25))
    x = b_.restrict(x, op(OpKind::lt, b_.iota({m_, Extent(width)}), std::int64_t{1 + below(width)}));
  Access a = at(*s, width > 0 ? index(own) : cell_index(*s, index(own)), width);
  if (width > 0 && chance(25)) {
    a.bounds = Bounds::predicate;
    a.predicate = op(OpKind::lt, op(OpKind::add, b_.iota({m_, Extent(width)}), a.origin[0]),
                     std::int64_t{size - below(2)});
  } else if (own && chance(20)) {
    a.bounds = Bounds::assume;
  }
  b_.store(a, converted(x, s->elem));
}

// Nothing in it depends on an instance.
void ConcurrentGenerator::lifted() {
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
    b_.store(
        at(s, at_, 0),
        converted(small(op(OpKind::add, converted(b_.load(at(s, at_, 0)), ScalarType::i32), std::int64_t{1})),
                  s.elem));
  } else {
    b_.store(at(s, at_, 0), converted(i32(below(9)), s.elem));
  }
}

void ConcurrentGenerator::atomic() {
  const bool own = careful();
  std::vector<Storage> counters, others;
  for (const Storage &s : storages_)
    if (s.atomics)
      counters.push_back(s);
    else if (s.writable && s.elem != ScalarType::f32)
      others.push_back(s);
  const bool counter = own || others.empty();
  const Storage s = counter ? counters[0] : pick(others);
  line();
  const int width = s.per_word == 1 && chance(40) ? 1 + below(3) : 0;
  const ValueId x = width > 0 ? tile(width, 1) : scalar(1);
  static const std::vector<AtomicKind> kinds = {AtomicKind::add, AtomicKind::max, AtomicKind::min,
                                                AtomicKind::bit_or, AtomicKind::bit_xor};
  const AtomicKind kind = own || chance(40) ? AtomicKind::add : pick(kinds);
  const ValueId i = width > 0 ? any_index() : cell_index(s, any_index());
  b_.atomic(at(s, i, width), kind, converted(x, s.elem));
}

void ConcurrentGenerator::scatter() {
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

void ConcurrentGenerator::gathered() {
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
  variables_.push_back({b_.declare("g" + std::to_string(next_name_++),
                                   b_.reduce(t, dims, Reducer::add, ReductionPolicy::unordered_tree)),
                        false});
}

void ConcurrentGenerator::contraction() { // over m: a scalar plus a dot product
  line();
  const int width = own_width();
  const ValueId a = tile(width, 1), b = tile(width, 1), acc = scalar(1);
  variables_.push_back({b_.declare("d" + std::to_string(next_name_++), small(b_.mma(a, b, acc))), false});
}

// Stores an own element and reads the neighbour's, mostly after a meeting.
void ConcurrentGenerator::exchange() {
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

void ConcurrentGenerator::sync() {
  if (!sync_allowed_) return;
  line();
  b_.sync(nest_);
}

void ConcurrentGenerator::memory() {
  line();
  Space s;
  s.factors.push_back({m_, Extent(size)});
  Storage made;
  made.levels = levels_;
  made.view = b_.memory("t" + std::to_string(next_name_++), ScalarType::i32, s, {}, "");
  if (chance(92)) {
    line();
    b_.store(at(made, b_.literal(ScalarType::i64, std::int64_t{0}), size),
             chance(50) ? b_.broadcast(i32(below(5)), s) : tile(size, 2));
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

void ConcurrentGenerator::declare() {
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

void ConcurrentGenerator::assign() {
  if (first_assignable_ >= variables_.size()) return declare();
  const std::size_t k =
      first_assignable_ +
      static_cast<std::size_t>(below(static_cast<int>(variables_.size() - first_assignable_)));
  const Variable v = variables_[k];
  if (v.tile && chance(40)) return window();
  line();
  const ValueId old = b_.read(v.id);
  const bool collective = careful() && levels_ > 0;
  const ValueId x = collective ? i32(1 + below(4)) : scalar(1);
  if (collective && instance_condition_) return;
  b_.assign(v.id, small(op(OpKind::add, old, x)));
}

void ConcurrentGenerator::window() {
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
void ConcurrentGenerator::single_update() {
  if (first_assignable_ >= variables_.size()) return declare();
  const Variable v = pick(std::vector<Variable>(
      variables_.begin() + static_cast<std::ptrdiff_t>(first_assignable_), variables_.end()));
  if (!has_own()) return store();
  line();
  b_.begin_if(op(careful() ? OpKind::eq : OpKind::lt, own_index(), std::int64_t{4}));
  line();
  const ValueId old = b_.read(v.id);
  b_.assign(v.id, small(op(OpKind::add, old, scalar(2))));
  b_.end();
}

} // namespace tilenest::conformance
