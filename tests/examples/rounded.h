// SPDX-License-Identifier: Apache-2.0
// Running error analysis: an f64 value of the formula beside a bound on how far the same formula in f32, each operation
// rounded once, may be from it. Each operation carries its operands' errors through its derivative, or through the
// exact function at both ends, and adds half an ulp for its own rounding.
#pragma once
#include "tests/examples/example.h"

namespace tilenest::examples {

struct Rounded {
  double value = 0;
  double error = 0; // |found - value| is at most this

  Rounded() = default;
  Rounded(float exact) : value(exact) {}
  Rounded(double value_, double error_) : value(value_), error(error_) {}
};

// The result of one f32 operation whose exact result lies within `carried` of `value`; below the normal numbers the
// rounding is half the smallest. The f64 function of the oracle is good to 4 ulps. An infinity or NaN of the formula is
// to be found as such, whatever is carried.
inline Rounded rounded(double value, double carried) {
  if (!std::isfinite(value) || (value == 0 && carried == 0)) return {value, 0};
  const double reach = std::fabs(value) + carried;
  return {value, carried + (unit + 8 * unit64) * reach + smallest / 2};
}
inline Rounded operator-(const Rounded &a) { return {-a.value, a.error}; }
inline Rounded operator+(const Rounded &a, const Rounded &b) { return rounded(a.value + b.value, a.error + b.error); }
inline Rounded operator-(const Rounded &a, const Rounded &b) { return a + -b; }
inline Rounded operator*(const Rounded &a, const Rounded &b) {
  return rounded(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
}
inline Rounded operator/(const Rounded &a, const Rounded &b) {
  const double q = a.value / b.value;
  return rounded(q, (a.error + std::fabs(q) * b.error) / (std::fabs(b.value) - b.error));
}
inline Rounded abs(const Rounded &a) { return {std::fabs(a.value), a.error}; }
inline Rounded sqrt(const Rounded &a) {
  const double root = std::sqrt(a.value), lower = std::sqrt(std::fmax(a.value - a.error, 0));
  return rounded(root, a.error == 0 ? 0 : std::fmax(root - lower, std::sqrt(a.value + a.error) - root));
}
inline Rounded rsqrt(const Rounded &a) {
  const double y = 1 / std::sqrt(a.value);
  return rounded(y, a.error == 0 ? 0 : 1 / std::sqrt(a.value - a.error) - y);
}
inline Rounded exp(const Rounded &a) {
  const double y = std::exp(a.value);
  return rounded(y, y == 0 ? 0 : y * std::expm1(a.error));
}
inline Rounded log(const Rounded &a) { return rounded(std::log(a.value), a.error == 0 ? 0 : -std::log1p(-a.error / a.value)); }
inline Rounded sin(const Rounded &a) { return rounded(std::sin(a.value), a.error); }
inline Rounded cos(const Rounded &a) { return rounded(std::cos(a.value), a.error); }
inline Rounded erf(const Rounded &a) { return rounded(std::erf(a.value), a.error * 1.1283791670955126); } // 2 / sqrt(pi)

// Terms that an f32 sum adds up in any order and grouping, starting from one seed or from several that are 0:
// `additions` of them, zeros included.
class Sum {
public:
  void add(const Rounded &term) {
    value_ += term.value;
    carried_ += term.error;
    magnitude_ += std::fabs(term.value);
  }
  Rounded total(double additions) const {
    if (!std::isfinite(value_)) return {value_, 0};
    const double in_sum = (gamma_n(additions) + gamma_n(additions, unit64)) * (magnitude_ + carried_);
    return {value_, carried_ + in_sum};
  }

private:
  double value_ = 0, carried_ = 0, magnitude_ = 0;
};

} // namespace tilenest::examples
