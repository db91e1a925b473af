// SPDX-License-Identifier: Apache-2.0
// A run of compiled code: the frame from the arguments, the scratch memory, the call, the outcome. Knows no LLVM.
#pragma once
#include "lower/cpu/runtime.h"

namespace tilenest::cpu {

using EntryPoint = void (*)(const Frame *);

// Errors as CompiledPlan::run has them.
Result<plan::Outcome> run_code(const plan::Plan &plan, const Tables &tables, EntryPoint entry,
                               const plan::Arguments &arguments, const RunOptions &options);

} // namespace tilenest::cpu
