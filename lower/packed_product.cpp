// SPDX-License-Identifier: Apache-2.0
// Finds products over instances and emits them in blocks.
#include "lower/packed_product.h"
#include "semantics/program/signature.h"
#include <algorithm>

namespace tilenest::lowering {

namespace {

// Elements of a block's accumulator along rows and columns and of a chunk along the contracted coordinates: the packed
// rows stay in a second-level cache, a panel of packed columns in a first-level one.
constexpr std::int64_t rows_of_block = 256, cols_of_block = 512, chunk_depth = 256;
constexpr std::int64_t most = 1024; // of a tile along each: what is larger is no small tile
constexpr std::int64_t vectors = 2, unrolled = 4; // of a micro-kernel's columns; contracted coordinates of its round

// --- finding ---

class Finder {
public:
  Finder(const Lowering &lowering, const Step &step) : l(lowering), p(lowering.p), opened(step) {}

  std::optional<PackedProduct> run() {
    const Level &level = p.levels[opened.opened];
    if (level.depth != 1 || !l.open.empty() || p.ops[level.op].control_operand_count() != 0 || level.domain.rank() == 0) return {};
    body_ = p.ops[level.op].regions[0];
    out.level = opened.opened;
    const Steps &steps = opened.bodies[0];
    const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step &s) { return accumulates(s); });
    if (at == steps.end()) return {};
    out.before = static_cast<std::size_t>(at - steps.begin());
    if (!(out.loop ? of_loop(*at) : of_mma(p.ops[at->op])) || !sides() || !sizes() || !apart(steps)) return {};
    return out;
  }

private:
  const Lowering &l;
  const TileProgram &p;
  const Step &opened;
  PackedProduct out;
  RegionId body_, round_;

  const Op *made_by(ValueId v) const {
    const OpId op = p.values[renamed(p, l.storage, v)].op;
    return op.valid() ? &p.ops[op] : nullptr;
  }

  bool accumulates(const Step &s) {
    if (s.opened.valid()) return false;
    const Op &op = p.ops[s.op];
    out.loop = op.kind == OpKind::serial || op.kind == OpKind::pipeline ? &op : nullptr;
    return out.loop || (op.kind == OpKind::mma && l.storage.slot[op.results[0]].valid());
  }

  // A loop that carries the accumulator and does nothing but take two operands and add their product.
  bool of_loop(const Step &s) {
    const Op &loop = *out.loop;
    const auto &attr = std::get<LoopAttr>(loop.attr);
    if (loop.carries.size() != 1 || attr.domain.rank() != 1 || attr.order.valid() || loop.control_operand_count() != 0) return false;
    round_ = loop.regions[0];
    const Region &region = p.regions[round_];
    const ValueId next = renamed(p, l.storage, region.yields[0]);
    const Op *mma = made_by(next);
    if (!mma || mma->kind != OpKind::mma || renamed(p, l.storage, mma->operands[2]) != region.args.back()) return false;
    out.mma = p.values[next].op;
    out.slot = l.storage.slot[loop.results[0]];
    out.initial = loop.operands[0];
    for (const Step &inner : s.bodies[0]) {
      if (inner.opened.valid() || !is_pure(p.ops[inner.op])) return false;
      for (ValueId v : p.ops[inner.op].results) {
        const bool operand = v == renamed(p, l.storage, mma->operands[0]) || v == renamed(p, l.storage, mma->operands[1]);
        if (v != next && !operand && l.storage.slot[v].valid()) return false;
        if (l.storage.kept[v].valid()) return false;
      }
    }
    for (ValueId v : region.args)
      if (l.storage.kept[v].valid()) return false;
    return out.slot.valid() && l.storage.slot[next] == out.slot && !l.storage.kept[loop.results[0]].valid();
  }
  bool of_mma(const Op &mma) {
    out.mma = p.values[mma.results[0]].op;
    out.slot = l.storage.slot[mma.results[0]];
    out.initial = mma.operands[2];
    const ValueId from = renamed(p, l.storage, out.initial);
    return l.storage.slot[from] != out.slot && !l.storage.kept[mma.results[0]].valid();
  }

  // The axes of the parallel and the regions that a value's elements depend on.
  struct Origins {
    std::vector<int> axes;
    bool carried = false; // the accumulator itself, or a region's result of this body
  };
  void trace(ValueId v, Origins &to, std::vector<ValueId> &seen) const {
    if (std::find(seen.begin(), seen.end(), v) != seen.end()) return;
    seen.push_back(v);
    const Value &value = p.values[v];
    if (!value.op.valid()) {
      if (value.region == body_) to.axes.push_back(value.index);
      else if (round_.valid() && value.region == round_) to.carried |= value.index != 0;
      return;
    }
    const Op &op = p.ops[value.op];
    if (!op.regions.empty()) to.carried |= inside(op.parent);
    if (op.regions.empty())
      for (ValueId x : op.operands) trace(x, to, seen);
    for (ValueId x : value.type.active) trace(x, to, seen);
  }
  bool inside(RegionId region) const {
    for (; region.valid(); region = p.regions[region].op.valid() ? p.ops[p.regions[region].op].parent : RegionId{})
      if (region == body_) return true;
    return false;
  }

  bool sides() {
    const Op &mma = p.ops[out.mma];
    const TileType &acc = p.values[mma.operands[2]].type;
    const MmaDims dims = mma_dims(p.values[mma.operands[0]].type.space, p.values[mma.operands[1]].type.space, acc.space);
    if (!dims.batch.empty() || dims.contracted.empty() || acc.space.rank() == 0) return false;
    for (ValueId v : mma.operands)
      if (!p.values[v].type.active.empty()) return false;
    out.contracted = dims.contracted;
    const DimId last = acc.space.factors.back().dim;
    const bool swapped = std::find(dims.rows.begin(), dims.rows.end(), last) != dims.rows.end();
    out.rows.position = swapped ? 1 : 0;
    out.cols.position = swapped ? 0 : 1;
    for (ProductSide *side : {&out.rows, &out.cols}) {
      side->operand = renamed(p, l.storage, mma.operands[side->position]);
      if (l.storage.uses[side->operand].size() != 1) return false;
      const std::vector<DimId> &mine = side->position == 0 ? dims.rows : dims.cols;
      for (const Factor &f : acc.space.factors) {
        if (std::find(mine.begin(), mine.end(), f.dim) == mine.end()) continue;
        side->dims.push_back(f.dim);
        const auto n = f.extent.constant();
        if (!n || *n < 1 || *n > most) return false;
        side->extent *= *n;
        if (side->extent > most) return false;
      }
    }
    if (out.cols.dims.empty()) return false;
    std::vector<int> axes[2];
    for (int i = 0; i < 2; ++i) {
      Origins from;
      std::vector<ValueId> seen;
      trace((i == 0 ? out.rows : out.cols).operand, from, seen);
      if (from.carried) return false;
      axes[i] = from.axes;
    }
    auto has = [&](int side, int axis) { return std::find(axes[side].begin(), axes[side].end(), axis) != axes[side].end(); };
    for (int axis = 0; axis < static_cast<int>(p.levels[out.level].domain.rank()); ++axis) {
      if (has(0, axis) && !has(1, axis)) out.rows.axis = axis;
      if (has(1, axis) && !has(0, axis)) out.cols.axis = axis;
    }
    return out.rows.axis >= 0 || out.cols.axis >= 0;
  }

  bool sizes() {
    const TileType &acc = p.values[p.ops[out.mma].operands[2]].type;
    if (acc.elem != ScalarType::f32 && acc.elem != ScalarType::f64 && acc.elem != ScalarType::i32) return false;
    if (l.width_for(acc.elem) < 2) return false;
    if (out.rows.axis >= 0) out.rows.instances = std::max<std::int64_t>(1, rows_of_block / out.rows.extent);
    if (out.cols.axis >= 0) out.cols.instances = std::max<std::int64_t>(1, cols_of_block / out.cols.extent);
    const Space &a = p.values[p.ops[out.mma].operands[0]].type.space;
    std::int64_t depth = 1;
    for (DimId d : out.contracted) {
      const auto n = a.factors[static_cast<std::size_t>(a.find(d))].extent.constant();
      if (!n || *n < 1 || *n > most || depth * *n > most) depth = 0;
      else depth *= *n;
      if (depth == 0) break;
    }
    if (out.loop) {
      if (depth == 0) return false;
      out.depth = depth;
      out.chunk = std::max<std::int64_t>(1, chunk_depth / depth);
      return true;
    }
    out.chunk = chunk_depth;
    return out.contracted.size() == 1;
  }

  // Nothing in the parallel sees that other instances' rounds come between an instance's own.
  bool apart(const Steps &steps) const {
    const Slot &slot = l.storage.slots[out.slot];
    if (!slot.levels.empty() || slot.joined) return false;
    for (std::size_t i = 0; i < out.before; ++i) {
      if (steps[i].opened.valid() || !is_pure(p.ops[steps[i].op])) return false;
      for (ValueId v : p.ops[steps[i].op].results) {
        if (v == out.rows.operand || v == out.cols.operand) continue;
        if (l.storage.slot[v].valid() || l.storage.kept[v].valid()) return false;
        const bool loads = p.ops[steps[i].op].kind == OpKind::load || p.ops[steps[i].op].kind == OpKind::gather;
        if (loads && p.values[v].type.space.rank() == 0) return false;
      }
    }
    for (std::size_t i = out.before + 1; i < steps.size(); ++i)
      if (sees_order(steps[i])) return false;
    return true;
  }
  bool sees_order(const Step &s) const {
    if (s.opened.valid()) return true;
    const Op &op = p.ops[s.op];
    if (op.kind == OpKind::memory) return true;
    const auto *window = std::get_if<AccessAttr>(&op.attr);
    const auto *indexed = std::get_if<IndexedAttr>(&op.attr);
    const bool adds = op.kind == OpKind::atomic || (op.kind == OpKind::scatter && indexed->reducer);
    // The reference adds floats in the order of the instances.
    if (l.options.strict && adds && is_float(p.views[window ? window->view : indexed->view].elem)) return true;
    for (const Steps &inner : s.bodies)
      for (const Step &step : inner)
        if (sees_order(step)) return true;
    return false;
  }
};

// --- emitting ---

class Emission {
public:
  Emission(Lowering &lowering, const Step &step, const PackedProduct &product)
      : l(lowering), b(lowering.b), p(lowering.p), opened(step), x(product), level(p.levels[product.level]), mma(p.ops[product.mma]),
        acc(p.values[mma.operands[2]].type), width(lowering.width_for(acc.elem)) {
    // As many rows as registers allow: 16 of them, 32 where they are wide.
    micro_rows = std::int64_t{width} * bit_width(acc.elem) >= 512 ? 12 : 6;
    micro_cols = vectors * width;
    rows = rounded(x.rows.extent * x.rows.instances, micro_rows);
    cols = rounded(x.cols.extent * x.cols.instances, micro_cols);
    depth = x.loop ? *x.depth * x.chunk : x.chunk;
  }

  void run() {
    const Space &domain = level.domain;
    Regs blocks;
    for (std::size_t d = 0; d < domain.rank(); ++d) {
      const Reg n = b.extent(domain.factors[d].extent);
      extents.push_back(n);
      const ProductSide *side = side_of(d);
      if (!side) {
        per.push_back({});
        blocks.push_back(n);
        continue;
      }
      // Blocks of one size, at least two of them, so that two threads have something to do.
      const Reg few = b.prim(Primitive::max, {quotient_up(n, b.i64(side->instances)), b.prim(Primitive::min, {n, b.i64(2)})});
      per.push_back(quotient_up(n, b.prim(Primitive::max, {few, b.i64(1)})));
      blocks.push_back(quotient_up(n, b.prim(Primitive::max, {per.back(), b.i64(1)})));
    }
    Lowering::Scope scope(l);
    l.open.push_back(x.level);
    b.launch(l.unique_name(level.name), blocks, [&](const Regs &coords) { block(coords); });
    l.open.pop_back();
  }

private:
  Lowering &l;
  plan::Builder &b;
  const TileProgram &p;
  const Step &opened;
  const PackedProduct &x;
  const Level &level;
  const Op &mma;
  const TileType &acc;
  const std::uint16_t width;
  std::int64_t micro_rows, micro_cols, rows, cols, depth;
  Regs extents, per; // of the domain's axes: instances; those of a block
  BufferId sums, packed_rows, packed_cols;

  static std::int64_t rounded(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
  Reg quotient_up(Reg n, Reg by) { return b.prim(Primitive::div, {b.add(n, b.sub(by, b.i64(1))), by}); }
  Reg rounded_up(Reg n, std::int64_t to) {
    if (to == 1) return n;
    return b.mul(b.prim(Primitive::div, {b.add(n, b.i64(to - 1)), b.i64(to)}), b.i64(to));
  }
  const ProductSide *side_of(std::size_t axis) const {
    if (static_cast<int>(axis) == x.rows.axis) return &x.rows;
    return static_cast<int>(axis) == x.cols.axis ? &x.cols : nullptr;
  }
  ValueId coordinate_value(std::size_t axis) const { return p.regions[p.ops[level.op].regions[0]].args[axis]; }

  struct Run { // the instances of a block along one side
    Reg first, count;
  };
  Run run_of(const ProductSide &side, const Regs &coords) {
    if (side.axis < 0) return {b.i64(0), b.i64(1)};
    const auto d = static_cast<std::size_t>(side.axis);
    const Reg first = b.mul(coords[d], per[d]);
    return {first, b.prim(Primitive::min, {per[d], b.sub(extents[d], first)})};
  }
  // body(i) for each, the coordinate of the side's axis being known.
  template <class F> void along(const ProductSide &side, const Run &run, F &&body) {
    if (side.axis < 0) return body(b.i64(0));
    b.for_each(b.i64(0), run.count, 1, [&](Reg i) {
      Lowering::Scope scope(l);
      l.define(coordinate_value(static_cast<std::size_t>(side.axis)), b.add(run.first, i));
      body(i);
    });
  }

  void block(const Regs &coords) {
    Lowering::Scope scope(l);
    for (std::size_t d = 0; d < coords.size(); ++d)
      if (!side_of(d)) l.define(coordinate_value(d), coords[d]);
    const Run r = run_of(x.rows, coords), c = run_of(x.cols, coords);
    sums = b.memory(plan::AddressSpace::instance, l.unique_name("sums"), acc.elem, {rows, cols});
    packed_rows = b.memory(plan::AddressSpace::instance, l.unique_name("packed_rows"), acc.elem, {rows, depth});
    packed_cols = b.memory(plan::AddressSpace::instance, l.unique_name("packed_cols"), acc.elem, {cols / micro_cols, depth, micro_cols});
    const Reg all_rows = b.mul(r.count, b.i64(x.rows.extent)), all_cols = b.mul(c.count, b.i64(x.cols.extent));
    const Reg full_rows = rounded_up(all_rows, micro_rows), full_cols = rounded_up(all_cols, micro_cols);
    clear_margin(all_rows, full_rows, all_cols, full_cols);
    const Steps &steps = opened.bodies[0];
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(x.before);
    instances(r, c, [&] {
      for (auto s = steps.begin(); s != middle; ++s)
        if (!is_operand(p.ops[s->op])) l.emit({*s});
      l.current = middle->op;
      l.give(x.slot, x.initial);
    });
    l.current = middle->op;
    b.at(x.mma);
    rounds(r, c, full_rows, full_cols);
    instances(r, c, [&] { l.emit(Steps(middle + 1, steps.end())); });
  }

  bool is_operand(const Op &op) const {
    return !op.results.empty() && (op.results[0] == x.rows.operand || op.results[0] == x.cols.operand);
  }
  template <class F> void instances(const Run &r, const Run &c, F &&body) {
    along(x.rows, r, [&](Reg i) {
      along(x.cols, c, [&](Reg j) {
        l.tile_of_block = Lowering::TileOfBlock{x.slot, sums, b.mul(i, b.i64(x.rows.extent)), b.mul(j, b.i64(x.cols.extent)), cols, x.rows.dims, x.cols.dims};
        body();
        l.tile_of_block.reset();
      });
    });
  }

  // Rows and columns that a micro-kernel computes and nobody has.
  void clear_margin(Reg all_rows, Reg full_rows, Reg all_cols, Reg full_cols) {
    const Reg zero = b.zero({acc.elem, 1});
    auto clear = [&](Reg from, Reg to, Reg n, auto &&offset, BufferId buffer) {
      if (b.known(from) && b.known(to) && *b.known(from) == *b.known(to)) return;
      b.for_each(from, to, 1, [&](Reg i) { b.for_each(b.i64(0), n, 1, [&](Reg k) { b.store(buffer, offset(i, k), zero); }); });
    };
    clear(all_rows, full_rows, full_cols, [&](Reg i, Reg k) { return b.add(b.mul(i, b.i64(cols)), k); }, sums);
    clear(all_cols, full_cols, all_rows, [&](Reg i, Reg k) { return b.add(b.mul(k, b.i64(cols)), i); }, sums);
    clear(all_rows, full_rows, b.i64(depth), [&](Reg i, Reg k) { return b.add(b.mul(i, b.i64(depth)), k); }, packed_rows);
    clear(all_cols, full_cols, b.i64(depth), [&](Reg i, Reg k) { return panel_offset(i, k); }, packed_cols);
  }
  Reg panel_offset(Reg col, Reg k) {
    const Reg panel = b.prim(Primitive::div, {col, b.i64(micro_cols)}), in_panel = b.prim(Primitive::rem, {col, b.i64(micro_cols)});
    return b.add(b.add(b.mul(panel, b.i64(depth * micro_cols)), b.mul(k, b.i64(micro_cols))), in_panel);
  }

  // Chunks of the contracted coordinates, in ascending order.
  void rounds(const Run &r, const Run &c, Reg full_rows, Reg full_cols) {
    const Reg n = x.loop ? b.extent(std::get<LoopAttr>(x.loop->attr).domain.factors[0].extent) : b.extent(contracted_extent());
    b.for_each(b.i64(0), n, x.chunk, [&](Reg first) {
      Lowering::Scope scope(l);
      const Reg count = b.prim(Primitive::min, {b.i64(x.chunk), b.sub(n, first)});
      pack(x.rows, r, first, count);
      pack(x.cols, c, first, count);
      micro_kernels(full_rows, full_cols, x.loop ? b.mul(count, b.i64(*x.depth)) : count);
    });
  }
  Extent contracted_extent() const {
    const Space &space = p.values[x.rows.operand].type.space;
    return space.factors[static_cast<std::size_t>(space.find(x.contracted[0]))].extent;
  }

  void pack(const ProductSide &side, const Run &run, Reg first, Reg count) {
    along(side, run, [&](Reg i) {
      const Reg base = b.mul(i, b.i64(side.extent));
      if (!x.loop) return l.with_windows({side.operand}, [&] { pack_tile(side, base, b.i64(0), first, count); });
      b.for_each(b.i64(0), count, 1, [&](Reg s) {
        Lowering::Scope scope(l);
        l.define(p.regions[x.loop->regions[0]].args[0], b.add(first, s));
        const Reg k = b.mul(s, b.i64(*x.depth));
        l.with_windows({side.operand}, [&] { pack_tile(side, base, k, {}, {}); });
      });
    });
  }
  // The operand's tile of one instance, its contracted coordinates (from `first` on, `count` of them, without a loop)
  // behind `k` others.
  void pack_tile(const ProductSide &side, Reg base, Reg k, Reg first, Reg count) {
    const Space &space = p.values[side.operand].type.space;
    const bool is_cols = &side == &x.cols;
    const Factor &last = space.factors.back();
    const bool last_is_contracted = std::find(x.contracted.begin(), x.contracted.end(), last.dim) != x.contracted.end();
    // Lanes along the columns lie in one panel.
    const bool vectors_fit = !is_cols || last_is_contracted || side.extent % width == 0;
    Point at;
    axis(space, 0, vectors_fit ? width : std::uint16_t{1}, first, count, at, [&] {
      Reg line = b.i64(0), depth_at = b.i64(0), line_step = b.i64(0), depth_step = b.i64(0);
      for (DimId d : side.dims) accumulate(space, d, at, line, line_step);
      for (DimId d : x.contracted) accumulate(space, d, at, depth_at, depth_step);
      if (first.valid()) depth_at = b.sub(depth_at, first);
      line = b.add(base, line);
      depth_at = b.add(k, depth_at);
      Reg value = of_this_body(side.operand) ? l.compute(side.operand, at) : l.element(side.operand, at);
      value = l.wide(l.prim(Primitive::cast, {value}, acc.elem));
      const bool many = l.lanes > 1;
      Reg offset, step;
      if (is_cols) {
        offset = panel_offset(line, depth_at);
        step = b.add(line_step, b.mul(depth_step, b.i64(micro_cols)));
      } else {
        offset = b.add(b.mul(line, b.i64(depth)), depth_at);
        step = b.add(b.mul(line_step, b.i64(depth)), depth_step);
      }
      if (many && b.known(step) != 1) offset = b.add(b.splat(offset, l.lanes), b.mul(b.splat(step, l.lanes), b.lane_ids(l.lanes)));
      b.store(is_cols ? packed_cols : packed_rows, offset, value);
    });
  }
  // Computed here, where the step that would store it is left out.
  bool of_this_body(ValueId v) const {
    const OpId op = p.values[v].op;
    return op.valid() && l.tree.loops[op].size() == 1;
  }
  // position = position * extent + coordinate
  void accumulate(const Space &space, DimId dim, const Point &at, Reg &position, Reg &step) {
    const auto d = static_cast<std::size_t>(space.find(dim));
    const Reg n = b.extent(space.factors[d].extent);
    position = b.add(b.mul(position, n), at[d].base);
    step = b.add(b.mul(step, n), b.i64(at[d].lane ? 1 : 0));
  }
  template <class F>
  void axis(const Space &space, std::size_t d, std::uint16_t most_lanes, Reg first, Reg count, Point &at, F &&body) {
    if (d == space.rank()) return body();
    const bool cut = first.valid() && space.factors[d].dim == x.contracted[0];
    const Reg lo = cut ? first : b.i64(0), n = cut ? count : b.extent(space.factors[d].extent);
    const Reg hi = cut ? b.add(first, count) : n;
    const bool is_last = d + 1 == space.rank();
    auto loop = [&](Reg from, Reg to, std::uint16_t step) {
      if (b.known(from) && b.known(to) && *b.known(from) >= *b.known(to)) return;
      b.for_each(from, to, step, [&](Reg iv) {
        Lowering::Scope scope(l);
        const std::uint16_t before = std::exchange(l.lanes, step);
        at.push_back({iv, step > 1});
        axis(space, d + 1, most_lanes, first, count, at, body);
        at.pop_back();
        l.lanes = before;
      });
    };
    if (!is_last || most_lanes == 1) return loop(lo, hi, 1);
    const auto known = b.known(n);
    const Reg whole = known ? b.i64(*known - *known % most_lanes) : b.sub(n, b.prim(Primitive::rem, {n, b.i64(most_lanes)}));
    const Reg middle = b.add(lo, whole);
    loop(lo, middle, most_lanes);
    if (!known || *known % most_lanes != 0) loop(middle, hi, 1);
  }

  // rule: MMA -- each element is one chain in ascending order of the contracted coordinates.
  void micro_kernels(Reg full_rows, Reg full_cols, Reg count) {
    const bool fused = is_float(acc.elem) && !l.options.strict && std::get<MmaAttr>(mma.attr).allow_contraction;
    const plan::Type vector{acc.elem, width};
    b.for_each(b.i64(0), full_cols, micro_cols, [&](Reg col) {
      b.for_each(b.i64(0), full_rows, micro_rows, [&](Reg row) {
        const Reg panel = b.mul(b.prim(Primitive::div, {col, b.i64(micro_cols)}), b.i64(depth * micro_cols));
        Regs offsets, lines, states;
        for (std::int64_t r = 0; r < micro_rows; ++r) {
          const Reg line = b.add(row, b.i64(r));
          lines.push_back(b.mul(line, b.i64(depth)));
          for (std::int64_t v = 0; v < vectors; ++v) {
            offsets.push_back(b.add(b.add(b.mul(line, b.i64(cols)), col), b.i64(v * width)));
            states.push_back(b.load(sums, vector, offsets.back()));
          }
        }
        auto step = [&](Regs now, Reg k) {
          Regs columns;
          for (std::int64_t v = 0; v < vectors; ++v)
            columns.push_back(b.load(packed_cols, vector, b.add(panel, b.add(b.mul(k, b.i64(micro_cols)), b.i64(v * width)))));
          for (std::size_t r = 0; r < lines.size(); ++r) {
            const Reg one = b.splat(b.load(packed_rows, b.add(lines[r], k), 1), width);
            for (std::size_t v = 0; v < columns.size(); ++v) {
              Reg &s = now[r * columns.size() + v];
              s = fused ? b.prim(Primitive::fma, {one, columns[v], s}) : b.add(s, b.mul(one, columns[v]));
            }
          }
          return now;
        };
        const Reg whole = b.sub(count, b.prim(Primitive::rem, {count, b.i64(unrolled)}));
        states = b.for_loop(b.i64(0), whole, unrolled, states, [&](Reg k, const Regs &carried) {
          Regs now = carried;
          for (std::int64_t u = 0; u < unrolled; ++u) now = step(std::move(now), b.add(k, b.i64(u)));
          return now;
        });
        if (!x.loop || *x.depth % unrolled != 0)
          states = b.for_loop(whole, count, 1, states, [&](Reg k, const Regs &carried) { return step(carried, k); });
        for (std::size_t i = 0; i < states.size(); ++i) b.store(sums, offsets[i], states[i]);
      });
    });
  }
};

} // namespace

std::optional<PackedProduct> find_packed_product(const Lowering &l, const Step &opened) { return Finder(l, opened).run(); }

void emit_packed_product(Lowering &l, const Step &opened, const PackedProduct &product) { Emission(l, opened, product).run(); }

} // namespace tilenest::lowering
