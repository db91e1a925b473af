// SPDX-License-Identifier: Apache-2.0
// Tokens, names, types, numbers and extents of a plan's text.
#include "lower/parse_cursor.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include <charconv>

namespace tilenest::plan {

using text::Token;

Cursor::Cursor(std::shared_ptr<const SourceFile> file) : lexer_(std::move(file), diagnostics_) {}

Diagnostics Cursor::take_diagnostics() {
  if (diagnostics_.size() > 1) diagnostics_.erase(diagnostics_.begin() + 1, diagnostics_.end());
  return std::move(diagnostics_);
}

bool Cursor::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

bool Cursor::expect(std::string_view text) {
  if (accept(text)) return true;
  unexpected("`" + std::string(text) + "`");
  return false;
}

void Cursor::unexpected(const std::string &expected) {
  const Token &t = peek();
  const std::string found = t.kind == Token::Kind::end      ? "end of file"
                            : t.kind == Token::Kind::string ? "string"
                                                            : "`" + std::string(t.text.substr(0, 40)) + "`";
  fail(Code::P0001, t, {{"found", found}, {"expected", expected}});
}

// A lexical mistake before it is the reason, and is told alone.
void Cursor::fail(Code code, const Token &where, std::vector<std::pair<std::string, std::string>> args) {
  if (!failed()) diagnostics_.emplace_back(code, lexer_.site(where), std::move(args));
}

bool Cursor::at_name() { return !failed() && (peek().is_name() || peek().kind == Token::Kind::string); }

std::string Cursor::name(const char *expected) {
  if (!failed() && peek().is_name()) return std::string(take().text);
  return string(expected);
}

std::string Cursor::string(const char *expected) {
  if (failed() || peek().kind != Token::Kind::string) return unexpected(expected), "";
  const Token t = take();
  const auto contents = text::string_contents(t.text);
  if (!contents) fail(Code::P0004, t, {{"what", "an escape is not known"}});
  return contents.value_or("");
}

std::optional<std::pair<Token, std::string>> Cursor::reg() {
  if (!at("%")) return unexpected("a register"), std::nullopt;
  Token whole = take();
  const Token &t = peek();
  const bool word = t.is_name() || t.kind == Token::Kind::integer;
  if (!word || t.space_before) return unexpected("a register's name"), std::nullopt;
  const std::string_view name = take().text;
  whole.text = {whole.text.data(), name.size() + 1};
  return std::pair(whole, std::string(name));
}

std::optional<std::uint64_t> Cursor::natural(const char *expected, std::uint64_t most) {
  if (failed() || peek().kind != Token::Kind::integer) return unexpected(expected), std::nullopt;
  const Token t = take();
  const bool hex = t.text.size() > 2 && (t.text[1] == 'x' || t.text[1] == 'X');
  const std::string_view digits = t.text.substr(hex ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > most) {
    fail(Code::P0005, t,
         {{"what", "`" + std::string(t.text.substr(0, 40)) + "` is no number up to " + std::to_string(most)}});
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> Cursor::integer() {
  const bool negative = accept("-");
  const auto magnitude = natural("an integer", (std::uint64_t{1} << 63) - (negative ? 0 : 1));
  if (!magnitude) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<Type> Cursor::type() {
  if (failed() || !peek().is_name()) return unexpected("a type"), std::nullopt;
  const std::string_view word = peek().text;
  std::optional<ScalarType> elem = find_scalar_type(word);
  std::uint16_t lanes = 1;
  if (const std::size_t x = word.rfind('x'); !elem && x != std::string_view::npos) {
    const auto [end, error] = std::from_chars(word.data() + x + 1, word.data() + word.size(), lanes);
    if (error == std::errc{} && end == word.data() + word.size() && lanes > 0) elem = find_scalar_type(word.substr(0, x));
  }
  if (!elem) return unexpected("a type"), std::nullopt;
  take();
  return Type{*elem, lanes};
}

std::optional<Extent> Cursor::extent_atom(const std::map<std::string, ParamId> &params) {
  if (!at_name()) return unexpected("an extent"), std::nullopt;
  const Token t = peek();
  const std::string word = name("an extent");
  if (t.is_name() && (word == "ceil_div" || word == "floordiv") && at("(")) {
    constexpr int deepest = 100;
    if (++depth_ > deepest) return fail(Code::L0101, t, {{"limit", std::to_string(deepest)}}), std::nullopt;
    take();
    const auto numerator = extent(params);
    --depth_;
    if (!numerator || !expect(",")) return std::nullopt;
    const Token where = peek();
    const auto divisor = natural("a divisor", (std::uint64_t{1} << 63) - 1);
    if (!divisor || !expect(")")) return std::nullopt;
    if (*divisor == 0) return fail(Code::P0011, where, {{"why", "a divisor is 0"}}), std::nullopt;
    const auto d = static_cast<std::int64_t>(*divisor);
    return word == "ceil_div" ? numerator->ceil_div(d) : numerator->floor_div(d);
  }
  const auto param = params.find(word);
  if (param == params.end()) return fail(Code::P0006, t, {{"name", word}}), std::nullopt;
  return Extent::parameter(param->second);
}

std::optional<Extent> Cursor::extent_term(const std::map<std::string, ParamId> &params, bool negative) {
  if (failed() || peek().kind != Token::Kind::integer) {
    const auto atom = extent_atom(params);
    if (!atom) return std::nullopt;
    return negative ? atom->times(-1) : *atom;
  }
  const auto magnitude = natural("an extent", (std::uint64_t{1} << 63) - (negative ? 0 : 1));
  if (!magnitude) return std::nullopt;
  const auto factor = static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
  if (!accept("*")) return Extent(factor);
  const auto atom = extent_atom(params);
  if (!atom) return std::nullopt;
  return atom->times(factor);
}

std::optional<Extent> Cursor::extent(const std::map<std::string, ParamId> &params) {
  const Token where = peek();
  auto sum = extent_term(params, accept("-"));
  while (sum && (at("+") || at("-"))) {
    const bool negative = take().is("-");
    const auto term = extent_term(params, negative);
    if (!term) return std::nullopt;
    sum = sum->plus(*term);
  }
  if (sum && sum->overflowed()) return fail(Code::P0011, where, {{"why", "a coefficient leaves 64 bits"}}), std::nullopt;
  return sum;
}

std::optional<std::uint64_t> Cursor::constant(ScalarType type) {
  const int width = bit_width(type);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (accept("bits")) return natural("the bits", type == ScalarType::boolean ? 1 : mask);
  const Token where = peek();
  const bool negative = accept("-");
  if (failed() || !(peek().is_name() || peek().is_number())) return unexpected("a value"), std::nullopt;
  const std::string written = (negative ? "-" : "") + std::string(take().text);
  const auto bits = parse_scalar(written, type);
  if (!bits) fail(Code::T0103, where, {{"literal", written}, {"type", std::string(to_string(type))}});
  return bits ? std::optional(*bits & mask) : std::nullopt;
}

} // namespace tilenest::plan
