// SPDX-License-Identifier: Apache-2.0
// softmax.tile against exp(x - max) / sum of it, row by row.
#include "tests/examples/example.h"

using namespace tilenest::examples;

namespace {


Array<float> softmax(const Array<float> &input) {
  static Example example("softmax");
  Array<float> x = input, y = output<float>(x.shape);
  example.run(x, y);
  return y;
}

void check(const Array<float> &x) {
  const Array<float> y = softmax(x);
  Comparison comparison;
  const std::int64_t columns = x.shape[1];
  const double blocks = std::ceil(static_cast<double>(columns) / 64);
  for (std::int64_t r = 0; r < x.shape[0]; ++r) {
    double top = -inf;
    for (std::int64_t c = 0; c < columns; ++c) top = std::isnan(x(r, c)) || std::isnan(top) ? not_a_number : std::fmax(top, x(r, c));
    // An exponential's argument x - top is rounded once: its relative error is a factor exp(+-|x - top| u), and the
    // exponential is rounded once more. All terms of the sum are positive: its relative error is at most the greatest
    // of theirs, weighted, and that of its own additions, one per column and one per block.
    double sum = 0, sum_error = 0;
    auto relative = [&](double x) { return std::expm1(std::fabs(x - top) * unit) + 1.01 * unit; };
    for (std::int64_t c = 0; c < columns; ++c) {
      const double e = std::exp(x(r, c) - top);
      sum += e;
      if (x(r, c) != -inf) sum_error += e * relative(x(r, c)) + smallest; // exp(-inf) is 0
    }
    const double in_sum = sum_error / sum + 1.01 * gamma_n(static_cast<double>(columns) + blocks);
    for (std::int64_t c = 0; c < columns; ++c) {
      const double expected = std::exp(x(r, c) - top) / sum;
      const double in_quotient = (1 + relative(x(r, c))) * (1 + unit) / (1 - in_sum) - 1 + gamma_n(double(columns) + 4, unit64);
      // Below the normal numbers an exponential and a quotient are rounded to a multiple of the smallest; sum >= 1.
      comparison.element(comparison.count(), y(r, c), expected, expected > 0 ? expected * in_quotient + 2 * smallest : 2 * smallest);
    }
  }
  CHECK(comparison.fault() == "");
}

} // namespace

TEST_CASE("softmax.tile on rows of any width", "[examples][IDX-PRED]") {
  for (int rows : {1, 3, 0})
    for (int columns : {64, 128, 1, 2, 63, 65, 200, 1000, 0}) {
      INFO(rows << " x " << columns);
      auto x = uniform({rows, columns}, static_cast<std::uint64_t>(columns));
      check(x);
      for (float &v : x.values) v *= 50; // down to exp(-100), subnormal in f32
      check(x);
    }
}

TEST_CASE("softmax.tile where the result is exact", "[examples]") {
  // n equal elements give 1 / n, rounded once, whatever they are.
  for (int n : {1, 2, 3, 64, 65, 100})
    for (float value : {0.0f, -0.0f, 7.5f, -3e38f, 3e38f, 0x1p-149f}) {
      const Array<float> y = softmax(filled<float>({2, n}, value));
      for (float v : y.values) REQUIRE(v == 1.0f / static_cast<float>(n));
    }
  // What is far below the greatest has weight 0.
  Array<float> x = filled<float>({1, 70}, -1000);
  x(0, 3) = x(0, 66) = 5;
  const Array<float> y = softmax(x);
  for (int i = 0; i < 70; ++i) REQUIRE(y(0, i) == (i == 3 || i == 66 ? 0.5f : 0.0f));
}

TEST_CASE("softmax.tile on infinities and NaN", "[examples]") {
  Array<float> x = uniform({5, 67}, 9);
  x(0, 66) = not_a_number;                             // a NaN anywhere: the row is NaN
  x(1, 0) = inf;                              // inf - inf
  for (int i = 0; i < 67; ++i) x(2, i) = -inf; // no greatest element: NaN
  x(3, 1) = -inf;                             // weight 0
  x(3, 65) = -inf;
  check(x);
  const Array<float> y = softmax(x);
  for (int i = 0; i < 67; ++i) {
    CHECK(std::isnan(y(0, i)));
    CHECK(std::isnan(y(1, i)));
    CHECK(std::isnan(y(2, i)));
    CHECK(y(4, i) > 0); // and nothing reaches another row
  }
  CHECK(y(3, 1) == 0);
  CHECK(y(3, 65) == 0);
}
