// SPDX-License-Identifier: Apache-2.0
// What a report about the expansion of a library call says of the call: the arguments that the operation at fault
// is computed from.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// "from `x` and `weight`", in the order of the call: the arguments of the call that the operation's operands, from
// the first one given on, and the yields of its regions are computed from inside the expansion; for a literal, those
// that are it. "" where there is none, and where the call is invalid. A program that is still being captured will do.
std::string from_arguments(const TileProgram &p, CallId call, const Op &op, std::size_t first_operand = 0);

} // namespace tilenest
