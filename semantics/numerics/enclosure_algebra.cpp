// SPDX-License-Identifier: Apache-2.0
// Enclosures through the primitives. Where a primitive is monotone, or monotone in each operand while the others stand
// still, its correctly rounded results lie between those at the corners, because rounding is monotone too.
#include "semantics/numerics/enclosure_algebra.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/support/rule.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace tilenest {

namespace {

using Sets = std::span<const Enclosure>;

struct Encloser {
  Primitive primitive;
  ScalarType type, result; // of the operands, of the result
  bool undefined = false;

  Enclosure all() const { return Enclosure::everything(result); }
  std::uint64_t bits(double value) const { return *literal_bits(value, type); }
  std::uint64_t key(std::uint64_t b) const { return order_key(type, b); }
  double value(std::uint64_t b) const { return value_as_f64(type, b); }
  bool holds(const Enclosure &e, double v) const { return e.contains(type, bits(v)); }
  bool holds_zero(const Enclosure &e) const {
    return is_float(type) ? holds(e, 0.0) || holds(e, -0.0) : e.contains(type, 0);
  }
  bool holds_infinity(const Enclosure &e) const {
    return is_float(type) && float_layout(type).infinities && (holds(e, infinity) || holds(e, -infinity));
  }

  ScalarOutcome at(std::initializer_list<std::uint64_t> operands) const {
    return apply_scalar(primitive, type, result, std::span(operands.begin(), operands.size()));
  }

  // The hull of the results at all corners; everything where one of them is NaN, undefined or wrapped.
  Enclosure corners(Sets x) {
    Enclosure out;
    const unsigned n = static_cast<unsigned>(x.size());
    for (unsigned corner = 0; corner < 1u << n; ++corner) {
      std::uint64_t operands[3] = {};
      for (unsigned i = 0; i < n; ++i) operands[i] = corner >> i & 1 ? x[i].high : x[i].low;
      const ScalarOutcome r = apply_scalar(primitive, type, result, std::span(operands, n));
      undefined |= r.undefined;
      if (r.undefined || r.wrapped || is_nan_of(result, r.bits)) return all();
      out.join(result, Enclosure::of(result, r.bits));
    }
    return out;
  }

  // A monotone function of one operand, which has no result below `edge`.
  Enclosure monotone(const Enclosure &x, double edge) {
    Enclosure part = x;
    bool outside = false;
    if (edge > -infinity) {
      const std::uint64_t least = bits(edge == 0 ? -0.0 : edge);
      if (key(x.high) < key(least)) return Enclosure::not_a_number();
      outside = key(x.low) < key(least);
      if (outside) part.low = least;
    }
    Enclosure out = corners(std::span(&part, 1));
    out.nan |= outside;
    return out;
  }

  // |x|, as bits.
  Enclosure magnitude(const Enclosure &x) const {
    const auto abs = [&](std::uint64_t b) {
      const std::uint64_t operand[] = {b};
      return apply_scalar(Primitive::abs, type, type, operand).bits;
    };
    Enclosure out = Enclosure::between(type, abs(x.low), abs(x.high));
    if (value(x.low) < 0 && value(x.high) > 0) out.low = 0;
    return out;
  }

  // sin and cos: with an extremum in the interval the extreme value is one of the results.
  Enclosure wave(const Enclosure &x) {
    const double low = value(x.low), high = value(x.high), quarter = 1.5707963267948966;
    Enclosure unit = Enclosure::between(result, *literal_bits(-1.0, result), *literal_bits(1.0, result));
    if (!(std::fabs(low) < 0x1p20 && std::fabs(high) < 0x1p20)) {
      unit.nan = holds_infinity(x);
      return unit;
    }
    // Extrema of sin are at odd multiples of a quarter turn, of cos at even ones; the slack covers the division.
    const double slack = 1e-9, first = std::ceil(low / quarter - slack), last = std::floor(high / quarter + slack);
    if (last - first >= 4) return unit;
    Enclosure out = corners(std::span(&x, 1));
    for (double k = first; k <= last; ++k) {
      const auto turn = static_cast<std::int64_t>(k);
      const bool odd = (turn & 1) != 0;
      if (odd != (primitive == Primitive::sin)) continue;
      const bool top = odd ? (turn & 3) == 1 : (turn & 3) == 0;
      out.join(result, Enclosure::of(result, *literal_bits(top ? 1.0 : -1.0, result)));
    }
    return out;
  }

  Enclosure tangent(const Enclosure &x) {
    const double low = value(x.low), high = value(x.high), half = 3.141592653589793;
    const double slack = 1e-9;
    if (!(std::fabs(low) < 0x1p20 && std::fabs(high) < 0x1p20)) return all();
    if (std::floor(low / half + 0.5 - slack) != std::floor(high / half + 0.5 + slack)) return all(); // a pole between
    return corners(std::span(&x, 1));
  }

  // rsqrt falls; at a zero it is an infinity of the zero's sign.
  Enclosure reciprocal_root(const Enclosure &x) {
    if (key(x.high) < key(bits(-0.0))) return Enclosure::not_a_number();
    if (key(x.low) <= key(bits(-0.0))) {
      Enclosure out = all();
      out.nan = key(x.low) < key(bits(-0.0)) || !float_layout(result).infinities;
      return out;
    }
    return corners(std::span(&x, 1));
  }

  // A comparison, from what is sure and what is possible.
  static Enclosure truth(bool possible, bool sure) { return {sure ? 1u : 0u, possible ? 1u : 0u, true, false}; }
  Enclosure comparison(Sets x) const {
    const Enclosure &a = x[0], &b = x[1];
    const bool nan = a.nan || b.nan, numbers = a.number && b.number;
    // Zeros are equal: ends as numbers. Beyond 2^53 an i64 is compared by its key.
    const auto below = [&](std::uint64_t p, std::uint64_t q) { // p < q
      return is_float(type) ? value(p) < value(q) : key(p) < key(q);
    };
    const bool some_less = numbers && below(a.low, b.high), all_less = numbers && !nan && below(a.high, b.low);
    const bool some_greater = numbers && below(b.low, a.high), all_greater = numbers && !nan && below(b.high, a.low);
    const bool all_equal = numbers && !nan && !some_less && !some_greater, some_equal = numbers && !all_less && !all_greater &&
        !(below(a.high, b.low) || below(b.high, a.low));
    switch (primitive) {
    case Primitive::lt: return truth(some_less, all_less);
    case Primitive::gt: return truth(some_greater, all_greater);
    case Primitive::le: return truth(some_less || some_equal, numbers && !nan && !some_greater);
    case Primitive::ge: return truth(some_greater || some_equal, numbers && !nan && !some_less);
    case Primitive::eq: return truth(some_equal, all_equal);
    default: return truth(!all_equal, numbers ? !some_equal : true);
    }
  }

  // minnum and maxnum: the other operand where one is NaN.
  Enclosure ignoring_nan(Sets x) {
    Enclosure out;
    if (x[0].number && x[1].number) out = corners(x);
    if (x[0].nan) out.join(type, x[1]);
    if (x[1].nan) out.join(type, x[0]);
    out.nan = x[0].nan && x[1].nan;
    return out;
  }

  // The sign of a NaN is any.
  Enclosure signed_magnitude(const Enclosure &x, const Enclosure &sign) const {
    Enclosure out;
    out.nan = x.nan;
    if (!x.number) return out;
    const Enclosure m = magnitude(x);
    if (sign.nan || key(sign.high) >= key(0)) out.join(type, m);
    if (sign.nan || key(sign.low) < key(0)) out.join(type, Enclosure::between(type, at({m.low, bits(-1)}).bits, at({m.high, bits(-1)}).bits));
    return out;
  }

  Enclosure conversion(const Enclosure &x) {
    if (primitive == Primitive::bitcast) {
      // Bits of a NaN that arithmetic made are free.
      if (x.nan || is_float(result) || !is_float(type)) return all();
      return key(x.low) >= key(0) ? Enclosure::between(result, x.low, x.high) : all();
    }
    Enclosure out;
    if (result == ScalarType::boolean) {
      const bool zero = x.number && holds_zero(x);
      const bool other = x.nan || (x.number && (is_float(type) ? value(x.low) != 0 || value(x.high) != 0 : x.low != 0 || x.high != 0));
      return truth(other, !zero);
    }
    if (x.nan) {
      if (is_float(result)) out.nan = true;
      else if (primitive == Primitive::cast_sat) out.join(result, Enclosure::of(result, 0));
      else return undefined = true, all();
    }
    if (x.number) out.join(result, corners(std::span(&x, 1)));
    return out;
  }

  Enclosure numbers(Sets x) {
    const Enclosure &a = x[0];
    switch (primitive) {
    case Primitive::div:
      if (!is_float(type)) {
        undefined |= holds_zero(x[1]);
        return all();
      }
      if (holds_zero(x[1])) {
        Enclosure out = all();
        out.nan = !float_layout(type).infinities || holds_zero(a) || (holds_infinity(a) && holds_infinity(x[1]));
        return out;
      }
      return corners(x);
    case Primitive::mul:
    case Primitive::fma: {
      Enclosure out = corners(x);
      out.nan |= is_float(type) && ((holds_zero(a) && holds_infinity(x[1])) || (holds_infinity(a) && holds_zero(x[1])));
      return out;
    }
    case Primitive::add:
    case Primitive::sub:
    case Primitive::neg:
    case Primitive::min:
    case Primitive::max:
    case Primitive::bit_not: return corners(x);
    case Primitive::bit_and:
    case Primitive::bit_or:
    case Primitive::bit_xor: return type == ScalarType::boolean ? corners(x) : all();
    case Primitive::abs: return is_float(type) ? magnitude(a) : all();
    case Primitive::sqrt:
    case Primitive::log:
    case Primitive::log2: return monotone(a, 0);
    case Primitive::log1p: return monotone(a, -1);
    case Primitive::floor:
    case Primitive::ceil:
    case Primitive::trunc:
    case Primitive::round_even:
    case Primitive::exp:
    case Primitive::exp2:
    case Primitive::expm1:
    case Primitive::tanh:
    case Primitive::sinh:
    case Primitive::erf: return monotone(a, -infinity);
    case Primitive::cosh: {
      const Enclosure m = magnitude(a);
      return corners(std::span(&m, 1));
    }
    case Primitive::rsqrt: return reciprocal_root(a);
    case Primitive::sin:
    case Primitive::cos: return wave(a);
    case Primitive::tan: return tangent(a);
    case Primitive::pow: return value(a.low) > 0 && !holds_infinity(a) && !holds_infinity(x[1]) ? corners(x) : all();
    case Primitive::rem:
    case Primitive::floordiv:
    case Primitive::mod: undefined |= holds_zero(x[1]); return all();
    case Primitive::shl:
    case Primitive::shr: undefined |= !x[1].is_point() || at({a.low, x[1].low}).undefined; return all();
    default: return all();
    }
  }

  Enclosure results(Sets x) {
    switch (primitive) {
    case Primitive::select: {
      Enclosure out;
      if (x[0].high != 0) out.join(result, x[1]);
      if (x[0].low == 0) out.join(result, x[2]);
      return out;
    }
    case Primitive::eq:
    case Primitive::ne:
    case Primitive::lt:
    case Primitive::le:
    case Primitive::gt:
    case Primitive::ge: return comparison(x);
    case Primitive::is_nan: return truth(x[0].nan, !x[0].number);
    case Primitive::is_inf:
    case Primitive::is_finite: return {0, 1, true, false};
    case Primitive::copysign: return signed_magnitude(x[0], x[1]);
    case Primitive::minnum:
    case Primitive::maxnum: return ignoring_nan(x);
    case Primitive::cast:
    case Primitive::cast_sat:
    case Primitive::bitcast: return conversion(x[0]);
    default: break;
    }
    bool nan = false, number = true;
    for (const Enclosure &e : x) nan |= e.nan, number &= e.number;
    if (primitive == Primitive::pow && nan) return all(); // pow(1, NaN) and pow(NaN, 0) are 1
    Enclosure out = number ? numbers(x) : Enclosure{};
    out.nan |= nan;
    return out;
  }
};

Enclosure enclose_rounded(const TargetProfile &profile, Primitive primitive, ScalarType operand_type, ScalarType result_type,
                  std::span<const Enclosure> x, bool &undefined) {
  if (rule_broken(Rule::adm_set)) { // as if the reference's operands were all there are
    std::vector<Enclosure> low(x.begin(), x.end());
    for (std::size_t i = 0; i < low.size(); ++i) low[i].high = low[i].low;
    return Encloser{primitive, operand_type, result_type}.results(low);
  }
  const bool points = std::all_of(x.begin(), x.end(), [](const Enclosure &e) { return e.is_point(); });
  const bool declared = is_float(result_type) && may_have_error(primitive) && declares(profile, primitive, result_type);
  Encloser encloser{primitive, operand_type, result_type};
  if (points && !(primitive == Primitive::bitcast && x[0].nan)) {
    std::uint64_t bits[3] = {};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ScalarType t = tilenest::operand_type(primitive, static_cast<int>(i), operand_type);
      bits[i] = x[i].number ? x[i].low : float_layout(t).nan();
    }
    const std::span operands(bits, x.size());
    if (declared) return declared_enclosure(profile, primitive, operand_type, result_type, operands);
    return Enclosure::of(result_type, apply_scalar(primitive, operand_type, result_type, operands).bits);
  }
  if (!declared) {
    const Enclosure out = encloser.results(x);
    undefined |= encloser.undefined;
    return out;
  }
  // A subnormal operand that may count as zero: the hull with it.
  std::vector<Enclosure> operands(x.begin(), x.end());
  if (profile.find(result_type)->flushes_subnormals && is_float(operand_type)) {
    const double least_normal = std::ldexp(1.0, 1 - float_layout(operand_type).bias());
    for (Enclosure &e : operands) {
      if (!e.number) continue;
      const double low = value_as_f64(operand_type, e.low), high = value_as_f64(operand_type, e.high);
      if (high > 0 && low < least_normal) e.join(operand_type, Enclosure::of(operand_type, 0));
      if (low < 0 && high > -least_normal) e.join(operand_type, Enclosure::of(operand_type, *literal_bits(-0.0, operand_type)));
    }
  }
  const Enclosure rounded = encloser.results(operands);
  undefined |= encloser.undefined;
  return declared_enclosure(profile, primitive, operand_type, result_type, operands, rounded);
}

} // namespace

Enclosure enclose(const TargetProfile &profile, Primitive primitive, ScalarType operand_type, ScalarType result_type,
                  std::span<const Enclosure> x, bool &undefined) {
  Enclosure out = enclose_rounded(profile, primitive, operand_type, result_type, x, undefined);
  if (profile.invalid_gives_anything && out.nan && is_float(result_type) && primitive != Primitive::select &&
      primitive != Primitive::bitcast && std::none_of(x.begin(), x.end(), [](const Enclosure &e) { return e.nan; }))
    out = Enclosure::everything(result_type);
  out.origin = 0;
  if (!out.is_point())
    for (const Enclosure &e : x) out.owe(e.origin);
  return out;
}

} // namespace tilenest
