// SPDX-License-Identifier: Apache-2.0
// Well-typed random programs (a seed from the input) through judging, binding and the machine, both ways.
#include "tests/fuzz/both_ways.h"
#include "tests/text/random_program.h"
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::uint64_t seed = 0;
  if (size > 0) std::memcpy(&seed, data, size < sizeof seed ? size : sizeof seed);
  tilenest::Result<tilenest::TileProgram> program = tilenest::random_program(seed);
  if (program.ok()) judge_bind_and_run(std::move(*program));
  return 0;
}
