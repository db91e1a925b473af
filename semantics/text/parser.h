// SPDX-License-Identifier: Apache-2.0
// parse: the text of a .tile file to captured programs, or diagnostics of class P (text and names), T (what
// the builder refuses) and L (limits). One pass, no syntax tree: every production captures through Builder.
#pragma once
#include "semantics/program/program.h"
#include "semantics/text/production.h"
#include <memory>

namespace tilenest {

struct ParsedFile {
  std::vector<TileProgram> kernels; // those without errors, in order
  Diagnostics diagnostics;          // in the order of the text
};

// `counts`, when given, is told how often each production of the grammar was used.
ParsedFile parse(std::shared_ptr<const SourceFile> file, text::ProductionCounts *counts = nullptr);
// The text of a string, as a file of that name.
ParsedFile parse_text(std::string name, std::string text);

namespace text {
inline constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
inline constexpr int max_nesting = 256;
inline constexpr std::size_t max_errors = 100;
inline constexpr std::size_t max_operations = std::size_t{1} << 20; // of all kernels of a file
} // namespace text

} // namespace tilenest
