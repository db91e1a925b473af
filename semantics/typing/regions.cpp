// SPDX-License-Identifier: Apache-2.0
// What each kind of region asks of its place and domain: coordinates, predicates, maps and orders, stages and
// what may stand before them, syncs, layouts of memories.
#include "semantics/diag/codes.h"
#include "semantics/typing/typing_detail.h"
#include <algorithm>

namespace tilenest::typing_detail {

namespace {

class Regions {
public:
  explicit Regions(Report &report) : report_(report), p_(report.p) {}

  void walk(RegionId region, bool in_reduce) {
    bool staged = false;
    for (OpId id : p_.regions[region].ops) {
      const Op &op = p_.ops[id];
      switch (op.kind) {
      case OpKind::parallel: check_parallel(op); break;
      case OpKind::serial:
      case OpKind::pipeline:
      case OpKind::reduce_region: check_loop(op); break;
      case OpKind::stage: check_stage(op); break;
      case OpKind::sync: check_sync(op, in_reduce); break;
      case OpKind::memory: check_memory(op); break;
      default: break;
      }
      staged |= op.kind == OpKind::stage;
      for (RegionId inner : op.regions) walk(inner, in_reduce || op.kind == OpKind::reduce_region);
    }
    if (staged) check_cut(region);
  }

private:
  void check_coordinates(const Op &op, std::size_t rank) {
    const Region &r = p_.regions[op.regions[0]];
    for (std::size_t i = 0; i < rank; ++i) {
      const TileType &t = p_.values[r.args[i]].type;
      if (t.elem != ScalarType::i64 || t.space.rank() != 0 || !t.active.empty())
        report_.malformed(op.site, "a coordinate is no i64 scalar");
    }
  }

  // rule: SPC-UNIQ
  void check_domain(const Op &op, const Space &domain, const std::string &name) {
    if (const DimId twice = repeated_dim(domain); twice.valid())
      report_(Code::T0203, op.site, {{"dim", p_.dim_text(twice)}});
    for (const Factor &f : domain.factors) {
      const std::string what = "`" + name + "`";
      if (f.extent.overflowed())
        report_(Code::T0204, op.site, {{"extent", "expression"}, {"what", what}, {"why", "a coefficient leaves 64 bits"}});
      else if (f.extent.is_constant() && *f.extent.constant() < 0)
        report_(Code::T0204, op.site, {{"extent", p_.extent_text(f.extent)}, {"what", what}, {"why", "it is negative"}});
    }
    check_coordinates(op, domain.rank());
    if (op.control_operand_count() == 0) return;
    const TileType &t = p_.values[op.operands[0]].type;
    if (t.elem != ScalarType::boolean) {
      report_(Code::T0105, op.site, {{"what", "a predicate"}, {"type", p_.type_text(t)}});
      return;
    }
    if (!t.active.empty()) report_(Code::T0211, op.site, {{"op", info(op.kind).name}});
    for (const Factor &f : t.space.factors) {
      const int at = domain.find(f.dim);
      if (at < 0)
        report_(Code::T0212, op.site, {{"dim", p_.dim_text(f.dim)}, {"space", p_.space_text(domain)}});
      else if (judge_equal(domain.factors[at].extent, f.extent) == Judged::no)
        report_(Code::T0215, op.site, {{"dim", p_.dim_text(f.dim)},
                                       {"left", p_.extent_text(domain.factors[at].extent)},
                                       {"right", p_.extent_text(f.extent)}});
    }
  }

  // The rank of a level's coordinate path: through its map, or the parent's path with its own appended.
  std::size_t path_rank(LevelId id) const {
    if (id == TileProgram::root()) return 0;
    const Level &l = p_.levels[id];
    if (l.map.valid()) return static_cast<std::size_t>(p_.layouts[l.map].outputs());
    return path_rank(l.parent) + l.domain.rank();
  }

  // rule: CTX-MAP -- a parallel's map takes the parent's path and the local coordinate.
  void check_parallel(const Op &op) {
    const Level &l = p_.levels[std::get<ParallelAttr>(op.attr).level];
    if (l.domain.rank() == 0) {
      if (l.inferred)
        report_(Code::T0605, op.site, {{"nest", l.name}, {"why", "its whole `index()` addresses no object"}},
                "give a domain");
      else
        report_(Code::T0210, op.site, {});
      return;
    }
    check_domain(op, l.domain, l.name);
    if (!l.map.valid()) return;
    const std::size_t inputs = path_rank(l.parent) + l.domain.rank();
    const Map &map = p_.layouts[l.map];
    if (map.inputs() != static_cast<int>(inputs))
      report_(Code::T0606, op.site, {{"nest", l.name}, {"expected", std::to_string(map.inputs())},
                                     {"found", std::to_string(inputs)}});
  }

  // rule: RED-LAW -- a contract's identity and merge are pure and have the types of its states.
  void check_contracts(const Op &op) {
    const auto &contracts = p_.algebras[std::get<LoopAttr>(op.attr).algebra].contracts;
    for (std::size_t i = 0; i < contracts.size(); ++i) {
      const std::vector<VarId> &states = contracts[i].states;
      const Region &identity = p_.regions[op.regions[1 + 2 * i]], &merge = p_.regions[op.regions[2 + 2 * i]];
      for (std::size_t k = 0; k < states.size(); ++k) {
        const Variable &var = p_.variables[states[k]];
        if (std::find(op.carries.begin(), op.carries.end(), states[k]) == op.carries.end())
          report_(Code::T0307, op.site, {{"why", "`" + var.name + "` is no state of the reduce"}});
        for (ValueId v : {identity.yields[k], merge.yields[k], merge.args[k], merge.args[states.size() + k]}) {
          const TileType &t = p_.values[v].type;
          if (t.elem != var.type.elem || t.space != var.type.space)
            report_(Code::T0307, op.site, {{"why", "it gives " + p_.type_text(t) + " for `" + var.name + "`, which is " +
                                                       p_.type_text(var.type)}});
        }
      }
      for (RegionId region : {op.regions[1 + 2 * i], op.regions[2 + 2 * i]})
        for_each_op(p_, region, [&](const Op &inner, OpId) {
          const Form form = info(inner.kind).form;
          const bool impure = form == Form::memory || inner.kind == OpKind::parallel || inner.kind == OpKind::sync ||
                              inner.kind == OpKind::stage || inner.kind == OpKind::assert_;
          if (impure)
            report_(Code::T0307, inner.site,
                    {{"why", "its identity and merge are pure, and this is " + std::string("`") + info(inner.kind).name + "`"}});
        });
    }
  }

  void check_loop(const Op &op) {
    if (op.kind == OpKind::reduce_region) check_contracts(op);
    const auto &attr = std::get<LoopAttr>(op.attr);
    if (attr.domain.rank() == 0) return report_(Code::T0210, op.site, {});
    check_domain(op, attr.domain, attr.name);
    if (!attr.order.valid()) return;
    const Map &map = p_.layouts[attr.order];
    const int rank = static_cast<int>(attr.domain.rank());
    if (map.inputs() != rank || map.outputs() != rank)
      report_(Code::T0606, op.site, {{"nest", attr.name}, {"expected", std::to_string(map.inputs())},
                                     {"found", std::to_string(rank)}});
  }

  // rule: PIPE-CUT -- a stage stands unconditionally at the top level of a pipeline's body.
  void check_stage(const Op &op) {
    const OpId holder = p_.regions[op.parent].op;
    if (rule_broken(Rule::pipe_cut)) return;
    if (!holder.valid() || p_.ops[holder].kind != OpKind::pipeline)
      report_(Code::T0601, op.site, {}, "move it to the top level of the pipeline's body");
  }

  // rule: PIPE-CUT -- once a stage stands, every effect or tile operation of the body follows the first.
  void check_cut(RegionId region) {
    if (rule_broken(Rule::pipe_cut)) return;
    bool staged = false;
    for (OpId id : p_.regions[region].ops) {
      const Op &op = p_.ops[id];
      if (op.kind == OpKind::stage)
        staged = true;
      else if (staged)
        report_.malformed(op.site, "an operation stands between the stages of a pipeline");
      else
        refuse_before_stage(op);
    }
  }

  void refuse_before_stage(const Op &op) {
    bool scalar = true;
    for (ValueId v : op.operands) scalar &= p_.values[v].type.space.rank() == 0;
    for (ValueId v : op.results) scalar &= p_.values[v].type.space.rank() == 0;
    const bool effect = info(op.kind).form == Form::memory || op.kind == OpKind::sync || op.kind == OpKind::assert_;
    if (effect || !scalar) {
      report_(Code::T0609, op.site, {{"op", info(op.kind).name}}, "move it behind the first `stage`");
      return;
    }
    for (RegionId r : op.regions)
      for (OpId inner : p_.regions[r].ops) refuse_before_stage(p_.ops[inner]);
  }

  // rule: SYNC -- where its nest is the innermost enclosing parallel, and in no reduce.
  void check_sync(const Op &op, bool in_reduce) {
    if (rule_broken(Rule::sync)) return;
    const LevelId nest = std::get<ParallelAttr>(op.attr).level;
    const char *why = nullptr;
    if (nest == TileProgram::root() || p_.regions[op.parent].level != nest)
      why = "it is not the innermost enclosing parallel";
    else if (in_reduce)
      why = "a `reduce` encloses it";
    if (why) report_(Code::T0602, op.site, {{"nest", p_.levels[nest].name}, {"why", why}});
  }

  // rule: MEM-OWN
  void check_memory(const Op &op) {
    const Object &o = p_.objects[std::get<MemoryAttr>(op.attr).object];
    if (!o.layout.valid()) return;
    const Map &map = p_.layouts[o.layout];
    if (map.inputs() != static_cast<int>(o.shape.size()) || map.outputs() != 1)
      report_(Code::T0404, op.site, {{"memory", o.name}, {"found", std::to_string(map.inputs())},
                                     {"expected", std::to_string(o.shape.size())}});
  }

  Report &report_;
  const TileProgram &p_;
};

} // namespace

void check_regions(Report &report) { Regions(report).walk(report.p.body, false); }

} // namespace tilenest::typing_detail
