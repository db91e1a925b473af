// SPDX-License-Identifier: Apache-2.0
// The region tree of a program: every operation stands once, regions know their holders and levels, arguments
// and yields match the carries, and a value is used only where its definition reaches.
#include "semantics/diag/codes.h"
#include "semantics/typing/typing_detail.h"

namespace tilenest {

namespace typing_detail {

namespace {

class Structure {
public:
  explicit Structure(Report &report) : report_(report), p_(report.p) {
    visible_.resize(p_.values.size(), false);
    seen_.resize(p_.ops.size(), false);
    entered_.resize(p_.regions.size(), false);
  }
  void run() { walk(p_.body, {}, TileProgram::root(), nullptr); }

private:
  void define(ValueId v, std::vector<ValueId> &scope) {
    visible_[v] = true;
    scope.push_back(v);
  }
  void close(const std::vector<ValueId> &scope) {
    for (ValueId v : scope) visible_[v] = false;
  }

  // `outer`: where the definitions of a transparent region go; null closes them at its end.
  void walk(RegionId id, OpId holder, LevelId level, std::vector<ValueId> *outer) {
    const Region &r = p_.regions[id];
    const SiteId site = holder.valid() ? p_.ops[holder].site : SiteId{};
    if (entered_[id]) return report_.malformed(site, "a region stands twice");
    entered_[id] = true;
    if (r.op != holder || r.level != level) return report_.malformed(site, "a region does not know its place");
    std::vector<ValueId> own;
    std::vector<ValueId> &scope = outer ? *outer : own;
    for (std::size_t i = 0; i < r.args.size(); ++i) {
      if (r.args[i].index >= p_.values.size() || p_.values[r.args[i]].region != id ||
          p_.values[r.args[i]].index != static_cast<int>(i))
        return report_.malformed(site, "a region's argument does not know its place");
      define(r.args[i], scope);
    }
    for (OpId op : r.ops) {
      if (op.index >= p_.ops.size()) return report_.malformed(site, "a region holds no operation");
      visit(op, id, scope);
    }
    for (ValueId v : r.yields) use(v, site);
    if (!outer) close(own);
  }

  // A value is used where its definition reaches: after it, in its region or deeper; what stands in a stage or
  // in the condition of a while reaches the stages after it and the body.
  void use(ValueId v, SiteId site) {
    if (v.index >= p_.values.size())
      report_.malformed(site, "a region yields no value");
    else if (!visible_[v])
      report_(Code::T0504, site, {}, "declare a variable outside the region and assign it inside");
  }

  void visit(OpId id, RegionId region, std::vector<ValueId> &scope) {
    const Op &op = p_.ops[id];
    if (seen_[id]) return report_.malformed(op.site, "an operation stands twice");
    seen_[id] = true;
    std::string why;
    if (!shape_of_op(p_, op, why)) return report_.malformed(op.site, why);
    if (op.parent != region) return report_.malformed(op.site, "an operation does not know its region");
    for (ValueId v : op.operands) use(v, op.site);
    for (std::size_t i = 0; i < op.results.size(); ++i)
      if (p_.values[op.results[i]].op != id || p_.values[op.results[i]].index != static_cast<int>(i))
        return report_.malformed(op.site, "a result does not know its operation");
    if (!op.regions.empty()) visit_regions(op, id, scope);
    for (ValueId v : op.results) {
      for (ValueId predicate : p_.values[v].type.active)
        if (!visible_[predicate]) report_.malformed(op.site, "a tile's predicate does not reach the tile");
      define(v, scope);
    }
  }

  // rule: CTX-STAGE -- a stage keeps its pipeline's prefix and passes its values on to the stages after it.
  void visit_regions(const Op &op, OpId id, std::vector<ValueId> &scope) {
    const LevelId level = p_.regions[op.parent].level;
    if (!counts_fit(op)) return report_.malformed(op.site, "arguments, yields and carries of a region disagree");
    switch (op.kind) {
    case OpKind::stage:
      walk(op.regions[0], id, level, rule_broken(Rule::ctx_stage) ? nullptr : &scope);
      break;
    case OpKind::while_: {
      std::vector<ValueId> condition;
      walk(op.regions[0], id, level, &condition);
      walk(op.regions[1], id, level, nullptr);
      close(condition);
      break;
    }
    case OpKind::parallel: {
      const LevelId own = std::get<ParallelAttr>(op.attr).level;
      if (p_.levels[own].op != id || p_.levels[own].parent != level)
        return report_.malformed(op.site, "a `parallel` does not hold its level");
      walk(op.regions[0], id, own, nullptr);
      break;
    }
    default:
      for (RegionId region : op.regions) walk(region, id, level, nullptr);
    }
  }

  bool counts_fit(const Op &op) const {
    const std::size_t n = op.carries.size();
    const auto &regions = p_.regions;
    const Region &first = regions[op.regions[0]];
    switch (op.kind) {
    case OpKind::stage: return first.args.empty() && first.yields.empty();
    case OpKind::if_:
    case OpKind::switch_:
      for (RegionId r : op.regions)
        if (!regions[r].args.empty() || regions[r].yields.size() != n) return false;
      return true;
    case OpKind::while_:
      return first.args.size() == n && first.yields.size() == 1 && regions[op.regions[1]].args.empty() &&
             regions[op.regions[1]].yields.size() == n;
    default: {
      const std::size_t rank = op.kind == OpKind::parallel
                                   ? p_.levels[std::get<ParallelAttr>(op.attr).level].domain.rank()
                                   : std::get<LoopAttr>(op.attr).domain.rank();
      if (op.kind == OpKind::reduce_region) {
        const ReductionAlgebra &a = p_.algebras[std::get<LoopAttr>(op.attr).algebra];
        if (a.states.size() != n) return false;
        for (std::size_t i = 0; i < n; ++i)
          if (a.states[i].var != op.carries[i]) return false;
        for (std::size_t i = 0; i < a.contracts.size(); ++i) {
          const Region &identity = regions[op.regions[1 + 2 * i]], &merge = regions[op.regions[2 + 2 * i]];
          const std::size_t states = a.contracts[i].states.size();
          if (states == 0 || !identity.args.empty() || identity.yields.size() != states ||
              merge.args.size() != 2 * states || merge.yields.size() != states)
            return false;
        }
      }
      return first.args.size() == rank + n && first.yields.size() == n;
    }
    }
  }

  Report &report_;
  const TileProgram &p_;
  IdVector<ValueId, char> visible_;
  IdVector<OpId, char> seen_;
  IdVector<RegionId, char> entered_;
};

} // namespace

} // namespace typing_detail

Diagnostics structure_ok(const TileProgram &p) {
  typing_detail::Report report{p, {}};
  typing_detail::tables(report);
  if (!report.out.empty()) return std::move(report.out);
  typing_detail::Structure(report).run();
  return std::move(report.out);
}

Diagnostics typing_ok(const TileProgram &p) {
  Diagnostics out = structure_ok(p);
  return out.empty() ? types_ok(p) : out;
}

} // namespace tilenest
