// SPDX-License-Identifier: Apache-2.0
// Use lists, the definitions of a state, and the forward closure of what is computed from it.
#include "semantics/reduction/reduction.h"
#include "semantics/reduction/states.h"
#include <algorithm>

namespace tilenest {

namespace reduction_detail {

Uses::Uses(const TileProgram &p) {
  uses_.resize(p.values.size());
  auto yields = [&](RegionId region) {
    const auto &ys = p.regions[region].yields;
    for (std::size_t i = 0; i < ys.size(); ++i) uses_[ys[i]].push_back({{}, region, i});
  };
  for_each_op(p, p.body, [&](const Op &op, OpId id) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) uses_[op.operands[i]].push_back({id, {}, i});
    for (RegionId region : op.regions) yields(region);
  });
}

namespace {

// The values that a carry of this position becomes: the argument inside and the result.
void push_carry(const TileProgram &p, const Op &op, std::size_t carry, std::vector<ValueId> &work) {
  const Region &head = p.regions[op.regions[0]];
  if (!head.args.empty()) work.push_back(head.args[head.args.size() - op.carries.size() + carry]);
  work.push_back(op.results[carry]);
}

void close_forward(const TileProgram &p, const Uses &uses, RegionId body, State &state) {
  std::vector<ValueId> work(state.definitions.begin(), state.definitions.end());
  while (!work.empty()) {
    const ValueId v = work.back();
    work.pop_back();
    if (!state.reached.insert(v).second) continue;
    for (const Use &use : uses.of(v)) {
      if (!use.op.valid()) {
        if (use.region == body) continue; // the next contribution's state
        const Op &holder = p.ops[p.regions[use.region].op];
        const auto yielding = holder.yielding_regions();
        if (std::find(yielding.begin(), yielding.end(), use.region) != yielding.end())
          push_carry(p, holder, use.index, work);
        else if (holder.kind == OpKind::reduce_region) // a contract of an inner reduce: any of its states
          for (std::size_t i = 0; i < holder.carries.size(); ++i) push_carry(p, holder, i, work);
        continue;
      }
      const Op &op = p.ops[use.op];
      if (op.regions.empty())
        work.insert(work.end(), op.results.begin(), op.results.end());
      else if (use.index >= op.control_operand_count())
        push_carry(p, op, use.index - op.control_operand_count(), work);
    }
  }
}

} // namespace

std::vector<State> states_of(const TileProgram &p, const Uses &uses, const Op &reduce) {
  std::vector<State> states;
  const RegionId body = reduce.regions[0];
  const Region &r = p.regions[body];
  std::unordered_map<VarId, std::size_t> position;
  for (std::size_t i = 0; i < reduce.carries.size(); ++i) {
    position[reduce.carries[i]] = i;
    states.push_back({reduce.carries[i], {r.args[r.args.size() - reduce.carries.size() + i]}, {}});
  }
  for_each_op(p, body, [&](const Op &op, OpId) {
    if (op.kind == OpKind::assign) {
      const auto at = position.find(std::get<AssignAttr>(op.attr).var);
      if (at != position.end()) states[at->second].definitions.insert(op.results[0]);
    }
    for (std::size_t i = 0; i < op.carries.size(); ++i) {
      const auto at = position.find(op.carries[i]);
      if (at == position.end()) continue;
      std::vector<ValueId> defs;
      push_carry(p, op, i, defs);
      states[at->second].definitions.insert(defs.begin(), defs.end());
    }
  });
  for (State &s : states) close_forward(p, uses, body, s);
  return states;
}

} // namespace reduction_detail

Diagnostics reductions_ok(TileProgram &p) {
  using namespace reduction_detail;
  Diagnostics out;
  const Uses uses(p);
  std::vector<OpId> reduces;
  for_each_op(p, p.body, [&](const Op &op, OpId id) {
    if (op.kind == OpKind::reduce_region) reduces.push_back(id);
  });
  std::unordered_set<OpId> reported;
  for (OpId id : reduces) {
    const Op &reduce = p.ops[id];
    const std::vector<State> states = states_of(p, uses, reduce);
    // A state that an effect uses is refused already; that it has no merge would add nothing.
    const auto blamed = check_effects(p, reduce, states, reported, out);
    recognise(p, uses, reduce, states, blamed, out);
  }
  return out;
}

} // namespace tilenest
