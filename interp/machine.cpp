// SPDX-License-Identifier: Apache-2.0
// Frames step through bodies; parallels descend into instances and join them; loops, branches and syncs.
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <functional>

namespace tilenest {

namespace {
constexpr std::int64_t row_length = 1024; // instances that run together in a leaf nest
constexpr std::size_t max_rank = 64;

void coordinates(const std::vector<std::int64_t> &shape, std::int64_t linear, std::int64_t *to) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    to[d] = linear % shape[d];
    linear /= shape[d];
  }
}
} // namespace

// --- frames ---

Frame *Machine::new_frame(const Routine &routine, Frame *parent, Activation *activation) {
  if (idle_.size() < p.levels.size()) idle_.resize(p.levels.size());
  std::vector<Frame *> &idle = idle_[routine.level];
  Frame *f;
  if (!idle.empty()) {
    f = idle.back();
    idle.pop_back();
  } else {
    frames_.push_back(std::make_unique<Frame>());
    f = frames_.back().get();
    f->slots.resize(routine.slots);
    f->memories.resize(routine.memories.size());
  }
  f->routine = &routine;
  f->parent = parent;
  f->activation = activation;
  f->state = FrameState::running;
  f->lanes = 1;
  f->meetings = 0;
  f->sync_at = nullptr;
  f->cursors.clear();
  f->cursors.push_back({routine.body, nullptr, 0, 0, false});
  return f;
}

void Machine::release(Frame *f) {
  for (Tile &t : f->slots) t.reset();
  f->lifted.clear();
  idle_[f->routine->level].push_back(f);
}

ObjectStorage &Machine::storage(Frame &f, ViewId view) {
  const ObjectId object = p.views[view].object;
  if (p.objects[object].kind == ObjectKind::argument) return arguments[object.index];
  const int depth = p.levels[p.objects[object].owner].depth;
  Frame *g = &f;
  while (p.levels[g->routine->level].depth > depth) g = g->parent;
  return g->memories[code.memory_index[object.index]];
}

// --- the loop ---

void Machine::run() {
  Frame *f = new_frame(code.routines[TileProgram::root()], nullptr, nullptr);
  while (f && !stop) f = step(*f);
}

Frame *Machine::step(Frame &f) {
  while (!stop) {
    Cursor &c = f.cursors.back();
    if (c.pc == c.body->instrs.size()) {
      Frame *next = end_of_body(f);
      if (next != &f) return next;
      continue;
    }
    const Instr &in = c.body->instrs[c.pc++];
    if (in.lifted && recall(f, in)) continue;
    switch (in.flow) {
    case Flow::leaf:
      in.step(*this, f, in);
      if (in.lifted) remember(f, in);
      break;
    case Flow::parallel: {
      Frame *next = descend(f, in);
      if (next != &f) return next;
      break;
    }
    case Flow::sync:
      if (rule_broken(Rule::sync)) break;
      f.state = FrameState::at_sync;
      f.sync_at = &in;
      return after_phase(*f.activation);
    default: begin_region(f, in); break;
    }
  }
  return nullptr;
}

// --- lifted events ---

// rule: ANC-SHARE
std::vector<std::int64_t> Machine::lift_key(const Frame &f, const Instr &in, Frame *&anchor) {
  std::vector<std::int64_t> key{in.op.index};
  const Frame *g = &f;
  for (std::uint16_t i = 0; i < in.lifted; ++i) {
    for (const Cursor &c : g->cursors) key.push_back(c.round);
    g = g->parent;
  }
  anchor = const_cast<Frame *>(g);
  return key;
}

bool Machine::recall(Frame &f, const Instr &in) {
  Frame *anchor;
  const auto key = lift_key(f, in, anchor);
  const auto at = anchor->lifted.find(key);
  if (at == anchor->lifted.end()) return false;
  for (std::size_t i = 0; i < in.results.size(); ++i) set(f, in, at->second[i], i);
  return true;
}

void Machine::remember(Frame &f, const Instr &in) {
  Frame *anchor;
  auto key = lift_key(f, in, anchor);
  std::vector<Tile> results;
  for (std::uint32_t slot : in.results) results.push_back(f.slots[slot]);
  if (!rule_broken(Rule::anc_share)) anchor->lifted.emplace(std::move(key), std::move(results));
}

// --- loops and branches ---

bool Machine::condition(Frame &f, const Instr &in, Ref r, const std::string &what) {
  const Tile &t = get(f, r);
  if (t.notes && t.notes.as<Note>()[0]) observe(f, in, 0, t.notes.as<Note>()[0], what);
  return t.data.as<std::uint8_t>()[0] != 0;
}

// Enters the body of a loop, a branch or a while; false if there was nothing to enter.
bool Machine::begin_region(Frame &f, const Instr &in) {
  const bool keep = in.lifted != 0;
  switch (in.flow) {
  case Flow::loop: {
    const auto &plan = static_cast<const DomainPlan &>(*in.plan);
    const Body &body = *in.bodies[0];
    if (plan.has_predicate) {
      const Tile &t = get(f, in.operands[0]);
      if (t.notes) observe_tile(f, in, t, plan.predicate_count, "a domain's predicate");
    }
    const std::size_t rank = plan.shape.size();
    for (std::size_t i = plan.first_carry; i < in.operands.size(); ++i)
      f.slots[body.args[rank + i - plan.first_carry]] = take(f, in.operands[i]);
    f.cursors.push_back({&body, &in, 0, -1, keep});
    enter_loop_round(f, f.cursors.back());
    return true;
  }
  case Flow::while_: {
    const Body &head = *in.bodies[0];
    for (std::size_t i = 0; i < in.operands.size(); ++i) f.slots[head.args[i]] = take(f, in.operands[i]);
    f.cursors.push_back({&head, &in, 0, 0, keep});
    return true;
  }
  default: {
    const auto &plan = static_cast<const BranchPlan &>(*in.plan);
    std::size_t arm;
    if (plan.selector == ScalarType::boolean) {
      arm = condition(f, in, in.operands[0], "the condition of `if`") ? 0 : 1;
    } else {
      const Tile &t = get(f, in.operands[0]);
      if (t.notes && t.notes.as<Note>()[0]) observe(f, in, 0, t.notes.as<Note>()[0], "the selector of `switch`");
      const std::int64_t v = value_as_i64(plan.selector, load_bits(plan.selector, t.data.as<>()));
      arm = static_cast<std::size_t>(std::find(plan.cases.begin(), plan.cases.end(), v) - plan.cases.begin());
    }
    f.cursors.push_back({in.bodies[arm].get(), &in, 0, static_cast<std::int64_t>(arm), keep});
    return true;
  }
  }
}

// Moves a loop's cursor to its next active point, or behind its end (pc at the end, round at the total).
// rule: PIPE-SER
void Machine::enter_loop_round(Frame &f, Cursor &c) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  const std::size_t rank = plan.shape.size();
  std::int64_t at[max_rank];
  while (++c.round < plan.total) {
    std::int64_t point = plan.reverse ? plan.total - 1 - c.round : c.round;
    if (!plan.order.empty()) point = plan.order[static_cast<std::size_t>(point)];
    coordinates(plan.shape, point, at);
    if (plan.has_predicate && !rule_broken(Rule::idx_pred)) {
      const Tile &t = get(f, c.owner->operands[0]);
      std::int64_t k = 0;
      for (std::size_t d = 0; d < rank; ++d) k += at[d] * plan.predicate_strides[d];
      if (!t.data.as<std::uint8_t>()[k]) continue;
    }
    for (std::size_t d = 0; d < rank; ++d) {
      Tile &slot = f.slots[c.body->args[d]];
      if (!slot.data.unique()) slot.data = block(sizeof(std::int64_t));
      slot.lanes = 1;
      slot.data.as<std::int64_t>()[0] = at[d];
    }
    c.pc = 0;
    return;
  }
  c.pc = c.body->instrs.size();
}

// rule: VAL-CARRY -- the definitions at the end become the next iteration's together.
static void carry(Machine &m, Frame &f, const Body &from, const Body &to, std::size_t first_arg) {
  if (rule_broken(Rule::val_carry)) {
    for (std::size_t i = 0; i < from.yields.size(); ++i) f.slots[to.args[first_arg + i]] = m.get(f, from.yields[i]);
    return;
  }
  static thread_local std::vector<Tile> next;
  next.clear();
  for (Ref r : from.yields) next.push_back(m.take(f, r));
  for (std::size_t i = 0; i < next.size(); ++i) f.slots[to.args[first_arg + i]] = std::move(next[i]);
}

Frame *Machine::end_of_body(Frame &f) {
  Cursor &c = f.cursors.back();
  if (!c.owner) {
    f.state = FrameState::done;
    return f.activation ? instance_ended(f) : nullptr;
  }
  const Instr &in = *c.owner;
  auto finish = [&](auto &&result) {
    for (std::size_t i = 0; i < in.results.size(); ++i) f.slots[in.results[i]] = result(i);
    const bool keep = c.remember;
    f.cursors.pop_back();
    if (keep) remember(f, in);
  };
  switch (in.flow) {
  case Flow::loop: {
    const auto &plan = static_cast<const DomainPlan &>(*in.plan);
    const std::size_t rank = plan.shape.size();
    if (c.round < plan.total) {
      if (plan.contributions)
        for (std::size_t i = 0; i < c.body->yields.size(); ++i) {
          const Tile &t = get(f, c.body->yields[i]);
          if (t.notes) {
            std::int64_t n = 1;
            for (std::int64_t e : plan.carried_shapes[i]) n *= e;
            observe_tile(f, in, t, n, "a contribution of `reduce`");
          }
        }
      carry(*this, f, *c.body, *c.body, rank);
      enter_loop_round(f, c);
      if (c.round < plan.total) return &f;
    }
    const Body &body = *c.body;
    finish([&](std::size_t i) { return std::move(f.slots[body.args[rank + i]]); });
    return &f;
  }
  case Flow::while_: {
    const Body &head = *in.bodies[0], &body = *in.bodies[1];
    if (c.body == &head) {
      if (condition(f, in, head.yields[0], "the condition of `while`")) {
        c.body = &body;
        c.pc = 0;
        return &f;
      }
      finish([&](std::size_t i) { return std::move(f.slots[head.args[i]]); });
      return &f;
    }
    carry(*this, f, body, head, 0);
    if (++c.round >= options.while_limit) {
      diagnostics.emplace_back(Code::L0302, p.site(in.source->site), std::vector<std::pair<std::string, std::string>>{
          {"rounds", std::to_string(options.while_limit)}});
      stop = true;
    }
    c.body = &head;
    c.pc = 0;
    return &f;
  }
  default: {
    const Body &arm = *c.body;
    finish([&](std::size_t i) { return take(f, arm.yields[i]); });
    return &f;
  }
  }
}

// --- parallels ---

Frame *Machine::descend(Frame &f, const Instr &in) {
  activations_.push_back(std::make_unique<Activation>());
  Activation &a = *activations_.back();
  a.parent = &f;
  a.instr = &in;
  a.plan = static_cast<const DomainPlan *>(in.plan.get());
  if (a.plan->has_predicate) {
    a.predicate = get(f, in.operands[0]);
    if (a.predicate.notes) observe_tile(f, in, a.predicate, a.plan->predicate_count, "a domain's predicate");
  }
  for (std::size_t i = a.plan->first_carry; i < in.operands.size(); ++i) a.incoming.push_back(take(f, in.operands[i]));
  a.joins.resize(a.incoming.size());
  if (a.plan->routine->has_sync) {
    // All instances live at once; each runs to its next meeting in turn.
    while (Frame *g = next_instance(a)) a.live.push_back(g);
    if (a.live.empty()) return finish_parallel(a);
    return a.live[0];
  }
  Frame *first = next_instance(a);
  return first ? first : finish_parallel(a);
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
  if (!plan.has_predicate || rule_broken(Rule::idx_pred)) {
    lanes = std::min(most, plan.total - a.next);
    if (lanes > 0) runs[run_count++] = {a.next, lanes};
    a.next += lanes;
  } else {
    std::int64_t at[max_rank];
    while (a.next < plan.total && lanes < most) {
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
  if (options.checked)
    for (Frame *f : a.live) {
      if (f->state == FrameState::at_sync && f->sync_at == met->sync_at && path(*f) == path(*met)) continue;
      cause(Code::U0401, met->sync_at->op, met->sync_at->op, [&] {
        Diagnostic d(Code::U0401, p.site(met->sync_at->source->site), {{"nest", p.levels[met->routine->level].name}});
        d.sites[0].label = "(1) met by " + where(*met, 0);
        if (f->state == FrameState::at_sync) {
          d.also(p.site(f->sync_at->source->site), "(2) met by " + where(*f, 0) + " instead");
        } else {
          d.note(where(*f, 0) + " ended without meeting it");
        }
        // The innermost region that only some instances enter.
        for (std::size_t i = met->cursors.size(); i-- > 1;)
          if (const Instr *owner = met->cursors[i].owner) {
            d.also(p.site(owner->source->site), "the guard");
            break;
          }
        d.help = "let every instance of the nest reach the `sync`, and guard the accesses around it instead";
        return d;
      });
      break;
    }
  for (Frame *f : a.live)
    if (f->state == FrameState::at_sync) {
      f->state = FrameState::running;
      ++f->meetings;
    }
  a.turn = 0;
  if (a.live[0]->state == FrameState::running) return a.live[0];
  return after_phase(a);
}

// rule: UPD-JOIN -- each element has its one writer's value, else the shared one.
void Machine::join(Activation &a, Frame &f) {
  const Body &body = *f.routine->body;
  const int depth = p.levels[f.routine->level].depth;
  for (std::size_t i = 0; i < a.joins.size(); ++i) {
    Join &j = a.joins[i];
    Tile y = take(f, body.yields[i]);
    BlockRef mine;
    for (std::size_t w = 0; w < y.written.size(); ++w)
      if (y.written[w].depth == depth) {
        mine = y.written[w].elements;
        y.written.erase(y.written.begin() + static_cast<std::ptrdiff_t>(w));
        break;
      }
    std::int64_t count = 1;
    for (std::int64_t e : a.plan->carried_shapes[i]) count *= e;
    const std::size_t n = static_cast<std::size_t>(count), bytes = a.plan->carried_bytes[i];
    if (mine && !j.writers) j.writers = zeros(n * sizeof(std::int64_t));
    if (!j.any) {
      j.any = true;
      j.tile = std::move(y);
      if (mine)
        for (std::size_t e = 0; e < n; ++e)
          if (mine.as<std::uint8_t>()[e]) j.writers.as<std::int64_t>()[e] = f.instance + 1;
      continue;
    }
    if (!mine) continue;
    auto own = [&](BlockRef &b, std::size_t size) {
      if (b.unique()) return;
      BlockRef copy = block(n * size);
      std::memcpy(copy.as<>(), b.as<>(), n * size);
      b = std::move(copy);
    };
    own(j.tile.data, bytes);
    if (y.notes && !j.tile.notes) j.tile.notes = zeros(n * sizeof(Note));
    if (j.tile.notes) own(j.tile.notes, sizeof(Note));
    for (std::size_t e = 0; e < n; ++e) {
      if (!mine.as<std::uint8_t>()[e]) continue;
      std::int64_t &writer = j.writers.as<std::int64_t>()[e];
      if (writer != 0 && options.checked && !rule_broken(Rule::upd_join))
        cause(Code::U0302, a.instr->op, OpId(i), [&] {
          Diagnostic d(Code::U0302, p.site(a.instr->source->site),
                       {{"var", a.plan->carried[i]},
                        {"element", element_text(a.plan->carried_shapes[i], static_cast<std::int64_t>(e))}});
          const std::string &nest = p.levels[f.routine->level].name;
          auto name = [&](std::int64_t instance) {
            std::vector<std::int64_t> at(a.plan->shape.size());
            coordinates(a.plan->shape, instance, at.data());
            std::string s = nest + "(";
            const Space &domain = p.levels[f.routine->level].domain;
            for (std::size_t k = 0; k < at.size(); ++k)
              s += (k ? ", " : "") + p.dim_text(domain.factors[k].dim) + "=" + std::to_string(at[k]);
            return s + ")";
          };
          d.note("written by " + name(writer - 1) + " and by " + name(f.instance));
          return d;
        });
      writer = f.instance + 1;
      std::memcpy(j.tile.data.as<>() + e * bytes, y.data.as<>() + e * bytes, bytes);
      if (j.tile.notes) j.tile.notes.as<Note>()[e] = y.notes ? y.notes.as<Note>()[e] : 0;
    }
  }
}

Frame *Machine::finish_parallel(Activation &a) {
  Frame &f = *a.parent;
  const Instr &in = *a.instr;
  const int depth = p.levels[f.routine->level].depth;
  for (std::size_t i = 0; i < a.joins.size(); ++i) {
    Join &j = a.joins[i];
    if (!j.any) { // no active instance: the incoming definition
      set(f, in, std::move(a.incoming[i]), i);
      continue;
    }
    if (j.writers) { // what the instances wrote, the instance around them wrote
      std::int64_t count = 1;
      for (std::int64_t e : a.plan->carried_shapes[i]) count *= e;
      BlockRef all = zeros(static_cast<std::size_t>(count));
      for (std::int64_t e = 0; e < count; ++e)
        if (j.writers.as<std::int64_t>()[e]) all.as<std::uint8_t>()[e] = 1;
      bool merged = false;
      for (WrittenSet &w : j.tile.written)
        if (w.depth == depth) {
          for (std::int64_t e = 0; e < count; ++e) all.as<std::uint8_t>()[e] |= w.elements.as<std::uint8_t>()[e];
          w.elements = all;
          merged = true;
        }
      if (!merged) j.tile.written.push_back({depth, all});
    }
    set(f, in, std::move(j.tile), i);
  }
  f.lifted.clear();
  activations_.pop_back();
  return &f;
}

// rule: CTX-MAP -- the map keeps the parent's path and is injective on the parent's active instances.
bool Machine::check_map(Activation &a, Frame &f) {
  std::function<std::vector<std::int64_t>(const Frame &)> path = [&](const Frame &g) {
    std::vector<std::int64_t> in;
    if (g.parent) in = path(*g.parent);
    const Level &level = p.levels[g.routine->level];
    for (std::size_t d = 0; d < level.domain.rank(); ++d)
      in.push_back(g.slots[g.routine->body->args[d]].data.as<std::int64_t>()[0]);
    if (!level.map.valid() || !g.parent) return in;
    const auto out = p.layouts[level.map].evaluate(in, bound.lookup());
    return out ? *out : in;
  };
  const std::vector<std::int64_t> parent = path(*f.parent), mine = path(f);
  std::string what;
  const std::string &nest = p.levels[f.routine->level].name;
  if (mine.size() < parent.size() || !std::equal(parent.begin(), parent.end(), mine.begin()))
    what = "the map of `" + nest + "` does not keep the coordinates of its parent";
  else if (auto [at, fresh] = a.mapped.try_emplace(mine, f.instance); !fresh)
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
