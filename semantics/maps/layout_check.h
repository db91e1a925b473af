// SPDX-License-Identifier: Apache-2.0
// Checks of one bound layout (MEM-OWN): is it total, does it stay at or above offset 0, is it injective. Strided
// maps are decided by their strides where that settles it, other maps point by point; the proofs of the whole
// grammar for open parameters (MAP-PROOF) are not here.
#pragma once
#include "semantics/maps/map.h"

namespace tilenest {

struct LayoutReport {
  enum class Verdict : std::uint8_t { ok, not_total, out_of_bounds, not_injective, undecided };
  Verdict verdict = Verdict::ok;
  std::int64_t cosize = 0;          // ok: the least storage in elements, 1 + the largest offset; 0 without points
  std::vector<std::int64_t> first;  // the point at fault; empty if none is named
  std::vector<std::int64_t> second; // not_injective: the point that shares its place
  std::int64_t offset = 0;          // out_of_bounds, not_injective: the place
};

// A layout with more points than this that its strides do not settle is `undecided`.
inline constexpr std::int64_t layout_enumeration_limit = std::int64_t{1} << 22;

// `shape` holds one extent >= 0 per input, and the product of those that are not zero fits 63 bits; the map has
// one output. Source: MEM-OWN.
LayoutReport check_layout(const Map &map, std::span<const std::int64_t> shape, const Extent::Lookup &lookup);

} // namespace tilenest
