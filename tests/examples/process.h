// SPDX-License-Identifier: Apache-2.0
// The command line as a child process, and what it used.
#pragma once
#include <string>
#include <vector>

namespace tilenest::examples {

struct Ended {
  int status = -1;       // exit status, or 128 + signal
  std::size_t peak = 0;  // bytes of resident memory: the kernel's high-water mark, VmHWM while the process lived
  double seconds = 0;    // of processors, all threads together
};

// In the source folder; what it prints goes nowhere.
Ended run_tilenest(std::vector<std::string> words);

} // namespace tilenest::examples
