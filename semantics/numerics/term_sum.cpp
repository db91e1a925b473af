// SPDX-License-Identifier: Apache-2.0
// The exact sum is kept in two f64 (Knuth's two-sum, two-product by fma); what these lose is added to the bound.
#include "semantics/numerics/term_sum.h"
#include "semantics/numerics/enclosure_algebra.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/support/rule.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace tilenest {

namespace {

// The exponent of the lowest bit that is set in a finite number other than zero.
int lowest_exponent(double x) {
  const auto u = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(u >> 52 & 0x7ff);
  const std::uint64_t fraction = u & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t significand = exponent ? fraction | std::uint64_t{1} << 52 : fraction;
  return (exponent ? exponent : 1) - 1075 + std::countr_zero(significand);
}

// Bits from the highest to the lowest that is set.
int odd_bits(double x) { return std::ilogb(x) - lowest_exponent(x) + 1; }

} // namespace

StepError step_error(const TargetProfile &profile, Primitive primitive, ScalarType type) {
  const FloatLayout layout = float_layout(type);
  const double u = std::ldexp(1.0, -layout.precision()), least = std::ldexp(1.0, layout.least_exponent());
  StepError out{u, primitive == Primitive::add ? 0 : least / 2, true, false, profile.invalid_gives_anything}; // a sum of elements below the normal ones is exact
  for (const ErrorBound &b : profile.bounds(primitive, type)) {
    if (b.kind == ErrorBound::Kind::absolute) {
      out.absolute = std::max(out.absolute, b.absolute + least);
    } else if (b.kind == ErrorBound::Kind::faithful) {
      out.relative = std::max(out.relative, 2 * u);
      out.absolute = std::max(out.absolute, least);
      out.exact_where_possible = true;
    } else if (b.kind == ErrorBound::Kind::ulps && b.per_magnitude == 0) {
      out.relative = std::max(out.relative, 2 * u * (b.ulps + 1));
      out.absolute = std::max(out.absolute, least * (b.ulps + 1));
    } else {
      out.bounded = false;
    }
  }
  if (const TypeProfile *t = profile.find(type); t && t->flushes_subnormals)
    out.absolute += 3 * std::ldexp(1.0, 1 - layout.bias()); // two operands and the result
  return out;
}

void TermSum::add_special(bool plus, bool minus, bool nan) {
  plus_infinity_ |= plus;
  minus_infinity_ |= minus;
  nan_ |= nan;
}

void TermSum::add_range(double low, double high, bool product) {
  low_.add(low);
  high_.add(high);
  const double most = std::fmax(std::fabs(low), std::fabs(high));
  magnitude_ += most;
  if (product) product_magnitude_ += most, ++products_;
  ++terms_;
  exact_ = false;
}

void TermSum::add_value(double x) {
  all_minus_zero_ &= x == 0 && std::signbit(x);
  if (x == 0) return;
  points_.add(x);
  magnitude_ += std::fabs(x);
  unit_ = std::min(unit_, lowest_exponent(x));
  ++terms_;
}

void TermSum::add_product(double a, double b) {
  const double p = a * b;
  all_minus_zero_ &= p == 0 && std::signbit(p);
  if (a == 0 || b == 0) return;
  points_.add(p);
  if (type_ == ScalarType::f64) { // the other types' products are exact in f64
    points_.low += std::fma(a, b, -p);
    if (std::fabs(p) < 0x1p-900) exact_ = false; // fma may have lost bits
    if (!std::isfinite(p)) infinite_bounds_ = true;
  }
  magnitude_ += std::fabs(p);
  product_magnitude_ += std::fabs(p);
  unit_ = std::min(unit_, lowest_exponent(a) + lowest_exponent(b));
  ++terms_;
  ++products_;
}

void TermSum::add(const Enclosure &x) {
  owe(x);
  if (!x.number) return nan_ = true, void();
  const double low = value_as_f64(type_, x.low), high = value_as_f64(type_, x.high);
  if (x.is_point() && std::isfinite(low)) return add_value(low);
  all_minus_zero_ = false;
  if (x.is_point()) return add_special(low > 0, low < 0, false);
  if (!std::isfinite(low) || !std::isfinite(high)) infinite_bounds_ = true;
  nan_ |= x.nan;
  exact_ = false;
  if (infinite_bounds_) return;
  add_range(low, high, false);
}

void TermSum::add_product(const Enclosure &a, const Enclosure &b) {
  owe(a);
  owe(b);
  if (!a.number || !b.number) return nan_ = true, void();
  const double a_low = value_as_f64(type_, a.low), a_high = value_as_f64(type_, a.high);
  const double b_low = value_as_f64(type_, b.low), b_high = value_as_f64(type_, b.high);
  const bool finite = std::isfinite(a_low) && std::isfinite(a_high) && std::isfinite(b_low) && std::isfinite(b_high);
  const bool points = a.is_point() && b.is_point();
  if (points && finite) return add_product(a_low, b_low);
  all_minus_zero_ = false;
  if (points) {
    const double p = a_low * b_low;
    return add_special(p > 0, p < 0, std::isnan(p));
  }
  nan_ |= a.nan || b.nan;
  exact_ = false;
  if (!finite) infinite_bounds_ = true, nan_ = true;
  if (infinite_bounds_) return;
  double low = infinity, high = -infinity;
  for (const double x : {a_low, a_high})
    for (const double y : {b_low, b_high}) low = std::fmin(low, x * y), high = std::fmax(high, x * y);
  if (type_ == ScalarType::f64) low = std::nextafter(low, -infinity), high = std::nextafter(high, infinity);
  if (!std::isfinite(low) || !std::isfinite(high)) return infinite_bounds_ = true, void();
  add_range(low, high, true);
}

void TermSum::owe(const Enclosure &x) {
  Enclosure e;
  e.origin = origin_;
  e.owe(x.origin);
  origin_ = e.origin;
}

Enclosure TermSum::close(const StepError &add, const StepError &mul) const {
  Enclosure out = bounds(add, mul);
  out.origin = out.is_point() ? 0 : origin_;
  return out;
}

// rule: ADM-CHECK -- a point where sum|x| <= 2^p q; else the exact sum and what the roundings can do.
Enclosure TermSum::bounds(const StepError &add, const StepError &mul) const {
  const FloatLayout layout = float_layout(type_);
  const double largest = value_as_f64(type_, layout.largest());
  const auto number = [&](double v) { return Enclosure::of(type_, *literal_bits(v, type_)); };
  const double u = std::ldexp(1.0, -layout.precision());
  const bool exactly = add.relative == u && add.absolute == 0 && mul.relative == u && add.bounded && mul.bounded;
  const auto n = static_cast<double>(terms_);
  const double wide_error = (n + 4) * (n + 4) * 0x1p-104 * magnitude_ + (type_ == ScalarType::f64 ? static_cast<double>(products_) * 0x1p-1074 : 0);
  const double magnitude = magnitude_ * (1 + (n + 4) * 0x1p-52), products = product_magnitude_ * (1 + (n + 4) * 0x1p-52);

  if (!add.bounded || !mul.bounded || infinite_bounds_) return Enclosure::everything(type_);
  Enclosure out;
  out.nan = nan_;
  // In f64 itself the sum of magnitudes is exact only below the limit.
  const double limit = std::ldexp(1.0, std::min(layout.precision() + unit_, 1020));
  const bool point = exact_ && (exactly || (add.exact_where_possible && mul.exact_where_possible)) && unit_ >= layout.least_exponent() && (type_ == ScalarType::f64 ? magnitude_ < limit : magnitude_ <= limit);
  // Terms that are infinite, or partial sums that could be: all of the type.
  double bound = 0;
  if (!point && !rule_broken(Rule::adm_check)) {
    if (exactly) {
      bound = std::fmax(n - 1, 0) * u * (magnitude + u * products) + u * products + static_cast<double>(products_) * mul.absolute;
    } else {
      const double steps = std::expm1(std::fmax(n - 1, 0) * std::log1p(add.relative));
      const double grown = magnitude + mul.relative * products + n * (add.absolute + mul.absolute);
      bound = steps * grown + mul.relative * products + (1 + steps) * n * (add.absolute + mul.absolute);
    }
    bound *= 1 + 0x1p-40;
  }
  const bool may_overflow = magnitude + bound > largest && !(point && magnitude_ <= largest);
  if (plus_infinity_ || minus_infinity_) {
    if (may_overflow || !exact_) {
      Enclosure all = Enclosure::everything(type_);
      return all;
    }
    if (plus_infinity_ && minus_infinity_) return add.invalid_gives_anything ? Enclosure::everything(type_) : Enclosure::not_a_number();
    if (!nan_) return number(plus_infinity_ ? infinity : -infinity);
  }
  if (nan_ && exact_ && !may_overflow) return Enclosure::not_a_number();
  if (may_overflow && (terms_ > 1 || products_ > 0)) return Enclosure::everything(type_);
  if (terms_ == 0) { // zeros alone
    out.join(type_, number(all_minus_zero_ ? -0.0 : 0.0));
    return out;
  }
  if (point) {
    const double sum = points_.high + points_.low;
    out.join(type_, number(sum == 0 ? 0.0 : sum));
    return out;
  }
  // A result is an element of the type: the ends come in to the elements next to the bound.
  const double slack = wide_error + 0x1p-1074;
  const auto end = [&](const Wide &range, double by, bool up) {
    Wide w = points_;
    w.add(range.high);
    w.add(by);
    const double low = w.low + range.low + (up ? -slack : slack), high = w.high + low;
    return element_beside(type_, high, (w.high - high) + low, up);
  };
  std::uint64_t low = end(low_, -bound, true), high = end(high_, bound, false);
  if (value_as_f64(type_, low) == 0) low = *literal_bits(-0.0, type_);
  if (value_as_f64(type_, high) == 0) high = *literal_bits(0.0, type_);
  out.join(type_, Enclosure::between(type_, low, high));
  return out;
}

FactorProduct::FactorProduct(ScalarType type) : type_(type), chain_(Enclosure::of(type, *literal_bits(1.0, type))) {}

void FactorProduct::multiply(const Enclosure &x) {
  const Enclosure operands[] = {chain_, x};
  bool undefined = false;
  chain_ = enclose(ieee_profile(), Primitive::mul, type_, type_, operands, undefined);
  nan_ |= !x.number;
  if (!x.number) return;
  const double low = value_as_f64(type_, x.low), high = value_as_f64(type_, x.high);
  zero_ |= x.is_point() && low == 0;
  infinity_ |= x.is_point() && std::isinf(low);
  const double most = std::fmax(std::fabs(low), std::fabs(high));
  const double least = low < 0 && high > 0 ? 0 : std::fmin(std::fabs(low), std::fabs(high));
  if (x.is_point() && (low == 0 || std::isinf(low))) return; // a zero or an infinity in any order, or NaN
  if (x.is_point() && std::fabs(low) == 1) return;
  ++factors_;
  bits_ += x.is_point() ? odd_bits(low) : 1 << 20;
  bits_ = std::min(bits_, 1 << 20);
  up_ += std::fmax(0, std::log2(most));
  down_ += std::fmax(0, -std::log2(least));
}

Enclosure FactorProduct::close(const StepError &mul) const {
  const FloatLayout layout = float_layout(type_);
  const double u = std::ldexp(1.0, -layout.precision());
  const double largest = std::log2(value_as_f64(type_, layout.largest())), least = 1 - layout.bias();
  const bool exactly = mul.exact_where_possible || (mul.bounded && mul.relative == u && mul.absolute == std::ldexp(1.0, layout.least_exponent()) / 2);
  const bool inside = up_ < largest - 1 && down_ < -least - 1;
  if (chain_.number && !(inside && mul.bounded)) return factors_ < 2 && exactly ? chain_ : Enclosure::everything(type_);
  // NaN in every order, or because a partial product left the range in this one.
  if (!chain_.number) return inside || nan_ || (zero_ && infinity_) ? chain_ : Enclosure::everything(type_);
  if (exactly && (factors_ < 2 || bits_ <= layout.precision())) return chain_;
  // Twice: from the chain to the exact product, and from there to another order's.
  const double by = std::expm1(2 * static_cast<double>(factors_) * std::log1p(mul.relative)) * (1 + 0x1p-40);
  const double low = value_as_f64(type_, chain_.low), high = value_as_f64(type_, chain_.high);
  const double below = low - std::fabs(low) * by, above = high + std::fabs(high) * by;
  Enclosure out = chain_;
  out.join(type_, Enclosure::of(type_, element_beside(type_, below, -0x1p-1000, false)));
  out.join(type_, Enclosure::of(type_, element_beside(type_, above, 0x1p-1000, true)));
  return out;
}

} // namespace tilenest
