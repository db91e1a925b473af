// SPDX-License-Identifier: Apache-2.0
// Kernels of the test-only build that break a rule of chapter 9 on purpose (semantics/support/rule.h).
// In every other build both look-ups return what they were given.
#pragma once
#include "semantics/numerics/contract_kernels.h"

namespace tilenest {

#ifdef TILENEST_BREAKABLE_RULES
RowKernel broken_or(RowKernel kernel, Primitive primitive, ScalarType operand_type, ScalarType result_type);
FoldKernels broken_or(FoldKernels kernels, Primitive op, ScalarType type);
#else
inline RowKernel broken_or(RowKernel kernel, Primitive, ScalarType, ScalarType) { return kernel; }
inline FoldKernels broken_or(FoldKernels kernels, Primitive, ScalarType) { return kernels; }
#endif

} // namespace tilenest
