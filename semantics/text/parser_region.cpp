// SPDX-License-Identifier: Apache-2.0
// Regions: their headers, then their blocks. A header with an error is reported and its block skipped.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"
#include <algorithm>

namespace tilenest::text {

std::optional<std::string> Parser::token_name(const char *expected) {
  if (!panic_ && peek().is_name()) return std::string(take().text);
  if (!panic_ && peek().kind == Token::Kind::string) {
    const Token t = take();
    if (auto contents = string_contents(t.text)) return contents;
    report(Code::P0004, lexer_.site(t), {{"what", "an unknown escape; \\\\ \\\" \\n \\t \\xHH are known"}});
    return std::string();
  }
  unexpected(expected);
  return std::nullopt;
}

std::optional<ValueId> Parser::predicate(const Space &domain) {
  where_.push_back(&domain);
  const auto v = value_argument();
  where_.pop_back();
  return v;
}

void Parser::parallel_region() {
  const Mark begin = mark();
  take();
  const auto t = new_name("a name for the region's handle");
  if (!t || !expect("in")) return;
  names_.push();
  ParallelSpec spec;
  spec.name = std::string(t->text);
  bool usable = true;
  if (at("infer")) {
    take();
    spec.infer = true;
  } else {
    auto domain = space();
    usable = domain.has_value();
    if (domain) spec.domain = std::move(*domain);
  }
  const Space domain = spec.domain; // outlives the names that refer to it
  while (!panic_ && !at("{") && !at("@") && continues()) {
    if (at("where") && !spec.infer && !spec.predicate) {
      take();
      count(Production::domain_predicate);
      spec.predicate = predicate(domain);
    } else if (at("at") && !spec.scope) {
      take();
      count(Production::scope_token);
      spec.scope = token_name("the name of a scope");
    } else if (at("layout") && !spec.infer && !spec.map) {
      take();
      count(Production::layout_clause);
      spec.map = map(domain, true);
      usable &= spec.map.has_value();
    } else {
      unexpected("`{`");
    }
  }
  if (panic_ || !usable) {
    if (!panic_) panic_ = true; // reported: the block has no domain
    names_.pop();
    return;
  }
  count(spec.infer ? Production::inferred_region : Production::parallel_region);
  capture_at(begin);
  const Site header = since(begin);
  Symbol s;
  s.kind = Symbol::Kind::nest;
  s.infer = spec.infer;
  s.domain = domain;
  s.scope = builder_->begin_parallel(spec);
  anchor();
  if (declare(*t, std::move(s))) {
    open_nests_.push_back(std::string(t->text));
    block();
    open_nests_.pop_back();
  } else {
    skip_block();
  }
  builder_->at(header);
  builder_->end();
  names_.pop();
}

void Parser::loop_region(OpKind kind) {
  const Mark begin = mark();
  take();
  const auto t = new_name("a name for the region's handle");
  if (!t || !expect("in")) return;
  names_.push();
  LoopSpec spec;
  spec.name = std::string(t->text);
  auto given = space();
  bool usable = given.has_value();
  if (given) spec.domain = std::move(*given);
  const Space domain = spec.domain;
  bool policy = false;
  while (!panic_ && !at("{") && !at("@") && continues()) {
    const std::string_view word = peek().text;
    const auto *found = std::find(std::begin(reduction_policy_names), std::end(reduction_policy_names), word);
    if (word == "where" && !spec.predicate) {
      take();
      count(Production::domain_predicate);
      spec.predicate = predicate(domain);
    } else if (word == "order" && kind == OpKind::serial && !spec.order) {
      take();
      count(Production::order_clause);
      spec.order = map(domain, false);
      usable &= spec.order.has_value();
    } else if (kind == OpKind::reduce_region && found != std::end(reduction_policy_names) && !policy) {
      take();
      policy = true;
      count(Production::reduction_policy);
      spec.reduction = static_cast<ReductionPolicy>(found - std::begin(reduction_policy_names));
    } else if (word == "with" && kind == OpKind::reduce_region) {
      break; // contracts, which are captured into the region
    } else if (word == "with" && kind == OpKind::pipeline && !policy) {
      take();
      policy = true;
      do {
        const auto option = name("`stages`, `ii` or `max_in_flight`");
        if (!option || !expect("=")) break;
        const auto n = integer(true);
        count(Production::pipeline_policy);
        if (!n) continue;
        if (option->is("stages")) spec.pipeline.stages = *n;
        else if (option->is("ii")) spec.pipeline.initiation_interval = *n;
        else if (option->is("max_in_flight")) spec.pipeline.max_in_flight = *n;
        else report(Code::P0006, lexer_.site(*option), {{"name", std::string(option->text)}}, "a pipeline has `stages`, `ii` and `max_in_flight`");
      } while (accept(","));
    } else {
      unexpected("`{`");
    }
  }
  if (panic_ || !usable) {
    if (!panic_) panic_ = true;
    names_.pop();
    return;
  }
  capture_at(begin);
  const Site header = since(begin);
  Symbol s;
  s.kind = Symbol::Kind::nest;
  s.domain = domain;
  if (kind == OpKind::serial) {
    count(Production::serial_region);
    s.scope = builder_->begin_serial(spec);
  } else if (kind == OpKind::pipeline) {
    count(Production::pipeline_region);
    s.scope = builder_->begin_pipeline(spec);
  } else {
    count(Production::reduce_region);
    s.scope = builder_->begin_reduce(spec);
    while (!panic_ && at("with") && continues()) contract_clause();
    builder_->at(header);
  }
  anchor();
  if (!panic_ && declare(*t, std::move(s)))
    block();
  else
    skip_block();
  builder_->at(header);
  builder_->end();
  names_.pop();
}

void Parser::stage() {
  const Mark begin = mark();
  take();
  std::string label;
  if (peek().kind == Token::Kind::string && continues()) {
    const auto contents = token_name("a label");
    if (contents) label = *contents;
  }
  count(Production::stage);
  capture_at(begin);
  builder_->stage(std::move(label));
  anchor();
}

void Parser::if_statement() {
  const Mark begin = mark();
  take();
  condition_ = true;
  const auto condition = value_argument();
  if (at("=")) unexpected("`{`");
  condition_ = false;
  if (panic_) return;
  if (!condition) {
    panic_ = true;
    return;
  }
  count(Production::if_statement);
  capture_at(begin);
  const Site header = since(begin);
  builder_->begin_if(*condition);
  anchor();
  block();
  if (at("else") && !panic_) {
    take();
    builder_->at(header);
    builder_->begin_else();
    if (at("if")) {
      count(Production::else_if);
      Deeper deeper(*this); // an arm of an arm
      names_.push();
      if (deeper.ok) if_statement();
      names_.pop();
      if (panic_) synchronize();
    } else {
      count(Production::else_arm);
      block();
    }
  }
  builder_->at(header);
  builder_->end();
}

void Parser::switch_statement() {
  const Mark begin = mark();
  take();
  const auto selector = value_argument();
  const Site header = since(begin);
  const auto pinned = anchor_clause();
  if (!selector || !at("{")) {
    if (selector) unexpected("`{`");
    panic_ = true;
    return;
  }
  count(Production::switch_statement);
  builder_->at(header);
  builder_->begin_switch(*selector);
  if (pinned) builder_->pin_anchor(*pinned);
  const Site open = lexer_.site(take());
  const int outer = std::exchange(brackets_, 0);
  while (!panic_ && !at("}") && !at("kernel") && peek().kind != Token::Kind::end) {
    const Mark arm = mark();
    if (accept("case")) {
      const auto n = integer(true);
      if (panic_) break;
      count(Production::case_arm);
      capture_at(arm);
      builder_->begin_case(n.value_or(0));
    } else if (accept("default")) {
      count(Production::default_arm);
      capture_at(arm);
      builder_->begin_default();
    } else {
      unexpected("`case` or `default`");
      break;
    }
    block();
  }
  if (panic_ && !stopped_) { // to the end of this switch
    for (int open = 1; open > 0 && peek().kind != Token::Kind::end;) {
      if (at("{")) ++open;
      if (at("}") && --open == 0) break;
      take();
    }
    panic_ = false;
  }
  brackets_ = outer;
  close_block(open);
  builder_->at(header);
  builder_->end();
}

void Parser::while_statement() {
  const Mark begin = mark();
  take();
  capture_at(begin);
  builder_->begin_while();
  names_.push();
  std::optional<ValueId> condition;
  if (at("{")) {
    count(Production::while_block);
    const Site open = lexer_.site(take());
    const int outer = std::exchange(brackets_, 0);
    {
      Deeper deeper(*this);
      if (deeper.ok) statements("test");
    }
    const bool unclosed = peek().kind == Token::Kind::end || at("kernel");
    if (!unclosed && expect("test")) {
      condition = value_argument();
      accept(";");
    }
    if (panic_) synchronize();
    brackets_ = outer;
    close_block(open);
  } else {
    count(Production::while_statement);
    condition_ = true;
    condition = value_argument();
    if (at("=")) {
      unexpected("`{`");
      condition.reset();
    }
    condition_ = false;
  }
  const auto pinned = anchor_clause();
  const Site header = since(begin);
  builder_->at(header);
  if (!condition) { // reported; the rest is read for its own errors
    failed_ = true;
    condition = builder_->literal(ScalarType::boolean, std::int64_t{0});
  }
  builder_->while_condition(*condition);
  if (!panic_ && !unclosed_) block();
  builder_->at(header);
  builder_->end();
  if (pinned) builder_->pin_anchor(*pinned);
  names_.pop();
}

} // namespace tilenest::text
