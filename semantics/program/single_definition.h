// SPDX-License-Identifier: Apache-2.0
// Variables that are defined once are their value (VAL-OWN): drops their identity from a captured program. The
// C++ surface gives every tile an identity, because only the end of a capture shows which ones are assigned.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Removes the declarations of variables without another definition, and renumbers operations, values and
// variables without gaps. The meaning, sites and names of what remains do not change.
void drop_single_definitions(TileProgram &program);

} // namespace tilenest
