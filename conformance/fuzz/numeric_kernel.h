// SPDX-License-Identifier: Apache-2.0
// Random kernels about numbers, captured through Builder from a seed: tiles of every element type on ragged extents, every
// elementwise operation, casts, folds, scans, contractions, windows, gathers, index sets, memories and atomics, inside
// parallel, serial and conditional regions. Each instance keeps to its own rows.
#pragma once
#include "semantics/program/builder.h"
#include <cstdint>

namespace tilenest::conformance {

// Or what the builder refused, a fault of the generator. Its extents M and N are open.
Result<TileProgram> numeric_kernel(std::uint64_t seed);

} // namespace tilenest::conformance
