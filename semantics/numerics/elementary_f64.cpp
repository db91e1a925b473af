// SPDX-License-Identifier: Apache-2.0
// Rows of elementary functions of f64 (NUM-FUN): a pair of f64, Ziv's rounding test, MPFR where it fails.
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/elementary_f64_turns.h"

namespace tilenest {

double pow_at_special(double x, double y) { return std::pow(x, y); }

namespace {

template <Primitive P> Value value_of(double x, [[maybe_unused]] double y) {
  if constexpr (P == Primitive::exp) return f64_exp(x);
  else if constexpr (P == Primitive::exp2) return f64_exp2(x);
  else if constexpr (P == Primitive::expm1) return f64_expm1(x);
  else if constexpr (P == Primitive::log) return f64_log(x);
  else if constexpr (P == Primitive::log2) return f64_log2(x);
  else if constexpr (P == Primitive::log1p) return f64_log1p(x);
  else if constexpr (P == Primitive::sin) return f64_sin(x);
  else if constexpr (P == Primitive::cos) return f64_cos(x);
  else if constexpr (P == Primitive::tan) return f64_tan(x);
  else if constexpr (P == Primitive::tanh) return f64_tanh(x);
  else if constexpr (P == Primitive::sinh) return f64_sinh(x);
  else if constexpr (P == Primitive::cosh) return f64_cosh(x);
  else if constexpr (P == Primitive::erf) return f64_erf(x);
  else if constexpr (P == Primitive::rsqrt) return f64_rsqrt(x);
  else return f64_pow(x, y);
}

// rule: NUM-FUN
// Both ends of the interval that holds the exact value round to the result, or MPFR computes it. A result that
// is subnormal, zero or infinite rounds elsewhere than the pair does and is MPFR's too.
template <Primitive P> double rounded(double x, double y) {
  const Value v = value_of<P>(x, y);
  const double error = std::fabs(v.pair.high) * f64_bound;
  const double r = v.pair.high + (v.pair.low - error);
  if (r == v.pair.high + (v.pair.low + error)) {
    if (v.exponent == 0) return r;
    const int exponent = std::ilogb(r) + v.exponent;
    if (exponent >= -1022 && exponent <= 1023) return std::ldexp(r, v.exponent);
  }
  return elementary_by_mpfr(P, ScalarType::f64, x, y);
}

template <Primitive P> bool f64_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  auto *r = static_cast<double *>(out);
  const auto *a = static_cast<const double *>(operands[0].data);
  const RowOperand &second = operands[arity(P) - 1];
  const auto *b = static_cast<const double *>(second.data);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    r[i] = rounded<P>(a[at * operands[0].step], b[at * second.step]);
  }
  return false;
}

} // namespace

RowKernel find_f64_elementary_rows(Primitive primitive) {
  switch (primitive) {
  case Primitive::exp: return &f64_rows<Primitive::exp>;
  case Primitive::exp2: return &f64_rows<Primitive::exp2>;
  case Primitive::expm1: return &f64_rows<Primitive::expm1>;
  case Primitive::log: return &f64_rows<Primitive::log>;
  case Primitive::log2: return &f64_rows<Primitive::log2>;
  case Primitive::log1p: return &f64_rows<Primitive::log1p>;
  case Primitive::sin: return &f64_rows<Primitive::sin>;
  case Primitive::cos: return &f64_rows<Primitive::cos>;
  case Primitive::tan: return &f64_rows<Primitive::tan>;
  case Primitive::tanh: return &f64_rows<Primitive::tanh>;
  case Primitive::sinh: return &f64_rows<Primitive::sinh>;
  case Primitive::cosh: return &f64_rows<Primitive::cosh>;
  case Primitive::erf: return &f64_rows<Primitive::erf>;
  case Primitive::rsqrt: return &f64_rows<Primitive::rsqrt>;
  case Primitive::pow: return &f64_rows<Primitive::pow>;
  default: return nullptr;
  }
}

} // namespace tilenest
