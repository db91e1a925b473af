// SPDX-License-Identifier: Apache-2.0
// Chapters 2 and 3: regions, the reference order, what is lifted, variables and their joins.
#include "tests/oracle/machine.h"
#include <algorithm>

namespace tilenest::oracle {

// Of an operation's anchor. ANC-ATOM: an atomic is never lifted.
int Machine::depth(OpId id) const {
  const Op &op = p_.ops[id];
  const bool atomic =
      op.kind == OpKind::atomic || (op.kind == OpKind::scatter && std::get<IndexedAttr>(op.attr).reducer);
  return p_.levels[atomic || !op.anchor.valid() ? p_.regions[op.parent].level : op.anchor].depth;
}

// An operation with the coordinates of the parallels down to a depth, the temporal and the reduction points.
Key Machine::key(OpId id, const Instance &in, int depth) const {
  Key k{id.index};
  for (const Step &s : in.path) {
    if (s.kind == Step::Kind::parallel && s.depth > depth) continue;
    k.push_back(s.op.index);
    k.insert(k.end(), s.point.begin(), s.point.end());
  }
  return k;
}

Task Machine::body(RegionId region, Instance &in) {
  for (const OpId id : p_.regions[region].ops) {
    if (++steps_ > 2'000'000) throw Refused{"a long run"};
    const Op &op = p_.ops[id];
    if (op.kind == OpKind::parallel) {
      parallel(id, in);
    } else if (op.kind == OpKind::memory) {
      memory(id, in);
    } else if (op.kind == OpKind::assign) {
      assign(id, in);
    } else if (op.kind == OpKind::sync) {
      // SYNC: the statement and the temporal points that all instances are to meet at.
      in.sync = key(id, in, p_.levels[p_.regions[region].level].depth - 1);
      co_await std::suspend_always{};
      ++in.path[in.own - 1].phase;
    } else if (!op.regions.empty()) {
      for (Task t = structured(id, in); t.step();) co_await std::suspend_always{};
    } else if (info(op.kind).form == Form::memory) {
      access(id, in);
    } else {
      const TileType &type = p_.values[op.results.at(0)].type;
      Tile out = empty_tile(type.elem, type.space);
      for (const Point &point : points(out.shape)) out.e.push_back(computed(id, in, out, point));
      set(op.results[0], std::move(out), in);
    }
  }
}

// The active points in lexicographic order (IDX-PRED); a predicate is the operation's first operand.
std::vector<Point> Machine::domain(OpId id, Instance &in, const Space &space) {
  const Op &op = p_.ops[id];
  const Tile frame = empty_tile(ScalarType::boolean, space);
  std::vector<Point> all = points(frame.shape);
  if (op.control_operand_count() > 0)
    std::erase_if(all, [&](const Point &p) { return !holds(id, in, at(value(op.operands[0], in), frame, p)); });
  return all;
}

Rational Machine::condition(OpId id, Instance &in, ValueId v) {
  const Element &c = read(id, in, value(v, in).e[0]);
  observe(c.marks);
  if (!c.marks.empty()) throw Stop{};
  return c.value;
}

void Machine::enter(const Region &r, const Point &point, const std::vector<Tile> &carried, Instance &in) {
  const std::size_t coordinates = r.args.size() - carried.size();
  for (std::size_t i = 0; i < r.args.size(); ++i)
    set(r.args[i], i < coordinates ? Tile{ScalarType::i64, {}, {}, {Element{point[i]}}} : carried[i - coordinates], in);
}

// serial, pipeline, reduce and `while` go round; `if` and `switch` have one round in one arm, a stage in its body.
Task Machine::structured(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const bool is_while = op.kind == OpKind::while_, contributions = op.kind == OpKind::reduce_region;
  RegionId inside = op.regions[is_while ? 1 : 0];
  std::vector<Point> rounds(1);
  std::vector<Tile> carried;
  if (op.kind == OpKind::if_ || op.kind == OpKind::switch_) {
    const auto *of_switch = std::get_if<SwitchAttr>(&op.attr);
    const std::vector<std::int64_t> cases = of_switch ? of_switch->cases : std::vector<std::int64_t>{1};
    const auto found = std::find(cases.begin(), cases.end(), condition(id, in, op.operands[0]));
    inside = op.regions[static_cast<std::size_t>(found - cases.begin())];
  } else {
    for (std::size_t i = op.control_operand_count(); i < op.operands.size(); ++i)
      carried.push_back(value(op.operands[i], in));
  }
  if (const auto *attr = std::get_if<LoopAttr>(&op.attr)) {
    rounds = domain(id, in, attr->domain);
    if (attr->order.valid()) throw Refused{"an order"};
    if (contributions && p_.algebras[attr->algebra].policy == ReductionPolicy::fold_right)
      std::reverse(rounds.begin(), rounds.end()); // RED-FOLD
  }
  const int run = next_run_++;
  for (std::size_t round = 0; is_while || round < rounds.size(); ++round) {
    if (is_while && round == 1000) throw Refused{"a `while` without end"};
    const Point point = is_while ? Point{static_cast<std::int64_t>(round)} : rounds[round];
    in.path.push_back({contributions ? Step::Kind::reduce : Step::Kind::ordered, id, run, point});
    enter(p_.regions[op.regions[0]], point, carried, in);
    if (is_while) {
      for (Task t = body(op.regions[0], in); t.step();) co_await std::suspend_always{};
      if (condition(id, in, p_.regions[op.regions[0]].yields[0]) == 0) break;
    }
    for (Task t = body(inside, in); t.step();) co_await std::suspend_always{};
    in.path.pop_back();
    carried.clear(); // VAL-CARRY: together
    for (const ValueId v : p_.regions[inside].yields) carried.push_back(value(v, in));
    for (const Tile &state : carried)
      for (const Element &e : state.e)
        if (contributions && e.active) observe(e.marks);
  }
  if (is_while) in.path.pop_back();
  for (std::size_t i = 0; i < op.results.size(); ++i) set(op.results[i], carried[i], in);
}

void Machine::parallel(OpId id, Instance &outer) {
  const Op &op = p_.ops[id];
  const Level &level = p_.levels[std::get<ParallelAttr>(op.attr).level];
  if (level.map.valid()) throw Refused{"a map of a parallel"};
  const Region &r = p_.regions[op.regions[0]];
  const int run = next_run_++;
  std::vector<Tile> carried;
  for (std::size_t c = 0; c < op.carries.size(); ++c) {
    carried.push_back(value(op.operands[op.control_operand_count() + c], outer));
    for (std::size_t k = 0; k < carried[c].e.size(); ++k)
      carried[c].e[k].shared.push_back(element_of(outer.variables.at(op.carries[c]), k, How::read, run));
  }
  std::deque<Instance> instances;
  std::vector<Task> tasks;
  for (const Point &point : domain(id, outer, level.domain)) {
    Instance &in = instances.emplace_back(outer);
    in.path.push_back({Step::Kind::parallel, id, run, point, level.depth});
    in.own = in.path.size();
    enter(r, point, carried, in);
    tasks.push_back(body(op.regions[0], in));
  }
  // SYNC: every instance goes on to its next meeting; then all are at the same one, or all at their end.
  for (bool more = !instances.empty(); more;) {
    for (std::size_t k = 0; k < instances.size(); ++k) {
      const std::size_t i = reversed_ ? instances.size() - 1 - k : k;
      instances[i].sync.clear();
      tasks[i].step();
    }
    more = !instances[0].sync.empty();
    for (const Instance &in : instances)
      if (in.sync != instances[0].sync) {
        observe({{"U0401", id}});
        throw Stop{};
      }
  }
  // UPD-JOIN: "At exit each element has its one writer's value, else the shared one." With several, the last.
  for (std::size_t c = 0; c < op.carries.size(); ++c) {
    Tile out = instances.empty() ? carried[c] : value(r.yields[c], instances[0]);
    for (std::size_t k = 0; k < out.e.size(); ++k) {
      const Touch unwritten = element_of(outer.variables.at(op.carries[c]), k, How::read, run);
      for (const Instance &in : instances) {
        const Element &e = value(r.yields[c], in).e[k];
        if (std::find(e.shared.begin(), e.shared.end(), unwritten) == e.shared.end()) out.e[k] = e;
      }
      std::erase_if(out.e[k].shared, [&](const Touch &t) { return t.shared_by == run; });
    }
    set(op.results[c], std::move(out), outer);
  }
}

void Machine::assign(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  const auto &attr = std::get<AssignAttr>(op.attr);
  Tile t = value(op.operands[0], in);
  if (attr.declares) in.variables[attr.var] = named(p_.variables[attr.var].name);
  const int variable = in.variables.at(attr.var);
  Path around; // the parallels that it is an ancestor's variable in
  for (const Step &s : in.path) {
    const std::vector<VarId> &carries = p_.ops[s.op].carries;
    const bool carried = std::find(carries.begin(), carries.end(), attr.var) != carries.end();
    if (s.kind == Step::Kind::parallel && carried) around.push_back(s);
  }
  for (std::size_t k = 0; k < t.e.size() && !around.empty(); ++k) {
    Element &e = t.e[k];
    // A window is what inserts made since the definition before; every other assignment writes all.
    if (attr.role == AssignRole::window && e.stamp == value(op.operands.at(1), in).e[k].stamp) continue;
    // Through a parallel that it is lifted out of, its value is the shared one (ANC-SHARE).
    std::erase_if(e.shared, [&](const Touch &s) { return s.object == variable; });
    for (const Step &s : around)
      if (s.depth > depth(id)) e.shared.push_back(element_of(variable, k, How::read, s.run));
    if (attr.role != AssignRole::collective) // a collective one is a write of no instance
      touch(id, in, element_of(variable, k, How::write));
  }
  for (const ValueId v : op.results) set(v, t, in);
}

Outcome Machine::run(const std::vector<Argument> &arguments) {
  Instance root;
  root.values.resize(p_.values.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument &a = arguments[i];
    const ObjectId id = p_.arguments[i];
    const int storage = named(p_.objects[id].name);
    for (const std::uint8_t b : a.bytes) storages_[storage].push_back({b, a.defined});
    const ObjectId home = a.alias_of < 0 ? id : p_.arguments[static_cast<std::size_t>(a.alias_of)];
    root.objects[id] = {a.alias_of < 0 ? storage : root.objects.at(home).storage, a.offset};
  }
  try {
    body(p_.body, root).step();
  } catch (const Stop &) {
    out_.complete = false;
  }
  for (const ObjectId id : p_.arguments) {
    const auto &[storage, begin] = root.objects.at(id);
    auto bytes = static_cast<std::int64_t>(byte_size(p_.objects[id].elem));
    for (const Extent &e : p_.objects[id].shape) bytes *= bound_.extent(e);
    out_.arguments.emplace_back();
    for (std::int64_t i = 0; i < bytes; ++i) {
      const Byte &b = storages_.at(storage).at(static_cast<std::size_t>(begin + i));
      out_.arguments.back().push_back(b.defined && b.marks.empty() ? std::optional(b.value) : std::nullopt);
    }
  }
  out_.interferences = interferences(out_.events, names_);
  return std::move(out_);
}

Outcome interpret(const BoundProgram &program, const std::vector<Argument> &arguments, bool reversed) {
  return Machine(program, reversed).run(arguments);
}

} // namespace tilenest::oracle
