// SPDX-License-Identifier: Apache-2.0
// The elementary functions of f64 as pairs of f64: within a relative error of `f64_bound` of the exact value,
// or `undecided`. Arguments are cut into a table's point and a rest below 2^-7, whose Taylor series has its
// first terms in pairs and the others in f64; docs/elementary.md adds up the errors.
#pragma once
#include "semantics/numerics/elementary_tables.h"
#include <bit>
#include <cmath>
#include <limits>

namespace tilenest {

// The largest error of the functions below is 2^-70; the test of the rounded sum adds less than 2^-100.
constexpr double f64_bound = 0x1p-68;

// pair * 2^exponent.
struct Value {
  Pair pair;
  int exponent = 0;
};
inline Value undecided() { return {{std::numeric_limits<double>::quiet_NaN(), 0}}; }
// A number that differs from 1 by less than 2^-60, and is not 1, on the side of `sign`; it rounds to 1.
inline Value beside_one(double sign) { return {{1, std::copysign(0x1p-62, sign)}}; }

inline double polynomial(double, double last) { return last; }
template <class... More> inline double polynomial(double x, double first, More... more) {
  return first + x * polynomial(x, more...);
}

// Below this the products of the series leave the range of pairs; what is not 1 +- tiny goes the exact way.
constexpr double least_argument = 0x1p-400;
constexpr double beside_one_argument = 0x1p-61; // for exp and its like
constexpr double even_argument = 0x1p-31;       // for cos and cosh: x^2 / 2 is below 2^-62

// e^r - 1 of |r| <= 2^-7.
inline Pair expm1_of_rest(Pair r) {
  const double t = r.high;
  const double tail = t * polynomial(t, 1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0, 1 / 40320.0, 1 / 362880.0);
  return r * (r * (r * (f64_tables().sixth + tail) + 0.5) + 1);
}

// 2^(n/64) (1 + rest).
struct Power {
  Pair point;
  int exponent;
  Pair rest;
};
inline Power power(double n, Pair r) {
  const int i = static_cast<int>(n);
  return {f64_tables().power[i & 63], i >> 6, expm1_of_rest(r)};
}
// e^x of |x| <= 750.
inline Power exponential(double x) {
  const F64Tables &t = f64_tables();
  const double n = std::nearbyint(x * (64 * t.log2_e.high));
  // The first difference is exact, since both are within a factor of two, or n = 0.
  return power(n, exact_sum(x - n * t.ln2_64[0], -n * t.ln2_64[1]) + -n * t.ln2_64[2]);
}
// 2^x of a pair, |x| <= 1100.
inline Power exponential2(Pair x) {
  const double n = std::nearbyint(x.high * 64);
  return power(n, f64_tables().ln2 * (Pair{x.high - n / 64, 0} + x.low));
}
inline Value whole(Power p) { return {p.point + p.point * p.rest, p.exponent}; }
inline Pair scaled(Pair a, int exponent) {
  const double s = std::ldexp(1.0, exponent);
  return {a.high * s, a.low * s};
}
// e^x - 1 of |x| <= 100.
inline Pair expm1_of(double x) {
  const Power p = exponential(x);
  const Pair point = scaled(p.point, p.exponent);
  return (point + -1.0) + point * p.rest;
}

inline Value f64_exp(double x) {
  const double a = std::fabs(x);
  if (!(a <= 750)) return undecided();
  return a < beside_one_argument ? (x == 0 ? undecided() : beside_one(x)) : whole(exponential(x));
}
inline Value f64_exp2(double x) {
  const double a = std::fabs(x);
  if (!(a <= 1100)) return undecided();
  return a < beside_one_argument ? (x == 0 ? undecided() : beside_one(x)) : whole(exponential2({x, 0}));
}
inline Value f64_expm1(double x) {
  const double a = std::fabs(x);
  if (!(a >= least_argument && a <= 750)) return undecided();
  if (x < -100) return {{-1, 0x1p-60}};      // -1 + e^x rounds to -1
  return x > 100 ? whole(exponential(x)) : Value{expm1_of(x)}; // e^100 is above 2^144
}
inline Value f64_sinh(double x) {
  const double a = std::fabs(x);
  if (!(a >= least_argument && a <= 750)) return undecided();
  if (a > 40) { // e^-2a is below 2^-115
    const Value e = whole(exponential(a));
    return {x < 0 ? -e.pair : e.pair, e.exponent - 1};
  }
  const Pair m = expm1_of(a);
  const Pair r = scaled(m + m / (m + 1.0), -1);
  return {x < 0 ? -r : r};
}
inline Value f64_cosh(double x) {
  const double a = std::fabs(x);
  if (!(a <= 750) || x == 0) return undecided();
  if (a < even_argument) return beside_one(1);
  const Value e = whole(exponential(a));
  if (a > 40) return {e.pair, e.exponent - 1};
  const Pair p = scaled(e.pair, e.exponent);
  return {scaled(p + Pair{1, 0} / p, -1)};
}
inline Value f64_tanh(double x) {
  const double a = std::fabs(x);
  if (!(a >= least_argument)) return undecided();
  const Pair m = expm1_of(std::fmin(2 * a, 100)); // from 44 on it rounds to 1
  const Pair r = m / (m + 2.0);
  return {x < 0 ? -r : r};
}

// The logarithm of a positive pair whose high part is normal: exponent * ln 2 + rest.
struct Log {
  double exponent;
  Pair rest;
};
inline Log logarithm(Pair u) {
  const F64Tables &t = f64_tables();
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  const auto high = std::bit_cast<std::uint64_t>(u.high);
  const int k = static_cast<int>(static_cast<std::int64_t>(high - root_half) >> 52);
  const double m = std::bit_cast<double>(high - (static_cast<std::uint64_t>(k) << 52));
  const double low = u.low * std::ldexp(1.0, -k);
  const auto j = static_cast<std::size_t>(m * 128 + 0.5);
  // z = reciprocal * (m + low) - 1, exact but for the product with low.
  const Pair p = exact_product(m, t.reciprocal[j]);
  const Pair z = exact_sum(p.high - 1, p.low) + low * t.reciprocal[j];
  const double x = z.high;
  const double tail = x * polynomial(x, 1 / 5.0, -1 / 6.0, 1 / 7.0, -1 / 8.0, 1 / 9.0, -1 / 10.0, 1 / 11.0, -1 / 12.0);
  const Pair series = z * (z * (z * (z * (Pair{-0.25, 0} + tail) + t.third) + -0.5) + 1);
  return {static_cast<double>(k), t.log_of[j] + series};
}
// A positive finite number as one whose exponent leaves room.
inline Log logarithm(double x) {
  if (x >= std::numeric_limits<double>::min()) return logarithm(Pair{x, 0});
  Log r = logarithm(Pair{x * 0x1p54, 0});
  r.exponent -= 54;
  return r;
}
inline Pair natural(Log l) { return f64_tables().ln2 * l.exponent + l.rest; }
inline Pair binary(Log l) { return f64_tables().log2_e * l.rest + l.exponent; }
inline bool has_logarithm(double x) { return x > 0 && x < std::numeric_limits<double>::infinity() && x != 1; }

inline Value f64_log(double x) { return has_logarithm(x) ? Value{natural(logarithm(x))} : undecided(); }
inline Value f64_log2(double x) { return has_logarithm(x) ? Value{binary(logarithm(x))} : undecided(); }
inline Value f64_log1p(double x) {
  if (!(x > -1 && x < 0x1p1000 && std::fabs(x) >= least_argument)) return undecided();
  return {natural(logarithm(exact_sum(1, x)))};
}

// x = quarters * pi/2 + rest with |rest| <= pi/4, for a finite x of at least 2^-1.
struct Turned64 {
  unsigned quarters;
  Pair rest;
};
inline Turned64 turned(double x) {
  const F64Tables &t = f64_tables();
  using u128 = unsigned __int128;
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(x));
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const int e = static_cast<int>(bits >> 52) - 1075; // |x| = m 2^e, e >= -53
  // The bits of 2/pi from that of weight 2^(1-e) on: those above it make multiples of 4.
  const auto first = static_cast<unsigned>(e + 62);
  std::uint64_t f[3];
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t *word = t.two_over_pi + first / 64 + i;
    f[i] = first % 64 == 0 ? word[0] : word[0] << (first % 64) | word[1] >> (64 - first % 64);
  }
  // product = m * f modulo 2^192 is |x| 2/pi modulo 4, in units of 2^-190.
  const u128 low = static_cast<u128>(f[2]) * m;
  const u128 middle = static_cast<u128>(f[1]) * m + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t top = f[0] * m + static_cast<std::uint64_t>(middle >> 64);
  unsigned quarters = static_cast<unsigned>(top >> 62);
  const auto p1 = static_cast<std::uint64_t>(middle), p0 = static_cast<std::uint64_t>(low);
  u128 fraction = static_cast<u128>(top << 2 | p1 >> 62) << 64 | (p1 << 2 | p0 >> 62); // in units of 2^-128
  std::uint64_t below = p0 << 2;
  const bool negative = fraction >> 127 != 0; // the next quarter is nearer
  if (negative) {
    ++quarters;
    below = 0 - below;
    fraction = ~fraction + (below == 0 ? 1 : 0);
  }
  const auto upper = static_cast<std::uint64_t>(fraction >> 64);
  const int zeros = upper != 0 ? std::countl_zero(upper) : 64 + std::countl_zero(static_cast<std::uint64_t>(fraction));
  if (zeros > 0 && zeros < 64) fraction = fraction << zeros | below >> (64 - zeros);
  const double high = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(fraction >> 75)), -53 - zeros);
  const double rest = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(fraction >> 22) & ((std::uint64_t{1} << 53) - 1)),
                                 -106 - zeros);
  const Pair turn = t.half_pi * ordered_sum(high, rest);
  if ((x < 0) != negative) return {x < 0 ? 0 - quarters : quarters, -turn};
  return {x < 0 ? 0 - quarters : quarters, turn};
}

struct SineCosine {
  Pair sine, cosine;
};
// Of |r| <= pi/4, or a little above.
inline SineCosine sine_cosine(Pair r) {
  const F64Tables &t = f64_tables();
  const bool negative = r.high < 0;
  if (negative) r = -r;
  const double n = std::nearbyint(r.high * 64);
  const auto i = static_cast<std::size_t>(n);
  const Pair h = exact_sum(r.high - n / 64, r.low); // the difference is exact
  const Pair z = h * h;
  const double w = z.high;
  const double sine_tail = w * polynomial(w, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0);
  const Pair sine = h + h * (z * (-t.sixth + sine_tail));
  const double cosine_tail = w * polynomial(w, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0);
  const Pair cosine_less_1 = z * (z * (t.twenty_fourth + cosine_tail) + -0.5);
  const Pair s = t.sine[i] + (t.sine[i] * cosine_less_1 + t.cosine[i] * sine);
  const Pair c = t.cosine[i] + (t.cosine[i] * cosine_less_1 - t.sine[i] * sine);
  return {negative ? -s : s, c};
}
struct Quadrant {
  unsigned quarters;
  SineCosine of;
};
inline Quadrant quadrant(double x) {
  if (std::fabs(x) < 0.75) return {0, sine_cosine({x, 0})};
  const Turned64 turn = turned(x);
  return {turn.quarters, sine_cosine(turn.rest)};
}
inline Pair sine_in(Quadrant q) {
  const Pair r = q.quarters & 1 ? q.of.cosine : q.of.sine;
  return q.quarters & 2 ? -r : r;
}
inline bool can_turn(double x) { return std::fabs(x) >= least_argument && std::fabs(x) < std::numeric_limits<double>::infinity(); }
inline Value f64_sin(double x) { return can_turn(x) ? Value{sine_in(quadrant(x))} : undecided(); }
inline Value f64_cos(double x) {
  if (!can_turn(x)) return undecided();
  if (std::fabs(x) < even_argument) return beside_one(-1);
  Quadrant q = quadrant(x);
  ++q.quarters;
  return {sine_in(q)};
}
inline Value f64_tan(double x) {
  if (!can_turn(x)) return undecided();
  const Quadrant q = quadrant(x);
  return {q.quarters & 1 ? -q.of.cosine / q.of.sine : q.of.sine / q.of.cosine};
}

// Taylor's series at c = i/64, as ErfValue in kernels/elementary_values.h has it.
inline Value f64_erf(double x) {
  const F64Tables &t = f64_tables();
  const double a = std::fabs(x);
  if (!(a >= least_argument)) return undecided();
  if (a >= 6) return {{x < 0 ? -1.0 : 1.0, x < 0 ? 0x1p-56 : -0x1p-56}}; // 1 - erf(6) is below 2^-55
  const double n = std::nearbyint(a * 64), c = n / 64, h = a - c;       // exact
  const auto i = static_cast<std::size_t>(n);
  double before = -2 * c, at = 2 * c * c - 1; // a[1] and a[2], both exact
  const Pair second = t.third * at;
  double tail = 0, power = 1;
  for (int k = 3; k <= 11; ++k) {
    const double next = -2 * (c * at + before) / k;
    before = at;
    at = next;
    power *= h;
    tail += at * power / (k + 1);
  }
  const Pair inner = ((second + tail) * h + -c) * h + 1;
  const Pair r = t.erf[i] + t.erf_slope[i] * (inner * h);
  return {x < 0 ? -r : r};
}

inline Value f64_rsqrt(double x) {
  if (!(x > 0 && x < std::numeric_limits<double>::infinity())) return undecided();
  int exponent = 0;
  double m = std::frexp(x, &exponent); // in [1/2, 1)
  if (exponent % 2 != 0) {
    m *= 2;
    --exponent;
  }
  const double r = 1 / std::sqrt(m);
  const Pair off = -(exact_product(r, r) * m + -1.0); // 1 - m r^2, below 2^-51
  return {ordered_sum(r, 0.5 * r * off.high), -exponent / 2};
}

// x^y of a finite x that is not zero and a finite y.
inline Value f64_pow(double x, double y) {
  const double a = std::fabs(x);
  if (!(a > 0 && a < std::numeric_limits<double>::infinity() && std::fabs(y) < std::numeric_limits<double>::infinity()))
    return undecided();
  bool negative = false;
  if (x < 0) {
    if (y != std::nearbyint(y)) return undecided();
    negative = std::fabs(y) < 0x1p53 && std::fmod(y, 2) != 0;
  }
  if (a == 1 || y == 0) return {{negative ? -1.0 : 1.0, 0}};
  const double capped = std::fmax(std::fmin(y, 0x1p80), -0x1p80); // |log2 a| >= 2^-53: as far out as y itself
  const Pair l = binary(logarithm(a));
  const double about = capped * l.high;
  if (std::fabs(about) > 1100) return undecided();
  Value r = std::fabs(about) < 0x1p-62 ? beside_one(about) : whole(exponential2(l * capped));
  if (negative) r.pair = -r.pair;
  return r;
}

} // namespace tilenest
