// SPDX-License-Identifier: Apache-2.0
// The expression form of a reduction: one chain per result element, in the order of the operand's axes, from
// the identity that is neutral bit for bit. Strict right folds walk backwards.
#include "interp/machine.h"
#include "semantics/numerics/contract_kernels.h"
#include "semantics/rules/fold.h"

namespace tilenest {

namespace {

struct FoldPlan : Plan {
  FoldKernels kernels;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> shape;       // the operand's
  std::vector<std::int64_t> out_strides; // over the operand's dims; 0 along reduced ones
  std::int64_t count = 1, in_count = 1;
  std::size_t bytes = 0;
  bool right = false;
  std::vector<StridedLoops> kept;        // [result, predicate] per predicate that the result keeps
  std::vector<std::int64_t> kept_counts;
};

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
  if (plan.in_count == 0) return m.set(f, in, std::move(out));
  const std::vector<std::int64_t> own = row_major(plan.shape);
  const StridedLoops loops(plan.shape, {plan.out_strides, own});
  const std::int64_t n = loops.extents.back(), out_step = loops.strides[0].back(), in_step = loops.strides[1].back();
  for (std::uint32_t lane = 0; lane < x.lanes; ++lane) {
    std::byte *to = out.data.as<>() + lane * plan.count * size;
    const std::byte *from = x.data.as<>() + lane * plan.in_count * size;
    const std::uint8_t *active = x.active ? x.active.as<std::uint8_t>() + lane * plan.in_count : nullptr;
    if (rule_broken(Rule::idx_pred)) active = nullptr;
    auto row = [&](std::int64_t o, std::int64_t i) {
      if (active || plan.right || (out_step != 0 && (out_step != 1 || in_step != 1))) {
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int64_t j = plan.right ? n - 1 - k : k;
          if (!active || active[i + j * in_step])
            plan.kernels.chain(1, to + (o + j * out_step) * size, from + (i + j * in_step) * size, 1, nullptr);
        }
      } else if (out_step == 0) {
        plan.kernels.chain(static_cast<std::size_t>(n), to + o * size, from + i * size, in_step, nullptr);
      } else {
        plan.kernels.columns(1, static_cast<std::size_t>(n), to + o * size, from + i * size, n, nullptr);
      }
    };
    if (!plan.right) {
      loops.for_rows([&](const std::int64_t *o) { row(o[0], o[1]); });
    } else {
      std::vector<std::pair<std::int64_t, std::int64_t>> rows;
      loops.for_rows([&](const std::int64_t *o) { rows.emplace_back(o[0], o[1]); });
      for (std::size_t r = rows.size(); r-- > 0;) row(rows[r].first, rows[r].second);
    }
  }
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
  plan->kernels = find_fold_kernels(rules::fold_primitive(attr.reducer), elem);
  if (!plan->kernels) return c.unsupported(op, "`reduce` on " + std::string(to_string(elem)));
  plan->seed = rules::fold_identity(attr.reducer, elem);
  plan->shape = c.info(op.operands[0]).shape;
  plan->out_strides = c.strides_over(op.results[0], c.type(op.operands[0]).space);
  plan->count = c.info(op.results[0]).count;
  plan->in_count = c.info(op.operands[0]).count;
  plan->bytes = byte_size(elem);
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
