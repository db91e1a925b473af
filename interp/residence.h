// SPDX-License-Identifier: Apache-2.0
// Buffers that are larger than the machine's memory: which parts of one a run has touched. Each part is charged to the
// run's budget when it is touched first, with what watches it, so that such a run ends with a limit and not with the
// machine's memory.
#pragma once
#include "interp/lazy_array.h"
#include "interp/tile.h"
#include <utility>
#include <vector>

namespace tilenest {

class Residence {
public:
  static constexpr std::size_t part = std::size_t{1} << 16; // bytes

  // `watched`: bytes of shadow and definedness for each byte.
  Residence(std::size_t bytes, double watched, TilePool &pool)
      : seen_(bytes / part / 64 + 1), charge_(static_cast<std::size_t>(static_cast<double>(part) * (1 + watched))), bytes_(bytes), pool_(pool) {}

  void touch(std::int64_t offset, std::size_t n) {
    for (std::size_t i = static_cast<std::size_t>(offset) / part; i <= (static_cast<std::size_t>(offset) + n - 1) / part; ++i) {
      std::uint64_t &word = seen_[i / 64];
      const std::uint64_t bit = std::uint64_t{1} << i % 64;
      if (word & bit) continue;
      pool_.charge(charge_);
      word |= bit;
    }
  }
  // The parts in order, as bytes [first, last).
  std::vector<std::pair<std::int64_t, std::int64_t>> touched() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (std::size_t w = 0; w < seen_.size(); ++w)
      for (std::uint64_t word = seen_[w]; word != 0; word &= word - 1) {
        const std::size_t first = (w * 64 + static_cast<std::size_t>(std::countr_zero(word))) * part;
        out.emplace_back(first, std::min(first + part, bytes_));
      }
    return out;
  }

private:
  LazyArray<std::uint64_t> seen_;
  std::size_t charge_, bytes_;
  TilePool &pool_;
};

} // namespace tilenest
