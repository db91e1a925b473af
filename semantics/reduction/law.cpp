// SPDX-License-Identifier: Apache-2.0
// RED-LAW: a state has a merge when its every occurrence in the body is a step `s = s (+) c`, `s = c (+) s` or
// `s = mma(a, b, s)` of one (+), also under conditions and loops. On SSA: the step's operation takes the current
// definition once, nothing else that comes from a state, and its result becomes the next definition and nothing
// else. All (+) of the list are associative and commutative, so a state with a merge may take any policy and one
// without only the strict folds. `mma` merges by `+`.
#include "semantics/diag/codes.h"
#include "semantics/reduction/reduction.h"
#include "semantics/reduction/states.h"

namespace tilenest::reduction_detail {

namespace {

bool is_merge(OpKind kind) {
  switch (kind) {
  case OpKind::add:
  case OpKind::mul:
  case OpKind::min:
  case OpKind::max:
  case OpKind::minnum:
  case OpKind::maxnum:
  case OpKind::bit_and:
  case OpKind::bit_or:
  case OpKind::bit_xor:
  case OpKind::mma: return true;
  default: return false;
  }
}

std::string name_of(OpKind kind) {
  const OpInfo &row = info(kind);
  return std::string("`") + (*row.spelling ? row.spelling : row.name) + "`";
}

struct Refusal {
  SiteId site;
  std::string why;
};

class Law {
public:
  Law(const TileProgram &program, const Uses &uses, const std::vector<State> &states, const State &state)
      : p_(program), uses_(uses), states_(states), s_(state) {}

  // The merge, or the first occurrence in program order that is none.
  std::optional<OpKind> recognise(const Op &reduce) {
    for_each_op(p_, reduce.regions[0], [&](const Op &op, OpId) {
      if (defines(op)) check_step(op);
    });
    for_each_op(p_, reduce.regions[0], [&](const Op &op, OpId id) { check_occurrences(op, id); });
    check_yields(reduce);
    if (refusal_) return std::nullopt;
    return merge_;
  }
  const std::optional<Refusal> &refusal() const { return refusal_; }

private:
  bool defines(const Op &op) const {
    return op.kind == OpKind::assign && std::get<AssignAttr>(op.attr).var == s_.var;
  }
  bool from_state(ValueId v) const {
    for (const State &s : states_)
      if (s.reached.count(v)) return true;
    return false;
  }

  // rule: RED-LAW -- empty if the assignment is a step, else why not.
  std::string step_refused(const Op &assign) {
    const ValueId value = assign.operands[0];
    const OpId def = p_.values[value].op;
    if (assign.operands.size() < 2) return "it is overwritten";
    const ValueId before = assign.operands[1];
    if (!def.valid() || !s_.reached.count(value)) return "it is overwritten";
    const Op &op = p_.ops[def];
    if (!is_merge(op.kind)) return "it is updated by " + name_of(op.kind) + ", which is no merge";
    std::size_t current = 0;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const bool accumulates = op.kind != OpKind::mma || i == 2;
      if (op.operands[i] == before && accumulates)
        ++current;
      else if (from_state(op.operands[i]))
        return "what " + name_of(op.kind) + " merges into it depends on a state of the reduce";
    }
    if (current != 1) return "what " + name_of(op.kind) + " merges into it is the state itself";
    if (uses_.of(value).size() != 1) return "the value that becomes the state is used elsewhere, too";
    const OpKind merge = op.kind;
    if (merge_ && *merge_ != merge) {
      // An accumulation merges by `+`, too.
      auto plus = [](OpKind k) { return k == OpKind::add || k == OpKind::mma; };
      if (!plus(merge) || !plus(*merge_))
        return "it is merged by " + name_of(*merge_) + " and by " + name_of(merge);
      merge_ = OpKind::add;
    } else {
      merge_ = merge;
    }
    steps_.insert(def);
    return {};
  }

  void check_step(const Op &assign) {
    const std::string why = step_refused(assign);
    if (!why.empty()) not_steps_.insert({assign.results[0], why});
  }

  void refuse(const Op &op, std::string why) {
    if (!refusal_) refusal_ = Refusal{op.site, std::move(why)};
  }

  // A carry of the state goes in and comes out as one of its definitions.
  void check_yields(const Op &holder) {
    for (std::size_t i = 0; i < holder.carries.size(); ++i) {
      if (holder.carries[i] != s_.var) continue;
      for (RegionId region : holder.yielding_regions())
        if (!s_.definitions.count(p_.regions[region].yields[i])) refuse(holder, "it is overwritten");
    }
  }

  void check_occurrences(const Op &op, OpId id) {
    if (defines(op)) {
      if (auto at = not_steps_.find(op.results[0]); at != not_steps_.end()) refuse(op, at->second);
      return;
    }
    if (!op.regions.empty()) {
      for (VarId var : op.carries)
        if (var == s_.var && op.kind == OpKind::parallel) refuse(op, "it is updated inside a nested `parallel`");
      for (std::size_t i = 0; i < op.control_operand_count(); ++i)
        if (from_state(op.operands[i])) refuse(op, "a condition depends on a state of the reduce");
      for (std::size_t i = op.control_operand_count(); i < op.operands.size(); ++i)
        if (s_.definitions.count(op.operands[i]) != (op.carries[i - op.control_operand_count()] == s_.var))
          refuse(op, "it is carried under another name");
      check_yields(op);
      return;
    }
    if (steps_.count(id)) return;
    for (ValueId v : op.operands) {
      if (!s_.definitions.count(v)) continue;
      // Where its result becomes the state, the assignment says why it is no step.
      for (ValueId r : op.results)
        for (const Use &use : uses_.of(r))
          if (use.op.valid() && defines(p_.ops[use.op]) && use.index == 0) return;
      refuse(op, op.kind == OpKind::assign ? "it is copied" : "it is read by " + name_of(op.kind));
      return;
    }
  }

  const TileProgram &p_;
  const Uses &uses_;
  const std::vector<State> &states_;
  const State &s_;
  std::optional<OpKind> merge_;
  std::unordered_set<OpId> steps_;
  std::unordered_map<ValueId, std::string> not_steps_;
  std::optional<Refusal> refusal_;
};

// rule: RED-LAW -- the contract merges its states, so no other state may reach them.
std::optional<Refusal> contract_refused(const TileProgram &p, const Op &reduce, const ReductionAlgebra &algebra,
                                        const std::vector<State> &states, const State &state, bool unordered) {
  const std::size_t contract = *algebra.contract_of(state.var);
  if (unordered && !algebra.contracts[contract].commutative) return Refusal{reduce.site, "its contract is not commutative"};
  std::optional<Refusal> out;
  for_each_op(p, reduce.regions[0], [&](const Op &op, OpId) {
    if (op.kind != OpKind::assign || std::get<AssignAttr>(op.attr).var != state.var || out) return;
    for (const State &other : states)
      if (algebra.contract_of(other.var) != contract && other.reached.count(op.operands[0]))
        out = Refusal{op.site, "it depends on `" + p.variables[other.var].name + "`, a state outside its contract"};
  });
  return out;
}

} // namespace

void recognise(TileProgram &p, const Uses &uses, const Op &reduce, const std::vector<State> &states,
               const std::unordered_set<VarId> &blamed, Diagnostics &out) {
  ReductionAlgebra &algebra = p.algebras[std::get<LoopAttr>(reduce.attr).algebra];
  const bool strict = algebra.policy == ReductionPolicy::fold_left || algebra.policy == ReductionPolicy::fold_right;
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::optional<Refusal> refusal;
    const char *help = "the strongest policy that is legal here is `fold_left`; a tree needs `s = s + c` with a `c` "
                       "that uses no state, or a contract";
    const bool contracted = algebra.contract_of(states[i].var).has_value();
    if (contracted) {
      const bool unordered = algebra.policy == ReductionPolicy::unordered_tree;
      refusal = contract_refused(p, reduce, algebra, states, states[i], unordered);
      if (refusal && refusal->site == reduce.site) help = "the strongest policy that is legal here is `ordered_tree`";
      if (!refusal || rule_broken(Rule::red_law)) continue;
    } else {
      Law law(p, uses, states, states[i]);
      algebra.states[i].merge = law.recognise(reduce);
      if (rule_broken(Rule::red_law)) algebra.states[i].merge = OpKind::add;
      if (algebra.states[i].merge) continue;
      refusal = law.refusal().value_or(Refusal{reduce.site, "it is never merged"});
    }
    if (strict || blamed.count(states[i].var)) continue;
    const std::string policy(to_string(algebra.policy));
    out.emplace_back(Code::T0305, p.site(refusal->site),
                     std::vector<std::pair<std::string, std::string>>{
                         {"var", p.variables[states[i].var].name}, {"policy", policy}, {"why", refusal->why}},
                     help);
    out.back().also(p.site(reduce.site), "the reduce");
  }
}

} // namespace tilenest::reduction_detail
