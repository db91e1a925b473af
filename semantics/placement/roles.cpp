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

// The definition behind copies: an assignment under any name, or `per`, is bound to what it copies (VAL-SNAP).
ValueId behind_copies(const TileProgram &p, ValueId value) {
  for (;;) {
    const OpId def = p.values[value].op;
    if (!def.valid() || (p.ops[def].kind != OpKind::assign && p.ops[def].kind != OpKind::per)) return value;
    value = p.ops[def].operands[0];
  }
}

// rule: UPD-JOIN -- `v = insert(d, piece, origin)`, d the current definition or a chain of inserts on it.
bool inserts_into(const TileProgram &p, ValueId value, ValueId before) {
  if (rule_broken(Rule::upd_join)) return false;
  before = behind_copies(p, before);
  for (bool inserted = false;; inserted = true) {
    value = behind_copies(p, value);
    if (value == before) return inserted;
    const OpId def = p.values[value].op;
    if (!def.valid() || p.ops[def].kind != OpKind::insert) return false;
    value = p.ops[def].operands[0];
  }
}

} // namespace

void assign_roles(TileProgram &p) {
  for_each_op(p, p.body, [&](const Op &op, OpId id) {
    if (op.kind != OpKind::assign) return;
    auto *attr = &std::get<AssignAttr>(p.ops[id].attr);
    const LevelId owner = p.variables[attr->var].owner;
    attr->role = AssignRole::own;
    if (op.frontier == owner) return;
    if (op.anchor == owner)
      attr->role = AssignRole::collective;
    else if (op.operands.size() > 1 && inserts_into(p, op.operands[0], op.operands[1]))
      attr->role = AssignRole::window;
  });
}

} // namespace tilenest::placement_detail
