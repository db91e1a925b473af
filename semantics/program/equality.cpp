// SPDX-License-Identifier: Apache-2.0
// One walk over both programs at once, building the correspondence of ids as it goes.
#include "semantics/program/equality.h"
#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

namespace tilenest {

namespace {

template <class IdType> class Bijection {
public:
  bool pair(IdType a, IdType b) {
    if (!a.valid() || !b.valid()) return a.valid() == b.valid();
    const auto [left, new_left] = to_.try_emplace(a, b);
    const auto [right, new_right] = from_.try_emplace(b, a);
    return left->second == b && right->second == a;
  }
  // Pairs that already correspond.
  bool paired(IdType a, IdType b) const {
    if (!a.valid() || !b.valid()) return a.valid() == b.valid();
    const auto at = to_.find(a);
    return at != to_.end() && at->second == b;
  }
  IdType map(IdType a) const {
    const auto at = to_.find(a);
    return at == to_.end() ? IdType() : at->second;
  }

private:
  std::unordered_map<IdType, IdType> to_, from_;
};

class Comparison {
public:
  Comparison(const TileProgram &a, const TileProgram &b, std::string *difference) : a_(a), b_(b), out_(difference) {}

  bool run() {
    if (a_.arguments.size() != b_.arguments.size()) return differ("number of arguments");
    pair_params();
    for (std::size_t i = 0; i < a_.arguments.size(); ++i) {
      if (!object(a_.arguments[i], b_.arguments[i])) return differ("argument " + std::to_string(i));
    }
    if (!levels_.pair(TileProgram::root(), TileProgram::root())) return false;
    if (!region(a_.body, b_.body)) return false;
    return constraints();
  }

private:
  bool differ(const std::string &what) {
    if (out_ && out_->empty()) *out_ = what;
    return false;
  }
  bool differ_at(const Op &a, const Op &b, const std::string &what) {
    if (!out_ || !out_->empty()) return false;
    auto place = [](const TileProgram &p, const Op &op) {
      const Site &s = p.site(op.site);
      return std::string(info(op.kind).name) + " at line " + std::to_string(s.line);
    };
    return differ(what + ": " + place(a_, a) + " and " + place(b_, b));
  }

  // --- parameters and extents ---

  void pair_params() {
    auto by_name = [](const TileProgram &p, const std::string &name) {
      for (std::size_t i = 0; i < p.params.size(); ++i)
        if (p.params[ParamId(i)].name == name) return ParamId(i);
      return ParamId();
    };
    bool names = a_.params.size() == b_.params.size();
    for (const Param &q : a_.params) names &= by_name(b_, q.name).valid();
    // Where names differ: lone parameters of the arguments' axes, then the rest in order.
    auto lone = [](const Extent &e) {
      return e.constant_part() == 0 && e.terms().size() == 1 && e.terms()[0].coefficient == 1 ? e.terms()[0].atom.param : ParamId();
    };
    if (names) {
      for (std::size_t i = 0; i < a_.params.size(); ++i) params_.pair(ParamId(i), by_name(b_, a_.params[ParamId(i)].name));
      return;
    }
    for (std::size_t i = 0; i < a_.arguments.size(); ++i) {
      const auto &x = a_.objects[a_.arguments[i]].shape, &y = b_.objects[b_.arguments[i]].shape;
      for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k)
        if (const ParamId p = lone(x[k]), q = lone(y[k]); p.valid() && q.valid()) params_.pair(p, q);
    }
    std::vector<ParamId> rest_a, rest_b;
    for (std::size_t i = 0; i < a_.params.size(); ++i)
      if (!params_.map(ParamId(i)).valid()) rest_a.push_back(ParamId(i));
    std::set<ParamId> used;
    for (std::size_t i = 0; i < a_.params.size(); ++i)
      if (const ParamId q = params_.map(ParamId(i)); q.valid()) used.insert(q);
    for (std::size_t i = 0; i < b_.params.size(); ++i)
      if (!used.count(ParamId(i))) rest_b.push_back(ParamId(i));
    for (std::size_t i = 0; i < std::min(rest_a.size(), rest_b.size()); ++i) params_.pair(rest_a[i], rest_b[i]);
  }

  // The extent of `a_` in `b_`'s parameters.
  Extent renamed(const Extent &e) const {
    Extent out = e.constant_part();
    for (const Extent::Term &t : e.terms()) {
      const Extent atom = t.atom.numerator ? renamed(*t.atom.numerator).floor_div(t.atom.divisor)
                                           : Extent::parameter(params_.map(t.atom.param));
      out = out + atom.times(t.coefficient);
    }
    return out;
  }
  bool extent(const Extent &a, const Extent &b) const { return a.overflowed() == b.overflowed() && renamed(a) == b; }

  // --- dims, spaces, types, maps ---

  bool dim(DimId a, DimId b) {
    if (a.valid() && b.valid() && a_.dims[a].position != b_.dims[b].position) return false;
    return dims_.pair(a, b);
  }
  bool space(const Space &a, const Space &b) {
    if (a.rank() != b.rank()) return false;
    for (std::size_t i = 0; i < a.rank(); ++i)
      if (!dim(a.factors[i].dim, b.factors[i].dim) || !extent(a.factors[i].extent, b.factors[i].extent)) return false;
    return true;
  }
  bool type(const TileType &a, const TileType &b) {
    if (a.elem != b.elem || a.active.size() != b.active.size() || !space(a.space, b.space)) return false;
    std::vector<ValueId> mapped;
    for (ValueId v : a.active) mapped.push_back(values_.map(v));
    std::sort(mapped.begin(), mapped.end());
    std::vector<ValueId> other = b.active;
    std::sort(other.begin(), other.end());
    return mapped == other;
  }
  bool index(const IndexExpr &a, const IndexExpr &b) const {
    if (!a || !b) return !a && !b;
    if (a->kind != b->kind) return false;
    if (a->kind == IndexNode::Kind::input) return a->input == b->input;
    if (a->kind == IndexNode::Kind::extent) return extent(a->extent, b->extent);
    return index(a->left, b->left) && index(a->right, b->right);
  }
  bool layout(LayoutId a, LayoutId b) const {
    if (!a.valid() || !b.valid()) return a.valid() == b.valid();
    const Map &x = a_.layouts[a], &y = b_.layouts[b];
    if (x.kind() != y.kind() || x.inputs() != y.inputs() || x.outputs() != y.outputs()) return false;
    if (x.kind() == Map::Kind::strided) {
      if (x.strides().size() != y.strides().size() || !extent(x.offset(), y.offset())) return false;
      for (std::size_t i = 0; i < x.strides().size(); ++i)
        if (!extent(x.strides()[i], y.strides()[i])) return false;
      return true;
    }
    for (std::size_t i = 0; i < x.output_expressions().size(); ++i)
      if (!index(x.output_expressions()[i], y.output_expressions()[i])) return false;
    return true;
  }
  bool object(ObjectId a, ObjectId b) {
    if (objects_.paired(a, b)) return true;
    const Object &x = a_.objects[a], &y = b_.objects[b];
    if (!objects_.pair(a, b) || x.kind != y.kind || x.elem != y.elem || x.access != y.access ||
        x.shape.size() != y.shape.size() || x.resource != y.resource || !layout(x.layout, y.layout))
      return false;
    for (std::size_t i = 0; i < x.shape.size(); ++i)
      if (!extent(x.shape[i], y.shape[i])) return false;
    return true;
  }
  // Views are what they show, not tables' entries.
  bool view(ViewId a, ViewId b) {
    const View &x = a_.views[a], &y = b_.views[b];
    return objects_.paired(x.object, y.object) && x.elem == y.elem && space(x.space, y.space);
  }

  // --- attributes ---

  static bool same_literal(const LiteralAttr &a, const LiteralAttr &b) {
    if (a.type != b.type) return false;
    auto as_double = [](const LiteralAttr &l) {
      return std::visit([](auto v) { return static_cast<double>(v); }, l.literal);
    };
    if (a.literal.index() == b.literal.index() && std::holds_alternative<std::int64_t>(a.literal))
      return std::get<std::int64_t>(a.literal) == std::get<std::int64_t>(b.literal);
    // `2` and `2.0` of one float type are one value.
    return is_float(a.type) && std::bit_cast<std::uint64_t>(as_double(a)) == std::bit_cast<std::uint64_t>(as_double(b));
  }

  struct Attribute {
    Comparison &c;
    bool operator()(const std::monostate &, const std::monostate &) { return true; }
    bool operator()(const CastAttr &a, const CastAttr &b) { return a.to == b.to; }
    bool operator()(const LiteralAttr &a, const LiteralAttr &b) { return same_literal(a, b); }
    bool operator()(const SpaceAttr &a, const SpaceAttr &b) { return c.space(a.space, b.space); }
    bool operator()(const IotaAttr &a, const IotaAttr &b) { return c.space({{a.factor}}, {{b.factor}}); }
    bool operator()(const ExtentAttr &a, const ExtentAttr &b) { return c.extent(a.extent, b.extent); }
    bool operator()(const MapAttr &a, const MapAttr &b) { return a.output == b.output && c.layout(a.map, b.map); }
    bool operator()(const ReduceAttr &a, const ReduceAttr &b) {
      if (a.reducer != b.reducer || a.policy != b.policy || a.wide_accumulation != b.wide_accumulation ||
          a.exclusive != b.exclusive || a.reverse != b.reverse || a.dims.size() != b.dims.size())
        return false;
      for (std::size_t i = 0; i < a.dims.size(); ++i)
        if (!c.dim(a.dims[i], b.dims[i])) return false;
      return true;
    }
    bool operator()(const MmaAttr &a, const MmaAttr &b) {
      return a.allow_reassociation == b.allow_reassociation && a.allow_contraction == b.allow_contraction &&
             a.wide_accumulation == b.wide_accumulation;
    }
    bool operator()(const AccessAttr &a, const AccessAttr &b) {
      return c.view(a.view, b.view) && c.space(a.window, b.window) && a.axes == b.axes && a.bounds == b.bounds &&
             a.has_predicate == b.has_predicate && a.has_fallback == b.has_fallback && a.atomic == b.atomic;
    }
    bool operator()(const IndexedAttr &a, const IndexedAttr &b) {
      return c.view(a.view, b.view) && a.bounds == b.bounds && a.has_predicate == b.has_predicate &&
             a.has_fallback == b.has_fallback && a.reducer == b.reducer;
    }
    bool operator()(const MemoryAttr &a, const MemoryAttr &b) {
      // The object's first view has the dims that the program gave it.
      if (!c.object(a.object, b.object)) return false;
      const View *x = nullptr, *y = nullptr;
      for (const View &v : c.a_.views)
        if (v.object == a.object && !x) x = &v;
      for (const View &v : c.b_.views)
        if (v.object == b.object && !y) y = &v;
      return (!x && !y) || (x && y && c.space(x->space, y->space));
    }
    bool operator()(const AssignAttr &a, const AssignAttr &b) {
      return a.declares == b.declares && c.variable(a.var, b.var);
    }
    bool operator()(const ParallelAttr &a, const ParallelAttr &b) { return c.level(a.level, b.level); }
    bool operator()(const LoopAttr &a, const LoopAttr &b) {
      if (!c.space(a.domain, b.domain) || !c.layout(a.order, b.order)) return false;
      if (a.pipeline.valid() != b.pipeline.valid() || a.algebra.valid() != b.algebra.valid()) return false;
      if (a.pipeline.valid() && !(c.a_.policies[a.pipeline] == c.b_.policies[b.pipeline])) return false;
      return true; // states of an algebra: compared after the region, see `algebra`
    }
    bool operator()(const StageAttr &a, const StageAttr &b) { return a.label == b.label; }
    bool operator()(const SwitchAttr &a, const SwitchAttr &b) { return a.cases == b.cases; }
    bool operator()(const PerAttr &a, const PerAttr &b) { return c.levels_.paired(a.level, b.level); }
    bool operator()(const AssertAttr &a, const AssertAttr &b) { return a.text == b.text; }
    template <class A, class B> bool operator()(const A &, const B &) { return false; }
  };

  bool variable(VarId a, VarId b) {
    if (variables_.paired(a, b)) return true;
    const Variable &x = a_.variables[a], &y = b_.variables[b];
    return variables_.pair(a, b) && type(x.type, y.type) && levels_.paired(x.declared, y.declared);
  }

  bool level(LevelId a, LevelId b) {
    if (levels_.paired(a, b)) return true; // a sync of an open parallel
    const Level &x = a_.levels[a], &y = b_.levels[b];
    return levels_.pair(a, b) && x.scope == y.scope && x.inferred == y.inferred && space(x.domain, y.domain) &&
           layout(x.map, y.map);
  }

  bool algebra(const Op &a, const Op &b) {
    const auto *x = std::get_if<LoopAttr>(&a.attr), *y = std::get_if<LoopAttr>(&b.attr);
    if (!x || !x->algebra.valid()) return true;
    const ReductionAlgebra &l = a_.algebras[x->algebra], &r = b_.algebras[y->algebra];
    if (l.policy != r.policy || l.states.size() != r.states.size() || l.contracts.size() != r.contracts.size()) return false;
    for (std::size_t i = 0; i < l.states.size(); ++i)
      if (!variables_.paired(l.states[i].var, r.states[i].var)) return false;
    for (std::size_t i = 0; i < l.contracts.size(); ++i) {
      const ReductionAlgebra::Contract &c = l.contracts[i], &d = r.contracts[i];
      if (c.commutative != d.commutative || c.states.size() != d.states.size()) return false;
      for (std::size_t k = 0; k < c.states.size(); ++k)
        if (!variables_.paired(c.states[k], d.states[k])) return false;
    }
    return true;
  }

  // --- operations and regions ---

  bool op(OpId a, OpId b) {
    const Op &x = a_.ops[a], &y = b_.ops[b];
    if (x.kind != y.kind) return differ_at(x, y, "kinds of operations differ");
    if (x.operands.size() != y.operands.size()) return differ_at(x, y, "numbers of operands differ");
    for (std::size_t i = 0; i < x.operands.size(); ++i)
      if (!values_.paired(x.operands[i], y.operands[i])) return differ_at(x, y, "operand " + std::to_string(i) + " differs");
    // An assignment's variable has its type from the value; the attribute comes after the operands.
    if (!std::visit(Attribute{*this}, x.attr, y.attr)) return differ_at(x, y, "attributes differ");
    if (x.pinned != y.pinned || (x.pinned && !levels_.paired(x.anchor, y.anchor))) return differ_at(x, y, "pinned anchors differ");
    if (x.regions.size() != y.regions.size() || x.results.size() != y.results.size()) return differ_at(x, y, "shapes of operations differ");
    for (std::size_t i = 0; i < x.regions.size(); ++i)
      if (!region(x.regions[i], y.regions[i])) return differ_at(x, y, "regions differ");
    if (x.carries.size() != y.carries.size()) return differ_at(x, y, "carries differ");
    for (std::size_t i = 0; i < x.carries.size(); ++i)
      if (!variables_.paired(x.carries[i], y.carries[i])) return differ_at(x, y, "carries differ");
    if (!algebra(x, y)) return differ_at(x, y, "reduction algebras differ");
    for (std::size_t i = 0; i < x.results.size(); ++i)
      if (!value(x.results[i], y.results[i])) return differ_at(x, y, "results differ");
    return true;
  }

  bool value(ValueId a, ValueId b) { return type(a_.values[a].type, b_.values[b].type) && values_.pair(a, b); }

  bool region(RegionId a, RegionId b) {
    const Region &x = a_.regions[a], &y = b_.regions[b];
    if (x.args.size() != y.args.size()) return differ("numbers of a region's arguments differ");
    if (!levels_.paired(x.level, y.level)) return differ("levels of regions differ");
    for (std::size_t i = 0; i < x.args.size(); ++i)
      if (!value(x.args[i], y.args[i])) return differ("region argument " + std::to_string(i) + " differs");
    for (std::size_t i = 0; i < std::min(x.ops.size(), y.ops.size()); ++i)
      if (!op(x.ops[i], y.ops[i])) return false;
    if (x.ops.size() != y.ops.size()) return differ("numbers of operations in a region differ");
    if (x.yields.size() != y.yields.size()) return differ("numbers of a region's yields differ");
    for (std::size_t i = 0; i < x.yields.size(); ++i)
      if (!values_.paired(x.yields[i], y.yields[i])) return differ("yields of a region differ");
    return true;
  }

  // The same set of open constraints, in any order.
  bool constraints() {
    auto covered = [&](const std::vector<Constraint> &from, const std::vector<Constraint> &in, bool forward) {
      for (const Constraint &x : from) {
        bool found = false;
        for (const Constraint &y : in) {
          const Constraint &l = forward ? x : y, &r = forward ? y : x;
          found = l.code == r.code && l.equation.one_allowed == r.equation.one_allowed &&
                  dims_.paired(l.equation.dim, r.equation.dim) && extent(l.equation.left, r.equation.left) &&
                  extent(l.equation.right, r.equation.right);
          if (found) break;
        }
        if (!found) return false;
      }
      return true;
    };
    return (covered(a_.constraints, b_.constraints, true) && covered(b_.constraints, a_.constraints, false)) ||
           differ("open constraints differ");
  }

  const TileProgram &a_, &b_;
  std::string *out_;
  Bijection<ParamId> params_;
  Bijection<DimId> dims_;
  Bijection<LevelId> levels_;
  Bijection<ValueId> values_;
  Bijection<VarId> variables_;
  Bijection<ObjectId> objects_;
};

} // namespace

bool equal(const TileProgram &a, const TileProgram &b, std::string *difference) {
  if (difference) difference->clear();
  return Comparison(a, b, difference).run();
}

} // namespace tilenest
