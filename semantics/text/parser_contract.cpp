// SPDX-License-Identifier: Apache-2.0
// The contract in the header of a reduce: one of the library by its name, or one that is written out. The reduce is
// open already, its body is not begun.
#include "semantics/diag/codes.h"
#include "semantics/library/contracts.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

// with welford(n, mean, m2)
// with contract(n, mean, m2) associative identity { ... give 0, 0, 0 } merge (a, b, c), (d, e, f) { ... give x, y, z }
void Parser::contract_clause() {
  const Mark begin = mark();
  take();
  const auto t = name("the name of a contract, or `contract`");
  if (!t || !expect("(")) return builder_->refuse_contracts();
  std::vector<VarId> states;
  bool usable = true;
  {
    Brackets inside(*this);
    do {
      const auto state = name("a state");
      if (!state) return builder_->refuse_contracts();
      const Symbol *s = lookup(*state);
      usable &= s != nullptr;
      if (!s) continue;
      if (s->kind == Symbol::Kind::variable) {
        states.push_back(s->var);
      } else {
        wrong_kind(*state, *s, "a variable");
        usable = false;
      }
    } while (accept(","));
    if (!expect(")")) return builder_->refuse_contracts();
  }
  if (!t->is("contract")) {
    const library::Contract *contract = library::find_contract(t->text);
    if (!contract) {
      std::string names;
      for (const library::Contract &c : library::contracts()) names += std::string(names.empty() ? "" : ", ") + "`" + c.name + "`";
      report(Code::P0006, lexer_.site(*t), {{"name", std::string(t->text)}},
             "the library has the contracts " + names + "; `contract(...)` begins one of your own");
      return;
    }
    count(Production::library_contract);
    if (!usable) return;
    capture_at(begin);
    library::declare(*builder_, *contract, std::move(states));
    return;
  }
  count(Production::contract_clause);
  bool commutative = true;
  if (accept("associative")) {
    count(Production::contract_law);
    commutative = false;
  }
  if (!usable) { // reported
    panic_ = true;
    return;
  }
  const std::size_t arity = states.size();
  capture_at(begin);
  builder_->begin_contract("", std::move(states), commutative);
  if (!expect("identity")) {
    builder_->refuse_contracts();
    return builder_->give({});
  }
  contract_block();
  if (panic_ || !expect("merge")) return builder_->refuse_contracts();
  names_.push();
  std::vector<std::pair<Token, bool>> operands;
  for (int side = 0; side < 2 && !panic_; ++side) {
    Brackets inside(*this);
    if (side == 1 && !expect(",")) break;
    if (!expect("(")) break;
    std::size_t n = 0;
    do {
      const bool value = at("%");
      const auto operand = value ? value_name() : new_name("a name for a state of this operand");
      if (!operand) break;
      operands.emplace_back(*operand, value);
      ++n;
    } while (accept(","));
    if (panic_ || !expect(")")) break;
    if (n != arity)
      report(Code::P0010, since(begin), {{"what", "merge"}, {"expected", std::to_string(arity) + " names per operand"}, {"found", std::to_string(n)}});
  }
  if (!panic_) {
    std::vector<std::string> hints;
    for (const auto &[token, value] : operands) hints.emplace_back(token.text);
    const std::vector<ValueId> args = builder_->begin_merge(hints);
    for (std::size_t i = 0; i < operands.size() && operands.size() == args.size(); ++i) {
      Symbol s;
      s.kind = Symbol::Kind::value;
      s.value = args[i];
      declare((operands[i].second ? "%" : "") + std::string(operands[i].first.text), lexer_.site(operands[i].first), std::move(s));
    }
    contract_block();
  } else {
    builder_->refuse_contracts();
  }
  names_.pop();
}

// { statements give x, y } -- closes the identity or the merge that is open.
void Parser::contract_block() {
  const Site open = lexer_.site(peek());
  std::vector<Operand> given;
  if (expect("{")) {
    const int outer = std::exchange(brackets_, 0);
    names_.push();
    Deeper deeper(*this);
    if (deeper.ok) statements("give");
    if (!panic_ && !at("}") && peek().kind != Token::Kind::end && !at("kernel")) {
      const Mark begin = mark();
      if (expect("give")) {
        do {
          const auto o = operand_argument();
          given.push_back(o ? *o : Operand(builder_->refused(ScalarType::i64)));
          failed_ |= !o.has_value();
        } while (accept(","));
        accept(";");
        capture_at(begin);
      } else {
        builder_->refuse_contracts();
      }
    } else if (at("}")) {
      unexpected("`give`, with one value per state");
      builder_->refuse_contracts();
    }
    if (panic_) synchronize();
    names_.pop();
    brackets_ = outer;
    close_block(open);
  }
  builder_->give(given);
}

} // namespace tilenest::text
