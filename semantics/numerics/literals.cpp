// SPDX-License-Identifier: Apache-2.0
// Literals, host values and text of single elements.
#include "semantics/numerics/literals.h"
#include "semantics/numerics/conversions.h"
#include "semantics/support/rule.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilenest {

namespace {

template <class T> std::uint64_t to_bits(T stored) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &stored, sizeof stored);
  return bits;
}
template <class T> T of_bits(std::uint64_t bits) {
  T stored;
  std::memcpy(&stored, &bits, sizeof stored);
  return stored;
}

// Calls f with the type as a template argument.
template <class F> auto with_type(ScalarType type, F f) {
  switch (type) {
#define TYPE(name, text, bits, kind) \
  case ScalarType::name: return f.template operator()<ScalarType::name>();
    TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
  }
  return f.template operator()<ScalarType::boolean>();
}

} // namespace

// rule: NUM-LIT
std::optional<std::uint64_t> literal_bits(double literal, ScalarType type) {
  if (!is_float(type)) return std::nullopt;
  if (rule_broken(Rule::num_lit)) literal = static_cast<float>(literal); // two roundings
  return with_type(type, [&]<ScalarType T>() { return to_bits(convert<T, ScalarType::f64>(literal)); });
}

std::optional<std::uint64_t> literal_bits(std::int64_t literal, ScalarType type) {
  return with_type(type, [&]<ScalarType T>() -> std::optional<std::uint64_t> {
    if constexpr (T == ScalarType::boolean) {
      if (literal != 0 && literal != 1) return std::nullopt;
      return static_cast<std::uint64_t>(literal);
    } else if constexpr (is_integer(T)) {
      const auto stored = wrap<T>(literal);
      if (static_cast<std::int64_t>(stored) != literal || (stored < 0) != (literal < 0)) return std::nullopt;
      return to_bits(stored);
    } else {
      if (rule_broken(Rule::num_lit)) return literal_bits(static_cast<double>(literal), T);
      return to_bits(convert<T, ScalarType::i64>(literal));
    }
  });
}

double value_as_f64(ScalarType type, std::uint64_t bits) {
  if (rule_broken(Rule::num_types) && type == ScalarType::f8e4m3fn) type = ScalarType::f8e5m2;
  return with_type(type, [&]<ScalarType T>() { return convert<ScalarType::f64, T>(of_bits<Storage<T>>(bits)); });
}

std::int64_t value_as_i64(ScalarType type, std::uint64_t bits) {
  return with_type(type, [&]<ScalarType T>() -> std::int64_t {
    if constexpr (is_float(T)) return convert<ScalarType::i64, T, true>(of_bits<Storage<T>>(bits));
    else return static_cast<std::int64_t>(of_bits<Storage<T>>(bits));
  });
}

namespace {

// A point or exponent marks a float literal.
std::string as_float_text(std::string_view digits) {
  std::string text(digits);
  if (const auto e = text.find("e+"); e != std::string::npos) text.erase(e + 1, 1);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::optional<double> parse_f64(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
  double value = 0;
  if (text == "inf") value = std::numeric_limits<double>::infinity();
  else if (text == "nan") value = std::numeric_limits<double>::quiet_NaN();
  else {
    auto format = std::chars_format::general;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
      format = std::chars_format::hex;
      text.remove_prefix(2);
    }
    const char first = text[0];
    const bool starts = (first >= '0' && first <= '9') || first == '.' ||
                        (format == std::chars_format::hex && std::isxdigit(static_cast<unsigned char>(first)));
    if (!starts) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error != std::errc{}) return std::nullopt; // also beyond the range of f64, as in a program
  }
  return negative ? -value : value;
}

} // namespace

std::string scalar_text(ScalarType type, std::uint64_t bits) {
  if (type == ScalarType::boolean) return bits != 0 ? "true" : "false";
  if (type == ScalarType::u64) return std::to_string(bits);
  if (is_integer(type)) return std::to_string(value_as_i64(type, bits));
  const double value = value_as_f64(type, bits);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto shortest = [&](double x) {
    return as_float_text({buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr});
  };
  // Integral values show as they are, though fewer digits may do ("448.0", not "450.0").
  if (type == ScalarType::f64 || (std::fabs(value) < 0x1p24 && std::trunc(value) == value)) return shortest(value);
  for (int digits = 1; digits < 17; ++digits) {
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    if (literal_bits(back, type) == bits) return shortest(back);
  }
  return shortest(value);
}

std::optional<std::uint64_t> parse_scalar(std::string_view text, ScalarType type) {
  if (type == ScalarType::boolean) {
    if (text == "true") return 1;
    if (text == "false") return 0;
  }
  // An integer text first: exact up to 64 bits.
  std::string_view digits = text;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (negative || (!digits.empty() && digits[0] == '+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (!digits.empty() && error == std::errc{} && end == digits.data() + digits.size() && !(negative && magnitude == 0)) {
    constexpr std::uint64_t least = std::uint64_t{1} << 63;
    if (negative && magnitude <= least) return literal_bits(static_cast<std::int64_t>(0 - magnitude), type);
    if (!negative && magnitude < least) return literal_bits(static_cast<std::int64_t>(magnitude), type);
    if (!negative && type == ScalarType::u64) return magnitude;
    if (!is_float(type)) return std::nullopt;
  }
  if (!is_float(type)) return negative && magnitude == 0 && !digits.empty() && end == digits.data() + digits.size() ? std::optional<std::uint64_t>(0) : std::nullopt;
  const auto value = parse_f64(text);
  return value ? literal_bits(*value, type) : std::nullopt;
}

} // namespace tilenest
