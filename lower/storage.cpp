// SPDX-License-Identifier: Apache-2.0
// Slots for what regions carry, fusion of chains, and what is computed in its slot.
#include "lower/storage.h"
#include <algorithm>
#include <functional>
#include <map>
#include <unordered_set>

namespace tilenest::lowering {

namespace {

constexpr int repeatable_cost = 12; // operations

bool is_index_map(OpKind k) {
  return k == OpKind::broadcast || k == OpKind::transpose || k == OpKind::relabel || k == OpKind::restrict;
}
bool is_elementwise(OpKind k) { return info(k).form == Form::elementwise; }

// Always stored: its elements are computed together.
bool is_whole(OpKind k) {
  return k == OpKind::reduce || k == OpKind::scan || k == OpKind::mma || k == OpKind::insert;
}

class Planner {
public:
  Planner(const TileProgram &program, const StepTree &tree, Storage &storage, bool arguments_disjoint)
      : p(program), steps(tree), s(storage), disjoint(arguments_disjoint) {}

  void run() {
    s.uses.resize(p.values.size());
    s.slot.resize(p.values.size());
    s.repeatable.resize(p.values.size(), 0);
    s.joins.resize(p.ops.size(), 0);
    s.kept.resize(p.values.size());
    order_.resize(p.ops.size(), 0);
    end_.resize(p.ops.size(), 0);
    cost_.resize(p.values.size(), 0);
    reads_.resize(p.values.size(), false);
    root_.resize(p.ops.size());
    index_.resize(p.ops.size(), 0);
    block_.resize(p.ops.size());
    writes_.resize(p.ops.size(), false);
    std::vector<VarId> given_back;
    find_joins(p.body, given_back);
    number(p.body);
    find_repeatable(p.body);
    std::map<VarId, SlotId> joined;
    find_carried(p.body, joined);
    find_kept();
    decide(p.body);
    find_levels();
  }

private:
  const TileProgram &p;
  const StepTree &steps;
  Storage &s;
  const bool disjoint;
  IdVector<ValueId, int> cost_;
  IdVector<ValueId, std::uint8_t> reads_;  // it depends on memory or on a slot, read when it is computed
  IdVector<OpId, OpId> root_;      // where what it computes is evaluated, in its block
  IdVector<OpId, RegionId> block_;    // the region around it and its stage
  IdVector<OpId, std::size_t> index_; // position in its block
  IdVector<OpId, std::uint8_t> writes_;    // memory or a slot

  IdVector<OpId, std::size_t> order_, end_; // program order, of an operation's begin and its end
  std::size_t next_ = 0;

  bool is_tile(ValueId v) const { return p.values[v].type.space.rank() > 0; }
  const Op *definition(ValueId v) const {
    const OpId op = p.values[v].op;
    return op.valid() && p.ops[op].regions.empty() ? &p.ops[op] : nullptr;
  }
  ValueId same(ValueId v) const { return renamed(p, s, v); }

  void find_joins(RegionId region, std::vector<VarId> &given_back) {
    for (OpId id : p.regions[region].ops) {
      const Op &op = p.ops[id];
      if (op.kind == OpKind::assign)
        s.joins[id] = std::find(given_back.begin(), given_back.end(), std::get<AssignAttr>(op.attr).var) != given_back.end();
      const std::size_t before = given_back.size();
      if (op.kind == OpKind::parallel) given_back.insert(given_back.end(), op.carries.begin(), op.carries.end());
      for (RegionId r : run_regions(op)) find_joins(r, given_back);
      given_back.resize(before);
    }
  }

  // Uses are those of the value itself: another name of it is none.
  void number(RegionId region) {
    const std::vector<OpId> ops = flat_ops(p, region);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op &op = p.ops[ops[i]];
      index_[ops[i]] = i;
      order_[ops[i]] = next_++;
      block_[ops[i]] = region;
      root_[ops[i]] = ops[i];
      writes_[ops[i]] = !op.regions.empty() || op.kind == OpKind::store || op.kind == OpKind::scatter || op.kind == OpKind::atomic ||
                        op.kind == OpKind::sync || op.kind == OpKind::memory;
      const bool renames = (op.kind == OpKind::assign && !s.joins[ops[i]]) || op.kind == OpKind::per;
      for (std::size_t k = 0; k < op.operands.size() && !renames; ++k) s.uses[same(op.operands[k])].push_back({ops[i], false, 0, k});
      for (std::size_t r = 0; r < run_regions(op).size(); ++r) {
        number(op.regions[r]);
        const Region &inner = p.regions[op.regions[r]];
        for (std::size_t k = 0; k < inner.yields.size(); ++k) s.uses[same(inner.yields[k])].push_back({ops[i], true, r, k});
      }
      end_[ops[i]] = next_++;
    }
  }

  // Coordinates, extents and literals, and what few elementwise operations and index maps make of them.
  void find_repeatable(RegionId region) {
    const Region &r = p.regions[region];
    if (r.op.valid()) {
      const Op &holder = p.ops[r.op];
      const std::size_t carried = holder.kind == OpKind::if_ || holder.kind == OpKind::switch_ ? 0 : holder.carries.size();
      for (std::size_t i = 0; i + carried < r.args.size(); ++i) s.repeatable[r.args[i]] = true;
    }
    for (OpId id : flat_ops(p, region)) {
      const Op &op = p.ops[id];
      const bool renames = op.kind == OpKind::assign || op.kind == OpKind::per;
      if (renames || is_elementwise(op.kind) || is_index_map(op.kind) || info(op.kind).form == Form::generate || op.kind == OpKind::reshape) {
        bool all = op.kind != OpKind::reshape;
        int cost = is_elementwise(op.kind) ? operation_cost(op.kind) : 0;
        const std::size_t count = op.kind == OpKind::assign ? 1 : op.operands.size();
        for (std::size_t i = 0; i < count; ++i) {
          all &= s.repeatable[op.operands[i]];
          cost += cost_[op.operands[i]];
          reads_[op.results[0]] = reads_[op.results[0]] | reads_[op.operands[i]];
        }
        cost_[op.results[0]] = std::min(cost, 1 << 20);
        s.repeatable[op.results[0]] = all && cost <= repeatable_cost;
      } else if (op.kind == OpKind::load || op.kind == OpKind::gather || op.kind == OpKind::take) {
        cost_[op.results[0]] = 2;
        reads_[op.results[0]] = true;
      }
      for (RegionId inner : run_regions(op)) {
        for (ValueId v : p.regions[inner].args) reads_[v] = is_tile(v);
        find_repeatable(inner);
      }
      if (!op.regions.empty())
        for (ValueId v : op.results) reads_[v] = is_tile(v);
    }
  }
  static int operation_cost(OpKind k) {
    if (k >= OpKind::exp && k <= OpKind::pow) return 20;
    return k == OpKind::div || k == OpKind::rem || k == OpKind::floordiv || k == OpKind::mod || k == OpKind::sqrt ? 4 : 1;
  }

  SlotId new_slot(ValueId v, OpId source, int depth) {
    Slot slot;
    slot.type = p.values[v].type;
    slot.name = name_of(v);
    slot.source = source;
    slot.depth = depth;
    return s.slots.push(std::move(slot));
  }
  std::string name_of(ValueId v) const {
    const Value &value = p.values[v];
    const OpId holder = value.op.valid() ? value.op : p.regions[value.region].op;
    const Op &op = p.ops[holder];
    if (!op.carries.empty()) {
      const std::size_t count = value.op.valid() ? op.results.size() : p.regions[value.region].args.size();
      const std::size_t from_last = count - static_cast<std::size_t>(value.index);
      if (from_last <= op.carries.size()) return p.variables[op.carries[op.carries.size() - from_last]].name;
    }
    if (op.kind == OpKind::load) return p.views[std::get<AccessAttr>(op.attr).view].name;
    return op.kind == OpKind::reduce ? "folded" : info(op.kind).name;
  }
  int open_at(OpId op) const { return static_cast<int>(steps.loops[op].size()); }
  int anchor_depth(ValueId v) const { return p.values[v].anchor.valid() ? p.levels[p.values[v].anchor].depth : 0; }

  // rule: UPD-JOIN -- inside a parallel all definitions of what it gives back are one slot, written in place: no other
  // instance reads what one writes.
  void find_carried(RegionId region, std::map<VarId, SlotId> &joined) {
    for (OpId id : flat_ops(p, region)) {
      const Op &op = p.ops[id];
      if (op.kind == OpKind::assign) {
        const auto at = joined.find(std::get<AssignAttr>(op.attr).var);
        if (at == joined.end()) continue;
        writes_[id] = true;
        s.slot[op.results[0]] = at->second;
        for (ValueId v = op.operands[0];;) { // the inserts of a window
          v = same(v);
          const Op *made = definition(v);
          if (!made || made->kind != OpKind::insert || s.slot[v].valid() || std::get<AssignAttr>(op.attr).role != AssignRole::window) break;
          s.slot[v] = at->second;
          writes_[p.values[v].op] = true;
          v = made->operands[0];
        }
        continue;
      }
      std::map<VarId, SlotId> inner = joined;
      for (std::size_t i = 0; i < op.carries.size(); ++i) {
        const VarId var = op.carries[i];
        SlotId slot;
        if (const auto at = joined.find(var); at != joined.end()) {
          slot = at->second;
        } else {
          const ValueId result = op.results[i];
          const int depth = std::max(open_at(id), anchor_depth(result));
          const bool in_register = !is_tile(result) && op.kind != OpKind::parallel && open_at(id) >= depth && !crosses(result, id);
          if (!in_register) slot = new_slot(result, id, depth);
          if (op.kind == OpKind::parallel) {
            inner[var] = slot;
            s.slots[slot].joined = true;
          }
        }
        if (!slot.valid()) continue;
        s.slot[op.results[i]] = slot;
        const RegionId first = op.regions[0];
        const std::vector<ValueId> &args = p.regions[first].args;
        if (op.kind != OpKind::if_ && op.kind != OpKind::switch_) s.slot[args[args.size() - op.carries.size() + i]] = slot;
      }
      for (RegionId r : run_regions(op)) find_carried(r, inner);
    }
  }
  // rule: VAL-SNAP -- a definition that is used, under another name, after the variable has a newer one. Loops and
  // parallels that hold both the use and the newer definition come around again.
  void find_kept() {
    std::vector<std::pair<SlotId, OpId>> writes;
    for (std::size_t i = 0; i < p.values.size(); ++i) {
      const ValueId v(i);
      if (s.slot[v].valid() && p.values[v].op.valid() && p.ops[p.values[v].op].regions.empty()) writes.emplace_back(s.slot[v], p.values[v].op);
    }
    for (std::size_t i = 0; i < p.values.size(); ++i) {
      const ValueId v(i);
      const SlotId slot = s.slot[v];
      if (!slot.valid() || !s.slots[slot].joined) continue;
      const OpId made = p.values[v].op.valid() ? p.values[v].op : p.regions[p.values[v].region].op;
      const bool argument = !p.values[v].op.valid();
      bool late = false;
      for (const Use &u : s.uses[v])
        for (const auto &[into, write] : writes) {
          if (into != slot || write == made || u.yield) continue;
          const std::size_t begin = argument ? order_[made] : p.ops[made].regions.empty() ? order_[made] : end_[made];
          if (argument && (order_[write] < order_[made] || order_[write] > end_[made])) continue;
          late |= order_[write] > begin && order_[u.op] > order_[write];
          for (OpId around = p.regions[block_[write]].op; around.valid(); around = p.regions[block_[around]].op) {
            const bool holds_made = order_[around] <= order_[made] && end_[made] <= end_[around] && (around != made || argument);
            if (holds_made) break;
            const bool comes_round = p.ops[around].kind != OpKind::if_ && p.ops[around].kind != OpKind::switch_;
            late |= comes_round && order_[around] < order_[u.op] && order_[u.op] < end_[around];
          }
        }
      if (late) s.kept[v] = new_slot(v, made, argument && p.ops[made].kind != OpKind::parallel ? open_at(made) : s.slots[slot].depth);
    }
  }

  // Used in another run over the instances than the operation stands in.
  bool crosses(ValueId v, OpId at) const {
    for (const Use &u : s.uses[v])
      if (!within(steps.loops[at], steps.loops[u.op])) return true;
    return false;
  }
  static bool within(const std::vector<std::uint32_t> &outer, const std::vector<std::uint32_t> &inner) {
    return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
  }

  // --- fusion, from the end to the beginning ---
  void decide(RegionId region) {
    const std::vector<OpId> ops = flat_ops(p, region);
    for (std::size_t i = ops.size(); i-- > 0;) {
      const Op &op = p.ops[ops[i]];
      for (std::size_t r = run_regions(op).size(); r-- > 0;) decide(op.regions[r]);
      if (!op.regions.empty() || op.results.empty() || s.slot[op.results[0]].valid()) continue;
      const ValueId v = op.results[0];
      if (op.kind == OpKind::assign || op.kind == OpKind::per) continue;
      if (!is_tile(v)) {
        if (!s.repeatable[v] && crosses(v, ops[i])) s.slot[v] = new_slot(v, ops[i], open_at(ops[i]));
        continue;
      }
      if (const SlotId into = slot_of_yield(v, region); into.valid()) {
        s.slot[v] = into;
        writes_[ops[i]] = true;
        continue;
      }
      if (s.repeatable[v]) continue;
      const OpId root = common_root(ops[i], v, region);
      if (!is_whole(op.kind) && root.valid() && !changed_between(v, i, root, ops)) {
        root_[ops[i]] = root;
        continue;
      }
      if (!s.uses[v].empty()) s.slot[v] = new_slot(v, ops[i], open_at(ops[i]));
    }
  }
  bool changed_between(ValueId v, std::size_t i, OpId root, const std::vector<OpId> &ops) const {
    if (!reads_[v]) return false;
    for (std::size_t k = i + 1; k < index_[root]; ++k)
      if (writes_[ops[k]]) return true;
    return false;
  }

  // The one operation of this block, in the same run, where all uses of the value are evaluated, each element once.
  OpId common_root(OpId def, ValueId v, RegionId region) const {
    OpId root;
    for (const Use &u : s.uses[v]) {
      const Op &user = p.ops[u.op];
      if (u.yield || block_[u.op] != region || several_times(v, user, u.index)) return {};
      if (const auto object = written_object(user); object.valid() && reads_object(v, object, &user, u.index == 0)) return {};
      if (s.joins[u.op] && reads_slot(v, s.slot[user.results[0]], true)) return {};
      if (user.kind == OpKind::insert && u.index == 1 && s.slot[user.results[0]].valid() && reads_slot(v, s.slot[user.results[0]], false)) return {};
      const OpId at = root_[u.op];
      if (!at.valid() || steps.loops[at] != steps.loops[def] || (root.valid() && root != at)) return {};
      root = at;
    }
    return root;
  }
  // Whether evaluating the user would evaluate elements of its operand again and again, or where it is stored alone.
  bool several_times(ValueId v, const Op &user, std::size_t operand) const {
    switch (user.kind) {
    case OpKind::mma: return operand < 2;
    case OpKind::take: return operand == 0;
    case OpKind::reshape: return true;
    case OpKind::insert: return false;
    case OpKind::broadcast: return cost_[v] > 2;
    default: break;
    }
    if (!user.regions.empty()) return operand < user.control_operand_count();
    if (is_elementwise(user.kind))
      for (const Factor &f : p.values[user.results[0]].type.space.factors)
        if (p.values[v].type.space.find(f.dim) < 0 && cost_[v] > 2) return true;
    return false;
  }

  // The slot of a loop's carry, where the value is what one iteration gives the next and may be computed in it.
  SlotId slot_of_yield(ValueId v, RegionId region) const {
    const Region &r = p.regions[region];
    if (!r.op.valid()) return {};
    const Op &loop = p.ops[r.op];
    const bool carries_arguments = loop.kind == OpKind::serial || loop.kind == OpKind::pipeline || loop.kind == OpKind::reduce_region;
    if (!carries_arguments || loop.carries.empty()) return {};
    std::optional<std::size_t> carry;
    for (std::size_t i = 0; i < r.yields.size(); ++i)
      if (same(r.yields[i]) == v) {
        if (carry) return {};
        carry = i;
      }
    if (!carry) return {};
    const SlotId slot = s.slot[loop.results[*carry]];
    if (!slot.valid() || !same_space(s.slots[slot].type.space, p.values[v].type.space)) return {};
    const ValueId arg = r.args[r.args.size() - loop.carries.size() + *carry];
    if (used_after(arg, index_[p.values[v].op], region, r.op)) return {};
    return reads_elsewhere(v, arg) ? SlotId{} : slot;
  }
  static bool same_space(const Space &a, const Space &b) { return a == b; }

  // The carried definition, or another name of it, is used behind position `at` of the block or by another yield.
  bool used_after(ValueId arg, std::size_t at, RegionId region, OpId loop) const {
    for (const Use &u : s.uses[arg]) {
      if (u.yield && u.op == loop) return true;
      OpId in_block = u.op;
      while (block_[in_block] != region) {
        in_block = p.regions[block_[in_block]].op;
        if (!in_block.valid()) return true;
      }
      if (index_[in_block] > at) return true;
    }
    return false;
  }
  // Computing v element by element would read other elements of `arg` than the one it writes.
  bool reads_elsewhere(ValueId v, ValueId arg) const {
    const Op &op = p.ops[p.values[v].op];
    if (op.kind == OpKind::mma) return shifted(op.operands[2], arg, true);
    if (op.kind == OpKind::insert) return shifted(op.operands[0], arg, true) || shifted(op.operands[1], arg, false);
    if (op.kind == OpKind::reduce || op.kind == OpKind::scan) return shifted(op.operands[0], arg, false);
    return shifted(v, arg, true);
  }
  ObjectId written_object(const Op &op) const {
    if (op.kind == OpKind::store || op.kind == OpKind::atomic) return p.views[std::get<AccessAttr>(op.attr).view].object;
    if (op.kind == OpKind::scatter) return p.views[std::get<IndexedAttr>(op.attr).view].object;
    return {};
  }
  bool may_overlap(ObjectId a, ObjectId b) const {
    return a == b || (!disjoint && p.objects[a].kind == ObjectKind::argument && p.objects[b].kind == ObjectKind::argument);
  }
  // rule: VAL-SNAP -- computing v element by element where the store is would read what the store has written: it
  // loads from the object, other than (`here`) just the element that is written.
  bool reads_object(ValueId v, ObjectId object, const Op *store, bool here) const {
    v = same(v);
    const Op *op = definition(v);
    if (!op || s.slot[v].valid() || is_whole(op->kind)) return false;
    if (op->kind == OpKind::load) {
      const auto &from = std::get<AccessAttr>(op->attr);
      if (!may_overlap(p.views[from.view].object, object)) return false;
      if (!here || store->kind != OpKind::store || p.views[from.view].object != object) return true;
      const auto &to = std::get<AccessAttr>(store->attr);
      bool equal = from.view == to.view && from.axes == to.axes && same_space(from.window, to.window);
      for (std::size_t i = 0; equal && i < from.axes.size(); ++i) equal = same(op->operands[i]) == same(store->operands[i + 1]);
      return !equal;
    }
    if (op->kind == OpKind::gather && may_overlap(p.views[std::get<IndexedAttr>(op->attr).view].object, object)) return true;
    const bool stays = here && (is_elementwise(op->kind) || op->kind == OpKind::restrict);
    for (ValueId operand : op->operands)
      if (reads_object(operand, object, store, stays && same_space(p.values[operand].type.space, p.values[v].type.space))) return true;
    for (ValueId predicate : p.values[v].type.active)
      if (reads_object(predicate, object, store, false)) return true;
    return false;
  }

  // Likewise of any definition that lies in the slot.
  bool reads_slot(ValueId v, SlotId slot, bool here) const {
    v = same(v);
    if (s.slot[v].valid()) return s.slot[v] == slot && !here;
    const Op *op = definition(v);
    if (!op || is_whole(op->kind) || op->kind == OpKind::load || op->kind == OpKind::gather) return false;
    const bool stays = here && (is_elementwise(op->kind) || op->kind == OpKind::restrict);
    for (ValueId operand : op->operands)
      if (reads_slot(operand, slot, stays && same_space(p.values[operand].type.space, p.values[v].type.space))) return true;
    for (ValueId predicate : p.values[v].type.active)
      if (reads_slot(predicate, slot, false)) return true;
    return false;
  }
  bool shifted(ValueId v, ValueId arg, bool here) const {
    v = same(v);
    if (v == arg) return !here;
    const Op *op = definition(v);
    if (!op || is_whole(op->kind)) return false;
    if (op->kind == OpKind::load || op->kind == OpKind::gather) return false;
    const bool stays = here && (is_elementwise(op->kind) || op->kind == OpKind::restrict);
    for (ValueId operand : op->operands)
      if (shifted(operand, arg, stays && same_space(p.values[operand].type.space, p.values[v].type.space))) return true;
    for (ValueId predicate : p.values[v].type.active)
      if (shifted(predicate, arg, false)) return true;
    return false;
  }

  // --- levels ---
  // A slot is one per instance of the levels whose loops end between the places that use it.
  void find_levels() {
    IdVector<SlotId, std::vector<bool>> closed;
    closed.resize(s.slots.size());
    for (SlotId i{0}; i < s.slots.end_id(); i = SlotId(i.index + 1)) closed[i].assign(static_cast<std::size_t>(s.slots[i].depth), false);
    auto meet = [&](SlotId slot, const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b) {
      for (std::size_t d = 0; d < closed[slot].size(); ++d)
        if (d >= a.size() || d >= b.size() || a[d] != b[d]) closed[slot][d] = true;
    };
    for (std::size_t i = 0; i < p.values.size(); ++i) {
      const ValueId v(i);
      const SlotId slot = s.slot[v];
      if (!slot.valid()) continue;
      const std::vector<std::uint32_t> &made = steps.loops[s.slots[slot].source];
      if (p.values[v].op.valid()) meet(slot, made, steps.loops[p.values[v].op]);
      meet_uses(v, [&](OpId user) { meet(slot, made, steps.loops[user]); });
    }
    for (SlotId i{0}; i < s.slots.end_id(); i = SlotId(i.index + 1)) {
      const std::vector<LevelId> &path = steps.path[s.slots[i].source];
      for (std::size_t d = 0; d < closed[i].size(); ++d)
        if (closed[i][d]) s.slots[i].levels.push_back(path[d]);
    }
  }
  template <class F> void meet_uses(ValueId v, F &&f) const {
    for (const Use &u : s.uses[v]) {
      const Op &user = p.ops[u.op];
      f(u.op);
      const bool renames = !u.yield && user.results.size() == 1 && !s.slot[user.results[0]].valid() && user.regions.empty();
      if (renames) meet_uses(user.results[0], f); // evaluated where its user is
    }
  }
};

} // namespace

ValueId renamed(const TileProgram &p, const Storage &s, ValueId v) {
  for (;;) {
    const OpId def = p.values[v].op;
    if (!def.valid()) return v;
    const Op &op = p.ops[def];
    if ((op.kind != OpKind::assign || s.joins[def]) && op.kind != OpKind::per) return v;
    v = op.operands[0];
  }
}

bool Storage::in_place(const TileProgram &p, const Op &op, std::size_t region, std::size_t carry) const {
  const ValueId y = renamed(p, *this, p.regions[op.regions[region]].yields[carry]);
  return slot[y].valid() && slot[y] == slot[op.results[carry]];
}

Storage plan_storage(const TileProgram &program, const StepTree &steps, bool disjoint) {
  Storage s;
  Planner(program, steps, s, disjoint).run();
  return s;
}

} // namespace tilenest::lowering
