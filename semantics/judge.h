// SPDX-License-Identifier: Apache-2.0
// All static judgements on a captured program, in order: typing, reductions, pipelines, placement. Fills the
// attributes that inference owns (anchors, frontiers, owners, assignment roles, merges, memory states).
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Errors, warnings and notes. A program with an error is not to be bound or run.
Diagnostics judge(TileProgram &program);

} // namespace tilenest
