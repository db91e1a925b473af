// SPDX-License-Identifier: Apache-2.0
// print: a program as .tile text that parses back to an equal program. Decides nothing: names apart, every
// character follows from the program.
#pragma once
#include "semantics/program/program.h"
#include "semantics/support/literal_text.h"
#include <string>

namespace tilenest {

struct PrintOptions {
  bool anchors = false; // one operation per statement, each with its `@anchor(...)`; calls are expanded
  bool expand = false;  // calls of the library as their expansions
};
std::string print(const TileProgram &program, const PrintOptions &options = {});

namespace text {
// A string as the grammar reads it back.
std::string quoted(std::string_view contents);
} // namespace text

} // namespace tilenest
