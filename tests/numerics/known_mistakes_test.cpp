// SPDX-License-Identifier: Apache-2.0
// Results that other systems are known to get wrong (rows B24, B26, B28): integer ties, f8 casts, floor division.
#include "bits.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <vector>

using namespace tilenest;

namespace {

double cast(ScalarType from, std::uint64_t element, ScalarType to) {
  const auto outcome = apply_scalar(Primitive::cast, from, to, std::vector{element});
  CHECK_FALSE(outcome.undefined);
  return value_as_f64(to, outcome.bits);
}
std::int64_t of_i32(Primitive p, std::int64_t a, std::int64_t b) {
  const auto outcome = apply_scalar(p, ScalarType::i32, ScalarType::i32,
                                    std::vector{bits(a, ScalarType::i32), bits(b, ScalarType::i32)});
  CHECK_FALSE(outcome.undefined);
  return value_as_i64(ScalarType::i32, outcome.bits);
}

} // namespace

TEST_CASE("integers cast to bf16 go to the nearest, ties to even (B24)", "[NUM-RN]") {
  const std::int64_t from[] = {387, -387, 515, 1029, 65537};
  const double to[] = {388, -388, 516, 1032, 65536};
  for (int i = 0; i < 5; ++i)
    for (const ScalarType source : {ScalarType::i32, ScalarType::i64})
      CHECK(cast(source, bits(from[i], source), ScalarType::bf16) == to[i]);
}

TEST_CASE("casts to f8 round once (B26)", "[NUM-FP8][NUM-RN]") {
  const auto e4m3 = [](double x) { return cast(ScalarType::f32, bits(x, ScalarType::f32), ScalarType::f8e4m3fn); };
  const auto e5m2 = [](double x) { return cast(ScalarType::f32, bits(x, ScalarType::f32), ScalarType::f8e5m2); };
  CHECK(e4m3(123.9) == 120);
  CHECK(e4m3(124) == 128);
  CHECK(e4m3(60.5) == 60);
  CHECK(e4m3(1.1875 - 0x1p-20) == 1.125);
  CHECK(e5m2(1.375) == 1.5);
  CHECK(e5m2(1.625) == 1.5);
  CHECK(e5m2(1.5 * 0x1p-16) == 0x1p-15);
}

TEST_CASE("floor and truncating division differ on negative operands (B28)", "[NUM-INT]") {
  const std::int64_t a[] = {-7, 7, -8, -1, -9}, b[] = {3, -3, 4, 5, -4};
  const std::int64_t floordiv[] = {-3, -3, -2, -1, 2}, mod[] = {2, -2, 0, 4, -1};
  const std::int64_t div[] = {-2, -2, -2, 0, 2}, rem[] = {-1, 1, 0, -1, -1};
  for (int i = 0; i < 5; ++i) {
    CHECK(of_i32(Primitive::floordiv, a[i], b[i]) == floordiv[i]);
    CHECK(of_i32(Primitive::mod, a[i], b[i]) == mod[i]);
    CHECK(of_i32(Primitive::div, a[i], b[i]) == div[i]);
    CHECK(of_i32(Primitive::rem, a[i], b[i]) == rem[i]);
  }
}
