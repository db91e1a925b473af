// SPDX-License-Identifier: Apache-2.0
// Rows of f16, bf16 and f8 arithmetic: computed exactly enough in f32, rounded once.
#include "semantics/numerics/kernels/float_op_table.h"

namespace tilenest::TILENEST_ISA {

RowKernel find_narrow_float_rows(Primitive primitive, ScalarType type) {
  switch (type) {
  case ScalarType::f16: return float_op<ScalarType::f16>(primitive);
  case ScalarType::bf16: return float_op<ScalarType::bf16>(primitive);
  case ScalarType::f8e4m3fn: return float_op<ScalarType::f8e4m3fn>(primitive);
  case ScalarType::f8e5m2: return float_op<ScalarType::f8e5m2>(primitive);
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
