// SPDX-License-Identifier: Apache-2.0
// A dynamic `parallel`: its instances in the reference order, their meetings at syncs, the maps of their paths.
// How the instances' writes of an ancestor's tile come together is in join.cpp.
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <functional>

namespace tilenest {

void Machine::begin_activation(Activation &a, Frame &f, const Instr &in) {
  a.parent = &f;
  a.instr = &in;
  a.plan = static_cast<const DomainPlan *>(in.plan.get());
  a.end = a.plan->total;
  if (a.plan->has_predicate) {
    a.predicate = get(f, in.operands[0]);
    if (a.predicate.notes) observe_tile(f, in, a.predicate, a.plan->predicate_count, "a domain's predicate");
  }
  for (std::size_t i = a.plan->first_carry; i < in.operands.size(); ++i) a.incoming.push_back(take(f, in.operands[i]));
  a.joins.resize(a.incoming.size());
  if (options.checked) a.touches.resize(a.incoming.size());
}

Frame *Machine::descend(Frame &f, const Instr &in) {
  activations_.push_back(std::make_unique<Activation>());
  Activation &a = *activations_.back();
  begin_activation(a, f, in);
  if (a.plan->watched && shadow) {
    a.id = shadow->strands.activation();
    begin_phase(a);
  }
  if (options.chooser) choose_order(a);
  if (a.plan->routine->has_sync) {
    // All instances live at once; each runs to its next meeting in turn.
    while (Frame *g = next_instance(a)) a.live.push_back(g);
    if (a.live.empty()) return finish_parallel(a);
    return a.live[0];
  }
  if (a.plan->concurrent && run_on_threads(a)) return finish_parallel(a);
  Frame *first = next_instance(a);
  return first ? first : finish_parallel(a);
}

void Machine::find_active(Activation &a) {
  const DomainPlan &plan = *a.plan;
  std::int64_t at[max_rank];
  for (std::int64_t point = 0; point < plan.total; ++point) {
    if (plan.has_predicate && !rule_broken(Rule::idx_pred)) {
      coordinates(plan.shape, point, at);
      std::int64_t k = 0;
      for (std::size_t d = 0; d < plan.shape.size(); ++d) k += at[d] * plan.predicate_strides[d];
      if (!a.predicate.data.as<std::uint8_t>()[k]) continue;
    }
    a.order.push_back(point);
  }
}

// rule: PAR-FREE -- any order of the instances is one; the choices of 0 give the reference's.
void Machine::choose_order(Activation &a) {
  find_active(a);
  for (std::size_t i = 0; i + 1 < a.order.size(); ++i)
    std::swap(a.order[i], a.order[i + options.chooser->choose(Freedom::order, a.order.size() - i)]);
  if (rule_broken(Rule::par_free) && a.order.size() > 1) a.order.pop_back();
}

// The next active instance, or the next row of them; null behind the last.
Frame *Machine::next_instance(Activation &a) {
  const DomainPlan &plan = *a.plan;
  const Routine &routine = *plan.routine;
  const std::size_t rank = plan.shape.size();
  const bool rows = routine.row_of_instances && !p.levels[routine.level].map.valid();
  const std::int64_t most = rows ? row_length : 1;
  // Runs of consecutive active points: first point, length.
  std::pair<std::int64_t, std::int64_t> runs[row_length];
  std::size_t run_count = 0;
  std::int64_t lanes = 0;
  if (options.chooser) {
    if (a.next == static_cast<std::int64_t>(a.order.size())) return nullptr;
    runs[run_count++] = {a.order[static_cast<std::size_t>(a.next++)], lanes = 1};
  } else if (!plan.has_predicate || rule_broken(Rule::idx_pred)) {
    lanes = std::min(most, a.end - a.next);
    if (lanes > 0) runs[run_count++] = {a.next, lanes};
    a.next += lanes;
  } else {
    std::int64_t at[max_rank];
    while (a.next < a.end && lanes < most) {
      const std::int64_t point = a.next++;
      coordinates(plan.shape, point, at);
      std::int64_t k = 0;
      for (std::size_t d = 0; d < rank; ++d) k += at[d] * plan.predicate_strides[d];
      if (!a.predicate.data.as<std::uint8_t>()[k]) continue;
      if (run_count > 0 && runs[run_count - 1].first + runs[run_count - 1].second == point)
        ++runs[run_count - 1].second;
      else
        runs[run_count++] = {point, 1};
      ++lanes;
    }
  }
  if (lanes == 0) return nullptr;
  Frame *f = new_frame(routine, a.parent, &a);
  f->lanes = static_cast<std::uint32_t>(lanes);
  f->instance = runs[0].first;
  if (a.strands) {
    f->strand = a.strands + static_cast<Strand>(f->instance);
    if (run_count > 1)
      for (std::size_t r = 0; r < run_count; ++r)
        for (std::int64_t i = 0; i < runs[r].second; ++i) f->lane_at.push_back(runs[r].first + i);
  }
  const Body &body = *routine.body;
  std::int64_t *coordinate[max_rank];
  for (std::size_t d = 0; d < rank; ++d) {
    Tile t;
    t.lanes = f->lanes;
    t.data = block(static_cast<std::size_t>(lanes) * sizeof(std::int64_t));
    coordinate[d] = t.data.as<std::int64_t>();
    f->slots[body.args[d]] = std::move(t);
  }
  std::int64_t lane = 0;
  for (std::size_t r = 0; r < run_count; ++r) {
    std::int64_t at[max_rank];
    coordinates(plan.shape, runs[r].first, at);
    for (std::int64_t left = runs[r].second; left > 0;) {
      // Along the last axis the others stand still.
      const std::int64_t n = std::min(left, plan.shape[rank - 1] - at[rank - 1]);
      for (std::size_t d = 0; d + 1 < rank; ++d) std::fill_n(coordinate[d] + lane, n, at[d]);
      for (std::int64_t i = 0; i < n; ++i) coordinate[rank - 1][lane + i] = at[rank - 1] + i;
      lane += n;
      left -= n;
      at[rank - 1] = 0;
      for (std::size_t d = rank - 1; d-- > 0;) {
        if (++at[d] < plan.shape[d]) break;
        at[d] = 0;
      }
    }
  }
  for (std::size_t i = 0; i < a.incoming.size(); ++i) f->slots[body.args[rank + i]] = a.incoming[i];
  if (p.levels[routine.level].map.valid() && options.checked) check_map(a, *f);
  return f;
}

Frame *Machine::instance_ended(Frame &f) {
  Activation &a = *f.activation;
  join(a, f);
  if (!a.live.empty()) return after_phase(a);
  release(&f);
  Frame *next = next_instance(a);
  return next ? next : finish_parallel(a);
}

// rule: SYNC -- the next instance of this phase, or, when all have met or ended, the next phase.
Frame *Machine::after_phase(Activation &a) {
  while (a.turn + 1 < a.live.size()) {
    Frame *next = a.live[++a.turn];
    if (next->state == FrameState::running) return next;
  }
  Frame *met = nullptr;
  for (Frame *f : a.live)
    if (f->state == FrameState::at_sync && !met) met = f;
  if (!met) {
    for (Frame *f : a.live) release(f);
    a.live.clear();
    return finish_parallel(a);
  }
  auto path = [](const Frame &f) {
    std::vector<std::int64_t> rounds;
    for (const Cursor &c : f.cursors) rounds.push_back(c.round);
    return rounds;
  };
  if (options.checked && !a.diverged)
    for (Frame *f : a.live) {
      if (f->state == FrameState::at_sync && f->sync_at == met->sync_at && path(*f) == path(*met)) continue;
      report_divergence(a, *met, *f);
      break;
    }
  if (a.strands) {
    ++a.phase;
    begin_phase(a);
  }
  for (Frame *f : a.live)
    if (f->state == FrameState::at_sync) {
      f->state = FrameState::running;
      ++f->meetings;
      if (a.strands) f->strand = a.strands + static_cast<Strand>(f->instance);
    }
  if (options.chooser) // each phase has an order of its own
    for (std::size_t i = 0; i + 1 < a.live.size(); ++i)
      std::swap(a.live[i], a.live[i + options.chooser->choose(Freedom::order, a.live.size() - i)]);
  a.turn = 0;
  if (a.live[0]->state == FrameState::running) return a.live[0];
  return after_phase(a);
}

// SYNC: `other` is not where `met` is: at another sync, at another temporal point, or ended.
void Machine::report_divergence(Activation &a, const Frame &met, const Frame &other) {
  a.diverged = true;
  const bool waits = other.state == FrameState::at_sync;
  // The guard: where the paths part, or else the outermost region that the instance decided on.
  const Instr *guard = nullptr;
  for (std::size_t i = 1; waits && !guard && i < std::max(met.cursors.size(), other.cursors.size()); ++i) {
    const Cursor *x = i < met.cursors.size() ? &met.cursors[i] : nullptr;
    const Cursor *y = i < other.cursors.size() ? &other.cursors[i] : nullptr;
    if (x && y && x->owner == y->owner && x->body == y->body && x->round == y->round) continue;
    guard = x ? x->owner : y->owner;
  }
  for (std::size_t i = 1; !guard && i < met.cursors.size(); ++i)
    if (met.cursors[i].owner->source->anchor == met.routine->level) guard = met.cursors[i].owner;
  cause(Code::U0401, met.sync_at->op, waits ? other.sync_at->op : met.sync_at->op, [&] {
    Diagnostic d(Code::U0401, p.site(met.sync_at->source->site), {{"nest", p.levels[met.routine->level].name}});
    d.label("(1) met by " + where(met, 0));
    if (waits)
      d.also(p.site(other.sync_at->source->site), "(2) met by " + where(other, 0) + " instead");
    else
      d.note(where(other, 0) + " ended without meeting it");
    if (guard) d.also(p.site(guard->source->site), "the guard");
    d.help = "let every instance of the nest reach the `sync`, and guard the accesses around it instead";
    return d;
  });
}

// rule: CTX-MAP -- the map keeps the parent's path and is injective on the parent's active instances.
bool Machine::check_map(Activation &a, Frame &f) {
  using Path = std::optional<std::vector<std::int64_t>>; // none: a map on the way has no value there
  std::function<Path(const Frame &)> path = [&](const Frame &g) -> Path {
    std::vector<std::int64_t> in;
    if (!g.parent) return in;
    const Path outer = path(*g.parent);
    if (!outer) return outer;
    in = *outer;
    const Level &level = p.levels[g.routine->level];
    for (std::size_t d = 0; d < level.domain.rank(); ++d)
      in.push_back(g.slots[g.routine->body->args[d]].data.as<std::int64_t>()[0]);
    return level.map.valid() ? p.layouts[level.map].evaluate(in, bound.lookup()) : Path(in);
  };
  const Path parent = path(*f.parent);
  if (!parent) return true; // reported where the parent's instance was made
  const Path mine = path(f);
  std::string what;
  const std::string &nest = p.levels[f.routine->level].name;
  if (!mine)
    what = "the map of `" + nest + "` has no value here: a division by zero, or more than 64 bits";
  else if (mine->size() < parent->size() || !std::equal(parent->begin(), parent->end(), mine->begin()))
    what = "the map of `" + nest + "` does not keep the coordinates of its parent";
  else if (auto [at, fresh] = a.mapped.try_emplace(*mine, f.instance); !fresh)
    what = "the map of `" + nest + "` sends two instances to one coordinate";
  if (what.empty() || rule_broken(Rule::ctx_map)) return true;
  cause(Code::U0402, a.instr->op, a.instr->op, [&] {
    Diagnostic d(Code::U0402, p.site(a.instr->source->site), {{"what", what}});
    d.note("at " + where(f, 0));
    return d;
  });
  return false;
}

} // namespace tilenest
