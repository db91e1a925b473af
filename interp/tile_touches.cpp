// SPDX-License-Identifier: Apache-2.0
// Which operands read a variable that a parallel carries: forward from the definition that its instances begin with,
// through what only passes a value on.
#include "interp/tile_touches.h"
#include <unordered_set>

namespace tilenest {

namespace {

struct Uses {
  struct Use {
    OpId op;
    std::size_t operand;
  };
  IdVector<ValueId, std::vector<Use>> operands;
  IdVector<ValueId, std::vector<std::pair<RegionId, std::size_t>>> yields;

  explicit Uses(const TileProgram &p) {
    operands.resize(p.values.size());
    yields.resize(p.values.size());
    for_each_op(p, p.body, [&](const Op &op, OpId id) {
      for (std::size_t i = 0; i < op.operands.size(); ++i) operands[op.operands[i]].push_back({id, i});
      if (op.carries.empty()) return;
      for (RegionId r : op.yielding_regions())
        for (std::size_t i = 0; i < op.carries.size(); ++i)
          yields[p.regions[r].yields[i]].emplace_back(r, i);
    });
  }
};

} // namespace

// rule: UPD-JOIN -- a definition that goes on through inserts, copies and carries is still the shared one.
IdVector<OpId, std::vector<TileUse>> find_tile_uses(const TileProgram &p) {
  IdVector<OpId, std::vector<TileUse>> out;
  out.resize(p.ops.size());
  const Uses uses(p);
  for_each_op(p, p.body, [&](const Op &parallel, OpId) {
    if (parallel.kind != OpKind::parallel) return;
    const RegionId body = parallel.regions[0];
    const int depth = p.levels[std::get<ParallelAttr>(parallel.attr).level].depth;
    for (std::size_t carry = 0; carry < parallel.carries.size(); ++carry) {
      const auto &args = p.regions[body].args;
      std::vector<ValueId> work{args[args.size() - parallel.carries.size() + carry]};
      for_each_op(p, body, [&](const Op &op, OpId) { // a collective update makes the next shared definition
        if (op.kind == OpKind::assign && std::get<AssignAttr>(op.attr).var == parallel.carries[carry] && p.levels[op.anchor].depth < depth)
          work.push_back(op.results[0]);
      });
      std::unordered_set<ValueId> seen;
      while (!work.empty()) {
        const ValueId v = work.back();
        work.pop_back();
        if (!seen.insert(v).second) continue;
        for (const Uses::Use &use : uses.operands[v]) {
          const Op &op = p.ops[use.op];
          if (op.kind == OpKind::assign || op.kind == OpKind::per || (op.kind == OpKind::insert && use.operand == 0)) {
            if (use.operand == 0) work.push_back(op.results[0]);
          } else if (!op.carries.empty() && use.operand >= op.control_operand_count()) {
            const std::size_t i = use.operand - op.control_operand_count();
            const auto &inner = p.regions[op.regions[0]].args;
            work.push_back(inner[inner.size() - op.carries.size() + i]);
            work.push_back(op.results[i]);
          } else {
            std::vector<TileUse> &of = out[use.op];
            TileUse *mine = nullptr;
            for (TileUse &u : of)
              if (u.operand == use.operand) mine = &u;
            if (!mine) mine = &of.emplace_back(TileUse{use.operand, {}});
            mine->levels.push_back({depth, carry});
          }
        }
        for (const auto &[region, i] : uses.yields[v]) {
          if (region == body) continue;
          const Op &holder = p.ops[p.regions[region].op];
          work.push_back(holder.results[i]);
          if (holder.kind == OpKind::if_ || holder.kind == OpKind::switch_ || holder.kind == OpKind::parallel) continue;
          const auto &inner = p.regions[holder.regions[0]].args;
          work.push_back(inner[inner.size() - holder.carries.size() + i]);
        }
      }
    }
  });
  return out;
}

std::vector<TileUse::Level> levels_written(const TileProgram &p, const Op &assign, int depth) {
  std::vector<TileUse::Level> out;
  const VarId var = std::get<AssignAttr>(assign.attr).var;
  for (LevelId l = p.regions[assign.parent].level; l != TileProgram::root(); l = p.levels[l].parent) {
    const Op &parallel = p.ops[p.levels[l].op];
    for (std::size_t i = 0; i < parallel.carries.size(); ++i)
      if (parallel.carries[i] == var && p.levels[l].depth <= depth) out.push_back({p.levels[l].depth, i});
  }
  return out;
}

} // namespace tilenest
