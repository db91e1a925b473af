// SPDX-License-Identifier: Apache-2.0
// Both plans are walked side by side; registers are paired where they are defined. Both must be well formed.
#include "lower/equality.h"

namespace tilenest::plan {

namespace {

class Pairing {
public:
  Pairing(const Plan &a, const Plan &b, bool sources) : a_(a), b_(b), sources_(sources) { pair_.resize(a.regs.size()); }

  bool run() {
    if (a_.name != b_.name || a_.params.size() != b_.params.size() || a_.buffers.size() != b_.buffers.size()) return false;
    for (std::size_t i = 0; i < a_.params.size(); ++i)
      if (a_.params[ParamId(i)].name != b_.params[ParamId(i)].name) return false;
    for (std::size_t i = 0; i < a_.buffers.size(); ++i) {
      const Buffer &x = a_.buffers[BufferId(i)], &y = b_.buffers[BufferId(i)];
      if (x.name != y.name || x.elem != y.elem || x.space != y.space || x.shape != y.shape || x.argument != y.argument ||
          x.access != y.access || x.strided != y.strided || x.overlapping != y.overlapping)
        return false;
    }
    return blocks(a_.body, b_.body);
  }

private:
  bool define(const std::vector<Reg> &x, const std::vector<Reg> &y) {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (a_.regs[x[i]] != b_.regs[y[i]]) return false;
      pair_[x[i]] = y[i];
    }
    return true;
  }
  bool same(const std::vector<Reg> &x, const std::vector<Reg> &y) const {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (pair_[x[i]] != y[i]) return false;
    return true;
  }
  bool blocks(BlockId i, BlockId j) {
    const Block &x = a_.blocks[i], &y = b_.blocks[j];
    if (x.ops.size() != y.ops.size() || !define(x.args, y.args)) return false;
    for (std::size_t k = 0; k < x.ops.size(); ++k)
      if (!ops(a_.ops[x.ops[k]], b_.ops[y.ops[k]])) return false;
    return same(x.yields, y.yields);
  }
  bool ops(const Op &x, const Op &y) {
    if (x.kind != y.kind || x.blocks.size() != y.blocks.size() || !same(x.operands, y.operands)) return false;
    if (x.attr.index() != y.attr.index() || !attributes(x, y) || (sources_ && x.source != y.source)) return false;
    for (std::size_t k = 0; k < x.blocks.size(); ++k)
      if (!blocks(x.blocks[k], y.blocks[k])) return false;
    return define(x.results, y.results);
  }
  static bool attributes(const Op &x, const Op &y) {
    return std::visit(
        [&](const auto &p) {
          using A = std::decay_t<decltype(p)>;
          const A &q = *std::get_if<A>(&y.attr);
          if constexpr (std::is_same_v<A, ConstantAttr>) return p.bits == q.bits;
          else if constexpr (std::is_same_v<A, ExtentAttr>) return p.extent == q.extent;
          else if constexpr (std::is_same_v<A, StrideAttr>) return p.buffer == q.buffer && p.axis == q.axis;
          else if constexpr (std::is_same_v<A, PrimAttr>) return p.primitive == q.primitive;
          else if constexpr (std::is_same_v<A, ShuffleAttr>) return p.lanes == q.lanes;
          else if constexpr (std::is_same_v<A, AccessAttr>)
            return p.buffer == q.buffer && p.masked == q.masked && p.atomic == q.atomic;
          else if constexpr (std::is_same_v<A, ForAttr>) return p.step == q.step && p.binding == q.binding;
          else if constexpr (std::is_same_v<A, LaunchAttr>) return p.name == q.name;
          else if constexpr (std::is_same_v<A, AssertAttr>) return p.text == q.text;
          else return true;
        },
        x.attr);
  }

  const Plan &a_, &b_;
  bool sources_;
  IdVector<Reg, Reg> pair_;
};

} // namespace

bool equal(const Plan &a, const Plan &b, bool sources) { return Pairing(a, b, sources).run(); }

} // namespace tilenest::plan
