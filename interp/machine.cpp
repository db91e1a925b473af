// SPDX-License-Identifier: Apache-2.0
// Frames step through bodies: the loop, lifted events, loops and branches. Parallels are in parallel.cpp.
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/space/element_count.h"
#include <algorithm>

namespace tilenest {

// --- frames ---

void Machine::make_frame(const Routine &routine) {
  pool.charge(sizeof(Frame) + routine.slots * sizeof(Tile) + routine.memories.size() * sizeof(ObjectStorage));
  frames_.push_back(std::make_unique<Frame>());
  Frame *f = frames_.back().get();
  f->slots.resize(routine.slots);
  f->memories.resize(routine.memories.size());
  idle_[routine.level].push_back(f);
}

Frame *Machine::new_frame(const Routine &routine, Frame *parent, Activation *activation) {
  if (idle_.size() < p.levels.size()) idle_.resize(p.levels.size());
  std::vector<Frame *> &idle = idle_[routine.level];
  if (idle.empty()) make_frame(routine);
  Frame *f = idle.back();
  idle.pop_back();
  f->routine = &routine;
  f->parent = parent;
  f->activation = activation;
  f->state = FrameState::running;
  f->lanes = 1;
  f->meetings = 0;
  f->strand = 0;
  f->lane_at.clear();
  f->sync_at = nullptr;
  f->cursors.clear();
  f->cursors.push_back({routine.body, nullptr, 0, 0, false, {}, {}, {}, {}, {}, 0});
  return f;
}

void Machine::release(Frame *f) {
  for (Tile &t : f->slots) t.reset();
  if (updates && !updates->empty())
    for (const ObjectStorage &s : f->memories)
      if (s.owned) updates->drop(s.owned.as<>(), s.bytes);
  forget_lifted(*f);
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

// rule: CTX-ROOT -- the root is one instance and runs once.
void Machine::run() {
  if (options.interleave && options.chooser && !options.checked) return run_interleaved();
  for (int times = rule_broken(Rule::ctx_root) ? 2 : 1; times > 0; --times) {
    Frame *f = new_frame(code.routines[TileProgram::root()], nullptr, nullptr);
    while (f && !stop) f = step(*f);
  }
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
    if (options.laws) count_work(in);
    if (!in.tile_uses.empty()) read_tiles(f, in);
    for (const std::uint8_t i : in.deciding) decide(in, get(f, in.operands[i]), code.values[in.source->operands[i]].count);
    if (in.lifted && recall(f, in)) continue;
    switch (in.flow) {
    case Flow::leaf:
      if (in.lifted && options.checked) logs_.emplace_back();
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
std::vector<std::int64_t> Machine::lift_key(const Frame &f, const Instr &in, std::uint16_t up,
                                            Frame *&anchor) const {
  std::vector<std::int64_t> key{in.op.index};
  const Frame *g = &f;
  for (std::uint16_t i = 0; i < up; ++i) {
    for (const Cursor &c : g->cursors) key.push_back(c.round);
    g = g->parent;
  }
  anchor = const_cast<Frame *>(g);
  return key;
}

bool Machine::recall(Frame &f, const Instr &in) {
  if (probing_) return false;
  Frame *anchor;
  const auto key = lift_key(f, in, in.lifted, anchor);
  const auto at = anchor->lifted.find(key);
  if (at == anchor->lifted.end()) return false;
  for (std::size_t i = 0; i < in.results.size(); ++i) set(f, in, at->second.results[i], i);
  if (!at->second.touched.empty()) touch_again(f, at->second);
  return true;
}

void Machine::forget_lifted(Frame &f) {
  f.lifted.clear();
  f.lifted_notes.clear();
  kept_bytes -= f.kept_bytes;
  f.kept_bytes = 0;
}

void Machine::remember(Frame &f, const Instr &in) {
  Remembered event;
  if (!logs_.empty()) {
    event.touched = std::move(logs_.back());
    if (shadow) {
      event.first = strand(f);
      event.epoch = shadow->epoch();
    }
    logs_.pop_back();
    if (!logs_.empty()) logs_.back().insert(logs_.back().end(), event.touched.begin(), event.touched.end());
  }
  if (probing_) return;
  Frame *anchor;
  auto key = lift_key(f, in, in.lifted, anchor);
  if (in.repeatable) {
    constexpr std::size_t budget = std::size_t{16} << 20;
    std::size_t bytes = 256;
    for (ValueId v : in.source->results) bytes += static_cast<std::size_t>(code.values[v].count) * code.values[v].bytes;
    if (kept_bytes + bytes > budget) return;
    anchor->kept_bytes += bytes;
    kept_bytes += bytes;
  }
  for (std::uint32_t slot : in.results) event.results.push_back(f.slots[slot]);
  if (!rule_broken(Rule::anc_share)) anchor->lifted.emplace(std::move(key), std::move(event));
}

// --- loops and branches ---

bool Machine::condition(Frame &f, const Instr &in, Ref r, const std::string &what) {
  const Tile &t = get(f, r);
  if (t.notes) observe_mark(f, in, 0, t.notes.as<Note>()[0], what);
  if (t.spread) decide(in, t, 1);
  return t.data.as<std::uint8_t>()[0] != 0;
}

// A row of instances goes on while one of them does. Those whose condition was false are through.
bool Machine::going_on(Frame &f, Cursor &c, const Instr &in, Ref r) {
  const Tile &t = get(f, r);
  if (!c.going) {
    c.going = block(f.lanes);
    std::memset(c.going.as<>(), 1, f.lanes);
  }
  auto *going = c.going.as<std::uint8_t>();
  const auto *flags = t.data.as<std::uint8_t>();
  const std::size_t step = t.lanes > 1 ? 1 : 0;
  unsigned any = 0;
  for (std::uint32_t lane = 0; lane < f.lanes; ++lane) {
    if (t.notes && going[lane]) observe_mark(f, in, lane, t.notes.as<Note>()[lane * step], "the condition of `while`");
    going[lane] &= flags[lane * step];
    any |= going[lane];
  }
  c.carried.clear();
  for (std::uint32_t slot : in.bodies[0]->args) c.carried.push_back(f.slots[slot]);
  return any != 0;
}

// One element per lane, from `then` where the lane goes on, else from `kept`.
static void choose(const std::uint8_t *going, std::uint32_t lanes, std::byte *to, const std::byte *then, std::size_t then_step,
                   const std::byte *kept, std::size_t kept_step, std::size_t bytes) {
  auto run = [&](auto unit) {
    using T = decltype(unit);
    auto *out = reinterpret_cast<T *>(to);
    const auto *x = reinterpret_cast<const T *>(then), *y = reinterpret_cast<const T *>(kept);
    if (then_step == 1 && kept_step == 1)
      for (std::uint32_t i = 0; i < lanes; ++i) out[i] = going[i] ? x[i] : y[i];
    else
      for (std::uint32_t i = 0; i < lanes; ++i) out[i] = going[i] ? x[i * then_step] : y[i * kept_step];
  };
  switch (bytes) {
  case 1: return run(std::uint8_t{});
  case 2: return run(std::uint16_t{});
  case 4: return run(std::uint32_t{});
  default: return run(std::uint64_t{});
  }
}

// After a round of a row's while: instances that were through before it keep what they carried.
void Machine::keep_ended(Frame &f, Cursor &c) {
  const auto *going = c.going.as<std::uint8_t>();
  if (!std::memchr(going, 0, f.lanes)) return;
  const Body &head = *c.owner->bodies[0];
  for (std::size_t i = 0; i < head.args.size(); ++i) {
    const Tile &then = f.slots[head.args[i]], &kept = c.carried[i];
    const std::size_t bytes = code.values[c.owner->source->results[i]].bytes;
    const std::size_t x = then.lanes > 1 ? 1 : 0, y = kept.lanes > 1 ? 1 : 0;
    Tile out;
    out.lanes = f.lanes;
    out.data = block(f.lanes * bytes);
    choose(going, f.lanes, out.data.as<>(), then.data.as<>(), x, kept.data.as<>(), y, bytes);
    if (then.notes || kept.notes) {
      out.notes = block(f.lanes * sizeof(Note));
      for (std::uint32_t lane = 0; lane < f.lanes; ++lane)
        out.notes.as<Note>()[lane] = going[lane] ? (then.notes ? then.notes.as<Note>()[lane * x] : 0)
                                                 : (kept.notes ? kept.notes.as<Note>()[lane * y] : 0);
    }
    f.slots[head.args[i]] = std::move(out);
  }
}

// Enters the body of a loop, a branch or a while; false if there was nothing to enter.
bool Machine::begin_region(Frame &f, const Instr &in) {
  const bool keep = in.lifted != 0;
  if (keep && options.checked) logs_.emplace_back();
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
    f.cursors.push_back({&body, &in, 0, -1, keep, {}, {}, {}, 0, {}, 0});
    if (plan.contributions && plan.watched && shadow)
      f.cursors.back().contributions = shadow->strands.fork(strand(f), in.op, plan.total, shadow->strands.activation(), 0);
    if (options.laws && !plan.merges.empty() && begin_probing(f, f.cursors.size() - 1)) return true;
    if (options.sets && !options.laws && !plan.merges.empty()) open_folds(f, f.cursors.back());
    if (options.chooser && !plan.merges.empty())
      begin_realisation(f, f.cursors.size() - 1);
    else
      enter_loop_round(f, f.cursors.back());
    return true;
  }
  case Flow::while_: {
    const Body &head = *in.bodies[0];
    for (std::size_t i = 0; i < in.operands.size(); ++i) f.slots[head.args[i]] = take(f, in.operands[i]);
    f.cursors.push_back({&head, &in, 0, 0, keep, {}, {}, {}, {}, {}, 0});
    return true;
  }
  default: {
    const auto &plan = static_cast<const BranchPlan &>(*in.plan);
    std::size_t arm;
    if (plan.selector == ScalarType::boolean) {
      arm = condition(f, in, in.operands[0], "the condition of `if`") ? 0 : 1;
    } else {
      const Tile &t = get(f, in.operands[0]);
      if (t.notes) observe_mark(f, in, 0, t.notes.as<Note>()[0], "the selector of `switch`");
      const std::int64_t v = value_as_i64(plan.selector, load_bits(plan.selector, t.data.as<>()));
      arm = static_cast<std::size_t>(std::find(plan.cases.begin(), plan.cases.end(), v) - plan.cases.begin());
    }
    f.cursors.push_back({in.bodies[arm].get(), &in, 0, static_cast<std::int64_t>(arm), keep, {}, {}, {}, {}, {}, 0});
    return true;
  }
  }
}

bool Machine::enter_point(Frame &f, const Cursor &c, std::int64_t point) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  const std::size_t rank = plan.shape.size();
  std::int64_t at[max_rank];
  coordinates(plan.shape, point, at);
  if (plan.has_predicate && !rule_broken(Rule::idx_pred)) {
    const Tile &t = get(f, c.owner->operands[0]);
    std::int64_t k = 0;
    for (std::size_t d = 0; d < rank; ++d) k += at[d] * plan.predicate_strides[d];
    if (!t.data.as<std::uint8_t>()[k]) return false;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    Tile &slot = f.slots[c.body->args[d]];
    if (!slot.data.unique()) slot.data = block(sizeof(std::int64_t));
    slot.lanes = 1;
    slot.data.as<std::int64_t>()[0] = at[d];
  }
  return true;
}

// Moves a loop's cursor to its next active point, or behind its end (pc at the end, round at the total).
// rule: PIPE-SER
void Machine::enter_loop_round(Frame &f, Cursor &c) {
  const auto &plan = static_cast<const DomainPlan &>(*c.owner->plan);
  while (++c.round < plan.total) {
    std::int64_t point = plan.reverse ? plan.total - 1 - c.round : c.round;
    if (!plan.order.empty()) point = plan.order[static_cast<std::size_t>(point)];
    if (!enter_point(f, c, point)) continue;
    c.pc = 0;
    return;
  }
  c.pc = c.body->instrs.size();
}

// rule: VAL-CARRY -- the definitions at the end become the next iteration's together.
static void carry(Machine &m, Frame &f, const Body &from, const Body &to, std::size_t first_arg) {
  static thread_local std::vector<Tile> next;
  next.clear();
  for (Ref r : from.yields) next.push_back(m.take(f, r));
  if (rule_broken(Rule::val_carry) && !next.empty()) next.pop_back();
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
            observe_tile(f, in, t, element_count(plan.carried_shapes[i]), "a contribution of `reduce`");
          }
        }
      carry(*this, f, *c.body, *c.body, rank);
      if (!c.opened.empty()) end_contribution(f, c);
      if (c.contract_folds) add_to_contracts(f, c);
      if (c.probing)
        end_of_chain(f, f.cursors.size() - 1);
      else if (c.realisation)
        next_contribution(f, f.cursors.size() - 1);
      else
        enter_loop_round(f, c);
      if (f.cursors.back().round < plan.total) return &f;
    }
    const Body &body = *in.bodies[0];
    if (!c.opened.empty()) close_folds(f, c);
    if (c.contract_folds) close_contracts(f, c);
    finish([&](std::size_t i) { return std::move(f.slots[body.args[rank + i]]); });
    return &f;
  }
  case Flow::while_: {
    const Body &head = *in.bodies[0], &body = *in.bodies[1];
    if (c.body == &head) {
      if (f.lanes > 1 ? going_on(f, c, in, head.yields[0])
                      : condition(f, in, head.yields[0], "the condition of `while`")) {
        c.body = &body;
        c.pc = 0;
        return &f;
      }
      finish([&](std::size_t i) { return std::move(f.slots[head.args[i]]); });
      return &f;
    }
    carry(*this, f, body, head, 0);
    if (c.going) keep_ended(f, c);
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

} // namespace tilenest
