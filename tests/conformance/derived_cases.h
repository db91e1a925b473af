// SPDX-License-Identifier: Apache-2.0
// The case files that follow from the table of operations, the element types and an oracle: exact integers, MPFR and one
// rounding (tests/numerics/oracle.h), index arithmetic and plain loops. Nothing here runs an engine.
#pragma once
#include "tests/conformance/case_text.h"

namespace tilenest::derived {

FileText elementwise_cases(); // every row at every type, and what it refuses
FileText cast_cases();        // every pair of types
FileText fold_cases();        // folds, scans and atomics by every reducer at every type
FileText contraction_cases(); // mma of every pair of types
FileText movement_cases();    // what moves elements, at every type
FileText kernel_cases();      // whole kernels

// All of them, as conformance/cases has them.
std::vector<std::pair<std::string, std::string>> derived_files(); // "elementwise.json", its text

} // namespace tilenest::derived
