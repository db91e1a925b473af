// SPDX-License-Identifier: Apache-2.0
// bias_gelu_residual.tile, two_phases.tile and four_regions.tile against their formulas.
#include "tests/examples/example.h"
#include <array>

using namespace tilenest::examples;

namespace {


void check_gelu(Array<float> x, Array<float> bias, Array<float> r) {
  static Example example("bias_gelu_residual");
  Array<float> y = output<float>(x.shape);
  example.run(x, bias, r, y);
  Comparison comparison;
  for (std::int64_t i = 0; i < x.shape[0]; ++i)
    for (std::int64_t j = 0; j < x.shape[1]; ++j) {
      const double t = double(x(i, j)) + bias(j), z = t * std::sqrt(0.5);
      // erfc does not cancel for negative t as 1 + erf would.
      const double gelu = t / 2 * std::erfc(-z), expected = gelu + r(i, j);
      // t is rounded; z from it by a rounded constant and product: 3 u relative, which erf turns into at most
      // 3 u max|z erf'(z)| = 3 u sqrt(2 / (pi e)) < 1.46 u; erf itself u; 1 + erf u of at most 2. Then t / 2 carries
      // t's error, the product and the sum are rounded; 1.01 covers the products of errors.
      const double in_factor = (1.46 + 1) * unit + std::erfc(-z) * unit;
      const double bound = 1.01 * (std::fabs(t) / 2 * in_factor + 2 * unit * std::fabs(gelu) +
                                   unit * std::fabs(expected)) + 4 * smallest;
      comparison.element(comparison.count(), y(i, j), expected, bound);
    }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == y.values.size());
}

} // namespace

TEST_CASE("bias_gelu_residual.tile", "[examples][BCAST]") {
  using Shape = std::array<int, 2>;
  for (const auto &[M, N] : {Shape{16, 64}, {32, 128}, {17, 65}, {15, 63}, {1, 1}, {1, 100}, {40, 1}, {0, 9}, {9, 0}}) {
    INFO("M=" << M << " N=" << N);
    for (float scale : {1.0f, 8.0f, 1e-30f, 1e30f}) {
      auto x = uniform({M, N}, 1), bias = uniform({N}, 2);
      for (float &v : x.values) v *= scale;
      check_gelu(x, bias, uniform({M, N}, 3));
      for (float &v : bias.values) v *= scale;
      check_gelu(x, bias, filled<float>({M, N}, 0));
    }
  }
  auto x = uniform({18, 66}, 4), bias = filled<float>({66}, 0), r = uniform({18, 66}, 5);
  x(0, 0) = not_a_number;
  x(1, 65) = inf;
  x(17, 2) = -inf; // -inf times a factor that is 0: NaN, as in the formula
  r(3, 64) = -inf;
  bias(7) = not_a_number;   // a whole column
  check_gelu(x, bias, r);
}

TEST_CASE("two_phases.tile: the second phase sees all of the first", "[examples][BND-ZERO]") {
  for (int n : {8, 64, 1, 7, 9, 100, 0}) {
    INFO("N=" << n);
    auto x = uniform({n}, 6);
    if (n > 20) {
      x(8) = not_a_number;
      x(15) = inf;
      x(16) = 3e38f; // its square overflows
      x(19) = 1e-30f;
    }
    auto t = output<float>({n}), y = output<float>({n});
    Example("two_phases").run(x, t, y);
    // A product and a difference of two f32 are rounded to f32 once; in f64 the product is exact, the difference
    // rounded so far behind f32's last place that rounding again gives the same (53 >= 2 * 24 + 2).
    Comparison squares, differences;
    float before = 0;
    for (int i = 0; i < n; ++i) {
      const float square = static_cast<float>(double(x(i)) * x(i));
      squares.element(static_cast<std::size_t>(i), t(i), square);
      differences.element(static_cast<std::size_t>(i), y(i), static_cast<float>(double(square) - before));
      before = square;
    }
    CHECK(squares.fault() == "");
    CHECK(differences.fault() == "");
  }
}

TEST_CASE("four_regions.tile: parallel, serial, pipeline and reduce in one", "[examples][CTX-RED]") {
  using Shape = std::array<int, 3>;
  for (const auto &[C, T, K] : {Shape{4, 5, 16}, {3, 7, 19}, {1, 1, 1}, {2, 30, 7}, {5, 4, 0}, {0, 3, 5}, {3, 0, 5}})
    for (bool exact : {false, true}) {
      INFO("C=" << C << " T=" << T << " K=" << K << (exact ? ", whole numbers" : ""));
      // Whole numbers and decays of -1, 0 and 1: at most 30 * 19 * 81 < 2^24.
      auto u = exact ? whole<float>({T, K}, 7, 9) : uniform({T, K}, 7);
      auto w = exact ? whole<float>({C, K}, 8, 9) : uniform({C, K}, 8);
      auto decay = exact ? whole<float>({C}, 9, 1) : uniform({C}, 9);
      auto y = output<float>({C, T});
      Example("four_regions").run(u, w, decay, y);
      Comparison comparison;
      for (int c = 0; c < C; ++c) {
        double state = 0, error = 0;
        for (int t = 0; t < T; ++t) {
          double drive = 0, magnitude = 0;
          for (int k = 0; k < K; ++k) {
            drive += double(w(c, k)) * u(t, k);
            magnitude += std::fabs(double(w(c, k)) * u(t, k));
          }
          // The error before, decayed; the rounded product; the sum of products; the rounded sum of both.
          const double kept = std::fabs(double(decay(c))) * (std::fabs(state) + error);
          const double in_drive = dot_bound(K, magnitude);
          state = decay(c) * state + drive;
          error = std::fabs(double(decay(c))) * error + kept * unit + in_drive;
          error += unit * (std::fabs(state) + error) + smallest;
          comparison.element(comparison.count(), y(c, t), state, exact ? 0 : error);
        }
      }
      CHECK(comparison.fault() == "");
      CHECK(comparison.count() == y.values.size());
    }
}
