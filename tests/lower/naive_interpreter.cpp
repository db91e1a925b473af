// SPDX-License-Identifier: Apache-2.0
// The walk over a plan as it stands.
#include "tests/lower/naive_interpreter.h"
#include "semantics/numerics/row_kernels.h"
#include <cstring>
#include <map>

namespace tilenest {

namespace {

using namespace tilenest::plan;
using Bytes = std::vector<std::uint8_t>;
using PlanOp = plan::Op;

struct Naive {
  const Plan &p;
  const Arguments &arguments;
  std::vector<Bytes> regs{p.regs.size()};
  std::map<std::uint32_t, Bytes> memory; // by buffer
  std::map<std::uint32_t, std::uint64_t> failed;

  std::int64_t value(const Extent &e) {
    return *e.evaluate([&](ParamId id) { return std::optional(arguments.params[id.index]); });
  }
  std::size_t size_of(Reg r) { return byte_size(p.regs[r].elem); }
  template <class T> T lane(Reg r, std::size_t i) {
    T out;
    std::memcpy(&out, regs[r.index].data() + i * sizeof(T), sizeof(T));
    return out;
  }
  bool truth(Reg r, std::size_t i = 0) { return lane<std::uint8_t>(r, i) != 0; }
  void put_i64(Reg r, std::int64_t v) {
    regs[r.index].resize(8);
    std::memcpy(regs[r.index].data(), &v, 8);
  }
  void put_all(const std::vector<Reg> &to, std::size_t first, const std::vector<Bytes> &values) {
    for (std::size_t i = 0; i < values.size(); ++i) regs[to[first + i].index] = values[i];
  }
  std::vector<Bytes> values_of(const std::vector<Reg> &from, std::size_t first = 0) {
    std::vector<Bytes> out;
    for (std::size_t i = first; i < from.size(); ++i) out.push_back(regs[from[i].index]);
    return out;
  }

  void fresh(bool of_instances) {
    for (std::size_t i = 0; i < p.buffers.size(); ++i) {
      const plan::Buffer &b = p.buffers[BufferId(i)];
      const bool per_instance = b.space == AddressSpace::shared || b.space == AddressSpace::instance;
      if (b.space == AddressSpace::argument || per_instance != of_instances) continue;
      std::size_t n = 1;
      for (const Extent &e : b.shape) n *= static_cast<std::size_t>(value(e));
      memory[static_cast<std::uint32_t>(i)].assign(storage_size(b.elem, n), 0xcd);
    }
  }
  std::uint8_t *base(BufferId id) {
    const plan::Buffer &b = p.buffers[id];
    if (b.space != AddressSpace::argument) return memory[id.index].data();
    return static_cast<std::uint8_t *>(arguments.arguments[static_cast<std::size_t>(b.argument)].data);
  }
  Bytes read(BufferId id, ScalarType t, std::int64_t offset) {
    const std::uint8_t *from = base(id);
    if (is_packed(t)) {
      const int half = (from[offset / 2] >> (offset % 2 * 4)) & 15;
      return {static_cast<std::uint8_t>(t == ScalarType::i4 && half > 7 ? half - 16 : half)};
    }
    const std::size_t n = byte_size(t);
    Bytes out(from + static_cast<std::size_t>(offset) * n, from + static_cast<std::size_t>(offset + 1) * n);
    if (t == ScalarType::boolean) out[0] = out[0] != 0;
    return out;
  }
  void write(BufferId id, ScalarType t, std::int64_t offset, const Bytes &value) {
    std::uint8_t *to = base(id);
    if (is_packed(t)) {
      const int shift = static_cast<int>(offset % 2) * 4, old = to[offset / 2];
      to[offset / 2] = static_cast<std::uint8_t>((old & ~(15 << shift)) | (value[0] & 15) << shift);
    } else {
      std::memcpy(to + static_cast<std::size_t>(offset) * value.size(), value.data(), value.size());
    }
  }

  void access(const PlanOp &op) {
    const auto &attr = std::get<plan::AccessAttr>(op.attr);
    const Reg shown = op.kind == Kind::load ? op.results[0] : op.operands[1];
    const Type t = p.regs[shown];
    Bytes loaded;
    for (std::size_t i = 0; i < t.lanes; ++i) {
      const bool gathers = p.regs[op.operands[0]].lanes > 1;
      const bool active = !attr.masked || truth(op.operands.back(), i);
      const std::int64_t offset =
          active ? lane<std::int64_t>(op.operands[0], gathers ? i : 0) + (gathers ? 0 : static_cast<std::int64_t>(i))
                 : 0;
      if (op.kind == Kind::load) {
        const Bytes one = active ? read(attr.buffer, t.elem, offset) : Bytes(byte_size(t.elem), 0);
        loaded.insert(loaded.end(), one.begin(), one.end());
        continue;
      }
      if (!active) continue;
      const auto at = regs[shown.index].begin() + static_cast<std::ptrdiff_t>(i * byte_size(t.elem));
      Bytes value(at, at + static_cast<std::ptrdiff_t>(byte_size(t.elem)));
      if (op.kind == Kind::atomic) {
        const Bytes before = read(attr.buffer, t.elem, offset);
        Bytes after(before.size());
        constexpr Primitive primitives[] = {Primitive::add,     Primitive::min,    Primitive::max,
                                            Primitive::bit_and, Primitive::bit_or, Primitive::bit_xor};
        const RowOperand operands[] = {{before.data(), 1}, {value.data(), 1}};
        find_row_kernel(primitives[static_cast<int>(attr.atomic)], t.elem, t.elem)(1, after.data(), operands, {});
        value = after;
      }
      write(attr.buffer, t.elem, offset, value);
    }
    if (op.kind == Kind::load) regs[shown.index] = loaded;
  }

  void block(BlockId id) {
    for (OpIndex at : p.blocks[id].ops) run(at);
  }
  const plan::Block &inner(const PlanOp &op, std::size_t i) { return p.blocks[op.blocks[i]]; }

  void launch(const PlanOp &op, std::size_t axis) {
    if (axis == op.operands.size()) {
      fresh(true);
      return block(op.blocks[0]);
    }
    for (std::int64_t i = 0; i < lane<std::int64_t>(op.operands[axis], 0); ++i) {
      put_i64(inner(op, 0).args[axis], i);
      launch(op, axis + 1);
    }
  }

  void run(OpIndex at) {
    const PlanOp &op = p.ops[at];
    switch (op.kind) {
    case Kind::constant: {
      const Type t = p.regs[op.results[0]];
      std::uint64_t bits = std::get<ConstantAttr>(op.attr).bits;
      if (t.elem == ScalarType::i4 && bits > 7) bits += 0xf0;
      Bytes &out = regs[op.results[0].index];
      out.clear();
      for (std::size_t i = 0; i < t.lanes; ++i)
        for (std::size_t k = 0; k < byte_size(t.elem); ++k) out.push_back(static_cast<std::uint8_t>(bits >> (8 * k)));
      break;
    }
    case Kind::extent: put_i64(op.results[0], value(std::get<tilenest::ExtentAttr>(op.attr).extent)); break;
    case Kind::stride: {
      const auto &attr = std::get<StrideAttr>(op.attr);
      const Argument &a = arguments.arguments[static_cast<std::size_t>(p.buffers[attr.buffer].argument)];
      put_i64(op.results[0], a.strides[static_cast<std::size_t>(attr.axis)]);
      break;
    }
    case Kind::prim: {
      const Primitive primitive = std::get<PrimAttr>(op.attr).primitive;
      const Type in = p.regs[op.operands.back()], out = p.regs[op.results[0]];
      RowOperand operands[3] = {};
      for (std::size_t i = 0; i < op.operands.size(); ++i) operands[i] = {regs[op.operands[i].index].data(), 1};
      Bytes result(out.lanes * byte_size(out.elem));
      find_row_kernel(primitive, in.elem, out.elem)(out.lanes, result.data(), operands, {});
      regs[op.results[0].index] = result;
      break;
    }
    case Kind::shuffle: {
      Bytes all, out;
      for (Reg r : op.operands) all.insert(all.end(), regs[r.index].begin(), regs[r.index].end());
      const std::size_t n = size_of(op.results[0]);
      for (std::uint16_t l : std::get<ShuffleAttr>(op.attr).lanes)
        for (std::size_t k = 0; k < n; ++k) out.push_back(all[l * n + k]);
      regs[op.results[0].index] = out;
      break;
    }
    case Kind::lane_ids: {
      Bytes &out = regs[op.results[0].index];
      out.assign(8u * p.regs[op.results[0]].lanes, 0);
      for (std::size_t i = 0; i < out.size() / 8; ++i) out[8 * i] = static_cast<std::uint8_t>(i);
      break;
    }
    case Kind::load:
    case Kind::store:
    case Kind::atomic: access(op); break;
    case Kind::for_: {
      std::vector<Bytes> carried = values_of(op.operands, 2);
      const std::int64_t lo = lane<std::int64_t>(op.operands[0], 0), hi = lane<std::int64_t>(op.operands[1], 0);
      for (std::int64_t i = lo; i < hi; i += std::get<ForAttr>(op.attr).step) {
        put_i64(inner(op, 0).args[0], i);
        put_all(inner(op, 0).args, 1, carried);
        block(op.blocks[0]);
        carried = values_of(inner(op, 0).yields);
      }
      put_all(op.results, 0, carried);
      break;
    }
    case Kind::if_: {
      const std::size_t taken = truth(op.operands[0]) ? 0 : 1;
      block(op.blocks[taken]);
      put_all(op.results, 0, values_of(inner(op, taken).yields));
      break;
    }
    case Kind::while_: {
      std::vector<Bytes> carried = values_of(op.operands);
      for (;;) {
        put_all(inner(op, 0).args, 0, carried);
        block(op.blocks[0]);
        if (!truth(inner(op, 0).yields[0])) break;
        put_all(inner(op, 1).args, 0, carried);
        block(op.blocks[1]);
        carried = values_of(inner(op, 1).yields);
      }
      put_all(op.results, 0, carried);
      break;
    }
    case Kind::launch: launch(op, 0); break;
    case Kind::barrier: break;
    case Kind::assert_:
      for (std::size_t i = 0; i < p.regs[op.operands[0]].lanes; ++i)
        if (!truth(op.operands[0], i)) ++failed[at.index];
      break;
    }
  }

  void order(BlockId id, std::string &out) {
    for (OpIndex at : p.blocks[id].ops) {
      if (failed.count(at.index))
        out += (out.empty() ? "" : "\n") + std::string("assertion failed: ") +
               std::get<plan::AssertAttr>(p.ops[at].attr).text + " (" + std::to_string(failed[at.index]) + ")";
      for (BlockId inside : p.ops[at].blocks) order(inside, out);
    }
  }
};

} // namespace

std::string run_naively(const plan::Plan &plan, const plan::Arguments &arguments) {
  Naive n{plan, arguments};
  n.fresh(false);
  n.block(plan.body);
  std::string out;
  n.order(plan.body, out);
  return out;
}

} // namespace tilenest
