// SPDX-License-Identifier: Apache-2.0
// Judges, binds and runs a captured program on small arrays, checked and unchecked; aborts where the two differ
// although nothing was reported.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

enum class BothWays { not_judged, not_bound, reported, agreed };
BothWays judge_bind_and_run(TileProgram program);

} // namespace tilenest
