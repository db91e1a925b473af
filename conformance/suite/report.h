// SPDX-License-Identifier: Apache-2.0
// What a run of the suite found, for people, as JSON and as JUnit XML. Nothing is decided here.
#pragma once
#include "conformance/suite/suite.h"
#include <nlohmann/json_fwd.hpp>

namespace tilenest::conformance {

// Failures one a line, then a table of chapters by engines.
std::string suite_text(const SuiteResult &result);
// Members `cases`, `chapters`, `engines` of the document (docs/conformance.md).
nlohmann::ordered_json suite_json(const SuiteResult &result);
std::string suite_junit(const SuiteResult &result);

} // namespace tilenest::conformance
