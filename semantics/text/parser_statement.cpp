// SPDX-License-Identifier: Apache-2.0
// Blocks, declarations, assignments, effects.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

void Parser::block() {
  Deeper deeper(*this);
  if (!deeper.ok) return;
  const Site open = lexer_.site(peek());
  if (!expect("{")) return;
  const int outer = std::exchange(brackets_, 0);
  names_.push();
  statements("}");
  names_.pop();
  brackets_ = outer;
  close_block(open);
}

// The `}` of a block; of all that are missing in a kernel, the innermost is reported.
void Parser::close_block(const Site &open) {
  const Token &t = peek();
  if (at("}") || panic_ || (t.kind != Token::Kind::end && !t.is("kernel"))) {
    expect("}");
    return;
  }
  failed_ = true;
  if (std::exchange(unclosed_, true)) return;
  const bool end = t.kind == Token::Kind::end;
  if (Diagnostic *d = report(Code::P0001, lexer_.site(t),
                             {{"found", end ? "end of file" : "`kernel`"}, {"expected", "`}`"}}))
    d->also(open, "this `{` is open");
}

void Parser::statements(std::string_view terminator) {
  while (!stopped_ && !at("}") && !at(terminator) && !at("kernel") && peek().kind != Token::Kind::end) {
    if (out_.diagnostics.size() + lexical_.size() + builder_->diagnostics().size() >= max_errors) {
      stop(Code::L0104, "limit", std::to_string(max_errors));
      break;
    }
    const char *const before = peek().text.data();
    statement();
    if (!panic_) continue;
    synchronize();
    if (stopped_ || peek().text.data() != before || at("}")) continue;
    take(); // every round reads something
    synchronize();
  }
}

void Parser::end_of_statement() {
  if (panic_ || accept(";")) return;
  const Token &t = peek();
  if (t.newline_before || t.is("}") || t.kind == Token::Kind::end) return;
  if (t.is("#")) return skip_hash_comment();
  unexpected("the end of the statement");
}

void Parser::statement() {
  if (accept(";")) return;
  const Token &t = peek();
  lexical_before_ = lexical_.size();
  if (t.is_name() && reserved_word(t.text) && (peek(1).is("=") || peek(1).is(":"))) {
    (void)new_name("a name"); // says that it is none
    return;
  }
  if (t.is("#")) return skip_hash_comment();
  if (t.is("%")) {
    value_binding();
  } else if (!t.is_name()) {
    unexpected("a statement");
  } else if (t.is("axis")) {
    axis_declaration();
  } else if (t.is("dims")) {
    dims_declaration();
  } else if (t.is("parallel")) {
    parallel_region();
  } else if (t.is("serial")) {
    loop_region(OpKind::serial);
  } else if (t.is("pipeline")) {
    loop_region(OpKind::pipeline);
  } else if (t.is("reduce")) {
    loop_region(OpKind::reduce_region);
  } else if (t.is("stage")) {
    stage();
  } else if (t.is("if")) {
    if_statement();
  } else if (t.is("switch")) {
    switch_statement();
  } else if (t.is("while")) {
    while_statement();
  } else if (t.is("sync")) {
    sync_statement();
  } else if (t.is("assert")) {
    assertion();
  } else if (foreign_statement()) {
    return;
  } else {
    name_statement();
  }
  end_of_statement();
}

// `@anchor(nest)`, or nothing.
std::optional<LevelId> Parser::anchor_clause() {
  if (panic_ || !at("@") || !continues()) return std::nullopt;
  take();
  if (!at("anchor")) {
    unexpected("`anchor`");
    return std::nullopt;
  }
  take();
  if (!expect("(")) return std::nullopt;
  count(Production::anchor);
  if (accept("root")) {
    expect(")");
    return TileProgram::root();
  }
  const auto t = name("the name of a parallel");
  if (!t || !expect(")")) return std::nullopt;
  const Symbol *s = lookup(*t);
  if (!s) return std::nullopt;
  if (s->kind != Symbol::Kind::nest || builder_->program().ops[s->scope.op].kind != OpKind::parallel) {
    wrong_kind(*t, *s, "the handle of a parallel");
    return std::nullopt;
  }
  return s->scope.level;
}

// The anchor of what the statement captured last.
void Parser::anchor() {
  if (const auto level = anchor_clause()) builder_->pin_anchor(*level);
}

void Parser::axis_declaration() {
  take();
  do {
    const auto t = new_name("the name of an axis");
    if (!t || !expect("=")) return;
    const auto e = extent();
    if (panic_) return broken(*t);
    count(Production::axis_declaration);
    builder_->at(lexer_.site(*t));
    Symbol s;
    if (e) {
      s.kind = Symbol::Kind::dim;
      s.dim = builder_->dim(std::string(t->text));
      s.extent = *e;
      s.has_extent = true;
    }
    declare(*t, std::move(s));
  } while (accept(","));
}

void Parser::dims_declaration() {
  take();
  do {
    const auto t = new_name("the name of a dim");
    if (!t) return;
    Symbol s;
    if (accept("=")) {
      count(Production::dim_alias);
      const auto of = dim();
      if (panic_) return;
      if (of) s.kind = Symbol::Kind::dim, s.dim = *of;
    } else {
      count(Production::dims_declaration);
      builder_->at(lexer_.site(*t));
      s.kind = Symbol::Kind::dim;
      s.dim = builder_->dim(std::string(t->text));
    }
    declare(*t, std::move(s));
  } while (accept(","));
}

void Parser::value_binding() {
  const Mark begin = mark();
  const auto t = value_name();
  if (t && at(",")) return multiple_assignment(begin, &*t);
  if (!t || !expect("=")) return;
  const Expr e = expression();
  if (panic_) {
    names_.declare("%" + std::string(t->text), {});
    return;
  }
  count(Production::value_binding);
  Symbol s;
  if (const auto v = value(e)) s.kind = Symbol::Kind::value, s.value = *v;
  anchor();
  declare("%" + std::string(t->text), lexer_.site(*t), std::move(s));
}

void Parser::memory_declaration(const Token &t, const Mark &begin) {
  take();
  const auto type = type_name();
  if (!type) return broken(t);
  auto of = space();
  if (panic_) return broken(t);
  std::string resource;
  std::optional<Map> layout;
  if (at("in") && continues()) {
    take();
    count(Production::resource);
    const auto token = token_name("the name of a resource");
    if (!token) return;
    resource = *token;
  }
  if (of && (at("layout") || at("strides")) && continues()) {
    count(Production::layout_clause);
    if (at("layout")) take();
    layout = map(*of, false);
    if (panic_) return;
  }
  count(Production::memory_declaration);
  Symbol s;
  if (of) {
    capture_at(begin);
    s.kind = Symbol::Kind::view;
    s.view = builder_->memory(std::string(t.text), *type, std::move(*of), std::move(layout), std::move(resource));
    anchor();
  }
  declare(t, std::move(s));
}

// name = ..., name: type = ..., name += ..., or an effect.
void Parser::name_statement() {
  const Token &next = peek(1);
  if (next.is(",")) return multiple_assignment(mark());
  const bool compound = next.is("+=") || next.is("-=") || next.is("*=") || next.is("/=");
  if (!next.is("=") && !next.is(":") && !compound) return expression_statement();
  const Mark begin = mark();
  const auto t = new_name("a name");
  if (!t) return;
  const std::string text(t->text);
  std::optional<TileType> annotated;
  if (compound) {
    const Token sign = take();
    count(Production::compound_assignment);
    const Expr right = expression();
    Symbol *s = panic_ ? nullptr : lookup(*t);
    if (!s) return;
    if (s->kind != Symbol::Kind::variable) return wrong_kind(*t, *s, "a variable");
    const auto o = operand(right);
    if (!o) return;
    capture_at(begin);
    const OpKind kind = sign.is("+=") ? OpKind::add : sign.is("-=") ? OpKind::sub : sign.is("*=") ? OpKind::mul : OpKind::div;
    const Operand operands[] = {builder_->read(s->var), *o};
    builder_->assign(s->var, builder_->elementwise(kind, operands));
    return anchor();
  }
  if (accept(":")) {
    count(Production::annotation);
    const auto type = type_name();
    if (!type) return broken(*t);
    annotated = TileType{*type, {}, {}};
    if (at("[")) {
      auto of = space();
      if (panic_) return broken(*t);
      if (of) annotated->space = std::move(*of);
      else annotated.reset();
    }
  }
  if (!expect("=")) return;
  if (at("memory")) return memory_declaration(*t, begin);
  view_name_ = text;
  Expr e = expression();
  view_name_.clear();
  if (panic_ || lexical_.size() > lexical_before_) return broken(*t); // a broken token may have cut it short
  if (annotated && e.kind == Expr::Kind::operand && !std::holds_alternative<ValueId>(e.operand) &&
      !std::holds_alternative<Extent>(e.operand) && annotated->space.rank() == 0) {
    capture_at(begin);
    e.operand = builder_->literal(annotated->elem, e.operand);
  }
  if (annotated && !e.broken() && e.kind != Expr::Kind::view) {
    const auto v = value(e);
    if (!v) return define(*t, begin, {});
    const TileType &found = builder_->type(*v);
    const bool known = !builder_->program().values[*v].poisoned;
    bool same = found.elem == annotated->elem && found.space.rank() == annotated->space.rank();
    for (std::size_t i = 0; same && i < found.space.rank(); ++i)
      same = found.space.factors[i].dim == annotated->space.factors[i].dim &&
             judge_equal(found.space.factors[i].extent, annotated->space.factors[i].extent) != Judged::no;
    if (known && !same) {
      capture_at(begin);
      builder_->error(Code::T0501, {{"var", text}, {"expected", builder_->program().type_text(*annotated, &found.space)},
                                    {"found", builder_->program().type_text(found, &annotated->space)}},
                      found.space.rank() == 0 && annotated->space.rank() > 0 ? "a scalar has no dims: `full` gives all elements of a space one value" : "");
    }
    e.kind = Expr::Kind::operand;
    e.operand = known && !same ? builder_->refused(annotated->elem) : *v; // what follows from that is silent
  }
  define(*t, begin, e);
}

// The name of a statement that was given up: uses of it are silent.
void Parser::broken(const Token &t) {
  Symbol s;
  s.site = lexer_.site(t);
  names_.declare(std::string(t.text), std::move(s));
}

void Parser::define(const Token &t, const Mark &begin, const Expr &e, bool with_anchor) {
  const std::string text(t.text);
  Symbol *old = names_.find(text);
  if (!old) {
    Symbol s;
    if (e.kind == Expr::Kind::view) {
      count(Production::view_binding);
      s.kind = Symbol::Kind::view;
      s.view = e.view;
    } else if (const auto v = value(e)) {
      count(Production::declaration);
      capture_at(begin);
      s.kind = Symbol::Kind::variable;
      s.refused = builder_->program().values[*v].poisoned;
      s.var = builder_->declare(text, *v);
      if (with_anchor) anchor();
    }
    declare(t, std::move(s));
    return;
  }
  if (e.broken() || old->kind == Symbol::Kind::broken) return;
  if (e.kind == Expr::Kind::view) {
    declare(t, {});
    return;
  }
  if (old->kind != Symbol::Kind::variable) return wrong_kind(t, *old, "a variable");
  const auto v = value(e);
  if (!v) return;
  count(Production::assignment);
  capture_at(begin);
  builder_->assign(old->var, *v);
  if (with_anchor) anchor();
}

void Parser::expression_statement() {
  const Expr e = expression();
  if (panic_) return;
  if (e.kind == Expr::Kind::effect) return anchor();
  if (continues() && (at("=") || at("+=") || at("-=") || at("*=") || at("/="))) return assigned_access(e);
  if (!e.broken())
    report(Code::P0012, since(e.begin), {},
           e.kind == Expr::Kind::access ? "a reference does nothing by itself: `.load()` or `.store(x)`" : "");
}

void Parser::assertion() {
  const Mark begin = mark();
  take();
  if (!expect("(")) return;
  std::string text;
  std::optional<ValueId> condition;
  {
    Brackets inside(*this);
    condition = value_argument();
    if (accept(",")) {
      if (peek().kind != Token::Kind::string) return unexpected("a string");
      const Token t = take();
      const auto contents = string_contents(t.text);
      if (contents)
        text = *contents;
      else if (t.text.size() > 1 && t.text.back() == '"')
        report(Code::P0004, lexer_.site(t), {{"what", "an unknown escape; \\\\ \\\" \\n \\t \\xHH are known"}});
    }
    if (!expect(")")) return;
  }
  count(Production::assertion);
  if (!condition) return;
  capture_at(begin);
  builder_->assert_(*condition, std::move(text));
  anchor();
}

void Parser::sync_statement() {
  const Mark begin = mark();
  take();
  const auto t = name("the name of a parallel");
  if (!t) return;
  count(Production::sync_statement);
  const Symbol *s = lookup(*t);
  if (!s) return;
  if (s->kind != Symbol::Kind::nest || builder_->program().ops[s->scope.op].kind != OpKind::parallel) return wrong_kind(*t, *s, "the handle of a parallel");
  capture_at(begin);
  builder_->sync(s->scope.level);
  anchor();
}

} // namespace tilenest::text
