// SPDX-License-Identifier: Apache-2.0
// Declared errors (NUM-TGT): which results a profile admits, from derivations by hand and from exact arithmetic on
// every pair of f8 elements; profiles as files.
#include "bits.h"
#include "oracle.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/declared_error.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace tilenest;

namespace {

TargetProfile profile(const std::string &types) {
  const Result<TargetProfile> p = parse_target_profile("{\"profile\": \"test\", \"types\": {" + types + "}}", "p.json");
  if (!p) FAIL(p.errors()[0].message());
  return *p;
}
std::uint64_t f32(float x) { return std::bit_cast<std::uint32_t>(x); }
Enclosure of_f32(const TargetProfile &p, Primitive primitive, std::initializer_list<float> x) {
  std::vector<std::uint64_t> operands;
  for (float v : x) operands.push_back(f32(v));
  return declared_enclosure(p, primitive, ScalarType::f32, ScalarType::f32, operands);
}
bool has(const Enclosure &e, float x) { return e.contains(ScalarType::f32, f32(x)); }
double low_of(const Enclosure &e, ScalarType type = ScalarType::f32) { return value_as_f64(type, e.low); }
double high_of(const Enclosure &e, ScalarType type = ScalarType::f32) { return value_as_f64(type, e.high); }
float at(std::uint32_t pattern) { return std::bit_cast<float>(pattern); }

} // namespace

TEST_CASE("what is not declared is exact", "[NUM-TGT]") {
  oracle::Random random{3};
  const TargetProfile other = profile(R"("f64": {"errors": {"exp": {"ulps": 4}}}, "f32": {"errors": {"sin": {"ulps": 9}}})");
  for (const TargetProfile *p : {&ieee_profile(), &other})
    for (ScalarType type : oracle::float_types())
      for (Primitive primitive : {Primitive::add, Primitive::mul, Primitive::div, Primitive::sqrt, Primitive::fma, Primitive::exp2})
        for (int i = 0; i < 40; ++i) {
          std::vector<std::uint64_t> x;
          for (int k = 0; k < arity(primitive); ++k) x.push_back(oracle::random_element(type, random));
          const Enclosure e = declared_enclosure(*p, primitive, type, type, x);
          INFO(to_string(type) << " " << to_string(primitive));
          REQUIRE(e.is_point());
          REQUIRE(e.contains(type, oracle::apply(primitive, type, x)));
        }
  CHECK(error_text(ieee_profile(), Primitive::exp, ScalarType::f32) == "exact");
}

TEST_CASE("an error in ulps admits the values within it", "[NUM-TGT]") {
  const TargetProfile p = profile(R"("f32": {"errors": {"div": {"ulps": 2.5}, "exp": {"ulps": 3, "per_magnitude": 2}}})");
  // 1/3 is 0x3eaaaaaa and two thirds of a unit: from 1.83 units below that pattern to 3.17 above.
  const Enclosure third = of_f32(p, Primitive::div, {1, 3});
  for (int i = -3; i <= 5; ++i) CHECK(has(third, at(0x3eaaaaaa + static_cast<std::uint32_t>(i))) == (i >= -1 && i <= 3));
  // e is 0x402df854 and 0.346 units, the error 3 + 2 * |1| units: from 4.65 below to 5.35 above.
  const Enclosure e = of_f32(p, Primitive::exp, {1});
  for (int i = -8; i <= 8; ++i) CHECK(has(e, at(0x402df854 + static_cast<std::uint32_t>(i))) == (i >= -4 && i <= 5));
  CHECK(of_f32(p, Primitive::mul, {1.5f, 3}).is_point());
  CHECK(of_f32(p, Primitive::div, {1, NAN}).is_point());
  CHECK(error_text(p, Primitive::exp, ScalarType::f32) == "3 + 2|x| ulps");
}

// |v - a/b| <= 1.25 ulp, multiplied by |b|: exact in f64, whose 53 bits hold products of f8 elements many times.
TEST_CASE("quotients of all f8 elements against exact arithmetic", "[NUM-TGT]") {
  const TargetProfile p = profile(R"("f8e5m2": {"errors": {"div": {"ulps": 1.25}}})");
  constexpr ScalarType type = ScalarType::f8e5m2;
  constexpr int fraction = 2, least = -14;
  std::size_t wrong = 0, compared = 0;
  for (std::uint64_t i = 0; i < 0x7c; ++i)
    for (std::uint64_t k = 1; k < 0x7c; ++k) {
      const double a = value_as_f64(type, i), b = value_as_f64(type, k);
      if (a == 0 || a / b > 0x1p15 * 1.25) continue; // overflow is another test's
      int exponent = std::ilogb(a / b); // the quotient is no closer below a power of two than f64 shows
      const double ulp = std::ldexp(1.0, std::max(exponent, least) - fraction);
      const std::uint64_t operands[] = {i, k};
      const Enclosure e = declared_enclosure(p, Primitive::div, type, type, operands);
      for (std::uint64_t v = 0; v < 0x100; ++v) {
        const double x = value_as_f64(type, v);
        if (!std::isfinite(x) || x == 0) continue;
        const bool admitted = std::fabs(x * b - a) <= 1.25 * ulp * b;
        wrong += e.contains(type, v) != admitted;
        ++compared;
      }
    }
  CHECK(wrong == 0);
  CHECK(compared > 1000000);
}

TEST_CASE("an absolute error holds on its interval alone", "[NUM-TGT]") {
  const TargetProfile p = profile(R"("f32": {"errors": {"sin": {"absolute": "0x1p-11", "from": -4, "to": 3.5},
                                                       "log": [{"absolute": 0.25, "from": 0.5, "to": 2}, {"ulps": 1}]}})");
  const Enclosure zero = of_f32(p, Primitive::sin, {0});
  CHECK(low_of(zero) == -0x1p-11);
  CHECK(high_of(zero) == 0x1p-11);
  CHECK(has(zero, -0.0f));
  CHECK_FALSE(has(zero, std::nextafter(0x1p-11f, 1.0f)));
  CHECK(of_f32(p, Primitive::sin, {3.625f}).is_point());
  CHECK_FALSE(of_f32(p, Primitive::sin, {-4}).is_point());
  CHECK(high_of(of_f32(p, Primitive::log, {1})) == 0.25);
  CHECK(low_of(of_f32(p, Primitive::log, {1})) == -0.25);
  // log(8) = 2.0794415416798357; the f32 below and above it are the whole of one ulp around it.
  const Enclosure eight = of_f32(p, Primitive::log, {8});
  const float below = std::nextafter(2.07944154f, 0.0f);
  CHECK(high_of(eight) - low_of(eight) <= 0x1p-21);
  CHECK((has(eight, below) || has(eight, std::nextafter(2.07944154f, 3.0f))));
  CHECK(low_of(of_f32(p, Primitive::log, {0})) == -HUGE_VAL);
  CHECK(of_f32(p, Primitive::log, {0}).is_point());
  CHECK(error_text(p, Primitive::log, ScalarType::f32) == "0.25 for x in [0.5, 2], else 1 ulps");
  CHECK(error_text(p, Primitive::sin, ScalarType::f32) == "0.000488281 for x in [-4, 3.5], else exact");
}

TEST_CASE("an inherited error is that of the formula", "[NUM-TGT]") {
  const TargetProfile p = profile(R"("f32": {"errors": {"pow": {"as": ["exp2", ["mul", "y", ["log2", "x"]]]},
      "log2": {"ulps": 3}, "exp2": {"ulps": 2}, "tan": {"as": ["div", ["sin", "x"], ["cos", "x"]]}}})");
  // Whatever the steps give within their own errors is inside; the steps are computed here in f64.
  oracle::Random random{5};
  for (int i = 0; i < 300; ++i) {
    const float x = std::ldexp(1.0f + static_cast<float>(random() % 1000) / 1024, static_cast<int>(random() % 6) - 3);
    const float y = static_cast<float>(static_cast<int>(random() % 200) - 100) / 16;
    const Enclosure e = of_f32(p, Primitive::pow, {x, y});
    for (int off : {-3, -2, 0, 3}) {
      float l = static_cast<float>(std::log2(static_cast<double>(x)));
      for (int k = 0; k < std::abs(off) - 1; ++k) l = std::nextafter(l, off < 0 ? -HUGE_VALF : HUGE_VALF);
      const float product = y * l;
      const float r = static_cast<float>(std::exp2(static_cast<double>(product)));
      CHECK(has(e, r));
      CHECK(has(e, std::nextafter(r, 0.0f)));
    }
    CHECK(has(e, static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)))));
  }
  // Not everything: log2(2) is 1 +- 3 * 2^-23 (2^-24 below 1), so 2^3 errs by a factor of 1 +- 2^-19 at most.
  const Enclosure eight = of_f32(p, Primitive::pow, {2, 3});
  CHECK(low_of(eight) > 8 * (1 - 0x1p-19));
  CHECK(high_of(eight) < 8 * (1 + 0x1p-19));
  CHECK(low_of(eight) < 8);
  CHECK(of_f32(p, Primitive::pow, {-2, 3}).nan); // log2 of a negative number
  CHECK(high_of(of_f32(p, Primitive::tan, {1})) - low_of(of_f32(p, Primitive::tan, {1})) <= 4 * 0x1p-23);
  CHECK(error_text(p, Primitive::pow, ScalarType::f32) == "as exp2(mul(y, log2(x)))");
}

TEST_CASE("subnormals that may be flushed", "[NUM-TGT]") {
  const TargetProfile p = profile(R"("f32": {"flushes_subnormals": true})");
  const Enclosure product = of_f32(p, Primitive::mul, {0x1p-100f, 0x1p-40f});
  CHECK(has(product, 0x1p-140f));
  CHECK(has(product, 0.0f));
  CHECK_FALSE(has(product, -0.0f));
  CHECK_FALSE(has(product, 0x1p-139f));
  CHECK(has(of_f32(p, Primitive::mul, {-0x1p-100f, 0x1p-40f}), -0.0f));
  const Enclosure scaled = of_f32(p, Primitive::mul, {0x1p-130f, 0x1p20f}); // an operand
  CHECK(has(scaled, 0x1p-110f));
  CHECK(has(scaled, 0.0f));
  CHECK(of_f32(p, Primitive::mul, {0x1p-60f, 0x1p-40f}).is_point());
  CHECK(of_f32(p, Primitive::div, {0, 3}).is_point());
  CHECK(has(of_f32(p, Primitive::rsqrt, {0x1p-140f}), HUGE_VALF)); // of a zero
  CHECK(has(of_f32(p, Primitive::rsqrt, {0x1p-140f}), 0x1p70f));
  const Enclosure magnitude = of_f32(p, Primitive::abs, {-0x1p-140f});
  CHECK(has(magnitude, 0x1p-140f));
  CHECK(has(magnitude, 0.0f));
  CHECK_FALSE(has(magnitude, -0x1p-140f));
}

TEST_CASE("an fma that is not fused", "[NUM-TGT]") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, whose last term is half a unit: rounded first, it is gone.
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  const TargetProfile p = profile(R"("f32": {"fuses_fma": false})");
  const Enclosure e = of_f32(p, Primitive::fma, {a, a, c});
  CHECK(has(e, 0x1p-24f));
  CHECK(has(e, 0.0f));
  CHECK_FALSE(has(e, 0x1p-23f));
  CHECK(error_text(p, Primitive::fma, ScalarType::f32) == "as add(mul(x, y), z)");
  const Enclosure fused = of_f32(ieee_profile(), Primitive::fma, {a, a, c});
  CHECK(fused.is_point());
  CHECK(low_of(fused) == 0x1p-24);
}

TEST_CASE("errors at the end of the range, and of casts", "[NUM-TGT]") {
  const TargetProfile p = profile(R"("f32": {"errors": {"mul": {"ulps": 2}}}, "f16": {"errors": {"cast": {"ulps": 1}, "cast_sat": {"ulps": 2}}},
                                   "f8e4m3fn": {"errors": {"mul": {"ulps": 1}}})");
  const float largest = std::numeric_limits<float>::max();
  const Enclosure top = of_f32(p, Primitive::mul, {largest, 1});
  CHECK(has(top, largest));
  CHECK(has(top, HUGE_VALF));
  CHECK(has(top, std::nextafter(std::nextafter(largest, 0.0f), 0.0f)));
  CHECK_FALSE(has(top, -HUGE_VALF));
  // 1 + 2^-11 lies between the f16 values 1 and 1 + 2^-10; one unit reaches 1 - 2^-11 below.
  const std::uint64_t operand[] = {f32(1 + 0x1p-11f)};
  const Enclosure half = declared_enclosure(p, Primitive::cast, ScalarType::f32, ScalarType::f16, operand);
  CHECK(low_of(half, ScalarType::f16) == 1 - 0x1p-11);
  CHECK(high_of(half, ScalarType::f16) == 1 + 0x1p-10);
  const std::uint64_t big[] = {70000};
  CHECK(high_of(declared_enclosure(p, Primitive::cast, ScalarType::i32, ScalarType::f16, big), ScalarType::f16) == HUGE_VAL);
  CHECK(high_of(declared_enclosure(p, Primitive::cast_sat, ScalarType::i32, ScalarType::f16, big), ScalarType::f16) == 65504);
  const std::uint64_t one[] = {bits(448.0, ScalarType::f8e4m3fn), bits(1.0, ScalarType::f8e4m3fn)};
  const Enclosure eight = declared_enclosure(p, Primitive::mul, ScalarType::f8e4m3fn, ScalarType::f8e4m3fn, one);
  CHECK(low_of(eight, ScalarType::f8e4m3fn) == 416); // the unit is 32
  CHECK(high_of(eight, ScalarType::f8e4m3fn) == 448);
  CHECK(eight.nan);
}

TEST_CASE("a profile prints and parses back equal", "[NUM-TGT]") {
  std::ifstream file(TILENEST_SOURCE_DIR "/examples/targets/vulkan.json");
  std::stringstream text;
  text << file.rdbuf();
  const Result<TargetProfile> p = parse_target_profile(text.str(), "vulkan.json");
  if (!p) FAIL(p.errors()[0].message());
  CHECK(p->name == "vulkan");
  CHECK(p->find(ScalarType::f32)->flushes_subnormals);
  CHECK(p->find(ScalarType::f64) == nullptr);
  CHECK(p->bounds(Primitive::log, ScalarType::f32).size() == 2);
  const Result<TargetProfile> back = parse_target_profile(print_target_profile(*p), "printed");
  REQUIRE(back.ok());
  CHECK(*back == *p);
  CHECK(*parse_target_profile("{\"profile\": \"bare\"}", "p") == TargetProfile{"bare", {}});
}

TEST_CASE("a file that is no profile is refused by its place", "[NUM-TGT][P1201]") {
  auto refused = [](const std::string &json) {
    const Result<TargetProfile> p = parse_target_profile(json, "p.json");
    if (p) return std::string("accepted");
    for (const Diagnostic &d : p.errors()) CHECK(d.code == Code::P1201);
    return p.errors()[0].message();
  };
  auto f32_errors = [&](const std::string &errors) {
    return refused(R"({"profile": "t", "types": {"f32": {"errors": )" + errors + "}}}");
  };
  using Catch::Contains;
  CHECK_THAT(refused(""), Contains("it is no JSON"));
  CHECK_THAT(refused("{\"profile\": \"t\""), Contains("it is no JSON"));
  CHECK_THAT(refused("[1]"), Contains("it holds no object"));
  CHECK_THAT(refused("{}"), Contains("lacks the key `profile`"));
  CHECK_THAT(refused(R"({"profile": "ieee"})"), Contains("`profile` is no name"));
  CHECK_THAT(refused(R"({"profile": 3})"), Contains("`profile` is no name"));
  CHECK_THAT(refused(R"({"profile": "t", "speed": 1})"), Contains("`speed` is no key of a profile"));
  CHECK_THAT(refused(R"({"profile": "t", "types": {"i32": {}}})"), Contains("`types.i32` is no float type"));
  CHECK_THAT(refused(R"({"profile": "t", "types": {"f32": {"fuses_fma": 1}}})"), Contains("`types.f32.fuses_fma` is neither true nor false"));
  CHECK_THAT(f32_errors("[]"), Contains("`types.f32.errors` is no object"));
  CHECK_THAT(f32_errors(R"({"expo": {"ulps": 1}})"), Contains("`types.f32.errors.expo` is no primitive"));
  CHECK_THAT(f32_errors(R"({"eq": {"ulps": 1}})"), Contains("is no primitive that yields a float"));
  CHECK_THAT(f32_errors(R"({"exp": {"ulps": -1}})"), Contains("`types.f32.errors.exp.ulps` is negative or infinite"));
  CHECK_THAT(f32_errors(R"({"exp": {"ulps": "many"}})"), Contains("`types.f32.errors.exp.ulps` is no number"));
  CHECK_THAT(f32_errors(R"({"exp": {}})"), Contains("needs one of `ulps`, `absolute` and `as`"));
  CHECK_THAT(f32_errors(R"({"exp": [{"ulps": 1}, {"absolute": 1, "ulps": 2}]})"), Contains("`types.f32.errors.exp[1]` needs one of"));
  CHECK_THAT(f32_errors(R"({"exp": {"absolute": 1, "per_magnitude": 2}})"), Contains("`per_magnitude` without `ulps`"));
  CHECK_THAT(f32_errors(R"({"exp": {"ulps": 1, "from": 2, "to": 1}})"), Contains("`from` above `to`"));
  CHECK_THAT(f32_errors(R"({"exp": {"as": ["exp2", "y"]}})"), Contains("names `y`, which is no operand"));
  CHECK_THAT(f32_errors(R"({"exp": {"as": ["exp2"]}})"), Contains("gives `exp2` 0 operands, it takes 1"));
  CHECK_THAT(f32_errors(R"({"exp": {"as": ["floor", "x"]}})"), Contains("applies `floor`, which no formula can"));
  CHECK_THAT(f32_errors(R"({"exp": {"as": ["sin", ["neg", "x"]]}})"), Contains("applies `sin` to a computed value"));
  CHECK_THAT(f32_errors(R"({"exp": {"as": {}}})"), Contains("holds what is neither"));
  CHECK_THAT(f32_errors(R"({"exp": {"as": ["exp2", "x"]}, "exp2": {"as": ["exp", "x"]}})"), Contains("is inherited from itself"));
  std::string deep = "\"x\"";
  for (int i = 0; i < 100; ++i) deep = "[\"neg\", " + deep + "]";
  CHECK_THAT(f32_errors("{\"exp\": {\"as\": " + deep + "}}"), Contains("nests deeper"));
}
