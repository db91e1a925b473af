// SPDX-License-Identifier: Apache-2.0
// Builder: the contract of a reduce, its identity and its merge, captured into regions of their own. That they are
// pure and what the laws allow is judged elsewhere (typing/, reduction/).
#include "semantics/diag/codes.h"
#include "semantics/program/builder.h"
#include <algorithm>

namespace tilenest {

void Builder::refuse_contract(const std::string &why) {
  const Frame &reduce = frames_[frames_.size() - (top().contract ? 2 : 1)];
  if (!reduce.contracts_refused) error(Code::T0307, {{"why", why}});
}

void Builder::refuse_contracts() { frames_[frames_.size() - (top().contract ? 2 : 1)].contracts_refused = true; }

// rule: RED-LAW -- a declared contract lists its states.
void Builder::begin_contract(std::string name, std::vector<VarId> states, bool commutative) {
  const Frame &f = top();
  if (!f.reduction || !program_.regions[f.region].ops.empty())
    return error(Code::T0604, {{"what", "a contract that does not begin a `reduce`"}});
  ReductionAlgebra &algebra = program_.algebras[std::get<LoopAttr>(program_.ops[f.op].attr).algebra];
  for (std::size_t i = 0; i < states.size(); ++i) {
    const bool again = std::find(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(i), states[i]) !=
                       states.begin() + static_cast<std::ptrdiff_t>(i);
    if (again || algebra.contract_of(states[i]))
      refuse_contract("`" + program_.variables[states[i]].name + "` has a contract already");
    if (local_to_reduce_.count(states[i]))
      refuse_contract("`" + program_.variables[states[i]].name + "` has no value before the reduce");
  }
  if (states.empty()) refuse_contract("it has no state");
  algebra.contracts.push_back({std::move(name), std::move(states), commutative});
  open_contract_region();
}

TileType Builder::state_type(VarId state) {
  if (local_to_reduce_.count(state)) return program_.variables[state].type; // reported
  const std::size_t reduce = frames_.size() - (top().contract ? 2 : 1);
  return type(read_in(reduce - 1, state));
}

void Builder::open_contract_region() {
  const OpId reduce = top().op;
  Frame &f = open_frame(reduce, false);
  f.contract = true;
  f.name = "contract";
  f.region = f.insertion = add_region(reduce, f.level);
}

std::vector<ValueId> Builder::begin_merge(std::span<const std::string> names) {
  if (!top().reduction) {
    error(Code::T0604, {{"what", "a merge that follows no identity"}});
    return {};
  }
  open_contract_region();
  const RegionId region = top().region;
  const auto &contracts = program_.algebras[std::get<LoopAttr>(program_.ops[top().op].attr).algebra].contracts;
  const std::vector<VarId> states = contracts.back().states;
  std::vector<ValueId> args;
  for (int side = 0; side < 2; ++side)
    for (VarId s : states) {
      args.push_back(add_value(state_type(s), {}, region, static_cast<int>(args.size())));
      if (args.size() <= names.size()) program_.values[args.back()].name = names[args.size() - 1];
      program_.regions[region].args.push_back(args.back());
    }
  return args;
}

// What is given for a state, in the state's type and space.
ValueId Builder::fitted(const Operand &given, VarId state) {
  const TileType to = state_type(state);
  ValueId v = operand(given, to.elem);
  if (program_.values[v].poisoned) return v;
  if (type(v).elem == to.elem && type(v).space.rank() == 0 && to.space.rank() > 0) v = broadcast(v, to.space);
  const TileType from = type(v);
  bool same = from.elem == to.elem && from.space.rank() == to.space.rank();
  for (std::size_t i = 0; same && i < to.space.rank(); ++i) {
    const Factor &e = to.space.factors[i], &f = from.space.factors[i];
    const Judged judged = judge_equal(e.extent, f.extent);
    same = e.dim == f.dim && judged != Judged::no;
    if (judged == Judged::unknown)
      program_.constraints.push_back({{e.extent, f.extent, e.dim}, Code::T0215, site_, program_.variables[state].name});
  }
  if (!same) {
    refuse_contract("it gives " + program_.type_text(from) + " for `" + program_.variables[state].name + "`, which is " +
                    program_.type_text(to));
    return v;
  }
  for (ValueId predicate : to.active)
    if (std::find(from.active.begin(), from.active.end(), predicate) == from.active.end()) v = restrict(v, predicate);
  return v;
}

void Builder::give(std::span<const Operand> values) {
  if (!top().contract) return error(Code::T0604, {{"what", "a value that is given to no contract"}});
  const OpId reduce = top().op;
  const auto &contracts = program_.algebras[std::get<LoopAttr>(program_.ops[reduce].attr).algebra].contracts;
  const std::vector<VarId> states = contracts.back().states;
  if (values.size() != states.size())
    refuse_contract("it gives " + std::to_string(values.size()) + " values for " + std::to_string(states.size()) + " states");
  for (VarId var : top().assigned) refuse_contract("it assigns `" + program_.variables[var].name + "`, a variable from outside");
  std::vector<ValueId> yields;
  for (std::size_t i = 0; i < states.size(); ++i)
    yields.push_back(i < values.size() ? fitted(values[i], states[i]) : poison(program_.variables[states[i]].type));
  program_.regions[top().region].yields = std::move(yields);
  frames_.pop_back();
  last_op_ = reduce;
}

// rule: RED-LAW -- the states of a contract are states of its reduce.
void Builder::require_contracted_states(const Frame &closed) {
  if (closed.contracts_refused) return;
  const Op &reduce = program_.ops[closed.op];
  for (const ReductionAlgebra::Contract &c : program_.algebras[std::get<LoopAttr>(reduce.attr).algebra].contracts)
    for (VarId s : c.states)
      if (std::find(reduce.carries.begin(), reduce.carries.end(), s) == reduce.carries.end())
        refuse_contract("`" + program_.variables[s].name + "` is no state: the body does not update it from its value before");
}

} // namespace tilenest
