// SPDX-License-Identifier: Apache-2.0
// Operators, indexing, members; literals and names are in parser_primary.cpp. Operands are captured from left to right; a literal or an extent is
// captured by the operation that it meets.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"

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
      builder_->at(site(e));
      builder_->error(Code::T0605, {{"nest", std::string(e.begin.from)}, {"why", "its `index` is used other than whole, to address an object"}},
                      "give a domain to compute with coordinates");
      return std::nullopt;
    }
    const auto &coords = e.nest->scope.coords;
    if (coords.size() == 1) return coords[0];
    builder_->at(site(e));
    builder_->error(Code::T0209,
                    {{"what", "a scalar"}, {"expected", "1 coordinate"}, {"found", std::to_string(coords.size())}},
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
  case Expr::Kind::results:
    found = "several values";
    help = "name each: `a, b = f(x)`";
    break;
  }
  const Site site = this->site(e);
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
  if (kind == OpKind::ite && (std::holds_alternative<std::int64_t>(out[0]) || std::holds_alternative<double>(out[0])))
    out[0] = builder_->value(out[0]); // a number is no condition here either
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
    left.end = previous_end_;
  }
  return left;
}

Expr Parser::unary() {
  if (panic_) return {};
  const Mark begin = mark();
  const auto ended = [&](Expr e) {
    e.end = previous_end_;
    return e;
  };
  if (!at("-") && !at("!")) return ended(postfix(primary()));
  Deeper deeper(*this);
  if (!deeper.ok) return {};
  const Token sign = take();
  if (sign.is("-") && (peek().is_number() || at("inf") || at("nan"))) return ended(literal(true, begin));
  count(Production::unary_operator);
  std::vector<Expr> one;
  one.push_back(unary());
  if (panic_) return {};
  return ended(apply(sign.is("-") ? OpKind::neg : OpKind::bit_not, std::move(one), begin));
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

// --- members ---

Expr Parser::member(Expr e) {
  take();
  const auto t = name("a member's name");
  if (!t) return {};
  if (t->is("dim") && (e.kind == Expr::Kind::view || e.kind == Expr::Kind::operand || e.kind == Expr::Kind::nest)) {
    report(Code::P0008, since(e.begin), {{"name", std::string(e.begin.from) + ".dim"}, {"found", "a dim"}, {"expected", "a value"}},
           "`iota` gives the coordinates along a dim, `extent` how many there are");
    skip_arguments();
    return {};
  }
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
      const auto of = extent_of_object(*t, s, std::string(e.begin.from));
      if (!of) return {};
      return made(Operand(*of), e.begin);
    }
    break;
  case Expr::Kind::broken:
    skip_arguments();
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
