// SPDX-License-Identifier: Apache-2.0
// Numbers of about 106 bits as unevaluated sums of two f64. Without fused operations, so that every machine
// gives the same bits. The relative error of + and * of pairs is below 2^-103, of / below 2^-101 (Joldes,
// Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic",
// ACM TOMS 44, 2017); magnitudes must keep away from 2^-900 and 2^900.
#pragma once

namespace tilenest {

struct Pair {
  double high, low; // |low| <= half a unit in the last place of high, unless said otherwise
};

// a + b exactly.
inline Pair exact_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
// a + b exactly, where a = 0 or |a| >= |b|.
inline Pair ordered_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
// a * b exactly (Veltkamp, Dekker).
inline Pair exact_product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1;
  const double ca = splitter * a, cb = splitter * b;
  const double ah = ca - (ca - a), bh = cb - (cb - b);
  const double al = a - ah, bl = b - bh, p = a * b;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

inline Pair operator-(Pair a) { return {-a.high, -a.low}; }
inline Pair operator+(Pair a, Pair b) {
  const Pair s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
  const Pair u = ordered_sum(s.high, s.low + t.high);
  return ordered_sum(u.high, u.low + t.low);
}
inline Pair operator+(Pair a, double b) {
  const Pair s = exact_sum(a.high, b);
  return ordered_sum(s.high, s.low + a.low);
}
inline Pair operator-(Pair a, Pair b) { return a + -b; }
inline Pair operator*(Pair a, Pair b) {
  const Pair p = exact_product(a.high, b.high);
  return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
inline Pair operator*(Pair a, double b) {
  const Pair p = exact_product(a.high, b);
  return ordered_sum(p.high, p.low + a.low * b);
}
inline Pair operator/(Pair a, Pair b) {
  const double q = a.high / b.high;
  const Pair rest = a - b * q;
  const double r = rest.high / b.high;
  return ordered_sum(q, r);
}

} // namespace tilenest
