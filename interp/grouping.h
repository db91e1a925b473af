// SPDX-License-Identifier: Apache-2.0
// One member of the computations that a tree policy admits (RED-SET, RED-TREE): chains over blocks of contributions,
// one of them from the seed, and the tree that merges them.
#pragma once
#include "interp/chooser.h"
#include "semantics/program/program.h"

namespace tilenest {

struct Grouping {
  struct Leaf {                            // one chain
    bool seed = false;                     // from the seed; the others from the identity
    std::vector<std::int64_t> contributions; // in the order of the chain
  };
  std::vector<Leaf> leaves;                // from left to right
  // In postfix order: after leaf i, so often the last two partial results become one.
  std::vector<std::size_t> merges;
};

// A grouping of the contributions, which come in domain order. `policy` is a tree. Choice 0 everywhere is the
// reference: one chain from the seed.
Grouping choose_grouping(Chooser &chooser, std::vector<std::int64_t> contributions, ReductionPolicy policy);

} // namespace tilenest
