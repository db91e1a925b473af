// SPDX-License-Identifier: Apache-2.0
// The folds of all prefixes along one dim: one chain per row, in the order of the dim, backwards for suffixes, from
// the identity that is neutral bit for bit. Rows that stand side by side go together.
#include "interp/machine.h"
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/rules/fold.h"
#include "semantics/space/element_count.h"

namespace tilenest {

namespace {

struct ScanPlan : Plan {
  FoldKernels kernels;
  Primitive primitive = Primitive::add;
  ScalarType type = ScalarType::f32;
  std::uint64_t seed = 0;
  std::int64_t outer = 1, n = 1, inner = 1; // the elements before, along and behind the dim
  std::size_t bytes = 0;
  bool exclusive = false, reverse = false;
  bool tracks_wrap = false; // NUM-WRAP: integer sums and products that flow into a coordinate
};

// What the chains of one block of rows have come to.
struct Chains {
  std::vector<std::byte> state, before; // before the step under way, where wraps are looked for
  std::vector<Note> notes;          // the wrap that each remembers
  std::vector<std::uint8_t> wrapped; // in the step under way
};

// rule: NUM-WRAP -- what had wrapped goes on in all later prefixes; what wraps now is noted once.
void note_wraps(Machine &m, Frame &f, const Instr &in, std::uint32_t lane, std::int64_t row, const std::byte *from,
                const Note *taken, Chains &c) {
  const auto &plan = static_cast<const ScanPlan &>(*in.plan);
  for (std::size_t i = 0; i < c.notes.size(); ++i) {
    const auto element = row + static_cast<std::int64_t>(i);
    if (c.notes[i] == 0 && taken && m.notes.is_wrap(taken[i])) c.notes[i] = m.notes.pass(taken[i], in.op);
    if (c.notes[i] == 0 && c.wrapped[i]) {
      const std::uint64_t operands[] = {load_bits(plan.type, c.before.data() + i * plan.bytes),
                                        load_bits(plan.type, from + i * plan.bytes)};
      c.notes[i] = m.make_note(
          f, in, lane, NoteKind::wrapped, element,
          m.names_notes() ? wrap_text(plan.primitive, plan.type, operands, plan.type) + ", in a step of the scan" : "",
          static_cast<int>(8 * plan.bytes));
    }
    c.wrapped[i] = 0;
  }
}

// Sums and products of floats depend on the tree.
bool regroups(const ScanPlan &plan) {
  return is_float(plan.type) && (plan.primitive == Primitive::add || plan.primitive == Primitive::mul);
}

// rule: SCAN -- each prefix along an ordered tree of its own.
void scan_along_groupings(Machine &m, const ScanPlan &plan, const Tile &x, Tile &out) {
  const auto size = static_cast<std::int64_t>(plan.bytes);
  const auto *active = x.active.as<std::uint8_t>();
  for (std::int64_t o = 0; o < plan.outer; ++o)
    for (std::int64_t i = 0; i < plan.inner; ++i) {
      std::vector<std::int64_t> prefix; // elements
      for (std::int64_t k = 0; k < plan.n; ++k) {
        const std::int64_t at = (o * plan.n + (plan.reverse ? plan.n - 1 - k : k)) * plan.inner + i;
        if (active && !active[at]) continue;
        if (!plan.exclusive) prefix.push_back(at);
        const Grouping g = choose_grouping(*m.options.chooser, prefix, ReductionPolicy::ordered_tree);
        std::vector<std::uint64_t> parts;
        for (std::size_t leaf = 0; leaf < g.leaves.size(); ++leaf) {
          parts.push_back(plan.seed);
          for (const std::int64_t element : g.leaves[leaf].contributions)
            plan.kernels.chain(1, &parts.back(), x.data.as<>() + element * size, 1, nullptr);
          for (std::size_t n = g.merges[leaf]; n > 0; --n) {
            plan.kernels.chain(1, &parts[parts.size() - 2], &parts.back(), 1, nullptr);
            parts.pop_back();
          }
        }
        std::memcpy(out.data.as<>() + at * size, &parts[0], plan.bytes);
        if (plan.exclusive) prefix.push_back(at);
      }
    }
}

// rule: ADM-SET -- each prefix along any tree.
void enclose_scan(Machine &m, const ScanPlan &plan, const Tile &x, Tile &out) {
  AdmittedSets &sets = *m.options.sets;
  const bool sum = is_float(plan.type) && plan.primitive == Primitive::add, product = is_float(plan.type) && plan.primitive == Primitive::mul;
  if (!sum && !product && !x.spread) return;
  BlockRef spread = m.spread_block(static_cast<std::size_t>(plan.outer * plan.n * plan.inner));
  bool any = false, undefined = false;
  for (std::int64_t o = 0; o < plan.outer; ++o)
    for (std::int64_t i = 0; i < plan.inner; ++i) {
      OpenFold fold(plan.type);
      std::vector<std::uint64_t> leaves;
      Enclosure chain = Enclosure::of(plan.type, plan.seed);
      for (std::int64_t k = 0; k < plan.n; ++k) {
        const std::int64_t at = (o * plan.n + (plan.reverse ? plan.n - 1 - k : k)) * plan.inner + i;
        const auto give = [&] {
          Enclosure &e = spread.as<Enclosure>()[at];
          e = sum       ? fold.sum.close(sets.add_error(plan.type), sets.mul_error(plan.type))
              : product ? fold.product.close(sets.mul_error(plan.type))
                        : chain;
          any |= !e.is_point();
          if ((!sum && !product) || (x.active && !x.active.as<std::uint8_t>()[at])) return;
          const std::uint64_t first = sets.next_choices(leaves.size(), false);
          if (e.is_point()) return;
          ReductionEvent event{first, false, plan.primitive, plan.type, plan.seed, {}};
          if (leaves.size() <= OpenFold::most_leaves) event.leaves = leaves;
          e.origin = sets.event(std::move(event), e.origin);
        };
        if (plan.exclusive) give();
        if (!x.active || x.active.as<std::uint8_t>()[at]) {
          const Enclosure operands[] = {chain, enclosure_of(x, plan.type, at)};
          leaves.push_back(load_bits(plan.type, x.data.as<>() + at * static_cast<std::int64_t>(plan.bytes)));
          if (sum) fold.sum.add(operands[1]);
          else if (product) fold.product.multiply(operands[1]);
          else chain = enclose(sets.profile, plan.primitive, plan.type, plan.type, operands, undefined);
        }
        if (!plan.exclusive) give();
      }
    }
  if (any) out.spread = std::move(spread);
}

// rule: SCAN
void step_scan(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const ScanPlan &>(*in.plan);
  const Tile &x = m.get(f, in.operands[0]);
  const std::int64_t count = plan.outer * plan.n * plan.inner, size = static_cast<std::int64_t>(plan.bytes);
  if (x.notes) m.observe_tile(f, in, x, count, "a contribution of `scan`");
  Tile out;
  out.lanes = x.lanes;
  out.data = m.block(static_cast<std::size_t>(count * size) * x.lanes);
  if (x.active) {
    out.active = m.block(static_cast<std::size_t>(count) * x.lanes);
    if (count > 0) std::memcpy(out.active.as<>(), x.active.as<>(), static_cast<std::size_t>(count) * x.lanes);
  }
  const bool traced = (plan.tracks_wrap || x.notes) && !rule_broken(Rule::num_wrap);
  if (traced) out.notes = m.zeros(static_cast<std::size_t>(count) * x.lanes * sizeof(Note));
  const auto inner = static_cast<std::size_t>(plan.inner);
  const bool exclusive = plan.exclusive != rule_broken(Rule::scan);
  Chains chains{std::vector<std::byte>(inner * plan.bytes), {}, std::vector<Note>(traced ? inner : 0),
                std::vector<std::uint8_t>(traced ? inner : 0)};
  for (std::uint32_t lane = 0; lane < x.lanes && count > 0; ++lane) {
    const std::int64_t base = lane * count;
    for (std::int64_t o = 0; o < plan.outer; ++o) {
      for (std::size_t i = 0; i < inner; ++i) std::memcpy(chains.state.data() + i * plan.bytes, &plan.seed, plan.bytes);
      std::fill(chains.notes.begin(), chains.notes.end(), Note{});
      for (std::int64_t k = 0; k < plan.n; ++k) {
        const std::int64_t row = (o * plan.n + (plan.reverse ? plan.n - 1 - k : k)) * plan.inner, at = base + row;
        const auto give = [&] {
          std::memcpy(out.data.as<>() + at * size, chains.state.data(), chains.state.size());
          if (traced) std::copy(chains.notes.begin(), chains.notes.end(), out.notes.as<Note>() + at);
        };
        if (exclusive) give();
        const std::byte *from = x.data.as<>() + at * size;
        std::uint8_t *wrapped = traced && plan.tracks_wrap ? chains.wrapped.data() : nullptr;
        if (wrapped) chains.before = chains.state;
        if (!x.active || rule_broken(Rule::idx_pred)) {
          plan.kernels.columns(1, inner, chains.state.data(), from, plan.inner, wrapped);
        } else {
          for (std::size_t i = 0; i < inner; ++i)
            if (x.active.as<std::uint8_t>()[at + static_cast<std::int64_t>(i)])
              plan.kernels.chain(1, chains.state.data() + i * plan.bytes, from + i * plan.bytes, 1,
                                 wrapped ? wrapped + i : nullptr);
        }
        if (traced) note_wraps(m, f, in, lane, row, from, x.notes ? x.notes.as<Note>() + at : nullptr, chains);
        if (!exclusive) give();
      }
    }
  }
  if (m.options.chooser && regroups(plan)) scan_along_groupings(m, plan, x, out);
  if (m.options.sets) enclose_scan(m, plan, x, out);
  m.set(f, in, std::move(out));
}

} // namespace

void compile_scan(Compiler &c, const Op &op, Instr &in) {
  auto plan = std::make_unique<ScanPlan>();
  const auto &attr = std::get<ReduceAttr>(op.attr);
  const TileType &type = c.type(op.operands[0]);
  plan->primitive = rules::fold_primitive(attr.reducer);
  plan->type = type.elem;
  plan->kernels = find_fold_kernels(plan->primitive, type.elem);
  if (!plan->kernels) return c.unsupported(op, "`scan` on " + std::string(to_string(type.elem)));
  plan->seed = rules::fold_identity(attr.reducer, type.elem);
  const std::vector<std::int64_t> &shape = c.info(op.operands[0]).shape;
  const auto along = static_cast<std::size_t>(type.space.find(attr.dims[0]));
  if (c.info(op.operands[0]).count == 0) plan->outer = plan->n = plan->inner = 0; // their product may not fit
  for (std::size_t i = 0; i < shape.size() && plan->n > 0; ++i) (i < along ? plan->outer : i > along ? plan->inner : plan->n) *= shape[i];
  plan->bytes = byte_size(type.elem);
  plan->exclusive = attr.exclusive;
  plan->reverse = attr.reverse;
  plan->tracks_wrap = c.info(op.results[0]).tracks_wrap && (attr.reducer == Reducer::add || attr.reducer == Reducer::mul);
  in.plan = std::move(plan);
  in.step = step_scan;
}

} // namespace tilenest
