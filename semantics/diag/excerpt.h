// SPDX-License-Identifier: Apache-2.0
// One line of source as a terminal shows it: tabs expanded, UTF-8 measured in columns, what a terminal
// would obey replaced, long lines clipped around the place of interest. It decides nothing about layout
// beyond that one line; render.h does.
#pragma once
#include "semantics/diag/diagnostic.h"
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilenest {

// The 1-based line of the file without its line end, or nothing where the file has no such line or no text.
std::optional<std::string_view> source_line(const SourceFile &file, std::uint32_t line);

// The 1-based column in characters (code points) of a 1-based byte column. Columns past the end of the
// line count on in bytes.
std::uint32_t character_column(std::string_view line, std::uint32_t byte_column);

struct Excerpt {
  std::string text;           // valid UTF-8 without control characters
  std::size_t indent = 0;     // columns before the marked span
  std::size_t span_width = 1; // columns of the marked span, at least 1
};

// The line with the span of `length` bytes from `byte_column` (1-based; 0 marks the whole line without its
// indentation). At most `max_columns` wide, clipped ends show as "...".
Excerpt excerpt_of(std::string_view line, std::uint32_t byte_column, std::uint32_t length,
                   std::size_t max_columns);

// The text with control characters escaped (`\n`, `\x1b`) and invalid UTF-8 replaced, for one line of output.
std::string printable(std::string_view text);

} // namespace tilenest
