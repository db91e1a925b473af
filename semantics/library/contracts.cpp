// SPDX-License-Identifier: Apache-2.0
// Welford's mean and variance, log-sum-exp, the first of two in the order of NUM-NAN and the first k of two. Each merge gives back its
// other operand bit for bit where one is the identity.
#include "semantics/library/contracts.h"
#include "semantics/diag/codes.h"
#include <array>
#include <cmath>
#include <limits>

namespace tilenest::library {

namespace {

using Values = std::span<const ValueId>;
using States = std::span<const VarId>;

ValueId op(Builder &b, OpKind kind, std::initializer_list<Operand> operands) {
  return b.elementwise(kind, std::span(operands.begin(), operands.size()));
}
ValueId choose(Builder &b, ValueId condition, Operand yes, Operand no) { return op(b, OpKind::ite, {condition, yes, no}); }

const TileType &type_of(const TileProgram &p, VarId v) { return p.variables[v].type; }

const char *alike_floats(const TileProgram &p, States states) {
  for (VarId v : states) {
    if (!is_float(type_of(p, v).elem) || bit_width(type_of(p, v).elem) < 16) return "its states are floats of 16 bits or more";
    if (type_of(p, v).elem != type_of(p, states[0]).elem) return "its states have one element type";
    if (type_of(p, v).space != type_of(p, states[0]).space) return "its states have one space";
  }
  return nullptr;
}

const char *value_and_index(const TileProgram &p, States states) {
  const TileType &value = type_of(p, states[0]), &index = type_of(p, states[1]);
  if (value.elem == ScalarType::boolean || is_packed(value.elem)) return "its first state is a number";
  if (index.elem != ScalarType::i32 && index.elem != ScalarType::i64) return "its second state is an index, i32 or i64";
  if (value.space != index.space) return "its states have one space";
  return nullptr;
}

// Chan, Golub and LeVeque 1979: the updating formulae for two samples put together.
std::vector<Operand> welford(Builder &b, Values l, Values r) {
  const ValueId none_left = op(b, OpKind::eq, {l[0], std::int64_t{0}}), none_right = op(b, OpKind::eq, {r[0], std::int64_t{0}});
  const ValueId n = op(b, OpKind::add, {l[0], r[0]});
  const ValueId delta = op(b, OpKind::sub, {r[1], l[1]});
  const ValueId share = op(b, OpKind::div, {r[0], n});
  const ValueId mean = op(b, OpKind::add, {l[1], op(b, OpKind::mul, {delta, share})});
  const ValueId between = op(b, OpKind::mul, {op(b, OpKind::mul, {delta, delta}), op(b, OpKind::mul, {l[0], share})});
  const ValueId m2 = op(b, OpKind::add, {op(b, OpKind::add, {l[2], r[2]}), between});
  auto either = [&](ValueId merged, ValueId left, ValueId right) {
    return choose(b, none_right, left, choose(b, none_left, right, merged));
  };
  return {either(n, l[0], r[0]), either(mean, l[1], r[1]), either(m2, l[2], r[2])};
}

std::vector<Operand> logsumexp(Builder &b, Values l, Values r) {
  const double nowhere = -std::numeric_limits<double>::infinity();
  auto none = [&](Values x) { // a contribution of -inf has a sum
    return op(b, OpKind::bit_and, {op(b, OpKind::eq, {x[0], nowhere}), op(b, OpKind::eq, {x[1], std::int64_t{0}})});
  };
  const ValueId none_left = none(l), none_right = none(r);
  const ValueId m = op(b, OpKind::max, {l[0], r[0]});
  auto scaled = [&](Values x) { // also where both are infinite
    const ValueId top = op(b, OpKind::eq, {x[0], m});
    const ValueId factor = op(b, OpKind::exp, {op(b, OpKind::sub, {x[0], m})});
    return op(b, OpKind::mul, {x[1], choose(b, top, std::int64_t{1}, factor)});
  };
  const ValueId left = scaled(l), right = scaled(r);
  const ValueId sum = op(b, OpKind::add, {left, right});
  auto either = [&](ValueId merged, ValueId x, ValueId y) { return choose(b, none_right, x, choose(b, none_left, y, merged)); };
  return {either(m, l[0], r[0]), either(sum, l[1], r[1])};
}

// rule: NUM-NAN -- every NaN behind every number, ties to the lower index.
template <bool greatest> std::vector<Operand> extreme(Builder &b, Values l, Values r) {
  const bool floats = is_float(b.type(l[0]).elem);
  const OpKind beyond = greatest ? OpKind::gt : OpKind::lt;
  ValueId ahead = op(b, beyond, {r[0], l[0]}), behind = op(b, beyond, {l[0], r[0]});
  if (floats) {
    const ValueId nan_left = op(b, OpKind::is_nan, {l[0]}), nan_right = op(b, OpKind::is_nan, {r[0]});
    ahead = op(b, OpKind::bit_or, {ahead, op(b, OpKind::bit_and, {nan_left, op(b, OpKind::bit_not, {nan_right})})});
    behind = op(b, OpKind::bit_or, {behind, op(b, OpKind::bit_and, {nan_right, op(b, OpKind::bit_not, {nan_left})})});
  }
  const ValueId earlier = op(b, OpKind::lt, {r[1], l[1]});
  const ValueId tie = op(b, OpKind::bit_and, {op(b, OpKind::bit_not, {behind}), earlier});
  const ValueId take = op(b, OpKind::bit_or, {ahead, tie});
  return {choose(b, take, r[0], l[0]), choose(b, take, r[1], l[1])};
}

// What of a state the order looks at: its value and its index.
struct Ranked {
  ValueId value, index;
};

// rule: NUM-NAN -- a stands before b: greater, or a number before NaN; among equals by the index.
ValueId stands_before(Builder &b, Ranked x, Ranked y) {
  ValueId ahead = op(b, OpKind::gt, {x.value, y.value}), behind = op(b, OpKind::lt, {x.value, y.value});
  if (is_float(b.type(x.value).elem)) {
    const ValueId nan_x = op(b, OpKind::is_nan, {x.value}), nan_y = op(b, OpKind::is_nan, {y.value});
    ahead = op(b, OpKind::bit_or, {ahead, op(b, OpKind::bit_and, {op(b, OpKind::bit_not, {nan_x}), nan_y})});
    behind = op(b, OpKind::bit_or, {behind, op(b, OpKind::bit_and, {nan_x, op(b, OpKind::bit_not, {nan_y})})});
  }
  const ValueId earlier = op(b, OpKind::lt, {x.index, y.index});
  return op(b, OpKind::bit_or, {ahead, op(b, OpKind::bit_and, {op(b, OpKind::bit_not, {behind}), earlier})});
}

const char *values_and_indices(const TileProgram &p, States states) {
  const TileType &values = type_of(p, states[0]);
  if (values.space.rank() != 1) return "its states have one dim";
  if (!values.active.empty() || !type_of(p, states[1]).active.empty()) return "its states have values everywhere";
  return value_and_index(p, states);
}

// Each element of both operands goes to the place that is the number of elements before it, if that is below k; equal
// pairs, which only the identity has, stand in the order left, right. k * k comparisons of each two operands.
std::vector<Operand> first_of_both(Builder &b, Values l, Values r) {
  const Space space = b.type(l[0]).space;
  const Factor place = space.factors[0];
  const Factor mine{b.dim("mine"), place.extent}, other{b.dim("other"), place.extent};
  auto along = [&](Values x, const Factor &f) { return Ranked{b.relabel(x[0], std::array{f.dim}), b.relabel(x[1], std::array{f.dim})}; };
  auto count = [&](ValueId flags, const Factor &over) {
    return b.reduce(b.cast(OpKind::cast, ScalarType::i64, flags), std::array{over.dim}, Reducer::add, ReductionPolicy::fold_left);
  };
  const Ranked left = along(l, mine), right = along(r, mine), other_left = along(l, other), other_right = along(r, other);
  // Operands are in order, so that an element's own place counts those before it in its operand.
  const ValueId own = b.iota(mine);
  const ValueId left_rank = op(b, OpKind::add, {own, count(stands_before(b, other_right, left), other)});
  const ValueId not_before = op(b, OpKind::bit_not, {stands_before(b, right, other_left)});
  const ValueId right_rank = op(b, OpKind::add, {own, count(not_before, other)});
  // The element of the operand that a place gets, and whether it gets one.
  auto chosen = [&](ValueId rank) {
    const ValueId here = op(b, OpKind::eq, {rank, b.iota(place)});
    const ValueId picked = op(b, OpKind::ite, {here, own, std::int64_t{0}});
    const DimId dims[] = {mine.dim};
    return std::pair{b.reduce(picked, dims, Reducer::add, ReductionPolicy::fold_left), b.reduce(here, dims, Reducer::bit_or, ReductionPolicy::fold_left)};
  };
  const auto [from_left, is_left] = chosen(left_rank);
  const auto [from_right, is_right] = chosen(right_rank);
  std::vector<Operand> out;
  for (std::size_t i = 0; i < 2; ++i)
    out.emplace_back(choose(b, is_left, b.take(l[i], std::array{Operand(from_left)}), b.take(r[i], std::array{Operand(from_right)})));
  return out;
}

// The value behind every other, at the last index.
template <bool greatest> std::vector<Operand> last_of_all(Builder &b, States states) {
  const ScalarType value = b.program().variables[states[0]].type.elem;
  const bool wide = b.program().variables[states[1]].type.elem == ScalarType::i64;
  const std::int64_t index = wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
  if (is_float(value)) return {std::numeric_limits<double>::quiet_NaN(), index};
  const int bits = bit_width(value);
  if (!is_signed(value)) {
    if (greatest) return {std::int64_t{0}, index};
    if (bits < 64) return {(std::int64_t{1} << bits) - 1, index};
    return {op(b, OpKind::bit_not, {b.literal(value, std::int64_t{0})}), index}; // no literal is that large
  }
  const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
  return {greatest ? least : -(least + 1), index};
}

constexpr Contract contract_table[] = {
    {"welford", "n, mean, m2", 3, welford,
     [](Builder &, States) -> std::vector<Operand> { return {std::int64_t{0}, std::int64_t{0}, std::int64_t{0}}; }, alike_floats,
     "count, mean and sum of squared deviations of two samples put together",
     "three states of one float type and one space: the count, the mean, the sum of squared deviations from it",
     "kernel k(X: f32[M, N], Y: out f32[M]) { axis r = N; axis p = M; parallel i in [p] { n = f32(0); mean = f32(0); m2 = f32(0); "
     "reduce j in [r] with welford(n, mean, m2) { x = X[i.p, j.r]; n = n + 1; d = x - mean; mean = mean + d / n; m2 = m2 + d * (x - mean) }; "
     "Y(i.p).store(m2 / n) } }"},
    {"logsumexp", "m, l", 2, logsumexp,
     [](Builder &, States) -> std::vector<Operand> { return {-std::numeric_limits<double>::infinity(), std::int64_t{0}}; }, alike_floats,
     "maximum and sum of exponentials relative to it, of two parts put together",
     "two states of one float type and one space: the maximum so far, the sum of exp(x - maximum)",
     "kernel k(X: f32[M, N], Y: out f32[M]) { axis r = N; axis p = M; parallel i in [p] { m = f32(-inf); l = f32(0); "
     "reduce j in [r] with logsumexp(m, l) { x = X[i.p, j.r]; top = max(m, x); l = l * ite(m == top, 1, exp(m - top)) + ite(x == top, 1, exp(x - top)); m = top }; "
     "Y(i.p).store(m + log(l)) } }"},
    {"argmax", "value, index", 2, extreme<true>, last_of_all<true>, value_and_index, "the greater of two values and its index",
     "a number and an i32 or i64 index in one space; NaN behind every number, ties to the lower index",
     "kernel k(X: f32[M, N], Y: out i64[M]) { axis r = N; axis p = M; parallel i in [p] { best = f32(nan); at = i64(9223372036854775807); "
     "reduce j in [r] with argmax(best, at) { x = X[i.p, j.r]; ahead = x > best | is_nan(best) & !is_nan(x); behind = best > x | is_nan(x) & !is_nan(best); takes = ahead | !behind & j.r < at; best = ite(takes, x, best); at = ite(takes, j.r, at) }; "
     "Y(i.p).store(at) } }"},
    {"argmin", "value, index", 2, extreme<false>, last_of_all<false>, value_and_index, "the lesser of two values and its index",
     "a number and an i32 or i64 index in one space; NaN behind every number, ties to the lower index",
     "kernel k(X: f32[M, N], Y: out i64[M]) { axis r = N; axis p = M; parallel i in [p] { best = f32(nan); at = i64(9223372036854775807); "
     "reduce j in [r] with argmin(best, at) { x = X[i.p, j.r]; ahead = x < best | is_nan(best) & !is_nan(x); behind = best < x | is_nan(x) & !is_nan(best); takes = ahead | !behind & j.r < at; best = ite(takes, x, best); at = ite(takes, j.r, at) }; "
     "Y(i.p).store(at) } }"},
    {"topk", "values, indices", 2, first_of_both, last_of_all<true>, values_and_indices, "the k greatest of two parts and their indices, in order",
     "two states of one dim, in one space of k elements: a number and an i32 or i64 index, the greatest first; NaN behind every number, ties to "
     "the lower index; what is lacking is the least value, or NaN, at the greatest index",
     "kernel k(X: f32[M, N], Y: out i64[M, 3]) { axis r = N; axis p = M; axis k = 3; parallel i in [p] { best = broadcast(f32(nan), [k]); at = broadcast(i64(9223372036854775807), [k]); "
     "reduce j in [r] with topk(best, at) { x = X[i.p, j.r]; ahead = best > x | is_nan(x) & !is_nan(best); behind = x > best | is_nan(best) & !is_nan(x); stays = ahead | !behind & at < j.r; "
     "before = max(iota(k) - 1, 0); moves = iota(k) > 0 & !take(stays, before); best_before = take(best, before); at_before = take(at, before); "
     "best = ite(stays, best, ite(moves, best_before, x)); at = ite(stays, at, ite(moves, at_before, j.r)) }; "
     "Y((i.p, 0), [_, k]).store(at) } }"},
};

} // namespace

std::span<const Contract> contracts() { return contract_table; }

const Contract *find_contract(std::string_view name) {
  for (const Contract &c : contract_table)
    if (name == c.name) return &c;
  return nullptr;
}

void declare(Builder &b, const Contract &c, std::vector<VarId> states) {
  auto refuse = [&](const std::string &why) { b.error(Code::T0307, {{"why", "`" + std::string(c.name) + "(" + c.states + ")`: " + why}}); };
  if (states.size() != c.arity) return refuse("it has " + std::to_string(c.arity) + " states, not " + std::to_string(states.size()));
  if (const char *why = c.refused(b.program(), states)) return refuse(why);
  b.begin_contract(c.name, states, true);
  b.give(c.identity(b, states));
  const std::vector<ValueId> args = b.begin_merge();
  const auto all = std::span(args);
  b.give(c.merge(b, all.first(c.arity), all.last(c.arity)));
}

} // namespace tilenest::library
