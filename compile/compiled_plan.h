// SPDX-License-Identifier: Apache-2.0
// One program, one way that its arguments lie: lowered, compiled, called. What compile() and the engine `cpu` share.
#pragma once
#include "compile/launch_plan.h"
#include "lower/cpu/load.h"

namespace tilenest {

struct CompileOptions {
  bool strict = false;     // the reference's grouping, no contraction, correctly rounded functions: its bits
  std::size_t threads = 0; // of a call; 0: the machine's
  int vector_bits = 0;     // 128, 256 or 512; 0: what suits the machine
  bool no_cache = false;   // compiled code is neither read from the cache on disk nor written to it
};

// Errors: N0001.
Result<plan::Plan> lower(const TileProgram &program, const ArgumentLayout &layout, const CompileOptions &options);

// Errors: N0001, L0301, L0303, class B.
Result<std::shared_ptr<cpu::CompiledPlan>> compile_plan(const TileProgram &program, const ArgumentLayout &layout,
                                                        const CompileOptions &options);

// Errors of the launch and failed assertions, with their sites in the program.
Diagnostics call(const TileProgram &program, const cpu::CompiledPlan &code, const plan::Arguments &arguments,
                 const CompileOptions &options);

} // namespace tilenest
