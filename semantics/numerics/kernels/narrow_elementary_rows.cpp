// SPDX-License-Identifier: Apache-2.0
// Rows of elementary functions of f16, bf16 and f8.
#include "semantics/numerics/kernels/elementary_loops.h"

namespace tilenest::TILENEST_ISA {

RowKernel find_narrow_elementary_rows(Primitive primitive, ScalarType type) {
  switch (type) {
  case ScalarType::f16: return elementary_op<ScalarType::f16>(primitive);
  case ScalarType::bf16: return elementary_op<ScalarType::bf16>(primitive);
  case ScalarType::f8e4m3fn: return elementary_op<ScalarType::f8e4m3fn>(primitive);
  case ScalarType::f8e5m2: return elementary_op<ScalarType::f8e5m2>(primitive);
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
