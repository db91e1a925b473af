// SPDX-License-Identifier: Apache-2.0
// One interface for all that runs a bound program on buffers: `interp`, the reference; `plan`, the lowered program run by
// the plan interpreter; `cpu`, the plan as machine code. Only the reference reports violations; another engine does what it likes with a program that has
// one, but it writes nothing outside the arguments where the bounds policy is `zero`.
#pragma once
#include "compile/compiled_plan.h"
#include <memory>
#include <string>
#include <vector>

namespace tilenest::conformance {

struct EngineOptions : CompileOptions { // not strict: any member of the admitted set
  std::uint64_t order = 0; // plan: another order of instances per number, 0 the reference's
};

class Engine {
public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  // `buffers` in the order of program.arguments. Errors and failed assertions; N0001 for what it does not run.
  virtual Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const = 0;
};

// The engines there are, in the order of their distance from the source: "interp", "plan", "cpu".
std::vector<std::string> engine_names();
// Null for another name.
std::unique_ptr<Engine> find_engine(const std::string &name);

} // namespace tilenest::conformance
