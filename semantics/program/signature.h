// SPDX-License-Identifier: Apache-2.0
// The type of every value-producing operation from its operands and attributes: element types, BCAST, windows,
// MMA's dims, activity. The builder asks it while capturing, typing/ asks it again of a finished program.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// True if operands of that class are of types of this kind. Types of storage alone are told apart by is_packed.
bool admits(OpOperands operands, ScalarType type);

// What to do about T0108 for a type of storage alone.
std::string cast_to_compute(ScalarType packed);

struct Signature {
  TileType type;                     // of the one result; meaningless for operations without a result
  std::vector<Constraint> open;      // extent equations left to binding
  Diagnostics errors;                // the operation is refused if any
};

// For every kind but the region operations. `op.results` is not read.
Signature signature(const TileProgram &p, const Op &op);

// The dims of an mma by their part, in the order of `a` (contracted), `acc` (batch, rows, columns).
struct MmaDims {
  std::vector<DimId> batch, rows, cols, contracted;
};
MmaDims mma_dims(const Space &a, const Space &b, const Space &acc);

// True if every value of `from` is a value of `to`.
bool converts_exactly(ScalarType from, ScalarType to);

} // namespace tilenest
