// SPDX-License-Identifier: Apache-2.0
// Scanning of names, numbers, strings, operators and comments.
#include "semantics/diag/codes.h"
#include "semantics/text/lexer.h"
#include <algorithm>
#include <optional>

namespace tilenest::text {

namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr std::string_view two_byte[] = {"<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "->"};
constexpr std::string_view one_byte = "(){}[]<>+-*/%&|^!=,;:.#@";
} // namespace

Lexer::Lexer(std::shared_ptr<const SourceFile> file, Diagnostics &diagnostics)
    : file_(std::move(file)), text_(file_->text), diagnostics_(diagnostics) {}

void Lexer::error(Code code, std::size_t begin, std::string what) {
  Site s{file_, line_, static_cast<std::uint32_t>(begin - line_begin_ + 1),
         static_cast<std::uint32_t>(std::max<std::size_t>(at_ - begin, 1))};
  std::string help = code == Code::P0003 && what == "?" ? "`ite(c, a, b)` is `a` where `c` holds and `b` elsewhere" : "";
  diagnostics_.emplace_back(code, std::move(s), std::vector<std::pair<std::string, std::string>>{{"what", what}},
                            std::move(help));
}

bool Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      line_ends_.push_back(static_cast<std::uint32_t>(at_));
      ++at_, ++line_;
      line_begin_ = at_;
      newline_ = space_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
      space_ = true;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      space_ = true;
    } else {
      return true;
    }
  }
  return false;
}

Token Lexer::make(Token::Kind kind, std::size_t begin) {
  Token t;
  t.kind = kind;
  t.text = text_.substr(begin, at_ - begin);
  t.line = line_;
  t.column = static_cast<std::uint32_t>(begin - line_begin_ + 1);
  t.newline_before = newline_;
  t.space_before = space_;
  newline_ = space_ = false;
  return t;
}

void Lexer::scan_number(Token::Kind &kind) {
  const std::size_t begin = at_;
  const bool hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
  auto digits = [&] {
    while (at_ < text_.size() && (hex ? is_hex(text_[at_]) : is_digit(text_[at_]))) ++at_;
  };
  if (hex) at_ += 2;
  digits();
  if (at_ + 1 < text_.size() && text_[at_] == '.' && (hex ? is_hex(text_[at_ + 1]) : is_digit(text_[at_ + 1]))) {
    kind = Token::Kind::floating;
    ++at_;
    digits();
  }
  const char exponent = hex ? 'p' : 'e';
  if (at_ < text_.size() && (text_[at_] | 0x20) == exponent) {
    kind = Token::Kind::floating;
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }
  // A letter that touches the number belongs to it: `12abc` is one mistake, not two tokens.
  const std::size_t good = at_;
  while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
  if (at_ != good)
    error(Code::P0005, begin, "`" + std::string(text_.substr(begin, at_ - begin)) + "` is not a number");
}

Token Lexer::scan() {
  for (;;) {
    if (!skip_space()) return make(Token::Kind::end, at_);
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      return make(Token::Kind::name, begin);
    }
    if (is_digit(c)) {
      Token::Kind kind = Token::Kind::integer;
      scan_number(kind);
      return make(kind, begin);
    }
    if (c == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
        at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
      if (at_ >= text_.size() || text_[at_] != '"') {
        at_ = std::min(at_, text_.size());
        error(Code::P0004, begin, "the string has no closing quote on its line");
        return make(Token::Kind::string, begin);
      }
      ++at_;
      return make(Token::Kind::string, begin);
    }
    for (std::string_view p : two_byte)
      if (text_.substr(at_, 2) == p) {
        at_ += 2;
        return make(Token::Kind::punct, begin);
      }
    if (one_byte.find(c) != std::string_view::npos) {
      ++at_;
      return make(Token::Kind::punct, begin);
    }
    // One character of UTF-8, at least one byte; a run of them is one report.
    while (at_ < text_.size()) {
      const auto b = static_cast<unsigned char>(text_[at_]);
      if (b > 0x20 && b < 0x7f && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '"' ||
                                   one_byte.find(text_[at_]) != std::string_view::npos))
        break;
      if (b == ' ' || b == '\n' || b == '\t' || b == '\r') break;
      ++at_;
    }
    const auto byte = static_cast<unsigned char>(c);
    std::string shown(text_.substr(begin, std::min<std::size_t>(at_ - begin, 32)));
    if (byte < 0x20 || byte == 0x7f) {
      constexpr char hex[] = "0123456789abcdef";
      shown = std::string("\\x") + hex[byte >> 4] + hex[byte & 15];
    }
    error(Code::P0003, begin, shown);
    space_ = true;
  }
}

const Token &Lexer::peek(int ahead) {
  while (count_ <= ahead) ahead_[count_++] = scan();
  return ahead_[ahead];
}

Token Lexer::take() {
  Token t = peek();
  if (t.kind == Token::Kind::end) return t;
  ahead_[0] = ahead_[1];
  --count_;
  return t;
}

void Lexer::skip_line() {
  take();
  if (count_ > 0) { // what follows on the line was scanned
    while (peek().kind != Token::Kind::end && !peek().newline_before) take();
    return;
  }
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

void Lexer::stop() {
  at_ = text_.size();
  count_ = 0;
}

Site Lexer::site(std::string_view from, const char *to_end, std::uint32_t line, std::uint32_t column) const {
  const char *end = std::max(to_end, from.data() + from.size());
  // A line whose end was not seen yet holds everything that was read.
  if (line <= line_ends_.size()) end = std::min(end, text_.data() + line_ends_[line - 1]);
  return {file_, line, column, static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(end - from.data(), 1))};
}

Site Lexer::site(const Token &t) const { return site(t.text, t.text.data() + t.text.size(), t.line, t.column); }

std::optional<std::string> string_contents(std::string_view token) {
  std::string out;
  if (token.size() < 2 || token.back() != '"') return std::nullopt;
  auto nibble = [](char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; };
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] != '\\') {
      out += token[i];
      continue;
    }
    switch (token[++i]) {
    case '\\': out += '\\'; break;
    case '"': out += '"'; break;
    case 'n': out += '\n'; break;
    case 't': out += '\t'; break;
    case 'x':
      if (i + 3 >= token.size() || !is_hex(token[i + 1]) || !is_hex(token[i + 2])) return std::nullopt;
      out += static_cast<char>(nibble(token[i + 1]) * 16 + nibble(token[i + 2]));
      i += 2;
      break;
    default: return std::nullopt;
    }
  }
  return out;
}

std::size_t invalid_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto b = static_cast<unsigned char>(s[i]);
    if (b < 0x80) {
      ++i;
      continue;
    }
    const int more = b >= 0xc2 && b < 0xe0 ? 1 : b >= 0xe0 && b < 0xf0 ? 2 : b >= 0xf0 && b < 0xf5 ? 3 : 0;
    if (more == 0 || i + static_cast<std::size_t>(more) >= s.size()) return i;
    std::uint32_t code = b & (0x3f >> more);
    for (int k = 1; k <= more; ++k) {
      const auto c = static_cast<unsigned char>(s[i + static_cast<std::size_t>(k)]);
      if ((c & 0xc0) != 0x80) return i;
      code = code << 6 | (c & 0x3f);
    }
    const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return i;
    i += static_cast<std::size_t>(more) + 1;
  }
  return std::string_view::npos;
}

} // namespace tilenest::text
