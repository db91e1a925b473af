// SPDX-License-Identifier: Apache-2.0
// Parsing, judging, binding, lowering and compiling in one go.
#include "bench/compiled_kernel.h"
#include "interp/executor.h"
#include "lower/cpu/load.h"
#include "lower/lower.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/program/bind.h"
#include "semantics/text/parser.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tilenest_bench {

using namespace tilenest;

namespace {

[[noreturn]] void fail(const Diagnostics &diagnostics) {
  std::fprintf(stderr, "%s", render_text(diagnostics).c_str());
  std::exit(1);
}

double seconds_of(const std::function<void()> &f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

std::string example(const std::string &name) {
  std::ifstream in(std::string(TILENEST_SOURCE_DIR "/examples/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

CompiledKernel::CompiledKernel(const std::string &text, const std::map<std::string, std::int64_t> &extents) {
  ParsedFile file = parse_text("bench.tile", text);
  if (has_error(file.diagnostics)) fail(file.diagnostics);
  const Diagnostics judged = judge(file.kernels.at(0));
  if (has_error(judged)) fail(judged);
  const auto program = std::make_shared<const TileProgram>(std::move(file.kernels[0]));
  const Result<BoundProgram> bound = tilenest::bind(program, {}, extents);
  if (!bound) fail(bound.errors());
  arguments_.params = bound->params;
  unsigned seed = 1;
  for (ObjectId id : program->arguments) {
    plan::Argument a;
    std::size_t n = 1;
    for (const Extent &e : program->objects[id].shape) a.shape.push_back(bound->extent(e)), n *= static_cast<std::size_t>(a.shape.back());
    data.emplace_back(n);
    for (float &x : data.back()) x = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 8) * 0x1p-23f - 1;
    a.data = data.back().data();
    arguments_.arguments.push_back(a);
  }
  compile_ms = 1e3 * seconds_of([&] {
    const Result<plan::Plan> lowered = lower(*program);
    if (!lowered) fail(lowered.errors());
    const Result<cpu::CpuEngine *> engine = cpu::load_engine();
    if (!engine) fail(engine.errors());
    cpu::CpuOptions options;
    options.no_cache = true;
    auto compiled = (*engine)->compile(*lowered, options);
    if (!compiled) fail(compiled.errors());
    code_ = std::move(*compiled);
  });
}

void CompiledKernel::run(std::size_t threads) const {
  const auto outcome = code_->run(arguments_, {threads, executor_detail::run});
  if (!outcome) fail(outcome.errors());
}

std::vector<double> in_turns(int rounds, const std::vector<std::function<void()>> &sides) {
  std::vector<double> least(sides.size(), 1e30);
  for (int i = 0; i < rounds; ++i)
    for (std::size_t k = 0; k < sides.size(); ++k) least[k] = std::min(least[k], seconds_of(sides[k]));
  return least;
}

double largest_difference(const std::vector<float> &a, const std::vector<float> &b) {
  double worst = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, static_cast<double>(std::fabs(a[i] - b[i])));
  return worst;
}

} // namespace tilenest_bench
