// SPDX-License-Identifier: Apache-2.0
// Which contraction and fold kernels serve a type on this machine.
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/broken_rules.h"
#include "semantics/numerics/kernels/units.h"
#include "semantics/support/rule.h"

namespace tilenest {

namespace {

// What a broken MMA computes: descending k.
template <ContractKernel (*find)(ScalarType), ScalarType T>
void from_the_right(std::size_t rows, std::size_t cols, std::size_t depth, void *c, std::ptrdiff_t c_row,
                    const void *a, std::ptrdiff_t a_row, std::ptrdiff_t a_k, const void *b, std::ptrdiff_t b_k) {
  if (depth == 0) return;
  const auto last = static_cast<std::ptrdiff_t>(depth - 1), size = static_cast<std::ptrdiff_t>(byte_size(T));
  find(T)(rows, cols, depth, c, c_row, static_cast<const char *>(a) + last * a_k * size, a_row, -a_k,
          static_cast<const char *>(b) + last * b_k * size, b_k * -1);
}

} // namespace

// rule: MMA
ContractKernel find_contract_kernel(KernelIsa isa, ScalarType accumulator) {
  if (!supported(isa)) return nullptr;
  if (rule_broken(Rule::mma) && accumulator == ScalarType::f32)
    return &from_the_right<&isa_baseline::find_contract, ScalarType::f32>;
  switch (isa) {
  case KernelIsa::baseline: return isa_baseline::find_contract(accumulator);
#ifdef TILENEST_WIDE_KERNELS
  case KernelIsa::avx2: return isa_avx2::find_contract(accumulator);
  case KernelIsa::avx512: return isa_avx512::find_contract(accumulator);
#else
  default: break;
#endif
  }
  return nullptr;
}

namespace {

FoldKernels fold_of(KernelIsa isa, Primitive op, ScalarType type) {
  switch (isa) {
  case KernelIsa::baseline: return isa_baseline::find_fold(op, type);
#ifdef TILENEST_WIDE_KERNELS
  case KernelIsa::avx2: return isa_avx2::find_fold(op, type);
  case KernelIsa::avx512: return isa_avx512::find_fold(op, type);
#else
  default: break;
#endif
  }
  return {};
}

} // namespace

// rule: NUM-ACC
FoldKernels find_fold_kernels(KernelIsa isa, Primitive op, ScalarType type) {
  return supported(isa) ? broken_or(fold_of(isa, op, type), op, type) : FoldKernels{};
}

ContractKernel find_contract_kernel(ScalarType accumulator) { return find_contract_kernel(active_isa(), accumulator); }
FoldKernels find_fold_kernels(Primitive op, ScalarType type) { return find_fold_kernels(active_isa(), op, type); }

} // namespace tilenest
