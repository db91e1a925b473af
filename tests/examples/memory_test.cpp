// SPDX-License-Identifier: Apache-2.0
// What a run needs beside its arguments: the peak resident memory of the command line as a child process.
#include "tests/examples/process.h"
#include <catch2/catch.hpp>

using namespace tilenest::examples;

namespace {

[[maybe_unused]] constexpr std::size_t mebibyte = std::size_t{1} << 20;

void check_peak(const std::string &name, const std::string &shape, std::size_t arguments) {
  const std::string file = std::string(TILENEST_SOURCE_DIR) + "/examples/" + name + ".tile";
  const Ended run = run_tilenest({"run", file, "--shape", shape, "--random", "1", "--unchecked"});
  INFO(name << " " << shape << ": " << run.peak / 1024 << " KiB, of which arguments " << arguments / 1024 << " KiB");
  CHECK(run.status == 0);
  CHECK(run.peak > arguments); // the arrays were there
#ifndef TILENEST_NO_MEMORY_BOUND
  CHECK(run.peak <= arguments + 64 * mebibyte);
#endif
}

} // namespace

TEST_CASE("a run without checks needs its arguments and at most 64 MiB", "[examples]") {
  check_peak("gemm", "M=512,N=512,K=512", 3 * 512 * 512 * sizeof(float));
  check_peak("gemm_memories", "M=512,N=512,K=512", 3 * 512 * 512 * sizeof(float));
  check_peak("gemm_outer_accumulator", "M=512,N=512,K=512", 3 * 512 * 512 * sizeof(float));
  // The updates of all steps that the lanes share are not kept.
  check_peak("gemm_outer_accumulator", "M=32,N=32,K=200000", (2 * std::size_t{32} * 200000 + 32 * 32) * sizeof(float));
  check_peak("flash_attention", "H=8,S=512,D=64", std::size_t{4} * 8 * 512 * 64 * sizeof(float));
  check_peak("softmax", "M=1000,N=3000", std::size_t{2} * 1000 * 3000 * sizeof(float));
  check_peak("bias_gelu_residual", "M=300,N=1000", (std::size_t{3} * 300 * 1000 + 1000) * sizeof(float));
  check_peak("assemble_tile", "M=2000,N=2000", std::size_t{2} * 2000 * 2000 * sizeof(float));
  check_peak("two_phases", "N=4000000", std::size_t{3} * 4000000 * sizeof(float));
  check_peak("histogram", "N=4000000,B=1000", std::size_t{4000000 + 1000} * sizeof(int));
  check_peak("four_regions", "C=100,T=100,K=64", std::size_t{100 * 64 + 100 * 64 + 100 + 100 * 100} * sizeof(float));
  check_peak("neighbour_exchange", "M=20,N=200", std::size_t{2} * 20 * 200 * sizeof(int));
}
