// SPDX-License-Identifier: Apache-2.0
// From an operation of an expansion back to the call's arguments.
#include "semantics/program/call_arguments.h"
#include <algorithm>
#include <type_traits>
#include <unordered_set>

namespace tilenest {

namespace {

struct Walk {
  const TileProgram &p;
  CallId call;
  std::vector<bool> named; // by position in the call's arguments
  std::vector<ValueId> pending;
  std::unordered_set<ValueId> seen;

  // Names the arguments that hold it, one of them or a list of them.
  template <class T> bool name(const T &what) {
    bool found = false;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const auto &held = p.calls[call].arguments[i].value;
      bool here = false;
      if constexpr (std::is_arithmetic_v<T>) {
        const auto *one = std::get_if<T>(&held);
        here = one && *one == what;
      } else {
        const auto *list = std::get_if<std::vector<T>>(&held);
        here = list && std::find(list->begin(), list->end(), what) != list->end();
      }
      if (here) named[i] = found = true;
    }
    return found;
  }

  void visit(ValueId v) {
    if (seen.insert(v).second && !name(v)) pending.push_back(v);
  }

  void all() {
    while (!pending.empty()) {
      const Value &it = p.values[pending.back()];
      pending.pop_back();
      const OpId holder = it.op.valid() ? it.op : p.regions[it.region].op;
      if (!holder.valid() || p.ops[holder].call != call) continue;
      const Op &op = p.ops[holder];
      if (!op.regions.empty()) {
        carried(op, it);
        continue;
      }
      if (const auto *extent = std::get_if<ExtentAttr>(&op.attr)) name(extent->extent);
      // What holds at a point says nothing of the value there (IDX-PRED).
      const std::size_t count = op.kind == OpKind::restrict ? 1 : op.operands.size();
      for (std::size_t i = 0; i < count; ++i) visit(op.operands[i]);
    }
  }

  // A result of a region operation, or an argument of its region: the definitions of that variable. Coordinates are
  // computed from no argument.
  void carried(const Op &op, const Value &it) {
    std::size_t variable = static_cast<std::size_t>(it.index);
    if (!it.op.valid()) {
      const std::size_t coordinates = p.regions[it.region].args.size() - op.carries.size();
      if (variable < coordinates || op.carries.empty()) return;
      variable -= coordinates;
    }
    for (RegionId r : op.yielding_regions()) visit(p.regions[r].yields[variable]);
    if (const std::size_t incoming = op.control_operand_count() + variable; incoming < op.operands.size())
      visit(op.operands[incoming]);
  }
};

} // namespace

std::string from_arguments(const TileProgram &p, CallId call, const Op &op, std::size_t first_operand) {
  if (!call.valid()) return "";
  const std::vector<CallArgument> &arguments = p.calls[call].arguments;
  Walk walk{p, call, std::vector<bool>(arguments.size()), {}, {}};
  if (const auto *l = std::get_if<LiteralAttr>(&op.attr)) std::visit([&](auto x) { walk.name(x); }, l->literal);
  for (std::size_t i = first_operand; i < op.operands.size(); ++i) walk.visit(op.operands[i]);
  for (RegionId r : op.regions)
    for (ValueId v : p.regions[r].yields) walk.visit(v);
  walk.all();
  std::string out;
  std::ptrdiff_t left = std::count(walk.named.begin(), walk.named.end(), true);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (walk.named[i]) out += (out.empty() ? "from `" : --left == 1 ? " and `" : ", `") + arguments[i].name + "`";
  return out;
}

} // namespace tilenest
