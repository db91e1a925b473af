// SPDX-License-Identifier: Apache-2.0
// Results by exact integers, by f64 where it is exact, by MPFR elsewhere.
#include "tests/types/elements.h"
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tilenest {

namespace {

using i128 = __int128;

i128 integer(ScalarType type, std::uint64_t bits) {
  const oracle::Number n = oracle::number_of(type, bits);
  return n.negative ? -static_cast<i128>(n.magnitude) : static_cast<i128>(n.magnitude);
}
std::uint64_t wrapped(ScalarType type, i128 x) {
  const auto low = static_cast<std::uint64_t>(x);
  return bit_width(type) == 64 ? low : low & ((std::uint64_t{1} << bit_width(type)) - 1);
}
// Every float element is an f64.
double real(ScalarType type, std::uint64_t bits) {
  const oracle::Number n = oracle::number_of(type, bits);
  const double magnitude = n.kind == oracle::Number::nan        ? std::numeric_limits<double>::quiet_NaN()
                           : n.kind == oracle::Number::infinite ? HUGE_VAL
                                                                : std::ldexp(static_cast<double>(n.magnitude), n.exponent);
  return n.negative ? -magnitude : magnitude;
}
std::uint64_t back(ScalarType type, double x) { return oracle::round_to(type, oracle::number_of(x)); }

double extremum(double a, double b, bool smaller, bool ignore_nan) {
  if (std::isnan(a) || std::isnan(b)) return ignore_nan && std::isnan(a) != std::isnan(b) ? (std::isnan(a) ? b : a) : NAN;
  if (a == 0 && b == 0) return std::signbit(a) == smaller ? a : b; // -0 below +0
  return (a < b) == smaller ? a : b;
}

std::uint64_t on_floats(OpKind row, ScalarType type, const Elements &x) {
  const std::uint64_t sign = std::uint64_t{1} << (bit_width(type) - 1);
  const double a = real(type, x[0]), b = x.size() > 1 ? real(type, x[1]) : 0;
  switch (row) {
  case OpKind::neg: return x[0] ^ sign;
  case OpKind::abs: return x[0] & ~sign;
  case OpKind::min: return back(type, extremum(a, b, true, false));
  case OpKind::max: return back(type, extremum(a, b, false, false));
  case OpKind::minnum: return back(type, extremum(a, b, true, true));
  case OpKind::maxnum: return back(type, extremum(a, b, false, true));
  case OpKind::floor: return back(type, std::floor(a));
  case OpKind::ceil: return back(type, std::ceil(a));
  case OpKind::trunc: return back(type, std::trunc(a));
  case OpKind::round: return back(type, std::nearbyint(a)); // the default rounding: ties to even
  case OpKind::is_nan: return std::isnan(a);
  default: break;
  }
  return oracle::apply(*find_primitive(info(row).name), type, x);
}

std::uint64_t on_integers(OpKind row, ScalarType type, const Elements &x) {
  const i128 a = integer(type, x[0]), b = x.size() > 1 ? integer(type, x[1]) : 0;
  const auto floored = [&] { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  switch (row) {
  case OpKind::add: return wrapped(type, a + b);
  case OpKind::sub: return wrapped(type, a - b);
  case OpKind::mul: return wrapped(type, static_cast<i128>(static_cast<oracle::u128>(a) * static_cast<oracle::u128>(b)));
  case OpKind::div: return wrapped(type, a / b);
  case OpKind::rem: return wrapped(type, a % b);
  case OpKind::floordiv: return wrapped(type, floored());
  case OpKind::mod: return wrapped(type, a - b * floored());
  case OpKind::neg: return wrapped(type, -a);
  case OpKind::abs: return wrapped(type, a < 0 ? -a : a);
  case OpKind::min: return a < b ? x[0] : x[1];
  case OpKind::max: return a > b ? x[0] : x[1];
  case OpKind::bit_and: return x[0] & x[1];
  case OpKind::bit_or: return x[0] | x[1];
  case OpKind::bit_xor: return x[0] ^ x[1];
  case OpKind::bit_not: return wrapped(type, ~a) & (type == ScalarType::boolean ? 1 : ~std::uint64_t{0});
  case OpKind::shl: return wrapped(type, a * (i128{1} << static_cast<int>(b)));
  case OpKind::shr: return wrapped(type, a >> static_cast<int>(b)); // of a negative number it floors
  default: throw std::logic_error(std::string("no expectation for ") + info(row).name);
  }
}

} // namespace

std::uint64_t expected(OpKind row, ScalarType type, const Elements &x) {
  const bool floats = is_float(type);
  auto compared = [&](auto by) {
    return std::uint64_t{floats ? by(real(type, x[0]), real(type, x[1])) : by(integer(type, x[0]), integer(type, x[1]))};
  };
  switch (row) {
  case OpKind::eq: return compared([](auto a, auto b) { return a == b; });
  case OpKind::ne: return compared([](auto a, auto b) { return a != b; });
  case OpKind::lt: return compared([](auto a, auto b) { return a < b; });
  case OpKind::le: return compared([](auto a, auto b) { return a <= b; });
  case OpKind::gt: return compared([](auto a, auto b) { return a > b; });
  case OpKind::ge: return compared([](auto a, auto b) { return a >= b; });
  case OpKind::ite: return x[0] ? x[1] : x[2];
  default: return floats ? on_floats(row, type, x) : on_integers(row, type, x);
  }
}

bool takes(const OpInfo &row, ScalarType type) {
  if (is_packed(type)) return false;
  switch (row.operands) {
  default: return false;
  case OpOperands::numeric: return type != ScalarType::boolean;
  case OpOperands::integer: return is_integer(type);
  case OpOperands::signed_numeric: return is_float(type) || is_signed(type);
  case OpOperands::floating: return is_float(type);
  case OpOperands::bool_or_int: return !is_float(type);
  case OpOperands::any: return true;
  }
  return false;
}

NamedArray stored(const std::string &name, ScalarType type, const Elements &elements, std::vector<std::int64_t> shape) {
  NamedArray out;
  out.name = name;
  out.elem = type;
  out.shape = shape.empty() ? std::vector<std::int64_t>{static_cast<std::int64_t>(elements.size())} : std::move(shape);
  if (is_packed(type)) {
    out.bytes.resize((elements.size() + 1) / 2);
    for (std::size_t i = 0; i < elements.size(); ++i)
      out.bytes[i / 2] |= static_cast<std::byte>((elements[i] & 15) << (i % 2 * 4));
    return out;
  }
  out.bytes.resize(elements.size() * byte_size(type));
  for (std::size_t i = 0; i < elements.size(); ++i)
    std::memcpy(&out.bytes[i * byte_size(type)], &elements[i], byte_size(type));
  return out;
}

Elements elements_of(const TileRun &run, const std::string &name, ScalarType type, std::size_t n) {
  const std::vector<std::byte> &bytes = run.arrays.at(name);
  Elements out(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (is_packed(type)) out[i] = std::to_integer<std::uint64_t>(bytes[i / 2]) >> (i % 2 * 4) & 15;
    else std::memcpy(&out[i], &bytes[i * byte_size(type)], byte_size(type));
  return out;
}

std::size_t differences(ScalarType type, const Elements &a, const Elements &b) {
  std::size_t n = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) n += !oracle::same(type, a[i], b[i]);
  return n;
}

} // namespace tilenest
