// SPDX-License-Identifier: Apache-2.0
// Opens the CPU engine and says how that went: a process of its own for the tests of the loader.
#include "lower/cpu/load.h"
#include <cstdio>

int main() {
  const tilenest::Result<tilenest::cpu::CpuEngine *> engine = tilenest::cpu::load_engine();
  if (engine) std::puts("loaded");
  else std::printf("%s: %s\n", engine.errors()[0].info().code, engine.errors()[0].message().c_str());
}
