// SPDX-License-Identifier: Apache-2.0
// All values that one reduction of one element has over its trees (RED-TREE), and a tree for each. Not by trees, of which
// there are too many, but by sets of leaves: the values of a set are the merges of those of its parts.
#pragma once
#include "interp/admitted.h"
#include "semantics/numerics/row_kernels.h"

namespace tilenest {

class ReachableValues {
public:
  // `budget`: merges that may still be computed; what is used is taken off.
  ReachableValues(const ReductionEvent &event, std::uint64_t &budget);

  // False: the leaves are not known, or the budget did not suffice.
  bool complete() const { return complete_; }
  const std::vector<std::uint64_t> &values() const { return sets_.back(); } // ascending, every NaN as one
  // The choices, from the event's first on, of a grouping that gives a value (grouping.h).
  std::vector<std::uint64_t> choices(std::uint64_t value) const;

private:
  using Mask = std::uint32_t;
  struct Node {
    int leaf = -1; // or
    std::vector<Node> parts; // two
  };
  bool splits(Mask whole, Mask left) const;
  void merge(const std::vector<std::uint64_t> &left, const std::vector<std::uint64_t> &right, std::vector<std::uint64_t> &out) const;
  Node tree(Mask whole, std::uint64_t value) const;

  ReductionEvent event_;
  bool seed_apart_ = false; // the seed is no identity and so a leaf, the first
  bool complete_ = false;
  RowKernel kernel_ = nullptr;
  std::vector<std::vector<std::uint64_t>> sets_; // by mask of leaves
};

} // namespace tilenest
