// SPDX-License-Identifier: Apache-2.0
// Which operations random programs held, on which element types, in which regions.
#pragma once
#include "semantics/program/program.h"
#include <map>
#include <set>
#include <string>

namespace tilenest::conformance {

class MetOperations {
public:
  void add(const TileProgram &program);

  struct Cell {
    OpKind op;
    ScalarType type;
    OpKind region; // parallel, serial, reduce or if_
    friend auto operator<=>(const Cell &, const Cell &) = default;
  };
  // Every elementwise operation, fold, scan, contraction and access on every type that it admits, in each kind of region.
  static std::set<Cell> cells();
  std::set<Cell> empty() const;
  std::uint64_t count(const Cell &cell) const;

private:
  void add(const TileProgram &program, RegionId region, OpKind around);
  std::map<Cell, std::uint64_t> counts_;
};

} // namespace tilenest::conformance
