// SPDX-License-Identifier: Apache-2.0
// Exact scalars: every operation is the textbook one on rationals; the type only says what is refused.
#include "tests/oracle/exact.h"
#include <cmath>
#include <cstring>

namespace tilenest::oracle {

namespace {

Rational truncated(const Rational &v) { return Integer(numerator(v) / denominator(v)); } // towards zero
Rational floored(const Rational &v) { return truncated(v) > v ? Rational(truncated(v) - 1) : truncated(v); }
Integer two_to(std::int64_t n) { return Integer(1) << static_cast<unsigned>(n); }
bool fits(ScalarType t, const Rational &v) { // an integer type
  const Integer half = t == ScalarType::boolean ? Integer(1) : two_to(bit_width(t) - 1), n = numerator(v);
  return denominator(v) == 1 && (is_signed(t) ? n >= -half && n < half : n >= 0 && n < 2 * half);
}

} // namespace

std::int64_t whole(const Rational &v) {
  if (!fits(ScalarType::i64, v)) throw Refused{"an integer that is none"};
  return numerator(v).convert_to<std::int64_t>();
}

Rational checked(ScalarType type, Rational v) {
  if (is_packed(type)) throw Refused{"a packed type"};
  if (!is_float(type)) {
    if (!fits(type, v)) throw Refused{"an integer that wraps"};
    return v;
  }
  if (type != ScalarType::f32) throw Refused{"a float type other than f32"};
  const auto f = static_cast<float>(v.convert_to<double>());
  if (!std::isfinite(f) || Rational(f) != v) throw Refused{"a float that rounds"};
  return v;
}

Scalar apply(OpKind kind, ScalarType type, ScalarType result, const Rational &a, const Rational &b) {
  const auto number = [&](const Rational &v) { return Scalar{checked(result, v)}; };
  const auto truth = [](bool v) { return Scalar{v ? 1 : 0}; };
  const bool floating = is_float(type);
  switch (kind) {
  case OpKind::div: case OpKind::rem: case OpKind::mod:
    if (floating && (b == 0 || (a == 0 && b < 0))) throw Refused{"-0 or an infinity"};
    if (b == 0) return {0, "U0101"};
    if (kind == OpKind::div) return number(floating ? Rational(a / b) : truncated(a / b));
    return number(a - b * (kind == OpKind::rem ? truncated(a / b) : floored(a / b)));
  case OpKind::mul:
    if (floating && (a == 0 || b == 0) && (a < 0 || b < 0)) throw Refused{"-0"};
    return number(a * b);
  case OpKind::add: return number(a + b);
  case OpKind::sub: return number(a - b);
  case OpKind::min: return number(b < a ? b : a);
  case OpKind::max: return number(b > a ? b : a);
  case OpKind::eq: return truth(a == b);
  case OpKind::ne: return truth(a != b);
  case OpKind::lt: return truth(a < b);
  case OpKind::le: return truth(a <= b);
  case OpKind::gt: return truth(a > b);
  case OpKind::ge: return truth(a >= b);
  case OpKind::bit_and: return number(whole(a) & whole(b));
  case OpKind::bit_or: return number(whole(a) | whole(b));
  case OpKind::bit_xor: return number(whole(a) ^ whole(b));
  case OpKind::shr:
    if (b < 0 || b >= bit_width(type)) return {0, "U0102"};
    return number(floored(a / two_to(whole(b))));
  case OpKind::cast:
    if (result == ScalarType::boolean) return truth(a != 0);
    if (!floating || is_float(result)) return number(a);
    return fits(result, truncated(a)) ? Scalar{truncated(a)} : Scalar{0, "U0103"};
  default: throw Refused{std::string("operation ") + info(kind).name};
  }
}

Rational decode(ScalarType type, const std::uint8_t *bytes) {
  if (is_float(type)) {
    float f = 0;
    if (type != ScalarType::f32) throw Refused{"a float type other than f32"};
    std::memcpy(&f, bytes, 4);
    if (!std::isfinite(f) || (f == 0 && std::signbit(f))) throw Refused{"-0, an infinity or a NaN"};
    return Rational(f);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, byte_size(type));
  const Rational v = bits;
  return checked(type, fits(type, v) ? v : Rational(v - two_to(bit_width(type))));
}

void encode(ScalarType type, const Rational &v, std::uint8_t *bytes) {
  (void)checked(type, v);
  const auto f = v.convert_to<float>();
  const auto bits = numerator(v < 0 ? Rational(v + two_to(64)) : v).convert_to<std::uint64_t>();
  std::memcpy(bytes, is_float(type) ? static_cast<const void *>(&f) : &bits, byte_size(type));
}

} // namespace tilenest::oracle
