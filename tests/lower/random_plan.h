// SPDX-License-Identifier: Apache-2.0
// Random well-formed plans that stay inside of their buffers, for the tests of text and of the interpreter.
#pragma once
#include "lower/plan.h"
#include <vector>

namespace tilenest {

// The plan's parameters have these values; its arguments are those of random_arguments, by position.
inline constexpr std::int64_t random_m = 5, random_n = 3;

plan::Plan random_plan(std::uint64_t seed);

struct RandomArgument {
  std::vector<std::uint8_t> bytes;
  std::size_t first = 0; // byte of coordinate 0
  std::vector<std::int64_t> shape, strides;
};
std::vector<RandomArgument> random_arguments(std::uint64_t seed);

} // namespace tilenest
