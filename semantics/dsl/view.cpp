// SPDX-License-Identifier: Apache-2.0
// Accesses of the C++ surface as the Builder takes them.
#include "semantics/dsl/view.h"

namespace tilenest {

bool ViewIdentity::usable(Capture &capture) const { return capture.owns(generation_, "a view"); }

DimId ViewIdentity::dim(std::size_t axis) const {
  Capture &c = Capture::here();
  if (!usable(c)) return c.builder().dim("");
  return c.builder().program().views[view_].space.factors[axis].dim;
}

ExtentExpr ViewIdentity::extent_of_axis(std::size_t axis) const {
  Capture &c = Capture::here();
  if (!usable(c)) return {};
  return c.builder().program().views[view_].space.factors[axis].extent;
}

namespace dsl {

namespace {

// The window's space: a positional axis has the view's dim.
Space window_space(Capture &c, const WindowAccess &access) {
  Space s;
  const Space &view = c.builder().program().views[access.view.view()].space;
  for (std::size_t i = 0; i < access.window.axes.size() && i < view.rank(); ++i) {
    const ShapeAxis &a = access.window.axes[i];
    if (!a.is_point) s.factors.push_back({a.dim.valid() ? a.dim : view.factors[i].dim, a.extent});
  }
  return s;
}

Access access_of(Capture &c, const WindowAccess &access, bool active) {
  Access out;
  out.view = access.view.view();
  out.origin = access.origin.addressing(c, out.view);
  out.window = access.window.window();
  out.bounds = access.bounds.bounds;
  const Space space = window_space(c, access);
  if (access.bounds.predicate) out.predicate = access.bounds.predicate(space.factors);
  if (active)
    if (const auto p = access.window.predicate_value(space)) out.active.push_back(*p);
  return out;
}

IndexedAccess indexed_of(Capture &c, const WindowAccess &access) {
  IndexedAccess out;
  out.view = access.view.view();
  out.index = access.origin.addressing(c, out.view);
  out.bounds = access.bounds.bounds;
  if (access.bounds.predicate) out.predicate = access.bounds.predicate({});
  return out;
}

} // namespace

ValueId load(const WindowAccess &access, std::optional<Operand> fallback, std::source_location where,
             ScalarType type) {
  Capture &c = Capture::at(where);
  if (!access.view.usable(c)) return c.builder().refused(type);
  Access a = access_of(c, access, true);
  a.fallback = std::move(fallback);
  return c.builder().load(a);
}

void store(const WindowAccess &access, const Operand &value, std::source_location where) {
  Capture &c = Capture::at(where);
  if (access.view.usable(c)) c.builder().store(access_of(c, access, false), value);
}

void atomic(const WindowAccess &access, AtomicKind kind, const Operand &value, std::source_location where) {
  Capture &c = Capture::at(where);
  if (access.view.usable(c)) c.builder().atomic(access_of(c, access, false), kind, value);
}

ValueId gather(const WindowAccess &access, std::optional<Operand> fallback, std::source_location where,
               ScalarType type) {
  Capture &c = Capture::at(where);
  if (!access.view.usable(c)) return c.builder().refused(type);
  IndexedAccess a = indexed_of(c, access);
  a.fallback = std::move(fallback);
  return c.builder().gather(a);
}

void scatter(const WindowAccess &access, const Operand &value, std::optional<AtomicKind> reducer,
             std::source_location where) {
  Capture &c = Capture::at(where);
  if (access.view.usable(c)) c.builder().scatter(indexed_of(c, access), value, reducer);
}

ViewId with_dims(const ViewIdentity &view, std::span<const DimId> dims, std::source_location where) {
  Capture &c = Capture::at(where);
  if (!view.usable(c)) return view.view();
  return c.builder().with_dims(view.view(), dims, c.builder().program().views[view.view()].name);
}

ViewId view_as(const ViewIdentity &view, ScalarType type, std::source_location where) {
  Capture &c = Capture::at(where);
  if (!view.usable(c)) return view.view();
  return c.builder().view_as(view.view(), type, c.builder().program().views[view.view()].name);
}

ViewIdentity memory(ScalarType type, const Domain &domain, std::optional<Map> layout, std::string resource,
                    std::source_location where) {
  Capture &c = Capture::at(where);
  return {c.builder().memory("mem", type, domain.space(c), std::move(layout), std::move(resource)),
          c.generation()};
}

} // namespace dsl
} // namespace tilenest
