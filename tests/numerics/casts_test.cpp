// SPDX-License-Identifier: Apache-2.0
// Every cast, on every instruction set: exhaustive for 8- and 16-bit sources, at the ties, edges and
// double-rounding traps of the wider ones, against exact integers.
#include "tests/volume.h"
#include "oracle.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

using namespace tilenest;

namespace {

// Runs all elements through one cast on every instruction set and counts the differences.
void check_casts(ScalarType from, const std::vector<std::uint64_t> &all, ScalarType to, bool saturate) {
  std::vector<std::uint64_t> elements;
  for (std::size_t i = 0; i < all.size(); i += every_nth) elements.push_back(all[i]);
  const std::size_t n = elements.size();
  std::vector<char> in(n * byte_size(from)), out(n * byte_size(to));
  for (std::size_t i = 0; i < n; ++i) store_bits(from, &in[i * byte_size(from)], oracle::standing(from, elements[i]));
  for (int isa = 0; isa < kernel_isa_count; ++isa) {
    const auto kernel = find_row_kernel(static_cast<KernelIsa>(isa), saturate ? Primitive::cast_sat : Primitive::cast, from, to);
    if (!supported(static_cast<KernelIsa>(isa))) continue;
    REQUIRE(kernel != nullptr);
    std::vector<std::uint8_t> undefined(n), wrapped(n);
    const RowOperand operand{in.data(), 1};
    const bool any = kernel(n, out.data(), &operand, {undefined.data(), wrapped.data()});
    std::size_t wrong = 0, first = n;
    bool expected_any = false;
    for (std::size_t i = 0; i < n; ++i) {
      const oracle::Cast e = oracle::cast(from, elements[i], to, saturate);
      expected_any |= e.undefined | e.wrapped;
      const std::uint64_t got = load_bits(to, &out[i * byte_size(to)]);
      if (oracle::same(to, got, oracle::standing(to, e.bits)) && undefined[i] == e.undefined && wrapped[i] == e.wrapped) continue;
      if (wrong++ == 0) first = i;
    }
    INFO(to_string(from) << " to " << to_string(to) << (saturate ? " saturating" : "") << " isa " << isa << " first "
                         << (first < n ? elements[first] : 0) << " gave "
                         << (first < n ? load_bits(to, &out[first * byte_size(to)]) : 0));
    CHECK(wrong == 0);
    CHECK(any == expected_any);
  }
}

std::vector<std::uint64_t> all_patterns(ScalarType type) {
  if (type == ScalarType::boolean) return {0, 1};
  std::vector<std::uint64_t> all(std::size_t{1} << bit_width(type));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

std::uint64_t f64_bits(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
std::uint64_t f32_bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The tie between each two neighbours of a narrow format, and its neighbours in f32 and f64: the f64 ones
// look like ties once they have gone through f32.
void ties_of(ScalarType narrow, std::vector<std::uint64_t> &f32s, std::vector<std::uint64_t> &f64s) {
  const std::uint64_t count = std::uint64_t{1} << (bit_width(narrow) - 1);
  double last = 0;
  for (std::uint64_t i = 0; i <= count; ++i) {
    double next = i < count ? value_as_f64(narrow, i) : HUGE_VAL;
    if (!std::isfinite(next)) {
      if (!std::isfinite(last)) continue;
      next = 2 * last - value_as_f64(narrow, i - 2); // where the next number would be
    }
    const double tie = (last + next) / 2;
    for (const double x : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, HUGE_VAL), next})
      for (const double signed_x : {x, -x}) f64s.push_back(f64_bits(signed_x));
    const float t = static_cast<float>(tie);
    for (const float x : {t, std::nextafter(t, 0.0f), std::nextafter(t, HUGE_VALF), static_cast<float>(next)})
      for (const float signed_x : {x, -x}) f32s.push_back(f32_bits(signed_x));
    if (i < count && !std::isfinite(value_as_f64(narrow, i))) break;
    last = next;
  }
}

void add_special_floats(std::vector<std::uint64_t> &f32s, std::vector<std::uint64_t> &f64s) {
  // Around every power of two: the edges of the integer types, subnormals, overflow.
  for (int e = -1074; e < 1024; ++e)
    for (const double offset : {0.0, -1.0, 1.0, -0.5, 0.5}) {
      const double p = std::ldexp(1.0, e) + (std::abs(e) < 70 ? offset : 0);
      for (const double x : {p, std::nextafter(p, 0.0), std::nextafter(p, HUGE_VAL)})
        for (const double y : {x, -x}) {
          f64s.push_back(f64_bits(y));
          f32s.push_back(f32_bits(static_cast<float>(y)));
        }
    }
  oracle::Random random{7};
  for (int i = 0; i < volume(20000); ++i) {
    f64s.push_back(oracle::random_element(ScalarType::f64, random));
    f32s.push_back(oracle::random_element(ScalarType::f32, random));
  }
  // f64 values that are ties of f32, and beside one.
  for (int i = 0; i < volume(20000); ++i) {
    const double x = static_cast<double>(value_as_f64(ScalarType::f32, random() & 0x7f7fffff));
    const double next = std::nextafter(static_cast<float>(x), HUGE_VALF);
    if (!std::isfinite(next)) continue;
    const double tie = (x + next) / 2;
    for (const double y : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, HUGE_VAL)}) f64s.push_back(f64_bits(y));
  }
}

// 64-bit integers: ties of every float format and their neighbours, which f64 cannot tell apart.
std::vector<std::uint64_t> special_integers() {
  std::vector<std::uint64_t> all;
  oracle::Random random{11};
  for (int precision : {3, 4, 8, 11, 24, 53})
    for (int top = 0; top < 64; ++top)
      for (int repeat = 0; repeat < 40; ++repeat) {
        const int unit = top - precision + 1; // value of the last kept bit
        const std::uint64_t leading = std::uint64_t{1} << top;
        const std::uint64_t kept = unit > 0 ? ((random() & (leading - 1)) >> unit) << unit : random() & (leading - 1);
        const std::uint64_t tie = leading | kept | (unit > 0 ? std::uint64_t{1} << (unit - 1) : 0);
        for (const std::uint64_t x : {tie, tie - 1, tie + 1, leading - 1 + repeat % 3}) {
          all.push_back(x);
          all.push_back(0 - x);
        }
      }
  for (int i = 0; i < volume(5000); ++i) all.push_back(oracle::random_element(ScalarType::u64, random));
  return all;
}

std::vector<std::uint64_t> masked(const std::vector<std::uint64_t> &elements, ScalarType type) {
  std::vector<std::uint64_t> out = elements;
  if (bit_width(type) < 64)
    for (std::uint64_t &x : out) x &= (std::uint64_t{1} << bit_width(type)) - 1;
  return out;
}

} // namespace

TEST_CASE("casts of all 4-, 8- and 16-bit elements to every type", "[NUM-TYPES][NUM-RN][NUM-INT][NUM-FP8]") {
  for (const ScalarType from : oracle::all_types()) {
    if (bit_width(from) > 16) continue;
    const auto elements = all_patterns(from);
    for (const ScalarType to : oracle::all_types())
      for (const bool saturate : {false, true}) check_casts(from, elements, to, saturate);
  }
}

TEST_CASE("casts of f32 and f64 at ties, edges and double-rounding traps", "[NUM-RN][NUM-INT][NUM-FP8]") {
  for (const ScalarType to : oracle::all_types()) {
    std::vector<std::uint64_t> f32s, f64s;
    if (is_float(to) && bit_width(to) <= 16) ties_of(to, f32s, f64s);
    add_special_floats(f32s, f64s);
    for (const bool saturate : {false, true}) {
      check_casts(ScalarType::f32, f32s, to, saturate);
      check_casts(ScalarType::f64, f64s, to, saturate);
    }
  }
}

TEST_CASE("casts of 32- and 64-bit integers at ties and beside them", "[NUM-RN][NUM-INT][NUM-WRAP]") {
  const auto elements = special_integers();
  for (const ScalarType from : {ScalarType::i32, ScalarType::u32, ScalarType::i64, ScalarType::u64})
    for (const ScalarType to : oracle::all_types())
      for (const bool saturate : {false, true}) check_casts(from, masked(elements, from), to, saturate);
}

TEST_CASE("f8 overflow as NUM-FP8 puts it", "[NUM-FP8]") {
  const auto cast = [](Primitive p, double x, ScalarType to) {
    return apply_scalar(p, ScalarType::f64, to, std::vector{f64_bits(x)}).bits;
  };
  const ScalarType e4m3 = ScalarType::f8e4m3fn, e5m2 = ScalarType::f8e5m2;
  CHECK(cast(Primitive::cast, 464, e4m3) == 0x7e);     // 448
  CHECK(cast(Primitive::cast, std::nextafter(464.0, 500), e4m3) == 0x7f);
  CHECK(oracle::is_nan(e4m3, cast(Primitive::cast, -1e9, e4m3)));
  CHECK(cast(Primitive::cast_sat, 1e9, e4m3) == 0x7e);
  CHECK(cast(Primitive::cast_sat, -HUGE_VAL, e4m3) == 0xfe);
  CHECK(oracle::is_nan(e4m3, cast(Primitive::cast_sat, NAN, e4m3)));
  CHECK(cast(Primitive::cast, 61439, e5m2) == 0x7b);   // 57344, the tie is at 61440
  CHECK(cast(Primitive::cast, 61440, e5m2) == 0x7c);   // infinity
  CHECK(cast(Primitive::cast_sat, 61440, e5m2) == 0x7b);
  CHECK(cast(Primitive::cast, -1e9, e5m2) == 0xfc);
}
