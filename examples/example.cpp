// SPDX-License-Identifier: Apache-2.0
// The shared part of the C++ examples.
#include "examples/example.h"
#include "semantics/program/commuting_order.h"
#include "semantics/program/equality.h"
#include "semantics/program/single_definition.h"
#include "semantics/text/parser.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace example {

namespace {

[[noreturn]] void refuse(const tilenest::Diagnostics &diagnostics) {
  std::fputs(tilenest::render_text(diagnostics).c_str(), stderr);
  std::exit(1);
}

// A predicate in C++ takes every coordinate of its domain, one in text those that it names: what is left unused goes.
void drop_unused_coordinates(tilenest::TileProgram &program) {
  std::vector<bool> used(program.values.size(), false);
  for (const tilenest::Op &op : program.ops)
    for (tilenest::ValueId v : op.operands) used[v.index] = true;
  for (tilenest::Region &region : program.regions)
    std::erase_if(region.ops, [&](tilenest::OpId id) {
      const tilenest::Op &op = program.ops[id];
      return op.kind == tilenest::OpKind::iota && !used[op.results[0].index];
    });
}

// A kernel in C++ and its text twin capture to equal programs, but for what C++ leaves open: the order in which it
// evaluates operands, and which names are no more than names of values.
tilenest::TileProgram comparable(tilenest::TileProgram program) {
  drop_unused_coordinates(program);
  tilenest::drop_single_definitions(program);
  tilenest::order_commuting_operations(program);
  return program;
}
void compare_with_twin(const tilenest::TileProgram &program) {
  const std::string path = TILENEST_SOURCE_DIR "/examples/" + program.name + ".tile";
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const tilenest::ParsedFile twin = tilenest::parse_text(path, text.str());
  if (tilenest::has_error(twin.diagnostics)) refuse(twin.diagnostics);
  std::string difference = "there is no such kernel";
  if (twin.kernels.size() != 1 || !equal(comparable(program), comparable(twin.kernels[0]), &difference)) {
    std::fprintf(stderr, "%s: not the program of examples/%s.tile: %s\n", program.name.c_str(), program.name.c_str(),
                 difference.c_str());
    std::exit(1);
  }
  std::printf("%s: the same program as examples/%s.tile\n", program.name.c_str(), program.name.c_str());
}

} // namespace

std::vector<f32> random_values(std::size_t n, std::uint64_t seed) {
  std::vector<f32> out(n);
  std::uint64_t state = seed * 2654435769u + 1;
  for (f32 &v : out) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<f32>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31f;
  }
  return out;
}

Executable prepared(tilenest::Result<tilenest::TileProgram> program) {
  if (!program.ok()) refuse(program.errors());
  compare_with_twin(*program);
  auto executable = Executable::make(std::move(*program));
  if (!executable.ok()) refuse(executable.errors());
  return std::move(*executable);
}

void Judgement::clean(const tilenest::RunResult &r) {
  if (!tilenest::has_error(r.diagnostics)) return;
  std::fputs(tilenest::render_text(r.diagnostics).c_str(), stderr);
  ++wrong_;
}

void Judgement::element(double found, double expected, double bound) {
  const double error = std::fabs(found - expected);
  ++elements_;
  if (!(error <= bound) && ++wrong_ <= 5)
    std::fprintf(stderr, "%s: element %zu is %.9g, expected %.9g within %.3g\n", what_.c_str(), elements_ - 1, found,
                 expected, bound);
  if (bound > 0) worst_ = std::max(worst_, error / bound);
}

int Judgement::report() const {
  std::printf("%s: %zu of %zu elements as the formula says; greatest error %.3f of its bound\n", what_.c_str(),
              elements_ - wrong_, elements_, worst_);
  return wrong_ == 0 && elements_ > 0 ? 0 : 1;
}

int check_gemm(const Executable &gemm) {
  Judgement judgement(gemm.program().name);
  const int shapes[][3] = {{127, 61, 95}, {32, 32, 16}, {1, 1, 1}, {33, 65, 17}, {7, 5, 0}, {0, 9, 4}};
  for (const auto &[M, N, K] : shapes) {
    const auto a = random_values(M * K, 1), b = random_values(K * N, 2);
    std::vector<f32> c(M * N);
    judgement.clean(tilenest::run(gemm, tilenest::array(a, M, K), tilenest::array(b, K, N),
                                  tilenest::undefined(tilenest::array(c, M, N))));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0, magnitude = 0;
        for (int k = 0; k < K; ++k) {
          sum += double(a[i * K + k]) * b[k * N + j];
          magnitude += std::fabs(double(a[i * K + k]) * b[k * N + j]);
        }
        judgement.element(c[i * N + j], sum, dot_bound(K, magnitude));
      }
  }
  return judgement.report();
}

} // namespace example
