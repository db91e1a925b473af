// SPDX-License-Identifier: Apache-2.0
// A planted fault: reads one element past a heap allocation. The address sanitizer must report it.
#include <cstdio>
#include <vector>

int main(int argc, char **) {
  std::vector<int> values(static_cast<std::size_t>(argc) + 7, 1);
  const volatile int *first = values.data();
  std::printf("%d\n", first[values.size()]);
}
