// SPDX-License-Identifier: Apache-2.0
// tilenest explain: the page of a code, the text of a rule, or the list of codes.
#include "cli/commands.h"
#include "cli/report.h"
#include "semantics/diag/explain.h"
#include <cctype>

namespace tilenest::cli {

int explain_command(const ExplainArguments &options) {
  if (options.code.empty()) {
    std::string list;
    for (std::size_t i = 0; i < explanation_page_count; ++i) {
      const std::string_view text = explanation_pages[i].text; // "# CODE: title"
      const std::string_view line = text.substr(0, text.find('\n'));
      list += std::string(line.substr(line.find_first_not_of("# "))) + "\n";
    }
    print_out(list);
    return 0;
  }
  std::string code = options.code;
  for (char &c : code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (const auto page = explanation(code)) {
    print_out(*page);
    if (!page->ends_with('\n')) print_out("\n");
    return 0;
  }
  if (const auto rule = rule_text(code)) {
    print_out(std::string(*rule) + "\n");
    return 0;
  }
  return usage_error("there is no diagnostic and no rule `" + options.code + "`", "`tilenest explain` lists the codes");
}

} // namespace tilenest::cli
