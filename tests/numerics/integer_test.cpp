// SPDX-License-Identifier: Apache-2.0
// Integer primitives against exact 128-bit arithmetic: results, missing results, wraps, exact values.
// Exhaustive over pairs of 8-bit elements, edges and random elements for the wider types.
#include "tests/volume.h"
#include "oracle.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <optional>

using namespace tilenest;
using i128 = __int128;

namespace {

i128 value(ScalarType type, std::uint64_t bits) {
  const oracle::Number n = oracle::number_of(type, bits);
  return n.negative ? -static_cast<i128>(n.magnitude) : static_cast<i128>(n.magnitude);
}
std::uint64_t wrap(ScalarType type, i128 exact) {
  const std::uint64_t low = static_cast<std::uint64_t>(static_cast<oracle::u128>(exact));
  return bit_width(type) == 64 ? low : low & ((std::uint64_t{1} << bit_width(type)) - 1);
}
i128 floor_quotient(i128 a, i128 b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0); }

// The exact result by NUM-INT; nullopt where there is none. The product of two u64 fits 128 bits unsigned:
// wrapping arithmetic on the bits of i128 is the same.
std::optional<i128> exact(Primitive p, ScalarType type, i128 a, i128 b) {
  const int width = bit_width(type);
  const auto product = [&] { return static_cast<i128>(static_cast<oracle::u128>(a) * static_cast<oracle::u128>(b)); };
  switch (p) {
  case Primitive::add: return a + b;
  case Primitive::sub: return a - b;
  case Primitive::mul: return product();
  case Primitive::div: return b == 0 ? std::nullopt : std::optional<i128>(a / b);
  case Primitive::rem: return b == 0 ? std::nullopt : std::optional<i128>(a % b);
  case Primitive::floordiv: return b == 0 ? std::nullopt : std::optional<i128>(floor_quotient(a, b));
  case Primitive::mod: return b == 0 ? std::nullopt : std::optional<i128>(a - b * floor_quotient(a, b));
  case Primitive::mul_high:
    if (!is_signed(type) && width == 64)
      return static_cast<i128>((static_cast<oracle::u128>(a) * static_cast<oracle::u128>(b)) >> 64);
    return product() >> width;
  case Primitive::neg: return -a;
  case Primitive::abs: return a < 0 ? -a : a;
  case Primitive::min:
  case Primitive::minnum: return a < b ? a : b;
  case Primitive::max:
  case Primitive::maxnum: return a > b ? a : b;
  case Primitive::bit_and: return a & b;
  case Primitive::bit_or: return a | b;
  case Primitive::bit_xor: return a ^ b;
  case Primitive::bit_not: return ~a;
  case Primitive::shl: return b < 0 || b >= width ? std::nullopt : std::optional<i128>(a * (i128{1} << b));
  case Primitive::shr: return b < 0 || b >= width ? std::nullopt : std::optional<i128>(a >> b);
  default: return std::nullopt;
  }
}

// Whether the primitive's result, taken out of the type's range, counts as wrapped.
bool counts_as_wrap(Primitive p) { return p != Primitive::bit_not; }

constexpr Primitive checked[] = {Primitive::add,     Primitive::sub,    Primitive::mul,    Primitive::div,
                                 Primitive::rem,     Primitive::floordiv, Primitive::mod,  Primitive::mul_high,
                                 Primitive::neg,     Primitive::abs,    Primitive::min,    Primitive::max,
                                 Primitive::minnum,  Primitive::maxnum, Primitive::bit_and, Primitive::bit_or,
                                 Primitive::bit_xor, Primitive::bit_not, Primitive::shl,   Primitive::shr};

} // namespace

TEST_CASE("integer primitives are exact, wrap, or have no result", "[NUM-INT][NUM-WRAP]") {
  for (const ScalarType type : oracle::integer_types()) {
    const std::size_t size = byte_size(type);
    std::vector<std::uint64_t> a, b;
    if (size == 1) {
      for (std::uint64_t i = 0; i < 65536; ++i) {
        a.push_back(i & 255);
        b.push_back(i >> 8);
      }
    } else {
      oracle::Random random{43};
      for (int i = 0; i < volume(20000); ++i) {
        a.push_back(oracle::random_element(type, random));
        // Small second operands: shift counts, divisors.
        b.push_back(i % 4 == 0 ? random() % 70 : oracle::random_element(type, random));
      }
    }
    const std::size_t n = a.size();
    std::vector<char> left(n * size), right(n * size), out(n * size);
    for (std::size_t i = 0; i < n; ++i) {
      store_bits(type, &left[i * size], a[i]);
      store_bits(type, &right[i * size], b[i]);
    }
    const RowOperand operands[] = {{left.data(), 1}, {right.data(), 1}};
    for (const Primitive p : checked)
      for (int isa = 0; isa < kernel_isa_count; ++isa) {
        if (!supported(static_cast<KernelIsa>(isa))) continue;
        const RowKernel kernel = find_row_kernel(static_cast<KernelIsa>(isa), p, type, type);
        REQUIRE(kernel != nullptr);
        std::vector<std::uint8_t> undefined(n), wrapped(n);
        kernel(n, out.data(), operands, {undefined.data(), wrapped.data()});
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const i128 x = value(type, a[i]), y = value(type, b[i]);
          const auto e = exact(p, type, x, y);
          const std::uint64_t bits = e ? wrap(type, *e) : 0;
          const std::uint64_t got = load_bits(type, &out[i * size]);
          const bool wraps = e && counts_as_wrap(p) && value(type, bits) != *e;
          wrong += got != bits || undefined[i] != !e || wrapped[i] != wraps;
          wrong += undefined[i] && !may_be_undefined(p, type, type);
          wrong += wrapped[i] && !may_wrap(p, type, type);
        }
        INFO(to_string(p) << " " << to_string(type) << " isa " << isa);
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("the extremes of NUM-INT", "[NUM-INT]") {
  const ScalarType i32 = ScalarType::i32;
  const std::uint64_t least = 0x80000000u, minus_one = 0xffffffffu;
  const auto apply = [&](Primitive p, std::uint64_t a, std::uint64_t b) {
    return apply_scalar(p, i32, i32, std::vector{a, b});
  };
  CHECK(apply(Primitive::div, least, minus_one).bits == least);
  CHECK(apply(Primitive::floordiv, least, minus_one).bits == least);
  CHECK(apply(Primitive::rem, least, minus_one).bits == 0);
  CHECK(apply(Primitive::mod, least, minus_one).bits == 0);
  CHECK(apply(Primitive::abs, least, 0).bits == least);
  CHECK(apply(Primitive::abs, least, 0).wrapped);
  CHECK(apply(Primitive::div, 5, 0).undefined);
  CHECK(apply(Primitive::shl, 1, 32).undefined);
  CHECK(apply(Primitive::shr, 1, minus_one).undefined);
  CHECK(apply(Primitive::shr, least, 31).bits == minus_one); // arithmetic
  CHECK(apply_scalar(Primitive::shr, ScalarType::u32, ScalarType::u32, std::vector<std::uint64_t>{least, 31}).bits == 1);
}

TEST_CASE("counting bits", "[NUM-INT]") {
  for (const ScalarType type : oracle::integer_types()) {
    oracle::Random random{47};
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t x = i == 0 ? 0 : oracle::random_element(type, random);
      int ones = 0, leading = 0, trailing = 0;
      for (int k = 0; k < bit_width(type); ++k) ones += static_cast<int>(x >> k & 1);
      while (leading < bit_width(type) && (x >> (bit_width(type) - 1 - leading) & 1) == 0) ++leading;
      while (trailing < bit_width(type) && (x >> trailing & 1) == 0) ++trailing;
      const auto apply = [&](Primitive p) { return apply_scalar(p, type, type, std::vector{x}).bits; };
      CHECK(apply(Primitive::popcount) == static_cast<std::uint64_t>(ones));
      CHECK(apply(Primitive::clz) == static_cast<std::uint64_t>(leading));
      CHECK(apply(Primitive::ctz) == static_cast<std::uint64_t>(trailing));
    }
  }
}

TEST_CASE("the exact value behind a wrapped result", "[NUM-WRAP]") {
  using T = ScalarType;
  const auto exact = [](Primitive p, T type, std::vector<std::uint64_t> operands) {
    return exact_result(p, type, operands);
  };
  CHECK(exact(Primitive::mul, T::i32, {40000, 65536}) == "2621440000"); // wraps to -1673527296
  const auto product = apply_scalar(Primitive::mul, T::i32, T::i32, std::vector<std::uint64_t>{40000, 65536});
  CHECK(product.wrapped);
  CHECK(static_cast<std::int32_t>(product.bits) == -1673527296);
  CHECK(exact(Primitive::mul, T::u64, {~0ull, ~0ull}) == "340282366920938463426481119284349108225");
  CHECK(exact(Primitive::mul, T::i64, {1ull << 63, 2}) == "-18446744073709551616");
  CHECK(exact(Primitive::add, T::u8, {255, 1}) == "256");
  CHECK(exact(Primitive::sub, T::u8, {0, 1}) == "-1");
  CHECK(exact(Primitive::sub, T::i8, {0x80, 0x7f}) == "-255");
  CHECK(exact(Primitive::neg, T::i64, {1ull << 63}) == "9223372036854775808");
  CHECK(exact(Primitive::neg, T::u8, {3}) == "-3");
  CHECK(exact(Primitive::abs, T::i8, {0x80}) == "128");
  CHECK(exact(Primitive::shl, T::u64, {~0ull, 63}) == "170141183460469231722463931679029329920");
  CHECK(exact(Primitive::shl, T::i8, {0xff, 7}) == "-128");
  CHECK(exact(Primitive::div, T::i8, {0x80, 0xff}) == "128");
  CHECK(exact(Primitive::cast, T::i32, {0xffffffffu}) == "-1");
}

TEST_CASE("wraps are remembered by + - *, negation and casts alone", "[NUM-WRAP]") {
  for (int i = 0; i < primitive_count; ++i) {
    const auto p = static_cast<Primitive>(i);
    const bool named = p == Primitive::add || p == Primitive::sub || p == Primitive::mul || p == Primitive::neg ||
                       p == Primitive::cast;
    CHECK(remembers_wrap(p) == named);
  }
  const auto sum = apply_scalar(Primitive::add, ScalarType::i64, ScalarType::i64,
                                std::vector<std::uint64_t>{0x7fffffffffffffffu, 1});
  CHECK(sum.wrapped);
}
