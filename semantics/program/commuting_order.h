// SPDX-License-Identifier: Apache-2.0
// One order for what commutes. C++ leaves open in which order it evaluates operands, so that two captures of one
// kernel can differ in the order of operations without effect. This pass gives them an order that follows from their
// uses alone; what has an effect stays where it stands, and a load between the same two effects.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Reorders the operations of each region: those without effect come in the order in which the operations with an
// effect, in their order and by their operands from left to right, need them; then those that only another region
// needs. Ids, sites and the meaning do not change.
void order_commuting_operations(TileProgram &program);

} // namespace tilenest
