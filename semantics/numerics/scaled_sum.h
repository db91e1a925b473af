// SPDX-License-Identifier: Apache-2.0
// All results that terms `weight * exp(top)` may have when the contract `logsumexp` merges them along any tree (ADM-SET):
// the greatest top exactly, the sum relative to it within one formula, which docs/admitted.md derives.
#pragma once
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/term_sum.h"
#include <span>

namespace tilenest {

class ScaledSum {
public:
  explicit ScaledSum(ScalarType type);

  void add(const Enclosure &top, const Enclosure &weight);
  // The sum of exp(x) over these, in any grouping, at once.
  void add_block(std::span<const Enclosure> x);
  std::int64_t leaves() const { return leaves_; }

  struct Bounds {
    Enclosure top, sum;
  };
  // Of two leaves or more; sums, differences and products correctly rounded. `guarded`: no step takes the difference of
  // equal infinities.
  Bounds close(const StepError &exp, bool guarded) const;

private:
  // Weights relative to the greatest top so far, the distances from it multiplied by `stretch`.
  struct Relative {
    double stretch, top = 0, sum = 0;
    bool any = false;
    void add(double at, double weight, double greatest);
  };
  struct Range {
    double low = 0, high = 0;
    bool any = false;
  };

  void put(const Enclosure &top, double least, double most);

  std::int64_t leaves_ = 0, terms_ = 0, largest_block_ = 0;
  ScalarType type_;
  Enclosure top_;
  bool nan_ = false;          // a top is NaN whatever happens
  bool open_ = false;         // a weight may be below 0 or infinite, an uncertain top infinite or NaN
  double first_top_ = 0;
  bool equal_ = true;         // every top is one value, and the same
  bool whole_ = true;         // every weight is a whole number
  double weights_ = 0;        // sum of their high ends
  Range nowhere_, infinite_;  // sums of the weights with a top of -inf, of inf
  Relative low_, high_;       // of the others: low ends beside the greatest high end of a top, high ends beside the greatest low end
};

} // namespace tilenest
