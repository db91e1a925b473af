// SPDX-License-Identifier: Apache-2.0
// The arithmetic of `mma` and of reductions: chains in domain order, every product and sum rounded to the
// accumulator's type on its own (MMA, RED-FOLD, NUM-ACC). No fma, no widening, no reassociation. Which
// elements take part, and dims, are the caller's business.
#pragma once
#include "semantics/numerics/row_kernels.h"

namespace tilenest {

// c[i][j] = (..((c[i][j] + a[i][0]*b[0][j]) + a[i][1]*b[1][j]) ..), i < rows, j < cols, k < depth ascending.
// Strides are in elements, of any sign; the columns of b and c are contiguous. c overlaps neither a nor b.
// Operands have the accumulator's type. Integers wrap; wrapping is not recorded.
using ContractKernel = void (*)(std::size_t rows, std::size_t cols, std::size_t depth, void *c,
                                std::ptrdiff_t c_row_stride, const void *a, std::ptrdiff_t a_row_stride,
                                std::ptrdiff_t a_k_stride, const void *b, std::ptrdiff_t b_k_stride);
// nullptr for bool.
ContractKernel find_contract_kernel(ScalarType accumulator);
ContractKernel find_contract_kernel(KernelIsa isa, ScalarType accumulator);

inline void accumulate_products(ScalarType accumulator, std::size_t rows, std::size_t cols, std::size_t depth,
                                void *c, std::ptrdiff_t c_row_stride, const void *a, std::ptrdiff_t a_row_stride,
                                std::ptrdiff_t a_k_stride, const void *b, std::ptrdiff_t b_k_stride) {
  find_contract_kernel(accumulator)(rows, cols, depth, c, c_row_stride, a, a_row_stride, a_k_stride, b, b_k_stride);
}

// The folds of a reduction with `op` in add mul min max minnum maxnum bit_and bit_or bit_xor.
struct FoldKernels {
  // state[j] = state[j] op x[i * x_row_stride + j] for i ascending, j < cols; state is contiguous. Where
  // `wrapped` (cols bytes, or null) is given, byte j is set where an integer step of column j wrapped.
  // Returns whether a byte was set. A negative stride with x at the last row folds from the right.
  bool (*columns)(std::size_t rows, std::size_t cols, void *state, const void *x, std::ptrdiff_t x_row_stride,
                  std::uint8_t *wrapped) = nullptr;
  // *state = *state op x[i * step] for i ascending, i < n: one chain. `wrapped` as above, one byte.
  bool (*chain)(std::size_t n, void *state, const void *x, std::ptrdiff_t step, std::uint8_t *wrapped) = nullptr;
  // state[i * state_step] = state[i * state_step] op x[i * x_row_stride + j] for j ascending, j < cols, for each i <
  // rows: the chains of several rows side by side, since one chain waits for each of its steps.
  void (*chains)(std::size_t rows, std::size_t cols, void *state, std::ptrdiff_t state_step, const void *x,
                 std::ptrdiff_t x_row_stride) = nullptr;
  explicit operator bool() const { return chain != nullptr; }
};
// Empty where the primitive is none of these or does not admit the type.
FoldKernels find_fold_kernels(Primitive op, ScalarType type);
FoldKernels find_fold_kernels(KernelIsa isa, Primitive op, ScalarType type);

} // namespace tilenest
