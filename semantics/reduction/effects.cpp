// SPDX-License-Identifier: Apache-2.0
// RED-EFF: no effect, condition or coordinate of a reduce uses one of its states, under any policy. Used data
// (`take`, a load's fallback, `restrict`) is none of these.
#include "semantics/diag/codes.h"
#include "semantics/reduction/states.h"

namespace tilenest::reduction_detail {

namespace {

// What this operand is to the operation, or nullptr where a state may stand.
const char *forbidden(const Op &op, std::size_t operand) {
  switch (op.kind) {
  case OpKind::store: return "a store";
  case OpKind::atomic: return "an atomic";
  case OpKind::scatter: return "a scatter";
  case OpKind::assert_: return "an assertion";
  case OpKind::load: {
    const auto &attr = std::get<AccessAttr>(op.attr);
    const std::size_t axes = attr.axes.size(), fallback = axes + (attr.has_predicate ? 1 : 0);
    if (operand < axes) return "a coordinate of a load";
    return attr.has_fallback && operand == fallback ? nullptr : "the predicate of a load";
  }
  case OpKind::gather: {
    const auto &attr = std::get<IndexedAttr>(op.attr);
    const std::size_t policy = (attr.has_predicate ? 1u : 0u) + (attr.has_fallback ? 1u : 0u);
    if (operand + policy < op.operands.size()) return "a coordinate of a gather";
    return attr.has_fallback && operand + 1 == op.operands.size() ? nullptr : "the predicate of a gather";
  }
  case OpKind::insert: return operand >= 2 ? "the origin of an `insert`" : nullptr;
  case OpKind::if_: return "the condition of an `if`";
  case OpKind::switch_: return "the selector of a `switch`";
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: return operand < op.control_operand_count() ? "the predicate of a domain" : nullptr;
  default: return nullptr;
  }
}

} // namespace

// rule: RED-EFF
std::unordered_set<VarId> check_effects(const TileProgram &p, const Op &reduce, const std::vector<State> &states,
                                        std::unordered_set<OpId> &reported, Diagnostics &out) {
  std::unordered_set<VarId> blamed;
  if (rule_broken(Rule::red_eff)) return blamed;
  auto check = [&](const Op &op, OpId id, ValueId v, const char *what) {
    for (const State &s : states) {
      if (!s.reached.count(v)) continue;
      blamed.insert(s.var);
      if (!reported.insert(id).second) continue; // one report per operation
      out.emplace_back(Code::T0306, p.site(op.site),
                       std::vector<std::pair<std::string, std::string>>{{"var", p.variables[s.var].name},
                                                                        {"what", what}},
                       "observable intermediate states belong in `serial` or `scan`");
      out.back().also(p.site(reduce.site), "the reduce");
    }
  };
  for_each_op(p, reduce.regions[0], [&](const Op &op, OpId id) {
    for (std::size_t i = 0; i < op.operands.size(); ++i)
      if (const char *what = forbidden(op, i)) check(op, id, op.operands[i], what);
    if (op.kind == OpKind::while_)
      check(op, id, p.regions[op.regions[0]].yields[0], "the condition of a `while`");
  });
  return blamed;
}

} // namespace tilenest::reduction_detail
