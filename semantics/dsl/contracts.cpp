// SPDX-License-Identifier: Apache-2.0
// Contracts of the library by name.
#include "semantics/dsl/contracts.h"
#include "semantics/library/contracts.h"

namespace tilenest::reduction {

Contract named(const char *name, std::vector<VarId> states) {
  const library::Contract &contract = *library::find_contract(name);
  return {[&contract, states = std::move(states)](Builder &b) { library::declare(b, contract, states); }};
}

} // namespace tilenest::reduction
