// SPDX-License-Identifier: Apache-2.0
// Enclosures of real arithmetic: exact results stay points, others are rounded down and up, overflows reach from the
// largest finite value to the infinity, invalid operations give anything.
#include "semantics/numerics/enclosure_algebra.h"
#include "semantics/numerics/term_sum.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;

namespace {

std::uint64_t bits_of(float v) { return std::bit_cast<std::uint32_t>(v); }

Enclosure real(Primitive p, std::initializer_list<float> operands) {
  std::vector<Enclosure> x;
  for (const float v : operands) x.push_back(Enclosure::of(ScalarType::f32, bits_of(v)));
  bool undefined = false;
  return enclose(real_arithmetic(), p, ScalarType::f32, ScalarType::f32, x, undefined);
}

void between(const Enclosure &e, float low, float high) {
  INFO(e.low << " " << e.high);
  CHECK(e == Enclosure{bits_of(low), bits_of(high), true, false});
}

} // namespace

TEST_CASE("real arithmetic: results that a type holds, and the neighbours of others", "[numerics][RED-LAW]") {
  const float inf = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  between(real(Primitive::add, {1, 1}), 2, 2);
  between(real(Primitive::mul, {0.5F, -3}), -1.5F, -1.5F);
  between(real(Primitive::div, {1, 3}), std::nextafter(1 / 3.0F, 0.0F), 1 / 3.0F); // 1/3 rounds up in f32
  between(real(Primitive::add, {1, 0x1p-60F}), 1, std::nextafter(1.0F, 2.0F));
  between(real(Primitive::exp, {0}), 1, 1);
  between(real(Primitive::max, {1, 3}), 3, 3);
  between(real(Primitive::add, {largest, largest}), largest, inf);
  between(real(Primitive::add, {-largest, -largest}), -inf, -largest);
  between(real(Primitive::add, {inf, 1}), inf, inf);
}

TEST_CASE("real arithmetic: an invalid operation gives anything, a NaN stays one", "[numerics][RED-LAW]") {
  const float inf = std::numeric_limits<float>::infinity();
  const Enclosure all = Enclosure::everything(ScalarType::f32);
  CHECK(real(Primitive::sub, {inf, inf}) == all);
  CHECK(real(Primitive::mul, {0, inf}) == all);
  CHECK(real(Primitive::sqrt, {-1}) == all);
  CHECK(real(Primitive::add, {std::nanf(""), 1}) == Enclosure::not_a_number());
}

TEST_CASE("real arithmetic: a sum of terms", "[numerics][RED-LAW]") {
  const StepError add = step_error(real_arithmetic(), Primitive::add, ScalarType::f32), mul = step_error(real_arithmetic(), Primitive::mul, ScalarType::f32);
  TermSum whole(ScalarType::f32), rounded(ScalarType::f32);
  for (const float v : {1.0F, 2.0F, 3.0F}) whole.add(Enclosure::of(ScalarType::f32, bits_of(v)));
  between(whole.close(add, mul), 6, 6);
  for (const float v : {1.0F, 0x1p-40F}) rounded.add(Enclosure::of(ScalarType::f32, bits_of(v)));
  const Enclosure e = rounded.close(add, mul);
  CHECK((e.contains(ScalarType::f32, bits_of(1)) && e.contains(ScalarType::f32, bits_of(std::nextafter(1.0F, 2.0F)))));
}
