// SPDX-License-Identifier: Apache-2.0
// Contraction and folds against loops that round by the tests' own oracle or by the host's f32 and f64:
// ragged shapes, strides, order of the chain, every type.
#include "oracle.h"
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilenest;

namespace {

// a op b on one element: floats by the oracle (f32 and f64 by the host, which has them), integers by wrapping.
std::uint64_t step(Primitive p, ScalarType type, std::uint64_t a, std::uint64_t b) {
  if (type == ScalarType::f32 || type == ScalarType::f64) {
    const double x = value_as_f64(type, a), y = value_as_f64(type, b);
    if (type == ScalarType::f64) return literal_bits(p == Primitive::add ? x + y : x * y, type).value();
    const float fx = static_cast<float>(x), fy = static_cast<float>(y);
    const float r = p == Primitive::add ? fx + fy : fx * fy;
    return literal_bits(static_cast<double>(r), type).value();
  }
  if (is_float(type)) return oracle::apply(p, type, {a, b});
  const std::uint64_t r = p == Primitive::add ? a + b : a * b;
  return bit_width(type) == 64 ? r : r & ((std::uint64_t{1} << bit_width(type)) - 1);
}

struct Matrix {
  ScalarType type;
  std::size_t size = 0;
  std::vector<char> bytes;
  Matrix(ScalarType t, std::size_t n, oracle::Random *random) : type(t), size(n), bytes(n * byte_size(t)) {
    if (random != nullptr)
      for (std::size_t i = 0; i < n; ++i) {
        // Values near 1 for floats, so that sums keep rounding.
        const double x = (static_cast<double>((*random)() % 4001) - 2000) / 1024;
        set(i, is_float(t) ? literal_bits(x, t).value() : oracle::random_element(t, *random));
      }
  }
  std::uint64_t at(std::size_t i) const { return load_bits(type, &bytes[i * byte_size(type)]); }
  void set(std::size_t i, std::uint64_t bits) { store_bits(type, &bytes[i * byte_size(type)], bits); }
};

} // namespace

TEST_CASE("products accumulate in ascending k, each step rounded", "[MMA][NUM-ACC]") {
  const std::size_t shapes[][3] = {{1, 1, 1}, {4, 32, 16}, {3, 5, 7}, {8, 64, 3}, {17, 47, 9}, {5, 3, 0}, {2, 31, 33}, {0, 4, 4}, {13, 1, 5}};
  oracle::Random random{89};
  for (const ScalarType type : oracle::all_types()) {
    if (type == ScalarType::boolean) {
      CHECK(find_contract_kernel(type) == nullptr);
      continue;
    }
    const bool slow = is_float(type) && bit_width(type) <= 16;
    for (const auto &[rows, cols, depth] : shapes) {
      if (slow && rows * cols * depth > 1000) continue;
      // a is stored transposed every other time, rows of b and c are padded.
      for (const bool transposed : {false, true}) {
        const std::size_t c_row = cols + 3, b_row = cols + 1;
        Matrix a(type, rows * depth + 1, &random), b(type, depth * b_row + 1, &random), c(type, rows * c_row + 1, &random);
        const std::size_t a_row = transposed ? 1 : depth, a_k = transposed ? rows : 1;
        Matrix expected = c;
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < cols; ++j) {
            std::uint64_t sum = c.at(i * c_row + j);
            for (std::size_t k = 0; k < depth; ++k)
              sum = step(Primitive::add, type, sum, step(Primitive::mul, type, a.at(i * a_row + k * a_k), b.at(k * b_row + j)));
            expected.set(i * c_row + j, sum);
          }
        for (int isa = 0; isa < kernel_isa_count; ++isa) {
          const ContractKernel kernel = find_contract_kernel(static_cast<KernelIsa>(isa), type);
          if (kernel == nullptr) continue;
          Matrix result = c;
          kernel(rows, cols, depth, result.bytes.data(), static_cast<std::ptrdiff_t>(c_row), a.bytes.data(),
                 static_cast<std::ptrdiff_t>(a_row), static_cast<std::ptrdiff_t>(a_k), b.bytes.data(),
                 static_cast<std::ptrdiff_t>(b_row));
          INFO(to_string(type) << " " << rows << "x" << cols << "x" << depth << " isa " << isa);
          CHECK(std::memcmp(result.bytes.data(), expected.bytes.data(), expected.bytes.size()) == 0);
        }
      }
    }
  }
}

TEST_CASE("the order of the chain and the rounding of products show", "[MMA]") {
  // 2^24 + 1 - 2^24 in f32: ascending gives 0, descending 1.
  const float a[] = {0x1p24f, 1, -0x1p24f}, ones[] = {1, 1, 1};
  float c = 0;
  accumulate_products(ScalarType::f32, 1, 1, 3, &c, 1, a, 3, 1, ones, 1);
  CHECK(c == 0);
  // (1 + 2^-12)^2 rounds to 1 + 2^-11 before it meets -1 - 2^-11: an fma would leave 2^-24.
  const float x[] = {1 + 0x1p-12f}, y[] = {1 + 0x1p-12f};
  c = -1 - 0x1p-11f;
  accumulate_products(ScalarType::f32, 1, 1, 1, &c, 1, x, 1, 1, y, 1);
  CHECK(c == 0);
  // No contribution: the accumulator, bit for bit.
  c = -0.0f;
  accumulate_products(ScalarType::f32, 1, 1, 0, &c, 1, x, 1, 1, y, 1);
  CHECK(std::signbit(c));
}

TEST_CASE("folds go in order, each step rounded to the state's type", "[NUM-ACC]") {
  oracle::Random random{97};
  for (const ScalarType type : oracle::all_types())
    for (int i = 0; i < primitive_count; ++i) {
      const auto p = static_cast<Primitive>(i);
      const bool folds = admits(p, type, type) &&
                         (p == Primitive::add || p == Primitive::mul || p == Primitive::min || p == Primitive::max ||
                          p == Primitive::minnum || p == Primitive::maxnum || p == Primitive::bit_and ||
                          p == Primitive::bit_or || p == Primitive::bit_xor);
      for (int isa = 0; isa < kernel_isa_count; ++isa) {
        if (!supported(static_cast<KernelIsa>(isa))) continue;
        const FoldKernels kernels = find_fold_kernels(static_cast<KernelIsa>(isa), p, type);
        if (bool(kernels) != folds) FAIL_CHECK(to_string(p) << " " << to_string(type));
        if (!folds) continue;
        const std::size_t rows = 35, cols = 150, x_row = 152;
        Matrix x(type, rows * x_row, &random), state(type, cols, &random), expected = state;
        std::vector<std::uint8_t> wraps(cols), seen(cols);
        for (std::size_t j = 0; j < cols; ++j)
          for (std::size_t r = 0; r < rows; ++r) {
            const auto one = apply_scalar(p, type, type, std::vector{expected.at(j), x.at(r * x_row + j)});
            expected.set(j, one.bits);
            wraps[j] |= one.wrapped;
          }
        Matrix columns = state;
        kernels.columns(rows, cols, columns.bytes.data(), x.bytes.data(), static_cast<std::ptrdiff_t>(x_row), seen.data());
        Matrix plain = state;
        kernels.columns(rows, cols, plain.bytes.data(), x.bytes.data(), static_cast<std::ptrdiff_t>(x_row), nullptr);
        // The same columns as strided chains.
        Matrix chains = state;
        std::vector<std::uint8_t> chain_seen(cols);
        for (std::size_t j = 0; j < cols; ++j)
          kernels.chain(rows, &chains.bytes[j * byte_size(type)], &x.bytes[j * byte_size(type)],
                        static_cast<std::ptrdiff_t>(x_row), j % 2 != 0 ? &chain_seen[j] : nullptr);
        // The same columns as rows, whose chains go side by side; every other element of the states.
        Matrix turned(type, cols * (rows + 1), nullptr), beside(type, 2 * cols, nullptr);
        for (std::size_t j = 0; j < cols; ++j) {
          beside.set(2 * j, state.at(j));
          for (std::size_t r = 0; r < rows; ++r) turned.set(j * (rows + 1) + r, x.at(r * x_row + j));
        }
        kernels.chains(cols, rows, beside.bytes.data(), 2, turned.bytes.data(), static_cast<std::ptrdiff_t>(rows + 1));
        std::size_t wrong = 0;
        for (std::size_t j = 0; j < cols; ++j) {
          wrong += !oracle::same(type, beside.at(2 * j), expected.at(j)) || beside.at(2 * j + 1) != 0;
          wrong += !oracle::same(type, columns.at(j), expected.at(j)) || !oracle::same(type, plain.at(j), expected.at(j));
          wrong += !oracle::same(type, chains.at(j), expected.at(j)) || seen[j] != wraps[j];
          wrong += j % 2 != 0 && chain_seen[j] != wraps[j];
        }
        INFO(to_string(p) << " " << to_string(type) << " isa " << isa);
        CHECK(wrong == 0);
      }
    }
}

TEST_CASE("a bf16 sum stays bf16 at every step", "[NUM-ACC]") {
  // 256 + 1 is a tie that goes back to 256 every time; a wide accumulator would reach 260.
  const std::uint16_t x[] = {0x3f80, 0x3f80, 0x3f80, 0x3f80};
  std::uint16_t state = 0x4380; // 256
  find_fold_kernels(Primitive::add, ScalarType::bf16).chain(4, &state, x, 1, nullptr);
  CHECK(state == 0x4380);
  float f = 0x1p24f;
  const float ones[] = {1, 1, -0x1p24f};
  find_fold_kernels(Primitive::add, ScalarType::f32).chain(3, &f, ones, 1, nullptr);
  CHECK(f == 0); // from the left; from the right:
  f = 0x1p24f;
  find_fold_kernels(Primitive::add, ScalarType::f32).chain(3, &f, ones + 2, -1, nullptr);
  CHECK(f == 2);
}
