// SPDX-License-Identifier: Apache-2.0
// The case files of conformance/cases and the list of expected failures, as they were when the library was built, so that an
// installed binary needs no files. The definitions are generated (cmake/embed.cmake).
#pragma once
#include <cstddef>
#include <string_view>

namespace tilenest::conformance {

struct EmbeddedCaseFile {
  std::string_view name, text; // "bounds.json"
};
extern const EmbeddedCaseFile embedded_case_files[];
extern const std::size_t embedded_case_file_count;
extern const std::string_view embedded_expected_failures; // of conformance/expected_failures.txt

} // namespace tilenest::conformance
