// SPDX-License-Identifier: Apache-2.0
// What is written as in other languages: one report, its help in this one.
#include "semantics/diag/codes.h"
#include "semantics/text/hints.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

// What a token of another language is called here.
std::string Parser::help_at(const Token &t) const {
  if (t.is("#")) return "a comment starts with `//`";
  if (t.is("elif") || t.is("elseif") || t.is("elsif")) return statement_help(t.text);
  if (t.is("=") && condition_) return "`==` compares";
  const bool touches = previous_end_ && previous_end_ == t.text.data() && t.text.data() != file_->text.data();
  if (touches && t.is("&") && t.text.data()[-1] == '&') return "`&` is the and of two bools";
  if (touches && t.is("|") && t.text.data()[-1] == '|') return "`|` is the or of two bools";
  return {};
}

// A line that begins a comment with `#`: one report in a file, whatever it says.
void Parser::skip_hash_comment() {
  if (!hash_comment_) unexpected("a statement");
  hash_comment_ = failed_ = true;
  lexer_.skip_line();
  panic_ = stopped_;
}

// An unknown word that another word, a string or a number follows, or `(` where it is nearly a word of statements.
bool Parser::foreign_statement() {
  const Token t = peek(), next = peek(1);
  if (next.newline_before || reserved_word(t.text) || names_.find(std::string(t.text))) return false;
  std::string help = statement_help(t.text);
  const bool word = next.is_name() || next.kind == Token::Kind::string || next.is_number() || next.is("{");
  if (!word && !(next.is("(") && !help.empty())) return false;
  report(Code::P0006, lexer_.site(t), {{"name", std::string(t.text)}}, std::move(help));
  panic_ = true;
  return true;
}

// `A[origin, window] = x`: what it would be as a store.
void Parser::assigned_access(const Expr &target) {
  const Site site = lexer_.site(peek());
  const char *const from = target.begin.from.data();
  std::string place, old, value = "x";
  if (const Symbol *s = names_.find(std::string(target.begin.from)); s && s->kind == Symbol::Kind::view) {
    const std::string_view index(from + target.begin.from.size(), static_cast<std::size_t>(previous_end_ - from) - target.begin.from.size());
    if (index.size() > 2 && index.size() <= 60 && index.front() == '[' && index.back() == ']' && index.find('\n') == index.npos)
      old = std::string(target.begin.from) + std::string(index),
      place = std::string(target.begin.from) + "(" + std::string(index.substr(1, index.size() - 2)) + ")";
  }
  const std::string sign(take().text);
  const Mark right = mark();
  (void)expression();
  if (!panic_ && previous_end_ > right.from.data()) {
    const std::string_view text(right.from.data(), static_cast<std::size_t>(previous_end_ - right.from.data()));
    if (text.size() <= 40 && text.find('\n') == text.npos) value = std::string(text);
  }
  if (sign.size() == 2) value = old + " " + sign[0] + " " + (value.find(' ') == value.npos ? value : "(" + value + ")");
  report(Code::P0001, site, {{"found", "`" + sign + "`"}, {"expected", "the end of the statement"}},
         place.empty() ? "" : "a store is a call: `" + place + ".store(" + value + ")`");
  panic_ = true;
}

} // namespace tilenest::text
