// SPDX-License-Identifier: Apache-2.0
// What the kernel units of each instruction set export: look-ups from primitive and types to row kernels.
// The units are compiled once per instruction set into their own namespace (semantics/CMakeLists.txt).
#pragma once
#include "semantics/numerics/contract_kernels.h"

#define TILENEST_DECLARE_UNITS(isa)                                                                          \
  namespace tilenest::isa {                                                                                  \
  RowKernel find_float_rows(Primitive, ScalarType);        /* arithmetic of f32 and f64 */                   \
  RowKernel find_narrow_float_rows(Primitive, ScalarType); /* arithmetic of f16, bf16, f8 */                 \
  RowKernel find_integer_rows(Primitive, ScalarType);      /* arithmetic of integers */                      \
  RowKernel find_elementary_rows(Primitive, ScalarType);        /* elementary functions of f32 */            \
  RowKernel find_narrow_elementary_rows(Primitive, ScalarType); /* elementary functions of f16, bf16, f8 */  \
  RowKernel find_bit_rows(Primitive, ScalarType);          /* bits of bool and integers; select of all */    \
  RowKernel find_comparison_rows(Primitive, ScalarType);   /* comparisons and classification */              \
  RowKernel find_cast_to_float_rows(Primitive, ScalarType from, ScalarType to);                              \
  RowKernel find_cast_to_integer_rows(Primitive, ScalarType from, ScalarType to); /* and to bool */          \
  ContractKernel find_contract(ScalarType);                                                                  \
  FoldKernels find_fold(Primitive, ScalarType);                                                              \
  }
TILENEST_DECLARE_UNITS(isa_baseline)
#ifdef TILENEST_WIDE_KERNELS
TILENEST_DECLARE_UNITS(isa_avx2)
TILENEST_DECLARE_UNITS(isa_avx512)
#endif
#undef TILENEST_DECLARE_UNITS
