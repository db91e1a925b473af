// SPDX-License-Identifier: Apache-2.0
// States for trials of a contract's laws at a reduce: the chain of the body over each sequence of a few contributions,
// from the identity and from the seed, so that every state is one that a run may reach. Beside each value goes an
// enclosure of what real arithmetic gives. What is done with them is law_trials.cpp's.
#include "interp/machine.h"
#include "semantics/space/element_count.h"
#include <algorithm>

namespace tilenest {

namespace {

bool has_mark(const Machine &m, const Tile &t, std::int64_t count) {
  if (!t.notes) return false;
  for (std::int64_t i = 0; i < count; ++i)
    if (m.notes.is_mark(t.notes.as<Note>()[i])) return true;
  return false;
}

// Sequences of up to n positions, shorter ones first; contiguous ones in order where the merge does not commute.
std::vector<std::vector<std::uint8_t>> sequences(std::size_t n, bool any_order) {
  std::vector<std::vector<std::uint8_t>> out{{}};
  for (std::size_t from = 0; from < out.size(); ++from) {
    const std::vector<std::uint8_t> base = out[from];
    if (base.size() == n) break;
    for (std::uint8_t next = 0; next < n; ++next) {
      if (any_order ? std::find(base.begin(), base.end(), next) != base.end() : !base.empty() && next != base.back() + 1) continue;
      out.push_back(base);
      out.back().push_back(next);
    }
  }
  out.erase(out.begin());
  return out;
}

bool contains_sync(const TileProgram &p, RegionId region) {
  bool found = false;
  for_each_op(p, region, [&](const Op &op, OpId) { found |= op.kind == OpKind::sync; });
  return found;
}

} // namespace

// The states of contracts at their identities, others as they came.
Probing::State Machine::identity_state(Frame &f, const Instr &in, const std::vector<Tile> &seed) {
  Probing::State out{seed, true};
  const auto &plan = static_cast<const DomainPlan &>(*in.plan);
  options.sets->forget_undecided();
  for (const DomainPlan::Merge &merge : plan.merges) {
    if (!merge.contract) continue;
    const Body &identity = *in.bodies[merge.identity];
    run_pure(f, in, identity);
    for (std::size_t k = 0; k < merge.states.size(); ++k) out.tiles[merge.states[k]] = get(f, identity.yields[k]);
  }
  out.usable = options.sets->undecided().empty();
  return out;
}

// False: this reduce is not tried now.
bool Machine::begin_probing(Frame &f, std::size_t cursor) {
  Cursor &c = f.cursors[cursor]; // until something is merged, which moves the cursors
  const Instr &in = *c.owner;
  const Body &contribution = *c.body;
  const auto &plan = static_cast<const DomainPlan &>(*in.plan);
  LawProbe &probe = *options.laws;
  const ReductionAlgebra &algebra = p.algebras[std::get<LoopAttr>(in.source->attr).algebra];
  if (probing_ || algebra.contracts.empty() || f.lanes > 1 || !probe.tallies.contains({in.op, 0})) return false;
  if (probe.visited[in.op] >= probe.visits || contains_sync(p, in.source->regions[0])) return false;
  bool any_order = false;
  for (const ReductionAlgebra::Contract &contract : algebra.contracts) any_order |= contract.commutative;

  auto r = std::make_shared<Probing>();
  constexpr std::int64_t most_looked_at = 64;
  SeededChooser random(probe.seed);
  for (std::int64_t point = 0; point < std::min(plan.total, most_looked_at); ++point)
    if (enter_point(f, c, point)) r->points.push_back(point);
  if (r->points.empty()) return false;
  if (r->points.size() > probe.points) { // some of them, in the domain's order; contiguous ones where the order counts
    std::size_t n = r->points.size();
    const auto first = static_cast<std::ptrdiff_t>(random.choose(Freedom::grouping, n - probe.points + 1));
    if (any_order)
      for (; n > probe.points; --n) r->points.erase(r->points.begin() + static_cast<std::ptrdiff_t>(random.choose(Freedom::grouping, n)));
    else
      r->points = {r->points.begin() + first, r->points.begin() + first + static_cast<std::ptrdiff_t>(probe.points)};
  }
  ++probe.visited[in.op];
  const std::size_t rank = plan.shape.size();
  for (std::size_t i = rank; i < contribution.args.size(); ++i) r->seed.push_back(f.slots[contribution.args[i]]);
  r->states[{false, {}}] = identity_state(f, in, r->seed);
  Probing::State seed{r->seed, true};
  for (std::size_t i = 0; i < seed.tiles.size(); ++i) {
    const std::int64_t count = element_count(plan.carried_shapes[i]);
    seed.usable &= !has_mark(*this, seed.tiles[i], count);
  }
  if (seed.usable) r->states[{true, {}}] = std::move(seed);
  r->sequences = sequences(r->points.size(), any_order);
  for (const bool from_seed : {false, true})
    if (r->states.contains({from_seed, {}}))
      for (const std::vector<std::uint8_t> &over : r->sequences) r->todo.push_back({from_seed, over});
  std::stable_sort(r->todo.begin(), r->todo.end());
  r->work_end = probe.work + (probe.work_limit - std::min(probe.work, probe.work_limit)) / 2;
  f.cursors[cursor].probing = std::move(r);
  probing_ = true;
  next_chain(f, cursor);
  return true;
}

// Starts the next chain at its last contribution; behind the last chain the laws are tried and the reduce begins.
void Machine::next_chain(Frame &f, std::size_t cursor) {
  Cursor &c = f.cursors[cursor];
  const Instr &in = *c.owner;
  const auto &plan = static_cast<const DomainPlan &>(*in.plan);
  const std::size_t rank = plan.shape.size();
  Probing &r = *c.probing;
  auto put = [&](const std::vector<Tile> &tiles) {
    for (std::size_t i = 0; i < tiles.size(); ++i) f.slots[c.body->args[rank + i]] = tiles[i];
  };
  if (r.at < r.todo.size() && (r.at == 0 || options.laws->work < r.work_end)) {
    Probing::Chain before = r.todo[r.at];
    c.round = r.points[before.over.back()];
    before.over.pop_back();
    put(r.states.at(before).tiles);
    enter_point(f, c, c.round);
    c.pc = 0;
    options.sets->forget_undecided();
    return;
  }
  const std::shared_ptr<Probing> done = std::move(c.probing);
  try_laws(f, in, *done);
  probing_ = false;
  if (options.laws->done()) stop = true;
  Cursor &back = f.cursors[cursor]; // merging moves the cursors
  for (std::size_t i = 0; i < done->seed.size(); ++i) f.slots[back.body->args[rank + i]] = done->seed[i];
  back.round = -1;
  enter_loop_round(f, back);
}

void Machine::count_work(const Instr &in) {
  std::uint64_t made = 1;
  for (ValueId v : in.source->results) made += static_cast<std::uint64_t>(code.values[v].count);
  LawProbe &probe = *options.laws;
  probe.work += made;
  if (probe.work > probe.work_limit) stop = true;
}

void Machine::end_of_chain(Frame &f, std::size_t cursor) {
  Cursor &c = f.cursors[cursor];
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  const std::size_t rank = plan.shape.size();
  Probing &r = *c.probing;
  Probing::Chain chain = r.todo[r.at++], before = chain;
  before.over.pop_back();
  Probing::State &state = r.states[chain];
  state.usable = r.states.at(before).usable && options.sets->undecided().empty();
  for (std::size_t i = rank; i < c.body->args.size(); ++i) {
    state.tiles.push_back(f.slots[c.body->args[i]]);
    const std::int64_t count = element_count(plan.carried_shapes[i - rank]);
    state.usable &= !has_mark(*this, state.tiles.back(), count);
  }
  next_chain(f, cursor);
}

} // namespace tilenest
