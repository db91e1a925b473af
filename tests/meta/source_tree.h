// SPDX-License-Identifier: Apache-2.0
// The project's own files as texts, for the tests that read them. Each check is a function over a list of
// texts, so that it is tried on made-up texts too. Nothing here knows what a check looks for.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilenest::meta {

struct SourceText {
  std::string path; // from the repository root, "semantics/space/space.h"
  std::string text;
};

// A sentence for each thing that is wrong, beginning with the path or id it is about.
using Faults = std::vector<std::string>;

// All files below the folders (those that exist) whose name ends in one of the endings, by path.
std::vector<SourceText> files_below(const std::vector<std::string> &folders,
                                    const std::vector<std::string> &endings);
// The text of one file; the calling test fails where it is missing.
std::string read_file(const std::string &path);

std::vector<std::string_view> lines_of(std::string_view text);
std::string_view trimmed(std::string_view text);
bool ends_with(std::string_view text, std::string_view ending);
bool begins_with(std::string_view text, std::string_view beginning);

// The faults one a line, for a message of the test.
std::string listed(const Faults &faults);

// Source text of C++ with its comments taken out (strings stay).
std::string without_comments(std::string_view text);

} // namespace tilenest::meta
