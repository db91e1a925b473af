// SPDX-License-Identifier: Apache-2.0
// Checks of one bound order of a `serial` (CTX-SER): is it a bijection of its domain onto itself. Orders that only turn and
// exchange axes are decided at any size, others point by point.
#pragma once
#include "semantics/maps/map.h"

namespace tilenest {

struct OrderReport {
  enum class Verdict : std::uint8_t { ok, not_bijection, undecided };
  Verdict verdict = Verdict::ok;
  std::string why; // not_bijection
};

// Orders that are decided point by point have at most so many.
inline constexpr std::int64_t order_enumeration_limit = std::int64_t{1} << 27;

// `order` has as many inputs and outputs as `shape` has extents; the domain's points fit 63 bits.
OrderReport check_order(const Map &order, std::span<const std::int64_t> shape, const Extent::Lookup &lookup);

// Of an order that is ok, the point that each position visits, both row-major; at most order_enumeration_limit.
std::vector<std::int64_t> order_points(const Map &order, std::span<const std::int64_t> shape, const Extent::Lookup &lookup);

} // namespace tilenest
