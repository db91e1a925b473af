// SPDX-License-Identifier: Apache-2.0
// The chain of products and sums of `mma`: f32 and f64 hold a block of accumulators in registers over the
// whole depth; the other types run plain loops over a row of accumulators.
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/kernels/row_loops.h"

#if defined(__AVX512F__)
#define TILENEST_VECTOR_BYTES 64
#define TILENEST_BLOCK_ROWS 8
#elif defined(__AVX2__)
#define TILENEST_VECTOR_BYTES 32
#define TILENEST_BLOCK_ROWS 6
#else
#define TILENEST_VECTOR_BYTES 16
#define TILENEST_BLOCK_ROWS 4
#endif

namespace tilenest::TILENEST_ISA {
namespace {

template <class T> struct Operands {
  std::size_t depth;
  T *c;
  std::ptrdiff_t c_row;
  const T *a;
  std::ptrdiff_t a_row, a_k;
  const T *b;
  std::ptrdiff_t b_k;
};

template <class Float, int bytes> struct VectorOf;
#define TILENEST_VECTOR(Float, bytes)                                                                        \
  template <> struct VectorOf<Float, bytes> {                                                               \
    typedef Float type __attribute__((vector_size(bytes)));                                                  \
  };
TILENEST_VECTOR(float, 16)
TILENEST_VECTOR(double, 16)
#if TILENEST_VECTOR_BYTES >= 32
TILENEST_VECTOR(float, 32)
TILENEST_VECTOR(double, 32)
#endif
#if TILENEST_VECTOR_BYTES >= 64
TILENEST_VECTOR(float, 64)
TILENEST_VECTOR(double, 64)
#endif
#undef TILENEST_VECTOR
template <> struct VectorOf<float, 4> { typedef float type; };
template <> struct VectorOf<double, 8> { typedef double type; };

// rows x (vectors * lanes) accumulators at row i, column j.
template <class Float, int bytes, int rows, int vectors>
void register_block(const Operands<Float> &o, std::size_t i, std::size_t j) {
  using Vector = typename VectorOf<Float, bytes>::type;
  constexpr std::ptrdiff_t lanes = bytes / static_cast<std::ptrdiff_t>(sizeof(Float));
  Float *c = o.c + static_cast<std::ptrdiff_t>(i) * o.c_row + static_cast<std::ptrdiff_t>(j);
  const Float *a = o.a + static_cast<std::ptrdiff_t>(i) * o.a_row;
  const Float *b = o.b + j;
  Vector sum[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) __builtin_memcpy(&sum[r][v], c + r * o.c_row + v * lanes, bytes);
  for (std::size_t k = 0; k < o.depth; ++k) {
    Vector right[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) __builtin_memcpy(&right[v], b + v * lanes, bytes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const Float left = a[r * o.a_row];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sum[r][v] = sum[r][v] + left * right[v];
    }
    a += o.a_k;
    b += o.b_k;
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) __builtin_memcpy(c + r * o.c_row + v * lanes, &sum[r][v], bytes);
}

// Columns from j on: two vectors wide, then one, then ever narrower vectors, then single elements.
template <class Float, int rows, int bytes = TILENEST_VECTOR_BYTES>
void row_strip(const Operands<Float> &o, std::size_t i, std::size_t j, std::size_t cols) {
  constexpr std::size_t lanes = bytes / sizeof(Float);
  for (; cols - j >= 2 * lanes; j += 2 * lanes) register_block<Float, bytes, rows, 2>(o, i, j);
  for (; cols - j >= lanes; j += lanes) register_block<Float, bytes, rows, 1>(o, i, j);
  if constexpr (lanes > 1)
    if (j < cols) row_strip<Float, rows, (bytes > 16 ? bytes / 2 : static_cast<int>(sizeof(Float)))>(o, i, j, cols);
}

template <class Float, int rows>
void row_strips(const Operands<Float> &o, std::size_t i, std::size_t row_count, std::size_t cols) {
  for (; row_count - i >= rows; i += rows) row_strip<Float, rows>(o, i, 0, cols);
  if constexpr (rows > 1)
    if (i < row_count) row_strips<Float, (rows + 1) / 2 < rows ? (rows > 4 ? 4 : rows / 2) : 1>(o, i, row_count, cols);
}

template <class Float>
void contract_in_registers(std::size_t rows, std::size_t cols, std::size_t depth, void *c, std::ptrdiff_t c_row,
                           const void *a, std::ptrdiff_t a_row, std::ptrdiff_t a_k, const void *b,
                           std::ptrdiff_t b_k) {
  const Operands<Float> o{depth, static_cast<Float *>(c), c_row, static_cast<const Float *>(a), a_row, a_k,
                          static_cast<const Float *>(b), b_k};
  row_strips<Float, TILENEST_BLOCK_ROWS>(o, 0, rows, cols);
}

template <ScalarType T>
void contract_by_rows(std::size_t rows, std::size_t cols, std::size_t depth, void *c, std::ptrdiff_t c_row,
                      const void *a, std::ptrdiff_t a_row, std::ptrdiff_t a_k, const void *b, std::ptrdiff_t b_k) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::ptrdiff_t>(i);
    for (std::size_t j = 0; j < cols; j += block_length) {
      const std::size_t count = cols - j < block_length ? cols - j : block_length;
      Storage<T> *target = static_cast<Storage<T> *>(c) + row * c_row + j;
      Storage<T> sum[block_length];
      for (std::size_t n = 0; n < count; ++n) sum[n] = target[n];
      for (std::size_t k = 0; k < depth; ++k) {
        const auto step = static_cast<std::ptrdiff_t>(k);
        const Storage<T> left = static_cast<const Storage<T> *>(a)[row * a_row + step * a_k];
        const Storage<T> *right = static_cast<const Storage<T> *>(b) + step * b_k + j;
        TILENEST_INDEPENDENT
        for (std::size_t n = 0; n < count; ++n) sum[n] = Add<T>::apply(sum[n], Mul<T>::apply(left, right[n]));
      }
      for (std::size_t n = 0; n < count; ++n) target[n] = sum[n];
    }
  }
}

} // namespace

ContractKernel find_contract(ScalarType type) {
  switch (type) {
  case ScalarType::f32: return &contract_in_registers<float>;
  case ScalarType::f64: return &contract_in_registers<double>;
  case ScalarType::f16: return &contract_by_rows<ScalarType::f16>;
  case ScalarType::bf16: return &contract_by_rows<ScalarType::bf16>;
  case ScalarType::f8e4m3fn: return &contract_by_rows<ScalarType::f8e4m3fn>;
  case ScalarType::f8e5m2: return &contract_by_rows<ScalarType::f8e5m2>;
  // Wrapping makes signed and unsigned arithmetic the same bits.
  case ScalarType::i8:
  case ScalarType::u8: return &contract_by_rows<ScalarType::u8>;
  case ScalarType::i16:
  case ScalarType::u16: return &contract_by_rows<ScalarType::u16>;
  case ScalarType::i32:
  case ScalarType::u32: return &contract_by_rows<ScalarType::u32>;
  case ScalarType::i64:
  case ScalarType::u64: return &contract_by_rows<ScalarType::u64>;
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
