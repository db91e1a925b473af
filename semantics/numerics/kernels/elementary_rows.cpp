// SPDX-License-Identifier: Apache-2.0
// Rows of elementary functions of f32.
#include "semantics/numerics/kernels/elementary_loops.h"

namespace tilenest::TILENEST_ISA {

RowKernel find_elementary_rows(Primitive primitive, ScalarType type) {
  return type == ScalarType::f32 ? elementary_op<ScalarType::f32>(primitive) : nullptr;
}

} // namespace tilenest::TILENEST_ISA
