// SPDX-License-Identifier: Apache-2.0
// mma: blocks of the accumulator stay in registers while the contracted dims go by, a few rows by a few vectors of
// columns. Each element is one chain in ascending k from the accumulator; contraction where it is allowed.
#include "lower/lowering.h"
#include "semantics/program/signature.h"
#include <algorithm>

namespace tilenest::lowering {

namespace {

constexpr std::uint16_t block_rows = 4, block_vectors = 2;

struct Contraction {
  Lowering &l;
  const Op &op;
  const TileType &a, &b, &acc;
  MmaDims dims;
  bool fused;
  SlotId turned[2] = {}; // a copy of the operand with the accumulator's last dim last, in its type

  Contraction(Lowering &lowering, const Op &mma)
      : l(lowering), op(mma), a(type(0)), b(type(1)), acc(type(2)), dims(mma_dims(a.space, b.space, acc.space)),
        fused(is_float(acc.elem) && !l.options.strict && std::get<MmaAttr>(mma.attr).allow_contraction) {}

  const TileType &type(std::size_t i) const { return l.p.values[op.operands[i]].type; }

  // Where the point of the accumulator and the contracted coordinates stand in an operand.
  Point there(const TileType &operand, const Point &at, const std::vector<Coord> &k) const {
    Point out;
    for (const Factor &f : operand.space.factors) {
      const auto contracted = std::find(dims.contracted.begin(), dims.contracted.end(), f.dim);
      if (contracted != dims.contracted.end()) out.push_back(k[static_cast<std::size_t>(contracted - dims.contracted.begin())]);
      else out.push_back(at[static_cast<std::size_t>(acc.space.find(f.dim))]);
    }
    return out;
  }
  Reg converted(Reg x) const { return l.prim(Primitive::cast, {x}, acc.elem); }

  // Lanes along the accumulator's last dim would lie apart in an operand that has it elsewhere.
  bool lies_apart(std::size_t i) const {
    const Space &space = type(i).space;
    const DimId last = acc.space.factors.back().dim;
    if (space.find(last) < 0 || space.factors.back().dim == last || !type(i).active.empty()) return false;
    for (const Factor &f : space.factors)
      if (!f.extent.is_constant()) return false;
    return true;
  }
  Point turned_point(std::size_t i, const Point &at) const {
    Point out;
    const Space &space = type(i).space;
    const auto last = static_cast<std::size_t>(space.find(acc.space.factors.back().dim));
    for (std::size_t d = 0; d < at.size(); ++d)
      if (d != last) out.push_back(at[d]);
    out.push_back(at[last]);
    return out;
  }
  void turn(std::size_t i) {
    Slot slot;
    slot.type.elem = acc.elem;
    slot.name = "turned";
    slot.depth = static_cast<int>(l.open.size());
    const Space &space = type(i).space;
    const int last = space.find(acc.space.factors.back().dim);
    for (std::size_t d = 0; d < space.rank(); ++d)
      if (static_cast<int>(d) != last) slot.type.space.factors.push_back(space.factors[d]);
    slot.type.space.factors.push_back(space.factors[static_cast<std::size_t>(last)]);
    const SlotId to = l.storage.slots.push(std::move(slot));
    l.for_space(space, acc.elem, true, [&](const Point &at) { l.store_slot(to, turned_point(i, at), l.wide(converted(l.element(op.operands[i], at)))); });
    turned[i] = to;
  }
  Reg operand(std::size_t i, const Point &at) const {
    return turned[i].valid() ? l.load_slot(turned[i], turned_point(i, at)) : converted(l.element(op.operands[i], at));
  }

  // The points of a block after one coordinate of the contracted dims.
  Regs step(const std::vector<Point> &points, const std::vector<Coord> &k, const Regs &states) const {
    Lowering::Scope scope(l);
    Regs next;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point at_a = there(a, points[i], k), at_b = there(b, points[i], k);
      const Reg x = operand(0, at_a), y = operand(1, at_b);
      Reg s = fused ? l.prim(Primitive::fma, {x, y, states[i]}) : l.prim(Primitive::add, {states[i], l.prim(Primitive::mul, {x, y})});
      const Reg active = l.both(l.active(op.operands[0], at_a), l.active(op.operands[1], at_b));
      if (active.valid()) s = l.prim(Primitive::select, {active, s, states[i]});
      next.push_back(s);
    }
    return next;
  }
  Regs loop(std::size_t d, const std::vector<Point> &points, std::vector<Coord> &k, const Regs &states) const {
    if (d == dims.contracted.size()) return step(points, k, states);
    const Extent n = a.space.factors[static_cast<std::size_t>(a.space.find(dims.contracted[d]))].extent;
    return l.b.for_loop(l.b.i64(0), l.b.extent(n), 1, states, [&](Reg iv, const Regs &carried) {
      Lowering::Scope scope(l);
      k.push_back({iv, false});
      Regs next = loop(d + 1, points, k, carried);
      k.pop_back();
      return next;
    });
  }
  Regs results(const std::vector<Point> &points) const {
    Lowering::Scope scope(l);
    Regs states;
    const bool many = l.lanes > 1;
    for (const Point &at : points) {
      const Reg s = l.element(op.operands[2], at);
      states.push_back(many ? l.wide(s) : s);
    }
    std::vector<Coord> k;
    return loop(0, points, k, states);
  }
};

// Loops over the accumulator's space by blocks: `rows` of axis `row`, `block_vectors` vectors of the last.
struct Blocks {
  const Contraction &c;
  SlotId slot;
  std::size_t row;
  std::uint16_t width;

  void axis(std::size_t d, Point &at) const {
    Lowering &l = c.l;
    const std::size_t rank = c.acc.space.rank();
    const Reg n = l.b.extent(c.acc.space.factors[d].extent);
    auto loop = [&](Reg lo, Reg hi, std::int64_t step, auto &&body) {
      if (l.b.known(lo) && l.b.known(hi) && *l.b.known(lo) >= *l.b.known(hi)) return;
      l.b.for_each(lo, hi, step, [&](Reg iv) {
        Lowering::Scope scope(l);
        at[d].base = iv;
        body();
      });
    };
    auto multiple = [&](std::int64_t of) {
      if (const auto known = l.b.known(n)) return l.b.i64(*known - *known % of);
      return l.b.sub(n, l.b.prim(Primitive::rem, {n, l.b.i64(of)}));
    };
    if (d + 1 < rank) {
      if (d != row) return loop(l.b.i64(0), n, 1, [&] { axis(d + 1, at); });
      const Reg blocks = multiple(block_rows);
      loop(l.b.i64(0), blocks, block_rows, [&] { rows_(d, at, block_rows); });
      loop(blocks, n, 1, [&] { rows_(d, at, 1); });
      return;
    }
    const std::uint16_t rows = row < rank && row != d ? rows_now : std::uint16_t{1};
    const std::int64_t two = std::int64_t{width} * block_vectors;
    const Reg pairs = width > 1 ? multiple(two) : l.b.i64(0), whole = width > 1 ? multiple(width) : l.b.i64(0);
    loop(l.b.i64(0), pairs, two, [&] { block(at, rows, block_vectors, width); });
    loop(pairs, whole, width, [&] { block(at, rows, 1, width); });
    loop(whole, n, 1, [&] { block(at, rows, 1, 1); });
  }
  mutable std::uint16_t rows_now = 1;
  void rows_(std::size_t d, Point &at, std::uint16_t rows) const {
    rows_now = rows;
    axis(d + 1, at);
    rows_now = 1;
  }
  void block(const Point &at, std::uint16_t rows, std::uint16_t vectors, std::uint16_t lanes) const {
    Lowering &l = c.l;
    const std::uint16_t before = std::exchange(l.lanes, lanes);
    std::vector<Point> points;
    for (std::uint16_t r = 0; r < rows; ++r)
      for (std::uint16_t v = 0; v < vectors; ++v) {
        Point point = at;
        if (rows > 1) point[row].base = l.b.add(point[row].base, l.b.i64(r));
        point.back().base = l.b.add(point.back().base, l.b.i64(std::int64_t{v} * lanes));
        point.back().lane = lanes > 1;
        points.push_back(std::move(point));
      }
    const Regs out = c.results(points);
    for (std::size_t i = 0; i < points.size(); ++i) l.store_slot(slot, points[i], out[i]);
    l.lanes = before;
  }
};

} // namespace

// rule: MMA
Reg Lowering::mma_element(const Op &op, const Point &at) { return Contraction(*this, op).results({at})[0]; }

void Lowering::store_mma(const Op &op, SlotId slot) {
  Contraction c(*this, op);
  const Space &space = c.acc.space;
  Blocks blocks{c, slot, space.rank(), width_for(c.acc.elem)};
  for (std::size_t d = 0; d + 1 < space.rank(); ++d) // the last row axis, or any but the last
    if (std::find(c.dims.rows.begin(), c.dims.rows.end(), space.factors[d].dim) != c.dims.rows.end()) blocks.row = d;
  if (const auto n = space.factors.back().extent.constant())
    while (blocks.width > 1 && blocks.width > *n) blocks.width /= 2;
  with_windows({op.operands[0], op.operands[1], op.operands[2]}, [&] {
    for (std::size_t i = 0; i < 2; ++i) {
      c.turned[i] = {};
      if (blocks.width > 1 && blocks.row < space.rank() && c.lies_apart(i)) c.turn(i);
    }
    Point at(space.rank(), Coord{b.i64(0), false});
    blocks.axis(0, at);
  });
}

} // namespace tilenest::lowering
