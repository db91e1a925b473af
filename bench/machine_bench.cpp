// SPDX-License-Identifier: Apache-2.0
// The machine against its yardsticks: f32 GEMM against Eigen (same flags, and for this machine), a leaf nest of
// scalars, the time from text to a bound program. Read ratios, not times: run all rows in one process.
#include "interp/run.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <atomic>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

namespace tilenest_bench {
void product_same_flags(float *c, const float *a, const float *b, int n);
void product_native(float *c, const float *a, const float *b, int n);
} // namespace tilenest_bench

namespace {
std::atomic<std::uint64_t> allocations{0};
}
void *operator new(std::size_t n) {
  ++allocations;
  if (void *p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }

namespace {

using namespace tilenest;

std::string file_text(const std::string &name) {
  std::ifstream in(std::string(TILENEST_SOURCE_DIR "/examples/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::shared_ptr<const TileProgram> judged(const std::string &name, const std::string &text) {
  ParsedFile f = parse_text(name, text);
  if (f.kernels.empty() || has_error(f.diagnostics) || has_error(judge(f.kernels[0]))) std::abort();
  return std::make_shared<TileProgram>(std::move(f.kernels[0]));
}

// Row-major f32 arrays of the bound program's arguments, filled with small values.
struct Arrays {
  std::vector<std::vector<float>> data;
  std::vector<Buffer> buffers;
  explicit Arrays(const BoundProgram &b) {
    for (ObjectId id : b.program->arguments) {
      std::vector<std::int64_t> shape;
      std::int64_t n = 1;
      for (const Extent &e : b.program->objects[id].shape) {
        shape.push_back(b.extent(e));
        n *= shape.back();
      }
      std::vector<std::int64_t> strides(shape.size());
      std::int64_t s = 4;
      for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = s;
        s *= shape[i];
      }
      data.emplace_back(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < data.back().size(); ++i) data.back()[i] = static_cast<float>(i % 17) * 0.25f - 2;
      buffers.push_back({data.back().data(), shape, strides, b.program->objects[id].access != ArgumentAccess::out});
    }
  }
};

BoundProgram bound(const std::string &name, const std::string &text,
                   const std::map<std::string, std::int64_t> &named) {
  auto b = bind(judged(name, text), {}, named);
  if (!b.ok()) std::abort();
  return *b;
}

void run_once(benchmark::State &state, const BoundProgram &b, const Arrays &arrays, bool checked) {
  RunOptions options;
  options.checked = checked;
  options.threads = 1;
  const RunResult r = run(b, arrays.buffers, options);
  if (has_error(r.diagnostics)) state.SkipWithError("the run reported errors");
}

void gemm(benchmark::State &state, bool checked) {
  const std::int64_t n = state.range(0), k = state.range(1);
  std::string text = file_text("gemm.tile");
  if (const auto at = text.find("ceil_div(K, 16)"); at != std::string::npos) text.replace(at, 15, "ceil_div(K, 32)");
  if (const auto at = text.find("k = 16"); at != std::string::npos) text.replace(at, 6, "k = 32");
  if (const auto at = text.find("step.kt * 16"); at != std::string::npos) text.replace(at, 12, "step.kt * 32");
  if (const auto at = text.find("step.kt * 16"); at != std::string::npos) text.replace(at, 12, "step.kt * 32");
  const BoundProgram b = bound("gemm.tile", text, {{"M", n}, {"N", n}, {"K", k}});
  const Arrays arrays(b);
  run_once(state, b, arrays, checked);
  const std::uint64_t before = allocations;
  std::uint64_t runs = 0;
  for (auto _ : state) {
    run_once(state, b, arrays, checked);
    ++runs;
  }
  state.counters["new/run"] = static_cast<double>(allocations - before) / static_cast<double>(runs);
  state.counters["FLOP"] = benchmark::Counter(2.0 * n * n * k, benchmark::Counter::kIsIterationInvariantRate);
}

template <void (*Product)(float *, const float *, const float *, int)> void eigen(benchmark::State &state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f), c(n * n);
  for (auto _ : state) {
    Product(c.data(), a.data(), b.data(), n);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.counters["FLOP"] = benchmark::Counter(2.0 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

void leaf_nest(benchmark::State &state) {
  const BoundProgram b = bound("leaf", R"(kernel leaf(A: f32[M, N], B: out f32[M, N]) {
  axis i = M, j = N
  parallel p in [i, j] {
    x = A[p.i, p.j]
    B(p.i, p.j).store(max(x * 1.5 + 0.25, 0.0))
  }
})",
                               {{"M", 1024}, {"N", 1024}});
  const Arrays arrays(b);
  for (auto _ : state) run_once(state, b, arrays, false);
  state.SetItemsProcessed(state.iterations() * 1024 * 1024);
}

void text_to_bound(benchmark::State &state, const char *file, std::map<std::string, std::int64_t> named) {
  const std::string text = file_text(file);
  if (text.empty()) return state.SkipWithError("the example is not there");
  for (auto _ : state) benchmark::DoNotOptimize(bound(file, text, named).params.data());
}

BENCHMARK_CAPTURE(gemm, unchecked, false)->Args({512, 512})->Args({512, 256})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gemm, checked, true)->Args({512, 512})->Unit(benchmark::kMillisecond);
BENCHMARK(eigen<tilenest_bench::product_same_flags>)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(eigen<tilenest_bench::product_native>)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(leaf_nest)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(text_to_bound, gemm, "gemm.tile", {{"M", 64}, {"N", 64}, {"K", 64}})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(text_to_bound, flash_attention, "flash_attention.tile", {{"H", 8}, {"S", 512}, {"D", 64}})
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
