// SPDX-License-Identifier: Apache-2.0
// What a run needs beside its arguments: the peak resident memory of the command line as a child process, for
// every example at the sizes of the README's command and for some at sizes whose arguments are megabytes.
#include "tests/volume.h"
#include "semantics/text/parser.h"
#include "tests/examples/process.h"
#include "tests/examples/readme.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <tilenest/run.h> // before Catch2, whose macros have names of the table of operations

using namespace tilenest;
using namespace tilenest::examples;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// The words of `tilenest run`.
void check_run(std::vector<std::string> words, std::size_t arguments) {
  words.insert(words.begin(), "run");
  words.push_back("--unchecked");
  const Ended run = run_tilenest(words);
  INFO(words[1] << ": " << run.peak / 1024 << " KiB, of which arguments " << arguments / 1024 << " KiB");
  CHECK(run.status == 0);
  CHECK(run.peak > arguments); // the arrays were there
  CHECK(run.peak <= arguments + 64 * mebibyte);
}

void check_peak(const std::string &name, const std::string &shape, std::size_t arguments) {
  check_run(
      {std::string(TILENEST_SOURCE_DIR) + "/examples/" + name + ".tile", "--shape", shape, "--random", "1"},
      arguments);
}

// The bytes of all arguments of the file's kernel under `M=45,N=70`.
std::size_t argument_bytes(const std::string &file, const std::string &shape) {
  std::ifstream in(TILENEST_SOURCE_DIR "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  const ParsedFile parsed = parse_text(file, text.str());
  REQUIRE(parsed.kernels.size() == 1);
  const TileProgram &p = parsed.kernels[0];
  std::map<std::string, std::int64_t> given;
  std::istringstream items(shape);
  for (std::string item; std::getline(items, item, ',');)
    given[item.substr(0, item.find('='))] = std::stoll(item.substr(item.find('=') + 1));
  std::size_t total = 0;
  for (ObjectId id : p.arguments) {
    std::size_t bits = static_cast<std::size_t>(bit_width(p.objects[id].elem));
    for (const Extent &e : p.objects[id].shape) {
      const auto n =
          e.evaluate([&](ParamId q) -> std::optional<std::int64_t> { return given.at(p.params[q].name); });
      REQUIRE(n.has_value());
      bits *= static_cast<std::size_t>(*n);
    }
    total += bits / 8;
  }
  return total;
}

} // namespace

TEST_CASE("the README's run of every example needs its arguments and at most 64 MiB without checks",
          "[examples]" TILENEST_LONG) {
  const std::vector<Row> rows = readme_rows();
  CHECK(!rows.empty());
  for (const Row &row : rows) {
    INFO(row.name);
    const auto shape = std::find(row.words.begin(), row.words.end(), "--shape");
    REQUIRE(row.words.end() - shape > 1);
    check_run(row.words, argument_bytes(row.words[0], shape[1]));
  }
}

TEST_CASE("a run without checks needs its arguments and at most 64 MiB", "[examples]" TILENEST_LONG) {
  check_peak("gemm", "M=512,N=512,K=512", 3 * 512 * 512 * sizeof(float));
  check_peak("gemm_memories", "M=512,N=512,K=512", 3 * 512 * 512 * sizeof(float));
  check_peak("gemm_outer_accumulator", "M=512,N=512,K=512", 3 * 512 * 512 * sizeof(float));
  // The updates of all steps that the lanes share are not kept.
  check_peak("gemm_outer_accumulator", "M=32,N=32,K=200000",
             (2 * std::size_t{32} * 200000 + 32 * 32) * sizeof(float));
  check_peak("flash_attention", "H=8,S=512,D=64", std::size_t{4} * 8 * 512 * 64 * sizeof(float));
  check_peak("softmax", "M=1000,N=3000", std::size_t{2} * 1000 * 3000 * sizeof(float));
  check_peak("bias_gelu_residual", "M=300,N=1000", (std::size_t{3} * 300 * 1000 + 1000) * sizeof(float));
  check_peak("assemble_tile", "M=2000,N=2000", std::size_t{2} * 2000 * 2000 * sizeof(float));
  check_peak("two_phases", "N=4000000", std::size_t{3} * 4000000 * sizeof(float));
  check_peak("histogram", "N=4000000,B=1000", std::size_t{4000000 + 1000} * sizeof(int));
  check_peak("four_regions", "C=100,T=100,K=64",
             std::size_t{100 * 64 + 100 * 64 + 100 + 100 * 100} * sizeof(float));
  check_peak("neighbour_exchange", "M=20,N=200", std::size_t{2} * 20 * 200 * sizeof(int));
  for (const auto &[name, shape] : std::vector<std::pair<std::string, std::string>>{
           {"rms_norm", "M=1000,N=3000"},
           {"row_statistics", "M=1000,N=3000"},
           {"layer_norm", "M=1000,N=3000"},
           {"cross_entropy", "M=1000,C=3000"},
           {"bf16_gemm", "M=512,N=512,K=512"},
           {"int8_gemm", "M=512,N=512,K=512"},
           {"black_scholes", "N=1000000"},
           {"scan", "N=4000000"},
           {"median_sobel", "H=1000,W=1500"},
           {"conv2d", "B=2,C=8,H=100,W=100,O=8,R=3,S=3,P=100,Q=100,stride=1,padding=1,dilation=1"},
           {"depthwise_pool", "B=2,C=8,H=200,W=400"},
           {"decode_attention", "H=8,S=20000,D=64"},
           {"segment_sum_ids", "G=1000,N=2000000"},
           {"fft_256", "B=2000"},
       })
    check_peak(name, shape, argument_bytes("examples/" + name + ".tile", shape));
}
