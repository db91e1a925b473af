// SPDX-License-Identifier: Apache-2.0
// Chapter 4: views and memories, byte by byte.
#include "tests/oracle/machine.h"

namespace tilenest::oracle {

Machine::Machine(const BoundProgram &bound, const std::vector<Argument> &arguments, bool reversed)
    : bound_(bound), p_(*bound.program), reversed_(reversed) {
  argument_offset_.assign(p_.objects.size(), 0);
  std::vector<int> storage;
  for (std::size_t i = 0; i < p_.arguments.size(); ++i) {
    const ObjectId id = p_.arguments[i];
    const Argument &a = arguments.at(i);
    if (a.alias_of >= 0) {
      storage.push_back(storage.at(static_cast<std::size_t>(a.alias_of)));
      argument_offset_[id.index] = a.offset;
    } else {
      storage.push_back(static_cast<int>(storages_.size()));
      storage_names_.push_back(p_.objects[id].name);
      auto &bytes = storages_.emplace_back();
      for (const std::uint8_t b : a.bytes) bytes.push_back({b, a.defined, -1});
    }
    argument_storage_[id] = storage.back();
  }
}

// MEM-OWN: "one allocation per instance of the nearest enclosing `parallel`", fresh each time.
void Machine::memory(OpId id, Instance &in) {
  const ObjectId object = std::get<MemoryAttr>(p_.ops[id].attr).object;
  const Object &o = p_.objects[object];
  std::int64_t n = 1;
  for (const Extent &e : o.shape) n *= bound_.extent(e);
  if (o.layout.valid()) throw Refused{"the layout of a memory"};
  in.memories[object] = static_cast<int>(storages_.size());
  storage_names_.push_back(o.name);
  storages_.emplace_back(static_cast<std::size_t>(n) * byte_size(o.elem));
}

int Machine::storage_of(ObjectId object, const Instance &in) const {
  if (p_.objects[object].kind == ObjectKind::argument) return argument_storage_.at(object);
  const auto found = in.memories.find(object);
  if (found == in.memories.end()) throw Refused{"a memory that was never made"};
  return found->second;
}

// Where the element stands, or nothing out of bounds.
std::optional<Machine::Cell> Machine::cell(ViewId view, const Point &point, const Instance &in) const {
  const View &v = p_.views[view];
  const std::vector<std::int64_t> shape = bound_.shape(v.space);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (point[i] < 0 || point[i] >= shape[i]) return std::nullopt;
  const auto at = static_cast<std::int64_t>(position(shape, point) * byte_size(v.elem));
  return Cell{storage_of(v.object, in), argument_offset_[v.object.index] + at};
}

Element Machine::load(OpId id, const Cell &cell, ScalarType elem) {
  std::uint8_t bytes[8] = {};
  for (std::size_t i = 0; i < byte_size(elem); ++i) {
    const Byte &b =
        storages_[static_cast<std::size_t>(cell.storage)].at(static_cast<std::size_t>(cell.byte) + i);
    if (b.mark >= 0) return fresh(0, b.mark);
    if (!b.defined) return fresh(0, mark("U0106", id)); // MEM-INIT
    bytes[i] = b.value;
  }
  return fresh(decode(elem, bytes));
}

void Machine::store(const Cell &cell, ScalarType elem, const Element &e) {
  observe(e);
  std::uint8_t bytes[8] = {};
  if (e.mark < 0) encode(elem, e.value, bytes);
  for (std::size_t i = 0; i < byte_size(elem); ++i)
    storages_[static_cast<std::size_t>(cell.storage)].at(static_cast<std::size_t>(cell.byte) +
                                                         i) = {bytes[i], true, e.mark};
}

// load, store, atomic, gather, scatter: one cell per point of the window or of the joined index tiles.
void Machine::access(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const auto *window = std::get_if<AccessAttr>(&op.attr);
  const auto *indexed = std::get_if<IndexedAttr>(&op.attr);
  const ViewId view = window ? window->view : indexed->view;
  const Bounds bounds = window ? window->bounds : indexed->bounds;
  const bool loads = op.kind == OpKind::load || op.kind == OpKind::gather;
  const bool scatter_atomic = indexed && indexed->reducer && !loads;
  const Touch touch = loads                                         ? Touch::read
                      : op.kind == OpKind::atomic || scatter_atomic ? Touch::atomic
                                                                    : Touch::write;
  const AtomicKind kind = scatter_atomic ? *indexed->reducer : window ? window->atomic : AtomicKind::add;
  const ScalarType elem = p_.views[view].elem;
  const auto bits = static_cast<std::int64_t>(8 * byte_size(elem));
  const std::size_t rank = p_.views[view].space.rank(), first = loads ? 0 : 1;
  std::size_t at_operand = first + rank;
  const Tile *predicate = nullptr, *fallback = nullptr;
  if (window ? window->has_predicate : indexed->has_predicate)
    predicate = &value(op.operands[at_operand++], in);
  if (loads && (window ? window->has_fallback : indexed->has_fallback))
    fallback = &value(op.operands[at_operand++], in);
  std::vector<const Tile *> active;
  for (; at_operand < op.operands.size(); ++at_operand) active.push_back(&value(op.operands[at_operand], in));

  // The first instance that reaches a lifted access performs it; the others read what it read of variables.
  const std::vector<std::int64_t> k = key(id, in);
  const bool happens = done_.insert(k).second;
  Tile frame = loads ? empty_tile(op.results[0]) : value(op.operands[0], in);
  Tile out = frame;
  each_point(frame.shape, [&](const Point &point) {
    Element result = fresh(0);
    const auto finish = [&] { out.e[position(out.shape, point)] = result; };
    for (const Tile *t : active) {
      const Element &c = at(*t, frame, point);
      read(id, in, c);
      observe(c);
      result.active &= c.active && c.mark < 0 && c.value != 0;
    }
    const Element *stored = loads ? nullptr : &at(value(op.operands[0], in), frame, point);
    if (stored) result.active &= stored->active;
    Point to;
    int lost = -1; // the mark of a coordinate: it was reported there, and what comes of it has no other cause
    for (std::size_t i = 0; i < rank; ++i) {
      const Element &o = at(value(op.operands[first + i], in), frame, point);
      result.active &= o.active;
      if (!result.active) return finish();
      const auto c = coordinate(id, in, o);
      if (!c) lost = o.mark;
      const int factor = window ? window->axes[i] : -1;
      to.push_back(c.value_or(0) + (factor >= 0 ? point[static_cast<std::size_t>(factor)] : 0));
    }
    if (!result.active) return finish();
    bool guard = true;
    if (predicate) {
      const Element &c = at(*predicate, frame, point);
      read(id, in, c);
      observe(c);
      guard = c.active && c.mark < 0 && c.value != 0;
    }
    if (lost >= 0) {
      if (loads) result = fresh(0, lost);
      return finish();
    }
    const std::optional<Cell> where = guard ? cell(view, to, in) : std::nullopt;
    if (!where) {
      if (guard && bounds == Bounds::assume) violation("U0201", id);
      if (guard && bounds == Bounds::predicate) violation("U0202", id);
      const bool broken = guard && bounds != Bounds::zero;
      if (!loads) return finish();
      if (broken) {
        result.mark = mark(bounds == Bounds::assume ? "U0201" : "U0202", id);
      } else if (fallback) {
        read(id, in, fallback->e[0]);
        result = fresh(fallback->e[0].value, fallback->e[0].mark);
      } else if (bounds == Bounds::predicate) {
        result.mark = mark("U0105", id);
      }
      return finish();
    }
    if (stored) read(id, in, *stored);
    if (!happens) return finish();
    event(id, in).bits.push_back({where->storage, 8 * where->byte, bits, touch, kind, elem});
    if (touch == Touch::read) {
      result = load(id, *where, elem);
    } else if (touch == Touch::write) {
      store(*where, elem, *stored);
    } else {
      const Element old = load(id, *where, elem);
      observe(old); // the mark of an element that no store made reaches the atomic itself
      const int m = stored->mark >= 0 ? stored->mark : old.mark;
      store(*where, elem, m >= 0 ? fresh(0, m) : fresh(combine(kind, elem, old.value, stored->value)));
    }
    finish();
  });
  if (happens && loads) loaded_[k] = out;
  // Every instance that reaches a lifted access is one of the event's.
  if (!happens) {
    if (const auto found = event_at_.find(k); found != event_at_.end()) (void)event(id, in);
    if (loads) out = loaded_.at(k);
  }
  if (loads) in.values[op.results[0]] = std::move(out);
}

} // namespace tilenest::oracle
