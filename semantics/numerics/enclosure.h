// SPDX-License-Identifier: Apache-2.0
// Enclosures: sets of elements of one type, as an interval and perhaps NaN (ADM-CHECK). In the interval -0 stands below
// +0, so that its ends say which zeros it holds.
#pragma once
#include "semantics/support/scalar_type.h"
#include <cstdint>

namespace tilenest {

// Elements of the type as unsigned numbers that are ordered as their values are, -0 below +0. NaN has no place.
std::uint64_t order_key(ScalarType type, std::uint64_t bits);
std::uint64_t from_order_key(ScalarType type, std::uint64_t key);
// Of a float type: the least element that is not below high + low (`up`), the greatest that is not above it (not `up`).
std::uint64_t element_beside(ScalarType type, double high, double low, bool up);
// Every NaN of a float type.
bool is_nan_of(ScalarType type, std::uint64_t bits);

struct Enclosure {
  std::uint64_t low = 0, high = 0; // the ends as bits; where `number`
  bool number = false;             // some element is no NaN
  bool nan = false;                // NaN, of any bits, is an element
  // Whose freedom makes it more than a point, in the numbers of who made it: 0 nobody's, `many` that of several.
  std::uint32_t origin = 0;
  static constexpr std::uint32_t many = ~std::uint32_t{0};

  static Enclosure of(ScalarType type, std::uint64_t bits);
  static Enclosure between(ScalarType type, std::uint64_t a, std::uint64_t b); // in either order
  static Enclosure everything(ScalarType type);
  static Enclosure not_a_number() { return {0, 0, false, true}; }
  // Also of that one's freedom.
  void owe(std::uint32_t other) {
    if (other != 0) origin = origin == 0 || origin == other ? other : many;
  }

  bool has_one_origin() const { return !is_point() && origin != 0 && origin != many; }
  // One element; NaN is one.
  bool is_point() const { return number ? !nan && low == high : nan; }
  bool contains(ScalarType type, std::uint64_t bits) const;
  void join(ScalarType type, const Enclosure &other);
  friend bool operator==(const Enclosure &, const Enclosure &) = default;
};

} // namespace tilenest
