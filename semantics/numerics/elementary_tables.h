// SPDX-License-Identifier: Apache-2.0
// Tables of the elementary functions (NUM-FUN), made by MPFR when they are first asked for: every entry is
// the correctly rounded (or, where said, truncated) value of what its comment names. Thread safe.
#pragma once
#include "semantics/numerics/double_double.h"
#include <cstdint>

namespace tilenest {

// x * 2/pi modulo 4, for an f32 x: with i the exponent field of x as an f64, less first_field, x times the
// sum of part[.][i] is it, but for a multiple of 4. The first two parts have 29 bits, so that their products
// with x are exact; what all three leave is below 2^-109 of the least number that the first may be. Entries
// from 278 on are there so that nine bits are always an index.
struct QuarterTurns {
  static constexpr int first_field = 1023 - 149;
  double part[3][512];
};
const QuarterTurns &quarter_turns();

// At c = i / 32: erf(c) and its derivative, (2 / sqrt(pi)) e^(-c^2). Only the first 129 are used; the others
// are there so that eight bits are always an index.
struct ErfPoints {
  double value[256];
  double slope[256];
};
const ErfPoints &erf_points();

// What the f64 functions need; pairs carry 106 bits.
struct F64Tables {
  Pair log2_e, ln2, half_pi, sixth, third, twenty_fourth;
  double ln2_64[3];              // ln(2)/64 in parts of 34, 34 and 53 bits
  std::uint64_t two_over_pi[21]; // a word of zeros, then the bits of 2/pi
  Pair power[64];                // 2^(i/64)
  double reciprocal[183];        // 128/j for j = 90..182
  Pair log_of[183];              // -log(reciprocal[j])
  Pair sine[52], cosine[52];     // of i/64
  Pair erf[385], erf_slope[385]; // at i/64: erf, and its derivative
};
const F64Tables &f64_tables();

} // namespace tilenest
