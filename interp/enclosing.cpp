// SPDX-License-Identifier: Apache-2.0
// Enclosures of the machine's values: the states of tree reductions, and what must not depend on a freedom.
#include "interp/machine.h"
#include "semantics/space/element_count.h"

namespace tilenest {

void Machine::decide(const Instr &in, const Tile &t, std::int64_t count) {
  if (!t.spread || t.open) return;
  for (std::int64_t i = 0; i < count; ++i) {
    if (t.spread.as<Enclosure>()[i].is_point() || (t.active && !t.active.as<std::uint8_t>()[i])) continue;
    std::string name(info(in.source->kind).name);
    if (name.back() == '_') name.pop_back(); // a keyword of C++
    return options.sets->undecided(in.op, "it reaches a condition, coordinate or trip count of `" + name + "`");
  }
}

// Contracts that choose by a total order have one result for all trees.
static bool chooses(const std::string &contract) { return contract == "argmax" || contract == "argmin" || contract == "topk"; }

// rule: ADM-SET -- a float sum or product along any tree; other recognised merges are exact in any order.
void Machine::open_folds(Frame &f, Cursor &c) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  const std::size_t rank = plan.shape.size();
  std::size_t contributions = 0;
  for (std::int64_t point = 0; point < plan.total; ++point) contributions += enter_point(f, c, point);
  c.first_choice = options.sets->next_choices(contributions, plan.policy == ReductionPolicy::unordered_tree);
  for (std::size_t k = 0; k < plan.merges.size(); ++k) {
    const DomainPlan::Merge &merge = plan.merges[k];
    if (merge.contract) {
      if (plan.total == 0 || chooses(merge.name)) continue;
      if (const std::string why = open_contract(f, c, k); !why.empty()) options.sets->undecided(c.owner->op, why);
      continue;
    }
    if (!is_float(merge.type) || (merge.primitive != Primitive::add && merge.primitive != Primitive::mul)) continue;
    const std::size_t state = merge.states[0];
    Tile &t = f.slots[c.body->args[rank + state]];
    const std::int64_t count = element_count(plan.carried_shapes[state]);
    if (t.open) { // the reduce around this one goes on with it, whose leaves are no chains then
      BlockRef folds = private_copy(t.spread, static_cast<std::size_t>(count) * sizeof(OpenFold));
      for (std::int64_t i = 0; i < count; ++i) folds.as<OpenFold>()[i].known = false;
      t.spread = std::move(folds);
      continue;
    }
    BlockRef folds = block(static_cast<std::size_t>(count) * sizeof(OpenFold));
    for (std::int64_t i = 0; i < count; ++i) {
      OpenFold fold(merge.type);
      const bool active = !t.active || t.active.as<std::uint8_t>()[i];
      // rule: RED-SEED
      if (active) {
        const Enclosure seed = enclosure_of(t, merge.type, i);
        if (merge.primitive == Primitive::add) fold.sum.add(seed);
        else fold.product.multiply(seed);
        fold.known = seed.is_point() && seed.number;
        fold.seed = seed.low;
      }
      fold.chain = merge.neutral;
      folds.as<OpenFold>()[i] = fold;
    }
    t.spread = std::move(folds);
    t.open = true;
    c.opened.push_back(k);
  }
}

namespace {

// f(the merge, its state's open tile, elements) for each state that the reduce has opened.
template <class F> void for_opened(Frame &f, const Cursor &c, F &&visit) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  for (const std::size_t k : c.opened) {
    const DomainPlan::Merge &merge = plan.merges[k];
    Tile &t = f.slots[c.body->args[plan.shape.size() + merge.states[0]]];
    const std::int64_t count = element_count(plan.carried_shapes[merge.states[0]]);
    if (t.open) visit(merge, t, count);
  }
}

} // namespace

// The chain of the contribution that has ended is a leaf.
void Machine::end_contribution(Frame &f, const Cursor &c) {
  for_opened(f, c, [&](const DomainPlan::Merge &merge, Tile &t, std::int64_t count) {
    if (!t.spread.unique()) t.spread = private_copy(t.spread, static_cast<std::size_t>(count) * sizeof(OpenFold));
    for (std::int64_t i = 0; i < count; ++i) {
      OpenFold &fold = t.spread.as<OpenFold>()[i];
      fold.known &= fold.count < OpenFold::most_leaves;
      if (fold.known) fold.leaves[fold.count++] = fold.chain;
      fold.chain = merge.neutral;
    }
  });
}

void Machine::close_folds(Frame &f, const Cursor &c) {
  const bool unordered = static_cast<const DomainPlan &>(*c.owner->plan).policy == ReductionPolicy::unordered_tree;
  for_opened(f, c, [&](const DomainPlan::Merge &merge, Tile &t, std::int64_t count) {
    BlockRef spread = spread_block(static_cast<std::size_t>(count));
    bool any = false;
    for (std::int64_t i = 0; i < count; ++i) {
      const OpenFold &fold = t.spread.as<OpenFold>()[i];
      Enclosure &e = spread.as<Enclosure>()[i];
      e = merge.primitive == Primitive::add ? fold.sum.close(options.sets->add_error(merge.type), options.sets->mul_error(merge.type))
                                            : fold.product.close(options.sets->mul_error(merge.type));
      any |= !e.is_point();
      if (e.is_point()) continue;
      ReductionEvent event{c.first_choice, unordered, merge.primitive, merge.type, fold.seed, {}};
      if (fold.known) event.leaves.assign(fold.leaves.begin(), fold.leaves.begin() + fold.count);
      e.origin = options.sets->event(std::move(event), e.origin);
    }
    t.spread = any ? std::move(spread) : BlockRef();
    t.open = false;
  });
}

} // namespace tilenest
