// SPDX-License-Identifier: Apache-2.0
// The tokens of the .tile language, made on demand from valid UTF-8. Newlines are facts of the token after
// them. Reports P0003 to P0005; knows no grammar.
#pragma once
#include "semantics/diag/diagnostic.h"
#include <optional>
#include <string_view>
#include <vector>

namespace tilenest::text {

struct Token {
  enum class Kind : std::uint8_t { end, name, integer, floating, string, punct };
  Kind kind = Kind::end;
  std::string_view text; // as written; a string with its quotes
  std::uint32_t line = 1, column = 1;
  bool newline_before = false;
  bool space_before = false;

  bool is(std::string_view t) const { return text == t && kind != Kind::string; }
  bool is_name() const { return kind == Kind::name; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::floating; }
};

class Lexer {
public:
  Lexer(std::shared_ptr<const SourceFile> file, Diagnostics &diagnostics);

  const Token &peek(int ahead = 0); // 0 or 1
  Token take();
  // From here on there are no more tokens.
  // To the end of the line of the next token, which is `#`.
  void skip_line();
  void stop();
  // From the first byte of `from` to the last byte before `to_end`, cut at the end of the first line.
  Site site(std::string_view from, const char *to_end, std::uint32_t line, std::uint32_t column) const;
  Site site(const Token &t) const;

private:
  Token scan();
  Token make(Token::Kind kind, std::size_t begin);
  void scan_number(Token::Kind &kind);
  bool skip_space();
  void error(Code code, std::size_t begin, std::string what);

  std::shared_ptr<const SourceFile> file_;
  std::string_view text_;
  Diagnostics &diagnostics_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::uint32_t line_ = 1;
  std::vector<std::uint32_t> line_ends_; // offsets of the newlines read so far
  bool newline_ = true, space_ = true;
  Token ahead_[2];
  int count_ = 0;
};

// The contents of a string token, escapes resolved; nothing if one is malformed.
std::optional<std::string> string_contents(std::string_view token);
// The offset of the first byte that is not UTF-8, or npos.
std::size_t invalid_utf8(std::string_view text);

} // namespace tilenest::text
