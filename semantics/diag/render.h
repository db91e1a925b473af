// SPDX-License-Identifier: Apache-2.0
// The two renderers of diagnostics: text for people, JSON for programs (schema: docs/diagnostics.md).
// They show what the data says and decide nothing; neither prints nor fails.
#pragma once
#include "semantics/diag/diagnostic.h"
#include <cstddef>
#include <string>

namespace tilenest {

struct TextStyle {
  bool color = false;            // ANSI escapes
  std::size_t max_columns = 100; // of a source line; longer ones are clipped around the place
};

// Ends with a line end.
std::string render_text(const Diagnostic &diagnostic, const TextStyle &style = {});
// One after the other with an empty line between them; empty for none.
std::string render_text(const Diagnostics &diagnostics, const TextStyle &style = {});

// `indent` spaces a level, or one line for -1.
std::string to_json(const Diagnostics &diagnostics, int indent = 2);

const char *to_string(Severity severity);
const char *to_string(DiagClass diag_class);

} // namespace tilenest
