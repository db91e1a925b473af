// SPDX-License-Identifier: Apache-2.0
// median_sobel.tile, wavefront.tile and mandelbrot.tile: grids on which every result is exact, or is the same operations
// rounded in the same order.
#include "tests/examples/example.h"
#include <algorithm>
#include <array>

using namespace tilenest::examples;

namespace {

using Shape = std::array<int, 2>;
using Image = Array<std::uint8_t>;

int at(const Image &image, std::int64_t i, std::int64_t j) {
  const bool inside = i >= 0 && j >= 0 && i < image.shape[0] && j < image.shape[1];
  return inside ? image(i, j) : 0;
}

void check_image(Image image) {
  static Example example("median_sobel");
  const std::int64_t height = image.shape[0], width = image.shape[1];
  auto median = output<std::uint8_t>(image.shape), edges = output<std::uint8_t>(image.shape);
  example.run(image, median, edges);
  Image expected = median;
  int wrong = 0;
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      std::vector<int> around;
      for (int di : {-1, 0, 1})
        for (int dj : {-1, 0, 1}) around.push_back(at(image, i + di, j + dj));
      std::sort(around.begin(), around.end());
      expected(i, j) = static_cast<std::uint8_t>(around[4]);
      wrong += median(i, j) != expected(i, j);
    }
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      int gx = 0, gy = 0;
      for (int d : {-1, 0, 1}) {
        const int weight = d == 0 ? 2 : 1;
        gx += weight * (at(expected, i + d, j + 1) - at(expected, i + d, j - 1));
        gy += weight * (at(expected, i + 1, j + d) - at(expected, i - 1, j + d));
      }
      wrong += edges(i, j) != std::min(std::abs(gx) + std::abs(gy), 255);
    }
  CHECK(wrong == 0);
}

Array<float> swept(Array<float> u, int sweeps) {
  const std::int64_t height = u.shape[0], width = u.shape[1];
  auto old = [&](std::int64_t i, std::int64_t j) {
    return i >= 0 && j >= 0 && i < height && j < width ? u(i, j) : 0.0f;
  };
  for (int s = 0; s < sweeps; ++s)
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j)
        u(i, j) = (((old(i - 1, j) + old(i, j - 1)) + old(i, j + 1)) + old(i + 1, j)) * 0.25f;
  return u;
}

} // namespace

TEST_CASE("median_sobel.tile on images of any size", "[examples][BND-ZERO]") {
  for (const auto &[H, W] : {Shape{16, 32}, {32, 64}, {17, 33}, {15, 31}, {1, 1}, {1, 50}, {40, 1}, {2, 2}, {0, 7}, {7, 0}}) {
    INFO("H=" << H << " W=" << W);
    check_image(whole<std::uint8_t>({H, W}, 1, 127));
    auto speckled = filled<std::uint8_t>({H, W}, 100);
    const auto noise = whole<std::uint8_t>({H, W}, 2, 5);
    for (std::size_t i = 0; i < noise.values.size(); ++i)
      if (noise.values[i] == 0) speckled.values[i] = i % 2 == 0 ? 0 : 255;
    check_image(speckled);
  }
  // One speck vanishes; a corner's four neighbours inside are outvoted by the five zeros around it.
  auto image = filled<std::uint8_t>({20, 40}, 7);
  image(9, 9) = 255;
  auto median = output<std::uint8_t>({20, 40}), edges = output<std::uint8_t>({20, 40});
  Example("median_sobel").run(image, median, edges);
  CHECK(median(9, 9) == 7);
  CHECK(median(0, 0) == 0);
  CHECK(median(0, 1) == 7);
  CHECK(edges(9, 9) == 0);
}

TEST_CASE("wavefront.tile is the plain double loop", "[examples][PAR-NI][CTX-SER]") {
  Example wavefront("wavefront");
  for (const auto &[H, W] : {Shape{8, 8}, {7, 20}, {20, 7}, {1, 1}, {1, 30}, {30, 1}, {2, 3}, {0, 5}, {5, 0}, {0, 0}})
    for (int sweeps : {1, 3, 0}) {
      INFO("H=" << H << " W=" << W << " sweeps=" << sweeps);
      wavefront.give("sweeps", sweeps);
      auto u = uniform({H, W}, 3);
      if (H * W > 100) {
        u(6, 4) = inf; // reaches whatever the order of the sweep lets it reach
        u(2, 6) = -0.0f;
        u(3, 3) = 0x1p-149f;
      }
      const auto expected = swept(u, sweeps);
      wavefront.run(u);
      Comparison comparison;
      for (std::size_t i = 0; i < u.values.size(); ++i) comparison.element(i, u.values[i], expected.values[i]);
      CHECK(comparison.fault() == "");
    }
}

TEST_CASE("mandelbrot.tile counts each point's own rounds", "[examples]") {
  Example mandelbrot("mandelbrot");
  for (const auto &[H, W] : {Shape{10, 14}, {1, 1}, {33, 5}, {0, 4}, {4, 0}})
    for (int limit : {60, 1, 0}) {
      INFO("H=" << H << " W=" << W << " limit=" << limit);
      mandelbrot.give("limit", limit);
      auto rounds = output<std::int32_t>({H, W});
      mandelbrot.run(rounds);
      int wrong = 0;
      for (int i = 0; i < H; ++i)
        for (int j = 0; j < W; ++j) {
          const float cx = -2 + 2.5f * static_cast<float>(j) / static_cast<float>(W);
          const float cy = -1.25f + 2.5f * static_cast<float>(i) / static_cast<float>(H);
          float x = 0, y = 0;
          int count = 0;
          for (; count < limit && x * x + y * y <= 4; ++count) {
            const float next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
          }
          wrong += rounds(i, j) != count;
        }
      CHECK(wrong == 0);
    }
  // -2 and 0 never leave; 0.5 + 0i does after five: 0.5, 0.75, 1.0625, 1.62890625, 3.15....
  mandelbrot.give("limit", 50);
  auto rounds = output<std::int32_t>({2, 5});
  mandelbrot.run(rounds);
  CHECK(rounds(1, 0) == 50);
  CHECK(rounds(1, 4) == 50);
}
