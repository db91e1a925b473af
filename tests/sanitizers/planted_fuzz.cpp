// SPDX-License-Identifier: Apache-2.0
// A planted fault: input that begins with "TILE" is read one byte past its end. The fuzzer must find it.
#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::vector<std::uint8_t> copy(data, data + size);
  const volatile std::uint8_t *first = copy.data();
  if (size >= 4 && data[0] == 'T' && data[1] == 'I' && data[2] == 'L' && data[3] == 'E') (void)first[size];
  return 0;
}
