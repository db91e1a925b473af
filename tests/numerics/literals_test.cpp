// SPDX-License-Identifier: Apache-2.0
// Literals round once or have no value; decoded values; text that reads back to the same bits.
#include "oracle.h"
#include "semantics/numerics/literals.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

using namespace tilenest;

TEST_CASE("elements are the numbers of their formats", "[NUM-TYPES]") {
  CHECK(bit_width(ScalarType::boolean) == 8);
  CHECK(byte_size(ScalarType::f8e4m3fn) == 1);
  CHECK(byte_size(ScalarType::bf16) == 2);
  for (const ScalarType type : oracle::float_types()) {
    oracle::Random random{61};
    const std::size_t n = bit_width(type) <= 16 ? std::size_t{1} << bit_width(type) : 5000;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t bits = bit_width(type) <= 16 ? i : oracle::random_element(type, random);
      const oracle::Number x = oracle::number_of(type, bits);
      const double value = value_as_f64(type, bits);
      if (x.kind == oracle::Number::nan) wrong += !std::isnan(value);
      else if (x.kind == oracle::Number::infinite) wrong += !std::isinf(value) || std::signbit(value) != x.negative;
      else
        wrong += std::fabs(value) != std::ldexp(static_cast<double>(static_cast<std::uint64_t>(x.magnitude)), x.exponent) ||
                 std::signbit(value) != x.negative;
    }
    INFO(to_string(type));
    CHECK(wrong == 0);
  }
  // Hand-decoded: f8e4m3fn 0x7e is 1.75 * 2^8, 0x01 is 2^-9; f8e5m2 0x7b is 1.75 * 2^15, 0x01 is 2^-16.
  CHECK(value_as_f64(ScalarType::f8e4m3fn, 0x7e) == 448);
  CHECK(value_as_f64(ScalarType::f8e4m3fn, 0x01) == 0x1p-9);
  CHECK(value_as_f64(ScalarType::f8e5m2, 0x7b) == 57344);
  CHECK(value_as_f64(ScalarType::f8e5m2, 0x01) == 0x1p-16);
  CHECK(value_as_f64(ScalarType::bf16, 0x3fc0) == 1.5);
  CHECK(value_as_f64(ScalarType::f16, 0x7bff) == 65504);
  CHECK(value_as_i64(ScalarType::i8, 0xff) == -1);
  CHECK(value_as_i64(ScalarType::u8, 0xff) == 255);
  CHECK(value_as_f64(ScalarType::u64, ~0ull) == 0x1p64);
}

TEST_CASE("a literal rounds once to the type it meets", "[NUM-LIT]") {
  // 1 + 2^-24 + 2^-52 is above f32's tie, 1 + 2^-8 + 2^-40 above bf16's: through f32 the latter becomes the tie.
  CHECK(literal_bits(1 + 0x1p-24 + 0x1p-52, ScalarType::f32) == 0x3f800001u);
  CHECK(literal_bits(1 + 0x1p-8 + 0x1p-40, ScalarType::bf16) == 0x3f81u);
  CHECK(literal_bits(1 + 0x1p-11 + 0x1p-40, ScalarType::f16) == 0x3c01u);
  // 2^24 + 1 is f32's tie and goes to even. 2^53 + 2^29 + 1 does not lie in f64: through it the f32 tie.
  CHECK(literal_bits(std::int64_t{16777217}, ScalarType::f32) == 0x4b800000u);
  CHECK(literal_bits((std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1, ScalarType::f32) == 0x5a000001u);
  CHECK(literal_bits(0.1, ScalarType::f64) == 0x3fb999999999999aull);
  CHECK(literal_bits(1e300, ScalarType::f32) == 0x7f800000u);
  CHECK(literal_bits(-0.0, ScalarType::bf16) == 0x8000u);
}

TEST_CASE("a literal that the type has no value for", "[NUM-LIT]") {
  for (const ScalarType type : oracle::integer_types()) CHECK_FALSE(literal_bits(1.0, type));
  CHECK_FALSE(literal_bits(1.0, ScalarType::boolean));
  CHECK_FALSE(literal_bits(std::int64_t{2}, ScalarType::boolean));
  CHECK_FALSE(literal_bits(std::int64_t{-1}, ScalarType::boolean));
  CHECK(literal_bits(std::int64_t{1}, ScalarType::boolean) == 1u);
  CHECK(literal_bits(std::int64_t{255}, ScalarType::u8) == 255u);
  CHECK_FALSE(literal_bits(std::int64_t{256}, ScalarType::u8));
  CHECK_FALSE(literal_bits(std::int64_t{-1}, ScalarType::u8));
  CHECK_FALSE(literal_bits(std::int64_t{-1}, ScalarType::u64));
  CHECK(literal_bits(std::int64_t{-128}, ScalarType::i8) == 0x80u);
  CHECK_FALSE(literal_bits(std::int64_t{128}, ScalarType::i8));
  CHECK_FALSE(literal_bits(std::int64_t{-129}, ScalarType::i8));
  CHECK(literal_bits(std::int64_t{-2147483647 - 1}, ScalarType::i32) == 0x80000000u);
  CHECK_FALSE(literal_bits(std::int64_t{2147483648}, ScalarType::i32));
  CHECK(literal_bits(INT64_MIN, ScalarType::i64) == 0x8000000000000000u);
}

TEST_CASE("literals agree with the exact oracle on every float type", "[NUM-LIT]") {
  oracle::Random random{67};
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    const auto n = static_cast<std::int64_t>(bits) >> (random() % 60);
    for (const ScalarType type : oracle::float_types()) {
      const bool same = oracle::same(type, literal_bits(x, type).value(), oracle::round_to(type, oracle::number_of(x))) &&
                        literal_bits(n, type) == oracle::round_to(type, oracle::number_of(ScalarType::i64, static_cast<std::uint64_t>(n)));
      if (!same) FAIL_CHECK(to_string(type) << " " << x << " " << n);
    }
  }
  CHECK(true);
}

TEST_CASE("text of every element reads back to its bits", "[NUM-LIT]") {
  for (const ScalarType type : oracle::all_types()) {
    oracle::Random random{71};
    const bool all = bit_width(type) <= 16;
    const std::size_t n = type == ScalarType::boolean ? 2 : all ? std::size_t{1} << bit_width(type) : 20000;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t bits = oracle::standing(type, all ? i : oracle::random_element(type, random));
      const auto back = parse_scalar(scalar_text(type, bits), type);
      wrong += !back || !oracle::same(type, *back, bits);
    }
    INFO(to_string(type));
    CHECK(wrong == 0);
  }
}

TEST_CASE("text is short and shows its kind", "[NUM-LIT]") {
  const auto text = [](double x, ScalarType type) { return scalar_text(type, literal_bits(x, type).value()); };
  CHECK(text(1, ScalarType::f32) == "1.0");
  CHECK(text(0.1, ScalarType::f32) == "0.1");
  CHECK(text(0.1, ScalarType::f16) == "0.1");
  CHECK(text(0.1, ScalarType::f64) == "0.1");
  CHECK(text(-0.0, ScalarType::f32) == "-0.0");
  CHECK(text(1e20, ScalarType::f64) == "1e20");
  CHECK(text(HUGE_VAL, ScalarType::bf16) == "inf");
  CHECK(text(-HUGE_VAL, ScalarType::f8e5m2) == "-inf");
  CHECK(text(NAN, ScalarType::f8e4m3fn) == "nan");
  CHECK(text(448, ScalarType::f8e4m3fn) == "448.0"); // though 450 rounds to it too
  CHECK(text(0x1p-9, ScalarType::f8e4m3fn) == "0.002"); // alone within half of 0x1p-9 of it
  CHECK(text(3e38, ScalarType::bf16) == "3e38");
  CHECK(scalar_text(ScalarType::i8, 0x80) == "-128");
  CHECK(scalar_text(ScalarType::u64, ~0ull) == "18446744073709551615");
  CHECK(scalar_text(ScalarType::boolean, 1) == "true");
}

TEST_CASE("numbers are read whole or not at all", "[NUM-LIT]") {
  CHECK(parse_scalar("0x1p-3", ScalarType::f32) == 0x3e000000u);
  CHECK(parse_scalar("0xff", ScalarType::u8) == 255u);
  CHECK(parse_scalar("3", ScalarType::f32) == 0x40400000u);
  CHECK(parse_scalar("-0", ScalarType::f32) == 0x80000000u);
  CHECK(parse_scalar("-0", ScalarType::i32) == 0u);
  CHECK(parse_scalar("18446744073709551615", ScalarType::f64) == 0x43f0000000000000u);
  CHECK(parse_scalar("-inf", ScalarType::f64) == 0xfff0000000000000u);
  for (const char *bad : {"", "-", "+", "--1", "1x", "0x", "1.5.2", " 1", "1 ", "e5", "infinity", "nano", "-+1", "1e400", "-1e400", "1e-400"})
    CHECK_FALSE(parse_scalar(bad, ScalarType::f32));
  for (const char *bad : {"256", "-1", "1.0", "1e2", "nan", "18446744073709551616", "-18446744073709551615"})
    CHECK_FALSE(parse_scalar(bad, ScalarType::u8));
  CHECK_FALSE(parse_scalar("maybe", ScalarType::boolean));
}
