// SPDX-License-Identifier: Apache-2.0
// Maps: `(a, b) -> (e, f)`, the short form `(e, f)` over names of dims and coordinates, and `strides (s, t)`.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

// Looks for `(a, b) ->` without reading anything.
bool Parser::at_map_parameters() {
  Diagnostics ignored;
  const std::size_t reported = lexical_.size();
  Lexer ahead = lexer_;
  ahead.take();
  bool found = false;
  for (;;) {
    const Token t = ahead.take();
    if (t.is(")")) {
      found = ahead.peek().is("->");
      break;
    }
    if (!t.is_name() && !t.is(",")) break;
  }
  lexical_.erase(lexical_.begin() + static_cast<std::ptrdiff_t>(reported), lexical_.end());
  return found;
}

std::optional<Map> Parser::map(const Space &own, bool with_parents) {
  if (at("strides")) {
    take();
    count(Production::map_strides);
    std::vector<Extent> strides;
    bool usable = true;
    {
      if (!expect("(")) return std::nullopt;
      Brackets inside(*this);
      while (!panic_ && !at(")")) {
        if (const auto e = extent())
          strides.push_back(*e);
        else
          usable = false;
        if (!accept(",")) break;
      }
      if (!expect(")")) return std::nullopt;
    }
    Extent offset = 0;
    if (at("offset") && continues()) {
      take();
      count(Production::map_offset);
      const auto e = extent();
      if (!e) return std::nullopt;
      offset = *e;
    }
    if (!usable) return std::nullopt;
    return Map::strided(std::move(strides), std::move(offset));
  }
  if (!at("(")) {
    unexpected("a map");
    return std::nullopt;
  }
  map_ = {};
  map_.own = &own;
  int inputs = 0;
  bool usable = true;
  if (at_map_parameters()) {
    count(Production::map_parameters);
    map_.named = true;
    take();
    while (!panic_ && !at(")")) {
      const auto t = new_name("a parameter of the map");
      if (!t) return std::nullopt;
      if (!map_.parameters.emplace(std::string(t->text), inputs++).second) {
        report(Code::P0007, lexer_.site(*t), {{"name", std::string(t->text)}});
        usable = false;
      }
      if (!accept(",")) break;
    }
    if (!expect(")") || !expect("->")) return std::nullopt;
  } else {
    count(Production::map_in_place);
    if (with_parents)
      for (const std::string &n : open_nests_)
        if (const Symbol *s = names_.find(n)) {
          map_.nests.push_back(s);
          inputs += static_cast<int>(space_of(*s)->rank());
        }
    map_.parents = inputs;
    inputs += static_cast<int>(own.rank());
  }
  if (!expect("(")) return std::nullopt;
  Brackets inside(*this);
  std::vector<IndexExpr> outputs;
  while (!panic_ && !at(")")) {
    if (const auto e = index_sum())
      outputs.push_back(*e);
    else
      usable = false;
    if (!accept(",")) break;
  }
  if (!expect(")") || !usable) return std::nullopt;
  return Map::expressions(inputs, std::move(outputs));
}

std::optional<IndexExpr> Parser::index_sum() {
  auto left = index_product();
  for (int chain = 0; !panic_ && (at("+") || at("-")); ++chain) {
    if (chain >= max_nesting) stop(Code::L0101, "limit", std::to_string(max_nesting));
    const auto kind = take().is("-") ? IndexNode::Kind::sub : IndexNode::Kind::add;
    count(Production::index_operator);
    auto right = index_product();
    if (left && right)
      left = index_binary(kind, std::move(*left), std::move(*right));
    else
      left.reset();
  }
  return left;
}

std::optional<IndexExpr> Parser::index_product() {
  const Mark begin = mark();
  auto left = index_primary();
  for (int chain = 0; !panic_ && (at("*") || at("/") || at("%")); ++chain) {
    if (chain >= max_nesting) stop(Code::L0101, "limit", std::to_string(max_nesting));
    const Token sign = take();
    auto right = index_primary();
    if (panic_) return std::nullopt;
    if (!sign.is("*")) {
      report(Code::P0011, since(begin), {{"why", "`" + std::string(sign.text) + "` is not exact"}},
             sign.is("/") ? "write `floordiv(a, b)`" : "write `mod(a, b)`");
      left.reset();
      continue;
    }
    count(Production::index_operator);
    if (left && right)
      left = index_binary(IndexNode::Kind::mul, std::move(*left), std::move(*right));
    else
      left.reset();
  }
  return left;
}

std::optional<IndexExpr> Parser::index_primary() {
  if (panic_) return std::nullopt;
  Deeper deeper(*this);
  if (!deeper.ok) return std::nullopt;
  const Token &next = peek();
  if (next.kind == Token::Kind::integer || (next.is("-") && peek(1).kind == Token::Kind::integer)) {
    const auto n = integer(true);
    return n ? std::optional(index_extent(*n)) : std::nullopt;
  }
  if (next.is("-")) {
    take();
    count(Production::index_operator);
    auto e = index_primary();
    if (!e) return std::nullopt;
    return index_binary(IndexNode::Kind::sub, index_extent(0), std::move(*e));
  }
  if (next.is("(")) {
    take();
    auto e = index_sum();
    return expect(")") ? e : std::nullopt;
  }
  if (next.is("#")) {
    const Mark begin = mark();
    const auto d = dim_by_position();
    if (!d) return std::nullopt;
    const int at_axis = map_.named ? -1 : map_.own->find(*d);
    if (at_axis >= 0) return index_input(map_.parents + at_axis);
    report(Code::P0008, since(begin), {{"name", "#"}, {"found", "no axis of this domain"}, {"expected", "one"}});
    return std::nullopt;
  }
  if (!next.is_name()) {
    unexpected("an index expression");
    return std::nullopt;
  }
  return index_name(take());
}

std::optional<IndexExpr> Parser::index_name(const Token &t) {
  const std::string text(t.text);
  if (const auto p = map_.parameters.find(text); p != map_.parameters.end()) return index_input(p->second);
  if (at("(")) {
    if (text == "extent") {
      take();
      const auto e = extent();
      if (!expect(")") || !e) return std::nullopt;
      count(Production::index_extent);
      return index_extent(*e);
    }
    std::optional<IndexNode::Kind> kind;
    if (text == "floordiv") kind = IndexNode::Kind::floordiv;
    if (text == "mod") kind = IndexNode::Kind::mod;
    if (text == "min") kind = IndexNode::Kind::min;
    if (text == "max") kind = IndexNode::Kind::max;
    if (text == "xor") kind = IndexNode::Kind::bit_xor;
    if (!kind) {
      report(Code::P0006, lexer_.site(t), {{"name", text}}, "index expressions have `floordiv`, `mod`, `min`, `max`, `xor` and `extent`");
      panic_ = true;
      return std::nullopt;
    }
    take();
    auto a = index_sum();
    if (!expect(",")) return std::nullopt;
    auto b = index_sum();
    if (!expect(")") || !a || !b) return std::nullopt;
    count(Production::index_call);
    return index_binary(*kind, std::move(*a), std::move(*b));
  }
  if (reserved_word(text)) {
    report(Code::P0009, lexer_.site(t), {{"name", text}});
    return std::nullopt;
  }
  Symbol *s = lookup(t);
  if (!s) {
    if (at(".")) panic_ = true;
    return std::nullopt;
  }
  if (s->kind == Symbol::Kind::param) return index_extent(s->extent);
  if (s->kind == Symbol::Kind::dim && at(".") && peek(1).is("extent")) {
    take();
    take();
    if (s->has_extent) return index_extent(s->extent);
    report(Code::P0013, lexer_.site(t), {{"dim", text}});
    return std::nullopt;
  }
  if (s->kind == Symbol::Kind::dim && !map_.named)
    if (const int at_axis = map_.own->find(s->dim); at_axis >= 0) return index_input(map_.parents + at_axis);
  if (s->kind == Symbol::Kind::nest && at(".") && !map_.named) {
    take();
    int base = 0;
    for (const Symbol *n : map_.nests) {
      const Space &domain = *space_of(*n);
      if (n == s) {
        std::optional<DimId> d;
        const auto axis = name("an axis");
        if (!axis) return std::nullopt;
        if (axis->is("index")) {
          if (!expect("(")) return std::nullopt;
          d = dim();
          if (!expect(")")) return std::nullopt;
        } else if (Symbol *a = lookup(*axis)) {
          if (a->kind == Symbol::Kind::dim) d = a->dim;
          else wrong_kind(*axis, *a, "a dim");
        }
        if (!d) return std::nullopt;
        count(Production::map_parent_coordinate);
        if (const int at_axis = domain.find(*d); at_axis >= 0) return index_input(base + at_axis);
        report(Code::P0014, lexer_.site(*axis), {{"what", "the domain of `" + text + "`"}, {"member", std::string(axis->text)}});
        return std::nullopt;
      }
      base += static_cast<int>(domain.rank());
    }
    report(Code::P0008, lexer_.site(t), {{"name", text}, {"found", "no enclosing parallel"}, {"expected", "one"}});
    panic_ = true;
    return std::nullopt;
  }
  wrong_kind(t, *s, "a coordinate or an extent");
  if (at(".")) panic_ = true;
  return std::nullopt;
}

} // namespace tilenest::text
