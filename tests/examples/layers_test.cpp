// SPDX-License-Identifier: Apache-2.0
// layer_norm.tile, cross_entropy.tile, conv2d.tile and depthwise_pool.tile: layers of a network against their formulas.
#include "tests/examples/rounded.h"
#include <array>
#include <limits>

using namespace tilenest::examples;

namespace {

using Shape = std::array<int, 2>;
const Shape shapes[] = {{3, 64}, {2, 128}, {2, 1}, {4, 63}, {3, 65}, {2, 200}, {0, 5}, {5, 0}, {1, 1000}};

void check_layer_norm(Array<float> x, Array<float> gain, Array<float> shift) {
  static Example example("layer_norm");
  auto y = output<float>(x.shape);
  example.run(x, gain, shift, y);
  const std::int64_t columns = x.shape[1];
  const double n = static_cast<double>(columns);
  Comparison comparison;
  for (std::int64_t row = 0; row < x.shape[0]; ++row) {
    // How far f32 may go follows the recurrence; the values are those of two passes.
    Rounded mean(0.0f), squares(0.0f);
    for (std::int64_t first = 0; first < columns; first += 64) {
      const std::int64_t end = std::min<std::int64_t>(columns, first + 64);
      const Rounded count(static_cast<float>(end - first));
      Sum sum, deviations;
      for (std::int64_t c = first; c < end; ++c) sum.add(Rounded(x(row, c)));
      const Rounded block_mean = sum.total(64) / count;
      for (std::int64_t c = first; c < end; ++c) {
        const Rounded deviation = Rounded(x(row, c)) - block_mean;
        deviations.add(deviation * deviation);
      }
      const Rounded step = block_mean - mean, share = count / Rounded(static_cast<float>(end));
      squares = squares + deviations.total(64) + step * step * share * Rounded(static_cast<float>(first));
      mean = mean + step * share;
    }
    double total = 0, magnitude = 0, variance = 0;
    for (std::int64_t c = 0; c < columns; ++c) total += x(row, c), magnitude += std::fabs(x(row, c));
    for (std::int64_t c = 0; c < columns; ++c) variance += (x(row, c) - total / n) * (x(row, c) - total / n);
    if (columns > 0 && std::isfinite(total)) {
      const double slack = gamma_n(4 * n, unit64) * magnitude;
      CHECK(std::fabs(mean.value - total / n) <= slack);
      CHECK(std::fabs(squares.value - variance) <= 4 * (slack * magnitude + gamma_n(4 * n, unit64) * variance));
      mean.value = total / n;
      squares.value = variance;
    }
    const Rounded scale = rsqrt(squares / Rounded(static_cast<float>(columns)) + Rounded(1e-5f));
    for (std::int64_t c = 0; c < columns; ++c) {
      const Rounded expected = (Rounded(x(row, c)) - mean) * scale * Rounded(gain(c)) + Rounded(shift(c));
      comparison.element(comparison.count(), y(row, c), expected.value, expected.error);
    }
  }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == y.values.size());
}

void check_cross_entropy(Array<float> logits, Array<std::int32_t> label) {
  static Example example("cross_entropy");
  const std::int64_t rows = logits.shape[0], classes = logits.shape[1];
  auto loss = output<float>({rows}), gradient = output<float>(logits.shape);
  example.run(logits, label, loss, gradient);
  Comparison losses, gradients;
  for (std::int64_t r = 0; r < rows; ++r) {
    float top = -inf;
    for (std::int64_t c = 0; c < classes; ++c)
      top = std::isnan(logits(r, c)) || std::isnan(top) ? not_a_number : std::fmax(top, logits(r, c));
    Sum sum;
    for (std::int64_t c = 0; c < classes; ++c) sum.add(exp(Rounded(logits(r, c)) - Rounded(top)));
    const Rounded total = sum.total(static_cast<double>(classes) + std::ceil(static_cast<double>(classes) / 64));
    const bool counts = label(r) >= 0 && label(r) < classes;
    const Rounded expected = counts ? Rounded(top) - Rounded(logits(r, label(r))) + log(total) : Rounded(0.0f);
    losses.element(losses.count(), loss(r), expected.value, expected.error);
    for (std::int64_t c = 0; c < classes; ++c) {
      const Rounded share = exp(Rounded(logits(r, c)) - Rounded(top)) / total;
      const Rounded slope = counts ? share - Rounded(c == label(r) ? 1.0f : 0.0f) : Rounded(0.0f);
      gradients.element(gradients.count(), gradient(r, c), slope.value, slope.error);
    }
  }
  CHECK(losses.fault() == "");
  CHECK(gradients.fault() == "");
  CHECK(gradients.count() == gradient.values.size());
}

struct Convolution {
  int stride, padding, dilation;
  int size(int input, int filter) const {
    const int reach = input + 2 * padding - dilation * (filter - 1) - 1;
    return reach < 0 ? 0 : reach / stride + 1;
  }
  void check(Array<float> x, Array<float> weight, Array<float> bias, bool exact) const {
    static Example example("conv2d");
    const std::int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
    const std::int64_t filters = weight.shape[0], R = weight.shape[2], S = weight.shape[3];
    const int P = size(static_cast<int>(height), static_cast<int>(R)), Q = size(static_cast<int>(width), static_cast<int>(S));
    auto y = output<float>({x.shape[0], filters, P, Q});
    example.give("stride", stride);
    example.give("padding", padding);
    example.give("dilation", dilation);
    example.run(x, weight, bias, y);
    Comparison comparison;
    for (std::int64_t b = 0; b < x.shape[0]; ++b)
      for (std::int64_t o = 0; o < filters; ++o)
        for (int p = 0; p < P; ++p)
          for (int q = 0; q < Q; ++q) {
            Sum sum;
            for (std::int64_t c = 0; c < channels; ++c)
              for (std::int64_t r = 0; r < R; ++r)
                for (std::int64_t s = 0; s < S; ++s) {
                  const std::int64_t i = p * stride + r * dilation - padding, j = q * stride + s * dilation - padding;
                  const bool inside = i >= 0 && j >= 0 && i < height && j < width;
                  sum.add(Rounded(inside ? x(b, c, i, j) : 0.0f) * Rounded(weight(o, c, r, s)));
                }
            // Padded channels add, too: as many as fill the last block of 8, with products of 0.
            const Rounded expected = sum.total(std::ceil(static_cast<double>(channels) / 8) * 8 * static_cast<double>(R * S)) + Rounded(bias(o));
            comparison.element(comparison.count(), y(b, o, p, q), expected.value, exact ? 0 : expected.error);
          }
    CHECK(comparison.fault() == "");
    CHECK(comparison.count() == y.values.size());
  }
};

void check_depthwise(Array<float> x, Array<float> weight) {
  static Example example("depthwise_pool");
  const std::int64_t height = x.shape[2], width = x.shape[3];
  auto y = output<float>({x.shape[0], x.shape[1], height / 2, width / 2});
  example.run(x, weight, y);
  auto at = [&](std::int64_t b, std::int64_t c, std::int64_t i, std::int64_t j) {
    return i >= 0 && j >= 0 && i < height && j < width ? x(b, c, i, j) : 0.0f;
  };
  Comparison comparison;
  for (std::int64_t b = 0; b < x.shape[0]; ++b)
    for (std::int64_t c = 0; c < x.shape[1]; ++c)
      for (std::int64_t i = 0; i < height / 2; ++i)
        for (std::int64_t j = 0; j < width / 2; ++j) {
          Rounded greatest(-inf);
          for (int corner = 0; corner < 4; ++corner) {
            Sum sum;
            for (int r = 0; r < 3; ++r)
              for (int s = 0; s < 3; ++s)
                sum.add(Rounded(at(b, c, 2 * i + corner / 2 + r - 1, 2 * j + corner % 2 + s - 1)) * Rounded(weight(c, r, s)));
            const Rounded filtered = sum.total(9);
            // The maximum of four is off by no more than the worst of them; NaN stays.
            const bool nan = std::isnan(filtered.value) || std::isnan(greatest.value);
            greatest = {nan ? not_a_number : std::fmax(greatest.value, filtered.value), std::fmax(greatest.error, filtered.error)};
          }
          comparison.element(comparison.count(), y(b, c, i, j), greatest.value, greatest.error);
        }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == y.values.size());
}

} // namespace

TEST_CASE("layer_norm.tile on rows of any width", "[examples][RED-FOLD]") {
  for (const auto &[M, N] : shapes) {
    INFO("M=" << M << " N=" << N);
    auto x = uniform({M, N}, 1);
    check_layer_norm(x, uniform({N}, 2), uniform({N}, 3));
    for (float &v : x.values) v = v * 4 + 100; // where one pass over squares would cancel
    check_layer_norm(x, uniform({N}, 2), uniform({N}, 3));
    check_layer_norm(filled<float>({M, N}, 0), uniform({N}, 2), uniform({N}, 3));
  }
  auto x = uniform({3, 130}, 4);
  x(0, 129) = not_a_number; // the whole row
  x(1, 3) = inf;
  check_layer_norm(x, uniform({130}, 5), uniform({130}, 6));
}

TEST_CASE("cross_entropy.tile and its gradient", "[examples]") {
  for (const auto &[M, C] : shapes)
    for (float scale : {1.0f, 30.0f}) {
      INFO("M=" << M << " C=" << C << " times " << scale);
      auto logits = uniform({M, C}, 1);
      for (float &v : logits.values) v *= scale;
      auto label = whole<std::int32_t>({M}, 2, C > 20 ? C : 2);
      if (M > 1) label(1) = C - 1;
      check_cross_entropy(logits, label);
    }
  auto logits = uniform({6, 67}, 3);
  logits(0, 66) = not_a_number;
  logits(1, 5) = -inf; // impossible: an infinite loss where it is the label, no slope where it is not
  logits(2, 5) = -inf;
  logits(3, 0) = inf;
  Array<std::int32_t> label{{6}, {1, 5, 6, 7, std::numeric_limits<std::int32_t>::min(), 67}, true};
  check_cross_entropy(logits, label);
}

TEST_CASE("conv2d.tile with stride, padding and dilation", "[examples][MMA]") {
  for (const Convolution &k : {Convolution{1, 0, 1}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 2, 2}, {2, 0, 3}})
    for (const auto &[channels, filters] : {Shape{8, 16}, {1, 1}, {9, 17}, {3, 5}, {0, 2}, {2, 0}}) {
      INFO("stride " << k.stride << ", padding " << k.padding << ", dilation " << k.dilation << ", C=" << channels << ", O=" << filters);
      k.check(uniform({2, channels, 9, 11}, 1), uniform({filters, channels, 3, 3}, 2), uniform({filters}, 3), false);
      // At most 81 products below 81 and a bias: exact.
      k.check(whole<float>({1, channels, 7, 20}, 4, 9), whole<float>({filters, channels, 3, 2}, 5, 9), whole<float>({filters}, 6, 9), true);
    }
  Convolution{1, 1, 1}.check(uniform({1, 3, 5, 5}, 7), uniform({2, 3, 1, 5}, 8), uniform({2}, 9), false);
  Convolution{1, 0, 1}.check(uniform({1, 3, 2, 2}, 7), uniform({2, 3, 3, 3}, 8), uniform({2}, 9), false); // no output
  Convolution{1, 1, 1}.check(uniform({0, 3, 5, 5}, 7), uniform({2, 3, 3, 3}, 8), uniform({2}, 9), false);
  auto x = whole<float>({2, 3, 6, 6}, 10, 9); // a special value reaches the pixels whose filter covers it, padding none
  x(0, 1, 2, 3) = not_a_number;
  x(1, 2, 0, 0) = inf;
  Convolution{1, 1, 1}.check(x, whole<float>({2, 3, 3, 3}, 11, 9), filled<float>({2}, 1), true);
}

TEST_CASE("depthwise_pool.tile on images of any size", "[examples]") {
  for (const auto &[H, W] : {Shape{8, 32}, {16, 64}, {9, 33}, {7, 31}, {2, 2}, {1, 1}, {3, 50}, {0, 4}, {4, 0}}) {
    INFO("H=" << H << " W=" << W);
    check_depthwise(uniform({2, 3, H, W}, 1), uniform({3, 3, 3}, 2));
  }
  check_depthwise(uniform({0, 3, 5, 5}, 3), uniform({3, 3, 3}, 4));
  auto x = uniform({1, 2, 10, 10}, 5);
  x(0, 0, 4, 4) = not_a_number;
  x(0, 1, 5, 5) = inf;
  check_depthwise(x, uniform({2, 3, 3}, 6));
}
