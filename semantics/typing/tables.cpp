// SPDX-License-Identifier: Apache-2.0
// The tables of a program: ids in range, attributes of the right kind, operand counts. Nothing here follows an
// id that it has not checked.
#include "semantics/typing/typing_detail.h"

namespace tilenest::typing_detail {

namespace {

template <class IdType, class Table> bool in(IdType id, const Table &table) { return id.index < table.size(); }
// Optional ids: absent or in range.
template <class IdType, class Table> bool maybe_in(IdType id, const Table &table) {
  return !id.valid() || in(id, table);
}

bool known(const TileProgram &p, const Extent &e) {
  std::vector<ParamId> params;
  e.collect_params(params);
  for (ParamId id : params)
    if (!in(id, p.params)) return false;
  return true;
}
bool known(const TileProgram &p, const Space &s) {
  for (const Factor &f : s.factors)
    if (!in(f.dim, p.dims) || !known(p, f.extent)) return false;
  return true;
}
bool known(const TileProgram &p, const TileType &t) {
  for (ValueId v : t.active)
    if (!in(v, p.values)) return false;
  return known(p, t.space);
}

bool attribute_fits(const TileProgram &p, const Op &op) {
  const Attributes &a = op.attr;
  switch (op.kind) {
  case OpKind::cast:
  case OpKind::cast_sat:
  case OpKind::bitcast: return std::holds_alternative<CastAttr>(a);
  case OpKind::broadcast:
  case OpKind::reshape:
  case OpKind::transpose:
  case OpKind::relabel: return std::holds_alternative<SpaceAttr>(a) && known(p, std::get<SpaceAttr>(a).space);
  case OpKind::constant: return std::holds_alternative<LiteralAttr>(a);
  case OpKind::iota:
    return std::holds_alternative<IotaAttr>(a) && known(p, Space{{std::get<IotaAttr>(a).factor}});
  case OpKind::extent: return std::holds_alternative<ExtentAttr>(a) && known(p, std::get<ExtentAttr>(a).extent);
  case OpKind::map_coord: {
    const auto *m = std::get_if<MapAttr>(&a);
    return m && in(m->map, p.layouts) && m->output >= 0 && m->output < p.layouts[m->map].outputs();
  }
  case OpKind::reduce: {
    const auto *r = std::get_if<ReduceAttr>(&a);
    if (!r) return false;
    for (DimId d : r->dims)
      if (!in(d, p.dims)) return false;
    return true;
  }
  case OpKind::scan: {
    const auto *r = std::get_if<ReduceAttr>(&a);
    return r && r->dims.size() == 1 && in(r->dims[0], p.dims) && !r->wide_accumulation &&
           (r->policy == ReductionPolicy::ordered_tree || r->policy == ReductionPolicy::fold_left);
  }
  case OpKind::mma: return std::holds_alternative<MmaAttr>(a);
  case OpKind::load:
  case OpKind::store:
  case OpKind::atomic: {
    const auto *w = std::get_if<AccessAttr>(&a);
    if (!w || !in(w->view, p.views) || !known(p, w->window)) return false;
    std::vector<bool> used(w->window.rank());
    for (int axis : w->axes) {
      if (axis < 0) continue;
      if (axis >= static_cast<int>(used.size()) || used[axis]) return false;
      used[axis] = true;
    }
    for (bool u : used)
      if (!u) return false; // a factor of the window that no axis moves along
    return true;
  }
  case OpKind::gather:
  case OpKind::scatter: {
    const auto *x = std::get_if<IndexedAttr>(&a);
    return x && in(x->view, p.views);
  }
  case OpKind::memory: {
    const auto *m = std::get_if<MemoryAttr>(&a);
    return m && in(m->object, p.objects) && p.objects[m->object].kind == ObjectKind::memory;
  }
  case OpKind::assign: {
    const auto *v = std::get_if<AssignAttr>(&a);
    return v && in(v->var, p.variables);
  }
  case OpKind::parallel:
  case OpKind::sync: {
    const auto *l = std::get_if<ParallelAttr>(&a);
    return l && in(l->level, p.levels);
  }
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: {
    const auto *l = std::get_if<LoopAttr>(&a);
    return l && known(p, l->domain) && maybe_in(l->order, p.layouts) &&
           (op.kind != OpKind::pipeline || in(l->pipeline, p.policies)) &&
           (op.kind != OpKind::reduce_region || in(l->algebra, p.algebras));
  }
  case OpKind::stage: return std::holds_alternative<StageAttr>(a);
  case OpKind::switch_: return std::holds_alternative<SwitchAttr>(a);
  case OpKind::per: {
    const auto *l = std::get_if<PerAttr>(&a);
    return l && in(l->level, p.levels);
  }
  case OpKind::assert_: return std::holds_alternative<AssertAttr>(a);
  default: return std::holds_alternative<std::monostate>(a);
  }
}

struct Count {
  std::size_t least, most;
};
constexpr std::size_t any = ~std::size_t{0};

Count operand_count(const TileProgram &p, const Op &op) {
  const std::size_t n = op.carries.size();
  auto flags = [](const auto &attr) {
    return std::size_t{attr.has_predicate ? 1u : 0u} + (attr.has_fallback ? 1u : 0u);
  };
  switch (op.kind) {
  case OpKind::take: return {1, any};
  case OpKind::insert: return {2, any};
  case OpKind::restrict: return {2, 2};
  case OpKind::broadcast:
  case OpKind::reshape:
  case OpKind::transpose:
  case OpKind::relabel:
  case OpKind::reduce:
  case OpKind::scan:
  case OpKind::per:
  case OpKind::assert_:
  case OpKind::if_:
  case OpKind::switch_: return {1, 1};
  case OpKind::mma: return {3, 3};
  case OpKind::map_coord: {
    const std::size_t inputs = static_cast<std::size_t>(p.layouts[std::get<MapAttr>(op.attr).map].inputs());
    return {inputs, inputs};
  }
  case OpKind::load: {
    const auto &attr = std::get<AccessAttr>(op.attr);
    return {attr.axes.size() + flags(attr), any};
  }
  case OpKind::store:
  case OpKind::atomic: {
    const auto &attr = std::get<AccessAttr>(op.attr);
    return {1 + attr.axes.size() + flags(attr), 1 + attr.axes.size() + flags(attr)};
  }
  case OpKind::gather: return {flags(std::get<IndexedAttr>(op.attr)), any};
  case OpKind::scatter: return {1 + flags(std::get<IndexedAttr>(op.attr)), any};
  case OpKind::assign: return {1, std::get<AssignAttr>(op.attr).declares ? std::size_t{1} : std::size_t{2}};
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: return {n, n + 1};
  case OpKind::while_: return {n, n};
  default: {
    const std::size_t arity = static_cast<std::size_t>(info(op.kind).arity); // 0 for all but elementwise
    return {arity, arity};
  }
  }
}

std::size_t result_count(const Op &op) {
  switch (op.kind) {
  case OpKind::store:
  case OpKind::atomic:
  case OpKind::scatter:
  case OpKind::memory:
  case OpKind::sync:
  case OpKind::stage:
  case OpKind::assert_: return 0;
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region:
  case OpKind::if_:
  case OpKind::switch_:
  case OpKind::while_: return op.carries.size();
  default: return 1;
  }
}

std::size_t region_count(const TileProgram &p, const Op &op) {
  switch (op.kind) {
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::stage: return 1;
  case OpKind::reduce_region: return 1 + 2 * p.algebras[std::get<LoopAttr>(op.attr).algebra].contracts.size();
  case OpKind::if_:
  case OpKind::while_: return 2;
  case OpKind::switch_: return std::get<SwitchAttr>(op.attr).cases.size() + 1;
  default: return 0;
  }
}

bool carries_variables(const Op &op) { return !op.regions.empty() && op.kind != OpKind::stage; }

} // namespace

bool shape_of_op(const TileProgram &p, const Op &op, std::string &why) {
  const std::string name = std::string("`") + info(op.kind).name + "`";
  auto ids_in = [](const auto &ids, const auto &table) {
    for (auto id : ids)
      if (!in(id, table)) return false;
    return true;
  };
  if (!ids_in(op.operands, p.values) || !ids_in(op.results, p.values) || !ids_in(op.regions, p.regions) ||
      !ids_in(op.carries, p.variables) || !in(op.parent, p.regions) || (op.pinned && !in(op.anchor, p.levels))) {
    why = name + " holds an id out of range";
    return false;
  }
  if (!attribute_fits(p, op)) {
    why = name + " has no fitting attribute";
    return false;
  }
  const Count count = operand_count(p, op);
  if (op.operands.size() < count.least || op.operands.size() > count.most)
    why = name + " has " + std::to_string(op.operands.size()) + (op.operands.size() == 1 ? " operand" : " operands");
  else if (op.results.size() != result_count(op))
    why = name + " has " + std::to_string(op.results.size()) + " results";
  else if (op.regions.size() != region_count(p, op))
    why = name + " has " + std::to_string(op.regions.size()) + " regions";
  else if (!op.carries.empty() && !carries_variables(op))
    why = name + " carries variables";
  else
    return true;
  return false;
}

void tables(Report &report) {
  const TileProgram &p = report.p;
  if (p.levels.empty() || !in(p.body, p.regions)) report.malformed({}, "it has no root level or no body");
  for (std::size_t i = 0; i < p.levels.size(); ++i) {
    const Level &l = p.levels[LevelId(i)];
    // Parents stand before their children, so that every walk up ends at the root.
    const bool root = i == 0;
    const bool placed = root ? l.depth == 0 && !l.op.valid()
                             : l.parent.index < i && l.depth == p.levels[l.parent].depth + 1 && in(l.op, p.ops);
    if (!placed || !known(p, l.domain) || !maybe_in(l.map, p.layouts))
      report.malformed({}, "level `" + l.name + "` does not hang on the nest");
  }
  for (const Value &v : p.values)
    if (!known(p, v.type) || !maybe_in(v.op, p.ops) || !maybe_in(v.region, p.regions) ||
        v.op.valid() == v.region.valid())
      report.malformed({}, "a value has no type or no definition");
  for (const Variable &v : p.variables)
    if (!known(p, v.type) || !in(v.declared, p.levels))
      report.malformed(v.site, "variable `" + v.name + "` has no type or no level");
  for (const Object &o : p.objects) {
    bool extents = true;
    for (const Extent &e : o.shape) extents &= known(p, e);
    if (!extents || !maybe_in(o.layout, p.layouts)) report.malformed(o.site, "object `" + o.name + "`");
  }
  for (const View &v : p.views)
    if (!in(v.object, p.objects) || !known(p, v.space)) report.malformed(v.site, "view `" + v.name + "`");
  for (ObjectId id : p.arguments)
    if (!in(id, p.objects)) report.malformed({}, "an argument is no object");
  for (const ReductionAlgebra &a : p.algebras)
    {
      for (const ReductionAlgebra::State &s : a.states)
        if (!in(s.var, p.variables)) report.malformed({}, "a state of a reduce is no variable");
      for (const ReductionAlgebra::Contract &c : a.contracts)
        for (VarId s : c.states)
          if (!in(s, p.variables)) report.malformed({}, "a state of a contract is no variable");
    }
}

} // namespace tilenest::typing_detail
