// SPDX-License-Identifier: Apache-2.0
// The printer of plans. Names apart, every character follows from the plan.
#include "lower/print.h"
#include "semantics/numerics/literals.h"
#include "semantics/text/printer.h"
#include <algorithm>
#include <charconv>

namespace tilenest::plan {

std::string_view to_string(AddressSpace space) {
  constexpr std::string_view names[] = {"argument", "scratch", "shared", "instance"};
  return names[static_cast<int>(space)];
}

std::string_view to_string(AtomicKind kind) {
  constexpr std::string_view names[] = {"add", "min", "max", "and", "or", "xor"};
  return names[static_cast<int>(kind)];
}

std::string type_text(Type type) {
  std::string out(to_string(type.elem));
  if (type.lanes != 1) out += "x" + std::to_string(type.lanes);
  return out;
}

namespace {

std::string name_text(const std::string &name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool plain = !name.empty() && letter(name[0]);
  for (char c : name) plain = plain && (letter(c) || (c >= '0' && c <= '9'));
  return plain ? name : text::quoted(name);
}

std::string constant_text(ScalarType type, std::uint64_t bits) {
  const std::uint64_t standing = type == ScalarType::i4 && (bits & 8) != 0 ? bits | 0xf0 : bits; // as one byte
  const std::string decimal = scalar_text(type, standing);
  if (const auto back = parse_scalar(decimal, type); back && *back == standing) return decimal;
  char hex[16];
  return "bits 0x" + std::string(hex, std::to_chars(hex, hex + sizeof hex, bits, 16).ptr);
}

class Printer {
public:
  Printer(const Plan &plan, const PrintOptions &options) : p_(plan), options_(options) {
    numbers_.resize(plan.regs.size(), unnamed);
    numbered_.resize(plan.blocks.size());
    number(plan.body);
    printed_.resize(plan.blocks.size());
  }

  std::string run() {
    out_ = "plan " + name_text(p_.name) + "(";
    for (std::size_t i = 0; i < p_.params.size(); ++i)
      out_ += (i ? ", " : "") + name_text(p_.params[ParamId(i)].name);
    out_ += ") {\n";
    ++depth_;
    for (const Buffer &b : p_.buffers) line(buffer(b));
    block(p_.body);
    --depth_;
    line("}");
    return std::move(out_);
  }

  std::string head(const Op &op) const;

private:
  static constexpr std::uint32_t unnamed = ~std::uint32_t{0};

  // Registers get their numbers where they stand first in the text: results, then the blocks' arguments.
  void number(BlockId id) {
    if (id.index >= p_.blocks.size() || numbered_[id.index]) return;
    numbered_[id.index] = true;
    for (OpIndex at : p_.blocks[id].ops) {
      if (at.index >= p_.ops.size()) continue;
      for (Reg r : p_.ops[at].results) number(r);
      for (BlockId inner : p_.ops[at].blocks) {
        if (inner.index < p_.blocks.size())
          for (Reg r : p_.blocks[inner].args) number(r);
        number(inner);
      }
    }
  }
  void number(Reg r) {
    if (r.index < numbers_.size() && numbers_[r] == unnamed) numbers_[r] = next_++;
  }

  void line(const std::string &text) {
    out_.append(static_cast<std::size_t>(2 * depth_), ' ');
    out_ += text;
    out_ += '\n';
  }
  std::string reg(Reg r) const {
    if (r.index >= numbers_.size() || numbers_[r] == unnamed) return "%?";
    return "%" + std::to_string(numbers_[r]);
  }
  std::string typed(Reg r) const {
    return reg(r) + ": " + (r.index < p_.regs.size() ? type_text(p_.regs[r]) : std::string("?"));
  }
  template <class F> static std::string list(std::size_t n, F &&item) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += (i ? ", " : "") + item(i);
    return out;
  }
  std::string regs(const std::vector<Reg> &rs, std::size_t first = 0) const {
    return list(rs.size() - std::min(first, rs.size()), [&](std::size_t i) { return reg(rs[first + i]); });
  }
  std::string operand(const Op &op, std::size_t i) const { return i < op.operands.size() ? reg(op.operands[i]) : "%?"; }
  std::string argument(const Op &op, std::size_t block, std::size_t i, bool with_type) const {
    if (block >= op.blocks.size() || op.blocks[block].index >= p_.blocks.size()) return "%?";
    const auto &args = p_.blocks[op.blocks[block]].args;
    return i >= args.size() ? "%?" : with_type ? typed(args[i]) : reg(args[i]);
  }
  std::string extent(const Extent &e) const {
    return e.to_string([&](ParamId id) {
      return id.index < p_.params.size() ? name_text(p_.params[id].name) : std::string("?");
    });
  }
  std::string buffer_name(BufferId id) const {
    return id.index < p_.buffers.size() ? name_text(p_.buffers[id].name) : "?";
  }
  std::string buffer(const Buffer &b) const {
    std::string out(to_string(b.space));
    if (b.space == AddressSpace::argument) out += " " + std::to_string(b.argument);
    out += " " + name_text(b.name) + ": ";
    if (b.access != ArgumentAccess::in) out += b.access == ArgumentAccess::mut ? "mut " : "out ";
    out += std::string(to_string(b.elem)) + "[";
    out += list(b.shape.size(), [&](std::size_t i) { return extent(b.shape[i]); }) + "]";
    return out + (b.strided ? " strided" : "") + (b.overlapping ? " overlapping" : "");
  }
  // `(%acc: f32 = %z, ...)`: arguments of the block from `arg` on, with the operands from `first` on.
  std::string carried(const Op &op, std::size_t arg, std::size_t first) const {
    return "(" + list(op.operands.size() - std::min(first, op.operands.size()), [&](std::size_t i) {
      return argument(op, 0, arg + i, true) + " = " + reg(op.operands[first + i]);
    }) + ")";
  }
  std::string access(const Op &op) const {
    const auto *attr = std::get_if<AccessAttr>(&op.attr);
    return (attr ? buffer_name(attr->buffer) : "?") + "[" + operand(op, 0) + "]";
  }
  std::string mask(const Op &op) const {
    const auto *attr = std::get_if<AccessAttr>(&op.attr);
    return attr && attr->masked && !op.operands.empty() ? " mask " + reg(op.operands.back()) : "";
  }
  std::string shuffle(const Op &op) const;

  void op(const Op &op);
  void block(BlockId id) {
    if (id.index >= p_.blocks.size() || printed_[id.index]) return line("?");
    printed_[id.index] = true;
    const Block &b = p_.blocks[id];
    for (OpIndex at : b.ops)
      if (at.index < p_.ops.size())
        op(p_.ops[at]);
      else
        line("?");
    if (!b.yields.empty()) line("yield " + regs(b.yields));
  }
  void inner(const Op &op, std::size_t i) {
    ++depth_;
    if (i < op.blocks.size())
      block(op.blocks[i]);
    else
      line("?");
    --depth_;
  }

  const Plan &p_;
  PrintOptions options_;
  IdVector<Reg, std::uint32_t> numbers_;
  std::vector<bool> numbered_, printed_; // blocks: a malformed plan may hold one twice, or in itself
  std::uint32_t next_ = 0;
  std::string out_;
  int depth_ = 0;
};

std::string Printer::shuffle(const Op &op) const {
  const auto *attr = std::get_if<ShuffleAttr>(&op.attr);
  if (!attr) return "shuffle ?";
  const bool scalar = op.operands.size() == 1 && op.operands[0].index < p_.regs.size() && p_.regs[op.operands[0]].lanes == 1;
  const bool first = std::all_of(attr->lanes.begin(), attr->lanes.end(), [](std::uint16_t l) { return l == 0; });
  if (scalar && first && op.results.size() == 1 && op.results[0].index < p_.regs.size() &&
      p_.regs[op.results[0]].lanes == attr->lanes.size())
    return "splat " + reg(op.operands[0]);
  return "shuffle " + regs(op.operands) + " [" +
         list(attr->lanes.size(), [&](std::size_t i) { return std::to_string(attr->lanes[i]); }) + "]";
}

// What stands before the first block, and the whole of an operation without blocks.
std::string Printer::head(const Op &op) const {
  std::string out = list(op.results.size(), [&](std::size_t i) { return typed(op.results[i]); });
  if (!out.empty()) out += " = ";
  switch (op.kind) {
  case Kind::constant: {
    const auto *attr = std::get_if<ConstantAttr>(&op.attr);
    const bool known = attr && op.results.size() == 1 && op.results[0].index < p_.regs.size();
    out += "constant " + (known ? constant_text(p_.regs[op.results[0]].elem, attr->bits) : "?");
    break;
  }
  case Kind::extent: {
    const auto *attr = std::get_if<ExtentAttr>(&op.attr);
    out += "extent " + (attr ? extent(attr->extent) : "?");
    break;
  }
  case Kind::stride: {
    const auto *attr = std::get_if<StrideAttr>(&op.attr);
    out += attr ? "stride " + buffer_name(attr->buffer) + "[" + std::to_string(attr->axis) + "]" : "stride ?";
    break;
  }
  case Kind::prim: {
    const auto *attr = std::get_if<PrimAttr>(&op.attr);
    out += (attr ? std::string(to_string(attr->primitive)) : "?") + " " + regs(op.operands);
    break;
  }
  case Kind::shuffle: out += shuffle(op); break;
  case Kind::lane_ids: out += "lane_ids"; break;
  case Kind::load: out += "load " + access(op) + mask(op); break;
  case Kind::store: out += "store " + access(op) + " = " + operand(op, 1) + mask(op); break;
  case Kind::atomic: {
    const auto *attr = std::get_if<AccessAttr>(&op.attr);
    out += "atomic " + access(op) + " " + (attr ? std::string(to_string(attr->atomic)) : "?") + " " + operand(op, 1) +
           mask(op);
    break;
  }
  case Kind::for_: {
    const auto *attr = std::get_if<ForAttr>(&op.attr);
    out += "for " + argument(op, 0, 0, false) + " in [" + operand(op, 0) + ", " + operand(op, 1) + ") step " +
           (attr ? std::to_string(attr->step) : "?");
    if (attr && attr->binding == Binding::participants) out += " participants";
    if (op.operands.size() > 2) out += " carry " + carried(op, 1, 2);
    break;
  }
  case Kind::if_: out += "if " + operand(op, 0); break;
  case Kind::while_: out += "while " + carried(op, 0, 0); break;
  case Kind::launch: {
    const auto *attr = std::get_if<LaunchAttr>(&op.attr);
    out += "launch " + (attr ? name_text(attr->name) : "?") + " (" + list(op.operands.size(), [&](std::size_t i) {
      return argument(op, 0, i, false) + " < " + reg(op.operands[i]);
    }) + ")";
    break;
  }
  case Kind::barrier: out += "barrier"; break;
  case Kind::assert_: {
    const auto *attr = std::get_if<AssertAttr>(&op.attr);
    out += "assert " + operand(op, 0) + ", " + (attr ? text::quoted(attr->text) : "?");
    break;
  }
  }
  return out;
}

void Printer::op(const Op &op) {
  const std::string source = options_.sources && op.source ? " @" + std::to_string(op.source.index) : "";
  const bool structured =
      op.kind == Kind::for_ || op.kind == Kind::if_ || op.kind == Kind::while_ || op.kind == Kind::launch;
  if (!structured) return line(head(op) + source);
  line(head(op) + source + " {");
  inner(op, 0);
  if (op.kind == Kind::while_) {
    const bool held = op.blocks.size() > 1 && op.blocks[1].index < p_.blocks.size();
    const std::size_t args = held ? p_.blocks[op.blocks[1]].args.size() : 0;
    line("} do (" + list(args, [&](std::size_t i) { return argument(op, 1, i, true); }) + ") {");
    inner(op, 1);
  } else if (op.kind == Kind::if_) {
    const bool held = op.blocks.size() > 1 && op.blocks[1].index < p_.blocks.size();
    if (!held || !p_.blocks[op.blocks[1]].ops.empty() || !p_.blocks[op.blocks[1]].yields.empty()) {
      line("} else {");
      inner(op, 1);
    }
  }
  line("}");
}

} // namespace

std::string print(const Plan &plan, const PrintOptions &options) { return Printer(plan, options).run(); }

std::string op_text(const Plan &plan, OpIndex op) {
  return op.index < plan.ops.size() ? Printer(plan, {}).head(plan.ops[op]) : "?";
}

} // namespace tilenest::plan
