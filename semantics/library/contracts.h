// SPDX-License-Identifier: Apache-2.0
// The contracts that the library ships: declared merges for states that people keep in a reduce (RED-LAW), by name in
// both front ends. The body of the reduce stays the meaning; a contract lets a tree policy merge partial results.
#pragma once
#include "semantics/program/builder.h"
#include <span>
#include <string_view>

namespace tilenest::library {

struct Contract {
  const char *name;
  const char *states;  // what they are called in the documentation: "n, mean, m2"
  std::size_t arity;
  // Captures the merge's result of states of the left and of the right operand.
  std::vector<Operand> (*merge)(Builder &, std::span<const ValueId> left, std::span<const ValueId> right);
  std::vector<Operand> (*identity)(Builder &, std::span<const VarId> states);
  const char *(*refused)(const TileProgram &, std::span<const VarId> states); // why these states do not fit, or null
  const char *summary; // one line
  const char *types;   // of the states, and what is refused
  const char *example; // a kernel on one line; a test runs it
};

std::span<const Contract> contracts();
const Contract *find_contract(std::string_view name);

// The contract of the reduce that was begun last, for these states. Errors: T0307, states that do not fit.
void declare(Builder &b, const Contract &contract, std::vector<VarId> states);

} // namespace tilenest::library
