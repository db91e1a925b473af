// SPDX-License-Identifier: Apache-2.0
// The lowering as a whole: buffers of arguments and memories, then the kernel's body.
#include "lower/lowering.h"
#include "semantics/diag/codes.h"

namespace tilenest {

namespace lowering {

Lowering::Lowering(const TileProgram &program, const LowerOptions &lower_options)
    : p(program), options(lower_options), tree(plan_steps(program)), storage(plan_storage(program, tree, lower_options.disjoint)), b(program.name, program.params) {}

void Lowering::kernel() {
  object_buffers.resize(p.objects.size());
  object_levels.resize(p.objects.size());
  slot_buffers.resize(storage.slots.size());
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    const bool strided = i < options.strided.size() && options.strided[i];
    object_buffers[p.arguments[i]] = b.argument(unique_name(object.name), object.elem, object.shape, static_cast<int>(i), object.access, strided);
    b.set_overlapping(object_buffers[p.arguments[i]], !options.disjoint);
  }
  emit(tree.body);
}

std::string Lowering::unique_name(std::string name) {
  if (name.empty()) name = "tile";
  std::string out = name;
  for (int i = 2; !names.insert(out).second; ++i) out = name + "_" + std::to_string(i);
  return out;
}

// rule: MEM-OWN
void Lowering::allocate(const Op &op) {
  const ObjectId id = std::get<MemoryAttr>(op.attr).object;
  const Object &object = p.objects[id];
  if (object_buffers[id].valid()) return;
  std::vector<Extent> shape = object.shape;
  if (object.layout.valid()) { // up to its largest offset, where that is known
    std::int64_t largest = -1, count = 1;
    bool known = true;
    for (const Extent &e : shape) known &= e.is_constant();
    for (const Extent &e : shape) count = known ? count * *e.constant() : 0;
    std::vector<std::int64_t> at(shape.size(), 0);
    for (std::int64_t i = 0; known && i < count && count <= 1 << 24; ++i) {
      if (const auto v = p.layouts[object.layout].evaluate(at, [](ParamId) { return std::nullopt; })) largest = std::max(largest, (*v)[0]);
      else known = false;
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < *shape[d].constant()) break;
        at[d] = 0;
      }
    }
    if (!known || count > 1 << 24) return unsupported(op, "a memory with a layout of its own and open extents");
    shape = {Extent(largest + 1)};
    for (const View &view : p.views)
      if (view.object == id && view.elem != object.elem && p.layouts[object.layout].kind() != Map::Kind::strided)
        return unsupported(op, "a view of another type of a memory with a layout of its own");
  }
  const std::vector<std::uint32_t> &here = tree.loops[current];
  // One per instance of the levels whose loops end between its uses.
  std::vector<bool> closed(here.size(), false);
  for_each_op(p, p.body, [&](const Op &user, OpId user_id) { // contracts touch no memory
    const auto *window = std::get_if<AccessAttr>(&user.attr);
    const auto *indexed = std::get_if<IndexedAttr>(&user.attr);
    if (!window && !indexed) return;
    if (p.views[window ? window->view : indexed->view].object != id) return;
    const std::vector<std::uint32_t> &there = tree.loops[user_id];
    for (std::size_t d = 0; d < here.size(); ++d)
      if (d >= there.size() || there[d] != here[d]) closed[d] = true;
  });
  bool host = here.empty();
  std::vector<Extent> whole;
  for (std::size_t d = 0; d < here.size(); ++d) {
    if (!closed[d]) continue;
    host |= d == 0;
    const LevelId level = tree.path[current][d];
    object_levels[id].push_back(level);
    for (const Factor &f : p.levels[level].domain.factors) whole.push_back(f.extent);
  }
  whole.insert(whole.end(), shape.begin(), shape.end());
  object_buffers[id] = b.memory(host ? plan::AddressSpace::scratch : plan::AddressSpace::instance, unique_name(object.name), object.elem, std::move(whole));
}

} // namespace lowering

Result<plan::Plan> lower(const TileProgram &program, const LowerOptions &options) {
  lowering::Lowering l(program, options);
  l.kernel();
  if (!l.errors.empty()) return std::move(l.errors);
  return l.b.finish();
}

} // namespace tilenest
