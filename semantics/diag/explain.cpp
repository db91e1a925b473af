// SPDX-License-Identifier: Apache-2.0
// Looking up an embedded page.
#include "semantics/diag/explain.h"
#include <algorithm>

namespace tilenest {

std::optional<std::string_view> explanation(std::string_view code) {
  const ExplanationPage *const end = explanation_pages + explanation_page_count;
  const ExplanationPage *const page =
      std::lower_bound(explanation_pages, end, code,
                       [](const ExplanationPage &p, std::string_view wanted) { return p.code < wanted; });
  if (page == end || page->code != code) return std::nullopt;
  return page->text;
}

} // namespace tilenest
