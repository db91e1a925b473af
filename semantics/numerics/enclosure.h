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
// Every NaN of a float type.
bool is_nan_of(ScalarType type, std::uint64_t bits);

struct Enclosure {
  std::uint64_t low = 0, high = 0; // the ends as bits; where `number`
  bool number = false;             // some element is no NaN
  bool nan = false;                // NaN, of any bits, is an element

  static Enclosure of(ScalarType type, std::uint64_t bits);
  static Enclosure between(ScalarType type, std::uint64_t a, std::uint64_t b); // in either order
  static Enclosure everything(ScalarType type);
  static Enclosure not_a_number() { return {0, 0, false, true}; }

  // One element; NaN is one.
  bool is_point() const { return number ? !nan && low == high : nan; }
  bool contains(ScalarType type, std::uint64_t bits) const;
  void join(ScalarType type, const Enclosure &other);
  friend bool operator==(const Enclosure &, const Enclosure &) = default;
};

} // namespace tilenest
