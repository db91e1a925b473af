// SPDX-License-Identifier: Apache-2.0
// From a judged program to a plan: the one lowering that every generated code starts from. Extents stay open. The plan
// does what the reference order of some admitted run does; with `strict` the reference run itself.
#pragma once
#include "lower/plan.h"
#include "semantics/diag/diagnostic.h"
#include "semantics/numerics/target_profile.h"

namespace tilenest {

struct LowerOptions {
  int vector_bits = 256;  // of a vector register; 0: scalar code
  bool strict = false;    // the reference run: every fold one chain in its order, no contraction, functions correctly rounded
  bool disjoint = true;   // no written argument overlaps another argument; every launch has to check it
  std::vector<bool> strided; // by argument: it has strides of its own; absent: row-major without gaps
};

// Errors: what the lowering does not support, class N with its site.
Result<plan::Plan> lower(const TileProgram &program, const LowerOptions &options = {});

// What plans that are not strict declare (NUM-TGT), on every engine: the profile `cpu`.
const TargetProfile &cpu_profile();

} // namespace tilenest
