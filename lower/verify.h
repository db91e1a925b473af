// SPDX-License-Identifier: Apache-2.0
// What a plan must be before anything runs or compiles it: definitions, types, places, names. The rules stand as a table
// in docs/plan.md. A plan that breaks one is our bug (B1601): the lowering made it.
#pragma once
#include "lower/plan.h"
#include "semantics/diag/diagnostic.h"

namespace tilenest::plan {

constexpr int max_nesting = 256; // blocks within blocks

// One report per fault, in the order of the plan, at most 20; empty for a well-formed plan. Never crashes, whatever ids
// and lists the tables hold. What the body does not reach means nothing and is not looked at.
Diagnostics verify(const Plan &plan);

} // namespace tilenest::plan
