// SPDX-License-Identifier: Apache-2.0
// Chapter 9: the contraction kernel against Eigen, rows of primitives, elementary functions.
#include "semantics/numerics/contract_kernels.h"
#include "semantics/numerics/row_kernels.h"
#include <benchmark/benchmark.h>
#include <string>
#include <vector>

using namespace tilenest;

namespace tilenest_bench {
void product_same_flags(float *c, const float *a, const float *b, int n);
void product_native(float *c, const float *a, const float *b, int n);
} // namespace tilenest_bench

namespace {

template <class F> void contraction(benchmark::State &state, F product) {
  const int n = static_cast<int>(state.range(0));
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<float> a(size, 1.001f), b(size, 0.999f), c(size, 0.0f);
  for (auto _ : state) {
    product(c.data(), a.data(), b.data(), n);
    benchmark::DoNotOptimize(c.data());
  }
  state.counters["flop/s"] = benchmark::Counter(2.0 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

void contraction_ours(benchmark::State &state) {
  contraction(state, [](float *c, const float *a, const float *b, int n) {
    const auto size = static_cast<std::size_t>(n);
    accumulate_products(ScalarType::f32, size, size, size, c, n, a, n, 1, b, n);
  });
}
void contraction_eigen_same_flags(benchmark::State &state) { contraction(state, tilenest_bench::product_same_flags); }
void contraction_eigen_native(benchmark::State &state) { contraction(state, tilenest_bench::product_native); }
BENCHMARK(contraction_ours)->Arg(32)->Arg(128);
BENCHMARK(contraction_eigen_same_flags)->Arg(32)->Arg(128);
BENCHMARK(contraction_eigen_native)->Arg(32)->Arg(128);

void row(benchmark::State &state, Primitive p, ScalarType operand, ScalarType result) {
  constexpr std::size_t n = 1024;
  std::vector<double> left(n), right(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    // The same small numbers in every float type's bits: 0x3c.. to 0x3e.. is about 1.
    auto *l = reinterpret_cast<unsigned char *>(left.data()), *r = reinterpret_cast<unsigned char *>(right.data());
    for (std::size_t k = 0; k < 8; ++k) {
      l[i * 8 + k] = static_cast<unsigned char>(0x3c + (i + k) % 3);
      r[i * 8 + k] = static_cast<unsigned char>(0x3c + (i * 5 + k) % 3);
    }
  }
  const RowOperand operands[] = {{left.data(), 1}, {right.data(), 1}, {left.data(), 1}};
  const RowKernel kernel = find_row_kernel(p, operand, result);
  for (auto _ : state) {
    kernel(n, out.data(), operands, {});
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(n));
}

const int registered = [] {
  for (const ScalarType type : {ScalarType::f32, ScalarType::bf16, ScalarType::f64})
    for (const Primitive p : {Primitive::add, Primitive::max, Primitive::fma, Primitive::exp, Primitive::tanh, Primitive::erf})
      benchmark::RegisterBenchmark((std::string(to_string(p)) + "/" + std::string(to_string(type))).c_str(),
                                   [p, type](benchmark::State &s) { row(s, p, type, type); });
  benchmark::RegisterBenchmark("cast/f32/bf16", [](benchmark::State &s) { row(s, Primitive::cast, ScalarType::f32, ScalarType::bf16); });
  return 0;
}();

} // namespace

BENCHMARK_MAIN();
