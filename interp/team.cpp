// SPDX-License-Identifier: Apache-2.0
// The instances of a root parallel on several threads, where nothing sees their order (independence.cpp). Each
// worker is a machine of its own with a copy of the root's frame; they share the storage of views. As soon as there
// is anything to say, or a limit is met, all they did is undone and the instances run one after the other: what a
// run reports, and where it stops, never depends on the number of threads.
#include "interp/executor.h"
#include "interp/machine.h"
#include <algorithm>
#include <mutex>
#include <optional>

namespace tilenest {

namespace {

constexpr double worth_threads = 200'000;     // nanoseconds of work
constexpr std::size_t ranges_per_thread = 16; // instances differ in length: later ranges even it out

struct Worker {
  TilePool pool;
  Machine machine;
  Frame root;

  Worker(Machine &from, const Frame &frame, Budget &budget)
      : pool(budget), machine(from.bound, from.code, pool, from.options) {
    machine.options.first_only = true; // one report is enough to give up
    machine.options.earlier = nullptr;   // and the run that makes it begins anew
    machine.arguments = from.arguments;
    machine.views = from.views;
    machine.notes = from.notes;
    machine.notes_made = from.notes_made;
    root.routine = frame.routine;
    root.slots = frame.slots;
    root.cursors = frame.cursors;
    root.memories = frame.memories;
    if (!from.shadow) return;
    machine.place_shadow();
    for (ObjectStorage &s : root.memories)
      if (s.shadow.cells) {
        s.shadow_owned = machine.zeros(s.shadow_cells() * sizeof(AccessState));
        s.shadow.cells = s.shadow_owned.as<AccessState>();
      }
  }
};

// The bytes of what the instances write, to be put back.
class Snapshot {
public:
  void keep(const ObjectStorage &s) {
    Saved &saved = saved_.emplace_back();
    saved.storage = &s;
    saved.bytes.assign(s.base + s.low, s.base + s.low + s.bytes);
    if (s.defined) saved.defined = *s.defined;
  }
  void put_back() const {
    for (const Saved &saved : saved_) {
      const ObjectStorage &s = *saved.storage;
      if (!saved.bytes.empty()) std::memcpy(s.base + s.low, saved.bytes.data(), saved.bytes.size());
      if (saved.defined) *s.defined = *saved.defined;
    }
  }

private:
  struct Saved {
    const ObjectStorage *storage;
    std::vector<std::byte> bytes;
    std::optional<DefinedBytes> defined;
  };
  std::vector<Saved> saved_;
};

// Whether distinct elements of the view have distinct bytes, and no byte in between is somebody else's.
bool dense(const ViewAddress &a, std::size_t element_bytes, const ObjectStorage &s) {
  if (a.table) return true; // MEM-OWN: a memory's layout is injective
  std::vector<std::pair<std::int64_t, std::int64_t>> axes; // stride, extent
  for (std::size_t i = 0; i < a.extents.size(); ++i)
    if (a.extents[i] != 1) axes.emplace_back(std::abs(a.strides[i]), a.extents[i]);
  std::sort(axes.begin(), axes.end());
  auto next = static_cast<std::int64_t>(element_bytes);
  for (const auto &[stride, extent] : axes) {
    if (stride < next || (!s.owned && stride != next)) return false;
    next = stride * extent;
  }
  return true;
}

} // namespace

bool Machine::run_range(const Activation &of, Frame &root, std::int64_t begin, std::int64_t end) {
  activations_.push_back(std::make_unique<Activation>());
  Activation &a = *activations_.back();
  a.parent = &root;
  a.instr = of.instr;
  a.plan = of.plan;
  a.next = begin;
  a.end = end;
  a.predicate = of.predicate;
  a.part = true;
  if (a.plan->watched && shadow) {
    a.id = shadow->strands.activation();
    begin_phase(a);
  }
  Frame *f = next_instance(a);
  if (!f) finish_parallel(a);
  while (f && f != &root && !stop) f = step(*f);
  return !stop;
}

// rule: PAR-FREE
bool Machine::run_on_threads(Activation &a) {
  const DomainPlan &plan = *a.plan;
  const std::size_t threads = options.threads ? options.threads : thread_count();
  if (!plan.concurrent || a.parent->parent || threads < 2 || stop) return false;
  if (options.threads == 0 && plan.work < worth_threads) return false;
  // In a contribution, what the instances touch may interfere with what another contribution touches.
  if (shadow && strand(*a.parent) != 0) return false;
  std::vector<ObjectStorage *> written;
  for (const ViewId view : plan.stored) {
    ObjectStorage &s = storage(*a.parent, view);
    if (!dense(views[view.index], byte_size(p.views[view].elem), s)) return false;
    written.push_back(&s);
  }
  Snapshot before;
  if (plan.may_stop)
    for (const ObjectStorage *s : written) before.keep(*s);

  const auto rows = static_cast<std::size_t>(plan.routine->row_of_instances ? row_length : 1);
  const auto total = static_cast<std::size_t>(plan.total);
  const std::size_t each = std::max<std::size_t>(1, total / (threads * ranges_per_thread));
  const std::size_t grain = (each + rows - 1) / rows * rows;
  std::vector<std::unique_ptr<Worker>> team;
  std::vector<Worker *> idle;
  std::mutex roster;
  bool failed = false;
  pool.freeze();
  for (ObjectStorage *s : written)
    if (s->defined) s->defined->share(true);
  parallel_for(total, grain, threads, [&](std::size_t begin, std::size_t end) {
    Worker *worker = nullptr;
    bool fine = false;
    try {
      {
        const std::lock_guard lock(roster);
        if (failed) return;
        if (!idle.empty()) {
          worker = idle.back();
          idle.pop_back();
        } else {
          team.push_back(std::make_unique<Worker>(*this, *a.parent, pool.budget()));
          worker = team.back().get();
        }
      }
      fine = worker->machine.run_range(a, worker->root, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
    } catch (...) { // a limit on memory; the instances one by one say so, or find that they fit
    }
    const std::lock_guard lock(roster);
    if (fine) return idle.push_back(worker);
    failed = true;
    for (const auto &other : team) other->machine.stop = true;
  });
  for (ObjectStorage *s : written)
    if (s->defined) s->defined->share(false);
  // What one thread would hold now: of each size as many blocks, of each level as many frames as the busiest worker.
  std::size_t blocks[TilePool::size_classes] = {}, count[TilePool::size_classes];
  IdVector<LevelId, std::size_t> frames;
  frames.resize(p.levels.size());
  std::size_t made = 0;
  for (const auto &worker : team) {
    const Machine &theirs = worker->machine;
    worker->pool.count_blocks(count);
    for (std::size_t c = 0; c < TilePool::size_classes; ++c) blocks[c] = std::max(blocks[c], count[c]);
    for (std::size_t l = 0; l < theirs.idle_.size(); ++l)
      frames[LevelId(l)] = std::max(frames[LevelId(l)], theirs.idle_[LevelId(l)].size());
    made += theirs.notes_made - notes_made;
  }
  team.clear();
  pool.thaw();
  if (failed) {
    before.put_back();
    return false;
  }
  ++on_threads;
  notes_made += made;
  pool.charge(made * sizeof(NoteEntry));
  pool.stock(blocks);
  for (std::size_t l = 0; l < frames.size(); ++l)
    while (idle_[LevelId(l)].size() < frames[LevelId(l)]) make_frame(code.routines[LevelId(l)]);
  return true;
}

} // namespace tilenest
