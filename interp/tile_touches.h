// SPDX-License-Identifier: Apache-2.0
// UPD-JOIN: who reads and who writes the elements of a tile that the instances of one dynamic `parallel` share. Tiles are
// values, so nothing inside the parallel orders its instances: any two of them interfere where one writes.
#pragma once
#include "semantics/program/program.h"
#include <cstdint>
#include <vector>

namespace tilenest {

// A value that is, or may be, the current definition of a variable that parallels above it carry; its use by an operation
// that computes from it, rather than passing it on, reads the variable at each of these.
struct TileUse {
  struct Level {
    int depth;         // of the parallel's level
    std::size_t carry; // position among what it carries
  };
  std::size_t operand = 0;
  std::vector<Level> levels;
};

// By operation: the operands through which it reads such variables.
IdVector<OpId, std::vector<TileUse>> find_tile_uses(const TileProgram &p);
// The levels at which an assignment writes its variable, down to this depth.
std::vector<TileUse::Level> levels_written(const TileProgram &p, const Op &assign, int depth);

// The touches of one variable in one dynamic parallel: per operation and element the instance that came first, and
// whether there were others. That is enough to decide every pair of operations.
class TileTouches {
public:
  struct Other {
    OpId op;
    bool write;
    std::int64_t instance; // -1: some other one
  };
  // Elements [first, first + count). Calls f(element, const Other &) for every touch that this one interferes with.
  template <class F>
  void touch(OpId op, bool write, std::int64_t instance, std::int64_t first, std::int64_t count, std::int64_t elements, F &&f) {
    Of *mine = nullptr;
    const auto me = static_cast<std::uint32_t>(instance + 1);
    for (Of &o : ops_) {
      if (o.op == op) mine = &o;
      if (!write && !o.write) continue;
      for (std::int64_t e = first; e < first + count; ++e) {
        const std::uint32_t seen = o.seen[static_cast<std::size_t>(e)];
        if (seen == 0 || seen == me) continue;
        const std::int64_t other = static_cast<std::int64_t>(seen & ~several) - 1;
        f(e, Other{o.op, o.write, other == instance ? -1 : other});
      }
    }
    if (!mine) mine = &ops_.emplace_back(Of{op, write, std::vector<std::uint32_t>(static_cast<std::size_t>(elements), 0)});
    for (std::int64_t e = first; e < first + count; ++e) {
      std::uint32_t &seen = mine->seen[static_cast<std::size_t>(e)];
      if (seen == 0) seen = me;
      else if ((seen & ~several) != me) seen |= several;
    }
  }

private:
  static constexpr std::uint32_t several = std::uint32_t{1} << 31;
  struct Of {
    OpId op;
    bool write;
    std::vector<std::uint32_t> seen; // 0, or the first instance + 1, with `several`
  };
  std::vector<Of> ops_;
};

} // namespace tilenest
