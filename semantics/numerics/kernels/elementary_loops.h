// SPDX-License-Identifier: Apache-2.0
// Rows of elementary functions of f32 and narrower elements (NUM-FUN): blocks of f64 values, a rounding test,
// and the exact path for the elements that the test does not decide.
#pragma once
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/kernels/elementary_values.h"
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

// rule: NUM-FUN
// Rounds `count` values that lie within a relative error of `bound`, and whose exact values are alike: where
// both ends of that interval round alike, so does the exact value; the others are computed exactly.
template <ScalarType T, Primitive P>
TILENEST_INLINE void round_block(Storage<T> *out, const double *value, const double *x, const double *y,
                                 std::size_t count, double bound) {
  std::uint8_t open[block_length];
  unsigned any = 0;
  TILENEST_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) {
    const double v = value[i];
    const Storage<T> one = narrow<T>(v * (1 - bound)), other = narrow<T>(v * (1 + bound));
    const std::uint8_t differs = (one != other) & (v == v);
    out[i] = one;
    open[i] = differs;
    any |= differs;
  }
  if (any == 0) return;
  for (std::size_t i = 0; i < count; ++i)
    if (open[i] != 0) out[i] = narrow<T>(elementary_by_mpfr(P, T, x[i], y[i]));
}

template <class F, Primitive P, ScalarType T>
bool elementary_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  ContiguousOperand<Storage<T>> operand(operands[0], n);
  const auto &table = F::table();
  alignas(64) double x[block_length], value[block_length];
  for (std::size_t at = 0; at < n; at += block_length) {
    const std::size_t count = n - at < block_length ? n - at : block_length;
    const Storage<T> *a = operand.at(at, count);
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<double>(widen<T>(a[i]));
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) value[i] = F::value(x[i], table);
    round_block<T, P>(static_cast<Storage<T> *>(out) + at, value, x, x, count, F::bound);
  }
  return false;
}

template <ScalarType T> bool pow_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  ContiguousOperand<Storage<T>> first(operands[0], n), second(operands[1], n);
  alignas(64) double x[block_length], y[block_length], value[block_length];
  for (std::size_t at = 0; at < n; at += block_length) {
    const std::size_t count = n - at < block_length ? n - at : block_length;
    const Storage<T> *a = first.at(at, count), *b = second.at(at, count);
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = static_cast<double>(widen<T>(a[i]));
      y[i] = static_cast<double>(widen<T>(b[i]));
    }
    unsigned special = 0;
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
      value[i] = PowValue::value(x[i], y[i]);
      special |= !PowValue::serves(x[i], y[i]);
    }
    if (special != 0)
      for (std::size_t i = 0; i < count; ++i)
        if (!PowValue::serves(x[i], y[i])) value[i] = pow_at_special(x[i], y[i]);
    round_block<T, Primitive::pow>(static_cast<Storage<T> *>(out) + at, value, x, y, count, PowValue::bound);
  }
  return false;
}

template <ScalarType T> RowKernel elementary_op(Primitive primitive) {
  switch (primitive) {
#define ROWS(name, Value) \
  case Primitive::name: return &elementary_rows<Value, Primitive::name, T>;
    ROWS(exp, ExpValue)
    ROWS(exp2, Exp2Value)
    ROWS(expm1, ExpM1Value)
    ROWS(log, LogValue)
    ROWS(log2, Log2Value)
    ROWS(log1p, Log1pValue)
    ROWS(sin, SinValue)
    ROWS(cos, CosValue)
    ROWS(tan, TanValue)
    ROWS(tanh, TanhValue)
    ROWS(sinh, SinhValue)
    ROWS(cosh, CoshValue)
    ROWS(erf, ErfValue)
    ROWS(rsqrt, RsqrtValue)
#undef ROWS
  case Primitive::pow: return &pow_rows<T>;
  default: return nullptr;
  }
}

} // namespace
} // namespace tilenest::TILENEST_ISA
