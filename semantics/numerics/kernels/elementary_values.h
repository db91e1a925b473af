// SPDX-License-Identifier: Apache-2.0
// The elementary functions of f32 and narrower elements in f64 arithmetic, branch-free, so that rows of them
// vectorise: a value within a relative error of `bound` of the exact one, where the result is a number that
// the element type can tell from zero and infinity; NaN, infinities, zeros and their signs as NUM-FUN has
// them. Series are Taylor's, so that their remainders are known; docs/elementary.md adds up the errors.
#pragma once
#include "semantics/numerics/elementary_tables.h"
#include "semantics/numerics/kernels/scalar_ops.h"

namespace tilenest::TILENEST_ISA {
namespace {

inline constexpr double infinite = __builtin_inf();
inline constexpr double not_a_number = __builtin_nan("");
inline constexpr double ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double ln2_high = 0x1.62e42fefap-1;     // 38 bits: exact times any exponent
inline constexpr double ln2_low = 0x1.cf79abc9e3b3ap-40; // ln 2 - ln2_high
inline constexpr double log2_e = 0x1.71547652b82fep+0;
inline constexpr double half_pi = 0x1.921fb54442d18p+0;

constexpr double factorial(int n) { return n == 0 ? 1.0 : n * factorial(n - 1); }

// first + x * (second + x * (...)).
TILENEST_INLINE double series(double, double last) { return last; }
template <class... More> TILENEST_INLINE double series(double x, double first, More... more) {
  return first + x * series(x, more...);
}

// The nearest integer of |x| < 2^51, as a number and, in its low bits, as a two's complement.
struct Nearest {
  double value;
  std::uint64_t bits;
};
TILENEST_INLINE Nearest nearest(double x) {
  constexpr double grid = 0x1.8p52;
  const double sum = x + grid;
  return {sum - grid, raw(sum)};
}
// 2^k for an exponent of f64's normal range.
TILENEST_INLINE double power_of_two(Nearest k) { return cooked<double>((k.bits << 52) + raw(1.0)); }

// All ones where bit 0 of `bits` is set; a choice by such a mask.
TILENEST_INLINE std::uint64_t mask_of(std::uint64_t bits) { return 0 - (bits & 1); }
TILENEST_INLINE double choose(std::uint64_t mask, double where_set, double where_clear) {
  return cooked<double>((mask & raw(where_set)) | (~mask & raw(where_clear)));
}
TILENEST_INLINE double at_most(double x, double limit) { return x > limit ? limit : x; } // keeps NaN
TILENEST_INLINE double at_least(double x, double limit) { return x < limit ? limit : x; }

// e^x = scale * (1 + rest): x = k ln 2 + r with |r| <= ln(2)/2.
struct Exponential {
  double scale, rest;
};
TILENEST_INLINE Exponential exponential(Nearest k, double r) {
  const double tail = series(r, 1 / factorial(2), 1 / factorial(3), 1 / factorial(4), 1 / factorial(5),
                             1 / factorial(6), 1 / factorial(7), 1 / factorial(8), 1 / factorial(9),
                             1 / factorial(10), 1 / factorial(11), 1 / factorial(12), 1 / factorial(13));
  return {power_of_two(k), r * (1 + r * tail)};
}
// e^x of |x| <= 700.
TILENEST_INLINE Exponential exponential(double x) {
  const Nearest k = nearest(x * log2_e);
  return exponential(k, (x - k.value * ln2_high) - k.value * ln2_low);
}
// 2^x of |x| <= 1000.
TILENEST_INLINE Exponential exponential2(double x) {
  const Nearest k = nearest(x);
  return exponential(k, (x - k.value) * ln2);
}
TILENEST_INLINE double whole(Exponential e) { return e.scale + e.scale * e.rest; }
TILENEST_INLINE double minus_one(Exponential e) { return e.scale * e.rest + (e.scale - 1); }

// u = 2^exponent * m with m in [sqrt(1/2), sqrt(2)), for a normal u > 0.
struct Scaled {
  double exponent, significand;
};
TILENEST_INLINE Scaled scaled(double u) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd, offset = std::uint64_t{2048} << 52;
  const std::uint64_t biased = (raw(u) - root_half + (offset >> 1)) >> 52; // exponent + 1024
  const double exponent = cooked<double>(biased | raw(0x1p52)) - (0x1p52 + 1024);
  return {exponent, cooked<double>(raw(u) - ((biased - 1024) << 52))};
}
// log((1 + s) / (1 - s)) of |s| <= 3 - 2 sqrt(2).
TILENEST_INLINE double log_of_ratio(double s) {
  const double z = s * s;
  return s * (2 + z * series(z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17,
                             2.0 / 19, 2.0 / 21));
}
TILENEST_INLINE double log_of_scaled(double exponent, double log_significand) {
  return exponent * ln2_high + (exponent * ln2_low + log_significand);
}
// log2 of a number of at most 24 bits, normal and > 0.
TILENEST_INLINE double log2_of(double x) {
  const Scaled u = scaled(x);
  return u.exponent + log_of_ratio((u.significand - 1) / (u.significand + 1)) * log2_e;
}
// The logarithm `value` computed for x - pole, whatever it is where there is none.
TILENEST_INLINE double log_at(double x, double pole, double value) {
  const double inside = x < infinite ? value : x;
  const double outside = x == pole ? -infinite : not_a_number;
  return x > pole ? inside : outside;
}

// x = (quarters + r / (pi/2)) * pi/2 with |r| <= pi/4, or a little above; sine and cosine of r.
struct Turned {
  std::uint64_t quarters;
  double sine, cosine;
};
TILENEST_INLINE Turned turned(double x, const QuarterTurns &table) {
  const std::uint64_t at =
      ((raw(x) >> 52) - QuarterTurns::first_field) & 511; // infinities become NaN anywhere
  const double first = x * table.part[0][at], second = x * table.part[1][at];
  const Nearest k = nearest(first + second);
  const double r = (((first - k.value) + second) + x * table.part[2][at]) * half_pi;
  const double z = r * r;
  const double sine = series(z, -1 / factorial(3), 1 / factorial(5), -1 / factorial(7), 1 / factorial(9),
                             -1 / factorial(11), 1 / factorial(13), -1 / factorial(15));
  const double cosine = series(z, -1 / factorial(2), 1 / factorial(4), -1 / factorial(6), 1 / factorial(8),
                               -1 / factorial(10), 1 / factorial(12), -1 / factorial(14), 1 / factorial(16));
  return {k.bits, r * (1 + z * sine), 1 + z * cosine};
}
// The sine of `quarters` quarter turns and the rest.
TILENEST_INLINE double sine_of(Turned t) {
  const double magnitude = choose(mask_of(t.quarters), t.cosine, t.sine);
  return cooked<double>(raw(magnitude) ^ (t.quarters & 2) << 62);
}

// A function of one operand: value() within a relative error of bound.
struct Unary64 {
  static constexpr double bound = 0x1p-45;
  struct Table {};
  static Table table() { return {}; }
};
struct ExpValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    return whole(exponential(at_least(at_most(x, 200), -200)));
  }
};
struct Exp2Value : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    return whole(exponential2(at_least(at_most(x, 400), -400)));
  }
};
struct ExpM1Value : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    return with_sign_of(magnitude_of(minus_one(exponential(at_least(at_most(x, 200), -200)))), x);
  }
};
struct SinhValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    const double m = minus_one(exponential(at_most(magnitude_of(x), 200)));
    return with_sign_of(0.5 * (m + m / (m + 1)), x);
  }
};
struct CoshValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    const double e = whole(exponential(at_most(magnitude_of(x), 200)));
    return 0.5 * (e + 1 / e);
  }
};
struct TanhValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    const double m = minus_one(exponential(at_most(2 * magnitude_of(x), 100)));
    return with_sign_of(m / (m + 2), x);
  }
};
struct LogValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    const Scaled u = scaled(x);
    return log_at(x, 0, log_of_scaled(u.exponent, log_of_ratio((u.significand - 1) / (u.significand + 1))));
  }
};
struct Log2Value : Unary64 {
  static TILENEST_INLINE double value(double x, Table) { return log_at(x, 0, log2_of(x)); }
};
struct Log1pValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) {
    const Scaled u = scaled(1 + x);
    const bool near_one = u.exponent == 0; // then 1 + x may have lost bits of x, which the quotient needs
    const double s = (near_one ? x : u.significand - 1) / (near_one ? 2 + x : u.significand + 1);
    return with_sign_of(magnitude_of(log_at(x, -1, log_of_scaled(u.exponent, log_of_ratio(s)))), x);
  }
};
struct Turning : Unary64 {
  using Table = const QuarterTurns &;
  static Table table() { return quarter_turns(); }
};
struct SinValue : Turning {
  static TILENEST_INLINE double value(double x, Table table) { return sine_of(turned(x, table)); }
};
struct CosValue : Turning {
  static TILENEST_INLINE double value(double x, Table table) {
    Turned t = turned(x, table);
    ++t.quarters;
    return sine_of(t);
  }
};
struct TanValue : Turning {
  static TILENEST_INLINE double value(double x, Table table) {
    const Turned t = turned(x, table);
    const std::uint64_t odd = mask_of(t.quarters);
    const double quotient = choose(odd, t.cosine, t.sine) / choose(odd, t.sine, t.cosine);
    return cooked<double>(raw(quotient) ^ (t.quarters & 1) << 63);
  }
};
// Taylor's series at the nearest c = i/32: with e^-(c+h)^2 = e^-c^2 times the sum of a[n] h^n, a[0] = 1,
// a[1] = -2c, (n + 1) a[n+1] = -2 (c a[n] + a[n-1]), and erf its integral.
struct ErfValue : Unary64 {
  using Table = const ErfPoints &;
  static Table table() { return erf_points(); }
  static TILENEST_INLINE double value(double x, Table table) {
    const double a = at_most(magnitude_of(x), 4); // erf(4) rounds to 1 in f32
    const Nearest k = nearest(a * 32);
    const double c = k.value * (1.0 / 32), h = a - c;
    const double a1 = -2 * c, a2 = -(c * a1 + 1), a3 = (-2.0 / 3) * (c * a2 + a1),
                 a4 = (-2.0 / 4) * (c * a3 + a2), a5 = (-2.0 / 5) * (c * a4 + a3),
                 a6 = (-2.0 / 6) * (c * a5 + a4), a7 = (-2.0 / 7) * (c * a6 + a5),
                 a8 = (-2.0 / 8) * (c * a7 + a6);
    const double inner = series(h, 1, a1 * (1.0 / 2), a2 * (1.0 / 3), a3 * (1.0 / 4), a4 * (1.0 / 5),
                                a5 * (1.0 / 6), a6 * (1.0 / 7), a7 * (1.0 / 8), a8 * (1.0 / 9));
    const std::uint64_t at = k.bits & 255;
    return with_sign_of(magnitude_of(table.value[at] + table.slope[at] * (h * inner)), x);
  }
};
struct RsqrtValue : Unary64 {
  static TILENEST_INLINE double value(double x, Table) { return 1 / __builtin_sqrt(x); }
};

// x^y where x and y are finite and x is not zero: 2^(y log2 |x|).
struct PowValue {
  static constexpr double bound = 0x1p-41;
  static TILENEST_INLINE double value(double x, double y) {
    const double magnitude = whole(exponential2(at_least(at_most(y * log2_of(magnitude_of(x)), 400), -400)));
    const double capped = at_most(magnitude_of(y), 0x1p30); // even, as every f32 from 2^24 on is
    const Nearest n = nearest(capped);
    const double sign = cooked<double>(raw(1.0) ^ mask_of(n.bits) << 63);
    const double negative = n.value == capped ? magnitude * sign : not_a_number;
    return x < 0 ? negative : magnitude;
  }
  // Whether value() serves: neither operand is infinite or NaN, nor x zero.
  static TILENEST_INLINE bool serves(double x, double y) {
    const double a = magnitude_of(x);
    return (a > 0) & (a < infinite) & (magnitude_of(y) < infinite);
  }
};

} // namespace
} // namespace tilenest::TILENEST_ISA
