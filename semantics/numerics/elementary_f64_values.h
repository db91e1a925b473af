// SPDX-License-Identifier: Apache-2.0
// The elementary functions of f64 as pairs of f64: within a relative error of `f64_bound` of the exact value,
// or `undecided`. Arguments are cut into a table's point and a rest below 2^-7, whose Taylor series has its
// first terms in pairs and the others in f64; docs/elementary.md adds up the errors. sin, cos and tan:
// elementary_f64_turns.h.
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
  const double tail =
      t * polynomial(t, 1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0, 1 / 40320.0, 1 / 362880.0);
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
  if (x < -100) return {{-1, 0x1p-60}};                        // -1 + e^x rounds to -1
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
  const double tail =
      x * polynomial(x, 1 / 5.0, -1 / 6.0, 1 / 7.0, -1 / 8.0, 1 / 9.0, -1 / 10.0, 1 / 11.0, -1 / 12.0);
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

// Taylor's series at c = i/64, as ErfValue in kernels/elementary_values.h has it.
inline Value f64_erf(double x) {
  const F64Tables &t = f64_tables();
  const double a = std::fabs(x);
  if (!(a >= least_argument)) return undecided();
  if (a >= 6) return {{x < 0 ? -1.0 : 1.0, x < 0 ? 0x1p-56 : -0x1p-56}}; // 1 - erf(6) is below 2^-55
  const double n = std::nearbyint(a * 64), c = n / 64, h = a - c;        // exact
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
  if (!(a > 0 && a < std::numeric_limits<double>::infinity() &&
        std::fabs(y) < std::numeric_limits<double>::infinity()))
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
