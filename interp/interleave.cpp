// SPDX-License-Identifier: Apache-2.0
// Instances that take turns before each access to storage that others may see: any frame that is ready may go on, and
// the chooser says which (PAR-FREE). Unchecked: what interferes is found by a run in the depth-first order.
#include "interp/access_plan.h"
#include "interp/machine.h"
#include <algorithm>

namespace tilenest {

void Machine::run_interleaved() {
  ready_ = {new_frame(code.routines[TileProgram::root()], nullptr, nullptr)};
  while (!stop && !ready_.empty())
    advance(*ready_[ready_.size() > 1 ? options.chooser->choose(Freedom::order, ready_.size()) : 0]);
}

// From its pending access to the next one, or to where it waits, forks or ends.
void Machine::advance(Frame &f) {
  for (bool first = true; !stop; first = false) {
    Cursor &c = f.cursors.back();
    if (c.pc == c.body->instrs.size()) {
      if (!c.owner) return end_interleaved(f);
      end_of_body(f);
      continue;
    }
    const Instr &in = c.body->instrs[c.pc];
    const bool access = info(in.source->kind).form == Form::memory && in.source->kind != OpKind::memory &&
                        static_cast<const AccessPlan &>(*in.plan).shadowed;
    if (access && !first) return;
    ++c.pc;
    if (in.lifted && recall(f, in)) continue;
    switch (in.flow) {
    case Flow::leaf:
      in.step(*this, f, in);
      if (in.lifted) remember(f, in);
      break;
    case Flow::parallel: return fork_interleaved(f, in);
    case Flow::sync:
      f.state = FrameState::at_sync;
      std::erase(ready_, &f);
      return meet_interleaved(*f.activation);
    default: begin_region(f, in); break;
    }
  }
}

void Machine::fork_interleaved(Frame &f, const Instr &in) {
  activations_.push_back(std::make_unique<Activation>());
  Activation &a = *activations_.back();
  begin_activation(a, f, in);
  find_active(a);
  while (Frame *g = next_instance(a)) a.live.push_back(g);
  std::erase(ready_, &f);
  ready_.insert(ready_.end(), a.live.begin(), a.live.end());
  if (a.live.empty()) ready_.push_back(finish_parallel(a));
}

void Machine::end_interleaved(Frame &f) {
  std::erase(ready_, &f);
  f.state = FrameState::done;
  if (!f.activation) return;
  join(*f.activation, f);
  meet_interleaved(*f.activation);
}

// rule: SYNC -- once every instance waits or has ended, those that wait go on, or the parallel ends.
void Machine::meet_interleaved(Activation &a) {
  bool waits = false;
  for (const Frame *g : a.live) {
    if (g->state == FrameState::running) return;
    waits |= g->state == FrameState::at_sync;
  }
  if (!waits) {
    for (Frame *g : a.live) release(g);
    a.live.clear();
    return ready_.push_back(finish_parallel(a));
  }
  for (Frame *g : a.live)
    if (g->state == FrameState::at_sync) {
      g->state = FrameState::running;
      ready_.push_back(g);
    }
}

} // namespace tilenest
