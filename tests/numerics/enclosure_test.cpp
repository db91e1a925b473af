// SPDX-License-Identifier: Apache-2.0
// Enclosures of primitives against all elements of small formats, and of sums and products against all their trees.
#include "semantics/numerics/enclosure_algebra.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/numerics/term_sum.h"
#include "tests/numerics/oracle.h"
#include "tests/volume.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace tilenest;

namespace {

constexpr ScalarType f8 = ScalarType::f8e5m2;

Enclosure random_enclosure(ScalarType type, oracle::Random &random) {
  const std::uint64_t a = oracle::random_element(type, random), b = oracle::random_element(type, random);
  Enclosure e;
  if (oracle::is_nan(type, a) || oracle::is_nan(type, b)) e.nan = true;
  for (const std::uint64_t x : {a, b})
    if (!oracle::is_nan(type, x)) e.join(type, Enclosure::of(type, x));
  if (random() % 4 == 0 && e.number) e.high = e.low; // a point, or a point and NaN
  return e;
}

std::vector<std::uint64_t> elements(ScalarType type, const Enclosure &e) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t b = 0; b < 256; ++b)
    if ((type != ScalarType::boolean || b < 2) && e.contains(type, b)) out.push_back(b);
  return out;
}

bool integral(Primitive p) { return p == Primitive::rem || p == Primitive::floordiv || p == Primitive::mod; }

} // namespace

TEST_CASE("order keys order elements, and enclosures hold what lies between", "[ADM-SET]") {
  for (const ScalarType type : {ScalarType::f8e5m2, ScalarType::f8e4m3fn, ScalarType::i8, ScalarType::u8, ScalarType::f16, ScalarType::bf16}) {
    const std::uint64_t n = std::uint64_t{1} << bit_width(type);
    std::uint64_t wrong = 0;
    for (std::uint64_t b = 0; b < n; ++b) {
      wrong += from_order_key(type, order_key(type, b)) != b;
      wrong += is_nan_of(type, b) != oracle::is_nan(type, b);
      const std::uint64_t c = (b * 2654435761u) % n; // some other element
      if (oracle::is_nan(type, b) || oracle::is_nan(type, c)) continue;
      const double x = value_as_f64(type, b), y = value_as_f64(type, c);
      if (x != y) wrong += (x < y) != (order_key(type, b) < order_key(type, c));
      else wrong += (std::signbit(x) && !std::signbit(y)) != (order_key(type, b) < order_key(type, c));
    }
    INFO(to_string(type));
    CHECK(wrong == 0);
  }
  CHECK(Enclosure::everything(ScalarType::i8) == Enclosure{0x80, 0x7f, true, false});
  CHECK(Enclosure::everything(ScalarType::f32).contains(ScalarType::f32, 0x7fc00000));
  CHECK_FALSE(Enclosure::of(ScalarType::f32, 0).contains(ScalarType::f32, 0x80000000)); // +0 alone
}

// Every element of the operands' sets gives a result in the enclosure.
TEST_CASE("enclosures of primitives hold every result of every element", "[ADM-SET]") {
  oracle::Random random{11};
  std::uint64_t compared = 0, tight = 0, attempts = 0;
  for (int i = 0; i < primitive_count; ++i) {
    const auto p = static_cast<Primitive>(i);
    for (const ScalarType type : {ScalarType::f8e5m2, ScalarType::f8e4m3fn, ScalarType::i8, ScalarType::u8, ScalarType::boolean})
      for (const ScalarType result : {ScalarType::f8e5m2, ScalarType::f8e4m3fn, ScalarType::i8, ScalarType::u8, ScalarType::boolean}) {
        if (!admits(p, type, result) || find_row_kernel(p, type, result) == nullptr) continue;
        for (int round = 0; round < volume(arity(p) == 3 ? 12 : 60); ++round) {
          std::vector<Enclosure> x;
          for (int k = 0; k < arity(p); ++k) {
            x.push_back(random_enclosure(operand_type(p, k, type), random));
            // Three operands: few elements, so that all combinations are tried.
            if (arity(p) == 3 && x.back().number && operand_type(p, k, type) != ScalarType::boolean) {
              const std::uint64_t low = order_key(type, x.back().low);
              x.back().high = from_order_key(type, std::min(order_key(type, x.back().high), low + 9));
            }
          }
          bool undefined = false;
          const Enclosure e = enclose(ieee_profile(), p, type, result, x, undefined);
          std::vector<std::vector<std::uint64_t>> sets;
          for (int k = 0; k < arity(p); ++k) sets.push_back(elements(operand_type(p, k, type), x[static_cast<std::size_t>(k)]));
          Enclosure hull;
          std::uint64_t wrong = 0;
          std::vector<std::uint64_t> operands(sets.size());
          const auto all = [&](auto &&self, std::size_t k) -> void {
            if (k < sets.size()) {
              for (const std::uint64_t b : sets[k]) operands[k] = b, self(self, k + 1);
              return;
            }
            const ScalarOutcome r = apply_scalar(p, type, result, operands);
            ++compared;
            if (r.undefined) wrong += !undefined && !std::all_of(x.begin(), x.end(), [](const Enclosure &s) { return s.is_point(); });
            else wrong += !e.contains(result, r.bits), hull.join(result, Enclosure::of(result, r.bits));
          };
          all(all, 0);
          INFO(to_string(p) << " of " << to_string(type) << " to " << to_string(result));
          REQUIRE(wrong == 0);
          if (is_float(type) && !integral(p)) ++attempts, tight += hull == e;
        }
      }
  }
  CHECK(compared > static_cast<std::uint64_t>(volume(1000000)));
  CHECK(tight > attempts / 2); // sound alone would be easy
}

TEST_CASE("enclosures of the monotone functions end where their results do", "[ADM-SET]") {
  oracle::Random random{12};
  for (const Primitive p : {Primitive::exp, Primitive::tanh, Primitive::erf, Primitive::sqrt, Primitive::log, Primitive::floor, Primitive::neg})
    for (int round = 0; round < volume(200); ++round) {
      const Enclosure x[] = {random_enclosure(f8, random)};
      bool undefined = false;
      Enclosure hull;
      for (const std::uint64_t b : elements(f8, x[0])) {
        const std::uint64_t operands[] = {b};
        hull.join(f8, Enclosure::of(f8, apply_scalar(p, f8, f8, operands).bits));
      }
      INFO(to_string(p));
      REQUIRE(enclose(ieee_profile(), p, f8, f8, x, undefined) == hull);
    }
}

TEST_CASE("enclosures of sin, cos and tan in f16 hold samples and extrema", "[ADM-SET]") {
  oracle::Random random{13};
  constexpr ScalarType type = ScalarType::f16;
  for (const Primitive p : {Primitive::sin, Primitive::cos, Primitive::tan, Primitive::cosh, Primitive::rsqrt})
    for (int round = 0; round < volume(300); ++round) {
      const std::uint64_t from = random() % 0x7c00 | (random() & 1) << 15, steps = random() % 400;
      const std::uint64_t to = from_order_key(type, std::min(order_key(type, from) + steps, order_key(type, 0x7c00)));
      const Enclosure x[] = {Enclosure::between(type, from, to)};
      bool undefined = false;
      const Enclosure e = enclose(ieee_profile(), p, type, type, x, undefined);
      std::uint64_t wrong = 0;
      for (std::uint64_t key = order_key(type, from); key <= order_key(type, to); ++key) {
        const std::uint64_t operands[] = {from_order_key(type, key)};
        wrong += !e.contains(type, apply_scalar(p, type, type, operands).bits);
      }
      INFO(to_string(p) << " from " << value_as_f64(type, from) << " to " << value_as_f64(type, to));
      REQUIRE(wrong == 0);
    }
}

namespace {

// All results of a sum of products and terms over all trees and orders: partial results rounded to the type or, as
// accumulators may be, kept in f64; products rounded or contracted into the sum.
struct Trees {
  ScalarType type;
  std::set<std::uint64_t> results;

  std::uint64_t round(double v) const { return *literal_bits(v, type); }
  double rounded(double v) const { return value_as_f64(type, round(v)); }
  // Merges two of the values, in all ways, until one is left. Values are small in number.
  void merge(std::vector<double> values, bool wide) {
    if (values.size() == 1) {
      const double v = rounded(values[0]);
      results.insert(std::isnan(v) ? round(std::nan("")) : round(v));
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t k = i + 1; k < values.size(); ++k) {
        std::vector<double> rest;
        for (std::size_t j = 0; j < values.size(); ++j)
          if (j != i && j != k) rest.push_back(values[j]);
        const double sum = values[i] + values[k];
        rest.push_back(wide ? sum : rounded(sum));
        merge(std::move(rest), wide);
      }
  }
};

// Factors whose products and sums of a few are exact in f64.
double small_value(ScalarType type, oracle::Random &random) {
  for (;;) {
    const std::uint64_t b = oracle::random_element(type, random);
    const double v = value_as_f64(type, b);
    if (std::isfinite(v) && (v == 0 || (std::fabs(v) < 0x1p8 && std::fabs(v) > 0x1p-12))) return v;
  }
}

} // namespace

TEST_CASE("the enclosure of a sum holds the results of all its trees", "[ADM-CHECK][ADM-SET]") {
  oracle::Random random{14};
  int points = 0, wide_ones = 0;
  double worst = 0;
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16, ScalarType::f8e5m2, ScalarType::f8e4m3fn, ScalarType::f32})
    for (int round = 0; round < volume(200); ++round) {
      const std::size_t n = 1 + random() % 5;
      const bool products = random() % 2 == 0;
      TermSum sum(type);
      std::vector<double> exact, rounded;
      Trees trees{type, {}};
      for (std::size_t i = 0; i < n; ++i) {
        double a = small_value(type, random), b = small_value(type, random);
        if (random() % 3 == 0) a = std::round(a), b = std::round(b); // often exact
        a = value_as_f64(type, *literal_bits(a, type)), b = value_as_f64(type, *literal_bits(b, type));
        if (products) sum.add_product(a, b);
        else sum.add_value(a);
        exact.push_back(products ? a * b : a);
        rounded.push_back(trees.rounded(exact.back()));
      }
      trees.merge(exact, false); // contracted: the product is exact in its addition
      trees.merge(exact, true);
      trees.merge(rounded, false);
      const Enclosure e = sum.close(step_error(ieee_profile(), Primitive::add, type), step_error(ieee_profile(), Primitive::mul, type));
      for (const std::uint64_t r : trees.results) {
        INFO(to_string(type) << " " << n << (products ? " products" : " terms") << ": " << value_as_f64(type, r) << " in ["
                             << value_as_f64(type, e.low) << ", " << value_as_f64(type, e.high) << "] nan " << e.nan);
        REQUIRE(e.contains(type, r));
      }
      if (e.is_point()) {
        REQUIRE(trees.results.size() == 1);
        ++points;
      } else if (!e.nan) {
        ++wide_ones;
        double spread = 0;
        for (const std::uint64_t r : trees.results) spread = std::fmax(spread, value_as_f64(type, r) - value_as_f64(type, *trees.results.begin()));
        worst = std::fmax(worst, spread);
      }
    }
  CHECK(points > volume(100));
  CHECK(wide_ones > volume(100));
  CHECK(worst > 0);
}

TEST_CASE("sums that no tree changes are points", "[ADM-CHECK]") {
  const StepError add = step_error(ieee_profile(), Primitive::add, ScalarType::f32), mul = step_error(ieee_profile(), Primitive::mul, ScalarType::f32);
  TermSum dot(ScalarType::f32); // 64 times (1 + 2^-12) * 1: sum|x| is about 64, the unit 2^-12, and 64 <= 2^24 * 2^-12
  for (int i = 0; i < 64; ++i) dot.add_product(1 + 0x1p-12, 1);
  CHECK(dot.close(add, mul) == Enclosure::of(ScalarType::f32, *literal_bits(64.015625, ScalarType::f32)));
  TermSum many(ScalarType::f32); // one unit more than 2^24 of them
  many.add_value(0x1p24);
  many.add_value(1);
  CHECK_FALSE(many.close(add, mul).is_point());
  CHECK(many.close(add, mul).contains(ScalarType::f32, *literal_bits(0x1p24, ScalarType::f32)));
  TermSum full(ScalarType::f32);
  full.add_value(0x1p24 - 1);
  full.add_value(1);
  CHECK(full.close(add, mul) == Enclosure::of(ScalarType::f32, *literal_bits(0x1p24, ScalarType::f32)));
  CHECK(TermSum(ScalarType::f32).close(add, mul) == Enclosure::of(ScalarType::f32, 0x80000000)); // -0
  TermSum zeros(ScalarType::f32);
  zeros.add_value(-0.0);
  zeros.add_value(0.0);
  CHECK(zeros.close(add, mul) == Enclosure::of(ScalarType::f32, 0));
  TermSum infinite(ScalarType::f32);
  infinite.add(Enclosure::of(ScalarType::f32, 0x7f800000));
  infinite.add_value(3);
  CHECK(infinite.close(add, mul) == Enclosure::of(ScalarType::f32, 0x7f800000));
  infinite.add(Enclosure::of(ScalarType::f32, 0xff800000));
  CHECK(infinite.close(add, mul) == Enclosure::not_a_number());
  TermSum over(ScalarType::f32); // 3e38 + 3e38 - 3e38: infinite or not, by the order
  for (const double x : {3e38, 3e38, -3e38}) over.add_value(static_cast<float>(x));
  CHECK(over.close(add, mul) == Enclosure::everything(ScalarType::f32));
}

TEST_CASE("the enclosure of a product holds the results of all orders", "[ADM-SET]") {
  oracle::Random random{15};
  int points = 0;
  for (const ScalarType type : {ScalarType::f16, ScalarType::f8e5m2, ScalarType::f32})
    for (int round = 0; round < volume(300); ++round) {
      const std::size_t n = 1 + random() % 5;
      FactorProduct product(type);
      std::vector<double> values;
      for (std::size_t i = 0; i < n; ++i) {
        values.push_back(random() % 2 ? small_value(type, random) : static_cast<double>(random() % 5) - 1);
        product.multiply(Enclosure::of(type, *literal_bits(values.back(), type)));
      }
      const Enclosure e = product.close(step_error(ieee_profile(), Primitive::mul, type));
      std::sort(values.begin(), values.end());
      std::set<std::uint64_t> results;
      do {
        for (std::size_t split = 1; split <= n; ++split) { // two chains, merged
          double left = 1, right = 1;
          for (std::size_t i = 0; i < split; ++i) left = value_as_f64(type, *literal_bits(left * values[i], type));
          for (std::size_t i = split; i < n; ++i) right = value_as_f64(type, *literal_bits(right * values[i], type));
          results.insert(*literal_bits(left * right, type));
        }
      } while (std::next_permutation(values.begin(), values.end()));
      for (const std::uint64_t r : results) REQUIRE(e.contains(type, r));
      if (!e.is_point()) continue;
      REQUIRE(results.size() == 1);
      ++points;
    }
  CHECK(points > volume(100));
}
