// SPDX-License-Identifier: Apache-2.0
// One walk over the program: how often each value is mentioned, and which mentions of a variable's definition
// come when it is no longer, or not here, the current one.
#include "semantics/text/printer_state.h"
#include <algorithm>

namespace tilenest::text {

namespace {
std::uint64_t key_of(OpId op, std::size_t operand) { return std::uint64_t{op.index} << 20 | operand; }
} // namespace

bool Printer::is_stale(OpId op, std::size_t operand) const { return stale_.count(key_of(op, operand)) > 0; }

std::optional<VarId> Printer::defined_variable(ValueId v) const {
  const VarId var = variable_of_[v.index];
  return var.valid() ? std::optional(var) : std::nullopt;
}

int Printer::coordinate_count(const Op &op) const {
  if (op.kind == OpKind::parallel)
    return static_cast<int>(p_.levels[std::get<ParallelAttr>(op.attr).level].domain.rank());
  if (const auto *loop = std::get_if<LoopAttr>(&op.attr)) return static_cast<int>(loop->domain.rank());
  return 0;
}

void Printer::use(ValueId v, OpId op, std::size_t operand) {
  ++use_count_[v.index];
  const VarId var = variable_of_[v.index];
  if (!var.valid() || current_[var.index] == v) return;
  stale_.insert(key_of(op, operand));
  stale_values_.insert(v);
}

std::vector<VarId> Printer::assigned_in(RegionId region) const {
  std::vector<VarId> out, declared;
  for_each_op(p_, region, [&](const Op &op, OpId) {
    if (op.kind != OpKind::assign) return;
    const auto &a = std::get<AssignAttr>(op.attr);
    (a.declares ? declared : out).push_back(a.var);
  });
  std::erase_if(out, [&](VarId v) { return std::find(declared.begin(), declared.end(), v) != declared.end(); });
  return out;
}

// What a reduce took away stays away, also outside the region that holds the reduce, until it is assigned.
void Printer::restore(const std::vector<ValueId> &before) {
  current_ = before;
  for (VarId v : lost_) current_[v.index] = ValueId();
}

void Printer::find_uses() {
  use_count_.assign(p_.values.size(), 0);
  variable_of_.assign(p_.values.size(), VarId());
  current_.assign(p_.variables.size(), ValueId());
  for_each_op(p_, p_.body, [&](const Op &op, OpId) {
    if (op.kind == OpKind::assign) variable_of_[op.results[0].index] = std::get<AssignAttr>(op.attr).var;
    for (std::size_t i = 0; i < op.carries.size(); ++i) {
      variable_of_[op.results[i].index] = op.carries[i];
      if (op.kind == OpKind::if_ || op.kind == OpKind::switch_) continue;
      const Region &r = p_.regions[op.regions[0]];
      variable_of_[r.args[r.args.size() - op.carries.size() + i].index] = op.carries[i];
    }
  });
  find_uses(p_.body);
}

void Printer::find_uses(RegionId region) {
  for (OpId id : p_.regions[region].ops) {
    const Op &op = p_.ops[id];
    std::size_t operands = op.control_operand_count();
    if (op.kind == OpKind::assign) operands = 1;
    for (std::size_t i = 0; i < operands; ++i) use(op.operands[i], id, i);
    if (op.kind == OpKind::assign) {
      const VarId var = std::get<AssignAttr>(op.attr).var;
      current_[var.index] = op.results[0];
      std::erase(lost_, var);
    } else if (op.kind == OpKind::stage) {
      find_uses(op.regions[0]);
    } else if (!op.regions.empty()) {
      const std::vector<ValueId> before = current_;
      const bool arms = op.kind == OpKind::if_ || op.kind == OpKind::switch_;
      std::vector<VarId> lost; // a contribution writes it before it reads: no definition outside counts
      if (op.kind == OpKind::reduce_region)
        for (VarId v : assigned_in(op.regions[0]))
          if (std::find(op.carries.begin(), op.carries.end(), v) == op.carries.end()) lost.push_back(v);
      for (std::size_t r = 0; r < op.regions.size(); ++r) {
        if (arms) restore(before);
        if (!arms && r == 0) {
          const Region &inner = p_.regions[op.regions[0]];
          for (std::size_t i = 0; i < op.carries.size(); ++i)
            current_[op.carries[i].index] = inner.args[inner.args.size() - op.carries.size() + i];
        }
        const bool contract = op.kind == OpKind::reduce_region && r > 0;
        if (contract) restore(before);
        if (!contract)
          for (VarId v : lost) current_[v.index] = ValueId();
        find_uses(op.regions[r]);
        for (std::size_t i = 0; contract && i < p_.regions[op.regions[r]].yields.size(); ++i)
          use(p_.regions[op.regions[r]].yields[i], id, given_operand(r, i));
        if (op.kind == OpKind::while_ && r == 0) use(p_.regions[op.regions[0]].yields[0], id, yield_operand);
      }
      lost_.insert(lost_.end(), lost.begin(), lost.end());
      for (VarId v : op.carries) std::erase(lost_, v);
      restore(before);
      for (std::size_t i = 0; i < op.carries.size(); ++i) current_[op.carries[i].index] = op.results[i];
    }
  }
}

} // namespace tilenest::text
