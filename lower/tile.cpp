// SPDX-License-Identifier: Apache-2.0
// Loops over the elements of a tile, and the slots that tiles are stored in.
#include "lower/lowering.h"
#include <algorithm>
#include <unordered_set>

namespace tilenest::lowering {

std::uint16_t Lowering::width_for(ScalarType elem) const {
  const int bits = std::max(bit_width(elem), 32); // narrower types are computed in wider ones
  return static_cast<std::uint16_t>(std::max(1, options.vector_bits / bits));
}

void Lowering::for_space(const Space &space, ScalarType elem, bool vectors, const Body &body) {
  for (const Factor &f : space.factors)
    if (f.extent.constant() == 0) return; // whatever the others are
  std::uint16_t width = vectors && space.rank() > 0 ? width_for(elem) : 1;
  if (space.rank() > 0)
    if (const auto n = space.factors.back().extent.constant())
      while (width > 1 && width > *n) width /= 2;
  Point point;
  for_axes(space, 0, width, point, body);
}

void Lowering::for_axes(const Space &space, std::size_t axis, std::uint16_t width, Point &point, const Body &body) {
  if (axis == space.rank()) {
    const std::uint16_t before = std::exchange(lanes, 1);
    body(point);
    lanes = before;
    return;
  }
  const Reg n = b.extent(space.factors[axis].extent), zero = b.i64(0);
  auto loop = [&](Reg lo, Reg hi, std::uint16_t step) {
    b.for_each(lo, hi, step, [&](Reg iv) {
      Scope scope(*this);
      point.push_back({iv, step > 1});
      if (axis + 1 < space.rank()) {
        for_axes(space, axis + 1, width, point, body);
      } else {
        const std::uint16_t before = std::exchange(lanes, step);
        body(point);
        lanes = before;
      }
      point.pop_back();
    });
  };
  if (axis + 1 < space.rank() || width == 1) return loop(zero, n, 1);
  const auto known = b.known(n);
  if (known && *known % width == 0) return loop(zero, n, width);
  const Reg whole = b.sub(n, b.prim(Primitive::rem, {n, b.i64(width)}));
  loop(zero, whole, width);
  loop(whole, n, 1);
}

// --- slots ---

namespace {
// The extents of a slot's buffer: those of its levels, then the tile's.
Space slot_space(const TileProgram &p, const Slot &slot) {
  Space out;
  for (LevelId level : slot.levels)
    for (const Factor &f : p.levels[level].domain.factors) out.factors.push_back(f);
  for (const Factor &f : slot.type.space.factors) out.factors.push_back(f);
  return out;
}
} // namespace

static plan::BufferId slot_buffer(Lowering &l, SlotId id) {
  while (l.slot_buffers.size() < l.storage.slots.size()) l.slot_buffers.push({});
  if (l.slot_buffers[id].valid()) return l.slot_buffers[id];
  const Slot &slot = l.storage.slots[id];
  std::vector<Extent> shape;
  for (const Factor &f : slot_space(l.p, slot).factors) shape.push_back(f.extent);
  bool host = slot.depth == 0;
  for (LevelId level : slot.levels) host |= l.p.levels[level].depth == 1;
  return l.slot_buffers[id] = l.b.memory(host ? plan::AddressSpace::scratch : plan::AddressSpace::instance,
                                         l.unique_name(slot.name), slot.type.elem, std::move(shape));
}

// Where an element lies, or lanes of them; `step` from one lane to the next.
struct SlotPlace {
  plan::BufferId buffer;
  Reg offset; // a vector where the lanes do not lie side by side
};
static SlotPlace at_offset(Lowering &l, plan::BufferId buffer, Reg offset, Reg step, const Point &at) {
  const bool many = std::any_of(at.begin(), at.end(), [](const Coord &c) { return c.lane; });
  if (l.lanes == 1 || !many || l.b.known(step) == 1) return {buffer, offset};
  return {buffer, l.b.add(l.b.splat(offset, l.lanes), l.b.mul(l.b.splat(step, l.lanes), l.b.lane_ids(l.lanes)))};
}

static SlotPlace in_block(Lowering &l, const Lowering::TileOfBlock &tile, const Space &space, const Point &at) {
  Reg offset = l.b.i64(0), step = l.b.i64(0);
  auto side = [&](Reg first, const std::vector<DimId> &dims) {
    Reg position = l.b.i64(0), lane = l.b.i64(0);
    for (DimId dim : dims) {
      const auto d = static_cast<std::size_t>(space.find(dim));
      const Reg n = l.b.extent(space.factors[d].extent);
      position = l.b.add(l.b.mul(position, n), at[d].base);
      lane = l.b.mul(lane, n);
      if (at[d].lane) lane = l.b.add(lane, at[d].step.valid() ? at[d].step : l.b.i64(1));
    }
    offset = l.b.add(offset, l.b.add(first, position));
    step = l.b.add(step, lane);
  };
  side(tile.row, tile.row_dims);
  offset = l.b.mul(offset, l.b.i64(tile.cols));
  step = l.b.mul(step, l.b.i64(tile.cols));
  side(tile.col, tile.col_dims);
  return at_offset(l, tile.buffer, offset, step, at);
}

static SlotPlace slot_place(Lowering &l, SlotId id, const Point &at) {
  const Slot &slot = l.storage.slots[id];
  if (l.tile_of_block && l.tile_of_block->slot == id) return in_block(l, *l.tile_of_block, slot.type.space, at);
  const plan::BufferId buffer = slot_buffer(l, id);
  const Space space = slot_space(l.p, slot);
  Point full; // in the buffer, row-major
  for (LevelId level : slot.levels) {
    const Region &region = l.p.regions[l.p.ops[l.p.levels[level].op].regions[0]];
    for (std::size_t i = 0; i < l.p.levels[level].domain.rank(); ++i) full.push_back({l.scalar(region.args[i])});
  }
  full.insert(full.end(), at.begin(), at.end());
  Reg offset = l.b.i64(0), step = l.b.i64(0), stride = l.b.i64(1);
  for (std::size_t d = space.rank(); d-- > 0;) {
    offset = l.b.add(offset, l.b.mul(full[d].base, stride));
    if (full[d].lane) step = l.b.add(step, full[d].step.valid() ? l.b.mul(full[d].step, stride) : stride);
    if (d > 0) stride = l.b.mul(stride, l.b.extent(space.factors[d].extent));
  }
  return at_offset(l, buffer, offset, step, full);
}

void Lowering::store_slot(SlotId id, const Point &at, Reg value, Reg mask) {
  const SlotPlace place = slot_place(*this, id, at);
  b.store(place.buffer, place.offset, wide(value), mask.valid() ? wide(mask) : mask);
}

Reg Lowering::load_slot(SlotId id, const Point &at, Reg mask) {
  const SlotPlace place = slot_place(*this, id, at);
  const bool many = std::any_of(at.begin(), at.end(), [](const Coord &c) { return c.lane; });
  if (b.type(place.offset).lanes > 1) return b.gather(place.buffer, place.offset, mask);
  return b.load(place.buffer, place.offset, many ? lanes : std::uint16_t{1}, mask);
}

void Lowering::store_tile(ValueId v, SlotId slot) {
  const Op &op = p.ops[p.values[v].op];
  const TileType &type = p.values[v].type;
  for_levels(storage.slots[slot].levels, 0, [&] {
    switch (op.kind) {
    case OpKind::reduce:
      if (type.space.rank() > 0) return store_reduce(op, slot);
      break;
    case OpKind::scan: return store_scan(op, slot);
    case OpKind::mma:
      if (type.space.rank() > 0) return store_mma(op, slot);
      break;
    case OpKind::insert: {
      give(slot, op.operands[0]);
      const ValueId piece = op.operands[1];
      const TileType &small = p.values[piece].type;
      Regs origin, extents;
      for (std::size_t i = 0; i < type.space.rank(); ++i) {
        origin.push_back(this->origin(op.operands[2 + i]));
        extents.push_back(b.extent(type.space.factors[i].extent));
      }
      with_windows({piece}, [&] {
        for_space(small.space, type.elem, true, [&](const Point &at) {
          Point to;
          Reg mask = active(piece, at);
          for (std::size_t i = 0; i < type.space.rank(); ++i) {
            const int from = small.space.find(type.space.factors[i].dim);
            Coord c{origin[i], false};
            if (from >= 0) c = {b.add(origin[i], at[static_cast<std::size_t>(from)].base), at[static_cast<std::size_t>(from)].lane};
            to.push_back(c);
            const Reg where = coordinate(c);
            mask = both(mask, prim(Primitive::ge, {where, b.i64(0)}));
            mask = both(mask, prim(Primitive::lt, {where, extents[i]}));
          }
          store_slot(slot, to, element(piece, at), mask);
        });
      });
      return;
    }
    default: break;
    }
    with_windows({v}, [&] {
      for_space(type.space, type.elem, true, [&](const Point &at) { store_slot(slot, at, compute(v, at)); });
    });
  });
}

// --- windows ---

namespace {

struct Reads {
  std::vector<const Op *> loads;
  std::vector<ValueId> predicates;
};

// What computing the value element by element loads, and the predicates that it asks.
void find_reads(const Lowering &l, ValueId v, bool self, Reads &out, std::unordered_set<ValueId> &seen) {
  v = renamed(l.p, l.storage, v);
  if (!seen.insert(v).second) return;
  for (ValueId predicate : l.p.values[v].type.active) {
    out.predicates.push_back(renamed(l.p, l.storage, predicate));
    find_reads(l, predicate, false, out, seen);
  }
  const OpId def = l.p.values[v].op;
  if (!def.valid() || l.p.values[v].type.space.rank() == 0 || (!self && l.storage.slot[v].valid())) return;
  const Op &op = l.p.ops[def];
  if (!op.regions.empty()) return;
  if (op.kind == OpKind::load) out.loads.push_back(&op);
  for (ValueId operand : op.operands) find_reads(l, operand, false, out, seen);
}

} // namespace

void Lowering::with_windows(const std::vector<ValueId> &values, const std::function<void()> &nest, Reg also) {
  value_with_windows(values, [&] { nest(); return Regs{}; }, also);
}

Regs Lowering::value_with_windows(const std::vector<ValueId> &values, const std::function<Regs()> &nest, Reg also) {
  Reads reads;
  std::unordered_set<ValueId> seen;
  for (ValueId v : values) find_reads(*this, v, true, reads, seen);
  Reg whole = also;
  for (const Op *op : reads.loads) {
    const auto &attr = std::get<AccessAttr>(op->attr);
    if (attr.bounds != Bounds::zero) continue;
    for (std::size_t a = 0; a < attr.axes.size(); ++a)
      if (!fits(*op, a)) whole = both(whole, window_range(*op, a).whole);
  }
  std::vector<ValueId> holding = always;
  for (ValueId predicate : reads.predicates) {
    if (std::find(holding.begin(), holding.end(), predicate) != holding.end()) continue;
    const Reg condition = true_everywhere(predicate);
    if (!condition.valid()) continue;
    whole = both(whole, condition);
    holding.push_back(predicate);
  }
  auto in = [&](bool all_inside, std::vector<ValueId> all_holding) {
    Scope scope(*this);
    const bool before = std::exchange(inside, all_inside);
    all_holding.swap(always);
    Regs out = nest();
    always.swap(all_holding);
    inside = before;
    return out;
  };
  if (!whole.valid()) return in(true, always);
  return b.if_else(whole, [&] { return in(true, holding); }, [&] { return in(false, always); });
}

} // namespace tilenest::lowering
