// SPDX-License-Identifier: Apache-2.0
// lu.tile, fft_256.tile, n_body.tile and black_scholes.tile against their definitions.
#include "tests/examples/rounded.h"
#include <algorithm>
#include <array>
#include <complex>

using namespace tilenest::examples;

namespace {

struct Factors {
  Array<float> lu;
  Array<std::int64_t> order;
  explicit Factors(Array<float> a) : lu(output<float>(a.shape)), order(output<std::int64_t>({a.shape[0], a.shape[1]})) {
    static Example example("lu");
    example.run(a, lu, order);
  }
};

// That order is a permutation, that no factor exceeds 1, and that L U is the permuted matrix: however the sums are
// ordered, |L U - P A| <= gamma_n |L| |U| element by element (Higham, Accuracy and Stability, theorem 9.3).
void check_lu(const Array<float> &a, std::int64_t b, const Factors &found) {
  const std::int64_t n = a.shape[1];
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < n; ++i) rows.push_back(found.order(b, i));
  std::sort(rows.begin(), rows.end());
  for (std::int64_t i = 0; i < n; ++i) REQUIRE(rows[static_cast<std::size_t>(i)] == i);
  Comparison comparison;
  bool small = true;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
        const double term = (k == i ? 1 : double(found.lu(b, i, k))) * found.lu(b, k, j);
        sum += term;
        magnitude += std::fabs(term);
      }
      if (j < i) small = small && std::fabs(found.lu(b, i, j)) <= 1;
      comparison.element(comparison.count(), sum, a(b, found.order(b, i), j),
                         (gamma_n(static_cast<double>(n)) + gamma_n(static_cast<double>(n), unit64)) * magnitude +
                             static_cast<double>(n) * smallest);
    }
  CHECK(comparison.fault() == "");
  CHECK(small);
}

struct Spectrum {
  Array<float> re, im;
  Spectrum(Array<float> x, Array<float> y) : re(output<float>(x.shape)), im(output<float>(x.shape)) {
    static Example example("fft_256");
    example.run(x, y, re, im);
  }
};

void check_fft(const Array<float> &x, const Array<float> &y) {
  const Spectrum found(x, y);
  // A step sends two elements to a + b and (a - b) w: sqrt(2) times a unitary map. Its result is off by at most eta of
  // its norm: one rounding of the sum or difference, the root's own (mu), and sqrt(2) gamma_2 of a complex product
  // (Higham, lemma 3.5). Eight steps: (1 + eta)^8 - 1 of the norm of the result, which is 16 times that of the input.
  const double mu = unit + 8 * unit64;
  const double eta = (1 + unit) * (1 + mu) * (1 + std::sqrt(2.0) * gamma_n(2)) - 1;
  Comparison comparison;
  for (std::int64_t b = 0; b < x.shape[0]; ++b) {
    double norm = 0;
    for (int i = 0; i < 256; ++i) norm += double(x(b, i)) * x(b, i) + double(y(b, i)) * y(b, i);
    const double bound = 16 * std::sqrt(norm) * (std::pow(1 + eta, 8) - 1 + 1024 * unit64);
    for (int f = 0; f < 256; ++f) {
      std::complex<double> sum = 0;
      for (int i = 0; i < 256; ++i)
        sum += std::complex<double>(x(b, i), y(b, i)) * std::polar(1.0, -2 * M_PI * (f * i % 256) / 256);
      comparison.element(comparison.count(), found.re(b, f), sum.real(), bound);
      comparison.element(comparison.count(), found.im(b, f), sum.imag(), bound);
    }
  }
  CHECK(comparison.fault() == "");
}

void check_bodies(Array<float> x, Array<float> y, Array<float> z, Array<float> mass) {
  static Example example("n_body");
  const std::int64_t n = x.shape[0];
  auto ax = output<float>({n}), ay = output<float>({n}), az = output<float>({n});
  example.run(x, y, z, mass, ax, ay, az);
  const double additions = static_cast<double>(n) + std::ceil(static_cast<double>(n) / 32);
  Comparison comparison;
  for (std::int64_t i = 0; i < n; ++i) {
    Sum sx, sy, sz;
    for (std::int64_t j = 0; j < n; ++j) {
      const Rounded dx = Rounded(x(j)) - Rounded(x(i)), dy = Rounded(y(j)) - Rounded(y(i)), dz = Rounded(z(j)) - Rounded(z(i));
      const Rounded inverse = rsqrt(dx * dx + dy * dy + dz * dz + Rounded(0x1p-12f));
      const Rounded pull = Rounded(mass(j)) * (inverse * inverse * inverse);
      sx.add(pull * dx);
      sy.add(pull * dy);
      sz.add(pull * dz);
    }
    const Rounded expected[] = {sx.total(additions), sy.total(additions), sz.total(additions)};
    const float found[] = {ax(i), ay(i), az(i)};
    for (int d = 0; d < 3; ++d) comparison.element(comparison.count(), found[d], expected[d].value, expected[d].error);
  }
  CHECK(comparison.fault() == "");
}

struct Options {
  Array<float> spot, strike, years, rate, volatility;
  void check() {
    static Example example("black_scholes");
    auto call = output<float>(spot.shape), put = output<float>(spot.shape);
    example.run(spot, strike, years, rate, volatility, call, put);
    Comparison comparison;
    for (std::int64_t i = 0; i < spot.shape[0]; ++i) {
      const Rounded s(spot(i)), k(strike(i)), t(years(i)), r(rate(i)), v(volatility(i)), half(0.5f), one(1.0f);
      const Rounded root_half(std::sqrt(0.5), unit); // a constant is rounded to f32
      const Rounded deviation = v * sqrt(t);
      const Rounded d1 = (log(s / k) + (r + half * v * v) * t) / deviation, d2 = d1 - deviation;
      const Rounded below1 = half + half * erf(d1 * root_half), below2 = half + half * erf(d2 * root_half);
      const Rounded discounted = k * exp(-r * t);
      const Rounded c = s * below1 - discounted * below2, p = discounted * (one - below2) - s * (one - below1);
      comparison.element(comparison.count(), call(i), c.value, c.error);
      comparison.element(comparison.count(), put(i), p.value, p.error);
    }
    CHECK(comparison.fault() == "");
  }
};

// Evenly in [low, high].
Array<float> between(float low, float high, int n, std::uint64_t seed) {
  auto a = uniform({n}, seed);
  for (float &v : a.values) v = low + (v + 1) / 2 * (high - low);
  return a;
}

} // namespace

TEST_CASE("lu.tile factors with partial pivoting", "[examples][VAL-CARRY]") {
  for (int n : {1, 2, 3, 8, 17, 32, 0})
    for (int batch : {3, 0}) {
      INFO("N=" << n);
      const auto a = uniform({batch, n, n}, static_cast<std::uint64_t>(n));
      const Factors found(a);
      for (int b = 0; b < batch; ++b) check_lu(a, b, found);
    }
  const Array<float> a{{1, 3, 3}, {2, 1, 1, 4, 3, 3, 8, 7, 9}, true};
  const Factors found(a);
  // By hand: 8 leads; the others keep (1, 1) - (7, 9) / 4 = (-3/4, -5/4) and (3, 3) - (7, 9) / 2 = (-1/2, -3/2), of which
  // -3/4 leads; -1/2 over -3/4 is 2/3.
  CHECK(found.order.values == std::vector<std::int64_t>{2, 0, 1});
  const float two_thirds = 0.5f / 0.75f;
  CHECK(found.lu.values == std::vector<float>{8, 7, 9, 0.25f, -0.75f, -1.25f, 0.5f, two_thirds, -1.5f + two_thirds * 1.25f});
}

TEST_CASE("lu.tile on singular and special matrices", "[examples]") {
  auto a = uniform({4, 5, 5}, 1);
  for (int i = 0; i < 5; ++i) {
    a(0, i, 2) = 0;                                          // a column of zeros
    for (int j = 0; j < 5; ++j) a(1, i, j) = a(2, i, j) = 0; // the zero matrix; a permutation
    a(2, i, (i + 2) % 5) = 1;
  }
  a(3, 4, 1) = not_a_number;
  const Factors found(a);
  for (int b = 0; b < 3; ++b) check_lu(a, b, found);
  for (int i = 0; i < 5; ++i) {
    CHECK(found.order(1, i) == i); // of equals the first
    CHECK(found.order(2, (i + 2) % 5) == i);
    CHECK(found.lu(2, i, i) == 1);
  }
  bool nan = false;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) nan = nan || std::isnan(found.lu(3, i, j));
  CHECK(nan);
}

TEST_CASE("fft_256.tile is the Fourier transform", "[examples]") {
  check_fft(uniform({3, 256}, 1), uniform({3, 256}, 2));
  check_fft(uniform({0, 256}, 1), uniform({0, 256}, 2));
  auto x = filled<float>({2, 256}, 0), y = x;
  x(0, 0) = 3;                               // an impulse has a flat spectrum
  for (int i = 0; i < 256; ++i) y(1, i) = 5; // a constant has one line
  const Spectrum s(x, y);
  for (int f = 0; f < 256; ++f) {
    REQUIRE(s.re(0, f) == 3);
    REQUIRE(s.im(0, f) == 0);
    REQUIRE(s.re(1, f) == 0);
    REQUIRE(s.im(1, f) == (f == 0 ? 1280 : 0));
  }
  x = uniform({2, 256}, 3);
  y = uniform({2, 256}, 4);
  x(0, 77) = not_a_number; // every line of its row, none of the other
  const Spectrum marked(x, y);
  for (int f = 0; f < 256; ++f) {
    REQUIRE(std::isnan(marked.re(0, f)));
    REQUIRE_FALSE(std::isnan(marked.re(1, f)));
  }
}

TEST_CASE("n_body.tile adds up all pairs", "[examples]") {
  for (int n : {32, 64, 1, 2, 31, 33, 100, 0}) {
    INFO("N=" << n);
    check_bodies(uniform({n}, 1), uniform({n}, 2), uniform({n}, 3), uniform({n}, 4));
  }
  // Two at one place do not pull at all; a body without mass is pulled and does not pull.
  Array<float> x{{3}, {1, 1, -1}, true}, y{{3}, {0, 0, 0}, true}, z = y, mass{{3}, {1, 2, 0}, true};
  check_bodies(x, y, z, mass);
  auto ax = output<float>({3}), ay = ax, az = ax;
  Example("n_body").run(x, y, z, mass, ax, ay, az);
  CHECK(ax(0) == 0);
  CHECK(ax(1) == 0);
  CHECK(ax(2) > 0);
  mass(1) = inf;
  check_bodies(x, y, z, mass);
  mass(1) = not_a_number;
  check_bodies(x, y, z, mass);
}

TEST_CASE("black_scholes.tile prices options", "[examples]") {
  for (int n : {64, 1, 63, 65, 200, 0}) {
    INFO("N=" << n);
    Options{between(5, 30, n, 1), between(1, 100, n, 2), between(0.25f, 10, n, 3), between(0, 0.1f, n, 4),
            between(0.05f, 0.6f, n, 5)}
        .check();
  }
  // Far in and far out of the money; a spot and a strike of 0; what is not a number stays at its element.
  Array<float> spot{{6}, {1000, 1, 0, 10, not_a_number, 10}, true}, strike{{6}, {1, 1000, 10, 0, 10, 10}, true};
  Options{spot, strike, filled<float>({6}, 1), filled<float>({6}, 0.03f), filled<float>({6}, 0.2f)}.check();
}
