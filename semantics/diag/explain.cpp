// SPDX-License-Identifier: Apache-2.0
// Looking up an embedded page.
#include "semantics/diag/explain.h"
#include <algorithm>
#include <string>

namespace tilenest {

std::optional<std::string_view> explanation(std::string_view code) {
  const ExplanationPage *const end = explanation_pages + explanation_page_count;
  const ExplanationPage *const page =
      std::lower_bound(explanation_pages, end, code,
                       [](const ExplanationPage &p, std::string_view wanted) { return p.code < wanted; });
  if (page == end || page->code != code) return std::nullopt;
  return page->text;
}

// From `**ID**` at the start of a line to the next rule or heading.
std::optional<std::string_view> rule_text(std::string_view id) {
  const std::string start = "\n**" + std::string(id) + "**";
  const std::size_t found = id.empty() ? std::string_view::npos : calculus_text.find(start);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view rest = calculus_text.substr(found + 1);
  std::string_view text = rest.substr(0, std::min(rest.find("\n**"), rest.find("\n#")));
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

} // namespace tilenest
