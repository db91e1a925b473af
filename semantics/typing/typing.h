// SPDX-License-Identifier: Apache-2.0
// Typing: a finished program is well formed. The builder refuses most mistakes while capturing; this judges the
// result without trusting it, so that parsers, passes and hand-made programs are held to the same rules.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Tables, ids, the region tree, operand counts, visibility of values (codes T1301, T0504). A program with an
// error here is not safe to walk any further.
Diagnostics structure_ok(const TileProgram &program);

// Types of values, carries, conditions, domains, stages, syncs, layouts of a program whose structure is ok.
Diagnostics types_ok(const TileProgram &program);

// Both, in that order.
Diagnostics typing_ok(const TileProgram &program);

} // namespace tilenest
