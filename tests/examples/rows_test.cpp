// SPDX-License-Identifier: Apache-2.0
// rms_norm.tile and row_statistics.tile against their formulas, row by row.
#include "tests/examples/rounded.h"
#include <array>

using namespace tilenest::examples;

namespace {

using Shape = std::array<int, 2>;
const Shape shapes[] = {{3, 64}, {2, 128}, {1, 1}, {4, 63}, {3, 65}, {2, 200}, {0, 5}, {5, 0}, {1, 1000}};

// A column and a block each add once.
double additions(std::int64_t columns) { return static_cast<double>(columns) + std::ceil(static_cast<double>(columns) / 64); }

void check_rms_norm(Array<float> x, Array<float> gain) {
  static Example example("rms_norm");
  auto y = output<float>(x.shape);
  example.run(x, gain, y);
  const std::int64_t columns = x.shape[1];
  Comparison comparison;
  for (std::int64_t r = 0; r < x.shape[0]; ++r) {
    Sum squares;
    for (std::int64_t c = 0; c < columns; ++c) squares.add(Rounded(x(r, c)) * Rounded(x(r, c)));
    const Rounded scale = rsqrt(squares.total(additions(columns)) / Rounded(static_cast<float>(columns)) + Rounded(1e-5f));
    for (std::int64_t c = 0; c < columns; ++c) {
      const Rounded expected = Rounded(x(r, c)) * scale * Rounded(gain(c));
      comparison.element(comparison.count(), y(r, c), expected.value, expected.error);
    }
  }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == y.values.size());
}

struct Statistics {
  Array<float> mean, variance, least, greatest, norm1, norm2, mse, huber;
  Statistics(Array<float> x, Array<float> target) {
    static Example example("row_statistics");
    for (Array<float> *a : {&mean, &variance, &least, &greatest, &norm1, &norm2, &mse, &huber})
      *a = output<float>({x.shape[0]});
    example.run(x, target, mean, variance, least, greatest, norm1, norm2, mse, huber);
  }
};

// Huber's loss has a slope of at most min(|x|, 1), also across its joint.
Rounded huber(const Rounded &off) {
  if (std::isnan(off.value)) return off;
  const double slope = std::fmin(off.value + off.error, 1);
  if (off.value > 1) return rounded(off.value - 0.5, off.error * slope);
  return rounded(off.value * off.value / 2, off.error * slope);
}

void check_statistics(const Array<float> &x, const Array<float> &target) {
  const Statistics found(x, target);
  const std::int64_t columns = x.shape[1];
  const Rounded count(static_cast<float>(columns));
  Comparison comparison;
  auto hold = [&](double value, const Rounded &expected) {
    comparison.element(comparison.count(), value, expected.value, expected.error);
  };
  for (std::int64_t r = 0; r < x.shape[0]; ++r) {
    Sum total, magnitudes, squares, square_loss, huber_loss, deviations, distances;
    double low = inf, high = -inf;
    for (std::int64_t c = 0; c < columns; ++c) {
      const Rounded value(x(r, c)), off = abs(value - Rounded(target(r, c)));
      total.add(value);
      magnitudes.add(abs(value));
      squares.add(value * value);
      square_loss.add(off * off);
      huber_loss.add(huber(off));
      low = std::isnan(x(r, c)) || std::isnan(low) ? not_a_number : std::fmin(low, x(r, c));
      high = std::isnan(x(r, c)) || std::isnan(high) ? not_a_number : std::fmax(high, x(r, c));
    }
    const double n = additions(columns);
    const Rounded average = total.total(n) / count;
    for (std::int64_t c = 0; c < columns; ++c) {
      const Rounded deviation = rounded(x(r, c) - average.value, 0);
      distances.add(abs(deviation));
      deviations.add(deviation * deviation);
    }
    // The computed mean is off by a constant d. Around the true mean the deviations add up to 0: d adds d * d to each
    // square, and its first order only as far as the n + 4 roundings upset that sum.
    Rounded spread = deviations.total(n);
    const double d = average.error;
    spread.error += 1.01 * (static_cast<double>(columns) * d * d + 2 * d * gamma_n(n + 4) * distances.total(n).value);
    hold(found.mean(r), average);
    hold(found.variance(r), spread / count);
    hold(found.least(r), {low, 0});
    hold(found.greatest(r), {high, 0});
    hold(found.norm1(r), magnitudes.total(n));
    hold(found.norm2(r), sqrt(squares.total(n)));
    hold(found.mse(r), square_loss.total(n) / count);
    hold(found.huber(r), huber_loss.total(n) / count);
  }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == 8 * static_cast<std::size_t>(x.shape[0]));
}

Array<float> scaled(Array<float> a, float scale) {
  for (float &v : a.values) v *= scale;
  return a;
}

} // namespace

TEST_CASE("rms_norm.tile on rows of any width", "[examples][RED-SEED]") {
  for (const auto &[M, N] : shapes)
    for (float scale : {1.0f, 1e-4f, 0.0f, 1e15f}) {
      INFO("M=" << M << " N=" << N << " times " << scale);
      check_rms_norm(scaled(uniform({M, N}, 1), scale), uniform({N}, 2));
    }
  auto x = uniform({4, 67}, 3);
  x(0, 66) = not_a_number; // the whole row
  x(1, 3) = inf;           // itself NaN, the others 0
  x(2, 5) = -0.0f;
  check_rms_norm(x, uniform({67}, 4));
}

TEST_CASE("row_statistics.tile on rows of any width", "[examples][RED-LAW]") {
  for (const auto &[M, N] : shapes)
    for (float scale : {1.0f, 3.0f, 0.0f, 1e-3f}) {
      INFO("M=" << M << " N=" << N << " times " << scale);
      check_statistics(scaled(uniform({M, N}, 5), scale), uniform({M, N}, 6));
    }
  // Far from 0 a variance in one pass would cancel.
  auto x = uniform({2, 150}, 7);
  for (float &v : x.values) v += 1000;
  check_statistics(x, filled<float>({2, 150}, 1000));
  auto special = uniform({4, 66}, 8);
  special(0, 65) = not_a_number;
  special(1, 0) = inf;
  special(2, 64) = -inf;
  check_statistics(special, uniform({4, 66}, 9));
}

TEST_CASE("row_statistics.tile where the results are exact", "[examples]") {
  // 1 to 7: mean 4, variance 28 / 7, sum of squares 140, differences from 4 of 3, 2, 1, 0.
  Array<float> x = filled<float>({1, 7}, 0);
  for (int i = 0; i < 7; ++i) x(0, i) = static_cast<float>(i + 1);
  const Statistics s(x, filled<float>({1, 7}, 4));
  CHECK(s.mean(0) == 4);
  CHECK(s.variance(0) == 4);
  CHECK(s.least(0) == 1);
  CHECK(s.greatest(0) == 7);
  CHECK(s.norm1(0) == 28);
  CHECK(s.norm2(0) == static_cast<float>(std::sqrt(140.0)));
  CHECK(s.mse(0) == 4);
  CHECK(s.huber(0) == static_cast<float>((2 * 2.5 + 2 * 1.5 + 2 * 0.5) / 7));
}
