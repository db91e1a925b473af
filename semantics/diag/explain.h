// SPDX-License-Identifier: Apache-2.0
// The pages of docs/diagnostics/, built into the library: what a code means, a failing and a fixed program.
// The table itself is generated at build time; nothing here reads a file.
#pragma once
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace tilenest {

// The page of this code as Markdown, or nothing for a code without one. The code is matched exactly ("T0101").
std::optional<std::string_view> explanation(std::string_view code);

// What docs/calculus.md says of the rule of this id ("BND-ASSUME"), or nothing.
std::optional<std::string_view> rule_text(std::string_view id);
extern const std::string_view calculus_text; // docs/calculus.md

struct ExplanationPage {
  std::string_view code, text;
};
// Sorted by code.
extern const ExplanationPage explanation_pages[];
extern const std::size_t explanation_page_count;

} // namespace tilenest
