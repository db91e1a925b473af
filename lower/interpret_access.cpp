// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics of the plan interpreter. Every lane that touches memory is checked first.
#include "lower/interpreter.h"
#include "lower/print.h"
#include "semantics/diag/codes.h"

namespace tilenest::plan {

namespace {

const AccessCode &access_of(const Instr &in) { return *static_cast<const AccessCode *>(in.more); }

// The offset of a lane. Wraps far outside of every buffer.
std::int64_t lane_offset(const Interpreter &m, const Instr &in, const AccessCode &a, std::uint32_t lane) {
  if (a.vector_offset) return m.i64_at(in.in[0] + lane * 8);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(m.i64_at(in.in[0])) + lane);
}

// Whether the lane touches memory; `stopped` where it would outside of its buffer.
bool lane_touches(Interpreter &m, const Instr &in, const AccessCode &a, std::uint32_t lane, std::int64_t &offset,
                  bool &stopped) {
  if (a.masked && m.at(a.mask)[lane] == std::byte{0}) return false;
  offset = lane_offset(m, in, a, lane);
  if (offset >= a.first && offset < a.end) return true;
  stopped = true;
  return m.outside(in, offset), false;
}

// One element between memory and a register, where a bool is 0 or 1 and a 4-bit element a byte with its value.
void load_lane(const AccessCode &a, std::int64_t offset, std::byte *to, std::uint32_t bytes) {
  if (is_packed(a.elem)) {
    const auto pair = static_cast<unsigned>(a.base[offset >> 1]);
    unsigned half = offset & 1 ? pair >> 4 : pair & 15;
    if (a.elem == ScalarType::i4 && (half & 8) != 0) half |= 0xf0;
    *to = static_cast<std::byte>(half);
  } else {
    std::memcpy(to, a.base + offset * static_cast<std::int64_t>(bytes), bytes);
    if (a.elem == ScalarType::boolean) *to = std::byte{*to != std::byte{0}};
  }
}

void store_lane(const AccessCode &a, std::int64_t offset, const std::byte *from, std::uint32_t bytes) {
  if (is_packed(a.elem)) {
    std::byte &pair = a.base[offset >> 1];
    const std::byte half = *from & std::byte{15};
    pair = offset & 1 ? (pair & std::byte{15}) | half << 4 : (pair & std::byte{0xf0}) | half;
  } else {
    std::memcpy(a.base + offset * static_cast<std::int64_t>(bytes), from, bytes);
  }
}

// Whether all lanes side by side from the scalar offset exist.
bool row_ok(const Interpreter &m, const Instr &in, const AccessCode &a, std::int64_t &offset) {
  offset = m.i64_at(in.in[0]);
  return offset >= a.first && offset < a.end && a.end - offset >= static_cast<std::int64_t>(in.lanes);
}

// A row that leaves its buffer: the first lane that does is named.
bool row_outside(Interpreter &m, const Instr &in, const AccessCode &a) {
  for (std::uint32_t lane = 0; lane < in.lanes; ++lane)
    if (const std::int64_t offset = lane_offset(m, in, a, lane); offset < a.first || offset >= a.end)
      return m.outside(in, offset);
  return true;
}

template <std::uint32_t Bytes> bool step_load_one(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  const std::int64_t offset = m.i64_at(in.in[0]);
  if (offset < a.first || offset >= a.end) return m.outside(in, offset);
  std::memcpy(m.at(in.out), a.base + offset * static_cast<std::int64_t>(Bytes), Bytes);
  return true;
}

template <std::uint32_t Bytes> bool step_store_one(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  const std::int64_t offset = m.i64_at(in.in[0]);
  if (offset < a.first || offset >= a.end) return m.outside(in, offset);
  std::memcpy(a.base + offset * static_cast<std::int64_t>(Bytes), m.at(in.in[1]), Bytes);
  return true;
}

bool step_load_row(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  std::int64_t offset;
  if (!row_ok(m, in, a, offset)) return row_outside(m, in, a);
  std::memcpy(m.at(in.out), a.base + offset * static_cast<std::int64_t>(in.bytes), std::size_t{in.lanes} * in.bytes);
  return true;
}

bool step_store_row(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  std::int64_t offset;
  if (!row_ok(m, in, a, offset)) return row_outside(m, in, a);
  std::memcpy(a.base + offset * static_cast<std::int64_t>(in.bytes), m.at(in.in[1]), std::size_t{in.lanes} * in.bytes);
  return true;
}

bool step_load_lanes(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  bool stopped = false;
  std::int64_t offset = 0;
  std::byte *to = m.at(in.out);
  for (std::uint32_t lane = 0; lane < in.lanes && !stopped; ++lane, to += in.bytes)
    if (lane_touches(m, in, a, lane, offset, stopped)) load_lane(a, offset, to, in.bytes);
    else std::memset(to, 0, in.bytes);
  return !stopped;
}

bool step_store_lanes(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  bool stopped = false;
  std::int64_t offset = 0;
  const std::byte *from = m.at(in.in[1]);
  for (std::uint32_t lane = 0; lane < in.lanes && !stopped; ++lane, from += in.bytes)
    if (lane_touches(m, in, a, lane, offset, stopped)) store_lane(a, offset, from, in.bytes);
  return !stopped;
}

} // namespace

bool step_atomic(Interpreter &m, const Instr &in) {
  const AccessCode &a = access_of(in);
  bool stopped = false;
  std::int64_t offset = 0;
  const std::byte *from = m.at(in.in[1]);
  for (std::uint32_t lane = 0; lane < in.lanes && !stopped; ++lane, from += in.bytes)
    if (lane_touches(m, in, a, lane, offset, stopped)) {
      alignas(8) std::byte before[8], value[8], after[8];
      load_lane(a, offset, before, in.bytes);
      std::memcpy(value, from, in.bytes);
      const RowOperand operands[2] = {{before, 1}, {value, 1}};
      in.kernel(1, after, operands, {});
      store_lane(a, offset, after, in.bytes);
    }
  return !stopped;
}

Step load_step(const AccessCode &a, std::uint32_t lanes) {
  if (a.masked || a.vector_offset || is_packed(a.elem) || a.elem == ScalarType::boolean) return step_load_lanes;
  if (lanes != 1) return step_load_row;
  switch (byte_size(a.elem)) {
  case 1: return step_load_one<1>;
  case 2: return step_load_one<2>;
  case 4: return step_load_one<4>;
  default: return step_load_one<8>;
  }
}

Step store_step(const AccessCode &a, std::uint32_t lanes) {
  if (a.masked || a.vector_offset || is_packed(a.elem)) return step_store_lanes;
  if (lanes != 1) return step_store_row;
  switch (byte_size(a.elem)) {
  case 1: return step_store_one<1>;
  case 2: return step_store_one<2>;
  case 4: return step_store_one<4>;
  default: return step_store_one<8>;
  }
}

// B1602: the operation, the element and those that exist, and the instance that did it.
bool Interpreter::outside(const Instr &in, std::int64_t offset) {
  const AccessCode &a = access_of(in);
  Diagnostic d(Code::B1602, Site{},
               {{"plan", p.name},
                {"buffer", p.buffers[a.buffer].name},
                {"why", "`" + op_text(p, in.op) + "` touches element " + std::to_string(offset) + " of [" +
                            std::to_string(a.first) + ", " + std::to_string(a.end) + ")"},
                {"element", std::to_string(offset)},
                {"source", p.ops[in.op].source.valid() ? std::to_string(p.ops[in.op].source.index) : ""}});
  if (launch) {
    std::string where;
    for (std::uint32_t c : static_cast<const ControlCode *>(launch->more)->coordinates)
      where += (where.empty() ? "" : ", ") + std::to_string(i64_at(c));
    d.note("by instance (" + where + ") of `" + std::get<LaunchAttr>(p.ops[launch->op].attr).name + "`");
  }
  errors.push_back(std::move(d));
  return false;
}

} // namespace tilenest::plan
