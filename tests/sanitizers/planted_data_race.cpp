// SPDX-License-Identifier: Apache-2.0
// A planted fault: the bodies of a parallel loop count in one plain integer. The thread sanitizer must report it.
#include "interp/executor.h"
#include <cstdio>

int main() {
  tilenest::set_thread_count(4);
  long count = 0;
  tilenest::parallel_for(100000, 1, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) count = count + 1;
  });
  std::printf("%ld\n", count);
}
