// SPDX-License-Identifier: Apache-2.0
// Tokens of a plan's text with one step of failure: after the first mistake every question answers no. Private to the
// parser of plans. Knows tokens, types and extents; no operations.
#pragma once
#include "lower/plan.h"
#include "semantics/text/lexer.h"
#include <map>
#include <optional>

namespace tilenest::plan {

class Cursor {
public:
  explicit Cursor(std::shared_ptr<const SourceFile> file);

  bool failed() const { return !diagnostics_.empty(); }
  Diagnostics take_diagnostics(); // the first, if there is one
  const text::Token &peek() { return lexer_.peek(); }
  bool at(std::string_view text) { return !failed() && lexer_.peek().is(text); }
  bool at_end() { return lexer_.peek().kind == text::Token::Kind::end; }
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  text::Token take() { return lexer_.take(); }
  void unexpected(const std::string &expected);
  void fail(Code code, const text::Token &where, std::vector<std::pair<std::string, std::string>> args);

  bool at_name(); // a word, or a string that stands for one
  std::string name(const char *expected);
  std::string string(const char *expected);
  // `%` and what follows it without a gap; the token to blame, and the name.
  std::optional<std::pair<text::Token, std::string>> reg();
  std::optional<std::uint64_t> natural(const char *expected, std::uint64_t most);
  std::optional<std::int64_t> integer();
  std::optional<Type> type();
  std::optional<Extent> extent(const std::map<std::string, ParamId> &params);
  std::optional<std::uint64_t> constant(ScalarType type);

private:
  std::optional<Extent> extent_term(const std::map<std::string, ParamId> &params, bool negative);
  std::optional<Extent> extent_atom(const std::map<std::string, ParamId> &params);

  Diagnostics diagnostics_; // before the lexer, which reports into it
  text::Lexer lexer_;
  int depth_ = 0;
};

} // namespace tilenest::plan
