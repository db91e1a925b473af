// SPDX-License-Identifier: Apache-2.0
// Rows of elements through one primitive: one indirect call per row, never per element. The loops are
// compiled for several instruction sets (kernels/) and chosen once per process. One element at a time:
// scalar_apply.h.
#pragma once
#include "semantics/numerics/primitives.h"
#include <cstddef>
#include <cstdint>

namespace tilenest {

// One operand of a row; `step` is in elements: 1 contiguous, 0 broadcast, any other stride allowed
// (negative too).
struct RowOperand {
  const void *data;
  std::ptrdiff_t step;
};

// Where to record elements without a result (VAL-MARK) and elements that wrapped (NUM-WRAP): byte i is set
// to 1, never cleared. A null array is not recorded, and what is not recorded is not looked for.
struct RowEffects {
  std::uint8_t *undefined = nullptr;
  std::uint8_t *wrapped = nullptr;
};

// Computes out[0..n) (contiguous). `out` may be exactly an operand's data with step 1 and equal element
// size; any other overlap is not allowed. Elements without a result get 0 and never trap.
// Returns whether a byte of `effects` was set.
using RowKernel = bool (*)(std::size_t n, void *out, const RowOperand *operands, RowEffects effects);

// nullptr if the primitive does not admit the types (primitives.h, admits()).
RowKernel find_row_kernel(Primitive primitive, ScalarType operand_type, ScalarType result_type);

// The instruction sets that the kernels are compiled for, and whether this machine runs them.
enum class KernelIsa : std::uint8_t { baseline, avx2, avx512 };
constexpr int kernel_isa_count = 3;
bool supported(KernelIsa isa);
// The widest one that this machine runs.
KernelIsa active_isa();
// As find_row_kernel, of one instruction set; nullptr too where it is not supported. All of them give the
// same bits; only NaN payloads may differ.
RowKernel find_row_kernel(KernelIsa isa, Primitive primitive, ScalarType operand_type, ScalarType result_type);

} // namespace tilenest
