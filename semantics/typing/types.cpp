// SPDX-License-Identifier: Apache-2.0
// Types of a structurally sound program: every operation's signature is asked again and compared, carries hold
// one type, conditions are scalar bools. Regions' own rules are in regions.cpp.
#include "semantics/diag/codes.h"
#include "semantics/program/signature.h"
#include "semantics/typing/typing_detail.h"
#include <algorithm>

namespace tilenest {

namespace typing_detail {

namespace {

std::vector<ValueId> sorted(std::vector<ValueId> v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return v;
}

void check_result(Report &report, const Op &op) {
  const TileProgram &p = report.p;
  Signature s = signature(p, op);
  if (!s.errors.empty()) {
    for (Diagnostic &d : s.errors) report.out.push_back(std::move(d));
    return;
  }
  if (op.results.empty()) return;
  const TileType &found = p.values[op.results[0]].type;
  TileType expected = s.type;
  // A definition has its variable's space: extents that binding has to compare keep the variable's spelling.
  if (op.kind == OpKind::assign) {
    const Variable &var = p.variables[std::get<AssignAttr>(op.attr).var];
    bool same = var.type.elem == expected.elem && var.type.space.rank() == expected.space.rank();
    for (std::size_t i = 0; same && i < expected.space.rank(); ++i) {
      const Factor &v = var.type.space.factors[i], &e = expected.space.factors[i];
      same = v.dim == e.dim && judge_equal(v.extent, e.extent) != Judged::no;
    }
    if (!same)
      return report(Code::T0501, op.site, {{"var", var.name}, {"expected", p.type_text(var.type)},
                                           {"found", p.type_text(expected)}});
    expected.space = var.type.space;
  }
  if (found.elem != expected.elem || found.space != expected.space || sorted(found.active) != sorted(expected.active))
    report(Code::T1302, op.site, {{"op", info(op.kind).name}, {"expected", p.type_text(expected)},
                                  {"found", p.type_text(found)}});
}

void check_condition(Report &report, ValueId v, SiteId site, const char *what) {
  const TileType &t = report.p.values[v].type;
  if (t.elem != ScalarType::boolean)
    report(Code::T0105, site, {{"what", what}, {"type", report.p.type_text(t)}});
  else if (t.space.rank() != 0 || !t.active.empty())
    report(Code::T0106, site, {{"what", what}, {"type", report.p.type_text(t)}},
           "use `ite` for a choice per element");
}

void check_selector(Report &report, const Op &op) {
  const TileType &t = report.p.values[op.operands[0]].type;
  if (t.space.rank() != 0 || !t.active.empty())
    report(Code::T0106, op.site, {{"what", "the selector of `switch`"}, {"type", report.p.type_text(t)}});
  else if (!is_integer(t.elem))
    report(Code::T0107, op.site, {{"what", "the selector of `switch`"}, {"type", report.p.type_text(t)}});
  else if (is_packed(t.elem))
    report(Code::T0108, op.site, {{"what", "the selector of `switch`"}, {"type", std::string(to_string(t.elem))}},
           cast_to_compute(t.elem));
}

} // namespace

// rule: VAL-OWN -- one variable, one type and space, through every region that carries it.
// rule: IDX-PRED -- carries need equal predicates.
void check_carries(Report &report, const Op &op) {
  const TileProgram &p = report.p;
  const bool arms = op.kind == OpKind::if_ || op.kind == OpKind::switch_;
  for (std::size_t i = 0; i < op.carries.size(); ++i) {
    const Variable &var = p.variables[op.carries[i]];
    std::vector<ValueId> defs = {op.results[i]};
    if (!arms) {
      const Region &head = p.regions[op.regions[0]];
      defs.push_back(op.operands[op.control_operand_count() + i]);
      defs.push_back(head.args[head.args.size() - op.carries.size() + i]);
    }
    for (RegionId r : op.yielding_regions()) defs.push_back(p.regions[r].yields[i]);
    const TileType &result = p.values[op.results[i]].type;
    bool types = true, predicates = true;
    const TileType *other = &result;
    for (ValueId v : defs) {
      const TileType &t = p.values[v].type;
      if (t.elem != var.type.elem || t.space != var.type.space) {
        types = false;
        other = &t;
      }
      predicates &= sorted(t.active) == sorted(result.active);
    }
    if (!types)
      report(Code::T0501, op.site, {{"var", var.name}, {"expected", p.type_text(var.type)},
                                    {"found", p.type_text(*other)}});
    else if (!predicates && !rule_broken(Rule::idx_pred))
      report(Code::T0213, op.site, {{"var", var.name}},
             "give both the same index set with `restrict`, or total values with `ite`");
  }
}

} // namespace typing_detail

Diagnostics types_ok(const TileProgram &p) {
  using namespace typing_detail;
  Report report{p, {}};
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    switch (op.kind) {
    case OpKind::if_: check_condition(report, op.operands[0], op.site, "the condition of `if`"); break;
    case OpKind::switch_: check_selector(report, op); break;
    case OpKind::while_:
      check_condition(report, p.regions[op.regions[0]].yields[0], op.site, "the condition of `while`");
      break;
    case OpKind::parallel:
    case OpKind::serial:
    case OpKind::pipeline:
    case OpKind::reduce_region:
    case OpKind::stage:
    case OpKind::sync: break;
    default: check_result(report, op);
    }
    check_carries(report, op);
  });
  check_regions(report);
  return std::move(report.out);
}

} // namespace tilenest
