// SPDX-License-Identifier: Apache-2.0
// A depth-first walk from the fixed operations to what they use gives each movable operation its rank; a second walk
// emits them, loads segment by segment.
#include "semantics/program/commuting_order.h"
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tilenest {

namespace {

bool reads_state(const Op &op) { return op.kind == OpKind::load || op.kind == OpKind::gather; }

// Without effect: it may stand anywhere after its operands, a load only between the same two effects.
bool movable(const Op &op) {
  switch (info(op.kind).form) {
  case Form::memory: return reads_state(op);
  case Form::control: return false;
  case Form::meta: return op.kind != OpKind::assert_;
  default: return true;
  }
}

class RegionOrder {
public:
  RegionOrder(TileProgram &p, Region &region) : p_(p), region_(region) {
    for (std::size_t i = 0; i < region.ops.size(); ++i) position_.emplace(region.ops[i], i);
  }

  void run() {
    rank_all();
    std::vector<OpId> loads; // of the segment
    for (OpId id : region_.ops) {
      const Op &op = p_.ops[id];
      if (reads_state(op)) loads.push_back(id);
      if (movable(op)) continue;
      emit_segment(loads);
      needs_of(op, [&](OpId d) { emit(d); });
      ordered_.push_back(id);
    }
    emit_segment(loads);
    for (OpId id : by_rank_) emit(id);
    region_.ops = std::move(ordered_);
  }

private:
  // Calls f for the movable operations of this region that define operands of `op` or of an operation inside it.
  template <class F> void needs_of(const Op &op, F &&f) const {
    auto need = [&](ValueId v) {
      const OpId d = p_.values[v].op;
      if (d.valid() && position_.count(d) && movable(p_.ops[d])) f(d);
    };
    for (ValueId v : op.operands) need(v);
    for (RegionId r : op.regions) {
      for (OpId inner : p_.regions[r].ops) needs_of(p_.ops[inner], f);
      for (ValueId v : p_.regions[r].yields) need(v);
    }
  }

  void rank(OpId id) {
    if (!ranked_.insert(id).second) return;
    needs_of(p_.ops[id], [&](OpId d) { rank(d); });
    by_rank_.push_back(id);
  }
  void rank_all() {
    for (OpId id : region_.ops)
      if (!movable(p_.ops[id])) needs_of(p_.ops[id], [&](OpId d) { rank(d); });
    for (ValueId v : region_.yields) {
      const OpId d = p_.values[v].op;
      if (d.valid() && position_.count(d) && movable(p_.ops[d])) rank(d);
    }
    // What only another region needs: from the last uses in this one.
    std::unordered_set<OpId> used;
    for (OpId id : region_.ops)
      if (movable(p_.ops[id])) needs_of(p_.ops[id], [&](OpId d) { used.insert(d); });
    for (OpId id : region_.ops)
      if (movable(p_.ops[id]) && !used.count(id)) rank(id);
  }

  void emit(OpId id) {
    if (!emitted_.insert(id).second) return;
    needs_of(p_.ops[id], [&](OpId d) { emit(d); });
    ordered_.push_back(id);
  }
  void emit_segment(std::vector<OpId> &loads) {
    for (OpId id : by_rank_) // the segment's loads in the order of their ranks
      if (std::find(loads.begin(), loads.end(), id) != loads.end()) emit(id);
    loads.clear();
  }

  TileProgram &p_;
  Region &region_;
  std::unordered_map<OpId, std::size_t> position_;
  std::unordered_set<OpId> ranked_, emitted_;
  std::vector<OpId> by_rank_, ordered_;
};

void order_region(TileProgram &p, RegionId id) {
  const std::vector<OpId> ops = p.regions[id].ops;
  for (OpId op : ops)
    for (RegionId inner : p.ops[op].regions) order_region(p, inner);
  RegionOrder(p, p.regions[id]).run();
}

} // namespace

void order_commuting_operations(TileProgram &p) { order_region(p, p.body); }

} // namespace tilenest
