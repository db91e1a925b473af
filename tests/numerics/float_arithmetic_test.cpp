// SPDX-License-Identifier: Apache-2.0
// Float arithmetic on every instruction set against exact numbers: exhaustive over pairs of f8, all 16-bit
// elements for one operand, sampled for the rest; fma at double-rounding traps.
#include "tests/volume.h"
#include "bits.h"
#include "oracle.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;

namespace {

using Columns = std::vector<std::vector<std::uint64_t>>; // one vector of elements per operand

// Runs the rows on every instruction set; `expected[i]` holds element i's result.
void check_rows(Primitive p, ScalarType type, ScalarType result, const Columns &operands,
                const std::vector<std::uint64_t> &expected) {
  const std::size_t n = expected.size(), size = byte_size(type);
  std::vector<std::vector<char>> in;
  std::vector<RowOperand> rows;
  for (const auto &column : operands) {
    std::vector<char> bytes(n * size);
    for (std::size_t i = 0; i < n; ++i) store_bits(type, &bytes[i * size], column[i]);
    in.push_back(std::move(bytes));
  }
  for (const auto &bytes : in) rows.push_back({bytes.data(), 1});
  for (int isa = 0; isa < kernel_isa_count; ++isa) {
    if (!supported(static_cast<KernelIsa>(isa))) continue;
    const auto kernel = find_row_kernel(static_cast<KernelIsa>(isa), p, type, result);
    REQUIRE(kernel != nullptr);
    std::vector<char> out(n * byte_size(result));
    kernel(n, out.data(), rows.data(), {});
    std::size_t wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t got = load_bits(result, &out[i * byte_size(result)]);
      if (oracle::same(result, got, expected[i])) continue;
      if (wrong++ == 0) {
        for (const auto &column : operands) first += scalar_text(type, column[i]) + " ";
        first += "gave " + scalar_text(result, got) + ", expected " + scalar_text(result, expected[i]);
      }
    }
    INFO(to_string(p) << " " << to_string(type) << " isa " << isa << ": " << first);
    CHECK(wrong == 0);
  }
}

void check_against_oracle(Primitive p, ScalarType type, const Columns &operands) {
  std::vector<std::uint64_t> expected(operands[0].size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::vector<std::uint64_t> element;
    for (const auto &column : operands) element.push_back(column[i]);
    expected[i] = oracle::apply(p, type, element);
  }
  check_rows(p, type, type, operands, expected);
}

Columns all_pairs_of_bytes() {
  Columns c(2);
  for (std::uint64_t a = 0; a < 256; ++a)
    for (std::uint64_t b = a % every_nth; b < 256; b += every_nth) {
      c[0].push_back(a);
      c[1].push_back(b);
    }
  return c;
}

Columns sampled(ScalarType type, std::size_t arity, std::size_t n, std::uint64_t seed) {
  oracle::Random random{seed};
  Columns c(arity);
  for (std::size_t i = 0; i < n; ++i)
    for (auto &column : c) column.push_back(oracle::random_element(type, random));
  return c;
}

std::vector<std::uint64_t> all_elements(ScalarType type) {
  std::vector<std::uint64_t> all(std::size_t{1} << bit_width(type));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}


} // namespace

TEST_CASE("+ - * / of every pair of f8 elements round once", "[NUM-RN]") {
  const Columns pairs = all_pairs_of_bytes();
  for (const ScalarType type : {ScalarType::f8e4m3fn, ScalarType::f8e5m2})
    for (const Primitive p : {Primitive::add, Primitive::sub, Primitive::mul, Primitive::div})
      check_against_oracle(p, type, pairs);
}

TEST_CASE("+ - * / fma of the wider floats round once", "[NUM-RN]") {
  for (const ScalarType type : oracle::float_types()) {
    for (const Primitive p : {Primitive::add, Primitive::sub, Primitive::mul, Primitive::div})
      check_against_oracle(p, type, sampled(type, 2, volume(30000), 3));
    check_against_oracle(Primitive::fma, type, sampled(type, 3, volume(60000), 5));
  }
}

TEST_CASE("subnormal quotients and products of bf16 and f16 do not round twice", "[NUM-RN]") {
  // Operands whose result lies about the least numbers, where f32 is subnormal too (bf16).
  for (const ScalarType type : {ScalarType::bf16, ScalarType::f16}) {
    oracle::Random random{17};
    const bool is_bf16 = type == ScalarType::bf16;
    const int fraction = is_bf16 ? 7 : 10, bias = is_bf16 ? 127 : 15;
    Columns products(2), quotients(2);
    for (int i = 0; i < volume(60000); ++i) {
      const auto element = [&](int exponent) {
        return (random() & ((1u << fraction) - 1)) | static_cast<std::uint64_t>(exponent) << fraction;
      };
      const int target = 1 - static_cast<int>(random() % static_cast<unsigned>(fraction + 3)); // biased exponent
      const int low = 1 + static_cast<int>(random() % static_cast<unsigned>(bias - 1));
      const int other = target + bias - low;
      if (other >= 1 && other < 2 * bias + 1) {
        products[0].push_back(element(low));
        products[1].push_back(element(other));
      }
      const int divisor = bias + static_cast<int>(random() % static_cast<unsigned>(bias));
      const int dividend = target + divisor - bias;
      if (dividend >= 1) {
        quotients[0].push_back(element(dividend));
        quotients[1].push_back(element(divisor));
      }
    }
    REQUIRE(products[0].size() > 1000);
    check_against_oracle(Primitive::mul, type, products);
    check_against_oracle(Primitive::div, type, quotients);
  }
}

TEST_CASE("sqrt of all 8- and 16-bit floats and of sampled f32 and f64", "[NUM-RN]") {
  for (const ScalarType type : oracle::float_types())
    check_against_oracle(Primitive::sqrt, type,
                         bit_width(type) <= 16 ? Columns{all_elements(type)} : sampled(type, 1, 20000, 9));
}

TEST_CASE("fma of f16 and bf16 is not computed through f32", "[NUM-RN]") {
  const auto fma = [](ScalarType type, double a, double b, double c) {
    const auto r = apply_scalar(Primitive::fma, type, type, std::vector{bits(a, type), bits(b, type), bits(c, type)});
    return value_as_f64(type, r.bits);
  };
  // f16: 3 * 683 = 2049, so a*b = 1 + 2^-11 is the tie between 1 and 1 + 2^-10; in f32 c vanishes beside it.
  CHECK(fma(ScalarType::f16, 3.0 / 1024, 683.0 / 2, 0x1p-24) == 1 + 0x1p-10);
  CHECK(fma(ScalarType::f16, 3.0 / 1024, 683.0 / 2, -0x1p-24) == 1);
  CHECK(fma(ScalarType::f16, 3.0 / 1024, 683.0 / 2, 0) == 1);
  // bf16: 7 * 37 = 259, so a*b = 1 + 3 * 2^-8 is the tie between 1 + 2^-7 and (even) 1 + 2^-6.
  CHECK(fma(ScalarType::bf16, 7, 37.0 / 256, -0x1p-40) == 1 + 0x1p-7);
  CHECK(fma(ScalarType::bf16, 7, 37.0 / 256, 0x1p-40) == 1 + 0x1p-6);
  CHECK(fma(ScalarType::bf16, 7, 37.0 / 256, 0) == 1 + 0x1p-6);
  // f32: a*b = 1 + 2^-24 exactly (257 * 65281 = 2^24 + 1), a tie that c = 2^-90, lost in f64, decides.
  CHECK(fma(ScalarType::f32, 257, 65281 * 0x1p-24, 0x1p-90) == 1 + 0x1p-23);
  CHECK(fma(ScalarType::f32, 257, 65281 * 0x1p-24, -0x1p-90) == 1);
  // Random triples around ties: the product is a tie of c's grid, moved by a far smaller amount.
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16, ScalarType::f32}) {
    oracle::Random random{23};
    const int precision = type == ScalarType::f16 ? 11 : type == ScalarType::bf16 ? 8 : 24;
    Columns c(3);
    for (int i = 0; i < volume(40000); ++i) {
      // Factors of (precision + 1)-bit odd integers where there are some; c tiny of either sign.
      const std::uint64_t a = (random() % (std::uint64_t{1} << (precision - 2))) | 1;
      const std::uint64_t b = ((std::uint64_t{1} << precision) / a + random() % 3) | 1;
      const int scale = -static_cast<int>(random() % 6);
      c[0].push_back(bits(std::ldexp(static_cast<double>(a), -precision), type));
      c[1].push_back(bits(static_cast<double>(b), type));
      const double tiny = std::ldexp(random() & 1 ? 1.0 : -1.0, (type == ScalarType::f16 ? -19 : -40) + scale);
      c[2].push_back(bits(tiny, type));
    }
    check_against_oracle(Primitive::fma, type, c);
  }
}

TEST_CASE("min max propagate NaN, minnum maxnum ignore it, -0 lies below +0", "[NUM-NAN]") {
  // A rank that the rule orders by: f8 exhaustively, the wider types over a set of special values.
  const auto rank = [](ScalarType type, std::uint64_t e) {
    const double v = value_as_f64(type, e);
    return std::pair(v, v == 0 ? !std::signbit(v) : false);
  };
  for (const ScalarType type : oracle::float_types()) {
    Columns pairs = bit_width(type) == 8 ? all_pairs_of_bytes() : sampled(type, 2, 20000, 31);
    for (const double a : {0.0, -0.0, 1.0, -1.0, double(NAN), HUGE_VAL, -HUGE_VAL})
      for (const double b : {0.0, -0.0, 1.0, -1.0, double(NAN), HUGE_VAL, -HUGE_VAL}) {
        pairs[0].push_back(bits(a, type));
        pairs[1].push_back(bits(b, type));
      }
    for (const Primitive p : {Primitive::min, Primitive::max, Primitive::minnum, Primitive::maxnum}) {
      const bool low = p == Primitive::min || p == Primitive::minnum;
      const bool ignores = p == Primitive::minnum || p == Primitive::maxnum;
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < pairs[0].size(); ++i) {
        const std::uint64_t a = pairs[0][i], b = pairs[1][i];
        const bool a_nan = oracle::is_nan(type, a), b_nan = oracle::is_nan(type, b);
        std::uint64_t r;
        if (a_nan || b_nan) r = ignores ? (a_nan ? b : a) : (a_nan ? a : b);
        else r = (rank(type, a) < rank(type, b)) == low ? a : b;
        expected.push_back(r);
      }
      check_rows(p, type, type, pairs, expected);
    }
  }
}

TEST_CASE("rounding to integral values, signs, classes and comparisons", "[NUM-RN]") {
  for (const ScalarType type : oracle::float_types()) {
    const Columns one = bit_width(type) <= 16 ? Columns{all_elements(type)} : sampled(type, 1, 20000, 37);
    const auto check_unary = [&](Primitive p, double (*f)(double)) {
      std::vector<std::uint64_t> expected;
      for (const std::uint64_t e : one[0]) expected.push_back(bits(f(value_as_f64(type, e)), type));
      check_rows(p, type, type, one, expected);
    };
    check_unary(Primitive::floor, [](double x) { return std::floor(x); });
    check_unary(Primitive::ceil, [](double x) { return std::ceil(x); });
    check_unary(Primitive::trunc, [](double x) { return std::trunc(x); });
    check_unary(Primitive::round_even, [](double x) { return std::nearbyint(x); });
    // neg and abs touch the sign bit alone, of a NaN too.
    std::vector<std::uint64_t> negated, magnitude, nan, inf, finite;
    const std::uint64_t sign = std::uint64_t{1} << (bit_width(type) - 1);
    for (const std::uint64_t e : one[0]) {
      negated.push_back(e ^ sign);
      magnitude.push_back(e & ~sign);
      const double v = value_as_f64(type, e);
      nan.push_back(std::isnan(v));
      inf.push_back(std::isinf(v));
      finite.push_back(std::isfinite(v));
    }
    check_rows(Primitive::neg, type, type, one, negated);
    check_rows(Primitive::abs, type, type, one, magnitude);
    check_rows(Primitive::is_nan, type, ScalarType::boolean, one, nan);
    check_rows(Primitive::is_inf, type, ScalarType::boolean, one, inf);
    check_rows(Primitive::is_finite, type, ScalarType::boolean, one, finite);

    const Columns pairs = bit_width(type) == 8 ? all_pairs_of_bytes() : sampled(type, 2, 20000, 41);
    const auto check_comparison = [&](Primitive p, bool (*f)(double, double)) {
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < pairs[0].size(); ++i)
        expected.push_back(f(value_as_f64(type, pairs[0][i]), value_as_f64(type, pairs[1][i])));
      check_rows(p, type, ScalarType::boolean, pairs, expected);
    };
    check_comparison(Primitive::eq, [](double a, double b) { return a == b; });
    check_comparison(Primitive::ne, [](double a, double b) { return a != b; });
    check_comparison(Primitive::lt, [](double a, double b) { return a < b; });
    check_comparison(Primitive::le, [](double a, double b) { return a <= b; });
    check_comparison(Primitive::gt, [](double a, double b) { return a > b; });
    check_comparison(Primitive::ge, [](double a, double b) { return a >= b; });
    std::vector<std::uint64_t> signs;
    for (std::size_t i = 0; i < pairs[0].size(); ++i)
      signs.push_back((pairs[0][i] & ~sign) | (pairs[1][i] & sign));
    check_rows(Primitive::copysign, type, type, pairs, signs);
  }
}
