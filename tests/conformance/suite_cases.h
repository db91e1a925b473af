// SPDX-License-Identifier: Apache-2.0
// The committed case files, and small suites that tests write themselves.
#pragma once
#include "conformance/suite/suite.h"
#include <string>
#include <vector>

namespace tilenest::conformance {

// All cases of conformance/cases; the test fails where one cannot be read.
const std::vector<Case> &committed_cases();
// The cases of one JSON text, which is well formed.
std::vector<Case> cases_of(const std::string &json);
// A file around cases: `body` is the text between the brackets of "cases".
std::string case_file(const std::string &body);

std::vector<const Case *> pointers(const std::vector<Case> &cases, const std::string &part_of_name = {});

} // namespace tilenest::conformance
