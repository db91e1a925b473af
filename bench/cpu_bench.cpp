// SPDX-License-Identifier: Apache-2.0
// The CPU engine against its peers: both sides of a ratio take turns, on the same arrays and as many threads, and the
// least time of each counts. Above 1.00 the engine is the faster one. `cpu_bench [ROUNDS]`.
#include "interp/executor.h"
#include "lower/cpu/load.h"
#include "lower/lower.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/program/bind.h"
#include "semantics/text/parser.h"
#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace tilenest;

[[noreturn]] void fail(const Diagnostics &diagnostics) {
  std::fprintf(stderr, "%s", render_text(diagnostics).c_str());
  std::exit(1);
}

std::string example(const std::string &name) {
  std::ifstream in(std::string(TILENEST_SOURCE_DIR "/examples/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

// A compiled kernel on row-major f32 arrays of values in [-1, 1).
struct Compiled {
  std::vector<std::vector<float>> data;
  plan::Arguments arguments;
  std::unique_ptr<cpu::CompiledPlan> code;
  double compile_ms = 0;

  Compiled(const std::string &text, const std::map<std::string, std::int64_t> &extents) {
    ParsedFile file = parse_text("bench.tile", text);
    if (has_error(file.diagnostics)) fail(file.diagnostics);
    const Diagnostics judged = judge(file.kernels.at(0));
    if (has_error(judged)) fail(judged);
    const auto program = std::make_shared<const TileProgram>(std::move(file.kernels[0]));
    const Result<BoundProgram> bound = tilenest::bind(program, {}, extents);
    if (!bound) fail(bound.errors());
    arguments.params = bound->params;
    unsigned seed = 1;
    for (ObjectId id : program->arguments) {
      plan::Argument a;
      std::size_t n = 1;
      for (const Extent &e : program->objects[id].shape) a.shape.push_back(bound->extent(e)), n *= static_cast<std::size_t>(a.shape.back());
      data.emplace_back(n);
      for (float &x : data.back()) x = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 8) * 0x1p-23f - 1;
      a.data = data.back().data();
      arguments.arguments.push_back(a);
    }
    const auto begin = std::chrono::steady_clock::now();
    const Result<plan::Plan> lowered = lower(*program);
    if (!lowered) fail(lowered.errors());
    const Result<cpu::CpuEngine *> engine = cpu::load_engine();
    if (!engine) fail(engine.errors());
    cpu::CpuOptions options;
    options.no_cache = true;
    auto compiled = (*engine)->compile(*lowered, options);
    if (!compiled) fail(compiled.errors());
    code = std::move(*compiled);
    compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
  void run(std::size_t threads) {
    const auto outcome = code->run(arguments, {threads, executor_detail::run});
    if (!outcome) fail(outcome.errors());
  }
};

double seconds_of(const std::function<void()> &f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Times {
  double ours = 1e30, peer = 1e30;
};
Times take_turns(int rounds, const std::function<void()> &ours, const std::function<void()> &peer) {
  Times t;
  for (int i = 0; i < rounds; ++i) {
    t.ours = std::min(t.ours, seconds_of(ours));
    t.peer = std::min(t.peer, seconds_of(peer));
  }
  return t;
}

void gemm(int rounds, const std::string &name, const std::string &text, std::int64_t m, std::int64_t n, std::int64_t k) {
  Compiled c(text, {{"M", m}, {"N", n}, {"K", k}});
  std::vector<float> result(static_cast<std::size_t>(m * n));
  for (std::size_t threads = 1; threads <= 2; ++threads) {
    openblas_set_num_threads(static_cast<int>(threads));
    const Times t = take_turns(rounds, [&] { c.run(threads); }, [&] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1,
                  c.data[0].data(), static_cast<int>(k), c.data[1].data(), static_cast<int>(n), 0, result.data(), static_cast<int>(n));
    });
    double worst = 0;
    for (std::size_t i = 0; i < result.size(); ++i) worst = std::max(worst, static_cast<double>(std::fabs(result[i] - c.data[2][i])));
    const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    std::printf("%-24s %zu threads  %5.2f of OpenBLAS  %7.1f GFLOP/s  (compiled in %.0f ms, differs by %.1e)\n", name.c_str(), threads, t.peer / t.ours,
                flops / t.ours * 1e-9, c.compile_ms, worst);
    std::fflush(stdout);
  }
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const std::string text = example("gemm.tile");
  gemm(rounds, "gemm 256", text, 256, 256, 256);
  gemm(rounds, "gemm 1024", text, 1024, 1024, 1024);
  gemm(rounds, "gemm 1000x1003x997", text, 1000, 1003, 997);
  gemm(rounds, "gemm 2048", text, 2048, 2048, 2048);
}
