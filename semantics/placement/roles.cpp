// SPDX-License-Identifier: Apache-2.0
// UPD-JOIN: how an assignment inside a `parallel` writes a variable of an ancestor. Decided on anchors alone:
//   collective  anchored at the variable's owner while its frontier lies below: one new shared definition;
//   window      anchored below the owner, and the value is the definition before (and no other) passed through
//               one or more inserts, also through copies: it writes what the inserts cover, the rest passes;
//   own         every other one, `ite` and a bare copy included: it writes all of the variable, in the
//               instance of its anchor. An assignment in the owner's own context is `own`, too.
// An instance's definition before is anchored below the owner once that instance has written, so that a later
// whole assignment in it is its own without more ado (ANC-LEAST joins the definition before).
#include "semantics/placement/placement_detail.h"

namespace tilenest::placement_detail {

namespace {

// rule: UPD-JOIN -- `v = insert(d, piece, origin)`, d the current definition or a chain of inserts on it.
bool inserts_into(const TileProgram &p, ValueId value, ValueId before, VarId var) {
  if (rule_broken(Rule::upd_join)) return false;
  bool inserted = false;
  while (value != before) {
    const OpId def = p.values[value].op;
    if (!def.valid()) return false;
    const Op &op = p.ops[def];
    if (op.kind == OpKind::insert) {
      inserted = true;
    } else if (op.kind == OpKind::assign) { // a copy under another name; an older definition of `var` is none
      if (std::get<AssignAttr>(op.attr).var == var) return false;
    } else if (op.kind != OpKind::per) {
      return false;
    }
    value = op.operands[0];
  }
  return inserted;
}

} // namespace

void assign_roles(TileProgram &p) {
  for (Op &op : p.ops) {
    auto *attr = std::get_if<AssignAttr>(&op.attr);
    if (attr == nullptr || op.kind != OpKind::assign) continue;
    const LevelId owner = p.variables[attr->var].owner;
    attr->role = AssignRole::own;
    if (op.frontier == owner) continue;
    if (op.anchor == owner)
      attr->role = AssignRole::collective;
    else if (op.operands.size() > 1 && inserts_into(p, op.operands[0], op.operands[1], attr->var))
      attr->role = AssignRole::window;
  }
}

} // namespace tilenest::placement_detail
