// SPDX-License-Identifier: Apache-2.0
// What a plan runs on and what a run says: shared by the plan interpreter and the backends. Plain data.
#pragma once
#include "semantics/diag/diagnostic.h"
#include "semantics/program/program.h"
#include <cstdint>
#include <vector>

namespace tilenest::plan {

// One argument's storage. `data` is the element at coordinate 0; of a 4-bit type that is the low half of its byte.
struct Argument {
  void *data = nullptr;
  std::vector<std::int64_t> strides; // in elements of its type; empty: row-major without gaps
  std::vector<std::int64_t> shape;
};

struct Arguments {
  std::vector<std::int64_t> params; // by ParamId
  std::vector<Argument> arguments;  // in the order of the signature
};

// Failed asserts: A0001, once per assert with the count of false lanes, in the order of the plan's operations; without
// a site, which a plan does not know.
struct Outcome {
  Diagnostics diagnostics;
  std::vector<OpId> sources; // per diagnostic: the operation of the program that it comes from, or invalid
};

} // namespace tilenest::plan
