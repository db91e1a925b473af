// SPDX-License-Identifier: Apache-2.0
// The results that a target may give for one primitive on given operands (NUM-TGT): the seam between a profile and
// whoever holds results against it.
#pragma once
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/target_profile.h"
#include <span>

namespace tilenest {

// Whether the profile declares anything of the primitive with results of this type.
bool declares(const TargetProfile &profile, Primitive primitive, ScalarType type);

// The results of `primitive` on the operands, elements of `operand_type`, whose result has the float type
// `result_type`; `rounded` holds the correctly rounded ones. Sound: no result that the profile admits is missing. For
// operands that are points and one bound in ulps or absolute it is also tight, but for the hull that flushing makes.
// Where nothing is declared it is `rounded`.
Enclosure declared_enclosure(const TargetProfile &profile, Primitive primitive, ScalarType operand_type,
                             ScalarType result_type, std::span<const Enclosure> operands, const Enclosure &rounded);
// The same for operands that are points, given as bits.
Enclosure declared_enclosure(const TargetProfile &profile, Primitive primitive, ScalarType operand_type,
                             ScalarType result_type, std::span<const std::uint64_t> operands);

} // namespace tilenest
