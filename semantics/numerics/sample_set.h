// SPDX-License-Identifier: Apache-2.0
// All results that samples of known counts, with means and sums of squared deviations, may have when the contract
// `welford` merges them along any tree (ADM-SET): one formula, docs/admitted.md derives it. Errors of the mean after Chan,
// Golub and LeVeque, "Algorithms for computing the sample variance", The American Statistician 37, 1983.
#pragma once
#include "semantics/numerics/double_double.h"
#include "semantics/numerics/enclosure.h"

namespace tilenest {

class SampleSet {
public:
  explicit SampleSet(ScalarType type) : type_(type) {}

  void add(const Enclosure &count, const Enclosure &mean, const Enclosure &squares);
  std::int64_t samples() const { return samples_; }
  // Every count is one whole number, and all together are a number up to which the type has all whole ones.
  bool counted() const;

  struct Bounds {
    Enclosure count, mean, squares;
  };
  // Of two samples or more that are `counted`, every operation correctly rounded. `residual`: some steps grow the squares
  // by a product with the distance from the new mean.
  Bounds close(bool residual) const;

private:
  Enclosure mean_within(double error) const;

  ScalarType type_;
  std::int64_t samples_ = 0;
  bool whole_ = true;                      // every count is
  bool nan_mean_ = false, nan_squares_ = false; // some is NaN whatever happens
  bool open_mean_ = false, open_squares_ = false; // some is infinite, or may be NaN
  bool points_ = true;                     // every mean is one
  double total_ = 0, least_ = 0, most_ = 0; // counts
  double spread_counts_ = 0;               // sum of c log2 c
  double low_ = 0, high_ = 0;              // of the means
  double centre_ = 0;                      // the first mean
  Pair low_sum_{0, 0}, high_sum_{0, 0};    // sum of c times the ends of the mean
  Pair deviations_{0, 0}, deviations_squared_{0, 0}; // sum of c e and c e^2, e the distance from `centre_`
  double widths_squared_ = 0;              // sum of c h^2, h half the width of the mean's enclosure
  Pair low_squares_{0, 0}, high_squares_{0, 0};
  double magnitudes_ = 0;                  // sum of the squares' magnitudes
  bool negative_ = false;                  // one of them may be
};

} // namespace tilenest
