// SPDX-License-Identifier: Apache-2.0
// From a declaration to the results it admits: the exact value between two MPFR numbers, widened by the declared
// error, then the values of the type in between.
#include "semantics/numerics/declared_error.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/support/rule.h"
#include <algorithm>
#include <cmath>
#include <mpfr.h>

namespace tilenest {

namespace {

class Real {
public:
  Real() { mpfr_init2(value_, 320); }
  Real(double x) : Real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Real(const Real &o) : Real() { mpfr_set(value_, o.value_, MPFR_RNDN); }
  Real &operator=(const Real &o) {
    mpfr_set(value_, o.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  bool is_nan() const { return mpfr_nan_p(value_) != 0; }

private:
  mpfr_t value_;
};

// Real numbers from low to high; `nan` where there may be no number.
struct Interval {
  Real low, high;
  bool nan = false;
  bool is_point() const { return !nan && mpfr_equal_p(low.get(), high.get()) != 0; }
  bool holds_zero() const { return mpfr_sgn(low.get()) <= 0 && mpfr_sgn(high.get()) >= 0; }
};

// x rounded to a value of the type, as an f64. Beyond the largest finite value: an infinity where the direction or,
// to nearest, the magnitude asks for it.
double round_to(ScalarType type, const Real &x, mpfr_rnd_t direction) {
  if (mpfr_number_p(x.get()) == 0) return mpfr_get_d(x.get(), MPFR_RNDN);
  const FloatLayout layout = float_layout(type);
  if (mpfr_zero_p(x.get()) != 0) return mpfr_signbit(x.get()) != 0 ? -0.0 : 0.0;
  const long exponent = std::max<long>(static_cast<long>(mpfr_get_exp(x.get())) - 1, 1 - layout.bias());
  const long unit = exponent - layout.fraction_bits;
  Real r;
  mpfr_mul_2si(r.get(), x.get(), -unit, MPFR_RNDN); // exact
  // MPFR's rint to nearest takes ties to even for MPFR_RNDN.
  mpfr_rint(r.get(), r.get(), direction);
  mpfr_mul_2si(r.get(), r.get(), unit, MPFR_RNDN);
  const double largest = value_as_f64(type, layout.largest());
  if (mpfr_cmpabs(r.get(), Real(largest).get()) <= 0) return mpfr_get_d(r.get(), MPFR_RNDN);
  const bool negative = mpfr_signbit(r.get()) != 0;
  const bool inward = direction == MPFR_RNDZ || (direction == MPFR_RNDD && !negative) || (direction == MPFR_RNDU && negative);
  return (negative ? -1 : 1) * (inward ? largest : infinity);
}

// The unit in the last place of the type at a magnitude.
Real ulp(ScalarType type, const Real &x) {
  const FloatLayout layout = float_layout(type);
  long exponent = 1 - layout.bias();
  if (mpfr_regular_p(x.get()) != 0) exponent = std::max(exponent, static_cast<long>(mpfr_get_exp(x.get())) - 1);
  exponent = std::min<long>(exponent, std::ilogb(value_as_f64(type, layout.largest())));
  Real u(1);
  mpfr_mul_2si(u.get(), u.get(), exponent - layout.fraction_bits, MPFR_RNDN);
  return u;
}

using Operands = std::vector<Interval>;

// The primitive at a point, rounded in one direction.
void at_point(Primitive p, const Operands &x, Real &out, mpfr_rnd_t direction) {
  auto at = [&](std::size_t i) { return x[i].low.get(); };
  switch (p) {
  case Primitive::add: mpfr_add(out.get(), at(0), at(1), direction); break;
  case Primitive::sub: mpfr_sub(out.get(), at(0), at(1), direction); break;
  case Primitive::mul: mpfr_mul(out.get(), at(0), at(1), direction); break;
  case Primitive::div: mpfr_div(out.get(), at(0), at(1), direction); break;
  case Primitive::fma: mpfr_fma(out.get(), at(0), at(1), at(2), direction); break;
  case Primitive::neg: mpfr_neg(out.get(), at(0), direction); break;
  case Primitive::sqrt: mpfr_sqrt(out.get(), at(0), direction); break;
  case Primitive::rsqrt:
    if (mpfr_zero_p(at(0)) != 0) mpfr_set_inf(out.get(), mpfr_signbit(at(0)) != 0 ? -1 : 1);
    else mpfr_rec_sqrt(out.get(), at(0), direction);
    break;
  case Primitive::exp: mpfr_exp(out.get(), at(0), direction); break;
  case Primitive::exp2: mpfr_exp2(out.get(), at(0), direction); break;
  case Primitive::expm1: mpfr_expm1(out.get(), at(0), direction); break;
  case Primitive::log: mpfr_log(out.get(), at(0), direction); break;
  case Primitive::log2: mpfr_log2(out.get(), at(0), direction); break;
  case Primitive::log1p: mpfr_log1p(out.get(), at(0), direction); break;
  case Primitive::sin: mpfr_sin(out.get(), at(0), direction); break;
  case Primitive::cos: mpfr_cos(out.get(), at(0), direction); break;
  case Primitive::tan: mpfr_tan(out.get(), at(0), direction); break;
  case Primitive::sinh: mpfr_sinh(out.get(), at(0), direction); break;
  case Primitive::cosh: mpfr_cosh(out.get(), at(0), direction); break;
  case Primitive::tanh: mpfr_tanh(out.get(), at(0), direction); break;
  case Primitive::erf: mpfr_erf(out.get(), at(0), direction); break;
  case Primitive::pow: mpfr_pow(out.get(), at(0), at(1), direction); break;
  default: mpfr_set(out.get(), at(0), direction); break; // a cast: the value itself
  }
}

// Primitives whose results are values of the type as they are: signs, minima, integral values.
bool always_exact(Primitive p) {
  switch (p) {
  case Primitive::abs:
  case Primitive::min:
  case Primitive::max:
  case Primitive::minnum:
  case Primitive::maxnum:
  case Primitive::floor:
  case Primitive::ceil:
  case Primitive::trunc:
  case Primitive::round_even:
  case Primitive::copysign: return true;
  default: return false;
  }
}

Interval everything() { return {Real(-infinity), Real(infinity), true}; }

Interval between(const Real &low, const Real &high) {
  return low.is_nan() || high.is_nan() ? everything() : Interval{low, high, false};
}

// The hull of the primitive's exact values over intervals; for what a formula may apply (takes_intervals).
Interval over_intervals(Primitive p, const Operands &x) {
  Real low, high;
  switch (p) {
  case Primitive::add:
    mpfr_add(low.get(), x[0].low.get(), x[1].low.get(), MPFR_RNDD);
    mpfr_add(high.get(), x[0].high.get(), x[1].high.get(), MPFR_RNDU);
    return between(low, high);
  case Primitive::sub:
    mpfr_sub(low.get(), x[0].low.get(), x[1].high.get(), MPFR_RNDD);
    mpfr_sub(high.get(), x[0].high.get(), x[1].low.get(), MPFR_RNDU);
    return between(low, high);
  case Primitive::div:
    if (x[1].holds_zero()) return everything();
    [[fallthrough]];
  case Primitive::mul: {
    Interval out{Real(infinity), Real(-infinity), false};
    for (const Real *a : {&x[0].low, &x[0].high})
      for (const Real *b : {&x[1].low, &x[1].high}) {
        (p == Primitive::mul ? mpfr_mul : mpfr_div)(low.get(), a->get(), b->get(), MPFR_RNDD);
        (p == Primitive::mul ? mpfr_mul : mpfr_div)(high.get(), a->get(), b->get(), MPFR_RNDU);
        if (low.is_nan()) return everything();
        if (mpfr_less_p(low.get(), out.low.get()) != 0) out.low = low;
        if (mpfr_greater_p(high.get(), out.high.get()) != 0) out.high = high;
      }
    return out;
  }
  case Primitive::fma: {
    const Interval product = over_intervals(Primitive::mul, {x[0], x[1]});
    return product.nan ? product : over_intervals(Primitive::add, {product, x[2]});
  }
  case Primitive::neg:
    mpfr_neg(low.get(), x[0].high.get(), MPFR_RNDN);
    mpfr_neg(high.get(), x[0].low.get(), MPFR_RNDN);
    return between(low, high);
  default: break;
  }
  // Monotone functions of one operand; rsqrt falls.
  const bool falls = p == Primitive::rsqrt;
  Interval first = x[0];
  bool outside = false; // part of the interval is outside the domain
  double edge = -infinity;
  if (p == Primitive::sqrt || p == Primitive::rsqrt || p == Primitive::log || p == Primitive::log2) edge = 0;
  if (p == Primitive::log1p) edge = -1;
  if (mpfr_cmp_d(first.low.get(), edge) < 0) outside = true, first.low = Real(edge);
  if (mpfr_cmp_d(first.high.get(), edge) < 0) return everything();
  // A zero end may be either zero: rsqrt(-0) is -infinity.
  if (p == Primitive::rsqrt && mpfr_zero_p(first.low.get()) != 0) return everything();
  Interval a{falls ? first.high : first.low, falls ? first.high : first.low, false}, b{falls ? first.low : first.high, falls ? first.low : first.high, false};
  at_point(p, {a}, low, MPFR_RNDD);
  at_point(p, {b}, high, MPFR_RNDU);
  Interval out = between(low, high);
  out.nan |= outside;
  return out;
}

// The next element of the type, up or down; an infinity, or the end of a type without them, has none beyond it.
std::uint64_t neighbour(ScalarType type, std::uint64_t bits, bool up) {
  const Enclosure all = Enclosure::everything(type);
  if (bits == (up ? all.high : all.low)) return bits;
  return from_order_key(type, order_key(type, bits) + (up ? 1 : ~std::uint64_t{0}));
}

Interval exact_values(Primitive p, ScalarType type, const Operands &x, const Enclosure &rounded) {
  const bool points = std::all_of(x.begin(), x.end(), [](const Interval &i) { return i.is_point(); });
  if (always_exact(p) && points) { // as they are here, perhaps flushed
    std::vector<std::uint64_t> bits;
    for (const Interval &i : x) bits.push_back(*literal_bits(mpfr_get_d(i.low.get(), MPFR_RNDN), type));
    const Real r(value_as_f64(type, apply_scalar(p, type, type, bits).bits));
    return {r, r, r.is_nan()};
  }
  if (!points && !takes_intervals(p)) { // what rounds to these: no formula applies them
    if (!rounded.number) return {Real(std::nan("")), Real(std::nan("")), true};
    const bool exact = always_exact(p);
    return {Real(value_as_f64(type, exact ? rounded.low : neighbour(type, rounded.low, false))),
            Real(value_as_f64(type, exact ? rounded.high : neighbour(type, rounded.high, true))), rounded.nan};
  }
  if (!points) return over_intervals(p, x);
  Interval out;
  at_point(p, x, out.low, MPFR_RNDD);
  at_point(p, x, out.high, MPFR_RNDU);
  out.nan = out.low.is_nan();
  if (mpfr_zero_p(out.low.get()) != 0 && mpfr_zero_p(out.high.get()) != 0) { // an exact zero has one sign
    at_point(p, x, out.low, MPFR_RNDN);
    out.high = out.low;
  }
  return out;
}

// Values of the type, as f64: an interval with its zeros, and perhaps NaN.
struct Values {
  double low = infinity, high = -infinity;
  bool may_be_nan = false, may_be_minus_zero = false, may_be_plus_zero = false;

  bool is_empty() const { return low > high; }
  void join(const Values &o) {
    low = std::min(low, o.low);
    high = std::max(high, o.high);
    may_be_nan |= o.may_be_nan;
    may_be_minus_zero |= o.may_be_minus_zero || (low < 0 && high > 0);
    may_be_plus_zero |= o.may_be_plus_zero || (low < 0 && high > 0);
  }
};

void add_number(Values &e, double low, double high) {
  e.low = std::min(e.low, low);
  e.high = std::max(e.high, high);
  if (low <= 0 && high >= 0) {
    const bool one_zero = low == 0 && high == 0 && std::signbit(low) == std::signbit(high);
    e.may_be_minus_zero |= !one_zero || std::signbit(low);
    e.may_be_plus_zero |= !one_zero || !std::signbit(low);
  }
}

struct Evaluator {
  const TargetProfile &profile;
  ScalarType type;
  Enclosure rounded; // the correctly rounded results

  // The type's values among `low` to `high`, and the correctly rounded ones of `exact`.
  Values values(const Interval &exact, const Real &low, const Real &high) const {
    Values e;
    e.may_be_nan = exact.nan;
    if (exact.low.is_nan()) return e;
    const double least = round_to(type, exact.low, MPFR_RNDN), most = round_to(type, exact.high, MPFR_RNDN);
    double first = round_to(type, low, MPFR_RNDU), last = round_to(type, high, MPFR_RNDD);
    // A real number that rounds to an infinity is one that a result may be rounded from.
    if (std::isinf(round_to(type, low, MPFR_RNDN))) first = round_to(type, low, MPFR_RNDN);
    if (std::isinf(round_to(type, high, MPFR_RNDN))) last = round_to(type, high, MPFR_RNDN);
    if (first < least || last > most) add_number(e, std::min(first, least), std::max(last, most));
    else add_number(e, least, most);
    if (!float_layout(type).infinities) { // an overflow is NaN
      const double largest = value_as_f64(type, float_layout(type).largest());
      e.may_be_nan |= std::isinf(e.low) || std::isinf(e.high);
      if (e.low == infinity || e.high == -infinity) return {infinity, -infinity, true, false, false};
      e.low = std::max(e.low, -largest);
      e.high = std::min(e.high, largest);
    }
    return e;
  }

  Values widened(const Interval &exact, const Real &by) const {
    Real low, high;
    if (exact.low.is_nan()) return values(exact, low, high);
    mpfr_sub(low.get(), exact.low.get(), by.get(), MPFR_RNDD);
    mpfr_add(high.get(), exact.high.get(), by.get(), MPFR_RNDU);
    return values(exact, low, high);
  }

  Values one_bound(const ErrorBound &b, const Interval &exact, const Operands &x) const {
    if (b.kind == ErrorBound::Kind::inherited) return formula(b.formula, x);
    if (b.kind == ErrorBound::Kind::absolute) return widened(exact, Real(b.absolute));
    if (b.kind == ErrorBound::Kind::faithful) {
      if (exact.low.is_nan()) return values(exact, exact.low, exact.high);
      return values(exact, Real(round_to(type, exact.low, MPFR_RNDD)), Real(round_to(type, exact.high, MPFR_RNDU)));
    }
    auto larger = [](const Interval &i) {
      Real a, c;
      mpfr_abs(a.get(), i.low.get(), MPFR_RNDN);
      mpfr_abs(c.get(), i.high.get(), MPFR_RNDN);
      return mpfr_less_p(a.get(), c.get()) != 0 ? c : a;
    };
    Real n(b.per_magnitude), by = ulp(type, larger(exact));
    if (b.per_magnitude != 0) mpfr_mul(n.get(), n.get(), larger(x[0]).get(), MPFR_RNDU);
    mpfr_add_d(n.get(), n.get(), b.ulps, MPFR_RNDU);
    mpfr_mul(by.get(), by.get(), n.get(), MPFR_RNDU);
    return widened(exact, by);
  }

  // The results on operands as they are: every bound whose interval they meet, and exactness where none holds.
  Values declared(Primitive p, const Operands &x) const {
    const Interval exact = exact_values(p, type, x, rounded);
    Values out;
    bool covered = false;
    for (const ErrorBound &b : profile.bounds(p, type)) {
      const bool meets = mpfr_cmp_d(x[0].high.get(), b.from) >= 0 && mpfr_cmp_d(x[0].low.get(), b.to) <= 0;
      if (!meets) continue;
      out.join(one_bound(b, exact, x));
      covered = mpfr_cmp_d(x[0].low.get(), b.from) >= 0 && mpfr_cmp_d(x[0].high.get(), b.to) <= 0;
      if (covered) break;
    }
    if (!covered) out.join(values(exact, exact.low, exact.high));
    return out;
  }

  // rule: NUM-TGT -- and the results that flushing adds.
  Values results(Primitive p, Operands x) const {
    const TypeProfile *t = profile.find(type);
    if (!t || !t->flushes_subnormals) return declared(p, x);
    const double least_normal = std::ldexp(1.0, 1 - float_layout(type).bias());
    auto subnormal = [&](const Interval &i) {
      return mpfr_cmp_d(i.low.get(), least_normal) < 0 && mpfr_cmp_d(i.high.get(), -least_normal) > 0 &&
             !(i.is_point() && mpfr_zero_p(i.low.get()) != 0);
    };
    Values out;
    std::vector<std::size_t> flushed; // operands that may count as zero
    for (std::size_t i = 0; i < x.size(); ++i)
      if (subnormal(x[i])) flushed.push_back(i);
    for (unsigned mask = 0; mask < 1u << flushed.size(); ++mask) {
      Operands y = x;
      for (std::size_t k = 0; k < flushed.size(); ++k) {
        Interval &i = y[flushed[k]];
        if ((mask >> k & 1) == 0) continue;
        if (i.is_point()) i.low = i.high = Real(mpfr_signbit(i.low.get()) != 0 ? -0.0 : 0.0);
        else if (mpfr_sgn(i.low.get()) > 0) i.low = Real(0);
        else if (mpfr_sgn(i.high.get()) < 0) i.high = Real(0);
      }
      out.join(declared(p, y));
    }
    if (out.is_empty()) return out;
    const bool positive = out.high > 0 && out.low < least_normal, negative = out.low < 0 && out.high > -least_normal;
    if (positive) add_number(out, 0.0, 0.0);
    if (negative) add_number(out, -0.0, -0.0);
    return out;
  }

  Values formula(const Formula &f, const Operands &x) const {
    if (f.kind == Formula::Kind::literal) return values({Real(f.literal), Real(f.literal), false}, Real(f.literal), Real(f.literal));
    Operands operands;
    Values out;
    for (const Formula &a : f.arguments) {
      if (a.kind == Formula::Kind::operand) {
        operands.push_back(x[static_cast<std::size_t>(a.operand)]);
        continue;
      }
      const Values e = formula(a, x);
      out.may_be_nan |= e.may_be_nan;
      if (e.is_empty()) return {infinity, -infinity, true, false, false};
      operands.push_back({Real(e.low), Real(e.high), false});
      if (e.low == 0 && e.high == 0 && e.may_be_minus_zero && !e.may_be_plus_zero) operands.back().low = operands.back().high = Real(-0.0);
    }
    if (f.kind == Formula::Kind::operand) {
      const Interval &i = x[static_cast<std::size_t>(f.operand)];
      return values(i, i.low, i.high);
    }
    out.join(results(f.primitive, std::move(operands)));
    return out;
  }
};

// The zero that an end of the interval is, as an element.
std::uint64_t element(ScalarType type, double value, bool minus_zero) {
  return *literal_bits(value == 0 ? (minus_zero ? -0.0 : 0.0) : value, type);
}

Enclosure enclosure_of(ScalarType type, const Values &v) {
  Enclosure e;
  e.nan = v.may_be_nan;
  if (v.is_empty()) return e;
  e.number = true;
  e.low = element(type, v.low, v.may_be_minus_zero);
  e.high = element(type, v.high, !v.may_be_plus_zero);
  return e;
}

} // namespace

bool declares(const TargetProfile &profile, Primitive primitive, ScalarType type) {
  const TypeProfile *declared = profile.find(type);
  return declared && (declared->flushes_subnormals || !profile.bounds(primitive, type).empty());
}

// rule: NUM-TGT
Enclosure declared_enclosure(const TargetProfile &profile, Primitive primitive, ScalarType operand_type,
                             ScalarType result_type, std::span<const Enclosure> operands, const Enclosure &rounded) {
  Enclosure out = rounded;
  if (rule_broken(Rule::num_tgt) && rounded.number) out.join(result_type, Enclosure::of(result_type, neighbour(result_type, rounded.low, false)));
  if (!declares(profile, primitive, result_type) || !rounded.number) return out;

  Operands x;
  const auto real = [&](std::uint64_t bits) {
    Real r;
    if (is_float(operand_type)) r = Real(value_as_f64(operand_type, bits));
    else if (is_signed(operand_type)) mpfr_set_si(r.get(), value_as_i64(operand_type, bits), MPFR_RNDN);
    else mpfr_set_ui(r.get(), bits, MPFR_RNDN);
    return r;
  };
  for (const Enclosure &e : operands) {
    if (!e.number) return out;
    x.push_back({real(e.low), real(e.high), false});
  }
  const Evaluator evaluator{profile, result_type, rounded};
  Enclosure declared = enclosure_of(result_type, evaluator.results(primitive, std::move(x)));
  if (primitive == Primitive::cast_sat && declared.number) { // an overflow gives the largest finite value
    const std::uint64_t largest = float_layout(result_type).largest();
    const std::uint64_t least = *literal_bits(-value_as_f64(result_type, largest), result_type);
    const auto clamp = [&](std::uint64_t bits) {
      const std::uint64_t key = std::clamp(order_key(result_type, bits), order_key(result_type, least), order_key(result_type, largest));
      return from_order_key(result_type, key);
    };
    declared = {clamp(declared.low), clamp(declared.high), true, rounded.nan};
  }
  out.join(result_type, declared);
  return out;
}

Enclosure declared_enclosure(const TargetProfile &profile, Primitive primitive, ScalarType operand_type,
                             ScalarType result_type, std::span<const std::uint64_t> operands) {
  std::vector<Enclosure> x;
  for (int i = 0; i < arity(primitive); ++i)
    x.push_back(Enclosure::of(operand_type, operands[static_cast<std::size_t>(i)]));
  const Enclosure rounded = Enclosure::of(result_type, apply_scalar(primitive, operand_type, result_type, operands).bits);
  return declared_enclosure(profile, primitive, operand_type, result_type, x, rounded);
}

} // namespace tilenest
