// SPDX-License-Identifier: Apache-2.0
// Structural equality of programs, up to ids, names and sites. Dims, levels, values, variables and objects
// correspond one to one; parameters by name, or in order of use where the names differ. What inference fills in
// (anchors that are not pinned, frontiers, owners, roles, memory states, merges) is not compared, nor is which
// operations a library call captured: a call and its expansion are one program.
#pragma once
#include "semantics/program/program.h"
#include <string>

namespace tilenest {

// On false `difference`, if given, says where the programs part.
bool equal(const TileProgram &a, const TileProgram &b, std::string *difference = nullptr);

} // namespace tilenest
