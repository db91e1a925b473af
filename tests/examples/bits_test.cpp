// SPDX-License-Identifier: Apache-2.0
// assemble_tile.tile, histogram.tile and neighbour_exchange.tile: results that are exact.
#include "tests/examples/example.h"
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

using namespace tilenest::examples;

TEST_CASE("assemble_tile.tile moves bits", "[examples][UPD-JOIN]") {
  using Shape = std::array<int, 2>;
  for (const auto &[M, N] : {Shape{16, 16}, {32, 48}, {17, 15}, {45, 70}, {1, 1}, {1, 30}, {9, 1}, {0, 4}, {4, 0}}) {
    INFO("M=" << M << " N=" << N);
    auto a = uniform({M, N}, 1);
    if (M * N > 100) {
      a(0, 8) = std::bit_cast<float>(0x7fa01234u); // a signalling NaN and its payload
      a(8, 0) = std::bit_cast<float>(0xffc00abcu);
      a(1, 1) = -0.0f;
      a(2, 1) = 0x1p-149f;
    }
    auto b = output<float>({N, M});
    Example("assemble_tile").run(a, b);
    int wrong = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) wrong += std::bit_cast<std::uint32_t>(b(j, i)) != std::bit_cast<std::uint32_t>(a(i, j));
    CHECK(wrong == 0);
  }
}

TEST_CASE("histogram.tile counts every value once", "[examples]") {
  Example histogram("histogram");
  for (int n : {64, 640, 1, 63, 65, 1000, 0})
    for (int bins : {64, 1, 7, 100, 0}) {
      INFO("N=" << n << " B=" << bins);
      // From -9 to 9, some of them far out: what is no bin is not counted.
      auto data = whole<std::int32_t>({n}, static_cast<std::uint64_t>(n), 9);
      if (n > 20) {
        data(3) = std::numeric_limits<std::int32_t>::max();
        data(4) = std::numeric_limits<std::int32_t>::min();
        data(5) = bins;
        data(6) = bins - 1;
      }
      auto counts = output<std::int32_t>({bins});
      histogram.run(data, counts);
      std::vector<std::int32_t> expected(static_cast<std::size_t>(bins));
      for (std::int32_t v : data.values)
        if (v >= 0 && v < bins) ++expected[static_cast<std::size_t>(v)];
      CHECK(counts.values == expected);
    }
}

TEST_CASE("neighbour_exchange.tile sorts", "[examples][SYNC][MEM-OWN]") {
  Example exchange("neighbour_exchange");
  for (int rows : {1, 3, 0})
    for (int n : {16, 32, 1, 2, 3, 15, 33, 0}) {
      INFO("M=" << rows << " N=" << n);
      auto x = whole<std::int32_t>({rows, n}, static_cast<std::uint64_t>(n), 20);
      if (n > 4 && rows > 0) {
        x(0, 0) = std::numeric_limits<std::int32_t>::max();
        x(0, 3) = std::numeric_limits<std::int32_t>::min();
        for (int i = 0; i < n; ++i) x(rows - 1, i) = n - i; // the farthest way for every key
      }
      auto y = output<std::int32_t>({rows, n});
      exchange.run(x, y);
      for (int r = 0; r < rows; ++r) std::sort(x.values.begin() + r * n, x.values.begin() + (r + 1) * n);
      CHECK(y.values == x.values);
    }
}
