// SPDX-License-Identifier: Apache-2.0
// Groupings of single reductions, put together to runs.
#include "interp/single_reductions.h"
#include "interp/reachable.h"
#include <algorithm>

namespace tilenest {

SingleReductions::SingleReductions(const AdmittedSets &sets, const std::set<std::uint32_t> &origins, std::uint64_t merges,
                                   std::uint64_t limit) {
  for (const std::uint32_t origin : origins) {
    const ReductionEvent &event = sets.event(origin);
    const ReachableValues values(event, merges);
    if (!values.complete()) continue;
    Group &group = groups_[event.first_choice];
    if (group.schedules.size() + values.values().size() > limit) continue;
    group.reference = event.leaves.size() + (event.unordered && event.leaves.size() > 1 ? event.leaves.size() - 1 : 0);
    for (const std::uint64_t v : values.values()) group.schedules.push_back(values.choices(v));
    rounds_ = std::max<std::uint64_t>(rounds_, group.schedules.size());
    first_[origin] = event.first_choice;
  }
}

std::vector<std::uint64_t> SingleReductions::all(std::uint64_t round) const {
  std::vector<std::uint64_t> out;
  std::uint64_t extra = 0; // choices that groupings before took beyond the reference's
  for (const auto &[first, group] : groups_) {
    if (round >= group.schedules.size()) continue;
    out.resize(first + extra, 0);
    const auto &choices = group.schedules[round];
    out.insert(out.end(), choices.begin(), choices.end());
    extra += choices.size() - group.reference;
  }
  return out;
}

std::vector<std::uint64_t> SingleReductions::of_one(std::uint32_t origin, std::uint64_t round) const {
  const std::uint64_t first = first_.at(origin);
  const auto &schedules = groups_.at(first).schedules;
  if (round >= schedules.size()) return {};
  std::vector<std::uint64_t> out(first, 0);
  out.insert(out.end(), schedules[round].begin(), schedules[round].end());
  return out;
}

} // namespace tilenest
