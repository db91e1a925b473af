// SPDX-License-Identifier: Apache-2.0
// Draft: the text of a base kernel as lines with marks, and the edits that operators make of it. A mark, written behind
// `//@` in a base, states what holds of its line (operators.h lists them); lines that open a `parallel`, `serial`,
// `pipeline` or `reduce` have a mark of that name by themselves. Edits are textual and know nothing of meaning.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilenest::conformance {

struct Mark {
  std::string kind;
  std::vector<std::string> words;
};

struct Line {
  std::string text;
  std::vector<Mark> marks;
  bool blamed = false; // the planted violation is reported here
};

struct Draft {
  std::vector<std::string> directives; // `//!` lines: "fill A modulo 3", "bind N 8 12"
  std::vector<Line> lines;             // from `kernel` on
};

// Comments of the base are dropped, marks and directives kept.
Draft read_draft(const std::string &text);

// --- parts of a line: [begin, end) ---
struct Part {
  std::size_t begin = 0, end = 0;
};
// Of a store or an atomic: all in front of `.store(` or `.atomic`; an empty part where there is none.
Part origin_of(const std::string &text);
// Between the parentheses of `.store(...)`.
Part value_of(const std::string &text);
// Between the brackets of the first `view[...]`.
Part access_of(const std::string &text, const std::string &view);

// `text` with each whole occurrence of `word` inside the part replaced; a word ends where neither a letter, a digit, `_`
// nor `.` goes on. False if there is none.
bool replace_word(std::string &text, Part part, std::string_view word, const std::string &by);
bool replace_word(std::string &text, std::string_view word, const std::string &by);
bool replace_first(std::string &text, std::string_view what, std::string_view by);

// --- places ---
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
// The line with the mark `name NAME`.
std::size_t line_named(const Draft &d, std::string_view name);
// The line of the brace that closes the block which this line opens.
std::size_t block_end(const Draft &d, std::size_t header);
bool mentions(const Draft &d, std::string_view what, std::size_t from = 0, std::size_t to = nowhere);

// --- additions ---
void add_line(Draft &d, std::size_t before, const std::string &text, bool blamed = false);
void add_argument(Draft &d, const std::string &declaration);
void add_axis(Draft &d, const std::string &axis); // "w = 2", known in the whole kernel; moves no line

} // namespace tilenest::conformance
