// SPDX-License-Identifier: Apache-2.0
// Generated values, element by element.
#include "cli/fill.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include <cstring>

namespace tilenest::cli {

namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Stores element(i), an element's bits, for every row-major index.
template <class Element> void store_all(Array &array, Element element) {
  if (is_packed(array.type)) { // in rows of whole bytes; the array came zeroed
    std::uint64_t next = 0;
    for_each_row(array, [&](std::byte *row, std::int64_t n, std::int64_t) {
      for (std::int64_t i = 0; i < n; ++i) row[i / 2] |= static_cast<std::byte>((element(next++) & 15) << (i % 2 * 4));
    });
    return;
  }
  const std::size_t width = byte_size(array.type);
  const std::int64_t count = array.count();
  std::byte *at = array.data;
  for (std::int64_t i = 0; i < count; ++i, at += width) {
    const std::uint64_t bits = element(static_cast<std::uint64_t>(i));
    std::memcpy(at, &bits, width); // little-endian, as NUM-TYPES has it
  }
}

// Elements that are few are computed once: 2^bits of them.
template <class ValueOf> std::vector<std::uint64_t> table(int bits, ValueOf value_of) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t k = 0; k < (std::uint64_t{1} << bits); ++k) out.push_back(value_of(k));
  return out;
}

std::uint64_t float_bits(ScalarType type, double value) { return *literal_bits(value, type); }

std::optional<std::uint64_t> one_value(ScalarType type, const std::string &what) {
  if (what == "zeros") return 0;
  if (type == ScalarType::boolean && (what == "0" || what == "1")) return what == "1";
  return parse_scalar(what, type);
}

} // namespace

void fill_random(Array &array, std::uint64_t seed, std::size_t argument) {
  const std::uint64_t key = mix(seed + golden * (1 + static_cast<std::uint64_t>(argument)));
  auto draw = [key](std::uint64_t i) { return mix(key + golden * (1 + i)); };
  const ScalarType type = array.type;
  if (type == ScalarType::f32 || type == ScalarType::f64) {
    const int p = type == ScalarType::f32 ? 24 : 53;
    const double unit = type == ScalarType::f32 ? 0x1p-23 : 0x1p-52;
    auto value = [&](std::uint64_t i) { return static_cast<double>(draw(i) >> (64 - p)) * unit - 1.0; };
    if (type == ScalarType::f64)
      store_all(array, [&](std::uint64_t i) { return __builtin_bit_cast(std::uint64_t, value(i)); });
    else
      store_all(array, [&](std::uint64_t i) {
        return std::uint64_t{__builtin_bit_cast(std::uint32_t, static_cast<float>(value(i)))};
      });
  } else if (is_float(type)) {
    const int p = float_layout(type).precision();
    const auto values = table(p, [&](std::uint64_t k) {
      return float_bits(type, static_cast<double>(k) / static_cast<double>(std::uint64_t{1} << (p - 1)) - 1.0);
    });
    store_all(array, [&](std::uint64_t i) { return values[draw(i) >> (64 - p)]; });
  } else if (type == ScalarType::boolean) {
    store_all(array, [&](std::uint64_t i) { return draw(i) >> 63; });
  } else {
    const std::uint64_t least = is_signed(type) ? 8 : 0;
    store_all(array, [&](std::uint64_t i) { return (draw(i) >> 60) - least; });
  }
}

bool fill_means_something(const std::string &what) {
  if (what == "iota") return true;
  for (int i = 0; i < scalar_type_count; ++i)
    if (one_value(static_cast<ScalarType>(i), what)) return true;
  return false;
}

Diagnostics fill_ok(ScalarType type, const std::string &what, const std::string &argument) {
  if (what == "iota" || one_value(type, what)) return {};
  Diagnostic d(Code::T0103, {}, {{"literal", what}, {"type", std::string(to_string(type))}});
  d.note("`--fill` gives it to `" + argument + "`");
  return {std::move(d)};
}

bool fills_with_zeros(ScalarType type, const std::string &what) { return what != "iota" && one_value(type, what) == std::uint64_t{0}; }

Diagnostics fill_with(Array &array, const std::string &what, const std::string &argument) {
  const ScalarType type = array.type;
  if (what == "iota") {
    if (is_float(type))
      store_all(array, [&](std::uint64_t i) { return *literal_bits(static_cast<std::int64_t>(i), type); });
    else
      store_all(array, [&](std::uint64_t i) { return type == ScalarType::boolean ? i & 1 : i; });
    return {};
  }
  Diagnostics errors = fill_ok(type, what, argument);
  if (!errors.empty()) return errors;
  const std::uint64_t bits = *one_value(type, what);
  if (bits != 0) store_all(array, [bits](std::uint64_t) { return bits; }); // the array came zeroed
  return {};
}

} // namespace tilenest::cli
