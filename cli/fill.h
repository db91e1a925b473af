// SPDX-License-Identifier: Apache-2.0
// Values for arguments that no file gives: --random and --fill. The values depend on the seed, the argument's
// position and the element's index alone, so they are the same on every machine (docs/cli.md).
#pragma once
#include "arrays/array.h"

namespace tilenest::cli {

// SplitMix64 as a function of a counter: key = mix(seed + golden * (1 + argument)), element i is
// mix(key + golden * (1 + i)), i the row-major index. A float of p significand bits takes the p highest bits of that
// as k and is k * 2^(1-p) - 1, exact and uniform in [-1, 1); a signed integer the 4 highest as k - 8, an
// unsigned one as k; a bool the highest bit. `array` is row-major without gaps.
void fill_random(Array &array, std::uint64_t seed, std::size_t argument);

// `what`: "iota" (the row-major index, rounded or wrapped to the type; a bool is its parity), "zeros", or one
// value as a literal. T0103 where the type has no such value.
Diagnostics fill_with(Array &array, const std::string &what, const std::string &argument);

// Whether fill_with leaves the zero bytes that an array starts with.
bool fills_with_zeros(ScalarType type, const std::string &what);
// Whether --fill with this text has a value for some element type.
bool fill_means_something(const std::string &what);
// The errors of fill_with for this type, without an array.
Diagnostics fill_ok(ScalarType type, const std::string &what, const std::string &argument);

} // namespace tilenest::cli
