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

constexpr std::size_t fold_rows = 16; // chains side by side
constexpr std::size_t fold_depth = 32;

template <class Op>
void fold_chains(std::size_t rows, std::size_t cols, void *state, std::ptrdiff_t state_step, const void *x,
                 std::ptrdiff_t x_row_stride) {
  using T = typename Op::R;
  T *s = static_cast<T *>(state);
  const T *from = static_cast<const T *>(x);
  for (; rows >= fold_rows / 2; ) {
    const std::size_t count = rows < fold_rows ? rows : fold_rows;
    T sum[fold_rows] = {};
    for (std::size_t i = 0; i < count; ++i) sum[i] = s[static_cast<std::ptrdiff_t>(i) * state_step];
    T turned[fold_depth][fold_rows] = {};
    for (std::size_t at = 0; at < cols; at += fold_depth) {
      const std::size_t depth = cols - at < fold_depth ? cols - at : fold_depth;
      for (std::size_t i = 0; i < count; ++i) {
        const T *row = from + static_cast<std::ptrdiff_t>(i) * x_row_stride + at;
        for (std::size_t k = 0; k < depth; ++k) turned[k][i] = row[k];
      }
      for (std::size_t k = 0; k < depth; ++k) {
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < fold_rows; ++i) sum[i] = Op::apply(sum[i], turned[k][i]);
      }
    }
    for (std::size_t i = 0; i < count; ++i) s[static_cast<std::ptrdiff_t>(i) * state_step] = sum[i];
    s += static_cast<std::ptrdiff_t>(count) * state_step;
    from += static_cast<std::ptrdiff_t>(count) * x_row_stride;
    rows -= count;
  }
  for (std::size_t i = 0; i < rows; ++i, s += state_step, from += x_row_stride) fold_chain<Op>(cols, s, from, 1, nullptr);
}

template <class Op> FoldKernels fold() { return {&fold_by_columns<Op>, &fold_chain<Op>, &fold_chains<Op>}; }

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
