// SPDX-License-Identifier: Apache-2.0
// Case files as text, laid out for people: what the derived cases are written with.
#pragma once
#include "semantics/support/scalar_type.h"
#include "tests/types/elements.h"
#include <string>
#include <utility>
#include <vector>

namespace tilenest::derived {

using Shape = std::vector<std::int64_t>;

// {"type": "f32", "shape": [2], "bits": "3f800000 00000000"}
std::string bits_text(ScalarType type, const Shape &shape, const Elements &elements);
// {"type": "i32", "shape": [4], "values": [1, 2, 3, 4]}, of small whole numbers
std::string values_text(ScalarType type, const Shape &shape, const std::vector<std::int64_t> &values);
// Where nothing is said of any element.
std::string open_text(ScalarType type, const Shape &shape);

// {"type": "f32", "shape": [2], "low": {"bits": ...}, "high": {"bits": ...}}
std::string between_text(ScalarType type, const Shape &shape, const Elements &low, const Elements &high);

struct CaseText {
  std::string name, program;                                  // of the file's programs
  std::vector<std::pair<std::string, std::string>> with;      // words for its $NAMEs
  std::vector<std::pair<std::string, std::string>> extents;
  std::vector<std::pair<std::string, std::string>> inputs;    // array texts
  std::vector<std::pair<std::string, std::string>> outputs;   // array texts
  std::vector<std::pair<std::string, std::string>> between;   // between_text()
  std::vector<std::string> reports;                           // "T0102@3"
  std::vector<std::string> rules;                             // empty: the file's
  std::string derived;                                        // "": the file's
  int orders = 0;
  bool contained = false, admitted = false;
};

struct FileText {
  std::string chapter, about, derived;
  std::vector<std::string> rules;
  std::vector<std::pair<std::string, std::string>> programs; // name, text
  std::vector<CaseText> cases;
  std::string text() const;
};

// The text with every WORD (as a whole) replaced.
std::string with_word(std::string text, const std::string &word, const std::string &by);

} // namespace tilenest::derived
