// SPDX-License-Identifier: Apache-2.0
// Files of conformance cases, read strictly: what is unknown, missing, given twice or of the wrong kind is refused with
// its place in the file. The format is docs/conformance.md's and case.schema.json's.
#pragma once
#include "conformance/suite/case.h"
#include "semantics/diag/diagnostic.h"
#include <string_view>

namespace tilenest::conformance {

// Errors: P1401, one for each thing that is wrong, at most 20, each with a JSON pointer and the case's name.
Result<std::vector<Case>> read_cases(std::string_view json, const std::string &file);

// Expected failures: `ENGINE CASE: REASON`, one a line; `#` begins a comment. ENGINE is `interp`, `plan`, `cpu` or `exec`.
struct ExpectedFailure {
  std::string engine, name, reason;
};
Result<std::vector<ExpectedFailure>> read_expected_failures(std::string_view text, const std::string &file);

} // namespace tilenest::conformance
