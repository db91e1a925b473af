// SPDX-License-Identifier: Apache-2.0
// The elementary functions of f32 and narrower types as primitives that every target has: +, -, *, /, sqrt, fma, bits.
// Within one unit in the last place, which the profile `cpu` declares; docs/elementary.md says how, and what was measured.
#pragma once
#include "lower/builder.h"

namespace tilenest::lowering {

// The function on a float of f32 or narrower, scalar or vector; nothing where it stays the primitive itself (f64, pow).
bool has_fast_elementary(Primitive function, ScalarType type);
std::optional<plan::Reg> fast_elementary(plan::Builder &b, Primitive function, plan::Reg x);

} // namespace tilenest::lowering
