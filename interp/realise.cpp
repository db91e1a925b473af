// SPDX-License-Identifier: Apache-2.0
// A reduce along a grouping that the chooser gave: chains of the body over blocks of contributions, partial results
// merged as the tree says. What a grouping is stands in grouping.h.
#include "interp/machine.h"
#include "semantics/space/element_count.h"

namespace tilenest {

// rule: RED-SET
void Machine::begin_realisation(Frame &f, std::size_t cursor) {
  Cursor &c = f.cursors[cursor];
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  const std::size_t rank = plan.shape.size();
  std::vector<std::int64_t> points;
  for (std::int64_t point = 0; point < plan.total; ++point)
    if (enter_point(f, c, point)) points.push_back(point);
  c.realisation = std::make_shared<Realisation>();
  c.realisation->grouping = choose_grouping(*options.chooser, std::move(points), plan.policy);
  for (std::size_t i = rank; i < c.body->args.size(); ++i) c.realisation->seed.push_back(f.slots[c.body->args[i]]);
  begin_chain(f, *c.owner, *c.realisation);
  next_contribution(f, cursor);
}

// rule: RED-TREE -- exactly one chain starts from the seed, the others from an identity.
void Machine::begin_chain(Frame &f, const Instr &in, Realisation &r) {
  const auto &plan = static_cast<const DomainPlan &>(*in.plan);
  const std::size_t rank = plan.shape.size();
  const Body &body = *in.bodies[0];
  auto state = [&](std::size_t i) -> Tile & { return f.slots[body.args[rank + i]]; };
  r.at = 0;
  if (r.grouping.leaves[r.leaf].seed || rule_broken(Rule::red_tree)) {
    for (std::size_t i = 0; i < r.seed.size(); ++i) state(i) = r.seed[i];
    return;
  }
  for (const DomainPlan::Merge &merge : plan.merges) {
    if (merge.contract) {
      const Body &identity = *in.bodies[merge.identity];
      run_pure(f, in, identity);
      for (std::size_t k = 0; k < merge.states.size(); ++k) state(merge.states[k]) = get(f, identity.yields[k]);
      continue;
    }
    const Tile &seed = r.seed[merge.states[0]];
    const std::size_t bytes = plan.carried_bytes[merge.states[0]];
    const std::int64_t count = element_count(plan.carried_shapes[merge.states[0]]);
    Tile t;
    t.data = block(static_cast<std::size_t>(count) * bytes);
    for (std::int64_t e = 0; e < count; ++e)
      std::memcpy(t.data.as<>() + e * static_cast<std::int64_t>(bytes), &merge.neutral, bytes);
    t.active = seed.active;
    t.written = seed.written;
    state(merge.states[0]) = std::move(t);
  }
}

// Puts the loop's cursor at the next contribution of the grouping, or behind the last one.
void Machine::next_contribution(Frame &f, std::size_t cursor) {
  const Instr &in = *f.cursors[cursor].owner;
  Realisation &r = *f.cursors[cursor].realisation;
  const auto &plan = static_cast<const DomainPlan &>(*in.plan);
  const std::size_t rank = plan.shape.size();
  for (;;) {
    const Grouping::Leaf &leaf = r.grouping.leaves[r.leaf];
    Cursor &c = f.cursors[cursor]; // merging moves the cursors
    if (r.at < leaf.contributions.size()) {
      c.round = leaf.contributions[r.at++];
      enter_point(f, c, c.round);
      c.pc = 0;
      return;
    }
    const Body &body = *in.bodies[0];
    r.parts.emplace_back();
    for (std::size_t i = rank; i < body.args.size(); ++i) r.parts.back().push_back(f.slots[body.args[i]]);
    for (std::size_t n = r.grouping.merges[r.leaf]; n > 0; --n) merge_parts(f, in, r);
    if (++r.leaf < r.grouping.leaves.size()) {
      begin_chain(f, in, r);
      continue;
    }
    for (std::size_t i = rank; i < body.args.size(); ++i) f.slots[body.args[i]] = std::move(r.parts.back()[i - rank]);
    Cursor &end = f.cursors[cursor];
    end.round = plan.total;
    end.pc = body.instrs.size();
    return;
  }
}

// The last two partial results become one.
void Machine::merge_parts(Frame &f, const Instr &in, Realisation &r) {
  const auto &plan = static_cast<const DomainPlan &>(*in.plan);
  const std::vector<Tile> right = std::move(r.parts.back());
  r.parts.pop_back();
  std::vector<Tile> &left = r.parts.back();
  for (const DomainPlan::Merge &merge : plan.merges) {
    if (merge.contract) {
      const Body &body = *in.bodies[merge.merge];
      const std::size_t n = merge.states.size();
      for (std::size_t k = 0; k < n; ++k) {
        f.slots[body.args[k]] = left[merge.states[k]];
        f.slots[body.args[n + k]] = right[merge.states[k]];
      }
      run_pure(f, in, body);
      for (std::size_t k = 0; k < n; ++k) left[merge.states[k]] = get(f, body.yields[k]);
      continue;
    }
    const std::size_t i = merge.states[0];
    const std::int64_t count = element_count(plan.carried_shapes[i]);
    Tile t = left[i]; // its active points, notes and writers
    t.data = block(static_cast<std::size_t>(count) * plan.carried_bytes[i]);
    const RowOperand operands[2] = {{left[i].data.as<>(), 1}, {right[i].data.as<>(), 1}};
    merge.kernel(static_cast<std::size_t>(count), t.data.as<>(), operands, {});
    if (!t.notes) t.notes = right[i].notes;
    left[i] = std::move(t);
  }
}

// A body without effects, to its end. What is lifted in it is computed again, which nothing can observe.
void Machine::run_pure(Frame &f, const Instr &in, const Body &body) {
  const std::size_t depth = f.cursors.size();
  f.cursors.push_back({&body, &in, 0, 0, false, {}, {}, {}, {}});
  while (!stop) {
    Cursor &c = f.cursors.back();
    if (c.pc == c.body->instrs.size()) {
      if (f.cursors.size() == depth + 1) break;
      end_of_body(f);
      continue;
    }
    const Instr &next = c.body->instrs[c.pc++];
    if (options.laws) count_work(next);
    if (next.flow == Flow::leaf)
      next.step(*this, f, next);
    else
      begin_region(f, next);
  }
  f.cursors.resize(depth);
}

} // namespace tilenest
