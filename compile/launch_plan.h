// SPDX-License-Identifier: Apache-2.0
// A bound program and its buffers as a plan and the plan's arguments, and what a plan's outcome says in the program's places.
#pragma once
#include "interp/run.h"
#include "lower/arguments.h"
#include "lower/lower.h"

namespace tilenest {

// True if bytes of an argument that the program may write belong to another argument, too.
bool written_overlap(const TileProgram &program, const std::vector<Buffer> &buffers);

// How the buffers lie: strides in elements, where an argument has gaps or is turned round, and whether none that is
// written overlaps another. Plans for one layout serve all buffers that lie so.
struct ArgumentLayout {
  std::vector<bool> strided;
  bool disjoint = true;
  friend auto operator<=>(const ArgumentLayout &, const ArgumentLayout &) = default;
};
struct LaunchArguments {
  plan::Arguments arguments;
  ArgumentLayout layout;
};
// Errors: N0001, for `engine`: an argument larger than the memory, strides that are no multiple of the element.
Result<LaunchArguments> launch_arguments(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::string &engine);

// Diagnostics of the outcome at the places of the program's operations.
Diagnostics placed(const TileProgram &program, plan::Outcome outcome);

// Errors of the plan interpreter likewise: where an access of the program that promised to be in bounds (BND-ASSUME,
// BND-PRED) leaves its object, the program broke the promise, not the plan.
Diagnostics placed(const TileProgram &program, Diagnostics errors);

// rule: ATOM -- sums of floats depend on the order of the updates; the reference's is that of one thread.
bool order_shows(const TileProgram &program);

} // namespace tilenest
