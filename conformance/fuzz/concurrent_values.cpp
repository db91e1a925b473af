// SPDX-License-Identifier: Apache-2.0
// Random values and indices.
#include "conformance/fuzz/concurrent_generator.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <numeric>

namespace tilenest::conformance {

ConcurrentGenerator::ConcurrentGenerator(std::uint64_t seed)
    : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567),
      file_(std::make_shared<SourceFile>(SourceFile{"random", ""})) {
  static const std::vector<int> cares = {100, 100, 97, 85, 50};
  care_ = pick(cares);
}

std::uint64_t ConcurrentGenerator::next() { // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) >> 1;
}

void ConcurrentGenerator::line() { b_.at({file_, ++line_, 0, 0, {}}); }

void ConcurrentGenerator::reset(const Marks &m) {
  coordinates_.resize(m.coordinates);
  variables_.resize(m.variables);
  storages_.resize(m.storages);
}

ValueId ConcurrentGenerator::op(OpKind kind, const Operand &a, const Operand &b) {
  return b_.elementwise(kind, std::vector<Operand>{a, b});
}

// --- indices ---

bool ConcurrentGenerator::has_own() const {
  return levels_ > 0 && std::none_of(coordinates_.begin(), coordinates_.end(),
                                     [](const Coordinate &c) { return c.concurrent && c.stride == 0; });
}
int ConcurrentGenerator::own_width() const { return has_own() ? std::max(stride_, 1) : 3; }

ValueId ConcurrentGenerator::own_index(int neighbour) {
  ValueId sum;
  std::size_t last = coordinates_.size();
  for (std::size_t i = 0; i < coordinates_.size(); ++i)
    if (coordinates_[i].concurrent) last = i;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const Coordinate &c = coordinates_[i];
    if (!c.concurrent) continue;
    ValueId v = c.value;
    if (i == last && neighbour != 0)
      v = op(OpKind::mod, op(OpKind::add, v, std::int64_t{neighbour}), std::int64_t{c.extent});
    v = op(OpKind::mul, v, std::int64_t{c.stride});
    sum = sum.valid() ? op(OpKind::add, sum, v) : v;
  }
  return sum;
}

ValueId ConcurrentGenerator::any_index() {
  switch (below(6)) {
  case 0:
    return b_.literal(ScalarType::i64, std::int64_t{below(size)});
  case 1:
    if (has_own()) return op(OpKind::add, own_index(), std::int64_t{below(3) - 1});
    [[fallthrough]];
  case 2: { // data decides
    const ValueId at = coordinates_.empty() ? b_.literal(ScalarType::i64, std::int64_t{below(size)})
                                            : pick(coordinates_).value;
    Access a;
    a.view = index_;
    a.origin = {at};
    return b_.cast(OpKind::cast, ScalarType::i64, b_.load(a));
  }
  default:
    if (coordinates_.empty()) return b_.literal(ScalarType::i64, std::int64_t{below(size)});
    const ValueId c = pick(coordinates_).value;
    if (chance(50)) return op(OpKind::add, c, std::int64_t{below(4)});
    const ValueId d = pick(coordinates_).value;
    return op(OpKind::add, op(OpKind::mul, c, std::int64_t{1 + below(3)}), d);
  }
}

ValueId ConcurrentGenerator::cell_index(const Storage &s, ValueId word) {
  if (s.per_word == 1) return word;
  return op(OpKind::add, op(OpKind::mul, word, std::int64_t{s.per_word}), std::int64_t{below(s.per_word)});
}

Access ConcurrentGenerator::at(const Storage &s, ValueId origin, int width) {
  Access a;
  a.view = s.view;
  a.origin = {origin};
  if (width > 0) a.window = {{false, m_, Extent(width)}};
  return a;
}

std::optional<ConcurrentGenerator::Storage> ConcurrentGenerator::storage(bool writable, bool four_bytes) {
  std::vector<Storage> fitting;
  for (const Storage &s : storages_)
    if ((s.writable || !writable) && (s.per_word == 1 || !four_bytes) && !s.atomics) fitting.push_back(s);
  if (fitting.empty()) return std::nullopt;
  return chance(35) ? fitting.back() : pick(fitting);
}

ValueId ConcurrentGenerator::converted(ValueId v, ScalarType to) {
  return b_.type(v).elem == to ? v : b_.cast(OpKind::cast, to, v);
}

// --- values ---

// Small, so that sums stay in their type; never negative, so that they fit unsigned ones.
ValueId ConcurrentGenerator::scalar(int depth) {
  switch (below(depth > 2 ? 4 : 9)) {
  case 0:
    return i32(below(8));
  case 1:
  case 2:
    if (!coordinates_.empty()) return b_.cast(OpKind::cast, ScalarType::i32, pick(coordinates_).value);
    return i32(below(8));
  case 3: {
    Access a;
    a.view = in_;
    a.origin = {index(true)};
    return b_.load(a);
  }
  case 4: {
    const auto s = storage(false, false);
    if (!s) return i32(1);
    const bool own = careful();
    if (own && !has_own() && levels_ > 0) return i32(3);
    const ValueId v = b_.load(at(*s, cell_index(*s, index(own)), 0));
    return small(converted(v, ScalarType::i32));
  }
  case 5: {
    std::vector<Variable> scalars, tiles;
    for (const Variable &v : variables_) (v.tile ? tiles : scalars).push_back(v);
    if (!tiles.empty() && chance(60)) {
      const ValueId t = b_.read(pick(tiles).id);
      const bool own = careful();
      if (own && !has_own() && levels_ > 0) return i32(4);
      const Operand i[] = {op(OpKind::mod, index(own), std::int64_t{size})};
      return small(b_.take(t, i));
    }
    if (scalars.empty()) return i32(2);
    return small(b_.read(pick(scalars).id));
  }
  case 6: {
    const ValueId a = scalar(depth + 1), b = scalar(depth + 1), c = condition(false);
    const Operand all[] = {c, a, b};
    return b_.elementwise(OpKind::ite, all);
  }
  case 7: { // a fold of a window
    const ValueId t = tile(own_width(), depth + 1);
    const DimId dims[] = {m_};
    return small(
        b_.reduce(t, dims, chance(70) ? Reducer::add : Reducer::max, ReductionPolicy::unordered_tree));
  }
  default: {
    static const std::vector<OpKind> kinds = {OpKind::add, OpKind::add, OpKind::max, OpKind::min};
    const OpKind kind = pick(kinds);
    const ValueId a = scalar(depth + 1), b = scalar(depth + 1);
    return small(op(kind, a, b));
  }
  }
}

ValueId ConcurrentGenerator::condition(bool uniform) {
  if (uniform) {
    for (const Coordinate &c : coordinates_)
      if (!c.concurrent && chance(60)) return op(OpKind::ne, c.value, std::int64_t{below(2)});
    return op(OpKind::lt, i32(below(3)), std::int64_t{1});
  }
  if (!coordinates_.empty() && chance(60)) {
    static const std::vector<OpKind> kinds = {OpKind::eq, OpKind::ne, OpKind::lt};
    const OpKind kind = pick(kinds);
    return op(kind, pick(coordinates_).value, std::int64_t{1});
  }
  Access a;
  a.view = flags_;
  a.origin.resize(1, std::int64_t{0});
  if (!coordinates_.empty()) a.origin[0] = pick(coordinates_).value;
  return b_.load(a);
}

ValueId ConcurrentGenerator::tile(int width, int depth) {
  Space s;
  s.factors.push_back({m_, Extent(width)});
  switch (below(depth > 2 ? 2 : 6)) {
  case 0:
    return b_.broadcast(scalar(depth + 1), s);
  case 1: {
    const ValueId x = scalar(depth + 1);
    return op(OpKind::add, b_.cast(OpKind::cast, ScalarType::i32, b_.iota({m_, Extent(width)})), x);
  }
  case 2: {
    const auto from = storage(false, true);
    const bool own = careful();
    if (!from || width > own_width() || (own && !has_own() && levels_ > 0)) return b_.broadcast(i32(5), s);
    Access a = at(*from, index(own), width);
    if (chance(30)) {
      a.bounds = Bounds::predicate;
      a.predicate = op(OpKind::lt, b_.iota({m_, Extent(width)}), std::int64_t{1 + below(width)});
      a.fallback = std::int64_t{1};
    } else if (own && chance(30)) {
      a.bounds = Bounds::assume;
    }
    return small(converted(b_.load(a), ScalarType::i32));
  }
  case 3: {
    const ValueId a = tile(width, depth + 1), b = tile(width, depth + 1);
    return small(op(chance(50) ? OpKind::add : OpKind::max, a, b));
  }
  case 4: {
    const ValueId c = op(OpKind::lt, b_.iota({m_, Extent(width)}), std::int64_t{1});
    const ValueId a = tile(width, depth + 1);
    const Operand all[] = {c, a, scalar(depth + 1)};
    return b_.elementwise(OpKind::ite, all);
  }
  default: {
    Access a;
    a.view = in_;
    a.origin = {index(true)};
    a.window = {{false, m_, Extent(width)}};
    return b_.load(a);
  }
  }
}

std::vector<std::uint8_t> concurrent_argument(std::uint64_t seed, const ConcurrentKernel &kernel,
                                          const Object &object, std::int64_t elements) {
  std::uint64_t state = seed * 31 + object.name[0];
  const auto below = [&](int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
  };
  const std::size_t size = byte_size(object.elem);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(elements) * size);
  std::vector<int> order(static_cast<std::size_t>(elements));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(below(static_cast<int>(i)))]);
  for (std::size_t i = 0; i < order.size(); ++i) {
    int v = below(10);
    if (object.name == "I") v = kernel.careful ? order[i] : below(static_cast<int>(elements));
    if (object.elem == ScalarType::boolean) v = below(2);
    store_bits(object.elem, out.data() + i * size,
               is_float(object.elem) ? literal_bits(static_cast<double>(v), object.elem).value() : static_cast<std::uint64_t>(v));
  }
  return out;
}

} // namespace tilenest::conformance
