// SPDX-License-Identifier: Apache-2.0
// Random conformance cases: a program as text with inputs, from a seed. What must come of it is what the reference admits.
#pragma once
#include "conformance/suite/case.h"

namespace tilenest::conformance {

// Seeds that are even give kernels about concurrency, of which half interfere; odd ones kernels about numbers.
Case random_case(std::uint64_t seed);

} // namespace tilenest::conformance
