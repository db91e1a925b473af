// SPDX-License-Identifier: Apache-2.0
// BND-ASSUME where it is decided before the run: a window of a memory that is larger than the memory.
#include "semantics/diag/codes.h"
#include "semantics/program/bind_detail.h"
#include "semantics/support/rule.h"

namespace tilenest::bind_detail {

namespace {

bool has_points(const Binding &b, const Space &s) {
  for (const Factor &f : s.factors)
    if (*b.evaluate(f.extent) == 0) return false;
  return true;
}

// Every element of the window is active.
bool whole(const TileProgram &p, const Op &op) {
  return p.values[op.kind == OpKind::load ? op.results[0] : op.operands[0]].type.active.empty();
}

void check_window(Binding &b, const Op &op, const AccessAttr &access) {
  const View &view = b.p.views[access.view];
  if (access.bounds != Bounds::assume || b.p.objects[view.object].kind != ObjectKind::memory) return;
  if (!whole(b.p, op) || !has_points(b, access.window)) return;
  for (std::size_t axis = 0; axis < access.axes.size(); ++axis) {
    if (access.axes[axis] < 0) continue;
    const Extent &window = access.window.factors[static_cast<std::size_t>(access.axes[axis])].extent, &extent = view.space.factors[axis].extent;
    if (*b.evaluate(window) <= *b.evaluate(extent)) continue;
    b.error(Code::T0406, op.site,
            {{"access", op.kind == OpKind::load ? "a read" : "a write"}, {"view", view.name}, {"window", b.value_text(window)},
             {"extent", b.value_text(extent)}, {"axis", std::to_string(axis)}});
  }
}

// The operations of a region that runs; an arm, a round of a `while` and a point that a predicate may mask may not.
void check_region(Binding &b, RegionId region) {
  for (OpId id : b.p.regions[region].ops) {
    if (b.full()) return;
    const Op &op = b.p.ops[id];
    if (const auto *access = std::get_if<AccessAttr>(&op.attr)) check_window(b, op, *access);
    const Space *domain = nullptr;
    if (const auto *loop = std::get_if<LoopAttr>(&op.attr)) domain = &loop->domain;
    if (op.kind == OpKind::parallel) domain = &b.p.levels[std::get<ParallelAttr>(op.attr).level].domain;
    const bool runs = domain && op.control_operand_count() == 0 && has_points(b, *domain);
    if (runs || op.kind == OpKind::stage) check_region(b, op.regions[0]);
  }
}

} // namespace

// rule: BND-ASSUME -- wherever the window begins, some of its elements are out of bounds.
void check_promises(Binding &b) {
  if (!rule_broken(Rule::bnd_assume)) check_region(b, b.p.body);
}

} // namespace tilenest::bind_detail
