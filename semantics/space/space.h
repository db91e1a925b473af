// SPDX-License-Identifier: Apache-2.0
// Dims (DIM-ID, DIM-POS), spaces (SPC-UNIQ) and the join of elementwise operands (BCAST). An index set is a
// space and predicates that the program computes as bool tiles; see program.h.
#pragma once
#include "semantics/space/extent.h"
#include <span>
#include <vector>

namespace tilenest {

struct DimTag;
using DimId = Id<DimTag>;

// A dim is its id. The label is for people and is never compared.
struct Dim {
  std::string label;
  int position = -1; // DIM-POS: distance from the right of a positional shape, -1 for a named dim
};

struct Factor {
  DimId dim;
  Extent extent;
  friend bool operator==(const Factor &, const Factor &) = default;
};

// The most factors of a space. Whoever makes one refuses more (L0102): the machine keeps points in arrays of so many.
inline constexpr std::size_t max_rank = 64;

// An ordered list of factors, no dim twice. Rank 0 is a scalar tile's space.
struct Space {
  std::vector<Factor> factors;

  std::size_t rank() const { return factors.size(); }
  // The position of `dim`, or -1.
  int find(DimId dim) const;
  friend bool operator==(const Space &, const Space &) = default;
};

// rule: SPC-UNIQ -- the first dim that occurs twice, or an invalid id.
DimId repeated_dim(const Space &space);

// Two extents that must be equal and could not be decided on the open program.
struct ExtentEquation {
  Extent left, right;
  DimId dim;
  bool one_allowed = false; // BCAST: `left`, the operand's, may be 1 as well; `right` is the result's
};

struct Joined {
  bool ok = false;
  Space space;
  DimId clash;                          // where !ok: the dim whose extents differ
  Extent clash_left, clash_right;
  std::vector<ExtentEquation> open;     // to be decided at binding
};
// The space of an elementwise operation on operands of these spaces. `priority` orders ties of rank:
// the operand that gives the order is the first of the highest rank in that order (`ite` puts its
// condition last).
Joined join_spaces(std::span<const Space *const> operands, std::span<const int> priority = {});

} // namespace tilenest
