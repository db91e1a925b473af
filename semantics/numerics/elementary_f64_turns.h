// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan of f64 as pairs (see elementary_f64_values.h): the argument modulo pi/2 by an integer product
// with the bits of 2/pi (Payne, Hanek), then the addition theorem at the nearest i/64.
#pragma once
#include "semantics/numerics/elementary_f64_values.h"

namespace tilenest {

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
  const int zeros =
      upper != 0 ? std::countl_zero(upper) : 64 + std::countl_zero(static_cast<std::uint64_t>(fraction));
  if (zeros > 0 && zeros < 64) fraction = fraction << zeros | below >> (64 - zeros);
  const double high =
      std::ldexp(static_cast<double>(static_cast<std::uint64_t>(fraction >> 75)), -53 - zeros);
  const double rest = std::ldexp(
      static_cast<double>(static_cast<std::uint64_t>(fraction >> 22) & ((std::uint64_t{1} << 53) - 1)),
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
inline bool can_turn(double x) {
  return std::fabs(x) >= least_argument && std::fabs(x) < std::numeric_limits<double>::infinity();
}
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

} // namespace tilenest
