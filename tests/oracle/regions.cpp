// SPDX-License-Identifier: Apache-2.0
// Chapters 2 and 3: regions, the reference order, what is lifted, variables and their joins.
#include "tests/oracle/machine.h"
#include <algorithm>

namespace tilenest::oracle {

namespace {

void drop_tags(Element &e, int variable) {
  std::erase_if(e.tags, [&](const Tag &t) { return t.variable == variable; });
}
bool shared_by(const Element &e, int run, int variable) {
  return std::any_of(e.tags.begin(), e.tags.end(),
                     [&](const Tag &t) { return t.run == run && t.variable == variable; });
}

} // namespace

// The events of an operation: one per coordinate of its anchor, temporal point and reduction point
// (ANC-ONCE).
std::vector<std::int64_t> Machine::key(OpId id, const Instance &in) const {
  std::vector<std::int64_t> k{id.index};
  const int depth = event_depth(id);
  for (const Step &s : in.path) {
    if (s.kind == Step::Kind::parallel && s.depth > depth) continue;
    k.push_back(s.op.index);
    k.insert(k.end(), s.point.begin(), s.point.end());
  }
  return k;
}

// ANC-ATOM: an atomic is never lifted.
int Machine::event_depth(OpId id) const {
  const Op &op = p_.ops[id];
  const auto *indexed = std::get_if<IndexedAttr>(&op.attr);
  const bool atomic = op.kind == OpKind::atomic || (op.kind == OpKind::scatter && indexed->reducer);
  const LevelId level = p_.regions[op.parent].level;
  return p_.levels[atomic || !op.anchor.valid() ? level : op.anchor].depth;
}

Event &Machine::event(OpId id, Instance &in, Reach **reach) {
  const auto [at, added] = event_at_.try_emplace(key(id, in), out_.events.size());
  if (added) out_.events.push_back({id, event_depth(id), {}, {}});
  Event &e = out_.events[at->second];
  auto found =
      std::find_if(e.reaches.rbegin(), e.reaches.rend(), [&](const Reach &r) { return r.path == in.path; });
  if (found == e.reaches.rend()) {
    e.reaches.push_back({in.path, {}});
    found = e.reaches.rbegin();
  }
  if (reach != nullptr) *reach = &*found;
  return e;
}

// "Taking an element that the instance has not written reads `v`."
void Machine::read(OpId id, Instance &in, const Element &e) {
  if (e.tags.empty() || !e.active) return;
  Reach *reach = nullptr;
  event(id, in, &reach);
  for (const Tag &t : e.tags) reach->tiles.insert({t.variable, t.element, false, t.run});
}

int Machine::mark(const char *code, OpId op) {
  marks_.push_back({code, op});
  return static_cast<int>(marks_.size()) - 1;
}

Task Machine::body(RegionId region, Instance &in) {
  struct Meet { // suspends the instance, whose `parallel` goes on with the next
    Instance &in;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) { in.stopped = h; }
    void await_resume() {}
  };
  for (const OpId id : p_.regions[region].ops) {
    if (++steps_ > 2'000'000) throw Refused{"a long run"};
    const Op &op = p_.ops[id];
    switch (op.kind) {
    case OpKind::parallel:
      parallel(id, in);
      break;
    case OpKind::serial:
    case OpKind::pipeline:
    case OpKind::reduce_region: {
      Task t = loop(id, in);
      co_await t;
      break;
    }
    case OpKind::while_: {
      Task t = rounds(id, in);
      co_await t;
      break;
    }
    case OpKind::if_:
    case OpKind::switch_: {
      Task t = branch(id, in);
      co_await t;
      break;
    }
    case OpKind::stage: {
      Task t = body(op.regions[0], in);
      co_await t;
      break;
    }
    case OpKind::sync: {
      Path inside(in.path.begin() + static_cast<std::ptrdiff_t>(in.own), in.path.end());
      for (Step &s : inside) s.run = 0; // statements and points are compared, not the instance's own runs
      in.sync.emplace(id, std::move(inside));
      Meet meet{in};
      co_await meet;
      ++in.path[in.own - 1].phase;
      break;
    }
    default:
      simple(id, in);
    }
  }
}

// The active points of a domain in lexicographic order (IDX-PRED).
std::vector<Point> Machine::domain(const Space &space, const Tile *predicate) {
  std::vector<Point> points;
  Tile frame;
  for (const Factor &f : space.factors) frame.dims.push_back(f.dim);
  frame.shape = bound_.shape(space);
  each_point(frame.shape, [&](const Point &point) {
    if (predicate != nullptr) {
      const Element &e = at(*predicate, frame, point);
      observe(e); // a condition
      if (e.mark >= 0 || e.value == 0) return;
    }
    points.push_back(point);
  });
  return points;
}

void Machine::set_arguments(const Region &r, const Point &point, const std::vector<Tile> &carried,
                            Instance &in) {
  const std::size_t coordinates = r.args.size() - carried.size();
  for (std::size_t i = 0; i < r.args.size(); ++i) {
    Tile t;
    if (i < coordinates) {
      t = empty_tile(r.args[i]);
      t.e[0].value = point[i];
    }
    in.values[r.args[i]] = i < coordinates ? t : carried[i - coordinates];
  }
}

// --- serial, pipeline, reduce, while, if, switch ---

Task Machine::loop(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const auto &attr = std::get<LoopAttr>(op.attr);
  const Region &r = p_.regions[op.regions[0]];
  const std::size_t controls = op.control_operand_count();
  const bool contributions = op.kind == OpKind::reduce_region;
  if (controls > 0)
    for (const Element &e : value(op.operands[0], in).e) read(id, in, e);
  std::vector<Point> points = domain(attr.domain, controls > 0 ? &value(op.operands[0], in) : nullptr);
  if (attr.order.valid()) throw Refused{"an order"};
  if (contributions && p_.algebras[attr.algebra].policy == ReductionPolicy::fold_right)
    std::reverse(points.begin(), points.end()); // RED-FOLD
  std::vector<Tile> carried;
  for (std::size_t i = controls; i < op.operands.size(); ++i) carried.push_back(value(op.operands[i], in));
  const int run = next_run_++;
  for (const Point &point : points) {
    set_arguments(r, point, carried, in);
    in.path.push_back({contributions ? Step::Kind::reduce : Step::Kind::ordered, id, run, point, 0, 0});
    Task t = body(op.regions[0], in);
    co_await t;
    in.path.pop_back();
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = value(r.yields[i], in);
    if (contributions)
      for (const Tile &state : carried)
        for (const Element &e : state.e)
          if (e.active) observe(e);
  }
  for (std::size_t i = 0; i < carried.size(); ++i) in.values[op.results[i]] = carried[i];
}

Task Machine::rounds(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const Region &condition = p_.regions[op.regions[0]], &r = p_.regions[op.regions[1]];
  std::vector<Tile> carried;
  for (const ValueId v : op.operands) carried.push_back(value(v, in));
  const int run = next_run_++;
  for (std::int64_t round = 0;; ++round) {
    if (round == 1000) throw Refused{"a `while` without end"};
    set_arguments(condition, {}, carried, in);
    in.path.push_back({Step::Kind::ordered, id, run, {round}, 0, 0});
    Task test = body(op.regions[0], in);
    co_await test;
    const Element &c = scalar(condition.yields[0], in);
    read(id, in, c);
    observe(c);
    if (c.mark >= 0) throw Stop{};
    if (c.value == 0) break;
    Task t = body(op.regions[1], in);
    co_await t;
    in.path.pop_back();
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = value(r.yields[i], in);
  }
  in.path.pop_back();
  for (std::size_t i = 0; i < carried.size(); ++i) in.values[op.results[i]] = carried[i];
}

Task Machine::branch(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const Element &c = scalar(op.operands[0], in);
  read(id, in, c);
  observe(c);
  if (c.mark >= 0) throw Stop{};
  std::size_t arm = c.value == 0 ? 1 : 0;
  if (op.kind == OpKind::switch_) {
    const auto &cases = std::get<SwitchAttr>(op.attr).cases;
    arm = static_cast<std::size_t>(
        std::find_if(cases.begin(), cases.end(), [&](std::int64_t k) { return c.value == k; }) -
        cases.begin());
  }
  const Region &r = p_.regions[op.regions[arm]];
  Task t = body(op.regions[arm], in);
  co_await t;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    Tile merged = value(r.yields[i], in);
    in.values[op.results[i]] = std::move(merged);
  }
}

// --- parallel ---

void Machine::parallel(OpId id, Instance &outer) {
  const Op &op = p_.ops[id];
  const LevelId level = std::get<ParallelAttr>(op.attr).level;
  if (p_.levels[level].map.valid()) throw Refused{"a map of a parallel"};
  const Region &r = p_.regions[op.regions[0]];
  const std::size_t controls = op.control_operand_count();
  if (controls > 0)
    for (const Element &e : value(op.operands[0], outer).e) read(id, outer, e);
  const int run = next_run_++;
  std::vector<Tile> carried;
  for (std::size_t i = 0; i < op.carries.size(); ++i) {
    Tile t = value(op.operands[controls + i], outer);
    for (std::size_t k = 0; k < t.e.size(); ++k)
      t.e[k].tags.push_back({run, outer.variables.at(op.carries[i]), static_cast<std::int64_t>(k)});
    carried.push_back(std::move(t));
  }
  std::vector<std::unique_ptr<Instance>> instances;
  std::vector<Task> tasks;
  for (const Point &point :
       domain(p_.levels[level].domain, controls > 0 ? &value(op.operands[0], outer) : nullptr)) {
    auto in = std::make_unique<Instance>(outer);
    in->sync.reset();
    in->path.push_back({Step::Kind::parallel, id, run, point, 0, p_.levels[level].depth});
    in->own = in->path.size();
    for (const VarId v : op.carries) in->shared[outer.variables.at(v)].push_back(run);
    set_arguments(r, point, carried, *in);
    tasks.push_back(body(op.regions[0], *in));
    in->stopped = tasks.back().handle();
    instances.push_back(std::move(in));
  }
  // SYNC: every instance goes on to its next meeting; then all of them are at the same one, or all are
  // through.
  for (bool more = !instances.empty(); more;) {
    for (std::size_t k = 0; k < instances.size(); ++k) {
      const std::size_t i = reversed_ ? instances.size() - 1 - k : k;
      instances[i]->sync.reset();
      instances[i]->stopped.resume();
      if (tasks[i].done()) tasks[i].rethrow();
    }
    more = !tasks[0].done();
    for (std::size_t i = 1; i < instances.size(); ++i)
      if (instances[i]->sync != instances[0]->sync) {
        violation("U0401", id);
        throw Stop{};
      }
  }
  join(op, run, outer, instances);
}

// UPD-JOIN: "At exit each element has its one writer's value, else the shared value." With several, the last.
void Machine::join(const Op &op, int run, Instance &outer,
                   std::vector<std::unique_ptr<Instance>> &instances) {
  const Region &r = p_.regions[op.regions[0]];
  for (std::size_t c = 0; c < op.carries.size(); ++c) {
    const int variable = outer.variables.at(op.carries[c]);
    Tile out = value(op.operands[op.control_operand_count() + c], outer);
    for (std::size_t k = 0; k < out.e.size(); ++k) {
      if (!instances.empty()) out.e[k] = value(r.yields[c], *instances[0]).e[k];
      for (const auto &in : instances)
        if (const Element &mine = value(r.yields[c], *in).e[k]; !shared_by(mine, run, variable))
          out.e[k] = mine;
      std::erase_if(out.e[k].tags, [&](const Tag &t) { return t.run == run; });
    }
    outer.values[op.results[c]] = std::move(out);
  }
}

void Machine::assign(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const auto &attr = std::get<AssignAttr>(op.attr);
  Tile t = value(op.operands[0], in);
  if (attr.declares) {
    in.variables[attr.var] = static_cast<int>(variable_names_.size());
    variable_names_.push_back(p_.variables[attr.var].name);
  }
  const int variable = in.variables.at(attr.var);
  if (const auto shared = in.shared.find(variable); shared != in.shared.end()) {
    std::vector<std::int64_t> written;
    for (std::size_t k = 0; k < t.e.size(); ++k) {
      Element &e = t.e[k];
      // A window is what inserts made since the definition before; every other assignment writes all.
      if (attr.role == AssignRole::window && e.stamp == value(op.operands.at(1), in).e[k].stamp) continue;
      written.push_back(static_cast<std::int64_t>(k));
      // Through a parallel that it is lifted out of, its value is the shared one (ANC-SHARE).
      drop_tags(e, variable);
      for (const Step &s : in.path)
        if (s.depth > event_depth(id) && std::count(shared->second.begin(), shared->second.end(), s.run) != 0)
          e.tags.push_back({s.run, variable, static_cast<std::int64_t>(k)});
    }
    if (!written.empty() &&
        attr.role != AssignRole::collective) { // a collective one is a write of no instance
      Reach *reach = nullptr;
      event(id, in, &reach);
      for (const std::int64_t k : written) reach->tiles.insert({variable, k, true, -1});
    }
  }
  for (const ValueId v : op.results) in.values[v] = t;
}

// --- the whole run ---

Outcome Machine::run() {
  Instance root;
  try {
    const Task t = body(p_.body, root);
    t.handle().resume();
    t.rethrow();
  } catch (const Stop &) {
    out_.complete = false;
  }
  for (const ObjectId id : p_.arguments) {
    std::int64_t elements = 1;
    for (const Extent &e : p_.objects[id].shape) elements *= bound_.extent(e);
    const auto size = static_cast<std::int64_t>(byte_size(p_.objects[id].elem));
    auto &bytes = out_.arguments.emplace_back();
    out_.undefined_elements.push_back(0);
    for (std::int64_t i = 0; i < elements; ++i) {
      bool whole_element = true;
      for (std::int64_t k = 0; k < size; ++k) {
        const Byte &b = storages_[static_cast<std::size_t>(argument_storage_.at(id))]
                                 [static_cast<std::size_t>(argument_offset_[id.index] + i * size + k)];
        const bool known = b.defined && b.mark < 0;
        bytes.push_back(known ? std::optional(b.value) : std::nullopt);
        whole_element &= b.defined;
      }
      out_.undefined_elements.back() += whole_element ? 0 : 1;
    }
  }
  out_.interferences = interferences(out_.events, storage_names_, variable_names_);
  return std::move(out_);
}

Outcome interpret(const BoundProgram &program, const std::vector<Argument> &arguments, bool reversed) {
  return Machine(program, arguments, reversed).run();
}

} // namespace tilenest::oracle
