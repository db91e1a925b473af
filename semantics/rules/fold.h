// SPDX-License-Identifier: Apache-2.0
// What the reducers of the expression form are: the primitive of each and the identity that is neutral bit for
// bit (RED-TREE, RED-SEED).
#pragma once
#include "semantics/numerics/primitives.h"
#include "semantics/program/program.h"

namespace tilenest::rules {

Primitive fold_primitive(Reducer reducer);
// The bits e with op(e, x) == x, bit for bit, for every x that is not NaN: -0 for float `+`, NaN for minnum
// and maxnum, the infinities for min and max.
std::uint64_t fold_identity(Reducer reducer, ScalarType type);

} // namespace tilenest::rules
