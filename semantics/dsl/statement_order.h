// SPDX-License-Identifier: Apache-2.0
// The order of pure operations in a captured program. C++ leaves open in which order the arguments of a call
// are evaluated, and compilers differ; a program must not. This pass puts what a statement computes into the
// order of its operands, from left to right, as the text language reads it.
#pragma once
#include "semantics/program/program.h"
#include <vector>

namespace tilenest {

// `named`, by VarId: declared by a statement of its own, so that it keeps its place among the others.
// Everything else stands directly before its first use. Effects, regions and assignments keep their order,
// and nothing moves across them.
void order_statements(TileProgram &program, const std::vector<bool> &named);

// An operation that may stand anywhere between its operands and its uses, as long as no effect lies between.
bool moves_freely(const Op &op);

} // namespace tilenest
