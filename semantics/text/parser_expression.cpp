// SPDX-License-Identifier: Apache-2.0
// Operators, literals, names, members. Operands are captured from left to right; a literal or an extent is
// captured by the operation that it meets.
#include "semantics/text/parser_state.h"
#include "semantics/diag/codes.h"
#include "semantics/library/library.h"
#include <charconv>
#include <cmath>
#include <limits>

namespace tilenest::text {

namespace {
struct Infix {
  std::string_view spelling;
  OpKind kind;
  int precedence;
};
// C's precedence; the spellings are ops.def's.
constexpr Infix infix[] = {
    {"|", OpKind::bit_or, 1},  {"^", OpKind::bit_xor, 2}, {"&", OpKind::bit_and, 3}, {"==", OpKind::eq, 4},
    {"!=", OpKind::ne, 4},     {"<", OpKind::lt, 5},      {"<=", OpKind::le, 5},     {">", OpKind::gt, 5},
    {">=", OpKind::ge, 5},     {"<<", OpKind::shl, 6},    {">>", OpKind::shr, 6},    {"+", OpKind::add, 7},
    {"-", OpKind::sub, 7},     {"*", OpKind::mul, 8},     {"/", OpKind::div, 8},     {"%", OpKind::rem, 8}};
} // namespace

Expr Parser::made(ValueId v, const Mark &begin) { return made(Operand(v), begin); }
Expr Parser::made(Operand o, const Mark &begin) {
  Expr e;
  e.kind = Expr::Kind::operand;
  e.begin = begin;
  e.operand = std::move(o);
  return e;
}

// --- what an expression is used as ---

std::optional<Operand> Parser::operand(const Expr &e) {
  if (panic_) return std::nullopt;
  const char *found = nullptr;
  std::string help;
  switch (e.kind) {
  case Expr::Kind::broken: return std::nullopt;
  case Expr::Kind::operand: return e.operand;
  case Expr::Kind::coordinates: {
    if (e.nest->infer) {
      capture_at(e.begin);
      builder_->error(Code::T0605, {{"nest", std::string(e.begin.from)}, {"why", "its `index` is used other than whole, to address an object"}},
                      "give a domain to compute with coordinates");
      return std::nullopt;
    }
    const auto &coords = e.nest->scope.coords;
    if (coords.size() == 1) return coords[0];
    capture_at(e.begin);
    builder_->error(Code::T0209, {{"what", "a scalar"}, {"expected", "1"}, {"found", std::to_string(coords.size())}},
                    "name one axis: `" + std::string(e.begin.from) + ".index(axis)`");
    return std::nullopt;
  }
  case Expr::Kind::tuple:
    if (e.tuple.size() == 1) return e.tuple[0];
    found = "a tuple";
    break;
  case Expr::Kind::view:
    found = "a view";
    help = "`[...]` loads a window or an element";
    break;
  case Expr::Kind::nest: found = "a region's handle"; break;
  case Expr::Kind::dim:
    found = "a dim";
    help = "`iota` of it is its coordinate, `.extent` its extent";
    break;
  case Expr::Kind::access:
    found = "a reference";
    help = "`.load()` reads it";
    break;
  case Expr::Kind::effect: found = "an effect without a value"; break;
  }
  const Site site = since(e.begin);
  report(Code::P0008, site, {{"name", file_->text.substr(static_cast<std::size_t>(e.begin.from.data() - file_->text.data()), std::min<std::size_t>(site.length, 60))}, {"found", found}, {"expected", "a value"}}, help);
  return std::nullopt;
}

std::optional<ValueId> Parser::value(const Expr &e) {
  const auto o = operand(e);
  if (!o) return std::nullopt;
  if (const auto *v = std::get_if<ValueId>(&*o)) return *v;
  capture_at(e.begin);
  return builder_->value(*o);
}

// The scalars of a tuple; a scalar is a tuple of one. `view` is what a whole index() would address.
std::optional<std::vector<Operand>> Parser::tuple(const Expr &e, ViewId view) {
  if (e.kind == Expr::Kind::tuple) return e.tuple;
  if (e.kind == Expr::Kind::coordinates) {
    if (!e.nest->infer) return std::vector<Operand>(e.nest->scope.coords.begin(), e.nest->scope.coords.end());
    if (view.valid()) {
      capture_at(e.begin);
      const auto coords = builder_->infer_coordinates(e.nest->scope, view);
      return std::vector<Operand>(coords.begin(), coords.end());
    }
  }
  const auto o = operand(e);
  if (!o) return std::nullopt;
  return std::vector<Operand>{*o};
}

// --- operators ---

// Every nesting of expressions passes here.
Expr Parser::expression() {
  Deeper deeper(*this);
  return deeper.ok ? binary(1) : Expr{};
}

Expr Parser::apply(OpKind kind, std::vector<Expr> operands, const Mark &begin) {
  std::vector<Operand> out;
  for (const Expr &e : operands) {
    const auto o = operand(e);
    if (!o) return {};
    out.push_back(*o);
  }
  capture_at(begin);
  return made(builder_->elementwise(kind, out), begin);
}

Expr Parser::binary(int least) {
  const Mark begin = mark();
  Expr left = unary();
  while (!panic_ && peek().kind == Token::Kind::punct && continues()) {
    const Infix *found = nullptr;
    for (const Infix &i : infix)
      if (i.precedence >= least && peek().is(i.spelling)) found = &i;
    if (!found) break;
    take();
    count(Production::binary_operator);
    Expr right = binary(found->precedence + 1);
    if (panic_) return {};
    std::vector<Expr> both;
    both.push_back(std::move(left));
    both.push_back(std::move(right));
    left = apply(found->kind, std::move(both), begin);
  }
  return left;
}

Expr Parser::unary() {
  if (panic_) return {};
  const Mark begin = mark();
  if (!at("-") && !at("!")) return postfix(primary());
  Deeper deeper(*this);
  if (!deeper.ok) return {};
  const Token sign = take();
  if (sign.is("-") && (peek().is_number() || at("inf") || at("nan"))) return literal(true, begin);
  count(Production::unary_operator);
  std::vector<Expr> one;
  one.push_back(unary());
  if (panic_) return {};
  return apply(sign.is("-") ? OpKind::neg : OpKind::bit_not, std::move(one), begin);
}

Expr Parser::postfix(Expr e) {
  while (!panic_) {
    if (at("[") && continues()) {
      const Mark begin = e.begin;
      if (e.kind == Expr::Kind::view) {
        e = access(e.view, begin, true);
        continue;
      }
      count(Production::take_brackets);
      Brackets inside(*this);
      const auto x = value(e);
      take();
      std::vector<Operand> index;
      bool usable = x.has_value();
      while (!panic_ && !at("]")) {
        const Expr i = expression();
        const auto parts = tuple(i);
        if (parts)
          index.insert(index.end(), parts->begin(), parts->end());
        else
          usable = false;
        if (!accept(",")) break;
      }
      if (!expect("]") || !usable) {
        e = {};
        continue;
      }
      capture_at(begin);
      e = made(builder_->take(*x, index), begin);
    } else if (at("(") && continues() && e.kind == Expr::Kind::view) {
      const Mark begin = e.begin;
      e = access(e.view, begin, false);
    } else if (at(".")) {
      e = member(std::move(e));
    } else {
      break;
    }
  }
  return e;
}

// --- primaries ---

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
  unexpected("an expression");
  return {};
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
      unexpected("a literal");
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
  if (t.is("zeros") || t.is("full")) return shaped_call(t, begin);
  if (!s && reserved_word(t.text)) {
    report(Code::P0009, lexer_.site(t), {{"name", text}});
    return {};
  }
  return symbol_use(t, begin);
}

Expr Parser::symbol_use(const Token &t, const Mark &begin) {
  Symbol *s = lookup(t);
  if (!s) {
    Expr e;
    // `.name` behind an unknown name belongs to it.
    while (at(".") && peek(1).is_name()) {
      take();
      take();
    }
    if ((at("(") || at("[")) && continues()) {
      const bool square = at("[");
      int open = 0;
      do {
        const Token k = take();
        if (k.kind == Token::Kind::end) break;
        if (k.is("(") || k.is("[")) ++open;
        if (k.is(")") || k.is("]")) --open;
        if (k.is("{") || k.is("}")) {
          panic_ = true;
          break;
        }
      } while (open > 0);
      (void)square;
    }
    return e;
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

// --- members ---

Expr Parser::member(Expr e) {
  take();
  const auto t = name("a member's name");
  if (!t) return {};
  switch (e.kind) {
  case Expr::Kind::view: return view_member(std::move(e), *t);
  case Expr::Kind::access: return access_member(std::move(e), *t);
  case Expr::Kind::nest: return nest_member(std::move(e), *t);
  case Expr::Kind::dim:
    if (t->is("extent") && e.dim->has_extent) {
      count(Production::extent_of_dim);
      return made(Operand(e.dim->extent), e.begin);
    }
    if (t->is("extent")) {
      report(Code::P0013, since(e.begin), {{"dim", std::string(e.begin.from)}}, "`axis` gives a dim an extent");
      return {};
    }
    break;
  case Expr::Kind::operand:
    if (const auto *v = std::get_if<ValueId>(&e.operand); v && t->is("extent")) {
      Symbol s;
      s.kind = Symbol::Kind::value;
      s.value = *v;
      const auto of = extent_of_object(*t, s);
      if (!of) return {};
      return made(Operand(*of), e.begin);
    }
    break;
  case Expr::Kind::broken:
    // Skip a call's arguments silently; they may hold anything.
    if (at("(")) {
      int open = 0;
      do {
        const Token k = take();
        if (k.kind == Token::Kind::end) break;
        if (k.is("(")) ++open;
        if (k.is(")")) --open;
        if (k.is("{") || k.is("}")) {
          panic_ = true;
          break;
        }
      } while (open > 0);
    }
    return {};
  default: break;
  }
  report(Code::P0014, lexer_.site(*t), {{"what", "this expression"}, {"member", std::string(t->text)}});
  if (at("(")) panic_ = true;
  return {};
}

Expr Parser::nest_member(Expr e, const Token &t) {
  Symbol &nest = *e.nest;
  const std::string text(t.text);
  auto coordinate = [&](DimId d) -> Expr {
    const int at_axis = nest.domain.find(d);
    if (at_axis < 0 || nest.infer) {
      report(Code::P0014, lexer_.site(t), {{"what", "the domain of `" + std::string(e.begin.from) + "`"}, {"member", text}},
             nest.infer ? "an inferred domain has `index` only, whole" : "");
      return {};
    }
    return made(nest.scope.coords[static_cast<std::size_t>(at_axis)], e.begin);
  };
  const OpKind kind = builder_->program().ops[nest.scope.op].kind;
  if (text == "index") {
    if (!at("(") || !continues()) {
      count(Production::coordinates);
      e.kind = Expr::Kind::coordinates;
      return e;
    }
    Brackets inside(*this);
    take();
    if (accept(")")) { // index(), as in C++
      count(Production::coordinates);
      e.kind = Expr::Kind::coordinates;
      return e;
    }
    const auto d = dim();
    if (!expect(")") || !d) return {};
    count(Production::coordinate_by_dim);
    return coordinate(*d);
  }
  if (text == "coord") {
    if (at("(") && continues()) {
      take();
      if (!expect(")")) return {};
    }
    count(Production::coordinate_path);
    Expr path;
    path.kind = Expr::Kind::tuple;
    path.begin = e.begin;
    capture_at(e.begin);
    for (ValueId v : builder_->coord(nest.scope)) path.tuple.push_back(v);
    return path;
  }
  if (text == "sync" && kind == OpKind::parallel) {
    if (!expect("(") || !expect(")")) return {};
    count(Production::sync_call);
    capture_at(e.begin);
    builder_->sync(nest.scope.level);
    e.kind = Expr::Kind::effect;
    return e;
  }
  const Symbol *d = names_.find(text);
  if (d && d->kind == Symbol::Kind::dim) {
    count(Production::coordinate_by_name);
    return coordinate(d->dim);
  }
  report(Code::P0014, lexer_.site(t), {{"what", "`" + std::string(e.begin.from) + "`"}, {"member", text}},
         "a handle has `index`, `index(axis)`, `coord` and its axes by name");
  if (at("(")) panic_ = true;
  return {};
}

} // namespace tilenest::text
