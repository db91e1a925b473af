// SPDX-License-Identifier: Apache-2.0
// Random values of a wanted type and space.
#include "tests/text/random_state.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tilenest {

namespace {
// What operations compute in; any type is stored, moved and cast.
bool any(ScalarType t) { return !is_packed(t); }
bool numeric(ScalarType t) { return any(t) && t != ScalarType::boolean; }
bool no_bool(ScalarType t) { return t != ScalarType::boolean; }
bool floating(ScalarType t) { return is_float(t); }
bool integral(ScalarType t) { return any(t) && is_integer(t); }
constexpr int deepest = 4;

bool same_space(const Space &a, const Space &b) { return a == b; }
} // namespace

ScalarType Generator::type_where(bool (*admits)(ScalarType)) {
  for (;;)
    if (const ScalarType t = any_type(); admits(t)) return t;
}

// --- literals ---

Operand Generator::any_literal(ScalarType t) {
  if (t == ScalarType::boolean) return std::int64_t{below(2)};
  if (is_integer(t)) {
    if (chance(10)) { // the ends of the range
      const int bits = bit_width(t);
      const auto top = static_cast<std::int64_t>((std::uint64_t{1} << (bits == 64 ? 63 : bits - (is_signed(t) ? 1 : 0))) - 1);
      if (is_signed(t) && chance(50)) return -top - 1;
      return top;
    }
    return std::int64_t{is_packed(t) ? below(16) - (is_signed(t) ? 8 : 0) : is_signed(t) ? below(20) - 8 : below(20)};
  }
  switch (below(9)) {
  case 0: return std::int64_t{below(9) - 4};
  case 1: return std::numeric_limits<double>::infinity() * (chance(50) ? 1 : -1);
  case 2: return std::bit_cast<double>(0x7ff8000000000000u | (chance(50) ? next() & 0x7ffffffffffffu : 0u) | (chance(50) ? std::uint64_t{1} << 63 : 0u));
  case 3: return chance(50) ? 0.0 : -0.0;
  case 4: return std::ldexp(1.0 + below(1000) / 1024.0, below(40) - 20);
  case 5: { // any finite f64
    const double d = std::bit_cast<double>(next());
    return std::isfinite(d) ? d : 1e300;
  }
  case 6: return 5e-324;
  default: return (below(2001) - 1000) / 8.0;
  }
}

std::optional<ValueId> Generator::known(ScalarType t, const Space &s) {
  std::vector<ValueId> fitting;
  for (ValueId v : values_)
    if (b_.type(v).elem == t && b_.type(v).active.empty() && same_space(b_.type(v).space, s)) fitting.push_back(v);
  std::vector<VarId> variables;
  for (VarId v : variables_) {
    const TileType &type = b_.program().variables[v].type;
    if (type.elem == t && type.active.empty() && same_space(type.space, s) && !lost_.count(v)) variables.push_back(v);
  }
  if (!variables.empty() && (fitting.empty() || chance(60))) {
    const ValueId v = b_.read(pick(variables));
    if (!b_.type(v).active.empty()) return std::nullopt;
    return chance(30) ? keep(v) : v; // held, it may be mentioned when it is no longer current
  }
  if (fitting.empty()) return std::nullopt;
  return pick(fitting);
}

Operand Generator::operand(ScalarType t, const Space &s, int depth) {
  if (s.rank() == 0 && chance(35)) return any_literal(t);
  if (s.rank() == 0 && t == ScalarType::i64 && chance(30)) return any_extent();
  return value(t, s, depth);
}

Operand Generator::index(int depth) { return operand(ScalarType::i64, {}, depth + 2); }

ValueId Generator::value(ScalarType t, const Space &s, int depth) {
  --fuel_;
  if (chance(25))
    if (const auto v = known(t, s)) return *v;
  if (depth < deepest && fuel_ > 0)
    for (int tries = 0; tries < 4; ++tries) {
      std::optional<ValueId> v;
      switch (below(12)) {
      case 0:
      case 1:
      case 2: v = elementwise(t, s, depth + 1); break;
      case 3: v = conversion(t, s, depth + 1); break;
      case 4:
      case 5: v = index_map(t, s, depth + 1); break;
      case 6: v = reduction(t, s, depth + 1); break;
      case 7: v = contraction(t, s, depth + 1); break;
      case 8: v = loaded(t, s, depth + 1); break;
      case 9: v = gathered(t, s, depth + 1); break;
      case 10: v = coordinate(t, s); break;
      default:
        if (s.rank() == 0 || chance(30)) v = b_.per(any_level(), value(t, s, depth + 1));
      }
      if (v) return chance(20) ? keep(*v) : *v;
    }
  if (chance(50))
    if (const auto v = known(t, s)) return *v;
  if (t == ScalarType::i64 && chance(70))
    if (const auto v = coordinate(t, s)) return *v;
  if (s.rank() == 0) return typed_literal(t);
  return b_.full(t, chance(50) ? Operand(std::int64_t{0}) : any_literal(t), s);
}

// --- elementwise ---

std::optional<ValueId> Generator::elementwise(ScalarType t, const Space &s, int depth) {
  std::vector<OpKind> fitting;
  if (!any(t)) return std::nullopt;
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &row = op_table[i];
    if (row.form != Form::elementwise || row.result == OpResult::attribute) continue;
    if (row.result == OpResult::boolean) {
      if (t == ScalarType::boolean) fitting.push_back(static_cast<OpKind>(i));
      continue;
    }
    const bool admitted = row.operands == OpOperands::any || (row.operands == OpOperands::numeric && numeric(t)) ||
                          (row.operands == OpOperands::integer && integral(t)) ||
                          (row.operands == OpOperands::signed_numeric && (floating(t) || is_signed(t))) ||
                          (row.operands == OpOperands::floating && floating(t)) ||
                          (row.operands == OpOperands::bool_or_int && !floating(t));
    if (admitted) fitting.push_back(static_cast<OpKind>(i));
  }
  if (fitting.empty()) return std::nullopt;
  const OpKind kind = pick(fitting);
  const OpInfo &row = info(kind);
  ScalarType of = t;
  if (row.result == OpResult::boolean)
    of = type_where(row.operands == OpOperands::floating ? floating : row.operands == OpOperands::numeric ? numeric : any);
  const bool ite = kind == OpKind::ite;
  const std::size_t n = static_cast<std::size_t>(row.arity), first = ite ? 1 : 0;
  // One operand has the whole space, and is a value so that literals meet a type; made in any order.
  const std::size_t whole = first + static_cast<std::size_t>(below(static_cast<int>(n - first)));
  std::vector<Operand> operands(n);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) order.insert(order.begin() + (chance(30) ? below(static_cast<int>(i) + 1) : static_cast<int>(i)), i);
  for (std::size_t i : order) {
    if (i == whole)
      operands[i] = value(of, s, depth);
    else if (i < first)
      operands[i] = operand(ScalarType::boolean, part_of(s), depth);
    else
      operands[i] = operand(of, chance(50) ? s : part_of(s), depth);
  }
  // An operand before it of the same rank would give the order of dims; part_of keeps it.
  const ValueId v = b_.elementwise(kind, operands);
  if (!same_space(b_.type(v).space, s) || !b_.type(v).active.empty()) return std::nullopt;
  return v;
}

// A subsequence of the dims.
Space Generator::part_of(const Space &s) {
  Space out;
  for (const Factor &f : s.factors)
    if (chance(60)) out.factors.push_back(f);
  return out;
}

std::optional<ValueId> Generator::conversion(ScalarType t, const Space &s, int depth) {
  switch (below(3)) {
  case 0: {
    const ScalarType from = any_type();
    if (s.rank() == 0 && chance(20)) return b_.cast(OpKind::cast, t, any_literal(chance(50) ? ScalarType::i64 : ScalarType::f64));
    return b_.cast(OpKind::cast, t, value(from, s, depth));
  }
  case 1:
    if (!no_bool(t)) return std::nullopt;
    return b_.cast(OpKind::cast_sat, t, value(type_where(no_bool), s, depth));
  default: {
    if (!numeric(t)) return std::nullopt;
    ScalarType from = any_type();
    while (bit_width(from) != bit_width(t) || !numeric(from)) from = any_type();
    return b_.cast(OpKind::bitcast, t, value(from, s, depth));
  }
  }
}

// --- index maps ---

std::optional<ValueId> Generator::index_map(ScalarType t, const Space &s, int depth) {
  switch (below(8)) {
  case 0:
    if (s.rank() == 0) {
      if (chance(50)) return b_.broadcast(scalar(t, depth), {});
      return std::nullopt;
    }
    if (chance(30) && (t == ScalarType::i64 || t == ScalarType::f64))
      if (const Operand o = any_literal(t); std::holds_alternative<double>(o) == (t == ScalarType::f64)) return b_.broadcast(o, s);
    return b_.broadcast(value(t, part_of(s), depth), s);
  case 1: { // from one positional axis, or to one
    Extent n = 1;
    for (const Factor &f : s.factors) {
      if (!f.extent.is_constant()) return std::nullopt;
      n = n.times(*f.extent.constant());
    }
    const Extent one[] = {n};
    return b_.reshape(value(t, b_.positional_space(one), depth), s);
  }
  case 2: {
    if (s.rank() < 2) return std::nullopt;
    Space from = s;
    std::rotate(from.factors.begin(), from.factors.begin() + 1 + below(static_cast<int>(s.rank()) - 1), from.factors.end());
    std::vector<DimId> order;
    for (const Factor &f : s.factors) order.push_back(f.dim);
    return b_.transpose(value(t, from, depth), order);
  }
  case 3: {
    if (s.rank() == 0) return std::nullopt;
    Space from;
    std::vector<Extent> extents;
    std::vector<DimId> to;
    for (const Factor &f : s.factors) {
      extents.push_back(f.extent);
      to.push_back(f.dim);
    }
    if (chance(50)) {
      from = b_.positional_space(extents);
    } else {
      for (const Extent &e : extents) from.factors.push_back({fresh_dim(), e});
    }
    return b_.relabel(value(t, from, depth), to);
  }
  case 4:
  case 5: {
    const Space of = any_space(2);
    if (of.rank() == 0 && s.rank() > 0) return std::nullopt;
    const ValueId x = value(t, of, depth);
    return b_.take(x, indices(of.rank(), s, depth));
  }
  case 6: {
    const ValueId x = value(t, s, depth);
    Space piece;
    for (const Factor &f : s.factors)
      if (chance(60)) piece.factors.push_back({f.dim, chance(50) ? f.extent : Extent(1 + below(3))});
    const Operand p = operand(t, piece, depth);
    std::vector<Operand> origin;
    for (std::size_t i = 0; i < s.rank(); ++i) origin.push_back(index(depth));
    return b_.insert(x, p, origin);
  }
  default: {
    if (s.rank() > 0 || !any(t) || t == ScalarType::boolean) return std::nullopt;
    const Space of = any_space(2);
    if (of.rank() == 0) return std::nullopt;
    ValueId x = ragged(t, of, depth); // all its points fold away
    std::vector<DimId> dims;
    for (const Factor &f : of.factors) dims.push_back(f.dim);
    const ValueId v = b_.reduce(x, dims, Reducer::max, ReductionPolicy::unordered_tree);
    return b_.type(v).active.empty() ? std::optional(v) : std::nullopt;
  }
  }
}

// The indices of a gather or take whose result has the space.
std::vector<Operand> Generator::indices(std::size_t n, const Space &s, int depth) {
  std::vector<Operand> out;
  const std::size_t whole = n == 0 ? 0 : static_cast<std::size_t>(below(static_cast<int>(n)));
  for (std::size_t i = 0; i < n; ++i) {
    if (i == whole && s.rank() > 0)
      out.push_back(value(chance(50) ? ScalarType::i64 : type_where(integral), s, depth));
    else
      out.push_back(chance(50) ? index(depth) : Operand(scalar(type_where(integral), depth)));
  }
  return out;
}

ValueId Generator::ragged(ScalarType t, const Space &s, int depth) {
  Space over = part_of(s);
  if (over.rank() == 0) over.factors.push_back(s.factors[0]);
  const ValueId p = value(ScalarType::boolean, over, depth);
  if (chance(50)) {
    const std::vector<ValueId> active = chance(30) ? std::vector<ValueId>{p, value(ScalarType::boolean, over, depth)} : std::vector<ValueId>{p};
    if (const auto v = loaded(t, s, depth, active)) return *v;
  }
  return b_.restrict(value(t, s, depth), p);
}

// --- folds ---

std::optional<ValueId> Generator::reduction(ScalarType t, const Space &s, int depth) {
  std::vector<Reducer> fitting;
  if (!any(t)) return std::nullopt;
  if (numeric(t)) fitting = {Reducer::add, Reducer::mul, Reducer::min, Reducer::max};
  if (floating(t)) fitting.insert(fitting.end(), {Reducer::minnum, Reducer::maxnum});
  if (!floating(t)) fitting.insert(fitting.end(), {Reducer::bit_and, Reducer::bit_or, Reducer::bit_xor});
  if (s.rank() > 0 && chance(30))
    return b_.scan(value(t, s, depth), pick(s.factors).dim, pick(fitting), chance(50), chance(50),
                   chance(30) ? ReductionPolicy::fold_left : ReductionPolicy::ordered_tree);
  Space from = s;
  std::vector<DimId> dims;
  for (int n = below(3); n > 0; --n) {
    const Factor f = any_factor();
    if (from.find(f.dim) >= 0) continue;
    from.factors.insert(from.factors.begin() + below(static_cast<int>(from.rank()) + 1), f);
    dims.push_back(f.dim);
  }
  return b_.reduce(value(t, from, depth), dims, pick(fitting), static_cast<ReductionPolicy>(below(4)), chance(30));
}

std::optional<ValueId> Generator::contraction(ScalarType t, const Space &s, int depth) {
  if (!numeric(t)) return std::nullopt;
  const Factor k = any_factor();
  if (s.find(k.dim) >= 0) return std::nullopt;
  Space a, c;
  for (const Factor &f : s.factors) {
    const int side = below(3);
    if (side != 1) a.factors.push_back(f);
    if (side != 0) c.factors.push_back(f);
  }
  a.factors.push_back(k);
  c.factors.insert(c.factors.begin(), k);
  const ScalarType in = t == ScalarType::f32 && chance(50) ? ScalarType::f16 : t;
  const ValueId x = value(in, a, depth), y = value(in, c, depth), acc = value(t, s, depth);
  return b_.mma(x, y, acc, {chance(70), chance(70), chance(70)});
}

// --- memory ---

void Generator::bounds(Bounds &bounds, std::optional<Operand> &predicate, const Space &s, int depth) {
  bounds = static_cast<Bounds>(below(3));
  if (bounds == Bounds::predicate) predicate = operand(ScalarType::boolean, part_of(s), depth);
}

std::optional<ValueId> Generator::loaded(ScalarType t, const Space &s, int depth, std::vector<ValueId> active) {
  std::vector<ViewId> fitting;
  for (ViewId v : views_)
    if (const View &view = b_.program().views[v]; view.elem == t && view.space.rank() >= s.rank()) fitting.push_back(v);
  if (fitting.empty()) return std::nullopt;
  Access a;
  a.view = pick(fitting);
  const std::size_t rank = b_.program().views[a.view].space.rank();
  std::size_t next_factor = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axes_left = rank - i, factors_left = s.rank() - next_factor;
    WindowAxis axis;
    if (factors_left > 0 && (factors_left == axes_left || chance(50))) {
      axis.dim = s.factors[next_factor].dim;
      axis.extent = s.factors[next_factor++].extent;
    } else {
      axis.point = true;
    }
    a.window.push_back(axis);
  }
  if (s.rank() == 0 && chance(50)) a.window.clear();
  for (std::size_t i = 0; i < rank; ++i) a.origin.push_back(index(depth));
  bounds(a.bounds, a.predicate, s, depth);
  if (a.bounds != Bounds::assume && chance(30)) a.fallback = operand(t, {}, depth);
  a.active = std::move(active);
  return b_.load(a);
}

std::optional<ValueId> Generator::gathered(ScalarType t, const Space &s, int depth) {
  std::vector<ViewId> fitting;
  for (ViewId v : views_)
    if (const View &view = b_.program().views[v]; view.elem == t && (view.space.rank() > 0 || s.rank() == 0)) fitting.push_back(v);
  if (fitting.empty()) return std::nullopt;
  IndexedAccess a;
  a.view = pick(fitting);
  a.index = indices(b_.program().views[a.view].space.rank(), s, depth);
  bounds(a.bounds, a.predicate, s, depth);
  if (a.bounds != Bounds::assume && chance(30)) a.fallback = operand(t, {}, depth);
  return b_.gather(a);
}

// --- coordinates ---

std::optional<ValueId> Generator::coordinate(ScalarType t, const Space &s) {
  if (t != ScalarType::i64 || s.rank() > 1) return std::nullopt;
  if (s.rank() == 1) return b_.iota(s.factors[0]);
  if (chance(20)) return b_.value(any_extent());
  if (chance(20)) {
    const int inputs = below(3);
    std::vector<Operand> in;
    for (int i = 0; i < inputs; ++i) in.push_back(index(3));
    const int outputs = 1 + below(2);
    return b_.map_coord(any_map(inputs, outputs), below(outputs), in);
  }
  std::vector<const OpenScope *> open;
  for (const OpenScope &o : scopes_)
    if (!o.inferred) open.push_back(&o);
  if (open.empty()) return std::nullopt;
  const OpenScope &o = *pick(open);
  if (inferred_depth_ == 0 && chance(25)) {
    const auto path = b_.coord(o.scope);
    return path.empty() ? std::nullopt : std::optional(pick(path));
  }
  return pick(o.scope.coords);
}

} // namespace tilenest
