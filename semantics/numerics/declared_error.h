// SPDX-License-Identifier: Apache-2.0
// The results that a target may give for one primitive on given operands (NUM-TGT): the seam between a profile and
// whoever holds results against it.
#pragma once
#include "semantics/numerics/target_profile.h"
#include <span>

namespace tilenest {

// The values of a float type from `low` to `high`, infinities included, and besides them perhaps NaN. Bounds are
// values of the type; low > high where there is no number.
struct Enclosure {
  double low = infinity, high = -infinity;
  bool may_be_nan = false;
  bool may_be_minus_zero = false; // a zero in the interval may be negative, `may_be_plus_zero` positive
  bool may_be_plus_zero = false;

  bool is_empty() const { return low > high; }
  // One result, zeros and NaN being told apart from numbers.
  bool is_point() const;
  // Whether an element of the type is among the results. Every NaN is one value.
  bool contains(ScalarType type, std::uint64_t bits) const;
  void join(const Enclosure &other);
};

// The results of `primitive` on the operands, bits of `operand_type`, whose result has the float type
// `result_type`. Sound: no result that the profile admits is missing. For one bound in ulps or absolute it is also
// tight, but for the hull that flushing makes. Where nothing is declared it is the correctly rounded result.
Enclosure declared_enclosure(const TargetProfile &profile, Primitive primitive, ScalarType operand_type,
                             ScalarType result_type, std::span<const std::uint64_t> operands);

} // namespace tilenest
