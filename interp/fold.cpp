// SPDX-License-Identifier: Apache-2.0
// The expression form of a reduction: one chain per result element, in the order of the operand's axes, from
// the identity that is neutral bit for bit. Strict right folds walk backwards.
#include "interp/machine.h"
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/rules/fold.h"
#include <algorithm>

namespace tilenest {

namespace {

struct FoldPlan : Plan {
  FoldKernels kernels;
  Primitive primitive = Primitive::add;
  ScalarType type = ScalarType::f32;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> shape;       // the operand's
  std::vector<std::int64_t> out_strides; // over the operand's dims; 0 along reduced ones
  StridedLoops loops;                    // [result, operand]
  std::int64_t count = 1, in_count = 1;
  std::size_t bytes = 0;
  bool right = false;
  ReductionPolicy policy = ReductionPolicy::unordered_tree;
  bool widens = false;                   // NUM-ACC: a float sum or product that may have partial results in a wider format
  bool tracks_wrap = false;              // NUM-WRAP: integer sums and products that flow into a coordinate
  std::vector<StridedLoops> kept;        // [result, predicate] per predicate that the result keeps
  std::vector<std::int64_t> kept_counts;
};

bool is_tree(ReductionPolicy policy) { return policy == ReductionPolicy::unordered_tree || policy == ReductionPolicy::ordered_tree; }

// Result and contribution of each step of the chains, in the order of the fold.
std::vector<std::pair<std::int64_t, std::int64_t>> contributions_in_order(const FoldPlan &plan) {
  const StridedLoops loops(plan.shape, {plan.out_strides, row_major(plan.shape)});
  std::vector<std::pair<std::int64_t, std::int64_t>> order; // of result and contribution
  loops.for_rows([&](const std::int64_t *at) {
    for (std::int64_t k = 0; k < loops.extents.back(); ++k)
      order.emplace_back(at[0] + k * loops.strides[0].back(), at[1] + k * loops.strides[1].back());
  });
  if (plan.right) std::reverse(order.begin(), order.end());
  return order;
}

// The first step of a chain that left the type, for each result element of a lane; "" where a grouping other than the
// chain did.
std::vector<std::string> wrapped_steps(const FoldPlan &plan, const Tile &x, std::uint32_t lane) {
  const std::uint8_t *active = x.active ? x.active.as<std::uint8_t>() + lane * plan.in_count : nullptr;
  const auto order = contributions_in_order(plan);
  std::vector<std::uint64_t> state(static_cast<std::size_t>(plan.count), plan.seed);
  std::vector<std::string> out(static_cast<std::size_t>(plan.count));
  for (const auto &[o, i] : order) {
    if (active && !active[i]) continue;
    const auto at = static_cast<std::size_t>(o);
    const std::byte *from = x.data.as<>() + (lane * plan.in_count + i) * static_cast<std::int64_t>(plan.bytes);
    const std::uint64_t operands[] = {state[at], load_bits(plan.type, from)};
    const ScalarOutcome r = apply_scalar(plan.primitive, plan.type, plan.type, operands);
    if (r.wrapped && out[at].empty()) out[at] = wrap_text(plan.primitive, plan.type, operands, plan.type);
    state[at] = r.bits;
  }
  return out;
}

// rule: NUM-WRAP -- a fold that wrapped, or took what had wrapped, gives a wrapped result.
void note_wraps(Machine &m, Frame &f, const Instr &in, const Tile &x, Tile &out, const std::vector<std::uint8_t> &wrapped) {
  const auto &plan = static_cast<const FoldPlan &>(*in.plan);
  if (rule_broken(Rule::num_wrap)) return;
  out.notes = m.zeros(wrapped.size() * sizeof(Note));
  Note *notes = out.notes.as<Note>();
  const std::vector<std::int64_t> own = row_major(plan.shape);
  for (std::uint32_t lane = 0; lane < x.lanes; ++lane) {
    for (std::int64_t i = 0; i < plan.in_count && x.notes; ++i) {
      const Note n = x.notes.as<Note>()[lane * plan.in_count + i];
      if (!m.notes.is_wrap(n)) continue;
      std::int64_t o = 0;
      for (std::size_t d = 0; d < plan.shape.size(); ++d) o += i / own[d] % plan.shape[d] * plan.out_strides[d];
      notes[lane * plan.count + o] = m.notes.pass(n, in.op);
    }
    std::vector<std::string> steps;
    for (std::int64_t o = 0; o < plan.count; ++o) {
      if (!wrapped[static_cast<std::size_t>(lane * plan.count + o)] || notes[lane * plan.count + o]) continue;
      if (steps.empty() && m.names_notes()) steps = wrapped_steps(plan, x, lane);
      const std::string step = steps.empty() ? "" : steps[static_cast<std::size_t>(o)];
      notes[lane * plan.count + o] =
          m.make_note(f, in, lane, NoteKind::wrapped, o,
                      step.empty() ? "a step of the fold left " + std::string(to_string(plan.type))
                                   : step + ", in a step of the fold",
                      static_cast<int>(8 * plan.bytes));
    }
  }
}

// A partial result in f64 (NUM-ACC).
double wider(const FoldPlan &plan, double state, double x) { return plan.primitive == Primitive::add ? state + x : state * x; }

// rule: RED-TREE -- each result element along a grouping of its own, from the identity; a strict fold along its chain. In f64 where
// the chooser says so and the reduction may be wide.
void fold_along_groupings(Machine &m, const FoldPlan &plan, const Tile &x, Tile &out, std::uint8_t *wrapped, bool &any_wrapped) {
  const std::uint8_t *active = rule_broken(Rule::idx_pred) ? nullptr : x.active.as<std::uint8_t>();
  const auto size = static_cast<std::int64_t>(plan.bytes);
  const StridedLoops loops(plan.shape, {plan.out_strides, row_major(plan.shape)});
  std::vector<std::vector<std::int64_t>> contributions(static_cast<std::size_t>(plan.count));
  loops.for_rows([&](const std::int64_t *at) {
    for (std::int64_t k = 0; k < loops.extents.back(); ++k) {
      const std::int64_t element = at[1] + k * loops.strides[1].back();
      if (!active || active[element]) contributions[static_cast<std::size_t>(at[0] + k * loops.strides[0].back())].push_back(element);
    }
  });
  const bool wide = plan.widens && plan.type != ScalarType::f64 && m.options.chooser->choose(Freedom::grouping, 2) == 1;
  for (std::int64_t o = 0; o < plan.count; ++o) {
    std::vector<std::int64_t> &mine = contributions[static_cast<std::size_t>(o)];
    if (plan.right) std::reverse(mine.begin(), mine.end());
    const Grouping g = is_tree(plan.policy) ? choose_grouping(*m.options.chooser, std::move(mine), plan.policy) : Grouping{{{true, std::move(mine)}}, {0}};
    if (wide) {
      std::vector<double> sums;
      for (std::size_t leaf = 0; leaf < g.leaves.size(); ++leaf) {
        sums.push_back(value_as_f64(plan.type, plan.seed));
        for (const std::int64_t element : g.leaves[leaf].contributions)
          sums.back() = wider(plan, sums.back(), value_as_f64(plan.type, load_bits(plan.type, x.data.as<>() + element * size)));
        for (std::size_t n = g.merges[leaf]; n > 0; --n, sums.pop_back()) sums[sums.size() - 2] = wider(plan, sums[sums.size() - 2], sums.back());
      }
      store_bits(plan.type, out.data.as<>() + o * size, *literal_bits(sums[0], plan.type));
      continue;
    }
    std::vector<std::uint64_t> parts;
    std::uint8_t *mark = wrapped ? wrapped + o : nullptr;
    for (std::size_t leaf = 0; leaf < g.leaves.size(); ++leaf) {
      parts.push_back(plan.seed);
      for (std::int64_t element : g.leaves[leaf].contributions)
        any_wrapped |= plan.kernels.chain(1, &parts.back(), x.data.as<>() + element * size, 1, mark);
      for (std::size_t n = g.merges[leaf]; n > 0; --n) {
        any_wrapped |= plan.kernels.chain(1, &parts[parts.size() - 2], &parts.back(), 1, mark);
        parts.pop_back();
      }
    }
    std::memcpy(out.data.as<>() + o * size, &parts[0], plan.bytes);
  }
}

// rule: ADM-SET -- a float sum or product along any tree; other reducers, and strict folds, are one chain of enclosures.
void enclose_fold(Machine &m, const FoldPlan &plan, const Tile &x, Tile &out) {
  AdmittedSets &sets = *m.options.sets;
  const bool tree = is_tree(plan.policy);
  const bool sum = is_float(plan.type) && plan.primitive == Primitive::add, product = is_float(plan.type) && plan.primitive == Primitive::mul;
  const bool free = (tree && (sum || product)) || plan.widens;
  if (plan.widens && plan.type != ScalarType::f64 && plan.in_count > 0) sets.skip_choices(1);
  if (!tree && !free && !x.spread && !(is_float(plan.type) && declares(sets.profile, plan.primitive, plan.type))) return;
  const auto count = static_cast<std::size_t>(plan.count);
  std::vector<OpenFold> folds(free ? count : 0, OpenFold(plan.type));
  BlockRef spread = m.spread_block(count);
  auto *result = spread.as<Enclosure>();
  for (std::size_t o = 0; o < count; ++o) result[o] = Enclosure::of(plan.type, plan.seed);
  const auto order = contributions_in_order(plan);
  bool undefined = false;
  for (const auto &[o, i] : order) {
    if (x.active && !x.active.as<std::uint8_t>()[i]) continue;
    const Enclosure e = enclosure_of(x, plan.type, i);
    if (free && sum) {
      folds[static_cast<std::size_t>(o)].sum.add(e);
    } else if (free) {
      folds[static_cast<std::size_t>(o)].product.multiply(e);
    } else {
      const Enclosure operands[] = {result[o], e};
      result[o] = enclose(sets.profile, plan.primitive, plan.type, plan.type, operands, undefined);
    }
  }
  bool any = false;
  std::vector<std::vector<std::uint64_t>> leaves(tree ? count : 0);
  for (const auto &[o, i] : order)
    if (tree && (!x.active || x.active.as<std::uint8_t>()[i]))
      leaves[static_cast<std::size_t>(o)].push_back(load_bits(plan.type, x.data.as<>() + i * static_cast<std::int64_t>(plan.bytes)));
  for (std::size_t o = 0; o < count; ++o) {
    const bool unordered = plan.policy == ReductionPolicy::unordered_tree;
    const std::uint64_t first = tree && plan.in_count > 0 ? sets.next_choices(leaves[o].size(), unordered) : 0;
    if (free) result[o] = sum ? folds[o].sum.close(sets.add_error(plan.type), sets.mul_error(plan.type)) : folds[o].product.close(sets.mul_error(plan.type));
    any |= !result[o].is_point();
    if (!free || result[o].is_point()) continue;
    if (plan.widens) { // trees in the type do not give all its values
      result[o].origin = Enclosure::many;
      continue;
    }
    if (leaves[o].size() > OpenFold::most_leaves) leaves[o].clear();
    result[o].origin = sets.event({first, unordered, plan.primitive, plan.type, plan.seed, std::move(leaves[o])}, result[o].origin);
  }
  if (any) out.spread = std::move(spread);
}

// rule: RED-FOLD
void step_fold(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const FoldPlan &>(*in.plan);
  const Tile &x = m.get(f, in.operands[0]);
  if (x.notes) m.observe_tile(f, in, x, plan.in_count, "a contribution of `reduce`");
  Tile out;
  out.lanes = x.lanes;
  const auto size = static_cast<std::int64_t>(plan.bytes);
  out.data = m.block(static_cast<std::size_t>(plan.count) * x.lanes * plan.bytes);
  // rule: RED-SEED
  for (std::int64_t i = 0; i < plan.count * x.lanes; ++i)
    std::memcpy(out.data.as<>() + i * size, &plan.seed, plan.bytes);
  std::vector<std::uint8_t> wrapped(plan.tracks_wrap ? static_cast<std::size_t>(plan.count) * x.lanes : 0, 0);
  bool any_wrapped = false;
  const bool chosen = m.options.chooser && (is_tree(plan.policy) || plan.widens) && plan.in_count > 0;
  if (chosen) fold_along_groupings(m, plan, x, out, plan.tracks_wrap ? wrapped.data() : nullptr, any_wrapped);
  const StridedLoops &loops = plan.loops;
  const std::int64_t n = loops.extents.back(), out_step = loops.strides[0].back(), in_step = loops.strides[1].back();
  for (std::uint32_t lane = 0; lane < x.lanes && plan.in_count > 0 && !chosen; ++lane) {
    std::uint8_t *marks = plan.tracks_wrap ? wrapped.data() + lane * plan.count : nullptr;
    std::byte *to = out.data.as<>() + lane * plan.count * size;
    const std::byte *from = x.data.as<>() + lane * plan.in_count * size;
    const std::uint8_t *active = x.active ? x.active.as<std::uint8_t>() + lane * plan.in_count : nullptr;
    if (rule_broken(Rule::idx_pred)) active = nullptr;
    if (active && !std::memchr(active, 0, static_cast<std::size_t>(plan.in_count))) active = nullptr; // no gaps
    auto row = [&](std::int64_t o, std::int64_t i) {
      if (active && !plan.right && out_step == 0 && in_step == 1) { // the chain goes on over the runs of active points
        const std::uint8_t *flags = active + i;
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int64_t first = k;
          while (k < n && flags[k]) ++k;
          if (k > first)
            any_wrapped |= plan.kernels.chain(static_cast<std::size_t>(k - first), to + o * size, from + (i + first) * size, 1,
                                              marks ? marks + o : nullptr);
        }
      } else if (active || plan.right || (out_step != 0 && (out_step != 1 || in_step != 1))) {
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int64_t j = plan.right ? n - 1 - k : k;
          if (!active || active[i + j * in_step])
            any_wrapped |= plan.kernels.chain(1, to + (o + j * out_step) * size, from + (i + j * in_step) * size, 1,
                               marks ? marks + o + j * out_step : nullptr);
        }
      } else if (out_step == 0) {
        any_wrapped |= plan.kernels.chain(static_cast<std::size_t>(n), to + o * size, from + i * size, in_step,
                                          marks ? marks + o : nullptr);
      } else {
        any_wrapped |= plan.kernels.columns(1, static_cast<std::size_t>(n), to + o * size, from + i * size, n,
                                            marks ? marks + o : nullptr);
      }
    };
    // Two dims: the chains of all rows together, or all rows into the columns.
    if (loops.extents.size() == 2 && !active && !plan.right && in_step == 1) {
      const auto rows = static_cast<std::size_t>(loops.extents[0]), cols = static_cast<std::size_t>(n);
      const std::int64_t out_row = loops.strides[0][0], in_row = loops.strides[1][0];
      if (out_step == 0 && out_row != 0 && !marks) {
        plan.kernels.chains(rows, cols, to, out_row, from, in_row);
        continue;
      }
      if (out_step == 1 && out_row == 0) {
        any_wrapped |= plan.kernels.columns(rows, cols, to, from, in_row, marks);
        continue;
      }
    }
    if (!plan.right) {
      loops.for_rows([&](const std::int64_t *o) { row(o[0], o[1]); });
    } else {
      std::vector<std::pair<std::int64_t, std::int64_t>> rows;
      loops.for_rows([&](const std::int64_t *o) { rows.emplace_back(o[0], o[1]); });
      for (std::size_t r = rows.size(); r-- > 0;) row(rows[r].first, rows[r].second);
    }
  }
  if (m.options.sets) enclose_fold(m, plan, x, out);
  if (any_wrapped || (plan.tracks_wrap && x.notes)) note_wraps(m, f, in, x, out, wrapped);
  // Predicates over kept dims alone stay with the result.
  if (!plan.kept.empty() && !rule_broken(Rule::idx_pred)) {
    out.active = m.block(static_cast<std::size_t>(plan.count) * x.lanes);
    std::memset(out.active.as<>(), 1, static_cast<std::size_t>(plan.count) * x.lanes);
    for (std::size_t p = 0; p < plan.kept.size(); ++p) {
      const Tile &t = m.get(f, in.operands[p + 1]);
      const StridedLoops &kept = plan.kept[p];
      for (std::uint32_t lane = 0; lane < x.lanes; ++lane)
        kept.for_rows([&](const std::int64_t *o) {
          auto *to = out.active.as<std::uint8_t>() + lane * plan.count + o[0];
          const auto *flag = t.data.as<std::uint8_t>() + (t.lanes > 1 ? lane * plan.kept_counts[p] : 0) + o[1];
          for (std::int64_t k = 0; k < kept.extents.back(); ++k)
            to[k * kept.strides[0].back()] &= flag[k * kept.strides[1].back()];
        });
    }
  }
  m.set(f, in, std::move(out));
}

} // namespace

void compile_reduce(Compiler &c, const Op &op, Instr &in) {
  auto plan = std::make_unique<FoldPlan>();
  const auto &attr = std::get<ReduceAttr>(op.attr);
  const ScalarType elem = c.type(op.operands[0]).elem;
  plan->primitive = rules::fold_primitive(attr.reducer);
  plan->type = elem;
  plan->kernels = find_fold_kernels(plan->primitive, elem);
  if (!plan->kernels) return c.unsupported(op, "`reduce` on " + std::string(to_string(elem)));
  plan->seed = rules::fold_identity(attr.reducer, elem);
  plan->shape = c.info(op.operands[0]).shape;
  plan->out_strides = c.strides_over(op.results[0], c.type(op.operands[0]).space);
  plan->loops = StridedLoops(plan->shape, {plan->out_strides, row_major(plan->shape)});
  plan->count = c.info(op.results[0]).count;
  plan->in_count = c.info(op.operands[0]).count;
  plan->bytes = byte_size(elem);
  plan->tracks_wrap = c.info(op.results[0]).tracks_wrap && plan->kernels.chain != nullptr &&
                      (attr.reducer == Reducer::add || attr.reducer == Reducer::mul);
  plan->policy = attr.policy;
  plan->widens = attr.wide_accumulation && is_float(elem) && (attr.reducer == Reducer::add || attr.reducer == Reducer::mul);
  plan->right = attr.policy == ReductionPolicy::fold_right && !rule_broken(Rule::red_fold);
  const TileType &result = c.type(op.results[0]);
  const std::vector<std::int64_t> &shape = c.info(op.results[0]).shape;
  for (ValueId predicate : result.active) { // read as further operands
    in.operands.push_back(c.ref(predicate, c.p.regions[op.parent].level));
    plan->kept.emplace_back(shape, std::vector{row_major(shape), c.strides_over(predicate, result.space)});
    plan->kept_counts.push_back(c.info(predicate).count);
  }
  in.plan = std::move(plan);
  in.step = step_fold;
}

} // namespace tilenest
