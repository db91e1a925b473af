// SPDX-License-Identifier: Apache-2.0
// Reductions and scans. A strict fold, and every fold of a strict plan, is one chain in its order; an unordered tree
// over the last axis folds vectors of partial results from the neutral element (RED-TREE).
#include "lower/lowering.h"
#include "semantics/rules/fold.h"
#include <algorithm>

namespace tilenest::lowering {

namespace {

constexpr std::size_t chains = 4; // vectors of partial results: the latency of an addition

struct Fold {
  Lowering &l;
  const Op &op;
  const ReduceAttr &attr;
  const TileType &in;
  Primitive primitive;
  bool right;

  Fold(Lowering &lowering, const Op &reduce)
      : l(lowering), op(reduce), attr(std::get<ReduceAttr>(reduce.attr)), in(lowering.p.values[reduce.operands[0]].type),
        primitive(rules::fold_primitive(attr.reducer)), right(attr.policy == ReductionPolicy::fold_right) {}

  Reg neutral(std::uint16_t lanes) const { return l.b.constant({in.elem, lanes}, rules::fold_identity(attr.reducer, in.elem)); }
  Reg step(Reg state, Reg x) const { return right ? l.prim(primitive, {x, state}) : l.prim(primitive, {state, x}); }
  bool reduced(std::size_t d) const { return std::find(attr.dims.begin(), attr.dims.end(), in.space.factors[d].dim) != attr.dims.end(); }

  // rule: IDX-PRED -- inactive points are skipped.
  Reg contribution(Reg state, const Point &at) const {
    Reg x = l.element(op.operands[0], at);
    if (l.b.type(state).lanes > 1 && l.b.type(x).lanes == 1) x = l.b.splat(x, l.b.type(state).lanes);
    const Reg next = step(state, x), there = l.active(op.operands[0], at);
    return there.valid() ? l.prim(Primitive::select, {there, next, state}) : next;
  }

  // One chain over the reduced axes from `d` on; the others stand at `at`.
  Reg chain(std::size_t d, Point &at, Reg state) const {
    if (d == in.space.rank()) return contribution(state, at);
    if (!reduced(d)) return chain(d + 1, at, state);
    const Reg n = l.b.extent(in.space.factors[d].extent);
    return l.b.for_loop(l.b.i64(0), n, 1, {state}, [&](Reg iv, const Regs &carried) {
      Lowering::Scope scope(l);
      at[d] = {right ? l.b.sub(l.b.sub(n, l.b.i64(1)), iv) : iv, false};
      return Regs{chain(d + 1, at, carried[0])};
    })[0];
  }

  bool vectors() const {
    const std::size_t last = in.space.rank() - 1;
    if (l.options.strict || attr.policy != ReductionPolicy::unordered_tree || l.lanes > 1 || !reduced(last)) return false;
    const auto n = in.space.factors[last].extent.constant();
    return l.width_for(in.elem) > 1 && !(n && *n < l.width_for(in.elem));
  }

  // Partial results: `chains` vectors and a scalar for the tails of the last axis.
  Regs vector_chains(std::size_t d, Point &at, Regs states) const {
    const Reg n = l.b.extent(in.space.factors[d].extent), zero = l.b.i64(0);
    if (d + 1 < in.space.rank()) {
      if (!reduced(d)) return vector_chains(d + 1, at, std::move(states));
      return l.b.for_loop(zero, n, 1, std::move(states), [&](Reg iv, const Regs &carried) {
        Lowering::Scope scope(l);
        at[d] = {iv, false};
        return vector_chains(d + 1, at, carried);
      });
    }
    const std::uint16_t width = l.width_for(in.elem);
    const auto block = static_cast<std::int64_t>(width * chains);
    const Reg blocks = l.b.sub(n, l.b.prim(Primitive::rem, {n, l.b.i64(block)}));
    const Reg whole = l.b.sub(n, l.b.prim(Primitive::rem, {n, l.b.i64(width)}));
    auto vector_step = [&](Reg state, Reg iv) {
      Lowering::Scope scope(l);
      const std::uint16_t before = std::exchange(l.lanes, width);
      at[d] = {iv, true};
      const Reg next = contribution(state, at);
      l.lanes = before;
      return next;
    };
    const Reg tail = states.back();
    states.pop_back();
    states = l.b.for_loop(zero, blocks, block, states, [&](Reg iv, const Regs &carried) {
      Regs next;
      for (std::size_t i = 0; i < chains; ++i)
        next.push_back(vector_step(carried[i], l.b.add(iv, l.b.i64(static_cast<std::int64_t>(i) * width))));
      return next;
    });
    states[0] = l.b.for_loop(blocks, whole, width, {states[0]}, [&](Reg iv, const Regs &carried) { return Regs{vector_step(carried[0], iv)}; })[0];
    states.push_back(l.b.for_loop(whole, n, 1, {tail}, [&](Reg iv, const Regs &carried) {
      Lowering::Scope scope(l);
      at[d] = {iv, false};
      return Regs{contribution(carried[0], at)};
    })[0]);
    return states;
  }

  Reg folded(Point &at) const {
    const std::uint16_t width = l.width_for(in.elem);
    Regs states(chains, neutral(width));
    states.push_back(neutral(1));
    states = vector_chains(0, at, std::move(states));
    Reg all = states[0];
    for (std::size_t i = 1; i < chains; ++i) all = l.b.prim(primitive, {all, states[i]});
    for (std::uint16_t n = width / 2; n > 0; n /= 2) {
      std::vector<std::uint16_t> low, high;
      for (std::uint16_t i = 0; i < n; ++i) low.push_back(i), high.push_back(static_cast<std::uint16_t>(n + i));
      all = l.b.prim(primitive, {l.b.shuffle({all}, low), l.b.shuffle({all}, high)});
    }
    return l.b.prim(primitive, {all, states.back()});
  }

  Point start(const Point &at) const {
    const Space &out = l.p.values[op.results[0]].type.space;
    Point full;
    for (const Factor &f : in.space.factors) {
      const int i = out.find(f.dim);
      full.push_back(i < 0 ? Coord{l.b.i64(0), false} : at[static_cast<std::size_t>(i)]);
    }
    return full;
  }
};

} // namespace

// rule: RED-FOLD, RED-SEED
Reg Lowering::reduce(const Op &op, const Point &at) {
  const Fold fold(*this, op);
  Point full = fold.start(at);
  Scope scope(*this);
  if (fold.in.space.rank() == 0) return fold.step(fold.neutral(1), element(op.operands[0], {}));
  if (fold.vectors()) return fold.folded(full);
  const bool many = lanes > 1 && std::any_of(at.begin(), at.end(), [](const Coord &c) { return c.lane; });
  return fold.chain(0, full, fold.neutral(many ? lanes : std::uint16_t{1}));
}

void Lowering::store_reduce(const Op &op, SlotId slot) {
  const Fold fold(*this, op);
  const Space &space = p.values[op.results[0]].type.space;
  // Lanes are results side by side where the operand's elements are too.
  const bool vectors = fold.in.space.factors.back().dim == space.factors.back().dim;
  with_windows({op.operands[0]}, [&] {
    for_space(space, fold.in.elem, vectors, [&](const Point &at) { store_slot(slot, at, reduce(op, at)); });
  });
}

// rule: SCAN
void Lowering::store_scan(const Op &op, SlotId slot) {
  const Fold fold(*this, op);
  const auto along = static_cast<std::size_t>(fold.in.space.find(fold.attr.dims[0]));
  Space others;
  for (std::size_t d = 0; d < fold.in.space.rank(); ++d)
    if (d != along) others.factors.push_back(fold.in.space.factors[d]);
  const bool vectors = along + 1 < fold.in.space.rank();
  const Reg n = b.extent(fold.in.space.factors[along].extent);
  with_windows({op.operands[0]}, [&] {
    for_space(others, fold.in.elem, vectors, [&](const Point &other) {
      b.for_loop(b.i64(0), n, 1, {fold.neutral(lanes)}, [&](Reg iv, const Regs &carried) {
        Scope scope(*this);
        Point at = other;
        at.insert(at.begin() + static_cast<std::ptrdiff_t>(along), Coord{fold.attr.reverse ? b.sub(b.sub(n, b.i64(1)), iv) : iv, false});
        const Reg next = fold.contribution(carried[0], at);
        store_slot(slot, at, fold.attr.exclusive ? carried[0] : next);
        return Regs{next};
      });
    });
  });
}

} // namespace tilenest::lowering
