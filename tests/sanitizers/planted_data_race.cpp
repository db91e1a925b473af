// SPDX-License-Identifier: Apache-2.0
// A planted fault: the bodies of a parallel loop count in one plain integer. The thread sanitizer must report it. Each of
// the two bodies waits for the other to begin, so that two threads run them, however busy the machine is; the waiting
// orders nothing.
#include "interp/executor.h"
#include <atomic>
#include <cstdio>
#include <thread>

int main() {
  tilenest::set_thread_count(2);
  std::atomic<int> begun{0};
  long count = 0;
  tilenest::parallel_for(2, 1, [&](std::size_t, std::size_t) {
    begun.fetch_add(1, std::memory_order_relaxed);
    while (begun.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) count = count + 1;
  });
  std::printf("%ld\n", count);
}
