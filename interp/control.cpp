// SPDX-License-Identifier: Apache-2.0
// Assignments, `per`, `assert`, and the plans of region operations. How regions run is machine.cpp.
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include "semantics/maps/order_check.h"
#include "semantics/reduction/contract_step.h"
#include "semantics/rules/fold.h"
#include "semantics/space/element_count.h"
#include <algorithm>

namespace tilenest {

namespace {

struct AssignPlan : Plan {
  AssignRole role;
  bool joined = false; // an ancestor's variable inside a parallel (UPD-JOIN)
  int depth = 0;       // of the assignment's anchor
  std::int64_t count = 1;
  std::vector<TileUse::Level> levels; // checked: the parallels whose variable it writes
};

// rule: UPD-JOIN -- a window assignment writes what its inserts cover, every other one all of the variable.
void note_writes(Machine &m, Frame &f, const Instr &in, const AssignPlan &plan, const Tile &t) {
  if (plan.role == AssignRole::collective) return;
  if (plan.role == AssignRole::own) {
    for (const TileUse::Level &level : plan.levels) m.touch_tile(f, in.op, level, true, 0, plan.count);
    return;
  }
  for (const WrittenSet &w : t.written) {
    if (w.depth != plan.depth) continue;
    for (std::int64_t e = 0; e < plan.count;) {
      const std::uint32_t op = w.writer(static_cast<std::size_t>(e));
      std::int64_t end = e + 1;
      while (end < plan.count && w.writer(static_cast<std::size_t>(end)) == op) ++end;
      if (op)
        for (const TileUse::Level &level : plan.levels) m.touch_tile(f, OpId(op - 1), level, true, e, end - e);
      e = end;
    }
  }
}

void step_assign(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const AssignPlan &>(*in.plan);
  Tile t = m.take(f, in.operands[0]);
  if (plan.joined && plan.role != AssignRole::window) {
    t.written.clear();
    const Tile &before = m.get(f, in.operands[1]);
    for (const WrittenSet &w : before.written)
      if (w.depth < plan.depth) t.written.push_back(w);
    if (plan.role == AssignRole::own) {
      t.written.push_back({plan.depth, in.op.index + 1, {}});
    }
  }
  if (!plan.levels.empty()) note_writes(m, f, in, plan, t);
  m.set(f, in, std::move(t));
}

void step_share(Machine &m, Frame &f, const Instr &in) { m.set(f, in, m.take(f, in.operands[0])); }

struct AssertPlan : Plan {
  std::string text;
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
};

void step_assert(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const AssertPlan &>(*in.plan);
  const Tile &t = m.get(f, in.operands[0]);
  if (t.notes) m.observe_tile(f, in, t, plan.count, "the condition of `assert`");
  for (std::uint32_t lane = 0; lane < t.lanes; ++lane)
    for (std::int64_t i = 0; i < plan.count; ++i) {
      const std::int64_t at = lane * plan.count + i;
      if (t.data.as<std::uint8_t>()[at] || (t.active && !t.active.as<std::uint8_t>()[at])) continue;
      if (t.notes && m.notes.is_mark(t.notes.as<Note>()[at])) continue; // reported as a mark
      m.cause(Code::A0001, in.op, in.op, [&] {
        Diagnostic d(Code::A0001, m.p.site(in.source->site), {{"text", plan.text}});
        if (plan.count > 1 || !plan.shape.empty()) d.note("at element " + Machine::element_text(plan.shape, i));
        d.note("by " + m.where(f, lane));
        return d;
      });
    }
}

// What a contribution puts to the states of a contract of the library; its values outlive the body.
std::optional<DomainPlan::Merge::Contribution> contribution_of(Compiler &c, const Op &op, const ReductionAlgebra::Contract &contract) {
  DomainPlan::Merge::Contribution out{};
  std::vector<ValueId> parts;
  if (contract.name == "welford") {
    const auto step = sample_step(c.p, op, contract);
    if (!step) return std::nullopt;
    out.kind = DomainPlan::Merge::Contribution::Kind::sample;
    out.residual = step->residual;
    parts = {step->count, step->mean, step->squares};
  } else if (contract.name == "logsumexp") {
    const auto step = scaled_step(c.p, op, contract);
    if (!step) return std::nullopt;
    out.kind = DomainPlan::Merge::Contribution::Kind::scaled;
    out.guarded = step->guarded;
    out.block = step->terms.valid();
    parts = out.block ? std::vector{step->terms} : std::vector{step->top, step->weight};
  } else {
    return std::nullopt;
  }
  if (!parts.back().valid()) parts.pop_back();
  const Space &space = c.p.variables[contract.states[0]].type.space;
  for (const ValueId v : parts) {
    const Ref ref = c.ref(v, c.p.regions[op.regions[0]].level);
    c.read_after[op.regions[0]].push_back(ref);
    out.parts.push_back({ref, c.type(v).elem, c.strides_over(v, space)});
    if (!out.block) continue;
    // The dims that a state lacks.
    const std::vector<std::int64_t> own = row_major(c.info(v).shape);
    out.inner = {0};
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (space.find(c.type(v).space.factors[d].dim) >= 0) continue;
      std::vector<std::int64_t> next;
      for (const std::int64_t at : out.inner)
        for (std::int64_t k = 0; k < c.info(v).shape[d]; ++k) next.push_back(at + k * own[d]);
      out.inner = std::move(next);
    }
  }
  return out;
}

// rule: RED-TREE -- what merges each state, for the policies that merge.
void plan_merges(Compiler &c, const Op &op, const ReductionAlgebra &algebra, DomainPlan &plan) {
  plan.policy = algebra.policy;
  const bool strict = plan.policy == ReductionPolicy::fold_left || plan.policy == ReductionPolicy::fold_right;
  if (strict && !c.laws) return;
  for (std::size_t i = 0; i < algebra.contracts.size(); ++i) {
    DomainPlan::Merge merge;
    merge.contract = true;
    merge.name = algebra.contracts[i].name;
    for (VarId s : algebra.contracts[i].states)
      merge.states.push_back(static_cast<std::size_t>(std::find(op.carries.begin(), op.carries.end(), s) - op.carries.begin()));
    merge.identity = 1 + 2 * i;
    merge.merge = 2 + 2 * i;
    if (c.admitted && !merge.name.empty()) merge.contribution = contribution_of(c, op, algebra.contracts[i]);
    plan.merges.push_back(std::move(merge));
  }
  for (std::size_t i = 0; i < op.carries.size(); ++i) {
    if (algebra.contract_of(op.carries[i]) || strict) continue;
    const OpKind by = algebra.states[i].merge.value_or(OpKind::add);
    const Reducer reducer = by == OpKind::mma ? Reducer::add : *reducer_of(by);
    const ScalarType elem = c.type(op.results[i]).elem;
    DomainPlan::Merge merge;
    merge.states = {i};
    merge.primitive = rules::fold_primitive(reducer);
    merge.type = elem;
    merge.kernel = find_row_kernel(merge.primitive, elem, elem);
    merge.neutral = rules::fold_identity(reducer, elem);
    plan.merges.push_back(std::move(merge));
  }
}

} // namespace

void compile_control(Compiler &c, const Op &op, Instr &in) {
  switch (op.kind) {
  case OpKind::assign: {
    auto plan = std::make_unique<AssignPlan>();
    const auto &attr = std::get<AssignAttr>(op.attr);
    const Variable &var = c.p.variables[attr.var];
    const LevelId here = c.p.regions[op.parent].level;
    plan->role = attr.role;
    plan->joined = op.operands.size() > 1 && var.owner.valid() && op.anchor.valid() &&
                   c.p.levels[here].depth > c.p.levels[var.owner].depth;
    plan->depth = op.anchor.valid() ? c.p.levels[op.anchor].depth : 0;
    if (plan->joined && plan->depth <= c.p.levels[var.owner].depth) plan->role = AssignRole::collective;
    plan->count = c.info(op.results[0]).count;
    if (plan->joined && c.checked) plan->levels = levels_written(c.p, op, plan->depth);
    in.plan = std::move(plan);
    in.step = step_assign;
    return;
  }
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: {
    auto plan = std::make_unique<DomainPlan>();
    const bool parallel = op.kind == OpKind::parallel;
    const Space &domain = parallel ? c.p.levels[std::get<ParallelAttr>(op.attr).level].domain
                                   : std::get<LoopAttr>(op.attr).domain;
    plan->shape = c.bound.shape(domain);
    plan->total = element_count(plan->shape);
    // A run of more points ends in no reasonable time; of an order or a map every point is remembered.
    if (parallel || op.kind == OpKind::reduce_region) plan->watched = c.watched(op.regions[0]);
    constexpr std::int64_t most_mapped = order_enumeration_limit;
    const std::int64_t most = plan->watched ? std::int64_t{UINT32_MAX} : std::int64_t{1} << 40; // strands are numbered in 32 bits
    const bool mapped = parallel ? c.p.levels[std::get<ParallelAttr>(op.attr).level].map.valid() && c.checked
                                 : std::get<LoopAttr>(op.attr).order.valid();
    if (plan->total > (mapped ? most_mapped : most)) {
      const std::string &name = parallel ? c.p.levels[std::get<ParallelAttr>(op.attr).level].name : std::get<LoopAttr>(op.attr).name;
      c.errors.emplace_back(Code::L0303, c.p.site(op.site), std::vector<std::pair<std::string, std::string>>{
          {"what", std::string("the domain of `") + name + "`" + (mapped ? ", which has a map of its own," : "")},
          {"count", std::to_string(plan->total)}, {"limit", std::to_string(mapped ? most_mapped : most)}});
      plan->total = 0;
    }
    plan->first_carry = op.control_operand_count();
    plan->has_predicate = plan->first_carry > 0;
    if (plan->has_predicate) {
      plan->predicate_strides = c.strides_over(op.operands[0], domain);
      plan->predicate_count = c.info(op.operands[0]).count;
    }
    for (std::size_t i = 0; i < op.carries.size(); ++i) {
      plan->carried.push_back(c.p.variables[op.carries[i]].name);
      plan->carried_shapes.push_back(c.info(op.results[i]).shape);
      plan->carried_bytes.push_back(c.info(op.results[i]).bytes);
    }
    if (parallel) {
      plan->routine = &c.code.routines[std::get<ParallelAttr>(op.attr).level];
    } else {
      const auto &loop = std::get<LoopAttr>(op.attr);
      // rule: CTX-SER -- binding has shown a bijection.
      if (loop.order.valid() && plan->total > 0 && !rule_broken(Rule::ctx_ser))
        plan->order = order_points(c.p.layouts[loop.order], plan->shape, c.bound.lookup());
      plan->contributions = op.kind == OpKind::reduce_region;
      // rule: RED-FOLD
      plan->reverse = loop.algebra.valid() && c.p.algebras[loop.algebra].policy == ReductionPolicy::fold_right &&
                      !rule_broken(Rule::red_fold);
      if (op.kind == OpKind::pipeline && rule_broken(Rule::pipe_ser)) plan->reverse = true;
      if (loop.algebra.valid()) plan_merges(c, op, c.p.algebras[loop.algebra], *plan);
    }
    in.plan = std::move(plan);
    return;
  }
  case OpKind::if_:
  case OpKind::switch_: {
    auto plan = std::make_unique<BranchPlan>();
    if (op.kind == OpKind::switch_) plan->cases = std::get<SwitchAttr>(op.attr).cases;
    plan->selector = c.type(op.operands[0]).elem;
    in.plan = std::move(plan);
    return;
  }
  default: return;
  }
}

void compile_meta(Compiler &c, const Op &op, Instr &in) {
  if (op.kind == OpKind::per) {
    in.step = step_share;
    return;
  }
  auto plan = std::make_unique<AssertPlan>();
  plan->text = std::get<AssertAttr>(op.attr).text;
  plan->shape = c.info(op.operands[0]).shape;
  plan->count = c.info(op.operands[0]).count;
  in.plan = std::move(plan);
  in.step = step_assert;
}

} // namespace tilenest
