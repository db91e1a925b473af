// SPDX-License-Identifier: Apache-2.0
// What the steps of placement share. Private to placement/.
#pragma once
#include "semantics/placement/placement.h"

namespace tilenest::placement_detail {

// Atomics, scatters with a reducer, syncs and allocations: anchored at the innermost parallel.
bool never_lifted(const Op &op);

void assign_roles(TileProgram &p);                          // roles.cpp; needs anchors and owners
void note_lifted(const TileProgram &p, Diagnostics &out);   // lifted.cpp; needs anchors

} // namespace tilenest::placement_detail
