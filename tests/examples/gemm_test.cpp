// SPDX-License-Identifier: Apache-2.0
// The three products: the plain one, through explicit memories, with the accumulator of the outer nest.
#include "tests/examples/example.h"
#include <array>

using namespace tilenest::examples;

namespace {

using Shape = std::array<int, 3>; // M, N, K
// Whole tiles, ragged ones, single rows and columns, empty extents.
const Shape shapes[] = {{32, 32, 16}, {64, 32, 48}, {45, 70, 33}, {31, 33, 15}, {33, 31, 17}, {1, 1, 1}, {1, 40, 3},
                        {40, 1, 100}, {2, 3, 0},    {0, 5, 7},    {5, 0, 7},    {0, 0, 0}};

struct Product {
  Array<float> a, b, c;
  Product(Example &gemm, Array<float> left, Array<float> right)
      : a(std::move(left)), b(std::move(right)), c(output<float>({a.shape[0], b.shape[1]})) {
    gemm.run(a, b, c);
  }
  // With `exact` the products and every sum of them must be representable.
  void check(bool exact) const {
    Comparison comparison;
    for (std::int64_t i = 0; i < c.shape[0]; ++i)
      for (std::int64_t j = 0; j < c.shape[1]; ++j) {
        double sum = 0, magnitude = 0;
        for (std::int64_t k = 0; k < a.shape[1]; ++k) {
          sum += double(a(i, k)) * b(k, j);
          magnitude += std::fabs(double(a(i, k)) * b(k, j));
        }
        comparison.element(comparison.count(), c(i, j), sum,
                           exact ? 0 : dot_bound(static_cast<double>(a.shape[1]), magnitude));
      }
    CHECK(comparison.fault() == "");
    CHECK(comparison.count() == c.values.size());
  }
};

void check_all(Example gemm) {
  for (const auto &[M, N, K] : shapes) {
    INFO("M=" << M << " N=" << N << " K=" << K);
    Product(gemm, uniform({M, K}, 1), uniform({K, N}, 2)).check(false);
    // At most 100 products of magnitude at most 15^2: every partial sum is a whole number below 2^24.
    Product(gemm, whole<float>({M, K}, 3, 15), whole<float>({K, N}, 4, 15)).check(true);
  }
  // A special value stays in its row or column of C, and what pads the last tiles adds nothing.
  auto a = whole<float>({35, 18}, 5, 9), b = whole<float>({18, 34}, 6, 9);
  a(0, 17) = inf;
  a(1, 0) = not_a_number;
  a(33, 3) = -inf;
  b(17, 33) = 0; // inf * 0 is NaN
  b(4, 2) = not_a_number;
  b(5, 32) = inf;
  Product(gemm, a, b).check(true);
}

} // namespace

TEST_CASE("gemm.tile", "[examples]") { check_all(Example("gemm")); }

TEST_CASE("gemm_memories.tile", "[examples][MEM-OWN][SYNC]") { check_all(Example("gemm_memories")); }

TEST_CASE("gemm_outer_accumulator.tile: lanes do not multiply the update", "[examples][ANC-LEAST]") {
  Example gemm("gemm_outer_accumulator",
               "T0801 this update of `acc` is lifted out of `lane`: it happens once for all of its instances\n");
  const tilenest::TileProgram &p = gemm.program();
  int updates = 0;
  for (const tilenest::Op &op : p.ops)
    if (op.kind == tilenest::OpKind::mma) {
      ++updates;
      CHECK(p.levels[op.anchor].name == "nest");
      CHECK(p.levels[op.frontier].name == "lane");
    }
  CHECK(updates == 1);
  check_all(gemm);
}
