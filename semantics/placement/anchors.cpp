// SPDX-License-Identifier: Apache-2.0
// The least solution of ANC-LEAST by sweeps in program order until nothing changes: levels form a chain at
// every point and every equation only raises, so the sweeps end. Pinned anchors and `per` are checked at the
// end. Roles are in roles.cpp, the notes of ANC-SHARE in lifted.cpp.
#include "semantics/diag/codes.h"
#include "semantics/placement/placement_detail.h"

namespace tilenest {

std::string level_text(const TileProgram &p, LevelId level) {
  return level == TileProgram::root() ? "the root" : "`" + p.levels[level].name + "`";
}

namespace placement_detail {

namespace {

class Anchors {
public:
  explicit Anchors(TileProgram &program) : p_(program) {
    control_.resize(p_.regions.size(), TileProgram::root());
    pins_.resize(p_.ops.size());
    inferred_.resize(p_.ops.size(), TileProgram::root());
    for_each_op(p_, p_.body, [&](const Op &, OpId id) { // what a pass cut out of the tree stays as it is
      Op &op = p_.ops[id];
      if (op.pinned) pins_[id] = op.anchor;
      op.frontier = p_.regions[op.parent].level;
      op.anchor = TileProgram::root();
    });
    for (Value &v : p_.values) v.anchor = TileProgram::root();
    for (Variable &v : p_.variables)
      v.owner = rule_broken(Rule::val_own) ? v.declared : TileProgram::root();
    for (Object &o : p_.objects)
      if (o.kind == ObjectKind::argument) o.owner = TileProgram::root();
  }

  void solve() {
    do {
      changed_ = false;
      sweep(p_.body);
    } while (changed_);
  }

  Diagnostics check() const {
    Diagnostics out;
    for_each_op(p_, p_.body, [&](const Op &op, OpId id) {
      check_pin(op, id, out);
      if (op.kind == OpKind::per) check_per(op, out);
    });
    return out;
  }

private:
  LevelId join(LevelId a, LevelId b) const { return deeper(p_, a, b); }
  LevelId anchor(ValueId v) const { return p_.values[v].anchor; }
  // The part of an anchor that is visible at `level`.
  LevelId truncated(LevelId a, LevelId level) const {
    return p_.levels[a].depth > p_.levels[level].depth ? level : a;
  }
  void raise(LevelId &slot, LevelId to) {
    if (p_.levels[to].depth <= p_.levels[slot].depth) return;
    slot = to;
    changed_ = true;
  }
  void raise(ValueId v, LevelId to) { raise(p_.values[v].anchor, to); }

  void sweep(RegionId region) {
    for (OpId id : p_.regions[region].ops) visit(id);
  }
  void enter(RegionId region, LevelId control) {
    raise(control_[region], control);
    sweep(region);
  }

  // rule: EXT-NOW -- a coordinate belongs to the nest that it was asked of, never to a deeper active one.
  LevelId named(const Op &op, ValueId v) const {
    if (rule_broken(Rule::ext_now)) {
      const Value &value = p_.values[v];
      if (value.region.valid()) {
        const OpId holder = p_.regions[value.region].op;
        if (holder.valid() && p_.ops[holder].kind == OpKind::parallel) return op.frontier;
      }
    }
    return anchor(v);
  }

  // rule: ANC-LEAST -- the join of an operation's current operands, what it stands under and what it touches.
  LevelId equation(const Op &op) {
    if (rule_broken(Rule::anc_least)) return op.frontier;
    LevelId a = control_[op.parent];
    if (op.kind == OpKind::per) return join(a, per_level(op));
    for (std::size_t i = 0; i < op.control_operand_count(); ++i) a = join(a, named(op, op.operands[i]));
    if (never_lifted(op)) return op.frontier;
    switch (op.kind) {
    case OpKind::load:
    case OpKind::store:
    case OpKind::atomic: return join(a, owner(std::get<AccessAttr>(op.attr).view));
    case OpKind::gather:
    case OpKind::scatter: return join(a, owner(std::get<IndexedAttr>(op.attr).view));
    case OpKind::assign: return join(a, p_.variables[std::get<AssignAttr>(op.attr).var].owner);
    case OpKind::while_: return join(a, anchor(p_.regions[op.regions[0]].yields[0]));
    default: return a;
    }
  }

  LevelId owner(ViewId view) const { return p_.objects[p_.views[view].object].owner; }

  // rule: ANC-PER
  LevelId per_level(const Op &op) const {
    const LevelId nest = std::get<PerAttr>(op.attr).level;
    if (!encloses(p_, nest, op.frontier) || rule_broken(Rule::anc_per)) return anchor(op.operands[0]);
    return nest;
  }

  void visit(OpId id) {
    Op &op = p_.ops[id];
    if (op.kind == OpKind::memory) own_memory(op);
    inferred_[id] = equation(op);
    LevelId a = inferred_[id];
    if (pins_[id].valid() && encloses(p_, pins_[id], op.frontier)) a = join(a, pins_[id]);
    raise(op.anchor, a);
    switch (op.kind) {
    case OpKind::parallel: visit_parallel(op); break;
    case OpKind::serial:
    case OpKind::pipeline:
    case OpKind::reduce_region:
    case OpKind::while_: visit_loop(op); break;
    case OpKind::if_:
    case OpKind::switch_: visit_arms(op); break;
    case OpKind::stage: enter(op.regions[0], op.anchor); break;
    case OpKind::assign: own_variable(op); [[fallthrough]];
    default:
      for (ValueId r : op.results) raise(r, op.anchor);
    }
  }

  // rule: MEM-OWN -- one allocation per instance of the nearest enclosing parallel.
  void own_memory(const Op &op) {
    p_.objects[std::get<MemoryAttr>(op.attr).object].owner =
        rule_broken(Rule::mem_own) ? TileProgram::root() : op.frontier;
  }

  // rule: VAL-OWN -- the least prefix that all definitions allow; a deeper one counts up to the declaration.
  void own_variable(const Op &op) {
    Variable &var = p_.variables[std::get<AssignAttr>(op.attr).var];
    raise(var.owner, truncated(op.anchor, var.declared));
  }

  // Its predicate is evaluated outside, so its own coordinates do not count for it. An instance starts from
  // the shared definition; what the instances give back is one definition of the context outside (UPD-JOIN).
  void visit_parallel(const Op &op) {
    const Region &body = p_.regions[op.regions[0]];
    const std::size_t coords = body.args.size() - op.carries.size();
    const std::size_t first = op.control_operand_count();
    for (std::size_t i = 0; i < coords; ++i) raise(body.args[i], body.level);
    for (std::size_t i = 0; i < op.carries.size(); ++i)
      raise(body.args[coords + i], join(op.anchor, anchor(op.operands[first + i])));
    enter(op.regions[0], op.anchor);
    for (std::size_t i = 0; i < op.carries.size(); ++i) {
      const LevelId back = truncated(anchor(body.yields[i]), op.frontier);
      raise(op.results[i], join(join(op.anchor, back), anchor(op.operands[first + i])));
    }
  }

  // serial, pipeline, reduce, while: an argument is the incoming definition or the one of the iteration before.
  // Temporal and reduction coordinates name no level: theirs is where the loop itself stands.
  void visit_loop(const Op &op) {
    const bool is_while = op.kind == OpKind::while_;
    const Region &head = p_.regions[op.regions[0]];
    const Region &last = p_.regions[op.yielding_regions()[0]];
    const std::size_t coords = head.args.size() - op.carries.size();
    const std::size_t first = op.control_operand_count();
    for (std::size_t i = 0; i < coords; ++i) raise(head.args[i], op.anchor);
    const LevelId contracts = join_contracts(op);
    for (std::size_t i = 0; i < op.carries.size(); ++i) {
      const LevelId a = join(anchor(op.operands[first + i]), anchor(last.yields[i]));
      raise(head.args[coords + i], join(join(op.anchor, a), contracts));
    }
    for (RegionId region : op.regions) enter(region, op.anchor);
    for (std::size_t i = 0; i < op.carries.size(); ++i) {
      LevelId a = join(anchor(head.args[coords + i]), anchor(last.yields[i]));
      // A condition region may yield the definitions that it leaves behind its condition.
      if (is_while && head.yields.size() > 1 + i) a = join(a, anchor(head.yields[1 + i]));
      raise(op.results[i], join(op.anchor, a));
    }
  }

  // The states that a contract merges are definitions of one context; returns theirs.
  LevelId join_contracts(const Op &op) {
    LevelId all = op.anchor;
    if (op.kind != OpKind::reduce_region || op.regions.size() == 1) return all;
    for (std::size_t i = 0; i < op.carries.size(); ++i)
      all = join(all, join(anchor(op.operands[op.control_operand_count() + i]), anchor(p_.regions[op.regions[0]].yields[i])));
    for (std::size_t r = 1; r < op.regions.size(); ++r)
      for (ValueId v : p_.regions[op.regions[r]].yields) all = join(all, anchor(v));
    for (std::size_t r = 1; r < op.regions.size(); ++r)
      for (ValueId v : p_.regions[op.regions[r]].args) raise(v, all);
    return all;
  }

  void visit_arms(const Op &op) {
    for (RegionId region : op.regions) enter(region, op.anchor);
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      LevelId a = op.anchor;
      for (RegionId region : op.regions) a = join(a, anchor(p_.regions[region].yields[i]));
      raise(op.results[i], a);
    }
  }

  void check_pin(const Op &op, OpId id, Diagnostics &out) const {
    const LevelId pin = pins_[id];
    if (!pin.valid()) return;
    const Site &site = p_.site(op.site);
    if (!encloses(p_, pin, op.frontier))
      out.emplace_back(Code::T0804, site, Args{{"nest", level_text(p_, pin)}});
    else if (p_.levels[pin].depth < p_.levels[inferred_[id]].depth)
      out.emplace_back(Code::T0803, site,
                       Args{{"pinned", level_text(p_, pin)}, {"inferred", level_text(p_, inferred_[id])}});
  }

  // rule: ANC-PER
  void check_per(const Op &op, Diagnostics &out) const {
    const LevelId nest = std::get<PerAttr>(op.attr).level;
    const LevelId own = anchor(op.operands[0]);
    std::string why;
    if (!encloses(p_, nest, op.frontier))
      why = level_text(p_, nest) + " does not enclose this point";
    else if (p_.levels[nest].depth < p_.levels[own].depth)
      why = "the value's own anchor is " + level_text(p_, own) + ", which lies below";
    else
      return;
    out.emplace_back(Code::T0603, p_.site(op.site), Args{{"nest", p_.levels[nest].name}, {"why", why}});
  }

  using Args = std::vector<std::pair<std::string, std::string>>;
  TileProgram &p_;
  IdVector<RegionId, LevelId> control_; // the join of what everything in the region stands under
  IdVector<OpId, LevelId> pins_;        // as the program wrote them
  IdVector<OpId, LevelId> inferred_;    // without the operation's own pin
  bool changed_ = false;
};

} // namespace

// rule: ANC-ATOM -- what is defined once is lifted; an atomic and a sync happen per active instance.
bool never_lifted(const Op &op) {
  if (op.kind == OpKind::sync || op.kind == OpKind::memory) return true;
  if (rule_broken(Rule::anc_atom)) return false;
  if (op.kind == OpKind::atomic) return true;
  return op.kind == OpKind::scatter && std::get<IndexedAttr>(op.attr).reducer.has_value();
}

} // namespace placement_detail

Diagnostics place(TileProgram &p) {
  placement_detail::Anchors anchors(p);
  anchors.solve();
  Diagnostics out = anchors.check();
  placement_detail::assign_roles(p);
  placement_detail::note_lifted(p, out);
  return out;
}

LevelId subtree_anchor(const TileProgram &p, OpId id) {
  LevelId a = p.ops[id].anchor;
  for (RegionId region : p.ops[id].regions)
    for_each_op(p, region, [&](const Op &op, OpId) { a = deeper(p, a, op.anchor); });
  return a;
}

} // namespace tilenest
