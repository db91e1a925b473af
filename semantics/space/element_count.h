// SPDX-License-Identifier: Apache-2.0
// How many points a space with known extents has.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

namespace tilenest {

// None where an extent is zero, however large the others are (SPC-UNIQ); else the product, which binding has shown to fit.
inline std::int64_t element_count(std::span<const std::int64_t> extents) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  std::int64_t count = 1;
  for (std::int64_t n : extents) count *= n;
  return count;
}

} // namespace tilenest
