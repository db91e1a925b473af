// SPDX-License-Identifier: Apache-2.0
// A pass over plain tables: which ids go, what stands for them, and one renumbering.
#include "semantics/program/single_definition.h"
#include <algorithm>

namespace tilenest {

namespace {

// New ids without gaps for the entries that stay.
template <class IdType, class T> IdVector<IdType, IdType> renumber(const IdVector<IdType, T> &table,
                                                                   const std::vector<bool> &gone) {
  IdVector<IdType, IdType> to;
  std::size_t next = 0;
  for (std::size_t i = 0; i < table.size(); ++i) to.push(gone[i] ? IdType() : IdType(next++));
  return to;
}

template <class IdType, class T> void compact(IdVector<IdType, T> &table, const std::vector<bool> &gone) {
  IdVector<IdType, T> kept;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (!gone[i]) kept.push(std::move(table[IdType(i)]));
  table = std::move(kept);
}

} // namespace

// rule: VAL-OWN
void drop_single_definitions(TileProgram &p) {
  std::vector<bool> assigned(p.variables.size(), false);
  for (const Op &op : p.ops) {
    if (op.kind == OpKind::assign && !std::get<AssignAttr>(op.attr).declares)
      assigned[std::get<AssignAttr>(op.attr).var.index] = true;
    for (VarId v : op.carries) assigned[v.index] = true;
  }
  std::vector<bool> op_gone(p.ops.size(), false), value_gone(p.values.size(), false);
  std::vector<bool> var_gone(p.variables.size(), false);
  IdVector<ValueId, ValueId> stands;
  for (std::size_t i = 0; i < p.values.size(); ++i) stands.push(ValueId(i));
  for (std::size_t i = 0; i < p.ops.size(); ++i) {
    const Op &op = p.ops[OpId(i)];
    if (op.kind != OpKind::assign) continue;
    const VarId var = std::get<AssignAttr>(op.attr).var;
    if (assigned[var.index]) continue;
    op_gone[i] = var_gone[var.index] = value_gone[op.results[0].index] = true;
    stands[op.results[0]] = op.operands[0];
  }
  const auto new_op = renumber(p.ops, op_gone);
  const auto new_value = renumber(p.values, value_gone);
  const auto new_var = renumber(p.variables, var_gone);
  auto value = [&](ValueId &v) {
    if (!v.valid()) return;
    while (stands[v] != v) v = stands[v];
    v = new_value[v];
  };
  auto values = [&](std::vector<ValueId> &list) {
    for (ValueId &v : list) value(v);
  };
  auto active = [&](TileType &t) {
    values(t.active);
    std::sort(t.active.begin(), t.active.end());
    t.active.erase(std::unique(t.active.begin(), t.active.end()), t.active.end());
  };
  auto op_id = [&](OpId &id) {
    if (id.valid()) id = new_op[id];
  };
  for (std::size_t i = 0; i < p.ops.size(); ++i) {
    if (op_gone[i]) continue;
    Op &op = p.ops[OpId(i)];
    values(op.operands);
    values(op.results);
    for (VarId &v : op.carries) v = new_var[v];
    if (auto *assign = std::get_if<AssignAttr>(&op.attr)) assign->var = new_var[assign->var];
  }
  for (Region &r : p.regions) {
    std::erase_if(r.ops, [&](OpId id) { return op_gone[id.index]; });
    for (OpId &id : r.ops) op_id(id);
    op_id(r.op);
    values(r.args);
    values(r.yields);
  }
  for (Value &v : p.values) {
    op_id(v.op);
    active(v.type);
  }
  for (Variable &v : p.variables) active(v.type);
  for (Level &l : p.levels) op_id(l.op);
  for (LibraryCall &c : p.calls) {
    values(c.results);
    for (CallArgument &a : c.arguments)
      if (auto *list = std::get_if<std::vector<ValueId>>(&a.value)) values(*list);
  }
  for (ReductionAlgebra &a : p.algebras) {
    for (ReductionAlgebra::State &s : a.states) s.var = new_var[s.var];
    for (ReductionAlgebra::Contract &c : a.contracts)
      for (VarId &s : c.states) s = new_var[s];
  }
  compact(p.ops, op_gone);
  compact(p.values, value_gone);
  compact(p.variables, var_gone);
}

} // namespace tilenest
