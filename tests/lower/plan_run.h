// SPDX-License-Identifier: Apache-2.0
// Plans on vectors: what the tests of the interpreter share.
#pragma once
#include "lower/interpret.h"
#include "tests/lower/plan_text.h"
#include <cstring>
#include <vector>

namespace tilenest {

// One argument on a vector, row-major without gaps; the shape is the vector's length where none is given.
template <class T> plan::Argument on(std::vector<T> &data, std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(data.size())};
  return {data.data(), {}, std::move(shape)};
}

// Runs a plan that must end without an error; what its asserts said, one per line.
inline std::string run_on(const plan::Plan &p, plan::Arguments arguments, const plan::InterpretOptions &options = {}) {
  const Result<plan::Outcome> outcome = plan::interpret(p, arguments, options);
  if (!outcome) return listed(outcome.errors());
  std::string out;
  for (const Diagnostic &d : outcome->diagnostics) {
    if (!out.empty()) out += "\n";
    out += d.message() + " (" + std::to_string(d.count) + ")";
  }
  return out;
}
inline std::string run_text(const std::string &text, plan::Arguments arguments, const plan::InterpretOptions &options = {}) {
  return run_on(good_plan(text), std::move(arguments), options);
}

} // namespace tilenest
