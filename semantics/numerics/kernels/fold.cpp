// SPDX-License-Identifier: Apache-2.0
// Folds in domain order, each step rounded to the state's type (NUM-ACC): across independent columns, and
// one chain along a row.
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

constexpr std::size_t fold_columns = 128; // accumulators that stay close while the rows go by

template <class Op>
bool fold_by_columns(std::size_t rows, std::size_t cols, void *state, const void *x, std::ptrdiff_t x_row_stride,
                     std::uint8_t *wrapped) {
  using T = typename Op::R;
  unsigned any = 0;
  for (std::size_t at = 0; at < cols; at += fold_columns) {
    const std::size_t count = cols - at < fold_columns ? cols - at : fold_columns;
    T *s = static_cast<T *>(state) + at;
    T sum[fold_columns];
    for (std::size_t j = 0; j < count; ++j) sum[j] = s[j];
    const T *row = static_cast<const T *>(x) + at;
    for (std::size_t i = 0; i < rows; ++i) {
      if constexpr (Op::can_wrap)
        if (wrapped != nullptr)
          for (std::size_t j = 0; j < count; ++j) {
            const std::uint8_t m = Op::wrapped(sum[j], row[j]);
            wrapped[at + j] |= m;
            any |= m;
          }
      TILENEST_INDEPENDENT
      for (std::size_t j = 0; j < count; ++j) sum[j] = Op::apply(sum[j], row[j]);
      row += x_row_stride;
    }
    for (std::size_t j = 0; j < count; ++j) s[j] = sum[j];
  }
  return any != 0;
}

template <class Op>
bool fold_chain(std::size_t n, void *state, const void *x, std::ptrdiff_t step, std::uint8_t *wrapped) {
  using T = typename Op::R;
  T sum = *static_cast<T *>(state);
  const T *from = static_cast<const T *>(x);
  unsigned any = 0;
  if (Op::can_wrap && wrapped != nullptr) {
    if constexpr (Op::can_wrap)
      for (std::size_t i = 0; i < n; ++i, from += step) {
        any |= Op::wrapped(sum, *from);
        sum = Op::apply(sum, *from);
      }
    *wrapped |= static_cast<std::uint8_t>(any);
  } else if (step == 1) {
    for (std::size_t i = 0; i < n; ++i) sum = Op::apply(sum, from[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i, from += step) sum = Op::apply(sum, *from);
  }
  *static_cast<T *>(state) = sum;
  return any != 0;
}

template <class Op> FoldKernels fold() { return {&fold_by_columns<Op>, &fold_chain<Op>}; }

template <ScalarType T> FoldKernels find_fold_of(Primitive op) {
  if constexpr (T != ScalarType::boolean) switch (op) {
    case Primitive::add: return fold<Add<T>>();
    case Primitive::mul: return fold<Mul<T>>();
    case Primitive::min: return fold<Min<T>>();
    case Primitive::max: return fold<Max<T>>();
    case Primitive::minnum: return fold<MinNum<T>>();
    case Primitive::maxnum: return fold<MaxNum<T>>();
    default: break;
    }
  if constexpr (!is_float(T)) switch (op) {
    case Primitive::bit_and: return fold<BitAnd<T>>();
    case Primitive::bit_or: return fold<BitOr<T>>();
    case Primitive::bit_xor: return fold<BitXor<T>>();
    default: break;
    }
  return {};
}

} // namespace

FoldKernels find_fold(Primitive op, ScalarType type) {
  switch (type) {
#define TYPE(name, text, bits, kind) \
  case ScalarType::name: return find_fold_of<ScalarType::name>(op);
    TILENEST_COMPUTED_TYPES(TYPE)
#undef TYPE
  default: return {};
  }
}

} // namespace tilenest::TILENEST_ISA
