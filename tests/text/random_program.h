// SPDX-License-Identifier: Apache-2.0
// Random well-typed programs, captured through Builder from a seed: every operation, region kind, attribute
// and name that capture can make, in orders that no text front end would choose.
#pragma once
#include "semantics/program/builder.h"
#include <cstdint>
#include <string>

namespace tilenest {

// The program, or what the builder refused (a fault of the generator).
Result<TileProgram> random_program(std::uint64_t seed);

} // namespace tilenest
