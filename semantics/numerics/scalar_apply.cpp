// SPDX-License-Identifier: Apache-2.0
// Single elements through the row kernels, and exact integer results for reports.
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace tilenest {

static_assert(std::endian::native == std::endian::little, "elements are little-endian (NUM-TYPES)");

std::uint64_t load_bits(ScalarType type, const void *element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, byte_size(type));
  return bits;
}

void store_bits(ScalarType type, void *element, std::uint64_t bits) { std::memcpy(element, &bits, byte_size(type)); }

ScalarOutcome apply_scalar(Primitive primitive, ScalarType operand_type, ScalarType result_type,
                           std::span<const std::uint64_t> operands) {
  const RowKernel kernel = find_row_kernel(primitive, operand_type, result_type);
  assert(kernel != nullptr && operands.size() >= static_cast<std::size_t>(arity(primitive)));
  RowOperand rows[3] = {};
  for (int i = 0; i < arity(primitive); ++i) rows[i] = {&operands[static_cast<std::size_t>(i)], 0};
  std::uint8_t undefined = 0, wrapped = 0;
  ScalarOutcome outcome;
  kernel(1, &outcome.bits, rows, {&undefined, &wrapped});
  outcome.undefined = undefined != 0;
  outcome.wrapped = wrapped != 0;
  return outcome;
}

namespace {

// Sign and magnitude: products of two u64 need 128 bits of magnitude.
struct BigInteger {
  bool negative = false;
  unsigned __int128 magnitude = 0;
};

BigInteger big(ScalarType type, std::uint64_t bits) {
  if (!is_signed(type)) return {false, bits};
  const int unused = 64 - bit_width(type);
  const std::int64_t value = static_cast<std::int64_t>(bits << unused) >> unused;
  return value < 0 ? BigInteger{true, std::uint64_t{0} - static_cast<std::uint64_t>(value)}
                   : BigInteger{false, static_cast<std::uint64_t>(value)};
}
BigInteger plus(BigInteger a, BigInteger b) {
  if (a.negative == b.negative) return {a.negative, a.magnitude + b.magnitude};
  if (a.magnitude >= b.magnitude) return {a.negative, a.magnitude - b.magnitude};
  return {b.negative, b.magnitude - a.magnitude};
}

std::string decimal(BigInteger value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value.magnitude % 10));
    value.magnitude /= 10;
  } while (value.magnitude != 0);
  if (value.negative && digits != "0") digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

} // namespace

std::string exact_result(Primitive primitive, ScalarType type, std::span<const std::uint64_t> operands) {
  const BigInteger a = big(type, operands[0]);
  const BigInteger b = operands.size() > 1 ? big(type, operands[1]) : BigInteger{};
  switch (primitive) {
  case Primitive::add: return decimal(plus(a, b));
  case Primitive::sub: return decimal(plus(a, {!b.negative, b.magnitude}));
  case Primitive::mul: return decimal({a.negative != b.negative, a.magnitude * b.magnitude});
  case Primitive::neg: return decimal({!a.negative, a.magnitude});
  case Primitive::abs: return decimal({false, a.magnitude});
  case Primitive::div:
  case Primitive::floordiv: return decimal({!a.negative, a.magnitude}); // wraps for INT_MIN / -1 alone
  case Primitive::shl: return decimal({a.negative, a.magnitude << static_cast<int>(b.magnitude & 63)});
  default: return decimal(a); // a cast: the value itself
  }
}

} // namespace tilenest
