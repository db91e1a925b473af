// SPDX-License-Identifier: Apache-2.0
// Products on narrow types, int8_gemm.tile, bf16_gemm.tile and f8_gemm.tile, and persistent_tiles.tile. The narrow types
// are decoded here from their definitions.
#include "tests/examples/example.h"
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

using namespace tilenest::examples;
using tilenest::bf16;
using tilenest::f8e4m3fn;

namespace {

using Shape = std::array<int, 3>; // M, N, K
const Shape shapes[] = {{32, 32, 32}, {64, 32, 96}, {45, 70, 33}, {31, 33, 31}, {1, 1, 1}, {1, 40, 3},
                        {40, 1, 100}, {2, 3, 0},    {0, 5, 7},    {5, 0, 7}};

// bf16 is the upper half of an f32.
double value(bf16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }
Array<bf16> to_bf16(const Array<float> &a) {
  Array<bf16> out = filled<bf16>(a.shape, {});
  for (std::size_t i = 0; i < a.values.size(); ++i)
    out.values[i].bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(a.values[i]) >> 16); // towards zero
  return out;
}

// Sign, 4 bits of exponent with bias 7, 3 of fraction; all ones is NaN, there is no infinity.
double value(f8e4m3fn x) {
  const int exponent = x.bits >> 3 & 15, fraction = x.bits & 7;
  if ((x.bits & 127) == 127) return not_a_number;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return x.bits & 128 ? -magnitude : magnitude;
}
// Any bits but NaN: magnitudes from 2^-9 to 448.
Array<f8e4m3fn> any_f8(std::vector<std::int64_t> shape, std::uint64_t seed) {
  const auto bits = whole<std::uint8_t>(shape, seed, 127);
  Array<f8e4m3fn> out = filled<f8e4m3fn>(shape, {});
  for (std::size_t i = 0; i < bits.values.size(); ++i)
    out.values[i].bits = (bits.values[i] & 127) == 127 ? 0 : bits.values[i];
  return out;
}

void check_bf16(Array<bf16> a, Array<bf16> b) {
  static Example example("bf16_gemm");
  auto c = filled<bf16>({a.shape[0], b.shape[1]}, {0x1234});
  c.defined = false;
  example.run(a, b, c);
  const double k = static_cast<double>(a.shape[1]);
  Comparison comparison;
  for (std::int64_t i = 0; i < c.shape[0]; ++i)
    for (std::int64_t j = 0; j < c.shape[1]; ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t x = 0; x < a.shape[1]; ++x) {
        sum += value(a(i, x)) * value(b(x, j));
        magnitude += std::fabs(value(a(i, x)) * value(b(x, j)));
      }
      // The f32 sum, then one rounding to 8 bits, half an ulp being 2^-8 of the value at most.
      const double in_sum = dot_bound(k, magnitude);
      comparison.element(comparison.count(), value(c(i, j)), sum, in_sum + 0x1p-8 * (std::fabs(sum) + in_sum));
    }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == c.values.size());
}

void check_f8(Array<f8e4m3fn> a, Array<float> a_scale, Array<f8e4m3fn> b, Array<float> b_scale, bool exact) {
  static Example example("f8_gemm");
  auto c = output<float>({a.shape[0], b.shape[1]});
  example.run(a, a_scale, b, b_scale, c);
  const std::int64_t depth = a.shape[1];
  Comparison comparison;
  for (std::int64_t i = 0; i < c.shape[0]; ++i)
    for (std::int64_t j = 0; j < c.shape[1]; ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t first = 0; first < depth; first += 32) {
        double in_block = 0;
        const double scale = double(a_scale(i, first / 32)) * b_scale(first / 32, j / 32);
        for (std::int64_t k = first; k < std::min<std::int64_t>(first + 32, depth); ++k) {
          in_block += value(a(i, k)) * value(b(k, j));
          magnitude += std::fabs(value(a(i, k)) * value(b(k, j)) * scale);
        }
        sum += in_block * scale;
      }
      // Exact products (8 bits). A term meets at most 31 additions in its block, the scales' product and the scaling,
      // then one addition per block.
      const double roundings = 31 + 2 + std::ceil(static_cast<double>(depth) / 32);
      const double bound = (gamma_n(roundings) + gamma_n(static_cast<double>(depth) + 3, unit64)) * magnitude;
      comparison.element(comparison.count(), c(i, j), sum, exact ? 0 : bound);
    }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == c.values.size());
}

void check_int8(Array<std::int8_t> a, Array<std::int8_t> b, Array<std::int32_t> bias, Array<float> scale) {
  static Example example("int8_gemm");
  auto c = output<std::int8_t>({a.shape[0], b.shape[1]});
  example.run(a, b, bias, scale, c);
  Comparison comparison;
  for (std::int64_t i = 0; i < c.shape[0]; ++i)
    for (std::int64_t j = 0; j < c.shape[1]; ++j) {
      std::int32_t sum = bias(j);
      for (std::int64_t k = 0; k < a.shape[1]; ++k) sum += a(i, k) * b(k, j);
      // One rounding to f32, one of the product, then to a whole number with ties to even, all as in IEEE 754.
      const float scaled = static_cast<float>(sum) * scale(j);
      const double expected = std::isnan(scaled) ? 0 : std::clamp<double>(std::nearbyint(scaled), -128, 127);
      comparison.element(comparison.count(), c(i, j), expected);
    }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == c.values.size());
}

} // namespace

TEST_CASE("bf16_gemm.tile rounds once, at the end", "[examples][NUM-RN]") {
  for (const auto &[M, N, K] : shapes) {
    INFO("M=" << M << " N=" << N << " K=" << K);
    check_bf16(to_bf16(uniform({M, K}, 1)), to_bf16(uniform({K, N}, 2)));
    check_bf16(to_bf16(whole<float>({M, K}, 3, 15)), to_bf16(whole<float>({K, N}, 4, 15)));
  }
  // 256 times 1 + 2^-7, which a bf16 accumulator would lose beyond 256: exactly 258.
  const auto one = filled<float>({1, 256}, 1), bit_more = filled<float>({256, 1}, 1 + 0x1p-7f);
  auto a = to_bf16(one), b = to_bf16(bit_more), c = filled<bf16>({1, 1}, {});
  Example("bf16_gemm").run(a, b, c);
  CHECK(value(c(0, 0)) == 258);
  auto left = whole<float>({33, 34}, 5, 9);
  left(0, 33) = inf;
  left(32, 0) = not_a_number;
  left(3, 3) = -inf;
  check_bf16(to_bf16(left), to_bf16(whole<float>({34, 35}, 6, 9)));
}

TEST_CASE("f8_gemm.tile scales each block", "[examples][NUM-FP8]") {
  for (const auto &[M, N, K] : shapes) {
    INFO("M=" << M << " N=" << N << " K=" << K);
    const int blocks = (K + 31) / 32, columns = (N + 31) / 32;
    check_f8(any_f8({M, K}, 1), uniform({M, blocks}, 2), any_f8({K, N}, 3), uniform({blocks, columns}, 4), false);
    // All of magnitude 1 to 15/8, and powers of two as scales: every sum is a multiple of 2^-6 below 2^9.
    auto a = any_f8({M, K}, 5), b = any_f8({K, N}, 6);
    for (auto *m : {&a, &b})
      for (f8e4m3fn &x : m->values) x.bits = static_cast<std::uint8_t>((x.bits & 0x87) | 0x38);
    auto scale = filled<float>({M, blocks}, 0.25f);
    check_f8(a, scale, b, filled<float>({blocks, columns}, 4), true);
  }
  auto a = any_f8({3, 40}, 7), b = any_f8({40, 4}, 8);
  a(0, 39).bits = 0x7f; // NaN
  b(1, 2).bits = 0xff;
  auto a_scale = uniform({3, 2}, 9);
  a_scale(1, 1) = inf;
  check_f8(a, a_scale, b, uniform({2, 1}, 10), false);
}

TEST_CASE("int8_gemm.tile adds exactly and saturates", "[examples][NUM-INT]") {
  for (const auto &[M, N, K] : shapes)
    for (float scale : {0.001f, 0.02f, 1.0f}) {
      INFO("M=" << M << " N=" << N << " K=" << K << " scale=" << scale);
      auto scales = uniform({N}, 3);
      for (float &s : scales.values) s *= scale;
      check_int8(whole<std::int8_t>({M, K}, 1, 127), whole<std::int8_t>({K, N}, 2, 127), whole<std::int32_t>({N}, 4, 1000), scales);
    }
  // Ties: odd sums halved. And the farthest sums: 600 times -128 * -128 exceeds an i16 by far, and 24 bits after it.
  auto identity = filled<std::int8_t>({8, 8}, 0);
  for (int i = 0; i < 8; ++i) identity(i, i) = 1;
  check_int8(identity, whole<std::int8_t>({8, 8}, 5, 9), filled<std::int32_t>({8}, 0), filled<float>({8}, 0.5f));
  check_int8(filled<std::int8_t>({2, 600}, -128), filled<std::int8_t>({600, 3}, -128), filled<std::int32_t>({3}, 16777217),
             filled<float>({3}, 0x1p-18f));
  // Infinite and NaN scales saturate and give 0.
  Array<float> scale{{4}, {inf, -inf, not_a_number, 0.0f}, true};
  check_int8(whole<std::int8_t>({5, 7}, 6, 9), whole<std::int8_t>({7, 4}, 7, 9), filled<std::int32_t>({4}, 1), scale);
}

TEST_CASE("persistent_tiles.tile takes each tile exactly once", "[examples][ANC-ONCE]") {
  Example persistent("persistent_tiles");
  // Tiles of 16: 11 x 3 leaves a group of 3 rows after one of 8; other counts of groups and workers' turns.
  const Shape tilings[] = {{11 * 16, 3 * 16, 5}, {170, 40, 33}, {16, 16, 16}, {8 * 16, 32, 1}, {9 * 16, 1, 3},
                           {17 * 16, 5 * 16, 2}, {1, 100, 0},   {0, 20, 4},   {20, 0, 4}};
  for (const auto &[M, N, K] : tilings) {
    INFO("M=" << M << " N=" << N << " K=" << K);
    auto a = whole<float>({M, K}, 1, 9), b = whole<float>({K, N}, 2, 9), c = output<float>({M, N});
    auto visits = output<std::int32_t>({(M + 15) / 16, (N + 15) / 16});
    persistent.run(a, b, c, visits);
    CHECK(visits.values == std::vector<std::int32_t>(visits.values.size(), 1));
    Comparison comparison; // sums of at most 33 products below 82: exact
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < K; ++k) sum += double(a(i, k)) * b(k, j);
        comparison.element(comparison.count(), c(i, j), sum);
      }
    CHECK(comparison.fault() == "");
  }
}
