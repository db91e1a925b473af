// SPDX-License-Identifier: Apache-2.0
// Opens the module of the CPU engine on first use. A build without LLVM has no module; then N1501 says so.
#pragma once
#include "lower/cpu/engine.h"

namespace tilenest::cpu {

// The process's engine, or N1501 with the reason. The module is sought beside the executable and in the library folder
// of the installation; TILENEST_CPU_MODULE, a path, goes before both. A found one stays open until the process ends.
Result<CpuEngine *> load_engine();
// One more place, behind those; before the engine is first loaded. For programs outside of the installation.
void add_module_place(const char *path);

} // namespace tilenest::cpu
