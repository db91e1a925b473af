// SPDX-License-Identifier: Apache-2.0
// Normalisations in f64 against plain loops in long double. Bounds count rounding errors: a sum of n terms errs by at
// most (n - 1) u times the sum of magnitudes, each other step by u, as does each function of <cmath>.
#include "tests/library/rows.h"

using namespace tilenest;
using Long = long double;

namespace {

constexpr double u = 0x1p-53;

Long mean_of(const Rows<double> &x, std::int64_t i) {
  Long s = 0;
  for (std::int64_t j = 0; j < x.columns; ++j) s += x.at(i, j);
  return s / static_cast<Long>(x.columns);
}
Long variance_of(const Rows<double> &x, std::int64_t i, std::int64_t correction) {
  const Long m = mean_of(x, i);
  Long s = 0;
  for (std::int64_t j = 0; j < x.columns; ++j) s += (x.at(i, j) - m) * (x.at(i, j) - m);
  return s / static_cast<Long>(x.columns - correction);
}
Long logsumexp_of(const Rows<double> &x, std::int64_t i) {
  Long top = -infinity, s = 0;
  for (std::int64_t j = 0; j < x.columns; ++j) top = std::max<Long>(top, x.at(i, j));
  for (std::int64_t j = 0; j < x.columns; ++j) s += std::exp(x.at(i, j) - top);
  return top + std::log(s);
}
double greatest(const Rows<double> &x) {
  double m = 0;
  for (double v : x.values) m = std::max(m, std::fabs(v));
  return m;
}

// Each element within `bound` of `expected(i, j)`; both are told the row and the column.
template <class F> void compare(const TileRun &run, const Rows<double> &x, std::int64_t columns, double bound, F &&expected) {
  REQUIRE(run.codes() == "");
  const std::vector<double> y = run.get<double>("Y");
  REQUIRE(static_cast<std::int64_t>(y.size()) == x.rows * columns);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      INFO("element " << i << ", " << j);
      CHECK(std::fabs(static_cast<double>(y[static_cast<std::size_t>(i * columns + j)] - expected(i, j))) <= bound);
    }
}

const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 1}, {3, 7}, {5, 64}, {2, 133}, {0, 4}};

} // namespace

TEST_CASE("softmax, log_softmax and logsumexp of rows", "[library]") {
  for (const auto &[rows, columns] : shapes) {
    const Rows<double> x = scattered<double>(rows, columns, -9, 9);
    const double n = static_cast<double>(columns), m = greatest(x);
    // exp(x - top) errs relatively by (|x - top| + 1) u <= (2 m + 1) u, the sum by n u more, the division by u.
    const double relative = 2 * (2 * m + 2 + n) * u + 2 * u;
    compare(run_rows<double>("softmax(x, n)", x, columns), x, columns, relative,
            [&](auto i, auto j) { return std::exp(x.at(i, j) - logsumexp_of(x, i)); });
    // log(s) of a relative error r errs by r, and by u log(s) itself, then one more addition.
    const double absolute = relative + u * (std::log(n) + 4 * m + std::log(n) + 2);
    compare(run_rows<double>("log_softmax(x, n)", x, columns), x, columns, absolute,
            [&](auto i, auto j) { return x.at(i, j) - logsumexp_of(x, i); });
    compare(run_rows<double>("logsumexp(x, n)", x, -1), x, 1, absolute, [&](auto i, auto) { return logsumexp_of(x, i); });
  }
}

TEST_CASE("logsumexp of special rows", "[library]") {
  const Rows<double> x{5, 2, {-infinity, -infinity, infinity, 1, not_a_number, 1, 1000, 1000, -infinity, 3}};
  const std::vector<double> y = run_rows<double>("logsumexp(x, n)", x, -1).get<double>("Y");
  CHECK(y[0] == -infinity);
  CHECK(y[1] == infinity);
  CHECK(std::isnan(y[2]));
  CHECK(y[3] == 1000 + std::log(2.0)); // exp(0) + exp(0) is exact, the rest is two roundings of exact values
  CHECK(y[4] == 3);
  // No elements: the logarithm of 0.
  CHECK(run_rows<double>("logsumexp(x, n)", Rows<double>{2, 0, {}}, -1).get<double>("Y") == std::vector<double>(2, -infinity));
}

TEST_CASE("mean and variance of rows", "[library]") {
  for (const auto &[rows, columns] : shapes) {
    const Rows<double> x = scattered<double>(rows, columns, 100, 103);
    const double n = static_cast<double>(columns), m = greatest(x);
    const double of_mean = (n + 2) * u * m;
    compare(run_rows<double>("mean(x, n)", x, -1), x, 1, of_mean, [&](auto i, auto) { return mean_of(x, i); });
    // x - mean errs by of_mean + u m; its square, below 3, by twice that times 3, and rounds; sum and division follow.
    for (const std::int64_t correction : {0, 1}) {
      if (columns - correction < 1) continue;
      const double of_squares = 2 * 3.0 * (of_mean + u * m) + 9 * u;
      const double scale = n / (n - static_cast<double>(correction));
      compare(run_rows<double>("variance(x, n, correction = " + std::to_string(correction) + ")", x, -1), x, 1,
              1.01 * scale * (of_squares + (n + 3) * u * 9), [&](auto i, auto) { return variance_of(x, i, correction); });
    }
  }
  // All dims where none is named; exact on small integers.
  const TileRun all = run_tile("kernel k(X: f32[2, 4], Y: out f32[2]) { axis m = 2, n = 4; x = X[(0, 0), [m, n]]; Y(0).store(mean(x)); "
                               "Y(1).store(variance(x)) }",
                               {array("X", {2, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8})});
  CHECK(all.get<float>("Y") == std::vector<float>{4.5f, 5.25f});
  // An empty row has no mean.
  CHECK(std::isnan(run_rows<double>("mean(x, n)", Rows<double>{1, 0, {}}, -1).get<double>("Y")[0]));
}

TEST_CASE("mean counts active points", "[library]") {
  // Columns 0, 1, 2 of each row where j <= i: means 0; 0, 1 -> 0.5; 0, 1, 2 -> 1.
  const TileRun run = run_tile("kernel k(X: f32[3, 3], Y: out f32[3]) { axis m = 3, n = 3; x = X[(0, 0), [m, n where n <= m]]; "
                               "Y((0), [m]).store(mean(x, n)) }",
                               {array("X", {3, 3}, std::vector<float>{0, 1, 2, 0, 1, 2, 0, 1, 2})});
  CHECK(run.codes() == "");
  CHECK(run.get<float>("Y") == std::vector<float>{0, 0.5f, 1});
}

TEST_CASE("layer_norm and rms_norm of rows", "[library]") {
  for (const auto &[rows, columns] : shapes) {
    const Rows<double> x = scattered<double>(rows, columns, -2, 2, 5);
    std::vector<double> w, b;
    for (std::int64_t j = 0; j < columns; ++j) w.push_back(1 + static_cast<double>(j) / 64), b.push_back(static_cast<double>(j % 5) - 2);
    const double n = static_cast<double>(columns);
    // Values are below 2, squares below 16, variance + eps above 1e-2: relative errors of the sum (n + 6) u, halved by
    // the root, and of x - mean (absolute (n + 3) 2 u, times 10 after the division); weights below 4.
    const double bound = 4 * (10 * (n + 3) * 4 * u + 40 * (n + 8) * u * 100) + 8 * 45 * u;
    compare(run_rows<double>("layer_norm(x, n, weight = w, bias = b, eps = 1e-2)", x, columns, w, b), x, columns, bound, [&](auto i, auto j) {
      return (x.at(i, j) - mean_of(x, i)) / std::sqrt(variance_of(x, i, 0) + Long(1e-2)) * w[static_cast<std::size_t>(j)] + b[static_cast<std::size_t>(j)];
    });
    compare(run_rows<double>("rms_norm(x, n, weight = w, eps = 1e-2)", x, columns, w, b), x, columns, bound, [&](auto i, auto j) {
      Long s = 0;
      for (std::int64_t k = 0; k < x.columns; ++k) s += Long(x.at(i, k)) * x.at(i, k);
      return x.at(i, j) / std::sqrt(s / static_cast<Long>(x.columns) + Long(1e-2)) * w[static_cast<std::size_t>(j)];
    });
  }
}

TEST_CASE("narrow floats are computed in f32 and rounded once", "[library]") {
  // 300 times 256 in f16: the sum 76800 is beyond f16, the mean is not; 0x5c00 is 256.
  const TileRun run = run_tile("kernel k(X: f16[300], Y: out f16[1]) { axis n = 300; Y(0).store(mean(X[(0), [n]])) }",
                               {array("X", {300}, std::vector<std::uint16_t>(300, 0x5c00), ScalarType::f16)});
  CHECK(run.codes() == "");
  CHECK(run.get<std::uint16_t>("Y") == std::vector<std::uint16_t>{0x5c00});
}
