// SPDX-License-Identifier: Apache-2.0
// Rows of f32 and f64 arithmetic.
#include "semantics/numerics/kernels/float_op_table.h"

namespace tilenest::TILENEST_ISA {

RowKernel find_float_rows(Primitive primitive, ScalarType type) {
  if (type == ScalarType::f32) return float_op<ScalarType::f32>(primitive);
  if (type == ScalarType::f64) return float_op<ScalarType::f64>(primitive);
  return nullptr;
}

} // namespace tilenest::TILENEST_ISA
