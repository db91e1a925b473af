// SPDX-License-Identifier: Apache-2.0
// Random well-formed plans that stay inside of their buffers, for the tests of text and of the interpreter.
#pragma once
#include "lower/plan.h"
#include <vector>

namespace tilenest {

// The plan's parameters have these values; its arguments are those of random_arguments, by position.
inline constexpr std::int64_t random_m = 5, random_n = 3;

// A portable one leaves no NaN's bits, no unwritten byte and no order of instances in its arguments: memory is accessed
// in its own type and cleared first, what is stored is no NaN.
plan::Plan random_plan(std::uint64_t seed, bool portable = false);

struct RandomArgument {
  std::vector<std::uint8_t> bytes;
  std::size_t first = 0; // byte of coordinate 0
  std::vector<std::int64_t> shape, strides;
};
std::vector<RandomArgument> random_arguments(std::uint64_t seed, bool portable = false);

} // namespace tilenest
