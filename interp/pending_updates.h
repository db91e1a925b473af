// SPDX-License-Identifier: Apache-2.0
// Float atomics have no order (ATOM), and their sum depends on it: a run with a chooser keeps the terms that came to a cell
// until something looks at it, and adds them in the order that the chooser gives. Minima, maxima, bits and integers come
// to the same in any order.
#pragma once
#include "interp/chooser.h"
#include "semantics/support/scalar_type.h"
#include <cstddef>
#include <map>

namespace tilenest {

class AdmittedSets;

class PendingUpdates {
public:
  // Without a chooser the cells have their sums already, and the choices that a run along the reference makes are counted.
  PendingUpdates(Chooser *chooser, AdmittedSets *sets) : chooser_(chooser), sets_(sets) {}

  // `term` is added to the element at `cell`; true: later.
  bool add(std::byte *cell, ScalarType type, std::uint64_t term);
  bool empty() const { return cells_.empty(); }
  // Elements that have a byte among these hold their sums from here on.
  void settle(const std::byte *first, std::size_t bytes);
  void settle_all();
  // Nothing will look at these bytes any more.
  void drop(const std::byte *first, std::size_t bytes);

private:
  struct Cell {
    ScalarType type = ScalarType::f32;
    std::uint64_t arrived = 0; // the first term, counted over all cells
    std::uint64_t count = 0;
    std::vector<std::uint64_t> terms; // with a chooser
  };
  void settle(std::byte *at, Cell &cell);
  // The first cell that may have a byte at or behind this one.
  std::map<std::byte *, Cell>::iterator reaching(const std::byte *first);

  Chooser *chooser_;
  AdmittedSets *sets_;
  std::map<std::byte *, Cell> cells_;
  std::uint64_t arrivals_ = 0;
};

} // namespace tilenest
