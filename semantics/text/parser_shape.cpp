// SPDX-License-Identifier: Apache-2.0
// Extent expressions (quasi-affine, SPC-EXT), dims, shapes and windows.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

// --- extents ---

std::optional<Extent> Parser::extent() {
  const Mark begin = mark();
  auto e = extent_sum();
  if (e && e->overflowed()) {
    report(Code::P0011, since(begin), {{"why", "a coefficient leaves 64 bits"}});
    return std::nullopt;
  }
  return e;
}

std::optional<Extent> Parser::extent_sum() {
  auto left = extent_product();
  while (!panic_ && (at("+") || at("-")) && continues()) {
    const bool minus = take().is("-");
    count(Production::extent_sum);
    const auto right = extent_product();
    if (left && right)
      left = minus ? *left - *right : *left + *right;
    else
      left.reset();
  }
  return left;
}

std::optional<Extent> Parser::extent_product() {
  const Mark begin = mark();
  auto left = extent_primary();
  while (!panic_ && (at("*") || at("/") || at("%")) && continues()) {
    const Token sign = take();
    const auto right = extent_primary();
    if (panic_) return std::nullopt;
    if (!sign.is("*")) {
      report(Code::P0011, since(begin), {{"why", "`" + std::string(sign.text) + "` is not exact"}},
             sign.is("/") ? "`floordiv(a, b)` rounds down, `ceil_div(a, b)` up" : "write `mod(a, b)`");
      left.reset();
      continue;
    }
    count(Production::extent_product);
    if (left && right && !left->is_constant() && !right->is_constant()) {
      report(Code::P0011, since(begin), {{"why", "both sides of the product hold a parameter"}});
      left.reset();
    } else if (left && right) {
      const bool swap = left->is_constant();
      left = swap ? right->times(*left->constant()) : left->times(*right->constant());
    } else {
      left.reset();
    }
  }
  return left;
}

std::optional<Extent> Parser::extent_primary() {
  if (panic_) return std::nullopt;
  Deeper deeper(*this);
  if (!deeper.ok) return std::nullopt;
  const Mark begin = mark();
  const Token &next = peek();
  if (next.kind == Token::Kind::integer) {
    const auto n = integer(false);
    return n ? std::optional(Extent(*n)) : std::nullopt;
  }
  if (next.is("-")) {
    if (peek(1).kind == Token::Kind::integer) {
      const auto n = integer(true);
      return n ? std::optional(Extent(*n)) : std::nullopt;
    }
    take();
    const auto e = extent_primary();
    return e ? std::optional(e->times(-1)) : std::nullopt;
  }
  if (next.is("(")) {
    Brackets inside(*this);
    take();
    const auto e = extent_sum();
    return expect(")") ? e : std::nullopt;
  }
  if (!next.is_name()) {
    unexpected("an extent");
    return std::nullopt;
  }
  const Token t = take();
  const bool ceil = t.is("ceil_div"), floor = t.is("floordiv"), mod = t.is("mod");
  if ((ceil || floor || mod) && at("(")) {
    Brackets inside(*this);
    take();
    const auto a = extent_sum();
    if (!expect(",")) return std::nullopt;
    const auto b = extent_sum();
    if (!expect(")") || !a || !b) return std::nullopt;
    if (!b->is_constant() || *b->constant() <= 0) {
      report(Code::P0011, since(begin), {{"why", "the divisor is not a positive number"}});
      return std::nullopt;
    }
    count(Production::extent_call);
    const std::int64_t d = *b->constant();
    return ceil ? a->ceil_div(d) : floor ? a->floor_div(d) : a->mod(d);
  }
  const std::string text(t.text);
  Symbol *s = names_.find(text);
  if (!s && signature_ && !reserved_word(text)) { // the first use in the signature makes the parameter
    Symbol fresh;
    fresh.kind = Symbol::Kind::param;
    fresh.extent = builder_->extent_param(text);
    const Extent e = fresh.extent;
    declare(t, std::move(fresh));
    return e;
  }
  if (!s && reserved_word(text)) {
    report(Code::P0009, lexer_.site(t), {{"name", text}});
    return std::nullopt;
  }
  s = lookup(t);
  if (!s) {
    if (at("(")) panic_ = true;
    return std::nullopt;
  }
  if (s->kind == Symbol::Kind::param) return s->extent;
  if (at(".") && peek(1).is("extent")) {
    take();
    take();
    if (s->kind != Symbol::Kind::dim) return extent_of_object(t, *s, text);
    count(Production::extent_of_dim);
    if (s->has_extent) return s->extent;
    report(Code::P0013, lexer_.site(t), {{"dim", text}}, "`axis` gives a dim an extent");
    return std::nullopt;
  }
  wrong_kind(t, *s, "an extent parameter");
  if (at(".") || at("(")) panic_ = true;
  return std::nullopt;
}

const Space *Parser::space_of(const Symbol &s) {
  switch (s.kind) {
  case Symbol::Kind::view: return &builder_->program().views[s.view].space;
  case Symbol::Kind::value: return &builder_->type(s.value).space;
  case Symbol::Kind::variable: return &builder_->program().variables[s.var].type.space;
  case Symbol::Kind::nest:
    // An inferred domain is known once something was addressed.
    return s.infer ? &builder_->program().levels[s.scope.level].domain : &s.domain;
  default: return nullptr;
  }
}

bool Parser::space_unknown(const Symbol &s) const {
  return s.kind == Symbol::Kind::value ? builder_->program().values[s.value].poisoned : s.refused;
}

// Behind `.extent` of a view, tile or handle: `(1)` or `(m)`.
std::optional<Extent> Parser::extent_of_object(const Token &t, Symbol &s, std::string object) {
  const Space *of = space_of(s);
  if (!of) {
    wrong_kind(t, s, "a view or a tile");
    panic_ = true;
    return std::nullopt;
  }
  const Space known = *of;
  if (!expect("(")) return std::nullopt;
  Brackets inside(*this);
  int at_axis = -1;
  std::string axis;
  if (peek().kind == Token::Kind::integer) {
    axis = std::string(peek().text);
    const auto n = integer(false);
    if (n && *n < static_cast<std::int64_t>(known.rank())) at_axis = static_cast<int>(*n);
  } else if (const auto d = dim()) {
    at_axis = known.find(*d);
    axis = builder_->program().dim_text(*d);
  }
  if (!expect(")")) return std::nullopt;
  count(Production::extent_of_object);
  if (at_axis < 0) {
    if (space_unknown(s)) return std::nullopt;
    report(Code::P0014, lexer_.site(t), {{"what", "`" + object + "`"}, {"member", "extent(" + axis + ")"}},
           known.rank() == 0 ? "it is a scalar" : "its space is " + builder_->program().space_text(known));
    return std::nullopt;
  }
  return known.factors[static_cast<std::size_t>(at_axis)].extent;
}

// --- dims ---

std::optional<DimId> Parser::dim_by_position() {
  take();
  if (peek().kind != Token::Kind::integer || peek().space_before) {
    unexpected("a position");
    return std::nullopt;
  }
  const Mark begin = mark();
  const auto n = integer(false);
  if (!n) return std::nullopt;
  if (*n >= static_cast<std::int64_t>(max_rank)) {
    report(Code::L0102, since(begin), {{"limit", std::to_string(max_rank)}});
    return std::nullopt;
  }
  count(Production::dim_by_position);
  return builder_->positional_dim(static_cast<int>(*n));
}

// Behind the object's name: `.dim(1)`; `extent` takes the object's own.
std::optional<DimId> Parser::dim_of_object(const Token &t, Symbol &s, Extent *extent) {
  if (!expect(".")) return std::nullopt;
  if (!at("dim")) {
    unexpected("`dim`");
    return std::nullopt;
  }
  take();
  const Space *of = space_of(s);
  if (!of) {
    wrong_kind(t, s, "a view or a tile");
    panic_ = true;
    return std::nullopt;
  }
  if (!expect("(")) return std::nullopt;
  const auto n = integer(false);
  if (!expect(")") || !n) return std::nullopt;
  count(Production::dim_of_object);
  if (*n >= static_cast<std::int64_t>(of->rank())) {
    if (space_unknown(s)) return std::nullopt;
    report(Code::P0014, lexer_.site(t), {{"what", "`" + std::string(t.text) + "`"}, {"member", "dim(" + std::to_string(*n) + ")"}},
           "it has rank " + std::to_string(of->rank()));
    return std::nullopt;
  }
  const Factor &f = of->factors[static_cast<std::size_t>(*n)];
  if (extent) *extent = f.extent;
  return f.dim;
}

std::optional<DimId> Parser::dim() {
  if (panic_) return std::nullopt;
  if (at("#")) return dim_by_position();
  if (at("%")) {
    const Mark begin = mark();
    const auto t = value_name();
    if (!t) return std::nullopt;
    Symbol *s = names_.find("%" + std::string(t->text));
    if (!s) {
      report(Code::P0006, since(begin), {{"name", "%" + std::string(t->text)}});
      return std::nullopt;
    }
    return dim_of_object(*t, *s);
  }
  const auto t = name("a dim");
  if (!t) return std::nullopt;
  Symbol *s = lookup(*t);
  if (!s) return std::nullopt;
  if (s->kind == Symbol::Kind::dim) return s->dim;
  if (at(".")) return dim_of_object(*t, *s);
  wrong_kind(*t, *s, "a dim");
  return std::nullopt;
}

std::optional<std::vector<DimId>> Parser::dim_list(std::string_view open, std::string_view close) {
  if (!expect(open)) return std::nullopt;
  Brackets inside(*this);
  std::vector<DimId> out;
  bool usable = true;
  while (!panic_ && !at(close)) {
    if (const auto d = dim())
      out.push_back(*d);
    else
      usable = false;
    if (out.size() > max_rank) {
      report(Code::L0102, lexer_.site(peek()), {{"limit", std::to_string(max_rank)}});
      panic_ = true;
    }
    if (!accept(",")) break;
  }
  if (!expect(close) || !usable) return std::nullopt;
  return out;
}

// --- shapes ---

// One axis of a shape. A bare extent leaves the dim to the caller.
bool Parser::shape_item(WindowAxis &axis, bool window) {
  const Token first = peek();
  if (window && first.is("_")) {
    take();
    count(Production::window_point);
    axis.point = true;
    return true;
  }
  auto given = [&] { // "= extent", required
    if (!expect("=")) return false;
    count(Production::shape_extent_given);
    const auto e = extent();
    if (e) axis.extent = *e;
    return e.has_value();
  };
  if (first.is("#")) {
    const auto d = dim_by_position();
    if (!d) return false;
    axis.dim = *d;
    return given();
  }
  if (first.is("%") || (first.is_name() && peek(1).is("."))) {
    Symbol *s = nullptr;
    Token t = first;
    if (first.is("%")) {
      const auto v = value_name();
      if (!v) return false;
      t = *v;
      s = names_.find("%" + std::string(t.text));
      if (!s) report(Code::P0006, lexer_.site(t), {{"name", "%" + std::string(t.text)}});
    } else {
      s = names_.find(std::string(first.text));
      // `m.extent`, `A.extent(0)`, possibly in a larger expression: an extent.
      if (!s || s->kind == Symbol::Kind::dim || s->kind == Symbol::Kind::param) s = nullptr;
      if (s) {
        Lexer ahead = lexer_; // name . word: `dim` or `extent`
        ahead.take();
        ahead.take();
        if (!ahead.peek().is("dim")) s = nullptr;
      }
      if (s) take();
    }
    if (s) {
      const auto d = dim_of_object(t, *s, &axis.extent);
      if (!d) return false;
      axis.dim = *d;
      return at("=") ? given() : true;
    }
    if (first.is("%")) {
      panic_ = true;
      return false;
    }
  } else if (first.is_name()) {
    Symbol *s = names_.find(std::string(first.text));
    if (peek(1).is("=")) {
      if (s && s->kind == Symbol::Kind::dim) {
        take();
        axis.dim = s->dim;
        return given();
      }
      const auto t = new_name("a dim");
      if (!t) return false;
      if (s) {
        if (s->kind != Symbol::Kind::broken) wrong_kind(*t, *s, "a dim");
        given();
        return false;
      }
      if (!given()) {
        if (!panic_) declare(*t, {});
        return false;
      }
      count(Production::shape_in_place);
      Symbol fresh;
      fresh.kind = Symbol::Kind::dim;
      builder_->at(lexer_.site(*t));
      axis.dim = fresh.dim = builder_->dim(std::string(t->text));
      fresh.extent = axis.extent;
      fresh.has_extent = true;
      return declare(*t, std::move(fresh));
    }
    if (s && s->kind == Symbol::Kind::dim) {
      take();
      count(Production::shape_axis);
      axis.dim = s->dim;
      if (s->has_extent) {
        axis.extent = s->extent;
        return true;
      }
      report(Code::P0013, lexer_.site(first), {{"dim", std::string(first.text)}},
             "write `" + std::string(first.text) + " = extent`");
      return false;
    }
  }
  const auto e = extent();
  if (!e) return false;
  count(Production::shape_positional);
  axis.extent = *e;
  return true;
}

std::optional<Parser::Shape> Parser::shape(ViewId window_of) {
  Deeper deeper(*this);
  if (!deeper.ok || !expect("[")) return std::nullopt;
  Brackets inside(*this);
  Shape out;
  bool usable = true;
  while (!panic_ && !at("]") && !at("where")) {
    WindowAxis axis;
    usable &= shape_item(axis, window_of.valid());
    out.axes.push_back(std::move(axis));
    if (out.axes.size() > max_rank) {
      report(Code::L0102, lexer_.site(peek()), {{"limit", std::to_string(max_rank)}});
      panic_ = true;
    }
    if (!accept(",")) break;
  }
  if (panic_) return std::nullopt;
  const std::size_t rank = out.axes.size();
  if (window_of.valid()) {
    const Space &own = builder_->program().views[window_of].space;
    for (std::size_t i = 0; i < rank; ++i) {
      if (out.axes[i].point) continue;
      const DimId d = out.axes[i].dim.valid() ? out.axes[i].dim : i < own.rank() ? own.factors[i].dim : DimId();
      if (d.valid()) out.space.factors.push_back({d, out.axes[i].extent});
    }
  } else {
    for (std::size_t i = 0; i < rank; ++i) {
      DimId d = out.axes[i].dim;
      if (!d.valid()) d = builder_->positional_dim(static_cast<int>(rank - 1 - i));
      out.space.factors.push_back({d, out.axes[i].extent});
    }
  }
  while (window_of.valid() && at("where")) {
    take();
    count(Production::window_predicate);
    const auto p = predicate(out.space);
    if (p)
      out.where.push_back(*p);
    else
      usable = false;
  }
  if (!out.where.empty() && at(",")) unexpected("`]`", "`where` follows the last axis: `[i, j where i < n]`");
  if (!expect("]") || !usable) return std::nullopt;
  return out;
}

std::optional<Space> Parser::space() {
  auto s = shape();
  if (!s) return std::nullopt;
  return std::move(s->space);
}

} // namespace tilenest::text
