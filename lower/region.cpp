// SPDX-License-Identifier: Apache-2.0
// Control: levels, loops, branches, what regions carry.
#include "lower/lowering.h"
#include "lower/packed_product.h"
#include "semantics/diag/codes.h"
#include <algorithm>

namespace tilenest::lowering {

void Lowering::unsupported(const Op &op, const std::string &what) {
  errors.emplace_back(Code::N0001, p.site(op.site), std::vector<std::pair<std::string, std::string>>{{"what", what}, {"engine", "plan"}});
}

void Lowering::emit(const Steps &steps) {
  for (const Step &step : steps) {
    if (step.opened.valid())
      open_level(step);
    else
      emit_op(step);
  }
}

void Lowering::emit_op(const Step &step) {
  current = step.op;
  b.at(step.op);
  const Op &op = p.ops[step.op];
  switch (op.kind) {
  case OpKind::parallel: emit_parallel(step); break;
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: emit_loop(step); break;
  case OpKind::if_:
  case OpKind::switch_: emit_branch(step); break;
  case OpKind::while_: emit_while(step); break;
  default: return emit_leaf(step.op);
  }
  for (ValueId v : op.results) keep(v);
}

// --- levels ---

void Lowering::set_coordinates(RegionId body, const Regs &coords) {
  for (std::size_t i = 0; i < coords.size(); ++i) define(p.regions[body].args[i], coords[i]);
}

// rule: IDX-PRED
Reg Lowering::predicate(const Op &op, const Space &domain, const Regs &coords) {
  if (op.control_operand_count() == 0) return {};
  Point at;
  for (Reg c : coords) at.push_back({c});
  return element(op.operands[0], project(at, domain, p.values[op.operands[0]].type.space));
}

void Lowering::open_level(const Step &step) {
  if (const auto product = find_packed_product(*this, step)) return emit_packed_product(*this, step, *product);
  for_levels({step.opened}, 0, [&] { emit(step.bodies[0]); });
}

void Lowering::for_levels(const std::vector<LevelId> &levels, std::size_t at, const std::function<void()> &body) {
  if (at == levels.size()) return body();
  const LevelId id = levels[at];
  if (std::find(open.begin(), open.end(), id) != open.end()) return for_levels(levels, at + 1, body);
  const Level &level = p.levels[id];
  const Op &op = p.ops[level.op];
  const RegionId region = op.regions[0];
  Scope scope(*this);
  open.push_back(id);
  auto instance = [&](const Regs &coords) {
    set_coordinates(region, coords);
    if (const Reg active = predicate(op, level.domain, coords); active.valid())
      b.if_then(active, [&] {
        Scope inner(*this);
        for_levels(levels, at + 1, body);
      });
    else
      for_levels(levels, at + 1, body);
  };
  if (level.depth == 1) {
    Regs extents;
    for (const Factor &f : level.domain.factors) extents.push_back(b.extent(f.extent));
    b.launch(unique_name(level.name), extents, instance);
  } else {
    Regs coords, out;
    over_domain(level.domain, 0, false, coords, {}, out, [&](const Regs &) {
      instance(coords);
      return Regs{};
    });
  }
  open.pop_back();
}

std::vector<LevelId> Lowering::closed_levels() const {
  const std::vector<LevelId> &path = tree.path[current];
  return {path.begin() + static_cast<std::ptrdiff_t>(std::min(open.size(), path.size())), path.end()};
}

Reg Lowering::over_instances(const std::vector<LevelId> &levels, std::size_t at, Reg state, const std::function<Reg(Reg)> &next) {
  if (at == levels.size()) return next(state);
  const Level &level = p.levels[levels[at]];
  const Op &op = p.ops[level.op];
  Regs coords, out;
  over_domain(level.domain, 0, false, coords, {state}, out, [&](const Regs &carried) {
    Scope scope(*this);
    set_coordinates(op.regions[0], coords);
    const Reg active = predicate(op, level.domain, coords);
    if (!active.valid()) return Regs{over_instances(levels, at + 1, carried[0], next)};
    return b.if_else(active, [&] { return Regs{over_instances(levels, at + 1, carried[0], next)}; }, [&] { return carried; });
  });
  return out[0];
}

// rule: SYNC -- where instances meet under a condition they agree on it: any active one's value is the value.
Reg Lowering::decision(ValueId v) {
  const std::vector<LevelId> closed = closed_levels();
  const LevelId anchor = p.values[v].anchor;
  if (closed.empty() || !anchor.valid() || p.levels[anchor].depth <= static_cast<int>(open.size())) return scalar(v);
  const Reg none = b.zero({p.values[v].type.elem, 1});
  return over_instances(closed, 0, none, [&](Reg) { return scalar(v); });
}

// rule: ANC-ONCE
Reg Lowering::reached() {
  std::vector<LevelId> unsure;
  bool all_known = true;
  for (LevelId id : closed_levels()) {
    const Level &level = p.levels[id];
    unsure.push_back(id);
    all_known &= p.ops[level.op].control_operand_count() == 0;
    for (const Factor &f : level.domain.factors) all_known &= f.extent.is_constant() && *f.extent.constant() > 0;
  }
  if (all_known) return {};
  return over_instances(unsure, 0, b.boolean(false), [&](Reg) { return b.boolean(true); });
}

// rule: UPD-JOIN
void Lowering::emit_parallel(const Step &step) {
  const Op &op = p.ops[step.op];
  for (std::size_t i = 0; i < op.carries.size(); ++i)
    give(storage.slot[op.results[i]], op.operands[op.control_operand_count() + i]);
  keep_arguments(op, 0);
  emit(step.bodies[0]);
}

// rule: VAL-SNAP
void Lowering::keep(ValueId v) {
  const SlotId to = storage.kept[v], from = storage.slot[v];
  if (!to.valid()) return;
  for_levels(storage.slots[to].levels, 0, [&] {
    const TileType &type = storage.slots[to].type;
    for_space(type.space, type.elem, true, [&](const Point &at) { store_slot(to, at, load_slot(from, at)); });
  });
}

void Lowering::keep_arguments(const Op &op, std::size_t region) {
  for (ValueId v : p.regions[op.regions[region]].args) keep(v);
}

// --- what regions carry ---

void Lowering::give(SlotId slot, ValueId v) {
  const ValueId from = renamed(p, storage, v);
  if (storage.slot[from] == slot) return;
  const Slot &to = storage.slots[slot];
  for_levels(to.levels, 0, [&] {
    with_windows({from}, [&] {
      for_space(to.type.space, to.type.elem, true, [&](const Point &at) {
        store_slot(slot, at, wide(element(from, project(at, to.type.space, p.values[from].type.space))));
      });
    });
  });
}

Regs Lowering::incoming_registers(const Op &op) {
  Regs out;
  const std::size_t first = op.control_operand_count();
  for (std::size_t i = 0; i < op.carries.size(); ++i) {
    if (in_register(op, i)) out.push_back(scalar(op.operands[first + i]));
    else give(storage.slot[op.results[i]], op.operands[first + i]);
  }
  return out;
}

void Lowering::set_registers(const Op &op, RegionId region, const Regs &carried) {
  const std::vector<ValueId> &args = p.regions[region].args;
  std::size_t next = 0;
  for (std::size_t i = 0; i < op.carries.size(); ++i)
    if (in_register(op, i)) define(args[args.size() - op.carries.size() + i], carried[next++]);
}

// rule: VAL-CARRY -- the new definitions replace the old ones together.
Regs Lowering::region_yields(const Op &op, std::size_t region) {
  const std::vector<ValueId> &yields = p.regions[op.regions[region]].yields;
  Regs out;
  for (std::size_t i = 0; i < op.carries.size(); ++i)
    if (in_register(op, i)) out.push_back(scalar(yields[i]));
  // A yield that another slot of this region holds is set aside first.
  std::vector<std::pair<SlotId, SlotId>> aside;
  std::vector<std::size_t> plain;
  for (std::size_t i = 0; i < op.carries.size(); ++i) {
    const SlotId to = storage.slot[op.results[i]];
    if (!to.valid() || storage.slots[to].joined || storage.in_place(p, op, region, i)) continue;
    const SlotId from = storage.slot[renamed(p, storage, yields[i])];
    bool held = false;
    for (ValueId r : op.results) held |= from.valid() && storage.slot[r] == from;
    if (!held) {
      plain.push_back(i);
      continue;
    }
    Slot copy = storage.slots[from];
    const SlotId fresh = storage.slots.push(std::move(copy));
    slot_buffers.push({});
    give(fresh, yields[i]);
    aside.emplace_back(to, fresh);
  }
  for (std::size_t i : plain) give(storage.slot[op.results[i]], yields[i]);
  for (const auto &[to, from] : aside)
    for_levels(storage.slots[to].levels, 0, [&, to = to, from = from] {
      const TileType &type = storage.slots[to].type;
      for_space(type.space, type.elem, true, [&](const Point &at) { store_slot(to, at, load_slot(from, at)); });
    });
  return out;
}

// --- loops ---

void Lowering::over_domain(const Space &domain, std::size_t axis, bool reversed, Regs &coords, Regs carried, Regs &out,
                           const std::function<Regs(const Regs &)> &body) {
  if (axis == domain.rank()) {
    out = body(carried);
    return;
  }
  const Reg n = b.extent(domain.factors[axis].extent);
  out = b.for_loop(b.i64(0), n, 1, std::move(carried), [&](Reg iv, const Regs &now) {
    Scope scope(*this);
    coords.push_back(reversed ? b.sub(b.sub(n, b.i64(1)), iv) : iv);
    Regs next;
    over_domain(domain, axis + 1, reversed, coords, now, next, body);
    coords.pop_back();
    return next;
  });
}

// rule: PIPE-SER, RED-FOLD -- one chain in the order of the domain is a legal pipeline and an admitted fold.
void Lowering::emit_loop(const Step &step) {
  const Op &op = p.ops[step.op];
  const auto &attr = std::get<LoopAttr>(op.attr);
  const bool reversed = attr.algebra.valid() && p.algebras[attr.algebra].policy == ReductionPolicy::fold_right;
  Regs coords, results;
  over_domain(attr.domain, 0, reversed, coords, incoming_registers(op), results, [&](const Regs &carried) {
    Scope scope(*this);
    Regs at = coords;
    if (attr.order.valid())
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = map_output(p.layouts[attr.order], static_cast<int>(i), coords);
    set_coordinates(op.regions[0], at);
    set_registers(op, op.regions[0], carried);
    auto round = [&] {
      Scope inner(*this);
      keep_arguments(op, 0);
      emit(step.bodies[0]);
      return region_yields(op, 0);
    };
    const Reg active = predicate(op, attr.domain, at);
    return active.valid() ? b.if_else(active, round, [&] { return carried; }) : round();
  });
  std::size_t next = 0;
  for (std::size_t i = 0; i < op.carries.size(); ++i)
    if (in_register(op, i)) define(op.results[i], results[next++]);
}

// --- branches ---

void Lowering::emit_branch(const Step &step) {
  const Op &op = p.ops[step.op];
  Regs results;
  emit_switch(step, 0, results);
  std::size_t next = 0;
  for (std::size_t i = 0; i < op.carries.size(); ++i)
    if (in_register(op, i)) define(op.results[i], results[next++]);
}

void Lowering::emit_switch(const Step &step, std::size_t arm, Regs &results) {
  const Op &op = p.ops[step.op];
  auto taken = [&](std::size_t i) {
    Scope scope(*this);
    emit(step.bodies[i]);
    return region_yields(op, i);
  };
  if (arm + 1 == step.bodies.size()) {
    results = taken(arm);
    return;
  }
  Reg condition = decision(op.operands[0]);
  if (op.kind == OpKind::switch_) {
    const plan::Type type = b.type(condition);
    const auto value = static_cast<std::uint64_t>(std::get<SwitchAttr>(op.attr).cases[arm]);
    condition = b.prim(Primitive::eq, {condition, b.constant(type, value)});
  }
  results = b.if_else(condition, [&] { return taken(arm); }, [&] {
    Regs rest;
    emit_switch(step, arm + 1, rest);
    return rest;
  });
}

void Lowering::emit_while(const Step &step) {
  const Op &op = p.ops[step.op];
  const Regs results = b.while_loop(
      incoming_registers(op),
      [&](const Regs &carried) {
        Scope scope(*this);
        set_registers(op, op.regions[0], carried);
        keep_arguments(op, 0);
        emit(step.bodies[0]);
        return decision(p.regions[op.regions[0]].yields[0]);
      },
      [&](const Regs &carried) {
        Scope scope(*this);
        set_registers(op, op.regions[0], carried);
        emit(step.bodies[1]);
        return region_yields(op, 1);
      });
  std::size_t next = 0;
  for (std::size_t i = 0; i < op.carries.size(); ++i)
    if (in_register(op, i)) define(op.results[i], results[next++]);
}

// --- operations without regions ---

void Lowering::emit_leaf(OpId id) {
  const Op &op = p.ops[id];
  if (!is_pure(op) || (op.kind == OpKind::assign && storage.joins[id]))
    if (const Reg happens = op.kind == OpKind::sync ? Reg{} : reached(); happens.valid()) {
      b.if_then(happens, [&] {
        Scope scope(*this);
        emit_effect(op, id);
      });
      return;
    }
  emit_effect(op, id);
}

void Lowering::emit_effect(const Op &op, OpId id) {
  switch (op.kind) {
  case OpKind::store:
  case OpKind::atomic: return store_window(op);
  case OpKind::scatter: return store_indexed(op);
  case OpKind::memory: return allocate(op);
  case OpKind::sync: return; // the loops over the instances end here
  case OpKind::assert_: {
    const ValueId v = op.operands[0];
    with_windows({v}, [&] {
      for_space(p.values[v].type.space, ScalarType::boolean, false, [&](const Point &at) {
        Reg holds = element(v, at);
        if (const Reg there = active(v, at); there.valid()) holds = prim(Primitive::bit_or, {holds, prim(Primitive::bit_not, {there})});
        b.assert_(holds, std::get<AssertAttr>(op.attr).text);
      });
    });
    return;
  }
  case OpKind::assign:
    if (storage.joins[id]) {
      give(storage.slot[op.results[0]], op.operands[0]);
      keep(op.results[0]);
    }
    return;
  case OpKind::per: return;
  default: break;
  }
  const ValueId v = op.results[0];
  if (const SlotId slot = storage.slot[v]; slot.valid()) return store_tile(v, slot);
  if (p.values[v].type.space.rank() != 0 || storage.repeatable[v] || storage.uses[v].empty()) return;
  if (op.kind == OpKind::reduce || op.kind == OpKind::mma) // of tiles
    define(v, value_with_windows(op.operands, [&] { return Regs{compute(v, {})}; })[0]);
  else
    define(v, compute(v, {}));
}

} // namespace tilenest::lowering
