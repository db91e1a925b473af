// SPDX-License-Identifier: Apache-2.0
// Kernels that break NUM-RN, NUM-FP8, NUM-INT, NUM-NAN, NUM-WRAP, NUM-ACC and NUM-FUN for the tests of the tests.
#ifdef TILENEST_BREAKABLE_RULES
#include "semantics/numerics/broken_rules.h"
#include "semantics/numerics/conversions.h"
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/kernels/units.h"
#include "semantics/support/rule.h"
#include <cmath>

namespace tilenest {

namespace {

// NUM-RN: a cast to a 16-bit float that drops bits instead of rounding.
template <ScalarType To, ScalarType From>
bool truncating_cast(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  const auto *from = static_cast<const Storage<From> *>(operands[0].data);
  for (std::size_t i = 0; i < n; ++i)
    static_cast<Storage<To> *>(out)[i] =
        convert<To, From, false, Rounding::truncate>(from[static_cast<std::ptrdiff_t>(i) * operands[0].step]);
  return false;
}
template <ScalarType To> RowKernel truncating_cast_from(ScalarType from) {
  switch (from) {
#define TYPE(name, text, bits, kind) \
  case ScalarType::name: return &truncating_cast<To, ScalarType::name>;
    TILENEST_COMPUTED_TYPES(TYPE)
#undef TYPE
  default: return nullptr; // casts of the 4-bit types are those of i8 and u8
  }
}

// NUM-WRAP: sums that forget that they wrapped.
template <ScalarType T> bool forgetful_add(std::size_t n, void *out, const RowOperand *operands, RowEffects effects) {
  return isa_baseline::find_integer_rows(Primitive::add, T)(n, out, operands, {effects.undefined, nullptr});
}

// NUM-ACC: a chain of bf16 that accumulates in f32 and rounds once.
bool wide_chain(std::size_t n, void *state, const void *x, std::ptrdiff_t step, std::uint8_t *) {
  constexpr ScalarType T = ScalarType::bf16;
  float sum = decode<T>(*static_cast<Storage<T> *>(state));
  for (std::size_t i = 0; i < n; ++i)
    sum += decode<T>(static_cast<const Storage<T> *>(x)[static_cast<std::ptrdiff_t>(i) * step]);
  *static_cast<Storage<T> *>(state) = encode<T>(sum);
  return false;
}

// NUM-FUN: values that are off by up to a unit in the last place.
template <ScalarType T, Primitive P>
bool inexact_elementary(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  const RowOperand &second = operands[arity(P) - 1];
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const Storage<T> a = static_cast<const Storage<T> *>(operands[0].data)[at * operands[0].step];
    const Storage<T> b = static_cast<const Storage<T> *>(second.data)[at * second.step];
    const double exact = elementary_by_mpfr(P, T, static_cast<double>(widen<T>(a)), static_cast<double>(widen<T>(b)));
    static_cast<Storage<T> *>(out)[i] = narrow<T>(exact * (1 - std::ldexp(1.0, -float_layout(T).precision())));
  }
  return false;
}
template <ScalarType T> RowKernel inexact_elementary_of(Primitive primitive) {
  switch (primitive) {
#define ROW(name) \
  case Primitive::name: return &inexact_elementary<T, Primitive::name>;
    ROW(exp) ROW(exp2) ROW(expm1) ROW(log) ROW(log2) ROW(log1p) ROW(sin) ROW(cos)
    ROW(tan) ROW(tanh) ROW(sinh) ROW(cosh) ROW(erf) ROW(rsqrt) ROW(pow)
#undef ROW
  default: return nullptr;
  }
}
RowKernel inexact_elementary_of(Primitive primitive, ScalarType type) {
  switch (type) {
  case ScalarType::f16: return inexact_elementary_of<ScalarType::f16>(primitive);
  case ScalarType::bf16: return inexact_elementary_of<ScalarType::bf16>(primitive);
  case ScalarType::f32: return inexact_elementary_of<ScalarType::f32>(primitive);
  case ScalarType::f64: return inexact_elementary_of<ScalarType::f64>(primitive);
  case ScalarType::f8e4m3fn: return inexact_elementary_of<ScalarType::f8e4m3fn>(primitive);
  default: return inexact_elementary_of<ScalarType::f8e5m2>(primitive);
  }
}

bool is_f8(ScalarType type) { return is_float(type) && bit_width(type) == 8; }

} // namespace

RowKernel broken_or(RowKernel kernel, Primitive primitive, ScalarType operand, ScalarType result) {
  using namespace isa_baseline;
  if (rule_broken(Rule::num_rn) && primitive == Primitive::cast && operand != result) {
    if (result == ScalarType::f16) return truncating_cast_from<ScalarType::f16>(operand);
    if (result == ScalarType::bf16) return truncating_cast_from<ScalarType::bf16>(operand);
  }
  if (rule_broken(Rule::num_fun) && is_elementary(primitive)) return inexact_elementary_of(primitive, operand);
  if (rule_broken(Rule::num_fp8) && primitive == Primitive::cast && is_f8(result))
    return find_cast_to_float_rows(Primitive::cast_sat, operand, result);
  if (rule_broken(Rule::num_int)) {
    if (primitive == Primitive::floordiv) return find_integer_rows(Primitive::div, operand);
    if (primitive == Primitive::mod) return find_integer_rows(Primitive::rem, operand);
  }
  if (rule_broken(Rule::num_nan) && is_float(operand) && (primitive == Primitive::min || primitive == Primitive::max)) {
    const Primitive ignoring = primitive == Primitive::min ? Primitive::minnum : Primitive::maxnum;
    return bit_width(operand) <= 16 ? find_narrow_float_rows(ignoring, operand) : find_float_rows(ignoring, operand);
  }
  if (rule_broken(Rule::num_wrap) && primitive == Primitive::add) {
    if (operand == ScalarType::i32) return &forgetful_add<ScalarType::i32>;
    if (operand == ScalarType::i64) return &forgetful_add<ScalarType::i64>;
  }
  return kernel;
}

FoldKernels broken_or(FoldKernels kernels, Primitive op, ScalarType type) {
  if (rule_broken(Rule::num_acc) && op == Primitive::add && type == ScalarType::bf16) kernels.chain = &wide_chain;
  return kernels;
}

} // namespace tilenest
#endif
