// SPDX-License-Identifier: Apache-2.0
// Judgements on `reduce` regions (calculus 6): which states have a merge that RED-LAW recognises, which policies
// that allows, and that no effect, condition or coordinate uses a state (RED-EFF). The groupings that a policy
// admits are not here.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Fills ReductionAlgebra::State::merge of every reduce region. Errors: T0305, a tree policy over a state without
// a merge; T0306, a use of a state that RED-EFF forbids. Needs a well-typed program.
Diagnostics reductions_ok(TileProgram &program);

// The identity of a merge, neutral bit for bit: identity (+) x has the bits of x for every x (any NaN for a NaN).
// Little-endian in the low bits. `merge` is one of add mul min max minnum maxnum bit_and bit_or bit_xor mma, and
// `type` one that it takes.
std::uint64_t identity_bits(OpKind merge, ScalarType type);
// The merge of an expression reduction.
OpKind merge_of(Reducer reducer);

std::string_view to_string(ReductionPolicy policy);

} // namespace tilenest
