// SPDX-License-Identifier: Apache-2.0
// Asks the system for the size of its memory, once.
#include "interp/memory_budget.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <unistd.h>

namespace tilenest {

namespace {

std::size_t measured_limit() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  std::size_t limit = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                                            : std::size_t{1} << 32;
  if (std::FILE *group = std::fopen("/sys/fs/cgroup/memory.max", "r")) { // "max" where there is no limit
    unsigned long long bytes = 0;
    if (std::fscanf(group, "%llu", &bytes) == 1 && bytes > 0) limit = std::min<std::size_t>(limit, bytes);
    std::fclose(group);
  }
  return limit / 4 * 3;
}

} // namespace

std::size_t default_memory_limit() {
  static const std::size_t limit = measured_limit();
  return limit;
}

} // namespace tilenest
