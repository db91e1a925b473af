// SPDX-License-Identifier: Apache-2.0
// From a bound program to routines: slots, bodies, last uses, which operations are remembered in their anchor's
// frame, which nests may run a row of instances at a time. Plans of single forms are built in their own files.
#include "interp/admitted.h"
#include "interp/code.h"
#include "interp/run.h"
#include "semantics/diag/codes.h"
#include "semantics/space/element_count.h"
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

namespace tilenest {

std::vector<std::int64_t> row_major(const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> strides(shape.size());
  if (element_count(shape) == 0) return strides; // no one steps there
  std::int64_t s = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = s;
    s *= shape[i];
  }
  return strides;
}

StridedLoops::StridedLoops(std::vector<std::int64_t> e, std::vector<std::vector<std::int64_t>> s) {
  if (element_count(e) == 0) e.assign(1, 0), s.assign(s.size(), {0}); // extents of nothing may have no product
  // Drop unit dims, then merge each dim into the one inside it where every operand runs on evenly.
  strides.resize(s.size());
  for (std::size_t d = 0; d < e.size(); ++d) {
    if (e[d] == 1) continue;
    bool even = !extents.empty();
    for (std::size_t i = 0; even && i < s.size(); ++i) even = strides[i].back() == s[i][d] * e[d];
    if (even) {
      extents.back() *= e[d];
      for (std::size_t i = 0; i < s.size(); ++i) strides[i].back() = s[i][d];
    } else {
      extents.push_back(e[d]);
      for (std::size_t i = 0; i < s.size(); ++i) strides[i].push_back(s[i][d]);
    }
  }
  if (extents.empty()) {
    extents.push_back(1);
    for (auto &operand : strides) operand.push_back(0);
  }
}

std::vector<std::int64_t> Compiler::strides_over(ValueId v, const Space &space) const {
  const TileType &t = type(v);
  const std::vector<std::int64_t> own = row_major(info(v).shape);
  std::vector<std::int64_t> out;
  for (const Factor &f : space.factors) {
    const int at = t.space.find(f.dim);
    out.push_back(at < 0 || info(v).shape[at] == 1 ? 0 : own[at]);
  }
  return out;
}

void Compiler::unsupported(const Op &op, const std::string &what) {
  errors.emplace_back(Code::N0001, p.site(op.site),
                      std::vector<std::pair<std::string, std::string>>{{"what", what}, {"engine", "interp"}});
}

// The region's operations with those of its stages in their place.
std::vector<OpId> Compiler::flat_ops(RegionId region) const {
  std::vector<OpId> out;
  for (OpId id : p.regions[region].ops) {
    out.push_back(id);
    if (p.ops[id].kind == OpKind::stage) {
      out.pop_back();
      for (OpId inner : flat_ops(p.ops[id].regions[0])) out.push_back(inner);
    }
  }
  return out;
}

void Compiler::number_values() {
  code.values.resize(p.values.size());
  code.routines.resize(p.levels.size());
  code.memory_index.assign(p.objects.size(), 0);
  for (std::size_t i = 0; i < p.levels.size(); ++i) code.routines[LevelId(i)].level = LevelId(i);
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    const Value &v = p.values[ValueId(i)];
    ValueInfo &info = code.values[ValueId(i)];
    const RegionId home = v.op.valid() ? p.ops[v.op].parent : v.region;
    info.level = p.regions[home].level;
    info.slot = code.routines[info.level].slots++;
    info.shape = bound.shape(v.type.space);
    info.count = element_count(info.shape);
    info.bytes = byte_size(v.type.elem);
  }
}

// rule: NUM-WRAP -- integers that flow into a coordinate remember that they wrapped; a backward slice.
void Compiler::find_coordinates() {
  std::vector<ValueId> work;
  auto need = [&](ValueId v) {
    if (!is_integer(type(v).elem) || code.values[v].tracks_wrap) return;
    code.values[v].tracks_wrap = true;
    work.push_back(v);
  };
  for (const Op &op : p.ops) {
    std::size_t first = op.operands.size(), last = op.operands.size();
    if (op.kind == OpKind::load || op.kind == OpKind::gather) first = 0;
    if (op.kind == OpKind::store || op.kind == OpKind::atomic || op.kind == OpKind::scatter ||
        op.kind == OpKind::take)
      first = 1;
    if (op.kind == OpKind::insert) first = 2;
    if (op.kind == OpKind::map_coord) first = 0;
    if (const auto *a = std::get_if<AccessAttr>(&op.attr)) last = first + a->axes.size();
    for (std::size_t i = first; i < last; ++i) need(op.operands[i]);
  }
  while (!work.empty()) {
    const ValueId v = work.back();
    work.pop_back();
    const Value &value = p.values[v];
    if (!value.op.valid()) { // a carried definition: what comes in and what the end gives
      const Region &r = p.regions[value.region];
      const Op &op = p.ops[r.op];
      if (op.kind == OpKind::reduce_region)
        for (std::size_t c = 1; c < op.regions.size(); ++c)
          for (ValueId x : p.regions[op.regions[c]].yields) need(x);
      if (value.region != op.regions[0]) { // an operand of a contract's merge
        for (ValueId x : op.operands) need(x);
        for (ValueId x : p.regions[op.regions[0]].yields) need(x);
        continue;
      }
      const std::size_t coords = r.args.size() - op.carries.size();
      if (static_cast<std::size_t>(value.index) < coords) continue;
      const std::size_t carry = static_cast<std::size_t>(value.index) - coords;
      need(op.operands[op.control_operand_count() + carry]);
      need(p.regions[op.yielding_regions()[0]].yields[carry]);
      continue;
    }
    const Op &op = p.ops[value.op];
    switch (tilenest::info(op.kind).form) {
    case Form::elementwise:
    case Form::index_map:
    case Form::reduce:
    case Form::contract:
    case Form::meta:
      for (ValueId x : op.operands) need(x);
      break;
    case Form::control:
      if (op.kind == OpKind::assign) {
        need(op.operands[0]);
        break;
      }
      for (RegionId r : op.yielding_regions()) need(p.regions[r].yields[value.index]);
      if (op.kind == OpKind::reduce_region)
        for (std::size_t c = 1; c < op.regions.size(); ++c)
          for (ValueId x : p.regions[op.regions[c]].yields) need(x);
      if (op.operands.size() > op.control_operand_count())
        need(op.operands[op.control_operand_count() + value.index]);
      break;
    default: break;
    }
  }
}

// What is stored to under each level, by the storage's number.
void Compiler::find_written() {
  written.resize(p.levels.size());
  for (const Op &op : p.ops) {
    if (op.kind != OpKind::store && op.kind != OpKind::atomic && op.kind != OpKind::scatter) continue;
    const auto *window = std::get_if<AccessAttr>(&op.attr);
    const ViewId view = window ? window->view : std::get<IndexedAttr>(op.attr).view;
    for (LevelId l = p.regions[op.parent].level;; l = p.levels[l].parent) {
      written[l].insert(storage[p.views[view].object.index]);
      if (l == TileProgram::root()) break;
    }
  }
}

// The storage that an access touches, by number.
static std::uint32_t storage_of(const Compiler &c, const Op &op) {
  const auto *window = std::get_if<AccessAttr>(&op.attr);
  return c.storage[c.p.views[window ? window->view : std::get<IndexedAttr>(op.attr).view].object.index];
}

static bool is_access(const Op &op) { return info(op.kind).form == Form::memory && op.kind != OpKind::memory; }

// rule: PAR-NI -- what is never written, and a memory that its own instance alone touches, needs no shadow state.
void Compiler::find_shadowed() {
  std::vector<std::uint8_t> written(p.objects.size(), 0), shared(p.objects.size(), 0);
  std::function<void(RegionId, bool)> walk = [&](RegionId region, bool in_reduce) {
    for (OpId id : p.regions[region].ops) {
      const Op &op = p.ops[id];
      if (is_access(op)) {
        const std::uint32_t s = storage_of(*this, op);
        const Object &object = p.objects[ObjectId(s)];
        written[s] |= op.kind != OpKind::load && op.kind != OpKind::gather;
        shared[s] |= object.kind == ObjectKind::argument || in_reduce || op.kind == OpKind::scatter ||
                     p.regions[op.parent].level != object.owner;
      }
      for (RegionId inner : op.regions) walk(inner, in_reduce || op.kind == OpKind::reduce_region);
    }
  };
  walk(p.body, false);
  code.shadowed.assign(p.objects.size(), 0);
  code.cell_shift.assign(p.objects.size(), 4);
  for (const View &v : p.views) code.halves |= is_packed(v.elem);
  for (std::size_t s = 0; s < p.objects.size(); ++s) code.shadowed[s] = written[s] && shared[s];
  for (const View &v : p.views) {
    const int bits = is_packed(v.elem) ? 4 : 8 * static_cast<int>(byte_size(v.elem));
    int shift = 0;
    while ((code.halves ? 4 : 8) << shift < bits) ++shift;
    std::uint8_t &mine = code.cell_shift[storage[v.object.index]];
    mine = std::min(mine, static_cast<std::uint8_t>(shift));
  }
}

bool Compiler::watched(RegionId region) const {
  bool any = false;
  if (!code.shadowed.empty())
    for_each_op(p, region, [&](const Op &op, OpId) { any |= is_access(op) && code.shadowed[storage_of(*this, op)]; });
  return any;
}

// Whether doing a lifted operation twice could be noticed: effects, reports, and snapshots of what the instances
// that share it write.
bool Compiler::observes_repetition(const Op &op) const {
  switch (tilenest::info(op.kind).form) {
  case Form::memory: break;
  case Form::meta: return op.kind == OpKind::assert_;
  case Form::control: return op.kind != OpKind::assign && op.kind != OpKind::sync;
  default: return false;
  }
  if (op.kind == OpKind::memory) return false;
  if (op.kind != OpKind::load && op.kind != OpKind::gather) return true;
  // The outermost parallel that it is lifted out of.
  LevelId out = p.regions[op.parent].level;
  while (p.levels[out].depth > p.levels[op.anchor].depth + 1) out = p.levels[out].parent;
  const auto *window = std::get_if<AccessAttr>(&op.attr);
  const ViewId view = window ? window->view : std::get<IndexedAttr>(op.attr).view;
  return rule_broken(Rule::anc_share) || written[out].count(storage[p.views[view].object.index]) > 0;
}

// Whether the results of a lifted operation that could be repeated are worth remembering.
bool Compiler::remembered(const Op &op) const {
  switch (tilenest::info(op.kind).form) {
  case Form::contract:
  case Form::reduce: return true;
  case Form::elementwise:
  case Form::index_map:
  case Form::memory: return op.kind != OpKind::memory && !op.results.empty() && code.values[op.results[0]].count > 16;
  default: return false;
  }
}

void Compiler::compile_op(OpId id, Instr &in, LevelId level) {
  const Op &op = p.ops[id];
  in.op = id;
  in.source = &op;
  const int depth = p.levels[level].depth;
  for (ValueId v : op.operands) in.operands.push_back(ref(v, level));
  for (ValueId v : op.results) in.results.push_back(info(v).slot);
  if (checked) in.tile_uses = tile_uses[id];
  if (admitted) in.deciding = deciding_operands(op);
  // rule: ANC-ONCE
  if (op.anchor.valid() && p.levels[op.anchor].depth < depth && !rule_broken(Rule::anc_once)) {
    in.repeatable = !observes_repetition(op);
    if (!in.repeatable || remembered(op)) in.lifted = static_cast<std::uint16_t>(depth - p.levels[op.anchor].depth);
  }
  switch (tilenest::info(op.kind).form) {
  case Form::elementwise: compile_elementwise(*this, op, in); break;
  case Form::index_map: compile_index_map(*this, op, in); break;
  case Form::generate: compile_generate(*this, op, in); break;
  case Form::reduce: op.kind == OpKind::scan ? compile_scan(*this, op, in) : compile_reduce(*this, op, in); break;
  case Form::contract: compile_contract(*this, op, in); break;
  case Form::memory: compile_memory(*this, op, in); break;
  case Form::meta: compile_meta(*this, op, in); break;
  case Form::control:
    compile_control(*this, op, in);
    switch (op.kind) {
    case OpKind::parallel: in.flow = Flow::parallel; break;
    case OpKind::serial:
    case OpKind::pipeline:
    case OpKind::reduce_region: in.flow = Flow::loop; break;
    case OpKind::if_:
    case OpKind::switch_: in.flow = Flow::branch; break;
    case OpKind::while_: in.flow = Flow::while_; break;
    case OpKind::sync: in.flow = Flow::sync; break;
    default: break;
    }
    for (RegionId r : op.regions) {
      in.bodies.push_back(std::make_unique<Body>());
      compile_region(r, *in.bodies.back());
    }
    if (op.kind == OpKind::parallel) {
      const LevelId inner = std::get<ParallelAttr>(op.attr).level;
      Routine &routine = code.routines[inner];
      routine.body = in.bodies[0].get();
      routine.row_of_instances = row_of_instances_ok(op);
      find_concurrency(op, static_cast<DomainPlan &>(*in.plan));
      in.lifted = 0; // its instances' operations are remembered one by one
    }
    if (op.kind == OpKind::sync) code.routines[level].has_sync = true;
    break;
  }
}

// The depth of the deepest anchor in a region; nothing where an event inside is no event of one instance.
static std::optional<int> deepest_anchor(const TileProgram &p, RegionId region) {
  int deepest = 0;
  for (OpId id : p.regions[region].ops) {
    const Op &op = p.ops[id];
    if (op.kind == OpKind::parallel || op.kind == OpKind::sync || op.kind == OpKind::memory) return std::nullopt;
    if (!op.anchor.valid()) return std::nullopt;
    deepest = std::max(deepest, p.levels[op.anchor].depth);
    for (RegionId inner : op.regions) {
      const auto d = deepest_anchor(p, inner);
      if (!d) return std::nullopt;
      deepest = std::max(deepest, *d);
    }
  }
  return deepest;
}

// The events that the region's own lifting covers.
static void forget_inside(Instr &in, std::uint16_t lifted) {
  for (auto &body : in.bodies)
    for (Instr &inner : body->instrs) {
      if (inner.lifted == lifted) inner.lifted = 0;
      forget_inside(inner, lifted);
    }
}

void Compiler::compile_body(const std::vector<OpId> &ops, Body &body, LevelId level) {
  body.instrs.reserve(ops.size());
  const int depth = p.levels[level].depth;
  for (OpId id : ops) {
    Instr &in = body.instrs.emplace_back();
    compile_op(id, in, level);
    const Op &op = p.ops[id];
    if (in.lifted == 0 || op.regions.empty()) continue;
    // A region in which everything is lifted is one event of the deepest anchor, remembered whole.
    std::optional<int> deepest = p.levels[op.anchor].depth;
    for (RegionId r : op.regions) {
      const auto inside = deepest_anchor(p, r);
      deepest = inside && deepest ? std::optional(std::max(*inside, *deepest)) : std::nullopt;
    }
    in.lifted = deepest && *deepest < depth ? static_cast<std::uint16_t>(depth - *deepest) : 0;
    if (in.lifted) forget_inside(in, in.lifted);
  }
}

void Compiler::compile_region(RegionId id, Body &body) {
  const Region &r = p.regions[id];
  const std::vector<OpId> ops = flat_ops(id);
  compile_body(ops, body, r.level);
  for (ValueId v : r.args) body.args.push_back(info(v).slot);
  for (ValueId v : r.yields) body.yields.push_back(ref(v, r.level));
  std::vector<ValueId> defined(r.args.begin(), r.args.end());
  for (OpId op : ops)
    for (ValueId v : p.ops[op].results) defined.push_back(v);
  // The body of a while still reads what its condition computed.
  const bool condition = r.op.valid() && p.ops[r.op].kind == OpKind::while_ && p.ops[r.op].regions[0] == id;
  if (!condition) mark_last_uses(id, body, defined);
}

// A value's storage may be taken by its last reader when that is a direct operand of an instruction of the
// same body. Coordinates stay: reports name them.
void Compiler::mark_last_uses(RegionId region, Body &body, const std::vector<ValueId> &defined) {
  const std::size_t n = body.instrs.size();
  struct Use {
    std::size_t at = 0;
    Ref *ref = nullptr; // null: used inside a nested region, never taken
  };
  std::unordered_map<std::uint32_t, Use> last;
  std::unordered_set<std::uint32_t> slots;
  for (ValueId v : defined) {
    if (!p.values[v].op.valid()) {
      const Op *holder = p.regions[p.values[v].region].op.valid() ? &p.ops[p.regions[p.values[v].region].op] : nullptr;
      if (holder && static_cast<std::size_t>(p.values[v].index) <
                        p.regions[p.values[v].region].args.size() - holder->carries.size())
        continue;
    }
    slots.insert(info(v).slot);
  }
  auto note = [&](Ref &r, std::size_t at, bool direct, int up) {
    if (r.up != up || !slots.count(r.slot)) return;
    // `x * x`: an instruction that reads a value twice takes it in neither place.
    const auto before = last.find(r.slot);
    const bool twice = before != last.end() && before->second.at == at;
    last[r.slot] = {at, direct && !twice ? &r : nullptr};
  };
  std::function<void(Instr &, std::size_t, int)> nested = [&](Instr &in, std::size_t at, int up) {
    for (auto &b : in.bodies) {
      const int inner = up + (in.flow == Flow::parallel ? 1 : 0);
      for (Instr &i : b->instrs) {
        for (Ref &r : i.operands) note(r, at, false, inner);
        nested(i, at, inner);
      }
      for (Ref &r : b->yields) note(r, at, false, inner);
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (Ref &r : body.instrs[i].operands) note(r, i, true, 0);
    nested(body.instrs[i], i, 0);
  }
  for (Ref &r : body.yields) note(r, n, true, 0);
  for (Ref &r : read_after[region]) note(r, n, false, 0);
  for (auto &[slot, use] : last)
    if (use.ref) use.ref->last = true;
}

// A row of instances: a body of small values where no object that is written is touched twice, so that operation by
// operation and instance by instance give the same memory. Loops go with all instances: each domain is every
// instance's, stores stand outside. A `while` goes on until the last instance's condition is false, so its body must
// have nothing to say about those that are through.
bool Compiler::row_of_instances_ok(const Op &parallel) const {
  if (!parallel.carries.empty() || chosen) return false;
  const RegionId body = parallel.regions[0];
  std::unordered_map<std::uint32_t, int> touched, written;
  std::function<bool(RegionId, bool, bool)> fits = [&](RegionId region, bool in_loop, bool in_while) {
    for (OpId id : p.regions[region].ops) {
      const Op &op = p.ops[id];
      switch (tilenest::info(op.kind).form) {
      case Form::control:
        if (op.kind == OpKind::assign) break;
        if (in_while || (op.kind != OpKind::while_ && op.kind != OpKind::serial) ||
            (op.kind == OpKind::serial && op.control_operand_count() > 0))
          return false;
        for (RegionId r : op.regions)
          if (!fits(r, true, op.kind == OpKind::while_)) return false;
        break;
      case Form::reduce:
      case Form::contract: return false;
      case Form::elementwise:
        if (in_while && may_make_notes(op)) return false;
        break;
      case Form::generate:
        if (in_while && op.kind == OpKind::map_coord) return false;
        break;
      case Form::memory: {
        const bool writes = op.kind != OpKind::load && op.kind != OpKind::gather;
        if (op.kind == OpKind::memory || in_while || (in_loop && writes)) return false;
        const ViewId view = std::holds_alternative<AccessAttr>(op.attr) ? std::get<AccessAttr>(op.attr).view
                                                                        : std::get<IndexedAttr>(op.attr).view;
        const std::uint32_t object = storage[p.views[view].object.index];
        ++touched[object];
        if (writes) ++written[object];
        break;
      }
      default:
        if (in_while) return false;
        break;
      }
      for (ValueId v : op.results)
        if (info(v).count != 1) return false;
      for (ValueId v : op.operands)
        if (info(v).level == p.regions[body].level && info(v).count != 1) return false;
    }
    return true;
  };
  if (!fits(body, false, false)) return false;
  for (const auto &[object, count] : written)
    if (touched[object] > 1) return false;
  return true;
}

// rule: UPD-JOIN -- the inserts through which a window assignment reaches the definition before it.
void Compiler::find_window_inserts() {
  window_depths.resize(p.ops.size(), -1);
  for (const Op &op : p.ops) {
    if (op.kind != OpKind::assign || op.operands.size() < 2) continue;
    const auto &attr = std::get<AssignAttr>(op.attr);
    const Variable &var = p.variables[attr.var];
    if (attr.role != AssignRole::window || !op.anchor.valid() || !var.owner.valid()) continue;
    const int depth = p.levels[op.anchor].depth;
    if (depth <= p.levels[var.owner].depth) continue;
    for (ValueId v = op.operands[0]; v != op.operands[1] && p.values[v].op.valid();) {
      const OpId def = p.values[v].op;
      if (p.ops[def].kind == OpKind::insert)
        window_depths[def] = depth;
      else if (p.ops[def].kind != OpKind::assign && p.ops[def].kind != OpKind::per)
        break;
      v = p.ops[def].operands[0];
    }
  }
}

int Compiler::window_depth(const Op &insert) const {
  return window_depths[p.values[insert.results[0]].op];
}

Compiler::Compiler(const BoundProgram &b, Routines &c, TilePool &t, const RunOptions &o, std::vector<std::uint32_t> s, bool sparse)
    : bound(b), p(*b.program), code(c), pool(t), checked(o.checked), admitted(o.sets != nullptr), chosen(o.chooser || o.sets),
      interleaved(o.interleave), counted(o.cover || sparse), laws(o.laws != nullptr), storage(std::move(s)) {}

void Compiler::compile() {
  number_values();
  find_window_inserts();
  find_coordinates();
  find_written();
  code.storage = storage;
  if (checked) tile_uses = find_tile_uses(p);
  if (checked || interleaved) find_shadowed();
  for (std::size_t i = 0; i < p.objects.size(); ++i) { // before any access is compiled
    const Object &object = p.objects[ObjectId(i)];
    if (object.kind != ObjectKind::memory) continue;
    Routine &owner = code.routines[object.owner];
    code.memory_index[i] = static_cast<std::uint32_t>(owner.memories.size());
    owner.memories.push_back(ObjectId(i));
  }
  compile_region(p.body, code.body);
  code.routines[TileProgram::root()].body = &code.body;
}

} // namespace tilenest
