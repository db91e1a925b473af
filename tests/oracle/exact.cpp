// SPDX-License-Identifier: Apache-2.0
// Exact scalars: every operation is the textbook one on rationals; the type only says what is refused.
#include "tests/oracle/exact.h"
#include <cmath>
#include <cstring>

namespace tilenest::oracle {

namespace {

bool integral(const Rational &v) { return denominator(v) == 1; }
Rational truncated(const Rational &v) {
  return Rational(boost::multiprecision::cpp_int(numerator(v) / denominator(v))); // towards zero
}
Rational floored(const Rational &v) {
  const Rational t = truncated(v);
  return t > v ? Rational(t - 1) : t;
}

Rational lowest(ScalarType t) {
  return is_signed(t) ? -pow(boost::multiprecision::cpp_int(2), static_cast<unsigned>(bit_width(t) - 1))
                      : boost::multiprecision::cpp_int(0);
}
Rational highest(ScalarType t) {
  return pow(boost::multiprecision::cpp_int(2),
             static_cast<unsigned>(bit_width(t) - (is_signed(t) ? 1 : 0))) -
         1;
}
bool fits(ScalarType t, const Rational &v) { return v >= lowest(t) && v <= highest(t); }

} // namespace

std::int64_t whole(const Rational &v) {
  if (!integral(v) || !fits(ScalarType::i64, v)) throw Refused{"an integer that is none"};
  return numerator(v).convert_to<std::int64_t>();
}

Rational checked(ScalarType type, Rational v) {
  switch (kind_of(type)) {
  case ScalarKind::boolean:
    if (v != 0 && v != 1) throw Refused{"a bool that is neither 0 nor 1"};
    return v;
  case ScalarKind::signed_int:
  case ScalarKind::unsigned_int:
    if (!integral(v) || !fits(type, v)) throw Refused{"an integer that wraps"};
    return v;
  case ScalarKind::floating: {
    if (type != ScalarType::f32) throw Refused{"a float type other than f32"};
    const auto f = static_cast<float>(v.convert_to<double>());
    if (!std::isfinite(f) || Rational(f) != v) throw Refused{"a float that rounds"};
    return v;
  }
  }
  return v;
}

Scalar apply(OpKind kind, ScalarType type, ScalarType result, std::span<const Rational> in) {
  const Rational &a = in[0], &b = in.size() > 1 ? in[1] : in[0];
  const auto number = [&](Rational v) { return Scalar{checked(result, std::move(v))}; };
  const auto truth = [](bool v) { return Scalar{v ? 1 : 0}; };
  const bool floating = is_float(type);
  switch (kind) {
  case OpKind::add:
    return number(a + b);
  case OpKind::sub:
    return number(a - b);
  case OpKind::mul:
    if (floating && (a == 0 || b == 0) && (a < 0 || b < 0)) throw Refused{"-0"};
    return number(a * b);
  case OpKind::div:
    if (floating && (b == 0 || (a == 0 && b < 0))) throw Refused{"-0 or an infinity"};
    if (b == 0) return {0, "U0101"};
    return number(floating ? Rational(a / b) : truncated(a / b));
  case OpKind::rem:
    if (b == 0) return {0, "U0101"};
    return number(a - b * truncated(a / b));
  case OpKind::floordiv:
    if (b == 0) return {0, "U0101"};
    return number(floored(a / b));
  case OpKind::mod:
    if (b == 0) return {0, "U0101"};
    return number(a - b * floored(a / b));
  case OpKind::neg:
    if (floating && a == 0) throw Refused{"-0"};
    return number(-a);
  case OpKind::abs:
    return number(a < 0 ? Rational(-a) : a);
  case OpKind::min:
    return number(b < a ? b : a);
  case OpKind::max:
    return number(b > a ? b : a);
  case OpKind::eq:
    return truth(a == b);
  case OpKind::ne:
    return truth(a != b);
  case OpKind::lt:
    return truth(a < b);
  case OpKind::le:
    return truth(a <= b);
  case OpKind::gt:
    return truth(a > b);
  case OpKind::ge:
    return truth(a >= b);
  case OpKind::bit_and:
  case OpKind::bit_or:
  case OpKind::bit_xor: {
    const std::int64_t x = whole(a), y = whole(b);
    return number(kind == OpKind::bit_and ? x & y : kind == OpKind::bit_or ? x | y : x ^ y);
  }
  case OpKind::bit_not:
    if (type == ScalarType::boolean) return truth(a == 0);
    return number(is_signed(type) ? Rational(-a - 1) : Rational(highest(type) - a));
  case OpKind::shl:
  case OpKind::shr: {
    if (b < 0 || b >= bit_width(type)) return {0, "U0102"};
    const Rational by = pow(boost::multiprecision::cpp_int(2), static_cast<unsigned>(whole(b)));
    return number(kind == OpKind::shl ? Rational(a * by) : floored(a / by));
  }
  case OpKind::cast: {
    if (result == ScalarType::boolean) return truth(a != 0);
    if (floating && is_integer(result)) {
      const Rational t = truncated(a);
      return fits(result, t) ? Scalar{t} : Scalar{0, "U0103"};
    }
    return number(a);
  }
  default:
    throw Refused{std::string("operation ") + info(kind).name};
  }
}

Rational fold(Reducer reducer, ScalarType type, const Rational &a, const Rational &b) {
  const Rational in[] = {a, b};
  return apply(folding_op(reducer), type, type, in).value;
}

Rational identity(Reducer reducer, ScalarType type) {
  switch (reducer) {
  case Reducer::add:
  case Reducer::bit_or:
  case Reducer::bit_xor:
    return 0;
  case Reducer::mul:
    return 1;
  case Reducer::min:
    return highest(type);
  case Reducer::max:
    return lowest(type);
  case Reducer::bit_and:
    return type == ScalarType::boolean ? Rational(1) : is_signed(type) ? Rational(-1) : highest(type);
  default:
    throw Refused{"a reducer"};
  }
}

Rational combine(AtomicKind kind, ScalarType type, const Rational &a, const Rational &b) {
  constexpr OpKind ops[] = {OpKind::add,     OpKind::min,    OpKind::max,
                            OpKind::bit_and, OpKind::bit_or, OpKind::bit_xor};
  const Rational in[] = {a, b};
  return apply(ops[static_cast<int>(kind)], type, type, in).value;
}

Rational decode(ScalarType type, const std::uint8_t *bytes) {
  if (is_packed(type)) throw Refused{"a packed type"};
  if (is_float(type)) {
    float f = 0;
    if (type != ScalarType::f32) throw Refused{"a float type other than f32"};
    std::memcpy(&f, bytes, 4);
    if (!std::isfinite(f) || (f == 0 && std::signbit(f))) throw Refused{"-0, an infinity or a NaN"};
    return Rational(f);
  }
  boost::multiprecision::cpp_int v = 0;
  for (std::size_t i = byte_size(type); i-- > 0;) v = v * 256 + bytes[i];
  if (is_signed(type) && Rational(v) > highest(type))
    v -= pow(boost::multiprecision::cpp_int(2), static_cast<unsigned>(bit_width(type)));
  return checked(type, Rational(v));
}

void encode(ScalarType type, const Rational &v, std::uint8_t *bytes) {
  if (is_packed(type)) throw Refused{"a packed type"};
  (void)checked(type, v);
  if (is_float(type)) {
    const auto f = v.convert_to<float>();
    std::memcpy(bytes, &f, 4);
    return;
  }
  boost::multiprecision::cpp_int n = numerator(v);
  if (n < 0) n += pow(boost::multiprecision::cpp_int(2), static_cast<unsigned>(bit_width(type)));
  for (std::size_t i = 0; i < byte_size(type); ++i, n /= 256)
    bytes[i] = static_cast<std::uint8_t>(boost::multiprecision::cpp_int(n % 256).convert_to<unsigned>());
}

} // namespace tilenest::oracle
