// SPDX-License-Identifier: Apache-2.0
// Chapter 4: views and memories, byte by byte.
#include "tests/oracle/machine.h"

namespace tilenest::oracle {

int Machine::named(const std::string &name) {
  names_.push_back(name);
  return static_cast<int>(names_.size()) - 1;
}

// MEM-OWN: "one allocation per instance of the nearest enclosing `parallel`", fresh each time.
void Machine::memory(OpId id, Instance &in) {
  const ObjectId object = std::get<MemoryAttr>(p_.ops[id].attr).object;
  const Object &o = p_.objects[object];
  auto bytes = static_cast<std::int64_t>(byte_size(o.elem));
  for (const Extent &e : o.shape) bytes *= bound_.extent(e);
  if (o.layout.valid()) throw Refused{"the layout of a memory"};
  in.objects[object] = {named(o.name), 0};
  storages_[in.objects[object].storage].resize(static_cast<std::size_t>(bytes));
}

// Where an element of a view stands, or nothing out of bounds.
std::optional<Cell> Machine::cell(ViewId view, const Point &point, const Instance &in) const {
  const View &v = p_.views[view];
  const std::vector<std::int64_t> shape = bound_.shape(v.space);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (point[i] < 0 || point[i] >= shape[i]) return std::nullopt;
  const auto &[storage, begin] = in.objects.at(v.object);
  return Cell{storage, begin + static_cast<std::int64_t>(position(shape, point) * byte_size(v.elem))};
}

Element Machine::load(OpId id, const Cell &cell, ScalarType elem) {
  std::uint8_t bytes[8] = {};
  Marks marks;
  for (std::size_t i = 0; i < byte_size(elem); ++i) {
    const Byte &b = storages_.at(cell.storage).at(static_cast<std::size_t>(cell.byte) + i);
    marks.insert(b.marks.begin(), b.marks.end());
    if (!b.defined) marks.insert({"U0106", id}); // MEM-INIT: of all of the element
    bytes[i] = b.value;
  }
  return marks.empty() ? fresh(decode(elem, bytes)) : fresh(0, marks);
}

void Machine::store(const Cell &cell, ScalarType elem, const Element &e) {
  std::uint8_t bytes[8] = {};
  observe(e.marks);
  if (e.marks.empty()) encode(elem, e.value, bytes);
  for (std::size_t i = 0; i < byte_size(elem); ++i)
    storages_.at(cell.storage).at(static_cast<std::size_t>(cell.byte) + i) = {bytes[i], true, e.marks};
}

// load, store, atomic, gather, scatter: one cell per point of the window or of the joined index tiles.
void Machine::access(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const auto *window = std::get_if<AccessAttr>(&op.attr);
  const auto *indexed = std::get_if<IndexedAttr>(&op.attr);
  const ViewId view = window ? window->view : indexed->view;
  const Bounds bounds = window ? window->bounds : indexed->bounds;
  const ScalarType elem = p_.views[view].elem;
  const bool loads = op.kind == OpKind::load || op.kind == OpKind::gather;
  const bool atomic = op.kind == OpKind::atomic || (op.kind == OpKind::scatter && indexed->reducer);
  const AtomicKind kind = !atomic ? AtomicKind::add : window ? window->atomic : *indexed->reducer;
  constexpr OpKind ops[] = {OpKind::add, OpKind::min, OpKind::max, OpKind::bit_and, OpKind::bit_or, OpKind::bit_xor};
  const How how = loads ? How::read : atomic ? How::atomic : How::write;

  std::size_t next = 0;
  const auto operand = [&] { return &value(op.operands[next++], in); };
  const Tile *stored = loads ? nullptr : operand(), *predicate = nullptr, *fallback = nullptr;
  std::vector<const Tile *> origin, active;
  for (std::size_t i = 0; i < p_.views[view].space.rank(); ++i) origin.push_back(operand());
  if (window ? window->has_predicate : indexed->has_predicate) predicate = operand();
  if (loads && (window ? window->has_fallback : indexed->has_fallback)) fallback = operand();
  while (next < op.operands.size()) active.push_back(operand());

  // An access happens when the first instance reaches it. For the others it has (ANC-ONCE), but what they read of
  // tiles on the way is their own.
  const auto [done, happens] = done_.try_emplace(key(id, in, depth(id)), Done{out_.events.size(), {}});
  if (happens) out_.events.push_back({id, depth(id)});
  const std::size_t event = done->second.event;
  out_.events[event].reaches.push_back(in.path);
  const auto accessed = [&](const Tile &frame, const Point &point) -> Element { // what is loaded or stored
    const Element *e = stored ? &at(*stored, frame, point) : nullptr;
    bool is_active = !e || e->active;
    for (const Tile *t : active) is_active &= holds(id, in, at(*t, frame, point));
    for (const Tile *t : origin) is_active &= at(*t, frame, point).active;
    if (!is_active) return inactive;
    Point to;
    Marks marks;
    for (std::size_t i = 0; i < origin.size(); ++i) {
      to.push_back(coordinate(id, in, at(*origin[i], frame, point), marks));
      if (window && window->axes[i] >= 0) to[i] += point[static_cast<std::size_t>(window->axes[i])];
    }
    const bool guard = predicate == nullptr || holds(id, in, at(*predicate, frame, point));
    if (!marks.empty()) return fresh(0, marks);
    const std::optional<Cell> where = cell(view, to, in);
    if (guard && !where && bounds != Bounds::zero) {
      marks = {{bounds == Bounds::assume ? "U0201" : "U0202", id}};
      observe(marks);
      return fresh(0, marks);
    }
    if ((!guard || !where) && fallback) return fresh(read(id, in, fallback->e[0]).value, fallback->e[0].marks);
    if (!guard || !where) return fresh(0, bounds == Bounds::predicate ? Marks{{"U0105", id}} : Marks{});
    if (e) read(id, in, *e);
    if (!happens) return fresh(0);
    const auto bits = static_cast<std::int64_t>(8 * byte_size(elem));
    out_.events[event].touches.push_back({where->storage, 8 * where->byte, bits, how, kind, elem});
    if (loads) return load(id, *where, elem);
    Element made = *e;
    if (atomic) {
      const Element old = load(id, *where, elem);
      made.marks.insert(old.marks.begin(), old.marks.end());
      if (made.marks.empty()) made.value = apply(ops[static_cast<int>(kind)], elem, elem, old.value, e->value).value;
    }
    store(*where, elem, made);
    return made;
  };
  Tile out = loads ? empty_tile(elem, p_.values[op.results[0]].type.space) : *stored;
  out.e.clear();
  for (const Point &point : points(out.shape)) out.e.push_back(accessed(out, point));
  if (happens) done->second.loaded = std::move(out);
  if (loads) set(op.results[0], done->second.loaded, in);
}

} // namespace tilenest::oracle
