// SPDX-License-Identifier: Apache-2.0
// From a well-formed plan to the interpreter's flat code: places of registers, constants, one instruction an operation.
// The values that a loop carries, those in its body and its results share one place each.
#include "lower/interpreter.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <bit>

namespace tilenest::plan {

namespace {

constexpr std::uint32_t unplaced = ~std::uint32_t{0};

struct FlatCompiler {
  Interpreter &m;
  const Plan &p;
  IdVector<Reg, std::uint32_t> place;
  std::uint64_t frame_bytes = 0;
  std::vector<std::pair<OpIndex, std::uint32_t>> preset; // operations whose result stands in the frame from the start
  std::deque<std::vector<std::uint32_t>> &lanes;
  ControlCode *launch = nullptr;
  bool ok = true;

  std::uint32_t bytes_of(Reg r) const { return static_cast<std::uint32_t>(byte_size(p.regs[r].elem) * p.regs[r].lanes); }
  std::uint32_t reserve(std::uint32_t bytes) {
    const std::uint64_t align = std::min<std::uint64_t>(64, std::bit_ceil(std::max<std::uint64_t>(bytes, 8)));
    frame_bytes = (frame_bytes + align - 1) / align * align;
    const auto at = static_cast<std::uint32_t>(frame_bytes);
    frame_bytes += bytes;
    return at;
  }
  std::uint32_t put(Reg r) {
    if (place[r] == unplaced) place[r] = reserve(bytes_of(r));
    return place[r];
  }

  // Moves of block values into places; where one move's source is another's goal, by way of a staging area.
  void moves(const std::vector<Reg> &from, std::size_t first, const std::vector<std::uint32_t> &to, std::vector<Move> &out,
             std::vector<Move> *staged) {
    bool clash = false;
    for (std::size_t i = 0; i < to.size(); ++i)
      for (std::size_t j = 0; j < to.size(); ++j) clash |= i != j && place[from[first + i]] == to[j];
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::uint32_t at = place[from[first + i]], bytes = bytes_of(from[first + i]);
      if (at == to[i]) continue;
      const std::uint32_t goal = clash && staged ? reserve(bytes) : to[i];
      out.push_back({at, goal, bytes});
      if (goal != to[i]) staged->push_back({goal, to[i], bytes});
    }
  }

  void block(BlockId id, BlockCode &code) {
    for (OpIndex at : p.blocks[id].ops) op(at, code);
  }
  void op(OpIndex at, BlockCode &code);
  void control(OpIndex at, Instr &in);
  void access(const Op &op, Instr &in);
  void shuffle(const Op &op, Instr &in);
  void fill_presets();
};

void FlatCompiler::access(const Op &op, Instr &in) {
  const auto &attr = std::get<AccessAttr>(op.attr);
  const Type value = p.regs[op.kind == Kind::load ? op.results[0] : op.operands[1]];
  const Place &place_of = m.places[attr.buffer];
  const std::int64_t width = bit_width(value.elem);
  const auto floor_div = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
  AccessCode a{};
  a.base = place_of.base;
  a.first = -floor_div(-place_of.first_bit, width);
  a.end = floor_div(place_of.end_bit, width);
  a.elem = value.elem;
  a.vector_offset = p.regs[op.operands[0]].lanes != 1;
  a.masked = attr.masked;
  a.mask = attr.masked ? place[op.operands.back()] : 0;
  a.buffer = attr.buffer;
  in.lanes = value.lanes;
  in.bytes = static_cast<std::uint32_t>(byte_size(value.elem));
  in.step = op.kind == Kind::load ? load_step(a, in.lanes) : op.kind == Kind::store ? store_step(a, in.lanes) : step_atomic;
  if (op.kind == Kind::atomic) {
    constexpr Primitive primitives[] = {Primitive::add,     Primitive::min,    Primitive::max,
                                        Primitive::bit_and, Primitive::bit_or, Primitive::bit_xor};
    in.kernel = find_row_kernel(primitives[static_cast<int>(attr.atomic)], value.elem, value.elem);
    ok &= in.kernel != nullptr;
  }
  in.more = &m.accesses.emplace_back(a);
  const AddressSpace space = p.buffers[attr.buffer].space;
  if (launch && (space == AddressSpace::shared || space == AddressSpace::instance) &&
      std::find(launch->fresh.begin(), launch->fresh.end(), attr.buffer) == launch->fresh.end())
    launch->fresh.push_back(attr.buffer);
}

void FlatCompiler::shuffle(const Op &op, Instr &in) {
  const std::uint32_t bytes = static_cast<std::uint32_t>(byte_size(p.regs[op.results[0]].elem));
  const std::uint16_t each = p.regs[op.operands[0]].lanes;
  std::vector<std::uint32_t> from;
  for (std::uint16_t l : std::get<ShuffleAttr>(op.attr).lanes)
    from.push_back(place[op.operands[l / each]] + l % each * bytes);
  bool row = true; // lanes that lie side by side: one copy
  for (std::size_t i = 1; i < from.size(); ++i) row &= from[i] == from[0] + i * bytes;
  in.step = row ? step_copy : step_shuffle;
  in.in[0] = from[0];
  in.lanes = static_cast<std::uint32_t>(from.size());
  in.bytes = row ? bytes * in.lanes : bytes;
  if (!row) in.more = &lanes.emplace_back(std::move(from));
}

void FlatCompiler::control(OpIndex at, Instr &in) {
  const Op &op = p.ops[at];
  ControlCode &c = m.controls.emplace_back();
  in.more = &c;
  std::vector<std::uint32_t> carried;
  const auto place_results = [&] {
    for (Reg r : op.results) carried.push_back(put(r));
  };
  switch (op.kind) {
  case Kind::for_: {
    in.step = step_for;
    const auto &attr = std::get<ForAttr>(op.attr);
    const Block &body = p.blocks[op.blocks[0]];
    c.step = attr.step;
    c.participants = attr.binding == Binding::participants;
    in.out = put(body.args[0]);
    place_results();
    for (std::size_t i = 0; i < carried.size(); ++i) place[body.args[i + 1]] = carried[i];
    moves(op.operands, 2, carried, c.before, nullptr);
    block(op.blocks[0], c.blocks[0]);
    moves(body.yields, 0, carried, c.after[0], &c.staged);
    break;
  }
  case Kind::while_: {
    in.step = step_while;
    const Block &test = p.blocks[op.blocks[0]], &body = p.blocks[op.blocks[1]];
    place_results();
    for (std::size_t i = 0; i < carried.size(); ++i) place[test.args[i]] = place[body.args[i]] = carried[i];
    moves(op.operands, 0, carried, c.before, nullptr);
    block(op.blocks[0], c.blocks[0]);
    c.condition = place[test.yields[0]];
    block(op.blocks[1], c.blocks[1]);
    moves(body.yields, 0, carried, c.after[1], &c.staged);
    break;
  }
  case Kind::if_:
    in.step = step_if;
    place_results();
    for (int i = 0; i < 2; ++i) {
      block(op.blocks[static_cast<std::size_t>(i)], c.blocks[i]);
      moves(p.blocks[op.blocks[static_cast<std::size_t>(i)]].yields, 0, carried, c.after[i], nullptr);
    }
    break;
  default: // launch
    in.step = step_launch;
    for (Reg r : op.operands) c.extents.push_back(place[r]);
    for (Reg r : p.blocks[op.blocks[0]].args) c.coordinates.push_back(put(r));
    launch = &c;
    block(op.blocks[0], c.blocks[0]);
    launch = nullptr;
  }
}

void FlatCompiler::op(OpIndex at, BlockCode &code) {
  const Op &op = p.ops[at];
  Instr in{};
  in.op = at;
  for (std::size_t i = 0; i < std::min<std::size_t>(op.operands.size(), 3); ++i) in.in[i] = place[op.operands[i]];
  const bool structured =
      op.kind == Kind::for_ || op.kind == Kind::if_ || op.kind == Kind::while_ || op.kind == Kind::launch;
  if (!structured && !op.results.empty()) in.out = put(op.results[0]);
  switch (op.kind) {
  case Kind::constant:
  case Kind::extent:
  case Kind::stride:
  case Kind::lane_ids: preset.push_back({at, in.out}); return;
  case Kind::prim: {
    constexpr Step steps[] = {step_prim1, step_prim2, step_prim3};
    const Primitive primitive = std::get<PrimAttr>(op.attr).primitive;
    const Type type = p.regs[op.operands.back()];
    in.step = steps[arity(primitive) - 1];
    in.lanes = type.lanes;
    in.kernel = find_row_kernel(primitive, type.elem, p.regs[op.results[0]].elem);
    ok &= in.kernel != nullptr;
    break;
  }
  case Kind::shuffle: shuffle(op, in); break;
  case Kind::load:
  case Kind::store:
  case Kind::atomic: access(op, in); break;
  case Kind::barrier: return; // iterations before it are done
  case Kind::assert_:
    in.step = step_assert;
    in.lanes = p.regs[op.operands[0]].lanes;
    in.more = &m.asserts.emplace_back(Interpreter::Assert{at});
    break;
  default: control(at, in); break;
  }
  code.instrs.push_back(in);
}

void FlatCompiler::fill_presets() {
  for (const auto &[at, to] : preset) {
    const Op &op = p.ops[at];
    const Type type = p.regs[op.results[0]];
    const std::size_t bytes = byte_size(type.elem);
    std::uint64_t value = 0;
    if (const auto *constant = std::get_if<ConstantAttr>(&op.attr)) {
      value = constant->bits;
      if (type.elem == ScalarType::i4 && (value & 8) != 0) value |= 0xf0; // as one byte with its value
    } else if (const auto *extent = std::get_if<ExtentAttr>(&op.attr)) {
      const auto v = m.value_of(extent->extent);
      if (!v) {
        m.unfit("an extent leaves 64 bits");
        return;
      }
      value = static_cast<std::uint64_t>(*v);
    } else if (const auto *stride = std::get_if<StrideAttr>(&op.attr)) {
      value = static_cast<std::uint64_t>(m.strides_of(p.buffers[stride->buffer])[static_cast<std::size_t>(stride->axis)]);
    }
    for (std::size_t i = 0; i < type.lanes; ++i, value += op.kind == Kind::lane_ids)
      std::memcpy(m.at(to) + i * bytes, &value, bytes);
  }
}

} // namespace

bool Interpreter::compile() {
  FlatCompiler c{*this, p, {}, 0, {}, shuffles};
  c.place.resize(p.regs.size(), unplaced);
  // Places are 32-bit: a frame that is larger is refused before code for it runs.
  c.block(p.body, body);
  if (c.frame_bytes > ~std::uint32_t{0}) c.frame_bytes = ~std::uint64_t{0} >> 1;
  if (!allocate(static_cast<std::size_t>(c.frame_bytes), frame, "the registers of the plan `" + p.name + "`")) return false;
  if (!c.ok) {
    errors.emplace_back(Code::B0001, Site{},
                        std::vector<std::pair<std::string, std::string>>{
                            {"what", "a primitive of the plan `" + p.name + "` has no kernel"}});
    return false;
  }
  c.fill_presets();
  return errors.empty();
}

} // namespace tilenest::plan
