// SPDX-License-Identifier: Apache-2.0
// Generators: literals, iotas and extents are made once, when the code is built; a coordinate map is evaluated
// per instance.
#include "interp/machine.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"

namespace tilenest {

namespace {

struct ConstantPlan : Plan {
  Tile tile;
};

void step_constant(Machine &m, Frame &f, const Instr &in) {
  m.set(f, in, static_cast<const ConstantPlan &>(*in.plan).tile);
}

struct MapCoordPlan : Plan {
  const Map *map;
  int output;
  std::vector<ScalarType> types;
};

void step_map_coord(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const MapCoordPlan &>(*in.plan);
  std::uint32_t lanes = 1;
  for (Ref r : in.operands) lanes = std::max(lanes, m.get(f, r).lanes);
  Tile out;
  out.lanes = lanes;
  out.data = m.block(lanes * sizeof(std::int64_t));
  std::vector<std::int64_t> x(in.operands.size());
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    Note note = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Tile &t = m.get(f, in.operands[i]);
      const std::size_t k = t.lanes > 1 ? lane : 0;
      const std::uint64_t bits = load_bits(plan.types[i], t.data.as<>() + k * byte_size(plan.types[i]));
      x[i] = value_as_i64(plan.types[i], bits);
      if (t.notes && t.notes.as<Note>()[k] && !note) note = m.notes.pass(t.notes.as<Note>()[k], in.op);
      if (plan.types[i] == ScalarType::u64 && bits > INT64_MAX && !note)
        note = m.make_note(f, in, lane, NoteKind::wrapped, 0, "an input of the map leaves 64 bits", 64);
    }
    const Map::Value v = plan.map->evaluate(plan.output, x, m.bound.lookup());
    out.data.as<std::int64_t>()[lane] = v.undefined ? 0 : v.value;
    // NUM-WRAP: the map's arithmetic is 64 bits wide; where it leaves them the coordinate is out of bounds.
    if (v.wrapped && !note) note = m.make_note(f, in, lane, NoteKind::wrapped, 0, "the map leaves 64 bits", 64);
    // rule: VAL-MARK
    if (v.undefined && m.options.checked && !m.notes.is_mark(note)) note = m.make_note(f, in, lane, NoteKind::division_by_zero, 0);
    if (!note) continue;
    if (!out.notes) out.notes = m.zeros(lanes * sizeof(Note));
    out.notes.as<Note>()[lane] = note;
  }
  m.set(f, in, std::move(out));
}

} // namespace

void compile_generate(Compiler &c, const Op &op, Instr &in) {
  if (op.kind == OpKind::map_coord) {
    auto plan = std::make_unique<MapCoordPlan>();
    const auto &attr = std::get<MapAttr>(op.attr);
    plan->map = &c.p.layouts[attr.map];
    plan->output = attr.output;
    for (ValueId v : op.operands) plan->types.push_back(c.type(v).elem);
    in.plan = std::move(plan);
    in.step = step_map_coord;
    return;
  }
  auto plan = std::make_unique<ConstantPlan>();
  const ValueInfo &info = c.info(op.results[0]);
  plan->tile.data = BlockRef(c.pool.take(static_cast<std::size_t>(info.count) * info.bytes));
  std::byte *to = plan->tile.data.as<>();
  switch (op.kind) {
  case OpKind::constant: {
    const auto &attr = std::get<LiteralAttr>(op.attr);
    // rule: NUM-LIT
    const auto bits = std::visit([&](auto literal) { return literal_bits(literal, attr.type); }, attr.literal);
    store_bits(attr.type, to, bits.value_or(0));
    break;
  }
  case OpKind::iota:
    for (std::int64_t i = 0; i < info.count; ++i) reinterpret_cast<std::int64_t *>(to)[i] = i;
    break;
  default: *reinterpret_cast<std::int64_t *>(to) = c.bound.extent(std::get<ExtentAttr>(op.attr).extent); break;
  }
  in.plan = std::move(plan);
  in.step = step_constant;
}

} // namespace tilenest
