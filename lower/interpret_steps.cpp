// SPDX-License-Identifier: Apache-2.0
// The steps of values and of control of the plan interpreter. Accesses: interpret_access.cpp.
#include "lower/interpreter.h"
#include "lower/visit_order.h"

namespace tilenest::plan {

namespace {

const ControlCode &control_of(const Instr &in) { return *static_cast<const ControlCode *>(in.more); }

template <class T> void shuffle_lanes(Interpreter &m, const Instr &in) {
  const auto &from = *static_cast<const std::vector<std::uint32_t> *>(in.more); // offsets into the frame
  std::byte *to = m.at(in.out);
  for (std::uint32_t i = 0; i < in.lanes; ++i) std::memcpy(to + i * sizeof(T), m.at(from[i]), sizeof(T));
}

std::uint64_t trips(std::int64_t lo, std::int64_t hi, std::int64_t step) {
  if (lo >= hi) return 0;
  const std::uint64_t distance = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  return (distance - 1) / static_cast<std::uint64_t>(step) + 1;
}

} // namespace

bool step_prim1(Interpreter &m, const Instr &in) {
  const RowOperand operands[1] = {{m.at(in.in[0]), 1}};
  in.kernel(in.lanes, m.at(in.out), operands, {});
  return true;
}

bool step_prim2(Interpreter &m, const Instr &in) {
  const RowOperand operands[2] = {{m.at(in.in[0]), 1}, {m.at(in.in[1]), 1}};
  in.kernel(in.lanes, m.at(in.out), operands, {});
  return true;
}

bool step_prim3(Interpreter &m, const Instr &in) {
  const RowOperand operands[3] = {{m.at(in.in[0]), 1}, {m.at(in.in[1]), 1}, {m.at(in.in[2]), 1}};
  in.kernel(in.lanes, m.at(in.out), operands, {});
  return true;
}

bool step_copy(Interpreter &m, const Instr &in) {
  std::memcpy(m.at(in.out), m.at(in.in[0]), in.bytes);
  return true;
}

bool step_shuffle(Interpreter &m, const Instr &in) {
  switch (in.bytes) {
  case 1: shuffle_lanes<std::uint8_t>(m, in); break;
  case 2: shuffle_lanes<std::uint16_t>(m, in); break;
  case 4: shuffle_lanes<std::uint32_t>(m, in); break;
  default: shuffle_lanes<std::uint64_t>(m, in); break;
  }
  return true;
}

bool step_for(Interpreter &m, const Instr &in) {
  const ControlCode &c = control_of(in);
  const std::int64_t lo = m.i64_at(in.in[0]);
  const std::uint64_t n = trips(lo, m.i64_at(in.in[1]), c.step);
  m.move(c.before);
  const auto round = [&](std::uint64_t i) {
    m.set_i64(in.out, static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + i * static_cast<std::uint64_t>(c.step)));
    if (!m.run(c.blocks[0])) return false;
    m.move(c.after[0]);
    m.move(c.staged);
    return true;
  };
  if (!c.participants || m.options.order == VisitOrder::forward || n >> 63 != 0) {
    for (std::uint64_t k = 0; k < n; ++k)
      if (!round(k)) return false;
    return true;
  }
  const Permutation at(m.options.order, n, m.options.seed + m.visits++);
  for (std::uint64_t k = 0; k < n; ++k)
    if (!round(at(k))) return false;
  return true;
}

bool step_if(Interpreter &m, const Instr &in) {
  const ControlCode &c = control_of(in);
  const int taken = *m.at(in.in[0]) != std::byte{0} ? 0 : 1;
  if (!m.run(c.blocks[taken])) return false;
  m.move(c.after[taken]);
  return true;
}

bool step_while(Interpreter &m, const Instr &in) {
  const ControlCode &c = control_of(in);
  m.move(c.before);
  for (;;) {
    if (!m.run(c.blocks[0])) return false;
    if (*m.at(c.condition) == std::byte{0}) return true;
    if (!m.run(c.blocks[1])) return false;
    m.move(c.after[1]);
    m.move(c.staged);
  }
}

bool step_launch(Interpreter &m, const Instr &in) {
  const ControlCode &c = control_of(in);
  const std::size_t rank = c.extents.size();
  unsigned __int128 total = 1;
  for (std::uint32_t e : c.extents) {
    const std::int64_t extent = m.i64_at(e);
    total *= extent > 0 ? static_cast<std::uint64_t>(extent) : 0;
    if (total >> 63 != 0) total = std::uint64_t{1} << 62; // ends in no one's time
  }
  const auto n = static_cast<std::uint64_t>(total);
  const Permutation at(m.options.order, n, m.options.seed + m.visits++);
  m.launch = &in;
  for (std::uint64_t k = 0; k < n; ++k) {
    std::uint64_t i = at(k);
    for (std::size_t d = rank; d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(m.i64_at(c.extents[d]));
      m.set_i64(c.coordinates[d], static_cast<std::int64_t>(i % extent));
      i /= extent;
    }
    for (BufferId b : c.fresh) std::memset(m.places[b].base, unwritten_byte, m.places[b].bytes);
    if (!m.run(c.blocks[0])) return false;
  }
  m.launch = nullptr;
  return true;
}

bool step_assert(Interpreter &m, const Instr &in) {
  auto &a = *static_cast<Interpreter::Assert *>(const_cast<void *>(in.more));
  const std::byte *lane = m.at(in.in[0]);
  for (std::uint32_t i = 0; i < in.lanes; ++i) a.failed += lane[i] == std::byte{0};
  return true;
}

} // namespace tilenest::plan
