// SPDX-License-Identifier: Apache-2.0
// Literals, names, parentheses.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"
#include <charconv>
#include <limits>

namespace tilenest::text {

Expr Parser::parenthesised() {
  const Mark begin = mark();
  Brackets inside(*this);
  take();
  if (accept(")")) {
    count(Production::tuple);
    Expr e;
    e.kind = Expr::Kind::tuple;
    e.begin = begin;
    return e;
  }
  Expr first = expression();
  if (!at(",")) {
    count(Production::parentheses);
    if (!expect(")")) return {};
    first.begin = begin;
    first.end = previous_end_;
    return first;
  }
  count(Production::tuple);
  Expr e;
  e.kind = Expr::Kind::tuple;
  e.begin = begin;
  bool usable = true;
  for (;;) {
    if (const auto o = operand(first))
      e.tuple.push_back(*o);
    else
      usable = false;
    if (!accept(",")) break;
    first = expression();
  }
  if (!expect(")") || !usable) return {};
  return e;
}

Expr Parser::literal(bool negative, const Mark &begin) {
  const Token t = take();
  if (t.is("inf")) {
    count(Production::special_float);
    const double inf = std::numeric_limits<double>::infinity();
    return made(Operand(negative ? -inf : inf), begin);
  }
  if (t.is("nan")) {
    std::uint64_t bits = 0x7ff8000000000000;
    if (at("(") && !peek().space_before) {
      count(Production::nan_with_bits);
      take();
      const auto payload = integer(false);
      if (!expect(")") || !payload) return {};
      bits = 0x7ff0000000000000 | static_cast<std::uint64_t>(*payload);
      if (*payload <= 0 || *payload >= (std::int64_t{1} << 52)) {
        report(Code::P0005, since(begin), {{"what", "the significand of a NaN has 52 bits and is not 0"}});
        return {};
      }
    } else {
      count(Production::special_float);
    }
    double d;
    if (negative) bits |= std::uint64_t{1} << 63;
    static_assert(sizeof d == sizeof bits);
    __builtin_memcpy(&d, &bits, sizeof d);
    return made(Operand(d), begin);
  }
  std::string_view digits = t.text;
  const bool hex = digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X";
  if (hex) digits.remove_prefix(2);
  const char *const first = digits.data(), *const last = first + digits.size();
  auto refuse = [&](const char *why) {
    failed_ = true;
    report(Code::P0005, since(begin), {{"what", "`" + std::string(t.text.substr(0, 40)) + "` " + why}});
    return Expr{};
  };
  if (t.kind == Token::Kind::floating) {
    count(Production::float_literal);
    double d = 0;
    const auto [end, error] =
        std::from_chars(first, last, d, hex ? std::chars_format::hex : std::chars_format::general);
    if (error == std::errc::result_out_of_range) return refuse("is beyond the range of f64");
    if (error != std::errc() || end != last) return refuse("is not a number");
    return made(Operand(negative ? -d : d), begin);
  }
  count(Production::integer_literal);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(first, last, magnitude, hex ? 16 : 10);
  const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (error == std::errc::result_out_of_range || magnitude > limit) return refuse("does not fit 64 bits");
  if (error != std::errc() || end != last) {
    if (digits.empty()) return refuse("has no digits");
    failed_ = true; // the lexer has reported it
    return {};
  }
  return made(Operand(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude)), begin);
}

// `name` behind a `%` that touches it.
std::optional<Token> Parser::value_name() {
  if (panic_ || !at("%") || !peek(1).is_name() || peek(1).space_before) {
    unexpected("`%` and a name");
    return std::nullopt;
  }
  take();
  return take();
}

Expr Parser::primary() {
  if (panic_) return {};
  const Mark begin = mark();
  const Token &t = peek();
  if (t.is_number() || t.is("inf") || t.is("nan")) return literal(false, begin);
  if (t.is("(")) return parenthesised();
  if (t.is("%")) {
    const auto name = value_name();
    if (!name) return {};
    const std::string key = "%" + std::string(name->text);
    const Symbol *s = names_.find(key);
    if (!s) {
      const std::string near = names_.nearest(key);
      report(Code::P0006, since(begin), {{"name", key}}, near.empty() ? "" : "did you mean `" + near + "`?");
      return {};
    }
    if (s->kind != Symbol::Kind::value) return {};
    count(Production::value_use);
    return made(s->value, begin);
  }
  if (t.is("#")) {
    const auto d = dim_by_position();
    if (!d) return {};
    for (std::size_t i = where_.size(); i-- > 0;)
      if (const int at = where_[i]->find(*d); at >= 0) {
        count(Production::coordinate_tile);
        capture_at(begin);
        return made(builder_->iota(where_[i]->factors[static_cast<std::size_t>(at)]), begin);
      }
    report(Code::P0008, since(begin), {{"name", "#"}, {"found", "a dim by position"}, {"expected", "a value"}},
           "it stands for its coordinate only in `where`; elsewhere write `iota`");
    return {};
  }
  if (t.is_name()) return named(begin);
  if (t.is("@")) return function_use(begin);
  unexpected("an expression");
  return {};
}

// @sum(x, n): the function of that name, also where a view is called so.
Expr Parser::function_use(const Mark &begin) {
  take();
  if (!peek().is_name() || peek().space_before || reserved_word(peek().text)) {
    unexpected("a function's name");
    return {};
  }
  const Token t = take();
  if (!at("(") || !continues()) {
    unexpected("`(`");
    return {};
  }
  count(Production::function_use);
  return call(t, begin);
}

Expr Parser::named(const Mark &begin) {
  const Token t = take();
  if (t.is("true") || t.is("false")) {
    count(Production::bool_literal);
    capture_at(begin);
    return made(builder_->literal(ScalarType::boolean, std::int64_t{t.is("true")}), begin);
  }
  if (const auto type = find_scalar_type(t.text)) { // f32(1.5): a literal of a given type
    if (!expect("(")) return {};
    Brackets inside(*this);
    const Mark at_literal = mark();
    const bool negative = accept("-");
    if (!peek().is_number() && !at("inf") && !at("nan")) {
      unexpected("a literal", "`cast(x, " + std::string(t.text) + ")` converts a value");
      return {};
    }
    const Expr e = literal(negative, at_literal);
    if (!expect(")") || e.broken()) return {};
    count(Production::typed_literal);
    capture_at(begin);
    return made(builder_->literal(*type, e.operand), begin);
  }
  const std::string text(t.text);
  Symbol *s = names_.find(text);
  const bool called = at("(") && continues();
  if (called && (!s || s->kind != Symbol::Kind::view)) return call(t, begin);
  if (t.is("zeros")) return shaped_call(t, begin);
  if (!s && reserved_word(t.text)) {
    report(Code::P0009, lexer_.site(t), {{"name", text}});
    return {};
  }
  return symbol_use(t, begin);
}

Expr Parser::symbol_use(const Token &t, const Mark &begin) {
  Symbol *s = lookup(t);
  if (!s) {
    while (at(".") && peek(1).is_name()) { // members of an unknown name belong to it
      take();
      take();
    }
    skip_arguments();
    return {};
  }
  Expr e;
  e.begin = begin;
  switch (s->kind) {
  case Symbol::Kind::param:
    count(Production::extent_use);
    return made(Operand(s->extent), begin);
  case Symbol::Kind::variable:
    count(Production::variable_use);
    capture_at(begin);
    return made(builder_->read(s->var), begin);
  case Symbol::Kind::value: return made(s->value, begin);
  case Symbol::Kind::view:
    e.kind = Expr::Kind::view;
    e.view = s->view;
    return e;
  case Symbol::Kind::nest:
    e.kind = Expr::Kind::nest;
    e.nest = s;
    return e;
  case Symbol::Kind::dim:
    for (std::size_t i = where_.size(); i-- > 0;)
      if (const int at_axis = where_[i]->find(s->dim); at_axis >= 0 && !at(".")) {
        count(Production::coordinate_tile);
        capture_at(begin);
        return made(builder_->iota(where_[i]->factors[static_cast<std::size_t>(at_axis)]), begin);
      }
    e.kind = Expr::Kind::dim;
    e.dim = s;
    return e;
  case Symbol::Kind::broken: break;
  }
  return {};
}

// The arguments of a name that stands for nothing: they may hold anything, and say nothing.
void Parser::skip_arguments() {
  if (!(at("(") || at("[")) || !continues()) return;
  int open = 0;
  do {
    const Token k = take();
    if (k.kind == Token::Kind::end || k.is("{") || k.is("}")) {
      panic_ = true;
      return;
    }
    if (k.is("(") || k.is("[")) ++open;
    if (k.is(")") || k.is("]")) --open;
  } while (open > 0);
}

} // namespace tilenest::text
