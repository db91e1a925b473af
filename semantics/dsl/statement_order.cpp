// SPDX-License-Identifier: Apache-2.0
// One pass over each region: runs of pure operations are emitted again on demand. The expansion of a library call
// stays together: it moves whole where all of it may move, and not at all where it holds a region or an effect.
#include "semantics/dsl/statement_order.h"

namespace tilenest {

bool moves_freely(const Op &op) {
  switch (info(op.kind).form) {
  case Form::elementwise:
  case Form::index_map:
  case Form::generate:
  case Form::reduce:
  case Form::contract:
    return true;
  case Form::memory:
    return op.kind == OpKind::load || op.kind == OpKind::gather;
  case Form::meta:
    return op.kind == OpKind::per;
  case Form::control:
    return op.kind == OpKind::assign && std::get<AssignAttr>(op.attr).declares;
  }
  return false;
}

namespace {

class Orderer {
public:
  Orderer(TileProgram &p, const std::vector<bool> &named)
      : p_(p), named_(named), used_(p.values.size(), false) {
    state_.resize(p.ops.size(), State::elsewhere);
    for (std::size_t i = 0; i < p.calls.size(); ++i) expansions_.push({}), fixed_.push(0);
    for (const Region &r : p.regions)
      for (OpId id : r.ops)
        if (const CallId c = p.ops[id].call; c.valid()) {
          if (!moves_freely(p.ops[id])) fixed_[c] = 1;
          const OpId holder = r.op;
          if (!holder.valid() || p.ops[holder].call != c) expansions_[c].push_back(id);
        }
  }

  void region(Region &r) {
    const std::vector<OpId> before = std::move(r.ops);
    r.ops.clear();
    out_ = &r.ops;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= before.size(); ++i) {
      if (i < before.size() && moves(p_.ops[before[i]])) continue;
      run(std::span(before).subspan(begin, i - begin));
      if (i < before.size()) {
        if (const CallId c = p_.ops[before[i]].call; c.valid() && before[i] == expansions_[c].front()) arguments(c);
        operands(p_.ops[before[i]]);
        rest();
        r.ops.push_back(before[i]);
      } else {
        for (ValueId v : r.yields) operand(v);
        rest();
      }
      begin = i + 1;
    }
  }

private:
  bool moves(const Op &op) const { return moves_freely(op) && !(op.call.valid() && fixed_[op.call] != 0); }
  enum class State : std::uint8_t { elsewhere, waiting, emitted };

  // Named values in their order, with what they need; the rest waits for the operation behind the run.
  void run(std::span<const OpId> ops) {
    run_.assign(ops.begin(), ops.end());
    for (OpId id : ops) state_[id.index] = State::waiting;
    for (OpId id : ops) {
      const Op &op = p_.ops[id];
      if (op.kind == OpKind::assign && named_[std::get<AssignAttr>(op.attr).var.index]) emit(id);
    }
  }
  // What nothing here needs: values used further on, or by nobody.
  void rest() {
    for (OpId id : run_)
      for (ValueId v : p_.ops[id].operands) used_[v.index] = true;
    for (OpId id : run_)
      if (!used_[p_.ops[id].results[0].index]) emit(id);
    run_.clear();
  }
  void emit(OpId id) {
    if (state_[id.index] != State::waiting) return;
    if (const CallId c = p_.ops[id].call; c.valid()) {
      for (OpId part : expansions_[c]) state_[part.index] = State::emitted;
      arguments(c);
      out_->insert(out_->end(), expansions_[c].begin(), expansions_[c].end());
      return;
    }
    state_[id.index] = State::emitted;
    operands(p_.ops[id]);
    out_->push_back(id);
  }
  void arguments(CallId c) {
    for (const CallArgument &a : p_.calls[c].arguments)
      if (const auto *values = std::get_if<std::vector<ValueId>>(&a.value))
        for (ValueId v : *values) operand(v);
  }
  void operand(ValueId v) {
    if (const OpId def = p_.values[v].op; def.valid()) emit(def);
  }
  // A store and an atomic name their place before their value.
  void operands(const Op &op) {
    if (op.kind == OpKind::store || op.kind == OpKind::atomic) {
      const std::size_t origin = std::get<AccessAttr>(op.attr).axes.size();
      for (std::size_t i = 1; i <= origin; ++i) operand(op.operands[i]);
    }
    for (ValueId v : op.operands) operand(v);
  }

  TileProgram &p_;
  const std::vector<bool> &named_;
  std::vector<State> state_;
  std::vector<bool> used_; // by an operation of a run that was seen
  IdVector<CallId, std::vector<OpId>> expansions_; // the outermost operations of each call, in order
  IdVector<CallId, std::uint8_t> fixed_;
  std::vector<OpId> *out_ = nullptr;
  std::vector<OpId> run_;
};

} // namespace

void order_statements(TileProgram &program, const std::vector<bool> &named) {
  Orderer orderer(program, named);
  std::vector<bool> settled(program.regions.size(), false); // what the library captured, in its own order
  for (const Op &op : program.ops) {
    if (op.kind != OpKind::reduce_region) continue;
    const auto &contracts = program.algebras[std::get<LoopAttr>(op.attr).algebra].contracts;
    for (std::size_t i = 0; i < contracts.size(); ++i)
      if (!contracts[i].name.empty()) settled[op.regions[1 + 2 * i].index] = settled[op.regions[2 + 2 * i].index] = true;
  }
  for (std::size_t i = 0; i < program.regions.size(); ++i)
    if (!settled[i]) orderer.region(program.regions[RegionId(i)]);
}

} // namespace tilenest
