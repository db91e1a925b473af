// SPDX-License-Identifier: Apache-2.0
// Domains, coordinates and coordinate maps as the Builder takes them.
#include "semantics/diag/codes.h"
#include "semantics/dsl/scopes.h"

namespace tilenest {

// rule: DIM-POS
Space Domain::space(Capture &capture) const {
  Space s;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].is_point) continue;
    const DimId dim = axes[i].dim.valid()
                          ? axes[i].dim
                          : capture.builder().positional_dim(static_cast<int>(axes.size() - 1 - i));
    s.factors.push_back({dim, axes[i].extent});
  }
  return s;
}

std::vector<WindowAxis> Domain::window() const {
  std::vector<WindowAxis> out;
  for (const ShapeAxis &a : axes) out.push_back({a.is_point, a.dim, a.extent});
  return out;
}

std::optional<ValueId> Domain::predicate_value(const Space &space) const {
  if (!predicate) return std::nullopt;
  return predicate(space.factors);
}

namespace dsl {

ValueId coordinate(const Factor &factor) { return Capture::here().builder().iota(factor); }

Domain::Predicate checked_arity(int arity, Domain::Predicate predicate) {
  return [arity, predicate = std::move(predicate)](std::span<const Factor> factors) {
    if (static_cast<int>(factors.size()) == arity) return predicate(factors);
    Builder &b = Capture::here().builder();
    b.error(Code::T0209, {{"what", "the predicate"},
                          {"expected", std::to_string(arity) + " coordinates"},
                          {"found", std::to_string(factors.size())}});
    return b.refused(ScalarType::boolean);
  };
}

// rule: IDX-PRED
ValueId restricted(ValueId x, const Domain::Predicate &predicate) {
  Builder &b = Capture::here().builder();
  const Space space = b.type(x).space;
  return b.restrict(x, predicate(space.factors));
}

MapTuple map_inputs(int first, int count) {
  std::vector<MapExpr> items;
  for (int i = 0; i < count; ++i) items.emplace_back(index_input(first + i));
  return MapTuple(std::move(items));
}

Map expression_map(int inputs, const MapTuple &outputs) {
  std::vector<IndexExpr> exprs;
  for (const MapExpr &e : outputs.items()) exprs.push_back(e.expr());
  return Map::expressions(inputs, std::move(exprs));
}

} // namespace dsl

MapExpr MapTuple::operator[](std::size_t i) const {
  if (i < items_.size()) return items_[i];
  Capture::here().builder().error(Code::T0209, {{"what", "a coordinate map"},
                                                {"expected", std::to_string(i + 1) + " coordinates"},
                                                {"found", std::to_string(items_.size())}});
  return MapExpr(0);
}

// --- coordinates ---

std::vector<Operand> Coord::items() const {
  Capture &c = Capture::here();
  if (!path_ || !c.owns(generation_, "a scope") || !path_->usable(c)) return items_;
  return path_->path(c);
}

Tile<i64> Coord::operator[](std::size_t axis) const {
  const std::vector<Operand> all = items();
  Builder &b = Capture::here().builder();
  if (axis < all.size()) return {dsl::Defined{}, b.value(all[axis])};
  b.error(Code::T0209, {{"what", "a coordinate"},
                        {"expected", std::to_string(axis + 1) + " coordinates"},
                        {"found", std::to_string(all.size())}});
  return {dsl::Defined{}, b.refused(ScalarType::i64)};
}

std::vector<Operand> Index::items() const {
  Capture &c = Capture::here();
  if (!c.owns(generation_, "a scope") || !scope_->usable(c)) return {};
  return scope_->local(c);
}

std::vector<Operand> Index::addressing(ViewId view) const {
  Capture &c = Capture::here();
  if (!c.owns(generation_, "a scope") || !scope_->usable(c)) return {};
  return scope_->addressing(c, view);
}

std::vector<Operand> Origin::addressing(Capture &capture, ViewId view) const {
  Builder &b = capture.builder();
  const std::size_t reported = b.diagnostics().size();
  std::vector<Operand> items = whole ? whole->addressing(view) : coord.items();
  if (b.diagnostics().size() != reported)
    items.assign(b.program().views[view].space.rank(), b.refused(ScalarType::i64));
  return items;
}

// rule: EXT-NOW
ValueId Index::scalar() const {
  Capture &c = Capture::here();
  Builder &b = c.builder();
  if (!c.owns(generation_, "a scope") || !scope_->usable(c)) return b.refused(ScalarType::i64);
  const std::vector<Operand> all = scope_->local(c);
  if (all.size() == 1 || (rule_broken(Rule::ext_now) && !all.empty())) return b.value(all[0]);
  if (!all.empty())
    b.error(Code::T0702, {{"nest", scope_->name()}, {"rank", std::to_string(all.size())}},
            "name one axis: `index(axis)`");
  return b.refused(ScalarType::i64);
}

Index::operator Tile<i64>() const { return {dsl::Defined{}, scalar()}; }

Tile<i64> Index::operator[](std::size_t axis) const {
  const std::vector<Operand> all = items();
  Builder &b = Capture::here().builder();
  if (axis < all.size()) return {dsl::Defined{}, b.value(all[axis])};
  if (!all.empty()) b.error(Code::T0703, {{"what", "the scope"}, {"dim", std::to_string(axis)}});
  return {dsl::Defined{}, b.refused(ScalarType::i64)};
}

} // namespace tilenest
