// SPDX-License-Identifier: Apache-2.0
// Groups the operations of each region into runs over the instances of the levels around them.
#include "lower/steps.h"
#include <algorithm>
#include <unordered_set>

namespace tilenest::lowering {

bool is_pure(const Op &op) {
  switch (op.kind) {
  case OpKind::store:
  case OpKind::atomic:
  case OpKind::scatter:
  case OpKind::memory:
  case OpKind::assert_:
  case OpKind::sync: return false;
  default: return op.regions.empty();
  }
}

std::span<const RegionId> run_regions(const Op &op) {
  return op.kind == OpKind::reduce_region ? std::span(op.regions).first(1) : std::span(op.regions);
}

std::vector<OpId> flat_ops(const TileProgram &program, RegionId region) {
  std::vector<OpId> out;
  for (OpId id : program.regions[region].ops) {
    const Op &op = program.ops[id];
    if (op.kind != OpKind::stage) {
      out.push_back(id);
      continue;
    }
    const std::vector<OpId> inner = flat_ops(program, op.regions[0]);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

namespace {

constexpr int anywhere = 1 << 20;

class Grouping {
public:
  Grouping(const TileProgram &program, StepTree &tree) : p(program), out(tree) {
    floor_.resize(p.ops.size(), anywhere);
    out.loops.resize(p.ops.size());
    out.path.resize(p.ops.size());
    std::vector<VarId> joined;
    find_floors(p.body, 0, joined);
    needed_.resize(p.ops.size(), 0);
    find_needed(p.body);
  }
  void run() { group(flat_ops(p, p.body), out.body); }

private:
  int depth(LevelId level) const { return p.levels[level].depth; }

  // The deepest level that may be open around the operation, where repeating it per instance would be seen.
  // `joined`: the variables of ancestors that the parallels around give back at their ends (UPD-JOIN).
  int find_floor(OpId id, int level_depth, std::vector<VarId> &joined) {
    const Op &op = p.ops[id];
    int floor = anywhere;
    const int anchor = op.anchor.valid() ? depth(op.anchor) : level_depth;
    switch (op.kind) {
    case OpKind::sync: floor = level_depth - 1; break;
    case OpKind::store:
    case OpKind::scatter:
    case OpKind::assert_: floor = anchor; break;
    case OpKind::assign:
      if (std::find(joined.begin(), joined.end(), std::get<AssignAttr>(op.attr).var) != joined.end()) floor = anchor;
      break;
    default: break;
    }
    if (floor >= level_depth) floor = anywhere;
    const std::size_t before = joined.size();
    if (op.kind == OpKind::parallel) joined.insert(joined.end(), op.carries.begin(), op.carries.end());
    for (RegionId r : run_regions(op))
      for (OpId inner : p.regions[r].ops)
        floor = std::min(floor, find_floor(inner, depth(p.regions[r].level), joined));
    joined.resize(before);
    return floor_[id] = floor;
  }
  void find_floors(RegionId region, int level_depth, std::vector<VarId> &joined) {
    for (OpId id : p.regions[region].ops) find_floor(id, level_depth, joined);
  }

  // Backwards: what an operation that stands between two runs takes has to stand there, too.
  void find_needed(RegionId region) {
    const std::vector<OpId> ops = flat_ops(p, region);
    for (std::size_t i = ops.size(); i-- > 0;) {
      const Op &op = p.ops[ops[i]];
      const bool between = floor_[ops[i]] != anywhere || needed_[ops[i]];
      if (between)
        for (ValueId v : op.operands) need(v);
      for (RegionId r : run_regions(op)) {
        if (between)
          for (ValueId v : p.regions[r].yields) need(v);
        find_needed(r);
      }
    }
  }
  void need(ValueId v) {
    if (const OpId made = p.values[v].op; made.valid()) needed_[made] = 1;
  }

  int open() const { return static_cast<int>(loops_.size()); }
  int textual() const { return static_cast<int>(path_.size()); }

  void group(const std::vector<OpId> &ops, Steps &to) {
    if (open() == textual()) {
      for (OpId id : ops) to.push_back(step(id));
      return;
    }
    std::vector<OpId> run;
    auto flush = [&] {
      if (run.empty()) return;
      Step loop;
      loop.opened = path_[static_cast<std::size_t>(open())];
      loop.bodies.resize(1);
      loops_.push_back(++last_loop_);
      group(std::exchange(run, {}), loop.bodies[0]);
      loops_.pop_back();
      to.push_back(std::move(loop));
    };
    for (OpId id : ops) {
      const Op &op = p.ops[id];
      const bool lifted = is_pure(op) && op.anchor.valid() && depth(op.anchor) <= open() && floor_[id] == anywhere && at_hand(op);
      if (lifted && movable(op, run)) {
        to.push_back(step(id)); // before the run that is being gathered
      } else if (lifted && needed_[id]) {
        flush();
        to.push_back(step(id));
      } else if (floor_[id] > open()) {
        run.push_back(id);
      } else {
        flush();
        to.push_back(step(id));
      }
    }
    flush();
  }

  // Its operands were computed where no more levels were open.
  bool at_hand(const Op &op) const {
    for (ValueId v : op.operands) {
      const Value &value = p.values[v];
      const OpId made = value.op.valid() ? value.op : p.regions[value.region].op;
      if (static_cast<int>(out.loops[made].size()) > open()) return false;
    }
    return true;
  }

  // Nothing in the run is needed by it, or could change what it loads.
  bool movable(const Op &op, const std::vector<OpId> &run) const {
    const bool loads = op.kind == OpKind::load || op.kind == OpKind::gather;
    for (OpId id : run) {
      const Op &before = p.ops[id];
      if (loads && !is_pure(before)) return false;
      for (ValueId v : op.operands)
        if (std::find(before.results.begin(), before.results.end(), v) != before.results.end()) return false;
    }
    return true;
  }

  Step step(OpId id) {
    const Op &op = p.ops[id];
    Step s;
    s.op = id;
    out.loops[id] = loops_;
    out.path[id] = path_;
    for (RegionId r : run_regions(op)) {
      s.bodies.emplace_back();
      const bool deeper = op.kind == OpKind::parallel;
      if (deeper) path_.push_back(std::get<ParallelAttr>(op.attr).level);
      group(flat_ops(p, r), s.bodies.back());
      if (deeper) path_.pop_back();
    }
    return s;
  }

  const TileProgram &p;
  StepTree &out;
  IdVector<OpId, int> floor_;
  IdVector<OpId, std::uint8_t> needed_; // by an operation between two runs
  std::vector<LevelId> path_;
  std::vector<std::uint32_t> loops_;
  std::uint32_t last_loop_ = 0;
};

} // namespace

StepTree plan_steps(const TileProgram &program) {
  StepTree out;
  Grouping(program, out).run();
  return out;
}

} // namespace tilenest::lowering
