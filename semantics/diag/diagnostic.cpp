// SPDX-License-Identifier: Apache-2.0
// The table of codes and the filling of messages.
#include "semantics/diag/codes.h"
#include "semantics/diag/diagnostic.h"

namespace tilenest {

namespace {
constexpr CodeInfo table[] = {
#define DIAG(code, severity, rule, message) {#code, Severity::severity, rule, message},
#include "semantics/diag/diagnostics.def"
#undef DIAG
};
constexpr Code codes[] = {
#define DIAG(code, severity, rule, message) Code::code,
#include "semantics/diag/diagnostics.def"
#undef DIAG
};
} // namespace

const CodeInfo &info(Code code) { return table[static_cast<std::size_t>(code)]; }
std::size_t code_count() { return std::size(table); }

const Code *find_code(std::string_view spelling) {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (spelling == table[i].code) return &codes[i];
  return nullptr;
}

Diagnostic::Diagnostic(Code c, Site where, std::vector<std::pair<std::string, std::string>> arguments,
                       std::string help_text)
    : code(c), args(std::move(arguments)), help(std::move(help_text)) {
  if (!where.within.empty()) note("in the expansion of `" + where.within + "`"); // from_arguments adds to it
  if (where.file) sites.push_back({std::move(where), {}});
}

Diagnostic &Diagnostic::from_arguments(const std::string &from) {
  if (from.empty()) return *this;
  constexpr std::string_view expansion = "in the expansion of ";
  args.emplace_back("as", ", " + from + " of " + notes.front().substr(expansion.size()));
  notes.front() += ", " + from;
  return *this;
}

std::string Diagnostic::message() const {
  std::string out;
  std::string_view text = info().message;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    bool found = false;
    for (const auto &[key, value] : args)
      if (key == name || (name.ends_with('?') && key == name.substr(0, name.size() - 1))) { // `{as?}`: nothing where it is absent
        out += value;
        found = true;
        break;
      }
    if (!found && !name.ends_with('?')) out += "{" + std::string(name) + "}";
    text.remove_prefix(close + 1);
  }
  if (out.ends_with(": ")) out.resize(out.size() - 2); // an assertion without a text
  return out;
}

bool has_error(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics)
    if (d.info().severity == Severity::error) return true;
  return false;
}

int exit_status(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics) {
    if (d.info().severity != Severity::error) continue;
    switch (d.info().diag_class()) {
    case DiagClass::assertion: return 1;
    case DiagClass::text:
    case DiagClass::typing: return 2;
    case DiagClass::violation: return 3;
    case DiagClass::unsupported: return 5;
    case DiagClass::limit: return 6;
    case DiagClass::bug: return 70;
    }
  }
  return 0;
}

} // namespace tilenest
