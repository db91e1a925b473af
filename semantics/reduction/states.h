// SPDX-License-Identifier: Apache-2.0
// Where the states of one reduce region go: uses of every value, the definitions of a state inside the body, and
// what is computed from it. Private to reduction/.
#pragma once
#include "semantics/program/program.h"
#include <unordered_set>

namespace tilenest::reduction_detail {

struct Use {
  OpId op;         // an operand of this operation, or
  RegionId region; // a yield of this region
  std::size_t index = 0;
};

class Uses {
public:
  explicit Uses(const TileProgram &program);
  const std::vector<Use> &of(ValueId v) const { return uses_[v]; }

private:
  IdVector<ValueId, std::vector<Use>> uses_;
};

// One state of one reduce.
struct State {
  VarId var;
  std::unordered_set<ValueId> definitions; // the body's argument and every definition of `var` in the body
  std::unordered_set<ValueId> reached;     // those and everything computed from them in the body
};

std::vector<State> states_of(const TileProgram &program, const Uses &uses, const Op &reduce);

// RED-EFF: the states that a forbidden use was found of. Operations in `reported` are not reported again.
std::unordered_set<VarId> check_effects(const TileProgram &program, const Op &reduce,
                                        const std::vector<State> &states, std::unordered_set<OpId> &reported,
                                        Diagnostics &out);
// RED-LAW, for each state by itself; fills `merge`. Refusals of the states in `blamed` are not reported.
void recognise(TileProgram &program, const Uses &uses, const Op &reduce, const std::vector<State> &states,
               const std::unordered_set<VarId> &blamed, Diagnostics &out);

} // namespace tilenest::reduction_detail
