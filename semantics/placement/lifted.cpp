// SPDX-License-Identifier: Apache-2.0
// ANC-SHARE: a note where a store or an update is lifted out of a `parallel` and so counts once, a warning
// where a lifted store writes a value that was loaded from the same object. An update is an assignment to a
// variable that was declared outside the innermost parallel: inside, once or per instance is the same.
#include "semantics/diag/codes.h"
#include "semantics/placement/placement_detail.h"
#include <unordered_set>

namespace tilenest::placement_detail {

namespace {

// The level just below `outer` on the path to `inner`: what an operation anchored at `outer` is lifted out of.
LevelId first_below(const TileProgram &p, LevelId outer, LevelId inner) {
  while (p.levels[inner].depth > p.levels[outer].depth + 1) inner = p.levels[inner].parent;
  return inner;
}

// The definitions that one value may be, or the operands that it was computed from.
void push_sources(const TileProgram &p, const Value &value, std::vector<ValueId> &work) {
  const OpId holder = value.region.valid() ? p.regions[value.region].op : value.op;
  if (!holder.valid()) return;
  const Op &op = p.ops[holder];
  if (op.regions.empty()) {
    if (op.kind == OpKind::assign)
      work.push_back(op.operands[0]);
    else
      work.insert(work.end(), op.operands.begin(), op.operands.end());
    return;
  }
  std::size_t carry = static_cast<std::size_t>(value.index);
  if (value.region.valid() && value.region != op.regions[0]) { // an operand of a contract's merge: any of its states
    for (RegionId region : op.regions) work.insert(work.end(), p.regions[region].yields.begin(), p.regions[region].yields.end());
    work.insert(work.end(), op.operands.begin(), op.operands.end());
    return;
  }
  if (value.region.valid()) {
    const std::size_t coords = p.regions[value.region].args.size() - op.carries.size();
    if (carry < coords) return;
    carry -= coords;
  }
  if (op.control_operand_count() + carry < op.operands.size())
    work.push_back(op.operands[op.control_operand_count() + carry]);
  for (RegionId region : op.yielding_regions()) work.push_back(p.regions[region].yields[carry]);
}

bool loaded_from(const TileProgram &p, ValueId value, ObjectId object) {
  std::vector<ValueId> work{value};
  std::unordered_set<ValueId> seen;
  while (!work.empty()) {
    const ValueId v = work.back();
    work.pop_back();
    if (!seen.insert(v).second) continue;
    if (const OpId def = p.values[v].op; def.valid()) {
      const Op &op = p.ops[def];
      if (op.kind == OpKind::load && p.views[std::get<AccessAttr>(op.attr).view].object == object) return true;
      if (op.kind == OpKind::gather && p.views[std::get<IndexedAttr>(op.attr).view].object == object) return true;
    }
    push_sources(p, p.values[v], work);
  }
  return false;
}

} // namespace

// rule: ANC-SHARE
void note_lifted(const TileProgram &p, Diagnostics &out) {
  if (rule_broken(Rule::anc_share)) return;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (op.anchor == op.frontier) return;
    const std::string nest = p.levels[first_below(p, op.anchor, op.frontier)].name;
    const Site &site = p.site(op.site);
    if (op.kind == OpKind::store || op.kind == OpKind::scatter) {
      const ViewId id = op.kind == OpKind::store ? std::get<AccessAttr>(op.attr).view
                                                 : std::get<IndexedAttr>(op.attr).view;
      const View &view = p.views[id];
      if (loaded_from(p, op.operands[0], view.object))
        out.emplace_back(Code::T0802, site,
                         std::vector<std::pair<std::string, std::string>>{{"view", view.name}, {"nest", nest}},
                         "an atomic happens once per instance, whatever its operands");
      else
        out.emplace_back(Code::T0801, site,
                         std::vector<std::pair<std::string, std::string>>{
                             {"what", "store to `" + view.name + "`"}, {"nest", nest}});
    } else if (op.kind == OpKind::assign) {
      const auto &attr = std::get<AssignAttr>(op.attr);
      const Variable &var = p.variables[attr.var];
      if (attr.declares || !encloses(p, var.declared, op.frontier) || var.declared == op.frontier) return;
      out.emplace_back(Code::T0801, site,
                       std::vector<std::pair<std::string, std::string>>{
                           {"what", "update of `" + var.name + "`"}, {"nest", nest}});
    }
  });
}

} // namespace tilenest::placement_detail
