// SPDX-License-Identifier: Apache-2.0
// Which kernel serves a primitive at its types, and the choice of the instruction set.
#include "semantics/numerics/row_kernels.h"
#include "semantics/numerics/broken_rules.h"
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/kernels/units.h"

namespace tilenest {

namespace {

// The look-ups of one instruction set.
struct Units {
  RowKernel (*of_floats)(Primitive, ScalarType);
  RowKernel (*of_narrow_floats)(Primitive, ScalarType);
  RowKernel (*elementary)(Primitive, ScalarType);
  RowKernel (*narrow_elementary)(Primitive, ScalarType);
  RowKernel (*of_integers)(Primitive, ScalarType);
  RowKernel (*of_bits)(Primitive, ScalarType);
  RowKernel (*of_comparisons)(Primitive, ScalarType);
  RowKernel (*of_casts_to_float)(Primitive, ScalarType, ScalarType);
  RowKernel (*of_casts_to_integer)(Primitive, ScalarType, ScalarType);
};
#define UNITS(isa)                                                                                           \
  {isa::find_float_rows,             isa::find_narrow_float_rows, isa::find_elementary_rows,                 \
   isa::find_narrow_elementary_rows, isa::find_integer_rows,      isa::find_bit_rows,                        \
   isa::find_comparison_rows,        isa::find_cast_to_float_rows, isa::find_cast_to_integer_rows}
constexpr Units units[kernel_isa_count] = {
    UNITS(isa_baseline),
#ifdef TILENEST_WIDE_KERNELS
    UNITS(isa_avx2), UNITS(isa_avx512),
#endif
};
#undef UNITS

// A 4-bit integer stands as one byte that holds its value: the casts of that byte are its casts.
ScalarType stands_as(ScalarType type) {
  return type == ScalarType::i4 ? ScalarType::i8 : type == ScalarType::u4 ? ScalarType::u8 : type;
}

RowKernel look_up(const Units &isa, Primitive primitive, ScalarType operand, ScalarType result) {
  switch (primitive) {
  case Primitive::eq:
  case Primitive::ne:
  case Primitive::lt:
  case Primitive::le:
  case Primitive::gt:
  case Primitive::ge:
  case Primitive::is_nan:
  case Primitive::is_inf:
  case Primitive::is_finite: return isa.of_comparisons(primitive, operand);
  case Primitive::bit_and:
  case Primitive::bit_or:
  case Primitive::bit_xor:
  case Primitive::bit_not:
  case Primitive::shl:
  case Primitive::shr:
  case Primitive::popcount:
  case Primitive::clz:
  case Primitive::ctz:
  case Primitive::select: return isa.of_bits(primitive, operand);
  case Primitive::bitcast: // a copy of bits: the cast of an unsigned integer to itself
    switch (bit_width(operand)) {
    case 8: return isa.of_casts_to_integer(Primitive::cast, ScalarType::u8, ScalarType::u8);
    case 16: return isa.of_casts_to_integer(Primitive::cast, ScalarType::u16, ScalarType::u16);
    case 32: return isa.of_casts_to_integer(Primitive::cast, ScalarType::u32, ScalarType::u32);
    default: return isa.of_casts_to_integer(Primitive::cast, ScalarType::u64, ScalarType::u64);
    }
  case Primitive::cast:
  case Primitive::cast_sat:
    return is_float(result) ? isa.of_casts_to_float(primitive, operand, result)
                            : isa.of_casts_to_integer(primitive, operand, result);
  default: break;
  }
  if (is_elementary(primitive)) {
    if (operand == ScalarType::f64) return find_f64_elementary_rows(primitive);
    return bit_width(operand) <= 16 ? isa.narrow_elementary(primitive, operand) : isa.elementary(primitive, operand);
  }
  if (is_integer(operand)) return isa.of_integers(primitive, operand);
  return bit_width(operand) <= 16 ? isa.of_narrow_floats(primitive, operand) : isa.of_floats(primitive, operand);
}

} // namespace

bool supported(KernelIsa isa) {
  switch (isa) {
  case KernelIsa::baseline: return true;
#ifdef TILENEST_WIDE_KERNELS
  case KernelIsa::avx2: return __builtin_cpu_supports("avx2");
  case KernelIsa::avx512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
  default: return false;
#endif
  }
  return false;
}

KernelIsa active_isa() {
  static const KernelIsa widest = supported(KernelIsa::avx512) ? KernelIsa::avx512
                                  : supported(KernelIsa::avx2) ? KernelIsa::avx2
                                                               : KernelIsa::baseline;
  return widest;
}

RowKernel find_row_kernel(KernelIsa isa, Primitive primitive, ScalarType operand, ScalarType result) {
  if (!supported(isa) || !admits(primitive, operand, result)) return nullptr;
  operand = stands_as(operand);
  return broken_or(look_up(units[static_cast<int>(isa)], primitive, operand, result), primitive, operand, result);
}

RowKernel find_row_kernel(Primitive primitive, ScalarType operand, ScalarType result) {
  return find_row_kernel(active_isa(), primitive, operand, result);
}

} // namespace tilenest
