// SPDX-License-Identifier: Apache-2.0
// Enclosures of the states of the library's contracts `welford` and `logsumexp` after a reduce along any tree: while the
// reference's chain runs, each contribution is noted beside it; at the end one formula encloses what all trees give.
#include "interp/machine.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/sample_set.h"
#include "semantics/numerics/scaled_sum.h"
#include "semantics/space/element_count.h"
#include <type_traits>

namespace tilenest {

using Contribution = DomainPlan::Merge::Contribution;

struct ContractFolds {
  struct Fold {
    std::size_t merge;                // in the plan
    BlockRef samples, sums;           // by element of a state: SampleSet, ScaledSum; the one of the contribution's kind
    bool known = true;                // every contribution is: its counts, and that it has a value everywhere
  };
  std::vector<Fold> folds;
};

static_assert(std::is_trivially_copyable_v<SampleSet> && std::is_trivially_copyable_v<ScaledSum>); // they stand in blocks

namespace {

std::int64_t elements(const DomainPlan &plan, const DomainPlan::Merge &merge) { return element_count(plan.carried_shapes[merge.states[0]]); }

Enclosure number(ScalarType type, double v) { return Enclosure::of(type, *literal_bits(v, type)); }
bool is(ScalarType type, const Enclosure &e, double v) { return e.is_point() && e.number && value_as_f64(type, e.low) == v; }

// The bounds are for these operations without a declared error.
bool rounds_correctly(const TargetProfile &profile, ScalarType type) {
  for (const Primitive p : {Primitive::add, Primitive::sub, Primitive::mul, Primitive::div})
    if (declares(profile, p, type)) return false;
  return true;
}

std::string without_enclosure(const DomainPlan::Merge &merge, const std::string &why) {
  return "no enclosure is known for the trees of the contract" + (merge.name.empty() ? "" : " `" + merge.name + "`") + why;
}

} // namespace

std::string Machine::open_contract(Frame &f, Cursor &c, std::size_t at) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  const DomainPlan::Merge &merge = plan.merges[at];
  if (!merge.contribution) return without_enclosure(merge, merge.name.empty() ? "" : " with this body");
  const ScalarType type = merge.contribution->parts[0].type;
  if (!rounds_correctly(options.sets->profile, type)) return without_enclosure(merge, " with the arithmetic that the target declares");
  const auto state = [&](std::size_t i) -> const Tile & { return f.slots[c.body->args[plan.shape.size() + merge.states[i]]]; };
  const std::int64_t count = elements(plan, merge);
  const bool sample = merge.contribution->kind == Contribution::Kind::sample;
  ContractFolds::Fold fold{at, {}, {}, true};
  (sample ? fold.samples : fold.sums) = block(static_cast<std::size_t>(count) * (sample ? sizeof(SampleSet) : sizeof(ScaledSum)));
  for (std::size_t i = 0; i < merge.states.size(); ++i) fold.known &= !state(i).active && !state(i).open;
  for (std::int64_t e = 0; fold.known && e < count; ++e) {
    const auto seed = [&](std::size_t i) { return enclosure_of(state(i), type, e); };
    if (sample) {
      SampleSet &samples = *new (fold.samples.as<SampleSet>() + e) SampleSet(type);
      // rule: RED-SEED -- a sample among the others, if it is not the identity.
      if (is(type, seed(0), 0)) fold.known &= is(type, seed(1), 0) && is(type, seed(2), 0);
      else samples.add(seed(0), seed(1), seed(2));
    } else {
      ScaledSum &sum = *new (fold.sums.as<ScaledSum>() + e) ScaledSum(type);
      if (!is(type, seed(0), -infinity) || !is(type, seed(1), 0)) sum.add(seed(0), seed(1));
    }
  }
  if (!c.contract_folds) c.contract_folds = std::make_shared<ContractFolds>();
  c.contract_folds->folds.push_back(std::move(fold));
  return {};
}

void Machine::add_to_contracts(Frame &f, const Cursor &c) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  for (ContractFolds::Fold &fold : c.contract_folds->folds) {
    const DomainPlan::Merge &merge = plan.merges[fold.merge];
    const auto &parts = merge.contribution->parts;
    const std::vector<std::int64_t> &shape = plan.carried_shapes[merge.states[0]];
    const std::int64_t count = elements(plan, merge);
    std::vector<const Tile *> tiles;
    for (const Contribution::Part &part : parts) {
      tiles.push_back(&get(f, part.ref));
      fold.known &= (!tiles.back()->active || merge.contribution->block) && !tiles.back()->open;
    }
    if (!fold.known) continue;
    std::int64_t point[max_rank];
    for (std::int64_t e = 0; e < count; ++e) {
      coordinates(shape, e, point);
      const auto part = [&](std::size_t i) {
        std::int64_t k = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) k += point[d] * parts[i].strides[d];
        return enclosure_of(*tiles[i], parts[i].type, k);
      };
      if (merge.contribution->block) {
        std::int64_t first = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) first += point[d] * parts[0].strides[d];
        std::vector<Enclosure> terms;
        for (const std::int64_t k : merge.contribution->inner)
          if (!tiles[0]->active || tiles[0]->active.as<std::uint8_t>()[first + k]) terms.push_back(enclosure_of(*tiles[0], parts[0].type, first + k));
        fold.sums.as<ScaledSum>()[e].add_block(terms);
      } else if (merge.contribution->kind == Contribution::Kind::sample)
        fold.samples.as<SampleSet>()[e].add(part(0), part(1), parts.size() > 2 ? part(2) : number(parts[0].type, 0));
      else
        fold.sums.as<ScaledSum>()[e].add(part(0), parts.size() > 1 ? part(1) : number(parts[0].type, 1));
    }
  }
}

// rule: ADM-SET
void Machine::close_contracts(Frame &f, const Cursor &c) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  for (ContractFolds::Fold &fold : c.contract_folds->folds) {
    const DomainPlan::Merge &merge = plan.merges[fold.merge];
    const auto count = static_cast<std::size_t>(elements(plan, merge));
    const ScalarType type = merge.contribution->parts[0].type;
    const StepError exp = step_error(options.sets->profile, Primitive::exp, type);
    for (std::size_t e = 0; fold.known && fold.samples && e < count; ++e) fold.known = fold.samples.as<SampleSet>()[e].counted();
    if (!fold.known) {
      options.sets->undecided(c.owner->op, without_enclosure(merge, " with this seed or these counts"));
      continue;
    }
    std::vector<BlockRef> spreads;
    for (std::size_t i = 0; i < merge.states.size(); ++i) spreads.push_back(spread_block(count));
    for (std::size_t e = 0; e < count; ++e) {
      Enclosure sets[3];
      // One contribution alone has one tree, whose results the body itself gave.
      const bool alone = fold.sums ? fold.sums.as<ScaledSum>()[e].leaves() < 2 : fold.samples.as<SampleSet>()[e].samples() < 2;
      for (std::size_t i = 0; alone && i < spreads.size(); ++i)
        sets[i] = enclosure_of(f.slots[c.body->args[plan.shape.size() + merge.states[i]]], type, static_cast<std::int64_t>(e));
      if (!alone && fold.samples) {
        const SampleSet::Bounds b = fold.samples.as<SampleSet>()[e].close(merge.contribution->residual);
        sets[0] = b.count, sets[1] = b.mean, sets[2] = b.squares;
      } else if (!alone) {
        const ScaledSum::Bounds b = fold.sums.as<ScaledSum>()[e].close(exp, merge.contribution->guarded);
        sets[0] = b.top, sets[1] = b.sum;
      }
      for (std::size_t i = 0; i < spreads.size(); ++i) {
        if (!alone) sets[i].origin = sets[i].is_point() ? 0 : Enclosure::many;
        spreads[i].as<Enclosure>()[e] = sets[i];
      }
    }
    for (std::size_t i = 0; i < spreads.size(); ++i) {
      const auto *first = spreads[i].as<Enclosure>();
      const bool points = std::all_of(first, first + count, [](const Enclosure &e) { return e.is_point(); });
      f.slots[c.body->args[plan.shape.size() + merge.states[i]]].spread = points ? BlockRef() : std::move(spreads[i]);
    }
  }
}

} // namespace tilenest
