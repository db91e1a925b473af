// SPDX-License-Identifier: Apache-2.0
// Every f32 (or each STEP-th from OFFSET) through the CPU engine's fast elementary functions, against the f64 function of
// libm: the largest error in units of the exact result's last place, and where. Declared is one (the profile `cpu`).
//   fast_function_sweep [STEP [OFFSET [FUNCTION...]]]
#include "interp/executor.h"
#include "lower/cpu/load.h"
#include "lower/lower.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace tilenest;

[[noreturn]] void fail(const Diagnostics &diagnostics) {
  std::fprintf(stderr, "%s", render_text(diagnostics).c_str());
  std::exit(1);
}

struct Function {
  const char *name;
  double (*exact)(double);
};
const Function functions[] = {
    {"exp", std::exp},     {"exp2", std::exp2}, {"expm1", std::expm1}, {"log", std::log},   {"log2", std::log2},
    {"log1p", std::log1p}, {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},   {"tanh", std::tanh},
    {"sinh", std::sinh},   {"cosh", std::cosh}, {"erf", std::erf},     {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
};

std::unique_ptr<cpu::CompiledPlan> compiled(const std::string &function) {
  ParsedFile file = parse_text("sweep.tile", "kernel k(X: f32[N], Y: out f32[N]) {\n  axis b = ceil_div(N, 1024), n = 1024\n  parallel nest in [b] {\n    Y((nest.b * 1024), [n]).store(" + function + "(X[(nest.b * 1024), [n]]))\n  }\n}\n");
  if (has_error(file.diagnostics)) fail(file.diagnostics);
  const Diagnostics judged = judge(file.kernels.at(0));
  if (has_error(judged)) fail(judged);
  const Result<plan::Plan> plan = lower(file.kernels[0]);
  if (!plan) fail(plan.errors());
  const Result<cpu::CpuEngine *> engine = cpu::load_engine();
  if (!engine) fail(engine.errors());
  cpu::CpuOptions options;
  options.no_cache = true;
  auto code = (*engine)->compile(*plan, options);
  if (!code) fail(code.errors());
  return std::move(*code);
}

// In units of the last place of the exact result as an f32: 2^-149 below the normal numbers, and the largest's above.
double error_of(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isnan(got)) return HUGE_VAL;
  const auto rounded = static_cast<float>(exact);
  if (got == rounded) return got == 0 && std::signbit(got) != std::signbit(rounded) ? HUGE_VAL : std::isinf(got) ? 0 : std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, std::clamp(std::ilogb(exact == 0 ? 0x1p-149 : exact), -126, 127) - 23);
  const double unit = std::ldexp(1.0, std::clamp(std::ilogb(exact), -126, 127) - 23);
  if (std::isinf(exact)) return HUGE_VAL;
  return std::fabs((std::isinf(got) ? std::copysign(0x1p128, got) : static_cast<double>(got)) - exact) / unit;
}

} // namespace

int main(int argc, char **argv) {
  const std::uint64_t step = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1, offset = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::size_t chunk = 1 << 20;
  std::vector<float> x(chunk), y(chunk);
  int status = 0;
  for (const Function &f : functions) {
    if (argc > 3 && std::find(argv + 3, argv + argc, std::string(f.name)) == argv + argc) continue;
    const auto code = compiled(f.name);
    const auto begin = std::chrono::steady_clock::now();
    double worst = 0, code_seconds = 0;
    float where = 0;
    std::uint64_t count = 0, beyond = 0;
    for (std::uint64_t first = offset; first < std::uint64_t{1} << 32;) {
      std::size_t n = 0;
      for (; n < chunk && first < std::uint64_t{1} << 32; ++n, first += step) x[n] = std::bit_cast<float>(static_cast<std::uint32_t>(first));
      plan::Arguments arguments;
      arguments.params = {static_cast<std::int64_t>(n)};
      arguments.arguments = {{x.data(), {}, {static_cast<std::int64_t>(n)}}, {y.data(), {}, {static_cast<std::int64_t>(n)}}};
      const auto before = std::chrono::steady_clock::now();
      if (const auto outcome = code->run(arguments); !outcome) fail(outcome.errors());
      code_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
      for (std::size_t i = 0; i < n; ++i) {
        const double error = error_of(y[i], f.exact(x[i]));
        beyond += error > 1;
        if (error > worst) worst = error, where = x[i];
      }
      count += n;
    }
    std::printf("%-6s %10llu inputs, largest error %.4f at %a, %llu beyond 1, %.0f Melem/s, %.0f s\n", f.name, static_cast<unsigned long long>(count), worst, static_cast<double>(where),
                static_cast<unsigned long long>(beyond), static_cast<double>(count) / code_seconds * 1e-6, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    std::fflush(stdout);
    status |= beyond > 0;
  }
  return status;
}
