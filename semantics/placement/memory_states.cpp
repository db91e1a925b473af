// SPDX-License-Identifier: Apache-2.0
// MEM-STATE: the numbering that placement.h describes, in one walk in program order.
#include "semantics/placement/placement_detail.h"
#include <set>

namespace tilenest {

namespace {

class Numbering {
public:
  explicit Numbering(TileProgram &program) : p_(program) {
    last_.resize(p_.objects.size(), 0);
    current_.resize(p_.objects.size(), 0);
    writes_.resize(p_.ops.size());
    collect(p_.body);
  }
  void walk(RegionId region) {
    for (OpId id : p_.regions[region].ops) visit(id);
  }

private:
  using Objects = std::set<ObjectId>;

  // What is written under a region and visible outside; fills writes_ of the operations that hold regions.
  Objects collect(RegionId region) {
    Objects written, local;
    for (OpId id : p_.regions[region].ops) {
      const Op &op = p_.ops[id];
      for (RegionId inner : op.regions) {
        Objects w = collect(inner);
        writes_[id].insert(w.begin(), w.end());
      }
      written.insert(writes_[id].begin(), writes_[id].end());
      if (op.kind == OpKind::store || op.kind == OpKind::atomic || op.kind == OpKind::scatter)
        written.insert(object(op));
      if (op.kind == OpKind::memory && !transparent(region)) local.insert(std::get<MemoryAttr>(op.attr).object);
    }
    for (ObjectId o : local) written.erase(o);
    return written;
  }
  // What stands in a stage is visible in the stages after it.
  bool transparent(RegionId region) const {
    const OpId holder = p_.regions[region].op;
    return holder.valid() && p_.ops[holder].kind == OpKind::stage;
  }
  ObjectId object(const Op &op) const {
    if (const auto *a = std::get_if<AccessAttr>(&op.attr)) return p_.views[a->view].object;
    return p_.views[std::get<IndexedAttr>(op.attr).view].object;
  }
  std::uint32_t fresh(ObjectId o) { return current_[o] = ++last_[o]; }

  // rule: MEM-STATE -- each store makes a new state; a load uses the one that reaches it.
  void visit(OpId id) {
    Op &op = p_.ops[id];
    op.states.clear();
    switch (op.kind) {
    case OpKind::load:
    case OpKind::gather: {
      const ObjectId o = object(op);
      op.states.push_back({o, current_[o], current_[o]});
      break;
    }
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::scatter: make_new(op, object(op)); break;
    case OpKind::memory: make_new(op, std::get<MemoryAttr>(op.attr).object); break;
    case OpKind::sync: // other instances' stores become visible
      if (const OpId nest = p_.levels[p_.regions[op.parent].level].op; nest.valid())
        for (ObjectId o : writes_[nest]) make_new(op, o);
      break;
    case OpKind::if_:
    case OpKind::switch_: visit_arms(id); break;
    default:
      if (!op.regions.empty()) visit_region(id);
    }
  }

  void make_new(Op &op, ObjectId o) {
    const std::uint32_t before = current_[o];
    op.states.push_back({o, before, rule_broken(Rule::mem_state) ? before : fresh(o)});
  }

  void visit_arms(OpId id) {
    const auto before = current_;
    for (RegionId arm : p_.ops[id].regions) {
      current_ = before;
      walk(arm);
    }
    current_ = before;
    for (ObjectId o : writes_[id]) make_new(p_.ops[id], o);
  }

  void visit_region(OpId id) {
    Op &op = p_.ops[id];
    std::vector<ObjectState> states;
    for (ObjectId o : writes_[id]) states.push_back({o, current_[o], 0});
    const bool once = op.kind == OpKind::stage;
    if (!once)
      for (ObjectId o : writes_[id]) fresh(o);
    for (RegionId region : op.regions) walk(region);
    for (ObjectState &s : states) s.after = once ? current_[s.object] : fresh(s.object);
    op.states = std::move(states);
  }

  TileProgram &p_;
  IdVector<ObjectId, std::uint32_t> last_, current_;
  IdVector<OpId, Objects> writes_;
};

} // namespace

void number_states(TileProgram &p) { Numbering(p).walk(p.body); }

} // namespace tilenest
