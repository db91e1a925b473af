// SPDX-License-Identifier: Apache-2.0
// Views and memories: addresses, bounds policies, windows and index tiles.
#include "lower/lowering.h"
#include <algorithm>

namespace tilenest::lowering {

BufferId Lowering::buffer_of(ViewId view) { return object_buffers[p.views[view].object]; }

namespace {

// A bool view of bytes that another view may write: a byte is `!= 0`.
bool any_byte(const TileProgram &p, const View &view) {
  if (view.elem != ScalarType::boolean) return false;
  for (const View &other : p.views)
    if (other.object == view.object && other.elem != ScalarType::boolean) return true;
  return false;
}

Reg load_bits(Lowering &l, const View &view, BufferId buffer, Reg offset, std::uint16_t lanes, Reg mask) {
  const bool bytes = any_byte(l.p, view);
  const plan::Type type{bytes ? ScalarType::u8 : view.elem, l.b.type(offset).lanes > 1 ? l.b.type(offset).lanes : lanes};
  if (mask.valid() && l.b.type(mask).lanes < type.lanes) mask = l.b.splat(mask, type.lanes);
  const Reg x = l.b.load(buffer, type, offset, mask);
  return bytes ? l.b.prim(Primitive::ne, {x, l.b.zero(type)}) : x;
}

const AccessAttr &window_of(const Op &op) { return std::get<AccessAttr>(op.attr); }
std::size_t first_coordinate(const Op &op) { return op.kind == OpKind::load || op.kind == OpKind::gather ? 0 : 1; }

bool any_lane(const std::vector<Coord> &at) {
  return std::any_of(at.begin(), at.end(), [](const Coord &c) { return c.lane; });
}

} // namespace

Reg Lowering::view_offset(ViewId id, const std::vector<Coord> &at) {
  const View &view = p.views[id];
  const Object &object = p.objects[view.object];
  const bool many = lanes > 1 && any_lane(at);
  Reg offset = b.i64(0), step = b.i64(0);
  auto add = [&](const Coord &c, Reg stride) {
    offset = prim(Primitive::add, {offset, prim(Primitive::mul, {c.base, stride})});
    if (c.lane) step = b.add(step, c.step.valid() ? b.mul(c.step, stride) : stride);
  };
  if (object.kind == ObjectKind::memory && object.layout.valid()) {
    const Map &layout = p.layouts[object.layout];
    if (layout.kind() == Map::Kind::strided) {
      // Strides count elements of the memory's own type; the last axis of a view of another type has none between.
      const int own = bit_width(object.elem), seen = bit_width(view.elem);
      auto scaled = [&](Reg n) { return own == seen ? n : b.prim(Primitive::div, {b.mul(n, b.i64(own)), b.i64(seen)}); };
      offset = scaled(b.extent(layout.offset()));
      for (std::size_t d = 0; d < at.size(); ++d)
        add(at[d], own != seen && d + 1 == at.size() ? b.i64(1) : scaled(b.extent(layout.strides()[d])));
    } else {
      Regs inputs;
      for (const Coord &c : at) inputs.push_back(coordinate(c));
      offset = map_output(layout, 0, inputs);
    }
  } else {
    const BufferId buffer = buffer_of(id);
    if (b.plan().buffers[buffer].strided) {
      // Strides count elements of the argument's own type.
      const int own = bit_width(object.elem), seen = bit_width(view.elem);
      for (std::size_t d = 0; d < at.size(); ++d) {
        Reg stride = b.stride(buffer, static_cast<int>(d));
        if (own != seen) stride = d + 1 == at.size() ? b.i64(1) : b.prim(Primitive::div, {b.mul(stride, b.i64(own)), b.i64(seen)});
        add(at[d], stride);
      }
    } else {
      Reg stride = b.i64(1);
      for (std::size_t d = at.size(); d-- > 0;) {
        add(at[d], stride);
        if (d > 0) stride = b.mul(stride, axis_extent(id, d));
      }
    }
  }
  if (!object_levels[view.object].empty()) { // one of many: a run of elements per instance
    const BufferId buffer = buffer_of(id);
    Reg instance = b.i64(0), size = b.i64(1);
    std::size_t axes = 0;
    for (LevelId level : object_levels[view.object]) {
      const Region &region = p.regions[p.ops[p.levels[level].op].regions[0]];
      for (std::size_t i = 0; i < p.levels[level].domain.rank(); ++i, ++axes)
        instance = b.add(b.mul(instance, b.extent(p.levels[level].domain.factors[i].extent)), scalar(region.args[i]));
    }
    const std::vector<Extent> &shape = b.plan().buffers[buffer].shape;
    for (std::size_t d = axes; d < shape.size(); ++d) size = b.mul(size, b.extent(shape[d]));
    const int own = bit_width(object.elem), seen = bit_width(view.elem);
    if (own != seen) size = b.prim(Primitive::div, {b.mul(size, b.i64(own)), b.i64(seen)});
    offset = prim(Primitive::add, {offset, b.mul(instance, size)});
  }
  if (!many || b.type(offset).lanes > 1 || b.known(step) == 1) return offset;
  return b.add(b.splat(offset, lanes), b.mul(b.splat(step, lanes), b.lane_ids(lanes)));
}

// --- windows ---

bool Lowering::fits(const Op &op, std::size_t axis) const {
  const AccessAttr &attr = window_of(op);
  const Extent whole = p.views[attr.view].space.factors[axis].extent;
  const int factor = attr.axes[axis];
  const Extent window = factor < 0 ? Extent(1) : attr.window.factors[static_cast<std::size_t>(factor)].extent;
  const ValueId v = renamed(p, storage, op.operands[first_coordinate(op) + axis]);
  const Value &origin = p.values[v];
  if (origin.op.valid() && p.ops[origin.op].kind == OpKind::constant) {
    const auto *at = std::get_if<std::int64_t>(&std::get<LiteralAttr>(p.ops[origin.op].attr).literal);
    if (!at || *at < 0) return false;
    const Extent room = whole - (window + Extent(*at));
    return room.is_constant() && *room.constant() >= 0;
  }
  // The coordinate of a domain that is as long as the axis.
  if (origin.op.valid() || factor >= 0) return false;
  const Op &holder = p.ops[p.regions[origin.region].op];
  const auto at = static_cast<std::size_t>(origin.index);
  const Space *domain = nullptr;
  if (const auto *loop = std::get_if<LoopAttr>(&holder.attr)) domain = &loop->domain;
  if (const auto *parallel = std::get_if<ParallelAttr>(&holder.attr)) domain = &p.levels[parallel->level].domain;
  return domain && at < domain->rank() && judge_equal(domain->factors[at].extent, whole) == Judged::yes;
}

// rule: BND-ZERO
Lowering::WindowRange Lowering::window_range(const Op &op, std::size_t axis) {
  const AccessAttr &attr = window_of(op);
  const int factor = attr.axes[axis];
  const Reg window = factor < 0 ? b.i64(1) : b.extent(attr.window.factors[static_cast<std::size_t>(factor)].extent);
  const Reg whole = axis_extent(attr.view, axis), zero = b.i64(0);
  const Reg origin = this->origin(op.operands[first_coordinate(op) + axis]);
  WindowRange r;
  r.origin = origin;
  // No sum leaves 64 bits: the origin is held between -window and the axis' extent.
  const Reg held = b.prim(Primitive::max, {b.prim(Primitive::min, {origin, whole}), b.sub(zero, window)});
  r.low = b.prim(Primitive::max, {zero, b.sub(zero, held)});
  r.high = b.prim(Primitive::min, {window, b.sub(whole, held)});
  r.whole = b.prim(Primitive::bit_and, {b.prim(Primitive::ge, {origin, zero}), b.prim(Primitive::le, {origin, b.sub(whole, window)})});
  return r;
}

Lowering::Address Lowering::window_address(const Op &op, const Point &at, bool guarded) {
  const AccessAttr &attr = window_of(op);
  Address out;
  out.buffer = buffer_of(attr.view);
  std::vector<Coord> full;
  for (std::size_t a = 0; a < attr.axes.size(); ++a) {
    const int factor = attr.axes[a];
    Coord c = factor < 0 ? Coord{b.i64(0), false} : at[static_cast<std::size_t>(factor)];
    if (guarded && !fits(op, a)) {
      const WindowRange r = window_range(op, a);
      const Reg local = coordinate(c);
      out.mask = both(out.mask, both(prim(Primitive::ge, {local, r.low}), prim(Primitive::lt, {local, r.high})));
    }
    c.base = b.add(origin(op.operands[first_coordinate(op) + a]), c.base);
    full.push_back(c);
  }
  out.offset = view_offset(attr.view, full);
  return out;
}

// rule: BND-PRED
Reg Lowering::guard(const Op &op, const Space &space, const Point &at, bool has_predicate, std::size_t operand) {
  if (!has_predicate) return {};
  const ValueId predicate = op.operands[operand];
  const Point there = project(at, space, p.values[predicate].type.space);
  return both(element(predicate, there), active(predicate, there));
}

Reg Lowering::load_window(const Op &op, const Point &at) {
  const AccessAttr &attr = window_of(op);
  const View &view = p.views[attr.view];
  Address address = window_address(op, at, attr.bounds == Bounds::zero && !(inside && attr.window.rank() > 0));
  const std::size_t next = attr.axes.size();
  address.mask = both(address.mask, guard(op, attr.window, at, attr.has_predicate, next));
  address.mask = both(address.mask, active(op.results[0], at));
  const bool many = lanes > 1 && any_lane(at);
  const Reg x = load_bits(*this, view, address.buffer, address.offset, many ? lanes : std::uint16_t{1}, address.mask);
  if (!attr.has_fallback || !address.mask.valid()) return x;
  return choose(address.mask, x, scalar(op.operands[next + attr.has_predicate]));
}

void Lowering::store_window(const Op &op) {
  const AccessAttr &attr = window_of(op);
  const ValueId v = op.operands[0];
  const TileType &type = p.values[v].type;
  Reg whole;
  if (attr.bounds == Bounds::zero && attr.window.rank() > 0)
    for (std::size_t a = 0; a < attr.axes.size(); ++a)
      if (!fits(op, a)) whole = both(whole, window_range(op, a).whole);
  const ScalarType elem = p.views[attr.view].elem;
  with_windows({v}, [&] {
    for_space(attr.window, elem, true, [&](const Point &at) {
      const Point there = project(at, attr.window, type.space);
      Address address = window_address(op, at, attr.bounds == Bounds::zero && !(inside && attr.window.rank() > 0));
      address.mask = both(address.mask, guard(op, attr.window, at, attr.has_predicate, 1 + attr.axes.size()));
      address.mask = both(address.mask, active(v, there));
      const Reg value = wide(element(v, there));
      if (address.mask.valid()) address.mask = wide(address.mask);
      if (op.kind == OpKind::atomic) b.atomic(attr.atomic, address.buffer, address.offset, value, address.mask);
      else b.store(address.buffer, address.offset, value, address.mask);
    });
  }, whole);
}

// --- index tiles ---

Lowering::Address Lowering::indexed_address(const Op &op, const Space &space, const Point &at) {
  const auto &attr = std::get<IndexedAttr>(op.attr);
  const View &view = p.views[attr.view];
  const std::size_t first = first_coordinate(op), rank = view.space.rank();
  Address out;
  out.buffer = buffer_of(attr.view);
  std::vector<Coord> full;
  for (std::size_t a = 0; a < rank; ++a) {
    const ValueId index = op.operands[first + a];
    const Point there = project(at, space, p.values[index].type.space);
    const Reg c = coordinate_of(index, there);
    if (attr.bounds == Bounds::zero)
      out.mask = both(out.mask, both(prim(Primitive::ge, {c, b.i64(0)}), prim(Primitive::lt, {c, axis_extent(attr.view, a)})));
    out.mask = both(out.mask, active(index, there));
    full.push_back({c});
  }
  out.mask = both(out.mask, guard(op, space, at, attr.has_predicate, first + rank));
  out.offset = view_offset(attr.view, full);
  return out;
}

Reg Lowering::load_indexed(const Op &op, const Point &at) {
  const auto &attr = std::get<IndexedAttr>(op.attr);
  const View &view = p.views[attr.view];
  const Address address = indexed_address(op, p.values[op.results[0]].type.space, at);
  Reg offset = address.offset;
  if (address.mask.valid() && b.type(address.mask).lanes > 1 && b.type(offset).lanes == 1) offset = b.splat(offset, lanes);
  const Reg x = load_bits(*this, view, address.buffer, offset, 1, address.mask);
  if (!attr.has_fallback || !address.mask.valid()) return x;
  return choose(address.mask, x, scalar(op.operands[view.space.rank() + attr.has_predicate]));
}

void Lowering::store_indexed(const Op &op) {
  const auto &attr = std::get<IndexedAttr>(op.attr);
  const ValueId v = op.operands[0];
  const TileType &type = p.values[v].type;
  std::vector<ValueId> read{v};
  for (std::size_t a = 0; a < p.views[attr.view].space.rank(); ++a) read.push_back(op.operands[1 + a]);
  with_windows(read, [&] {
    for_space(type.space, p.views[attr.view].elem, true, [&](const Point &at) {
      Address address = indexed_address(op, type.space, at);
      address.mask = both(address.mask, active(v, at));
      const Reg value = wide(element(v, at)), offset = wide(address.offset);
      if (address.mask.valid()) address.mask = wide(address.mask);
      if (attr.reducer) b.atomic(*attr.reducer, address.buffer, offset, value, address.mask);
      else b.store(address.buffer, offset, value, address.mask);
    });
  });
}

} // namespace tilenest::lowering
