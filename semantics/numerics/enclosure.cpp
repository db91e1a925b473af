// SPDX-License-Identifier: Apache-2.0
// Order of elements, and enclosures as sets.
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/target_profile.h"
#include <algorithm>

namespace tilenest {

namespace {

std::uint64_t ones(ScalarType type) {
  const int width = is_packed(type) ? 8 : bit_width(type); // a 4-bit element travels as a byte that holds its value
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}
std::uint64_t sign_bit(ScalarType type) { return ones(type) ^ ones(type) >> 1; }

} // namespace

std::uint64_t order_key(ScalarType type, std::uint64_t bits) {
  if (is_float(type)) return bits & sign_bit(type) ? ~bits & ones(type) : bits | sign_bit(type);
  return is_signed(type) ? bits ^ sign_bit(type) : bits;
}

std::uint64_t from_order_key(ScalarType type, std::uint64_t key) {
  if (is_float(type)) return key & sign_bit(type) ? key ^ sign_bit(type) : ~key & ones(type);
  return is_signed(type) ? key ^ sign_bit(type) : key;
}

std::uint64_t element_beside(ScalarType type, double high, double low, bool up) {
  const FloatLayout layout = float_layout(type);
  const double largest = value_as_f64(type, layout.largest());
  const auto infinite = [&](double sign) { return *literal_bits(layout.infinities ? sign * infinity : sign * largest, type); };
  if (high > largest || (high == largest && low > 0)) return up ? infinite(1) : *literal_bits(largest, type);
  if (high < -largest || (high == -largest && low < 0)) return up ? *literal_bits(-largest, type) : infinite(-1);
  std::uint64_t bits = *literal_bits(high, type); // rounded to nearest
  const double rounded = value_as_f64(type, bits);
  const bool below = rounded < high || (rounded == high && low > 0), above = rounded > high || (rounded == high && low < 0);
  if (up ? below : above) bits = from_order_key(type, order_key(type, bits) + (up ? 1 : ~std::uint64_t{0}));
  return bits;
}

bool is_nan_of(ScalarType type, std::uint64_t bits) {
  if (!is_float(type)) return false;
  const FloatLayout layout = float_layout(type);
  const std::uint64_t magnitude = bits & ~sign_bit(type);
  return layout.infinities ? magnitude > layout.infinity() : magnitude == layout.nan();
}

Enclosure Enclosure::of(ScalarType type, std::uint64_t bits) {
  return is_nan_of(type, bits) ? not_a_number() : Enclosure{bits, bits, true, false};
}

Enclosure Enclosure::between(ScalarType type, std::uint64_t a, std::uint64_t b) {
  if (order_key(type, b) < order_key(type, a)) std::swap(a, b);
  return {a, b, true, false};
}

Enclosure Enclosure::everything(ScalarType type) {
  if (is_float(type)) {
    const FloatLayout layout = float_layout(type);
    const std::uint64_t top = layout.infinities ? layout.infinity() : layout.largest();
    return {top | sign_bit(type), top, true, true};
  }
  if (type == ScalarType::boolean) return {0, 1, true, false};
  if (is_packed(type)) return is_signed(type) ? Enclosure{0xf8, 7, true, false} : Enclosure{0, 15, true, false};
  return {from_order_key(type, 0), from_order_key(type, ones(type)), true, false};
}

bool Enclosure::contains(ScalarType type, std::uint64_t bits) const {
  if (is_nan_of(type, bits)) return nan;
  const std::uint64_t key = order_key(type, bits);
  return number && order_key(type, low) <= key && key <= order_key(type, high);
}

void Enclosure::join(ScalarType type, const Enclosure &o) {
  nan |= o.nan;
  owe(o.origin);
  if (!o.number) return;
  if (!number || order_key(type, o.low) < order_key(type, low)) low = o.low;
  if (!number || order_key(type, o.high) > order_key(type, high)) high = o.high;
  number = true;
}

} // namespace tilenest
