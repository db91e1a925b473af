// SPDX-License-Identifier: Apache-2.0
// The reductions of few contributions that decide elements of outputs by themselves, with groupings that give all their
// values. A round runs the program along one grouping of each; after all rounds such an element has had every value that it can have.
#pragma once
#include "interp/admitted.h"
#include <set>

namespace tilenest {

class SingleReductions {
public:
  // `origins`: of the elements' enclosures; `merges`: that finding the values may take; `limit`: rounds at most.
  SingleReductions(const AdmittedSets &sets, const std::set<std::uint32_t> &origins, std::uint64_t merges, std::uint64_t limit);

  bool exact(std::uint32_t origin) const { return first_.contains(origin); }
  std::uint64_t rounds() const { return rounds_; }
  // The choices of groupings of a round, and with all but one reduction along the reference.
  std::vector<std::uint64_t> all(std::uint64_t round) const;
  std::vector<std::uint64_t> of_one(std::uint32_t origin, std::uint64_t round) const;

private:
  // Those that are resolved by the same choices, the elements of one state; their groupings are tried in turn.
  struct Group {
    std::uint64_t reference = 0; // choices of the reference's grouping
    std::vector<std::vector<std::uint64_t>> schedules;
  };
  std::map<std::uint64_t, Group> groups_; // by first choice
  std::map<std::uint32_t, std::uint64_t> first_; // by origin
  std::uint64_t rounds_ = 0;
};

} // namespace tilenest
