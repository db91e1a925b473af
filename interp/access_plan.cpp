// SPDX-License-Identifier: Apache-2.0
// Plans of accesses and of allocations; an allocation's step. Accesses run in access.cpp.
#include "interp/access_plan.h"
#include "interp/machine.h"
#include "semantics/space/element_count.h"
#include <algorithm>

namespace tilenest {

namespace {

struct MemoryPlan : Plan {
  std::uint32_t index;
  std::size_t bytes;
  bool halves = false; // some view has 4-bit elements
  std::size_t cells = 0;
  std::uint8_t cell_shift = 0;
};

// rule: MEM-OWN -- a fresh allocation of this instance each time it is reached.
void step_memory(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const MemoryPlan &>(*in.plan);
  ObjectStorage &s = f.memories[plan.index];
  if (!s.owned) s.owned = m.block(plan.bytes);
  if (m.updates) m.updates->drop(s.owned.as<>(), plan.bytes);
  if (plan.cells) {
    if (!s.shadow_owned) s.shadow_owned = m.block(plan.cells * sizeof(std::uint32_t));
    std::memset(s.shadow_owned.as<>(), 0, plan.cells * sizeof(std::uint32_t));
    s.shadow = {s.shadow_owned.as<std::uint32_t>(), 0, plan.cell_shift, plan.halves, CellRange::in_pairs(plan.halves, plan.cell_shift)};
  }
  s.base = s.owned.as<>();
  s.bytes = plan.bytes;
  if (rule_broken(Rule::mem_own) && s.defined) return;
  if (!m.options.checked) std::memset(s.base, 0, plan.bytes);
  if (!s.defined) {
    m.pool.charge(plan.bytes / (plan.halves ? 4 : 8));
    s.defined = std::make_shared<DefinedBytes>(plan.bytes, plan.halves);
  } else {
    s.defined->clear();
  }
}

Primitive atomic_primitive(AtomicKind kind) {
  constexpr Primitive primitives[] = {Primitive::add,     Primitive::min,    Primitive::max,
                                      Primitive::bit_and, Primitive::bit_or, Primitive::bit_xor};
  return primitives[static_cast<int>(kind)];
}

} // namespace

void compile_memory(Compiler &c, const Op &op, Instr &in) {
  if (op.kind == OpKind::memory) {
    auto plan = std::make_unique<MemoryPlan>();
    const ObjectId id = std::get<MemoryAttr>(op.attr).object;
    const Object &object = c.p.objects[id];
    plan->index = c.code.memory_index[id.index];
    std::int64_t n = 1;
    for (const Extent &e : object.shape) n *= c.bound.extent(e);
    // A layout of its own may leave gaps: its size is that of its largest offset.
    if (object.layout.valid() && n > 0) {
      std::int64_t largest = 0;
      std::vector<std::int64_t> at(object.shape.size(), 0);
      for (std::int64_t i = 0; i < n; ++i) {
        const auto v = c.p.layouts[object.layout].evaluate(at, c.bound.lookup());
        if (v) largest = std::max(largest, (*v)[0]);
        for (std::size_t d = at.size(); d-- > 0;) {
          if (++at[d] < c.bound.extent(object.shape[d])) break;
          at[d] = 0;
        }
      }
      n = largest + 1;
    }
    plan->bytes = storage_size(object.elem, static_cast<std::size_t>(n));
    for (const View &view : c.p.views) plan->halves |= is_packed(view.elem);
    if (!c.code.shadowed.empty() && c.code.shadowed[id.index]) {
      plan->cell_shift = c.code.cell_shift[id.index];
      plan->cells = CellRange::numbers(plan->bytes, plan->halves, plan->cell_shift);
    }
    in.plan = std::move(plan);
    in.step = step_memory;
    return;
  }
  auto plan = std::make_unique<AccessPlan>();
  plan->writes = op.kind == OpKind::store || op.kind == OpKind::atomic || op.kind == OpKind::scatter;
  plan->indexed = op.kind == OpKind::gather || op.kind == OpKind::scatter;
  plan->first_coordinate = plan->writes ? 1 : 0;
  const Space *space;
  std::size_t at;
  bool has_predicate, has_fallback;
  if (const auto *window = std::get_if<AccessAttr>(&op.attr)) {
    plan->view = window->view;
    plan->bounds = window->bounds;
    space = &window->window;
    has_predicate = window->has_predicate;
    has_fallback = window->has_fallback;
    if (op.kind == OpKind::atomic) {
      plan->atomic_by = atomic_primitive(window->atomic);
      plan->atomic = find_row_kernel(plan->atomic_by, c.p.views[window->view].elem, c.p.views[window->view].elem);
    }
    const std::vector<std::int64_t> strides = row_major(c.bound.shape(*space));
    for (int axis : window->axes) {
      plan->axis_is_window.push_back(axis >= 0);
      plan->window.push_back(axis < 0 ? 1 : c.bound.extent(space->factors[axis].extent));
      plan->tile_strides.push_back(axis < 0 ? 0 : strides[axis]);
    }
  } else {
    const auto &indexed = std::get<IndexedAttr>(op.attr);
    plan->view = indexed.view;
    plan->bounds = indexed.bounds;
    has_predicate = indexed.has_predicate;
    has_fallback = indexed.has_fallback;
    if (indexed.reducer) {
      plan->atomic_by = atomic_primitive(*indexed.reducer);
      plan->atomic = find_row_kernel(plan->atomic_by, c.p.views[indexed.view].elem, c.p.views[indexed.view].elem);
    }
    space = plan->writes ? &c.type(op.operands[0]).space : &c.type(op.results[0]).space;
  }
  const View &view = c.p.views[plan->view];
  for (const View &other : c.p.views)
    plan->any_byte |= view.elem == ScalarType::boolean && other.elem != ScalarType::boolean &&
                      c.storage[other.object.index] == c.storage[view.object.index];
  plan->rank = view.space.rank();
  plan->shadowed = !c.code.shadowed.empty() && c.code.shadowed[c.storage[view.object.index]];
  plan->elem = view.elem;
  plan->bytes = byte_size(view.elem);
  plan->packed = is_packed(view.elem);
  plan->shape = c.bound.shape(*space);
  plan->count = element_count(plan->shape);
  at = plan->first_coordinate + plan->rank;
  if (has_predicate) plan->predicate = static_cast<int>(at++);
  if (has_fallback) plan->fallback = static_cast<int>(at++);
  for (; at < op.operands.size(); ++at) plan->active.push_back(at);
  for (ValueId v : op.operands) {
    plan->operand_strides.push_back(c.strides_over(v, *space));
    plan->operand_counts.push_back(c.info(v).count);
    plan->operand_types.push_back(c.type(v).elem);
  }
  in.plan = std::move(plan);
  in.step = step_access;
}

} // namespace tilenest
