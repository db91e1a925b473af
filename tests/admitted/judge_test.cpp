// SPDX-License-Identifier: Apache-2.0
// ADM-CHECK: verdicts on results worked out by hand, with the mistakes that other engines make.
#include "tests/admitted/launch.h"
#include "semantics/numerics/literals.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

const char *dot = R"(kernel dot(A: f32[1, K], B: f32[K, 1], C: out f32[1, 1]) {
  axis m = 1, n = 1, k = K
  C((0, 0), [m, n]).store(mma(A[(0, 0), [m, k]], B[(0, 0), [k, n]], zeros f32 [m, n] POLICY))
})";

std::string dot_with(const std::string &policy) {
  std::string text = dot;
  text.replace(text.find(" POLICY"), 7, policy);
  return text;
}

const char *sum = R"(kernel total(X: f32[N], Y: out f32[1]) {
  axis n = N
  s: f32 = SEED
  reduce i in [n] POLICY { s = s + X[i.n] }
  Y(0).store(s)
})";

std::string sum_with(const std::string &seed, const std::string &policy = "") {
  std::string text = sum;
  text.replace(text.find("SEED"), 4, seed);
  text.replace(text.find("POLICY"), 6, policy);
  return text;
}

Verdict verdict_of(const Launch &launch, const std::string &argument, float result, std::uint64_t enumerate = 0) {
  return launch.judge(argument, std::vector<float>{result}, enumerate).outputs.at(0).verdict;
}

Values list(std::vector<double> x) {
  return [x](const std::string &, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
}

} // namespace

TEST_CASE("judge: a dot product whose set is a point refuses tf32 inputs", "[ADM-CHECK]") {
  const Launch launch(dot_with(""), {{"K", 64}}, [](const std::string &a, std::int64_t) { return a == "A" ? 1 + 0x1p-12 : 1.0; });
  CHECK(verdict_of(launch, "C", 64.015625f) == Verdict::equal);
  CHECK(verdict_of(launch, "C", 64.0f) == Verdict::outside); // 1 + 2^-12 in tf32 is 1
  CHECK(verdict_of(launch, "C", std::nextafter(64.015625f, 65.f)) == Verdict::outside);
  CHECK(verdict_of(launch, "C", NAN) == Verdict::outside);
}

TEST_CASE("judge: whole numbers refuse dropped and doubled terms, a seed counted twice, a bf16 accumulator", "[ADM-CHECK]") {
  // 1 + 2 + ... + 300 = 45150, with a seed of 7.
  const Launch launch(sum_with("7.0"), {{"N", 300}}, [](const std::string &, std::int64_t i) { return static_cast<double>(i + 1); });
  CHECK(verdict_of(launch, "Y", 45157) == Verdict::equal);
  CHECK(verdict_of(launch, "Y", 45150) == Verdict::outside); // no seed
  CHECK(verdict_of(launch, "Y", 45164) == Verdict::outside); // twice
  for (const int term : {1, 150, 300}) {
    CHECK(verdict_of(launch, "Y", static_cast<float>(45157 - term)) == Verdict::outside);
    CHECK(verdict_of(launch, "Y", static_cast<float>(45157 + term)) == Verdict::outside);
  }
  double bf16 = 7;
  for (int i = 1; i <= 300; ++i) bf16 = value_as_f64(ScalarType::bf16, *literal_bits(bf16 + i, ScalarType::bf16));
  CHECK(bf16 != 45157);
  CHECK(verdict_of(launch, "Y", static_cast<float>(bf16)) == Verdict::outside);
}

TEST_CASE("judge: few groupings are enumerated", "[ADM-CHECK][ADM-SET]") {
  // f32 1e8, 1, -1e8, 1, 1, 1: left to right, 1e8 + 1 is 1e8, and 3 is left. (1 + 1) + ... with 1e8 + 2 = 1e8 as well;
  // the unit at 1e8 is 8: four ones together do not survive either, 4 rounds to even, 1e8. So 3, 2, 1, 0 and 4.
  const Launch ordered(sum_with("-0.0", "ordered_tree"), {{"N", 6}}, list({1e8, 1, -1e8, 1, 1, 1}));
  CHECK(verdict_of(ordered, "Y", 3, 100000) == Verdict::member); // one chain
  CHECK(verdict_of(ordered, "Y", 2, 100000) == Verdict::member); // (1e8 + 1) + ((-1e8 + 1) + (1 + 1))
  CHECK(verdict_of(ordered, "Y", 4, 100000) == Verdict::outside); // the exact sum needs 1e8 + -1e8 first, which is no ordered tree
  CHECK(verdict_of(ordered, "Y", 2.5, 100000) == Verdict::outside);
  CHECK(verdict_of(ordered, "Y", 2.5) == Verdict::within); // enclosed: not refuted
  const Launch fold(sum_with("-0.0", "fold_left"), {{"N", 6}}, list({1e8, 1, -1e8, 1, 1, 1}));
  CHECK(verdict_of(fold, "Y", 3) == Verdict::equal); // no freedom
  CHECK(verdict_of(fold, "Y", 2) == Verdict::outside);
}

TEST_CASE("judge: too many groupings to run, but few values of one sum", "[ADM-CHECK][ADM-SET]") {
  // 1e8, 1, -1e8, 1, 1, 1, 1, 1 in any order from no seed: 1e8 takes up to four ones without a change (its unit is 8, and 4 rounds
  // to even), five and six make it 1e8 + 8, and -1e8 into -1e8 + 8. What is left of the ones: 6 - a - b of a with the one and b with the other.
  std::set<float> possible;
  for (int a = 0; a <= 6; ++a)
    for (int b = 0; a + b <= 6; ++b) {
      // The a ones come one by one or in sums: only sums of five or six move 1e8, and they may be kept apart.
      for (const int up : {0, 8})
        for (const int down : {0, 8})
          if ((up == 0 || a >= 5) && (down == 0 || b >= 5)) possible.insert(static_cast<float>(6 - a - b + up + down));
    }
  const Launch launch(sum_with("-0.0"), {{"N", 8}}, list({1e8, 1, -1e8, 1, 1, 1, 1, 1}));
  for (double y = -20; y <= 20; y += 0.5)
    CHECK(verdict_of(launch, "Y", static_cast<float>(y), 4000) == (possible.contains(static_cast<float>(y)) ? Verdict::member : Verdict::outside));
  CHECK(verdict_of(launch, "Y", 2.5) == Verdict::within);

  // Of several elements of one grouping each is held against its own values; which go together is not known.
  const Launch rows(R"(kernel rows(X: f32[2, N], Y: out f32[2, 1]) {
    axis m = 2, n = N, one = 1
    s = full(f32 [m, one], -0.0)
    reduce i in [n] { s = s + X[(0, i.n), [m, one]] }
    Y((0, 0), [m, one]).store(s)
  })", {{"N", 8}}, list({1e8, 1, -1e8, 1, 1, 1, 1, 1, 1, -1e8, 1, 1, 1, 1, 1, 1e8}));
  const auto verdict = [&](std::vector<float> y) { return rows.judge("Y", y, 4000).outputs.at(0); };
  CHECK(verdict({6, 2}).verdict == Verdict::within);
  CHECK(verdict({20, 2}).verdict == Verdict::outside);
  CHECK(verdict({20, 2}).worst->values == possible.size());
  CHECK(verdict({6, 7}).verdict == Verdict::outside);
}

TEST_CASE("judge: enclosures go where broadcasts and transpositions take their elements", "[ADM-CHECK]") {
  // Each row's sum of thirds has a freedom, and goes to all columns of that row, or of that column turned over.
  for (const bool turned : {false, true}) {
    const Launch launch(std::string(R"(kernel spread(X: f32[3, N], Y: out f32[)") + (turned ? "N, 3" : "3, N") + R"(]) {
      axis m = 3, n = N
      s = sum(X[(0, 0), [m, n]], n)
      Y((0, 0), )" + (turned ? "[n, m]).store(transpose(broadcast(s, [m, n]), [n, m]))" : "[m, n]).store(broadcast(s, [m, n]))") + "\n}",
                        {{"N", 40}}, [](const std::string &, std::int64_t i) { return static_cast<double>(i / 40 + 1) / 3; });
    std::vector<float> y;
    for (int i = 0; i < 120; ++i) y.push_back(static_cast<float>((turned ? i % 3 : i / 40) + 1) * 40 / 3);
    const auto verdict = [&](std::vector<float> given) { return launch.judge("Y", given, 0).outputs.at(0).verdict; };
    CHECK(verdict(y) == Verdict::within);
    for (const std::size_t i : {0, 1, 40, 41, 119}) {
      std::vector<float> wrong = y;
      wrong[i] *= 1.001f; // 40 u sum|x| is 2.4e-6 of it
      CHECK(verdict(wrong) == Verdict::outside);
    }
  }
}

TEST_CASE("judge: a product that overflows before it meets a zero may be the zero as well", "[ADM-CHECK]") {
  const auto product = [](std::vector<double> x) {
    return Launch("kernel product(X: f32[N], Y: out f32[1]) { axis n = N; Y(0).store(prod(X[(0), [n]])) }", {{"N", static_cast<std::int64_t>(x.size())}}, list(x));
  };
  const Launch overflows = product({1e30, 1e30, 0}); // (1e30 * 1e30) * 0 is NaN, 1e30 * (1e30 * 0) is 0
  CHECK(verdict_of(overflows, "Y", NAN) == Verdict::within);
  CHECK(verdict_of(overflows, "Y", 0) == Verdict::within);
  const Launch always = product({INFINITY, 3, 0, 1e30, 1e30});
  CHECK(verdict_of(always, "Y", NAN) == Verdict::equal);
  CHECK(verdict_of(always, "Y", 0) == Verdict::outside);
  const Launch input = product({NAN, 1e30, 0, 1e30});
  CHECK(verdict_of(input, "Y", 0) == Verdict::outside);
}

TEST_CASE("judge: the half-width of a sum is (n - 1) u sum|x|", "[ADM-CHECK]") {
  // 1000 terms of 1/3 rounded to f32: 0.3333333433..., exactly 11184811 / 2^25. Sum 11184811000 / 2^25 = 333.3333...
  const Launch launch(sum_with("-0.0"), {{"N", 1000}}, [](const std::string &, std::int64_t) { return static_cast<double>(1 / 3.f); });
  const Judgement j = launch.judge("Y", {333.33334f}, 0);
  REQUIRE(j.outputs.at(0).worst);
  const Enclosure e = j.outputs[0].worst->enclosure;
  const double exact = 11184811000.0 / 0x1p25, bound = 999 * 0x1p-24 * exact, unit = 0x1p-15;
  const double low = value_as_f64(ScalarType::f32, e.low), high = value_as_f64(ScalarType::f32, e.high);
  CHECK(low >= exact - bound);
  CHECK(low < exact - bound + unit);
  CHECK(high <= exact + bound);
  CHECK(high > exact + bound - unit);
  const double half = (high - low) / 2;
  CHECK(verdict_of(launch, "Y", static_cast<float>(exact + half / 2)) == Verdict::within);
  CHECK(verdict_of(launch, "Y", static_cast<float>(exact + 2 * half)) == Verdict::outside);
}

TEST_CASE("judge: without freedoms mma is one chain", "[ADM-CHECK]") {
  const std::string strict = ", allow_reassociation = false, allow_contraction = false, wide_accumulation = false";
  const Launch launch(dot_with(strict), {{"K", 3}}, [](const std::string &a, std::int64_t i) { return a == "A" ? 1.0 : (i == 0 ? 0x1p24 : 1.0); });
  CHECK(verdict_of(launch, "C", 0x1p24f) == Verdict::equal); // (2^24 + 1) + 1
  CHECK(verdict_of(launch, "C", 0x1p24f + 2) == Verdict::outside);
  const Launch free(dot_with(""), {{"K", 3}}, [](const std::string &a, std::int64_t i) { return a == "A" ? 1.0 : (i == 0 ? 0x1p24 : 1.0); });
  CHECK(verdict_of(free, "C", 0x1p24f + 2) == Verdict::within);
}

TEST_CASE("judge: NaN and infinities", "[ADM-CHECK]") {
  const Launch nan(sum_with("0.0"), {{"N", 3}}, list({1, NAN, 2}));
  CHECK(verdict_of(nan, "Y", NAN) == Verdict::equal);
  CHECK(verdict_of(nan, "Y", -NAN) == Verdict::equal);
  CHECK(verdict_of(nan, "Y", 3) == Verdict::outside);
  const Launch infinite(sum_with("0.0"), {{"N", 3}}, list({1, HUGE_VAL, 2}));
  CHECK(verdict_of(infinite, "Y", HUGE_VALF) == Verdict::equal);
  CHECK(verdict_of(infinite, "Y", NAN) == Verdict::outside);
  const Launch over(sum_with("0.0"), {{"N", 3}}, list({3e38, 3e38, -3e38}));
  for (const float r : {HUGE_VALF, 3e38f, NAN}) CHECK(verdict_of(over, "Y", r) == Verdict::within);
}

TEST_CASE("judge: a freedom that decides what happens is undecided, by name", "[ADM-CHECK]") {
  const auto undecided = [](const std::string &body) {
    const Launch launch("kernel k(X: f32[N], Y: out f32[4], n: out i32[1]) {\n  axis i = N\n  s = sum(X[0, [i]], i)\n  c: i32 = 0\n" + body +
                            "\n  n(0).store(c)\n  Y((0), [j]).store(zeros f32 [j])\n}",
                        {{"N", 40}}, uniform);
    const Judgement j = launch.judge(launch.run());
    std::string out;
    for (const auto &u : j.undecided) out += std::to_string(u.site.line) + ": " + u.what + "; ";
    for (const JudgedOutput &o : j.outputs) CHECK((o.verdict == Verdict::undecided) == !j.undecided.empty());
    return out;
  };
  const std::string reaches = "it reaches a condition, coordinate or trip count of ";
  CHECK(undecided("  axis j = 4\n  if sin(s * 1e9) > 0 { c = i32(1) }") == "6: " + reaches + "`if`; ");
  CHECK(undecided("  axis j = 4\n  while (c < 3) & (sin(s * 1e9) > 0) { c = c + 1 }") == "6: " + reaches + "`while`; ");
  CHECK(undecided("  axis j = 4\n  x = X[cast(floor(abs(sin(s * 1e9)) * 4), i64)]") == "6: " + reaches + "`load`; ");
  CHECK(undecided("  axis j = 4\n  c = ite(s > -1000, i32(1), i32(2))") == ""); // sure whatever the order
}

TEST_CASE("judge: values that a choice selects are one or the other", "[ADM-CHECK]") {
  const char *text = "kernel k(X: f32[N], Y: out f32[1]) {\n  axis i = N\n  s = sum(X[0, [i]], i)\n  Y(0).store(ite(s > 0, f32(1), f32(2)))\n}";
  const Launch close(text, {{"N", 3}}, list({1, 0x1p-24, -1})); // 2^-24, or 0 after 1 + 2^-24 = 1
  CHECK(verdict_of(close, "Y", 1) == Verdict::within);
  CHECK(verdict_of(close, "Y", 2) == Verdict::within);
  CHECK(verdict_of(close, "Y", 0.5) == Verdict::outside);
  const Launch far(text, {{"N", 3}}, list({1, 0.3f, 1}));
  CHECK(verdict_of(far, "Y", 1) == Verdict::equal);
}

TEST_CASE("judge: float atomics in any order, scans as trees, products", "[ADM-CHECK]") {
  const Launch atomics("kernel k(X: f32[N], Y: mut f32[1]) {\n  axis i = N\n  parallel p in [i] { Y(0).atomic_add(X[p.i]) }\n}", {{"N", 3}},
                       [](const std::string &a, std::int64_t i) { return a == "Y" ? 0.0 : i == 0 ? 0x1p24 : 1.0; });
  CHECK(verdict_of(atomics, "Y", 0x1p24f) == Verdict::within);
  CHECK(verdict_of(atomics, "Y", 0x1p24f + 2) == Verdict::within);
  CHECK(verdict_of(atomics, "Y", 0x1p24f + 8) == Verdict::outside);
  const Launch scan("kernel k(X: f32[N], Y: out f32[N]) {\n  axis i = N\n  Y((0), [i]).store(scan(X[0, [i]], i, add))\n}", {{"N", 3}}, list({0x1p24, 1, 1}));
  CHECK(scan.judge("Y", {0x1p24f, 0x1p24f, 0x1p24f + 2}).outputs[0].verdict == Verdict::within);
  CHECK(scan.judge("Y", {0x1p24f, 0x1p24f, 0x1p24f + 8}).outputs[0].verdict == Verdict::outside);
  CHECK(scan.judge("Y", {0x1p24f + 2, 0x1p24f, 0x1p24f}).outputs[0].verdict == Verdict::outside); // one term has no freedom
  const Launch product("kernel k(X: f32[N], Y: out f32[1]) {\n  axis i = N\n  Y(0).store(prod(X[0, [i]], i))\n}", {{"N", 3}}, list({1.1f, 1.3f, 1.7f}));
  const double exact = static_cast<double>(1.1f) * static_cast<double>(1.3f) * static_cast<double>(1.7f);
  CHECK(verdict_of(product, "Y", static_cast<float>(exact)) == Verdict::within);
  CHECK(verdict_of(product, "Y", static_cast<float>(exact * (1 + 0x1p-20))) == Verdict::outside);
}

TEST_CASE("judge: what a target declares is admitted there alone", "[ADM-CHECK][NUM-TGT]") {
  const char *text = "kernel k(X: f32[N], Y: out f32[N]) {\n  axis i = N\n  x = X[0, [i]]\n  Y((0), [i]).store(exp(x) * 2 + 1)\n}";
  const Launch launch(text, {{"N", 50}}, uniform);
  const Result<TargetProfile> target = parse_target_profile(R"({"profile": "t", "types": {"f32": {"errors": {"exp": {"ulps": 3}}}}})", "t.json");
  REQUIRE(target.ok());
  std::vector<std::vector<std::uint8_t>> results = launch.run();
  CHECK(launch.judge(results).outputs[0].verdict == Verdict::equal);
  CHECK(launch.judge(results, &*target).outputs[0].verdict == Verdict::within);
  auto *y = reinterpret_cast<float *>(results[1].data());
  for (int i = 0; i < 50; ++i) { // as a device whose exp is two units off
    float e = std::exp(launch.buffers()[0].data ? static_cast<float *>(launch.buffers()[0].data)[i] : 0);
    e = std::nextafter(std::nextafter(e, 9.f), 9.f);
    y[i] = e * 2 + 1;
  }
  CHECK(launch.judge(results).outputs[0].verdict == Verdict::outside);
  CHECK(launch.judge(results, &*target).outputs[0].verdict == Verdict::within);
  for (int i = 0; i < 50; ++i) y[i] *= 1.00001f; // some 80 units
  CHECK(launch.judge(results, &*target).outputs[0].verdict == Verdict::outside);
}

TEST_CASE("judge: stored values are seen through other views as anything", "[ADM-CHECK]") {
  const char *text = R"(kernel k(X: f32[N], Y: mut f32[4], Z: out i32[1]) {
  axis i = N
  B = Y.view_as(i32)
  Y(1).store(sum(X[0, [i]], i))
  Z(0).store(B[1])
})";
  const auto plain = [](const std::string &a, std::int64_t i) { return a == "X" ? uniform(a, i) : 0; };
  const Launch launch(text, {{"N", 40}}, plain);
  const AdmittedResults r = launch.admitted();
  Enclosure any = Enclosure::everything(ScalarType::i32);
  any.origin = Enclosure::many;
  CHECK(r.outputs.at(1).sets.at(0) == any);
  CHECK(r.outputs.at(0).sets.at(0).is_point());
  CHECK_FALSE(r.outputs.at(0).sets.at(1).is_point());
}
