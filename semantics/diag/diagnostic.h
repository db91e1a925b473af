// SPDX-License-Identifier: Apache-2.0
// Diagnostics as data: a code of diagnostics.def, named arguments, numbered sites, an optional help and
// replay line. render.h turns them into text or JSON; nothing here prints.
#pragma once
#include "semantics/support/result.h"
#include "semantics/support/rule.h"
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilenest {

// The classes of architecture: text, typing, violated at run time, assertion, not supported, limit, bug.
enum class DiagClass : char { text = 'P', typing = 'T', violation = 'U', assertion = 'A', unsupported = 'N',
                              limit = 'L', bug = 'B' };
enum class Severity : std::uint8_t { error, warning, note };

// Its enumerators stand in codes.h, which only the files that report include: a new code rebuilds few.
enum class Code : std::uint16_t;

struct CodeInfo {
  const char *code;    // "T0101"
  Severity severity;
  const char *rule;    // rule id, or "" where no rule of the calculus stands behind it
  const char *message; // one sentence, lower case, `{name}` marks an argument
  DiagClass diag_class() const { return static_cast<DiagClass>(code[0]); }
};
const CodeInfo &info(Code code);
// The code of this spelling, or nullptr.
const Code *find_code(std::string_view spelling);
std::size_t code_count();

// A source file as the reader sees it; C++ kernels have a name and no text.
struct SourceFile {
  std::string name;
  std::string text;
};

// A place: line and columns are 1-based, 0 where unknown (a C++ site knows its line only).
// `length` is in bytes on that line.
struct Site {
  std::shared_ptr<const SourceFile> file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;
  std::string within; // the library function that is called here, for an operation of its expansion; else ""
};

struct LabelledSite {
  Site site;
  std::string label; // "(2) write by nest(gm=3, gn=0)"; empty for the primary site of a one-site report
};

struct Diagnostic {
  Code code;
  std::vector<std::pair<std::string, std::string>> args; // fills `{name}` of the message
  std::vector<LabelledSite> sites;                       // the first is the primary one
  std::vector<std::string> notes;                        // "= note:" lines
  std::string help;                                      // only when it is right
  std::string replay;
  std::uint64_t count = 1; // occurrences of the same cause

  Diagnostic(Code c, Site where = {}, std::vector<std::pair<std::string, std::string>> arguments = {},
             std::string help_text = {});
  Diagnostic &note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  // Labels the primary site; where the program has no sites, the label stands as a note.
  Diagnostic &label(std::string text) {
    if (sites.empty()) return note(std::move(text));
    sites[0].label = std::move(text);
    return *this;
  }
  Diagnostic &also(Site site, std::string label) {
    sites.push_back({std::move(site), std::move(label)});
    return *this;
  }
  // Ends the note about the library call in whose expansion the primary site stands, and the messages with `{as?}`, by
  // "from `x`". "" adds nothing.
  Diagnostic &from_arguments(const std::string &from);
  const CodeInfo &info() const { return tilenest::info(code); }
  // The message with its arguments filled in; of `{as?}` nothing where there is no `as`.
  std::string message() const;
};

template <class T> Result<T>::Result(Diagnostic error) : state_(std::in_place_index<1>) {
  std::get_if<1>(&state_)->push_back(std::move(error));
}

bool has_error(const Diagnostics &diagnostics);
// The exit status of the first error: 0 if there is none (architecture, "Every failure has a class").
int exit_status(const Diagnostics &diagnostics);

} // namespace tilenest
