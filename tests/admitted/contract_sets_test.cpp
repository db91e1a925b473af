// SPDX-License-Identifier: Apache-2.0
// Enclosures of `welford` and `logsumexp` worked out by hand, what refuses results of layer_norm that are wrong, and
// which bodies, seeds and targets have none.
#include "semantics/numerics/literals.h"
#include "tests/admitted/launch.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

std::string moments(const std::string &body, const std::string &seed = "n = f32(0); mean = f32(0); m2 = f32(0)") {
  return "kernel k(X: f32[N], Y: out f32[3]) {\n  axis r = N\n  " + seed + "\n  reduce j in [r] with welford(n, mean, m2) {\n    x = X[j.r]\n    " + body +
         "\n  }\n  Y(0).store(n); Y(1).store(mean); Y(2).store(m2)\n}\n";
}
const std::string one_by_one = "n = n + 1; d = x - mean; mean = mean + d / n; m2 = m2 + d * (x - mean)";

std::string exponentials(const std::string &body) {
  return "kernel k(X: f32[N], Y: out f32[2]) {\n  axis r = N\n  m = f32(-inf); l = f32(0)\n  reduce j in [r] with logsumexp(m, l) {\n    x = X[j.r]\n    top = max(m, x)\n    " +
         body + "\n    m = top\n  }\n  Y(0).store(m); Y(1).store(l)\n}\n";
}
const std::string guarded = "l = l * ite(m == top, 1, exp(m - top)) + ite(x == top, 1, exp(x - top))";
const std::string plain = "l = l * exp(m - top) + exp(x - top)";

Values the(std::vector<double> x) {
  return [x](const std::string &, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
}

std::vector<Enclosure> sets(const std::string &text, const std::vector<double> &x, const TargetProfile *target = nullptr) {
  const Launch launch(text, {{"N", static_cast<std::int64_t>(x.size())}}, the(x));
  const AdmittedResults r = launch.admitted(target);
  CHECK(r.undecided.empty());
  return r.outputs.at(0).sets;
}

double low(const Enclosure &e) { return value_as_f64(ScalarType::f32, e.low); }
double high(const Enclosure &e) { return value_as_f64(ScalarType::f32, e.high); }
Enclosure point(double v) { return Enclosure::of(ScalarType::f32, *literal_bits(v, ScalarType::f32)); }

} // namespace

TEST_CASE("contracts: two values under welford", "[ADM-SET]") {
  // 0 and 1: one merge, u = 2^-24, A = R = 1: the mean 1/2 +- 4 u to first order, its square's deviations 1/2 with
  // E = 4 u, S = 1/2: 6 u / 2 + 4 E sqrt(1/2 * 1/2) + 2 u / 2 = 12 u.
  const std::vector<Enclosure> s = sets(moments(one_by_one), {0, 1});
  constexpr double u = 0x1p-24;
  CHECK(s[0] == point(2));
  CHECK(low(s[1]) == 0.5 - 4 * u); // the next element below is 4.5 u away
  CHECK(high(s[1]) == 0.5 + 4 * u);
  CHECK(std::fabs(low(s[2]) - (0.5 - 12 * u)) <= u);
  CHECK(std::fabs(high(s[2]) - (0.5 + 12 * u)) <= 2 * u);
}

TEST_CASE("contracts: values that are alike leave no room", "[ADM-SET]") {
  const std::vector<Enclosure> w = sets(moments(one_by_one), std::vector<double>(50, 0.1f));
  CHECK(w[1] == point(0.1f));
  CHECK(w[2].is_point() == false); // of either sign
  CHECK(low(w[2]) == 0);
  CHECK(high(w[2]) == 0);
  const std::vector<Enclosure> l = sets(exponentials(guarded), std::vector<double>(50, 0.1f));
  CHECK(l[0] == point(0.1f));
  CHECK(l[1] == point(50));
}

TEST_CASE("contracts: logsumexp of two values", "[ADM-SET]") {
  // 0 and -1: 1 + exp(-1); one merge with an exponential, a product, a sum and the rounding of a distance: 3 u e^-1 +
  // u (1 + e^-1) at most, which the bound has as 3 u (1 + e^-1) + u e^-1.
  const std::vector<Enclosure> s = sets(exponentials(guarded), {0, -1});
  const double e = std::exp(-1.0), u = 0x1p-24, bound = 3 * u * (1 + e) + u * e;
  CHECK(s[0] == point(0));
  CHECK(low(s[1]) >= 1 + e - bound * 1.001);
  CHECK(low(s[1]) < 1 + e - bound + 2.001 * u);
  CHECK(high(s[1]) <= 1 + e + bound * 1.001);
  CHECK(high(s[1]) > 1 + e + bound - 2.001 * u);
}

TEST_CASE("contracts: logsumexp of tiles", "[ADM-SET]") {
  const auto kernel = [](const std::string &body) {
    return "kernel k(X: f32[M, N], Y: out f32[M, 2]) {\n  axis row = M, r = ceil_div(N, 4), b = 4, i = M\n  m = broadcast(f32(-inf), [row]); l = broadcast(f32(0), [row])\n" +
           std::string("  reduce j in [r] with logsumexp(m, l) {\n    first = j.r * 4\n    x = X[(0, first), [row, b where first + b < N]]\n    ") + body +
           "\n  }\n  Y((0, 0), [row, _]).store(m); Y((0, 1), [row, _]).store(l)\n}\n";
  };
  const std::string body = "top = max(m, reduce_max(x, b)); l = l * exp(m - top) + sum(exp(x - top), b); m = top";
  constexpr std::int64_t rows = 3, columns = 10;
  const Launch launch(kernel(body), {{"M", rows}, {"N", columns}}, uniform);
  const AdmittedResults r = launch.admitted();
  REQUIRE(r.undecided.empty());
  for (std::int64_t row = 0; row < rows; ++row) {
    double top = -HUGE_VAL, sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) top = std::max(top, uniform("X", row * columns + i));
    for (std::int64_t i = 0; i < columns; ++i) sum += std::exp(uniform("X", row * columns + i) - top);
    const Enclosure m = r.outputs[0].sets[static_cast<std::size_t>(2 * row)], l = r.outputs[0].sets[static_cast<std::size_t>(2 * row + 1)];
    CHECK(m == point(top));
    CHECK(low(l) < sum);
    CHECK(high(l) > sum);
    // 3 leaves, blocks of 4: 3 exponentials, 2 * 2 + 4 other roundings, distances of at most 2 in all.
    CHECK(high(l) - low(l) < 2 * sum * 0x1p-24 * (3 + 8 + 2));
    CHECK(high(l) - low(l) > 2 * sum * 0x1p-24 * (3 + 8 - 2));
  }
  // The greatest of other terms, sums of other dims, terms that depend on a state.
  const auto decided = [&](const std::string &text) { return Launch(text, {{"M", rows}, {"N", columns}}, uniform).admitted().undecided.empty(); };
  CHECK_FALSE(decided(kernel("top = max(m, reduce_max(x + 1, b)); l = l * exp(m - top) + sum(exp(x - top), b); m = top")));
  CHECK_FALSE(decided(kernel("top = max(m, reduce_max(x, b)); l = l * exp(m - top) + sum(exp(x - top) * 2, b); m = top")));
  CHECK_FALSE(decided(kernel("top = max(m, reduce_max(x, b)); l = l * exp(m - top) + prod(exp(x - top), b); m = top")));
}

TEST_CASE("contracts: NaN, infinities and overflow", "[ADM-SET]") {
  const Enclosure any = Enclosure::everything(ScalarType::f32);
  const auto is_any = [&](Enclosure e) { return e.origin = 0, e == any; };
  const double inf = HUGE_VAL;
  std::vector<Enclosure> s = sets(moments(one_by_one), {1, NAN, 2});
  CHECK(s[0] == point(3));
  CHECK(s[1] == Enclosure::not_a_number());
  CHECK(s[2] == Enclosure::not_a_number());
  s = sets(moments(one_by_one), {1, inf, 2});
  CHECK(is_any(s[1]));
  CHECK(is_any(s[2]));
  s = sets(moments(one_by_one), {1e30, -1e30, 2}); // squares overflow, the mean does not
  CHECK(high(s[1]) < 1e25);
  CHECK(is_any(s[2]));
  s = sets(moments(one_by_one), {3e38, -3e38, 2});
  CHECK(is_any(s[1]));

  s = sets(exponentials(guarded), {1, -inf, 1});
  CHECK(s[0] == point(1));
  CHECK(s[1].contains(ScalarType::f32, point(2).low));
  CHECK(high(s[1]) < 2.00001);
  s = sets(exponentials(guarded), {-inf, -inf, -inf});
  CHECK(s[1] == point(3));
  s = sets(exponentials(guarded), {5, inf, inf});
  CHECK(s[0] == point(inf));
  CHECK(low(s[1]) <= 2);
  CHECK(high(s[1]) >= 2);
  CHECK(high(s[1]) < 2.00001);
  CHECK(is_any(sets(exponentials(plain), {1, -inf, 1})[1])); // exp(-inf - -inf) where -inf comes first
  s = sets(exponentials(guarded), {1, NAN, 1});
  CHECK(s[0] == Enclosure::not_a_number());
  CHECK(s[1] == Enclosure::not_a_number());
  s = sets(exponentials(plain), {0, -80, -200}); // what underflows
  CHECK(low(s[1]) < 1);
  CHECK(high(s[1]) < 1 + 0x1p-20);
}

TEST_CASE("contracts: other bodies, seeds and declared arithmetic are undecided", "[ADM-CHECK]") {
  const auto undecided = [](const std::string &text, const TargetProfile *target = nullptr) {
    const Launch launch(text, {{"N", 20}}, uniform);
    const AdmittedResults r = launch.admitted(target);
    return r.undecided.empty() ? std::string() : r.undecided[0].what;
  };
  const std::string none = "no enclosure is known for the trees of the contract `welford` with ";
  const std::string body = none + "this body", counts = none + "this seed or these counts", declared = none + "the arithmetic that the target declares";
  CHECK(undecided(moments(one_by_one)).empty());
  // The mean from the two sums; a difference taken the other way; a step under a condition; n that is no count.
  CHECK(undecided(moments("total = n * mean + x; d = x - mean; m2 = m2 + d * d * n / (n + 1); n = n + 1; mean = total / n")) == body);
  CHECK(undecided(moments("n = n + 1; d = mean - x; mean = mean - d / n; m2 = m2 + d * (mean - x)")) == body);
  CHECK(undecided(moments("if j.r < 5 { n = n + 1; d = x - mean; mean = mean + d / n; m2 = m2 + d * (x - mean) }")) == body);
  CHECK(undecided(moments("c = x * x + 1; d = x - mean; share = c / (n + c); m2 = m2 + d * d * share * n; mean = mean + d * share; n = n + c")) == counts);
  CHECK(undecided(moments(one_by_one, "n = f32(0); mean = f32(1); m2 = f32(0)")) == counts);
  CHECK(undecided(moments(one_by_one, "n = f32(0.5); mean = f32(1); m2 = f32(0)")) == counts);
  CHECK(undecided(moments(one_by_one, "n = f32(2); mean = f32(1); m2 = f32(0.5)")).empty());

  const auto target = [](const std::string &f32) {
    const Result<TargetProfile> t = parse_target_profile(R"({"profile": "t", "types": {"f32": )" + f32 + "}}", "t.json");
    REQUIRE(t.ok());
    return *t;
  };
  const TargetProfile division = target(R"({"errors": {"div": {"ulps": 2}}})"), flush = target(R"({"flushes_subnormals": true})"),
                      exponential = target(R"({"errors": {"exp": {"ulps": 3}}})");
  CHECK(undecided(moments(one_by_one), &division) == declared);
  CHECK(undecided(moments(one_by_one), &flush) == declared);
  CHECK(undecided(moments(one_by_one), &exponential).empty());
  CHECK(undecided(exponentials(guarded), &exponential).empty());
  const Enclosure exact = sets(exponentials(guarded), {0, -1, -2})[1], wider = sets(exponentials(guarded), {0, -1, -2}, &exponential)[1];
  CHECK(high(wider) - low(wider) > 2 * (high(exact) - low(exact)));
}

TEST_CASE("contracts: layer_norm refuses a term that is dropped or doubled, and sums in bf16", "[ADM-CHECK]") {
  constexpr std::int64_t rows = 3, columns = 200;
  const auto input = [](const std::string &a, std::int64_t i) { return a == "gain" ? 1.0 : a == "shift" ? 0.0 : uniform(a, i) + 0.25; };
  const Launch launch(example_text("layer_norm"), {{"M", rows}, {"N", columns}}, input);
  // As another engine might: `weight` says how often an element counts in the statistics.
  const auto result = [&](auto weight, auto rounded) {
    std::vector<float> out;
    for (std::int64_t m = 0; m < rows; ++m) {
      double n = 0, sum = 0, squares = 0;
      const auto x = [&](std::int64_t i) { return input("X", m * columns + i); };
      for (std::int64_t i = 0; i < columns; ++i) n += weight(i), sum = rounded(sum + weight(i) * x(i));
      const double mean = rounded(sum / n);
      for (std::int64_t i = 0; i < columns; ++i) squares = rounded(squares + weight(i) * (x(i) - mean) * (x(i) - mean));
      for (std::int64_t i = 0; i < columns; ++i) out.push_back(static_cast<float>((x(i) - mean) / std::sqrt(squares / n + 1e-5)));
    }
    return out;
  };
  const auto verdict = [&](const std::vector<float> &y) { return launch.judge("Y", y).outputs.at(0).verdict; };
  const auto exact = [](double v) { return v; };
  CHECK(verdict(result([](std::int64_t) { return 1.0; }, exact)) == Verdict::within);
  CHECK(verdict(result([](std::int64_t i) { return i == 77 ? 0.0 : 1.0; }, exact)) == Verdict::outside);
  CHECK(verdict(result([](std::int64_t i) { return i == 77 ? 2.0 : 1.0; }, exact)) == Verdict::outside);
  CHECK(verdict(result([](std::int64_t) { return 1.0; },
                       [](double v) { return value_as_f64(ScalarType::bf16, *literal_bits(v, ScalarType::bf16)); })) == Verdict::outside);
  // The sample variance in place of that of the population.
  std::vector<float> other = result([](std::int64_t) { return 1.0; }, exact);
  for (float &y : other) y *= std::sqrt(199.f / 200);
  CHECK(verdict(other) == Verdict::outside);
}
