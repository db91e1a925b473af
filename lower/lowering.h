// SPDX-License-Identifier: Apache-2.0
// The lowering's state, private to lower/. Its functions are grouped by chapter: region.cpp (control), tile.cpp (loops
// over the elements of a tile), element.cpp (one element), coordinate.cpp (what addresses), access.cpp (views and memories), fold.cpp (reductions and
// scans), contract.cpp (mma), map_expression.cpp (coordinate maps).
#pragma once
#include "lower/builder.h"
#include "lower/lower.h"
#include "lower/storage.h"
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tilenest::lowering {

using plan::BufferId;
using plan::Reg;
using plan::Regs;

// A coordinate of the element that is computed; of lane i it is base + i where `lane`, base + i * step where that is set.
struct Coord {
  Reg base;
  bool lane = false;
  Reg step;
  friend auto operator<=>(const Coord &, const Coord &) = default;
};
using Point = std::vector<Coord>; // by position in a space

// Of integers, both ends included.
struct Range {
  __int128 low, high;
};

struct Lowering {
  Lowering(const TileProgram &program, const LowerOptions &lower_options);

  const TileProgram &p;
  const LowerOptions &options;
  StepTree tree;
  Storage storage;
  plan::Builder b;
  Diagnostics errors;

  // --- region.cpp ---
  void kernel();
  void emit(const Steps &steps);
  void emit_op(const Step &step);
  void open_level(const Step &step);
  void emit_parallel(const Step &step);
  void emit_loop(const Step &step);
  void emit_branch(const Step &step);
  void emit_switch(const Step &step, std::size_t arm, Regs &results);
  void emit_while(const Step &step);
  void emit_leaf(OpId id);
  void emit_effect(const Op &op, OpId id);
  // Loops over the instances of these levels that are not open, around `body`.
  void for_levels(const std::vector<LevelId> &levels, std::size_t at, const std::function<void()> &body);
  // Around the current operation, the levels whose loops are not open.
  std::vector<LevelId> closed_levels() const;
  // One value over the active instances of levels that are not open, in their order: next(value so far) in each.
  Reg over_instances(const std::vector<LevelId> &levels, std::size_t at, Reg state, const std::function<Reg(Reg)> &next);
  Reg decision(ValueId v);                       // a scalar on which all instances agree
  Reg reached();                                 // some active instance reaches the current operation; invalid: known
  void over_domain(const Space &domain, std::size_t axis, bool reversed, Regs &coords, Regs carried, Regs &out,
                   const std::function<Regs(const Regs &)> &body);
  void set_coordinates(RegionId body, const Regs &coords);
  Reg predicate(const Op &region_op, const Space &domain, const Regs &coords); // invalid: none
  void give(SlotId slot, ValueId v);             // the slot's tile becomes v
  void keep(ValueId v);                          // its own copy, where a newer definition will overwrite it
  void keep_arguments(const Op &op, std::size_t region);
  Regs region_yields(const Op &op, std::size_t region); // writes slots, returns what goes through registers
  void set_registers(const Op &op, RegionId region, const Regs &carried);
  bool in_register(const Op &op, std::size_t carry) const { return !storage.slot[op.results[carry]].valid(); }
  Regs incoming_registers(const Op &op);
  void unsupported(const Op &op, const std::string &what);

  // --- tile.cpp ---
  // Calls body(point) for every point of the space: along the last dim a vector at a time where `vectors`.
  using Body = std::function<void(const Point &)>;
  void for_space(const Space &space, ScalarType elem, bool vectors, const Body &body);
  void for_axes(const Space &space, std::size_t axis, std::uint16_t width, Point &point, const Body &body);
  std::uint16_t width_for(ScalarType elem) const;
  void store_tile(ValueId v, SlotId slot);
  void store_slot(SlotId slot, const Point &at, Reg value, Reg mask = {});
  Reg load_slot(SlotId slot, const Point &at, Reg mask = {});
  // A slot of the instance at hand that is part of a block's (packed_product.h): rows and columns from `row`, `col` on.
  struct TileOfBlock {
    SlotId slot;
    BufferId buffer;
    Reg row, col;
    std::int64_t cols; // of the buffer
    std::vector<DimId> row_dims, col_dims;
  };
  std::optional<TileOfBlock> tile_of_block;
  // Emits `nest` twice where windows of the values might leave their views, or points be inactive: for when none does or
  // is, and else.
  void with_windows(const std::vector<ValueId> &values, const std::function<void()> &nest, Reg also = {});
  Regs value_with_windows(const std::vector<ValueId> &values, const std::function<Regs()> &nest, Reg also = {});

  // --- element.cpp ---
  Reg element(ValueId v, const Point &at);
  Reg compute(ValueId v, const Point &at); // by its operation, whether it has a slot or not
  Reg scalar(ValueId v) { return element(v, {}); }
  Reg choose(Reg condition, Reg yes, Reg no); // also of types that nothing computes in
  Reg active(ValueId v, const Point &at); // invalid: everywhere
  Point project(const Point &at, const Space &from, const Space &to);
  Reg wide(Reg r) { return lanes > 1 && b.type(r).lanes == 1 ? b.splat(r, lanes) : r; }
  Reg coordinate(const Coord &c);
  Reg prim(Primitive primitive, Regs operands, std::optional<ScalarType> result = std::nullopt);
  Reg both(Reg a, Reg b); // `and` of two masks that may be absent

  // --- coordinate.cpp ---
  // Of all elements of an i64 value, both ends included; nothing where that is not simple, or could wrap.
  struct Bounds64 {
    Reg low, high;
  };
  std::optional<Bounds64> bounds_of(ValueId v);
  Reg true_everywhere(ValueId predicate); // a condition that is enough for it; invalid: none
  Range range_of(ValueId v, int depth = 0);
  Reg wrapped(ValueId v, const Point &at);       // invalid: nowhere
  Reg left_64_bits(Primitive primitive, Reg a, Reg c, Reg r);
  Reg both_or(Reg a, Reg b);
  Reg coordinate_of(ValueId v, const Point &at); // as i64; where no axis is if it wrapped
  Reg origin(ValueId v) { return coordinate_of(v, {}); }

  // --- access.cpp ---
  struct Address {
    BufferId buffer;
    Reg offset;     // scalar: of the first of lanes that lie side by side; else one per lane
    Reg mask;       // invalid: all
  };
  struct WindowRange {
    Reg origin, low, high; // local coordinates from low to below high are inside the view
    Reg whole;             // all of them are; invalid: known to be
  };
  BufferId buffer_of(ViewId view);
  Reg axis_extent(ViewId view, std::size_t axis) { return b.extent(p.views[view].space.factors[axis].extent); }
  // Element offset of a point of the view; of a vector of points where some coordinate has lanes.
  Reg view_offset(ViewId view, const std::vector<Coord> &at);
  Reg load_window(const Op &op, const Point &at);
  Reg load_indexed(const Op &op, const Point &at);
  void store_window(const Op &op);
  void store_indexed(const Op &op);
  WindowRange window_range(const Op &op, std::size_t axis);
  bool fits(const Op &op, std::size_t axis) const; // for every binding
  Address window_address(const Op &op, const Point &at, bool guarded);
  Address indexed_address(const Op &op, const Space &space, const Point &at);
  Reg guard(const Op &op, const Space &space, const Point &at, bool has_predicate, std::size_t operand); // bounds::predicate
  void allocate(const Op &op);

  // --- fold.cpp, contract.cpp ---
  Reg reduce(const Op &op, const Point &at); // one point of the result, or lanes of it
  void store_reduce(const Op &op, SlotId slot);
  void store_scan(const Op &op, SlotId slot);
  void store_mma(const Op &op, SlotId slot);
  Reg mma_element(const Op &op, const Point &at);

  // --- map_expression.cpp ---
  Reg map_output(const Map &map, int output, const Regs &inputs);
  Reg map_wrapped(const Map &map, int output, const Regs &inputs, const std::vector<Range> &ranges); // invalid: no

  // Registers of scalars, by scope.
  std::unordered_map<ValueId, Reg> regs;
  std::vector<ValueId> scoped;
  void define(ValueId v, Reg r) {
    regs[v] = r;
    scoped.push_back(v);
  }
  // Elements that were computed in this block, so that a value that is used twice is computed once.
  std::map<std::pair<ValueId, Point>, Reg> elements;
  std::vector<std::pair<ValueId, Point>> scoped_elements;
  struct Scope { // what is defined in a block is unknown behind it
    explicit Scope(Lowering &lowering) : l(lowering), first(l.scoped.size()), first_element(l.scoped_elements.size()) {}
    ~Scope() {
      for (; l.scoped.size() > first; l.scoped.pop_back()) l.regs.erase(l.scoped.back());
      for (; l.scoped_elements.size() > first_element; l.scoped_elements.pop_back()) l.elements.erase(l.scoped_elements.back());
    }
    Lowering &l;
    std::size_t first, first_element;
  };
  std::uint16_t lanes = 1; // of the point that is computed
  bool inside = false;     // every window lies in its view
  std::vector<ValueId> always; // predicates that hold at every point
  std::vector<LevelId> open; // levels whose coordinates are known, from depth 1 on
  std::unordered_set<std::string> names; // of buffers and launches
  std::string unique_name(std::string name);
  IdVector<SlotId, BufferId> slot_buffers;
  IdVector<ObjectId, BufferId> object_buffers;
  IdVector<ObjectId, std::vector<LevelId>> object_levels;
  OpId current;
};

} // namespace tilenest::lowering
