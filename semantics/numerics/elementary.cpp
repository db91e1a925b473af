// SPDX-License-Identifier: Apache-2.0
// Rows of elementary functions: the f64 function of libm and a rounding test for the narrower types, MPFR
// where the test does not decide and for f64.
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/formats.h"
#include "semantics/support/rule.h"
#include <cmath>

namespace tilenest {

namespace {

// The f64 functions of libm are within a few units of 2^-53 wherever their result is a normal f64; 2^-44
// leaves a factor of a hundred. Smaller results round to zero in every narrower type.
constexpr double libm_error = 0x1p-44;

template <Primitive P> double by_libm(double x, [[maybe_unused]] double y) {
  if constexpr (P == Primitive::exp) return std::exp(x);
  else if constexpr (P == Primitive::exp2) return std::exp2(x);
  else if constexpr (P == Primitive::expm1) return std::expm1(x);
  else if constexpr (P == Primitive::log) return std::log(x);
  else if constexpr (P == Primitive::log2) return std::log2(x);
  else if constexpr (P == Primitive::log1p) return std::log1p(x);
  else if constexpr (P == Primitive::sin) return std::sin(x);
  else if constexpr (P == Primitive::cos) return std::cos(x);
  else if constexpr (P == Primitive::tan) return std::tan(x);
  else if constexpr (P == Primitive::tanh) return std::tanh(x);
  else if constexpr (P == Primitive::sinh) return std::sinh(x);
  else if constexpr (P == Primitive::cosh) return std::cosh(x);
  else if constexpr (P == Primitive::erf) return std::erf(x);
  else if constexpr (P == Primitive::rsqrt) return x == 0 ? 1 / x : 1 / std::sqrt(x);
  else return std::pow(x, y);
}

template <ScalarType T> bool same(Storage<T> a, Storage<T> b) { return a == b; }

// rule: NUM-FUN
// One element, correctly rounded. Two values that enclose the exact result and round alike decide it.
template <Primitive P, ScalarType T> Storage<T> evaluate(Storage<T> a, Storage<T> b) {
  const double x = static_cast<double>(widen<T>(a)), y = static_cast<double>(widen<T>(b));
  if constexpr (T != ScalarType::f64) {
    const double r = by_libm<P>(x, y);
    const Storage<T> one = narrow<T>(r * (1 - libm_error)), other = narrow<T>(r * (1 + libm_error));
    if (same<T>(one, other) || r != r) return one;
  }
  return narrow<T>(elementary_by_mpfr(P, T, x, y));
}

// What a broken NUM-FUN computes: a value that is off by up to a unit in the last place.
template <Primitive P, ScalarType T> Storage<T> evaluate_broken(Storage<T> a, Storage<T> b) {
  const double x = static_cast<double>(widen<T>(a)), y = static_cast<double>(widen<T>(b));
  return narrow<T>(by_libm<P>(x, y) * (1 - std::ldexp(1.0, -float_layout(T).precision())));
}

template <Primitive P, ScalarType T, Storage<T> (*function)(Storage<T>, Storage<T>)>
bool elementary_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  auto *r = static_cast<Storage<T> *>(out);
  const auto *a = static_cast<const Storage<T> *>(operands[0].data);
  const RowOperand &second = operands[arity(P) - 1];
  const auto *b = static_cast<const Storage<T> *>(second.data);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    r[i] = function(a[at * operands[0].step], b[at * second.step]);
  }
  return false;
}

template <Primitive P, ScalarType T> RowKernel rows_of() {
  return rule_broken(Rule::num_fun) ? &elementary_rows<P, T, &evaluate_broken<P, T>>
                                    : &elementary_rows<P, T, &evaluate<P, T>>;
}

template <Primitive P> RowKernel rows_of_type(ScalarType type) {
  switch (type) {
  case ScalarType::f16: return rows_of<P, ScalarType::f16>();
  case ScalarType::bf16: return rows_of<P, ScalarType::bf16>();
  case ScalarType::f32: return rows_of<P, ScalarType::f32>();
  case ScalarType::f64: return rows_of<P, ScalarType::f64>();
  case ScalarType::f8e4m3fn: return rows_of<P, ScalarType::f8e4m3fn>();
  case ScalarType::f8e5m2: return rows_of<P, ScalarType::f8e5m2>();
  default: return nullptr;
  }
}

} // namespace

RowKernel find_elementary_rows(Primitive primitive, ScalarType type) {
  switch (primitive) {
  case Primitive::exp: return rows_of_type<Primitive::exp>(type);
  case Primitive::exp2: return rows_of_type<Primitive::exp2>(type);
  case Primitive::expm1: return rows_of_type<Primitive::expm1>(type);
  case Primitive::log: return rows_of_type<Primitive::log>(type);
  case Primitive::log2: return rows_of_type<Primitive::log2>(type);
  case Primitive::log1p: return rows_of_type<Primitive::log1p>(type);
  case Primitive::sin: return rows_of_type<Primitive::sin>(type);
  case Primitive::cos: return rows_of_type<Primitive::cos>(type);
  case Primitive::tan: return rows_of_type<Primitive::tan>(type);
  case Primitive::tanh: return rows_of_type<Primitive::tanh>(type);
  case Primitive::sinh: return rows_of_type<Primitive::sinh>(type);
  case Primitive::cosh: return rows_of_type<Primitive::cosh>(type);
  case Primitive::erf: return rows_of_type<Primitive::erf>(type);
  case Primitive::rsqrt: return rows_of_type<Primitive::rsqrt>(type);
  case Primitive::pow: return rows_of_type<Primitive::pow>(type);
  default: return nullptr;
  }
}

} // namespace tilenest
