// SPDX-License-Identifier: Apache-2.0
// Groupings by successive choices: the order of the contributions, where a chain ends, which chain has the seed, and
// where each subtree parts.
#include "interp/grouping.h"
#include <algorithm>

namespace tilenest {

namespace {

// The tree over `n` leaves as merges after each leaf.
void choose_tree(Chooser &chooser, std::size_t first, std::size_t n, std::vector<std::size_t> &merges) {
  if (n == 1) return;
  // Choice 0: the last leaf alone, which makes a chain of merges from the left.
  const std::size_t left = n - 1 - (n > 2 ? chooser.choose(Freedom::grouping, n - 1) : 0);
  choose_tree(chooser, first, left, merges);
  choose_tree(chooser, first + left, n - left, merges);
  ++merges[first + n - 1];
}

} // namespace

// rule: ORD-PROD -- a stronger policy has fewer of the same members: one chain, leaves in order, any.
// rule: RED-SET -- any grouping; in any order for `unordered_tree`, else leaves in order and the seed in its place.
Grouping choose_grouping(Chooser &chooser, std::vector<std::int64_t> contributions, ReductionPolicy policy) {
  const bool unordered = policy == ReductionPolicy::unordered_tree || rule_broken(Rule::red_set);
  if (unordered) // Fisher and Yates
    for (std::size_t i = 0; i + 1 < contributions.size(); ++i)
      std::swap(contributions[i], contributions[i + chooser.choose(Freedom::grouping, contributions.size() - i)]);
  Grouping g;
  g.leaves.push_back({true, {}});
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    if (chooser.choose(Freedom::grouping, 2) == 1) g.leaves.push_back({});
    g.leaves.back().contributions.push_back(contributions[i]);
  }
  if (unordered && g.leaves.size() > 1) {
    const std::size_t seed = chooser.choose(Freedom::grouping, g.leaves.size());
    std::swap(g.leaves[0].seed, g.leaves[seed].seed);
    // A chain from the identity over nothing says nothing.
    if (seed > 0 && g.leaves[0].contributions.empty()) g.leaves.erase(g.leaves.begin());
  }
  if (rule_broken(Rule::ord_prod) && !unordered) std::reverse(g.leaves.begin(), g.leaves.end());
  g.merges.assign(g.leaves.size(), 0);
  choose_tree(chooser, 0, g.leaves.size(), g.merges);
  return g;
}

} // namespace tilenest
