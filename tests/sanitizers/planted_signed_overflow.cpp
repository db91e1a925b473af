// SPDX-License-Identifier: Apache-2.0
// A planted fault: a signed sum that overflows. The undefined behaviour sanitizer must report it.
#include <climits>
#include <cstdio>

int main(int argc, char **) {
  volatile int greatest = INT_MAX;
  std::printf("%d\n", greatest + argc);
}
