// SPDX-License-Identifier: Apache-2.0
// What a case asks of the reference beside its results: counts of stores, sensitivity to groupings, verdicts on results
// of others, laws of contracts.
#pragma once
#include "conformance/suite/launch.h"

namespace tilenest::conformance {

// What differs from the expectation, or "".
std::string reference_checks(const Case &c, const BoundProgram &bound);

} // namespace tilenest::conformance
