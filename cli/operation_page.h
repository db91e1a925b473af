// SPDX-License-Identifier: Apache-2.0
// Operations and library functions as text: one for `tilenest ops NAME`, the pages of docs/operations. All of it is
// read off the two tables.
#pragma once
#include <optional>
#include <string>

namespace tilenest::cli {

// An operation, a function, or a page; nothing for another name.
std::optional<std::string> operation_text(const std::string &name);
// docs/operations/NAME.md for a form or family, and README.md for "".
std::optional<std::string> operation_page(const std::string &page);

} // namespace tilenest::cli
