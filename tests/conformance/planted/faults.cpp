// SPDX-License-Identifier: Apache-2.0
// Operators on plans. They keep types, so that only the meaning is wrong.
#include "tests/conformance/planted/faults.h"
#include <algorithm>
#include <optional>

namespace tilenest::conformance {

namespace {

using plan::Kind;
using Way = Fault::Way;

std::optional<Primitive> sibling(Primitive p) {
  constexpr std::pair<Primitive, Primitive> pairs[] = {
      {Primitive::add, Primitive::sub},         {Primitive::sub, Primitive::add},       {Primitive::mul, Primitive::add},
      {Primitive::div, Primitive::mul},         {Primitive::min, Primitive::max},       {Primitive::max, Primitive::min},
      {Primitive::minnum, Primitive::maxnum},   {Primitive::maxnum, Primitive::minnum}, {Primitive::lt, Primitive::le},
      {Primitive::le, Primitive::lt},           {Primitive::gt, Primitive::ge},         {Primitive::ge, Primitive::gt},
      {Primitive::eq, Primitive::ne},           {Primitive::ne, Primitive::eq},         {Primitive::bit_and, Primitive::bit_or},
      {Primitive::bit_or, Primitive::bit_and},  {Primitive::bit_xor, Primitive::bit_or}, {Primitive::floor, Primitive::ceil},
      {Primitive::ceil, Primitive::floor},      {Primitive::trunc, Primitive::round_even},   {Primitive::round_even, Primitive::trunc},
      {Primitive::shl, Primitive::shr},         {Primitive::shr, Primitive::shl},       {Primitive::exp, Primitive::exp2},
      {Primitive::log, Primitive::log2},        {Primitive::sin, Primitive::cos},       {Primitive::cos, Primitive::sin},
      {Primitive::floordiv, Primitive::div},    {Primitive::mod, Primitive::rem},       {Primitive::rem, Primitive::mod},
      {Primitive::cast, Primitive::cast_sat},   {Primitive::cast_sat, Primitive::cast}, {Primitive::sqrt, Primitive::rsqrt},
      {Primitive::abs, Primitive::neg},         {Primitive::neg, Primitive::abs}};
  for (const auto &[from, to] : pairs)
    if (from == p) return to;
  return std::nullopt;
}

int detail_of(const plan::Op &op) {
  if (const auto *prim = std::get_if<plan::PrimAttr>(&op.attr)) return static_cast<int>(prim->primitive);
  if (op.kind == Kind::atomic) return static_cast<int>(std::get<plan::AccessAttr>(op.attr).atomic);
  return 0;
}

OpKind source_of(const plan::Op &op, const TileProgram &program) {
  return op.source.valid() ? program.ops[op.source].kind : OpKind::constant;
}

bool commutes(Primitive p) {
  return p == Primitive::add || p == Primitive::mul || p == Primitive::min || p == Primitive::max || p == Primitive::minnum ||
         p == Primitive::maxnum || p == Primitive::eq || p == Primitive::ne || p == Primitive::bit_and || p == Primitive::bit_or ||
         p == Primitive::bit_xor;
}

bool fits(Way way, const plan::Op &op, const plan::Plan &p) {
  const auto *prim = std::get_if<plan::PrimAttr>(&op.attr);
  switch (way) {
  case Way::sibling: return (prim && sibling(prim->primitive)) || op.kind == Kind::atomic;
  case Way::swapped:
    if (op.kind == Kind::if_) return op.blocks.size() == 2;
    return prim && op.operands.size() >= 2 && !commutes(prim->primitive) &&
           p.regs[op.operands[op.operands.size() - 2]] == p.regs[op.operands.back()];
  case Way::next_constant: return op.kind == Kind::constant;
  case Way::unmasked:
    return (op.kind == Kind::load || op.kind == Kind::store || op.kind == Kind::atomic) && std::get<plan::AccessAttr>(op.attr).masked;
  case Way::next_offset: return op.kind == Kind::load || op.kind == Kind::store || op.kind == Kind::atomic;
  case Way::dropped: return op.kind == Kind::store || op.kind == Kind::atomic || op.kind == Kind::barrier || op.kind == Kind::assert_;
  case Way::doubled_step:
  case Way::shorter_loop: return op.kind == Kind::for_;
  case Way::turned_lanes: {
    if (op.kind != Kind::shuffle) return false;
    const auto &lanes = std::get<plan::ShuffleAttr>(op.attr).lanes;
    return !std::equal(lanes.begin(), lanes.end(), lanes.rbegin()); // else it is the same
  }
  }
  return false;
}

constexpr Way ways[] = {Way::sibling,     Way::swapped, Way::next_constant, Way::unmasked,    Way::next_offset,
                        Way::dropped,     Way::doubled_step, Way::shorter_loop, Way::turned_lanes};

class Planter {
public:
  Planter(plan::Plan &p, const TileProgram &program, const Fault &fault) : p_(p), program_(program), fault_(fault) {}

  int run() {
    for (std::size_t i = 0, n = p_.blocks.size(); i < n; ++i) block(plan::BlockId(static_cast<std::uint32_t>(i)));
    return planted_;
  }

private:
  void block(plan::BlockId id) {
    std::vector<plan::OpIndex> out;
    for (const plan::OpIndex index : std::vector(p_.blocks[id].ops)) {
      const plan::Op &op = p_.ops[index];
      if (op.kind != fault_.kind || detail_of(op) != fault_.detail || source_of(op, program_) != fault_.source || !fits(fault_.way, op, p_)) {
        out.push_back(index);
        continue;
      }
      ++planted_;
      if (fault_.way == Way::dropped) continue;
      spoil(index, out);
      out.push_back(index);
    }
    p_.blocks[id].ops = std::move(out);
  }

  void spoil(plan::OpIndex index, std::vector<plan::OpIndex> &before) {
    switch (fault_.way) {
    case Way::sibling:
      if (auto *prim = std::get_if<plan::PrimAttr>(&p_.ops[index].attr)) prim->primitive = *sibling(prim->primitive);
      else std::get<plan::AccessAttr>(p_.ops[index].attr).atomic = fault_.detail == static_cast<int>(AtomicKind::max) ? AtomicKind::min : AtomicKind::max;
      return;
    case Way::swapped: {
      plan::Op &op = p_.ops[index];
      if (op.kind == Kind::if_) std::swap(op.blocks[0], op.blocks[1]);
      else std::swap(op.operands[op.operands.size() - 2], op.operands.back());
      return;
    }
    case Way::next_constant: {
      const ScalarType type = p_.regs[p_.ops[index].results[0]].elem;
      auto &bits = std::get<plan::ConstantAttr>(p_.ops[index].attr).bits;
      const std::uint64_t all = bit_width(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type)) - 1;
      bits = type == ScalarType::boolean ? bits ^ 1 : (bits + 1) & all;
      return;
    }
    case Way::unmasked:
      std::get<plan::AccessAttr>(p_.ops[index].attr).masked = false;
      p_.ops[index].operands.pop_back();
      return;
    case Way::next_offset: return add(index, 0, 1, before);
    case Way::shorter_loop: return add(index, 1, -1, before);
    case Way::doubled_step: std::get<plan::ForAttr>(p_.ops[index].attr).step *= 2; return;
    case Way::turned_lanes: std::reverse(std::get<plan::ShuffleAttr>(p_.ops[index].attr).lanes.begin(), std::get<plan::ShuffleAttr>(p_.ops[index].attr).lanes.end()); return;
    case Way::dropped: return;
    }
  }

  // The operand plus `by`, computed before.
  void add(plan::OpIndex index, std::size_t operand, std::int64_t by, std::vector<plan::OpIndex> &before) {
    const plan::Reg old = p_.ops[index].operands[operand];
    const plan::Type type = p_.regs[old];
    const auto reg = [&] { return p_.regs.push(type); };
    const plan::Reg one = reg(), sum = reg();
    plan::Op constant{Kind::constant, {}, {one}, {}, plan::ConstantAttr{static_cast<std::uint64_t>(by)}, p_.ops[index].source};
    plan::Op added{Kind::prim, {old, one}, {sum}, {}, plan::PrimAttr{Primitive::add}, p_.ops[index].source};
    before.push_back(p_.ops.push(std::move(constant)));
    before.push_back(p_.ops.push(std::move(added)));
    p_.ops[index].operands[operand] = sum;
  }

  plan::Plan &p_;
  const TileProgram &program_;
  const Fault &fault_;
  int planted_ = 0;
};

} // namespace

std::string text_of(const Fault &f) {
  constexpr const char *kinds[] = {"constant", "extent", "stride", "prim", "shuffle", "lane_ids", "load", "store", "atomic",
                                   "for", "if", "while", "launch", "barrier", "assert"};
  constexpr const char *names[] = {"another in its place", "swapped", "one more", "unmasked", "the next element", "dropped",
                                   "every other iteration", "without the last iteration", "lanes turned round"};
  std::string out = std::string(info(f.source).name) + ": " + kinds[static_cast<int>(f.kind)];
  if (f.kind == Kind::prim) out += " " + std::string(to_string(static_cast<Primitive>(f.detail)));
  if (f.kind == Kind::atomic) out += " " + std::to_string(f.detail);
  return out + ", " + names[static_cast<int>(f.way)];
}

void add_faults(const plan::Plan &p, const TileProgram &program, std::set<Fault> &faults) {
  for (const plan::Block &block : p.blocks)
    for (const plan::OpIndex index : block.ops) {
      const plan::Op &op = p.ops[index];
      for (const Way way : ways)
        if (fits(way, op, p)) faults.insert({source_of(op, program), op.kind, detail_of(op), way});
    }
}

int plant(plan::Plan &p, const TileProgram &program, const Fault &fault) { return Planter(p, program, fault).run(); }

} // namespace tilenest::conformance
