// SPDX-License-Identifier: Apache-2.0
// flash_attention.tile against attention computed with all scores of a row at hand.
#include "tests/examples/example.h"

using namespace tilenest::examples;

namespace {


struct Attention {
  Array<float> q, k, v, o;
  Attention(Array<float> queries, Array<float> keys, Array<float> values)
      : q(std::move(queries)), k(std::move(keys)), v(std::move(values)), o(output<float>(q.shape)) {
    static Example example("flash_attention");
    example.run(q, k, v, o);
  }
  Attention(int heads, int length, int width, std::uint64_t seed, float scale)
      : Attention(scaled(uniform({heads, length, width}, seed), scale), uniform({heads, length, width}, seed + 1),
                  uniform({heads, length, width}, seed + 2)) {}
  static Array<float> scaled(Array<float> a, float scale) {
    for (float &x : a.values) x *= scale;
    return a;
  }
  void check() const {
    Comparison comparison;
    for (std::int64_t h = 0; h < q.shape[0]; ++h)
      for (std::int64_t i = 0; i < q.shape[1]; ++i) row(h, i, comparison);
    CHECK(comparison.fault() == "");
    CHECK(comparison.count() == o.values.size());
  }
  void row(std::int64_t h, std::int64_t i, Comparison &comparison) const {
    const std::int64_t width = q.shape[2];
    const double scale = 1 / std::sqrt(static_cast<double>(width));
    const double keys = static_cast<double>(i + 1), blocks = std::floor(static_cast<double>(i) / 32) + 1;
    std::vector<double> score(static_cast<std::size_t>(i + 1));
    double top = -inf, least = inf, score_error = 0;
    for (std::int64_t j = 0; j <= i; ++j) {
      double s = 0, magnitude = 0;
      for (std::int64_t x = 0; x < width; ++x) {
        s += double(q(h, i, x)) * k(h, j, x);
        magnitude += std::fabs(double(q(h, i, x)) * k(h, j, x));
      }
      score[static_cast<std::size_t>(j)] = s * scale;
      top = std::isnan(s) || std::isnan(top) ? not_a_number : std::fmax(top, s * scale);
      if (std::isinf(s)) continue; // weight 0
      least = std::fmin(least, s * scale);
      // The scale, its product with the query and the dot product; a subnormal product is off by half the smallest.
      score_error = std::fmax(score_error, 1.01 * gamma_n(static_cast<double>(width) + 2) * scale * magnitude +
                                               static_cast<double>(2 * width) * smallest);
    }
    // A weight is exp(s - m) times one exp(m - m') for each block that moved the running maximum, for the computed
    // scores and maxima. In exact arithmetic the exponents telescope to s - (last maximum), and the last maximum cancels
    // between the numerator and the denominator: only the score's own error counts. Each difference is rounded; their
    // magnitudes add up to at most twice the spread of the scores. Then come the roundings of at most blocks + 1
    // exponentials and as many products.
    const double spread = top - least + 2 * score_error;
    const double in_weight = std::expm1(score_error + 2 * spread * unit) + 1.01 * gamma_n(2 * blocks + 2);
    // The sums: an addition per key and per block, in the numerator also a product per key.
    const double in_total = (1 + in_weight) * (1 + gamma_n(keys + blocks)) - 1;
    const double in_product = (1 + in_weight) * (1 + gamma_n(keys + blocks + 1)) - 1;
    const double in_quotient = (1 + in_product) * (1 + unit) / (1 - in_total) - 1 + gamma_n(keys + static_cast<double>(width), unit64);
    double total = 0;
    for (double s : score) total += std::exp(s - top);
    for (std::int64_t x = 0; x < width; ++x) {
      double sum = 0, magnitude = 0, greatest = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        const double term = std::exp(score[static_cast<std::size_t>(j)] - top) * v(h, j, x);
        sum += term;
        magnitude += std::fabs(term);
        greatest = std::fmax(greatest, std::fabs(v(h, j, x)));
      }
      // The greatest score has weight 1, so total >= 1; weights and products may be subnormal.
      comparison.element(comparison.count(), o(h, i, x), sum / total,
                         in_quotient * magnitude / total + 4 * keys * blocks * smallest * (1 + greatest));
    }
  }
};

} // namespace

TEST_CASE("flash_attention.tile on ragged lengths", "[examples][IDX-PRED]") {
  for (int length : {32, 64, 1, 2, 31, 33, 100, 0})
    for (int width : {64, 1, 20, 0})
      for (int heads : {1, 3}) {
        INFO("H=" << heads << " S=" << length << " D=" << width);
        Attention(heads, length, width, 7, 1).check();
      }
  Attention(2, 97, 16, 11, 40).check(); // scores far apart: weights that vanish, a maximum that moves
  Attention(0, 33, 8, 12, 1).check();
}

TEST_CASE("flash_attention.tile of equal scores is the mean of what is visible", "[examples]") {
  // Whole numbers: the numerator is exact, and so is the number of keys; one rounding remains.
  const int length = 70, width = 5;
  const Attention a(filled<float>({1, length, width}, 0), uniform({1, length, width}, 3), whole<float>({1, length, width}, 4, 99));
  for (int x = 0; x < width; ++x) {
    double sum = 0;
    for (int i = 0; i < length; ++i) {
      sum += a.v(0, i, x);
      REQUIRE(a.o(0, i, x) == static_cast<float>(sum) / static_cast<float>(i + 1));
    }
  }
}

TEST_CASE("flash_attention.tile: what comes later reaches no earlier row", "[examples][IDX-PRED]") {
  const int length = 66, width = 8;
  for (int at : {0, 1, 31, 32, 40, 65}) {
    auto q = uniform({2, length, width}, 21), k = uniform({2, length, width}, 22), v = uniform({2, length, width}, 23);
    const Attention clean(q, k, v);
    v(0, at, 3) = not_a_number;
    k(1, at, 0) = inf;
    const Attention marked(q, k, v);
    marked.check();
    for (int i = 0; i < length; ++i)
      for (int x = 0; x < width; ++x) {
        if (i < at || x != 3) REQUIRE(marked.o(0, i, x) == clean.o(0, i, x));
        else REQUIRE(std::isnan(marked.o(0, i, x)));
        if (i < at) REQUIRE(marked.o(1, i, x) == clean.o(1, i, x));
      }
  }
}
