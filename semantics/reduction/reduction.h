// SPDX-License-Identifier: Apache-2.0
// Judgements on `reduce` regions (calculus 6): which states have a merge that RED-LAW recognises, which policies
// that allows, and that no effect, condition or coordinate uses a state (RED-EFF). The groupings that a policy
// admits are not here.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Fills ReductionAlgebra::State::merge of every reduce region. Errors: T0305, a tree policy over a state without
// a merge; T0306, a use of a state that RED-EFF forbids. Needs a well-typed program.
Diagnostics reductions_ok(TileProgram &program);

} // namespace tilenest
