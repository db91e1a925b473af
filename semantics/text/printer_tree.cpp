// SPDX-License-Identifier: Apache-2.0
// Which operations one expression can hold: those that stand right before their only use, in the order in
// which the parser would capture them. Everything else is bound to a name.
#include "semantics/library/function.h"
#include "semantics/text/printer_state.h"
#include <algorithm>

namespace tilenest::text {

namespace {
constexpr int deepest_expression = 12;
} // namespace

bool Printer::is_statement(OpKind kind) const {
  const Form form = info(kind).form;
  return form == Form::control || kind == OpKind::store || kind == OpKind::atomic || kind == OpKind::scatter ||
         kind == OpKind::memory || kind == OpKind::assert_;
}

// Alone, this literal would get this type.
bool Printer::natural_literal(const Op &constant) const {
  const auto &a = std::get<LiteralAttr>(constant.attr);
  return a.type == (std::holds_alternative<double>(a.literal) ? ScalarType::f64 : ScalarType::i64);
}

Slots Printer::slots(const Op &op) const {
  Slots s;
  using Meets = Slot::Meets;
  auto immediate = [&](std::size_t i) { s.textual.push_back({i, false, Meets::natural, ScalarType::i64}); };
  auto deferred = [&](std::size_t i, Meets meets = Meets::natural, ScalarType type = ScalarType::i64) {
    s.textual.push_back({i, true, meets, type});
  };
  auto in_textual_order = [&] {
    for (const Slot &slot : s.textual)
      if (slot.deferrable) s.deferred.push_back(slot.operand);
  };
  const std::size_t n = op.operands.size();
  if (op.call.valid()) {
    // A literal for an `operand` would be captured in the expansion: a value is none.
    const LibraryCall &call = p_.calls[op.call];
    const library::Function &f = *library::find(call.function);
    for (const CallArgument &a : call.arguments)
      if (const auto *values = std::get_if<std::vector<ValueId>>(&a.value))
        for (std::size_t i = 0; i < values->size(); ++i)
          s.textual.push_back({s.textual.size(), f.parameter(a.name)->kind == library::Parameter::Kind::operand,
                               Meets::nothing, ScalarType::i64});
    return s;
  }
  auto elem = [&](std::size_t i) { return p_.values[op.operands[i]].type.elem; };
  switch (op.kind) {
  case OpKind::cast:
  case OpKind::cast_sat:
  case OpKind::bitcast:
  case OpKind::assign:
    deferred(0);
    in_textual_order();
    return s;
  case OpKind::broadcast:
    // of a literal: `zeros` or `full`, which say the type
    deferred(0, std::get<SpaceAttr>(op.attr).space.rank() > 0 ? Meets::type : Meets::natural, elem(0));
    in_textual_order();
    return s;
  case OpKind::take:
    immediate(0);
    for (std::size_t i = 1; i < n; ++i) deferred(i, Meets::type, ScalarType::i64);
    in_textual_order();
    return s;
  case OpKind::insert:
    immediate(0);
    deferred(1, Meets::type, elem(0));
    for (std::size_t i = 2; i < n; ++i) deferred(i, Meets::type, ScalarType::i64);
    in_textual_order();
    return s;
  case OpKind::restrict:
    immediate(0);
    deferred(1, Meets::nothing);
    in_textual_order();
    return s;
  case OpKind::map_coord:
    for (std::size_t i = 0; i < n; ++i) deferred(i, Meets::type, ScalarType::i64);
    in_textual_order();
    return s;
  case OpKind::load:
  case OpKind::store:
  case OpKind::atomic: {
    const auto &a = std::get<AccessAttr>(op.attr);
    const ScalarType view = p_.views[a.view].elem;
    const bool is_load = op.kind == OpKind::load;
    std::size_t at = is_load ? 0 : 1;
    for (std::size_t i = 0; i < a.axes.size(); ++i) deferred(at++, Meets::type, ScalarType::i64);
    const std::size_t predicate = at;
    if (a.has_predicate) ++at;
    const std::size_t fallback = at;
    if (a.has_fallback) ++at;
    for (; at < n; ++at) immediate(at);
    if (a.has_predicate) deferred(predicate, Meets::nothing);
    if (a.has_fallback) deferred(fallback, Meets::type, view);
    if (!is_load) deferred(0, Meets::type, view);
    if (!is_load) s.deferred.push_back(0); // the builder takes the stored value first
    for (std::size_t i = is_load ? 0 : 1; i < a.axes.size() + (is_load ? 0 : 1); ++i) s.deferred.push_back(i);
    if (a.has_predicate) s.deferred.push_back(predicate);
    if (a.has_fallback) s.deferred.push_back(fallback);
    return s;
  }
  case OpKind::gather:
  case OpKind::scatter: {
    const auto &a = std::get<IndexedAttr>(op.attr);
    const ScalarType view = p_.views[a.view].elem;
    const bool is_gather = op.kind == OpKind::gather;
    const std::size_t policy = (a.has_predicate ? 1 : 0) + (a.has_fallback ? 1 : 0);
    std::size_t at = 0;
    if (!is_gather) deferred(at++, Meets::type, view);
    while (at + policy < n) deferred(at++, Meets::type, ScalarType::i64);
    if (a.has_predicate) deferred(at++, Meets::nothing);
    if (a.has_fallback) deferred(at++, Meets::type, view);
    in_textual_order();
    return s;
  }
  default: break;
  }
  if (info(op.kind).form != Form::elementwise) {
    for (std::size_t i = 0; i < op.control_operand_count(); ++i) immediate(i);
    return s;
  }
  // Literals meet the first operand that has a type: there must be one that is none itself.
  const std::size_t first = op.kind == OpKind::ite ? 1 : 0;
  bool typed = false;
  for (std::size_t i = first; i < n; ++i) {
    const OpId def = p_.values[op.operands[i]].op;
    typed |= !def.valid() || p_.ops[def].kind != OpKind::constant;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (i < first || (op.kind == OpKind::neg))
      deferred(i, Meets::nothing);
    else if (typed)
      deferred(i, Meets::type, elem(i));
    else
      deferred(i, n == 1 ? Meets::natural : Meets::nothing);
  }
  in_textual_order();
  return s;
}

bool Printer::inlinable(ValueId v, OpId at) const {
  const Value &value = p_.values[v];
  if (value.op != at || use_count_[v.index] != 1 || options_.anchors) return false;
  const Op &op = p_.ops[at];
  return !op.pinned && !is_statement(op.kind) && op.results.size() == 1;
}

bool Printer::may_be_bare(const Op &def, const Slot &slot) const {
  if (def.kind == OpKind::extent) return true;
  if (def.kind != OpKind::constant) return false;
  const auto &a = std::get<LiteralAttr>(def.attr);
  if (a.type == ScalarType::boolean && std::get<std::int64_t>(a.literal) != 0) return false; // `true`
  switch (slot.meets) {
  case Slot::Meets::natural: return natural_literal(def);
  case Slot::Meets::type: return a.type == slot.type;
  case Slot::Meets::nothing: return false;
  }
  return false;
}

// The tree whose root is ops[root]; `cursor` ends before its first operation.
std::unique_ptr<Tree> Printer::build(const std::vector<OpId> &ops, std::ptrdiff_t root, std::ptrdiff_t &cursor,
                                     int depth) {
  auto tree = std::make_unique<Tree>();
  tree->op = ops[static_cast<std::size_t>(root)];
  const Op &op = p_.ops[tree->op];
  tree->parts.resize(op.operands.size());
  tree->bare.resize(op.operands.size());
  cursor = root - 1;
  if (depth >= deepest_expression) return tree;
  const Slots s = slots(op);
  auto slot_of = [&](std::size_t operand) {
    return *std::find_if(s.textual.begin(), s.textual.end(), [&](const Slot &x) { return x.operand == operand; });
  };
  auto next_defines = [&](std::size_t operand) {
    return cursor >= 0 && inlinable(op.operands[operand], ops[static_cast<std::size_t>(cursor)]);
  };
  // A value may stand in several slots; it is then used more than once and never inlined.
  for (std::size_t i = s.deferred.size(); i-- > 0;) {
    const std::size_t operand = s.deferred[i];
    if (!next_defines(operand)) continue;
    const OpId def = ops[static_cast<std::size_t>(cursor)];
    if (!may_be_bare(p_.ops[def], slot_of(operand))) continue;
    tree->parts[operand] = std::make_unique<Tree>(Tree{def, {}, {}});
    tree->bare[operand] = true;
    --cursor;
  }
  for (std::size_t i = s.textual.size(); i-- > 0;) {
    const Slot &slot = s.textual[i];
    if (tree->parts[slot.operand] || !next_defines(slot.operand)) continue;
    const Op &def = p_.ops[ops[static_cast<std::size_t>(cursor)]];
    if (def.kind == OpKind::extent && slot.deferrable) continue; // it would be captured later
    tree->parts[slot.operand] = build(ops, cursor, cursor, depth + 1);
    tree->bare[slot.operand] = !slot.deferrable && def.kind == OpKind::constant && natural_literal(def) &&
                               std::get<LiteralAttr>(def.attr).type != ScalarType::boolean;
  }
  return tree;
}

} // namespace tilenest::text
