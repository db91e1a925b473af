// SPDX-License-Identifier: Apache-2.0
// Where in their loops the earlier accesses of interferences stood. The shadow state knows the instance of an earlier
// access and not the rounds of its serial loops: a first run collects which accesses are asked about, and the same run
// once more remembers where they are first made, until each report has been met again. The runs are the caller's.
#pragma once
#include "interp/strands.h"
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilenest {

class EarlierAccesses {
public:
  // One cell of a storage (Compiler::storage) that an operation in a serial loop touched before another interfered.
  struct Place {
    OpId op;
    std::uint32_t storage;
    std::int64_t cell;
    friend auto operator<=>(const Place &, const Place &) = default;
  };

  bool empty() const { return asked_.empty(); }
  bool recalling() const { return recalling_; }
  // The next run is the one that has collected, once more.
  void recall() {
    recalling_ = true;
    met_ = 0;
    first_.clear();
  }

  // An interference is reported whose earlier access was this: where it was, "" while that is collected or not known.
  std::string where(const Place &place, Strand strand) {
    if (!recalling_) {
      asked_.push_back(place);
      return {};
    }
    ++met_;
    const auto at = first_.find({place, strand});
    return at == first_.end() ? std::string() : at->second;
  }
  bool all_met() const { return recalling_ && met_ >= asked_.size(); }

  // An operation touches `count` cells from this one on.
  void touched(const Place &from, std::int64_t count, Strand strand, const std::function<std::string()> &where_it_is) {
    for (const Place &asked : asked_) {
      if (asked.op != from.op || asked.storage != from.storage || asked.cell < from.cell ||
          asked.cell >= from.cell + count)
        continue;
      constexpr std::size_t most = 1 << 16; // those that many strands touched, one after the other, are forgotten
      if (first_.size() >= most) first_.clear();
      const auto [at, fresh] = first_.try_emplace({asked, strand});
      if (fresh) at->second = where_it_is();
    }
  }
  // All accesses so far are ordered before what comes, and the numbers of strands begin anew.
  void order_all() { first_.clear(); }

private:
  std::vector<Place> asked_;
  std::map<std::pair<Place, Strand>, std::string> first_;
  std::size_t met_ = 0;
  bool recalling_ = false;
};

} // namespace tilenest
