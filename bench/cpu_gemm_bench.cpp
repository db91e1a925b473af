// SPDX-License-Identifier: Apache-2.0
// Products on the CPU engine: beside OpenBLAS on the same arrays with as many threads, other spellings beside the plain one, and
// 24 tile sizes beside each other. Sides take turns and the least time of each counts; above 1.00 the engine is the faster
// one. `cpu_gemm_bench [ROUNDS]`.
#include "bench/compiled_kernel.h"
#include <algorithm>
#include <cblas.h>
#include <cstdio>
#include <cstdlib>

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace tilenest_bench;

std::string gemm_text(int m, int n, int k) {
  const std::string tm = std::to_string(m), tn = std::to_string(n), tk = std::to_string(k);
  return "kernel gemm(A: f32[M, K], B: f32[K, N], C: out f32[M, N]) {\n  axis m = " + tm + ", n = " + tn + ", k = " + tk + ", gm = ceil_div(M, " + tm +
         "), gn = ceil_div(N, " + tn + "), kt = ceil_div(K, " + tk + ")\n  parallel nest in [gm, gn] {\n    acc = zeros f32 [m, n]\n    serial step in [kt] {\n" +
         "      acc = mma(A[(nest.gm * " + tm + ", step.kt * " + tk + "), [m, k]], B[(step.kt * " + tk + ", nest.gn * " + tn + "), [k, n]], acc)\n    }\n" +
         "    C((nest.gm * " + tm + ", nest.gn * " + tn + "), [m, n]).store(acc)\n  }\n}\n";
}

void beside_openblas(int rounds, const std::string &name, int m, int n, int k) {
  const CompiledKernel ours(example("gemm.tile"), {{"M", m}, {"N", n}, {"K", k}});
  std::vector<float> result(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  for (int threads = 1; threads <= 2; ++threads) {
    openblas_set_num_threads(threads);
    const auto t = in_turns(rounds, {[&] { ours.run(static_cast<std::size_t>(threads)); },
                                     [&] {
                                       cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, ours.data[0].data(), k, ours.data[1].data(), n, 0, result.data(), n);
                                     }});
    std::printf("%-20s %d threads  %5.2f of OpenBLAS  %7.1f GFLOP/s  (compiled in %.0f ms, differs by %.1e)\n", name.c_str(), threads, t[1] / t[0],
                2.0 * m * n * k / t[0] * 1e-9, ours.compile_ms, largest_difference(result, ours.data[2]));
    std::fflush(stdout);
  }
}

// The same products in other words, as many operations each; the yardstick is the plain spelling.
void spellings(int rounds) {
  const std::map<std::string, std::int64_t> cube{{"M", 512}, {"N", 512}, {"K", 512}};
  const std::string axes = "axis m = 32, n = 32, k = 16, all = K, gm = ceil_div(M, 32), gn = ceil_div(N, 32), kt = ceil_div(K, 16)\n";
  const std::string product = "(A: f32[M, K], B: f32[K, N], C: out f32[M, N]) { " + axes + "parallel nest in [gm, gn] {\n";
  const std::string store = "C((nest.gm * 32, nest.gn * 32), [m, n]).store(";
  const struct {
    const char *name;
    std::string text;
    std::map<std::string, std::int64_t> extents;
  } forms[] = {
      {"plain", gemm_text(32, 32, 16), cube},
      {"batched, 8 of 256", "kernel gemm(A: f32[Z, M, K], B: f32[Z, K, N], C: out f32[Z, M, N]) { " + axes + R"(axis z = Z
         parallel nest in [z, gm, gn] {
           acc = zeros f32 [m, n]
           serial step in [kt] {
             acc = mma(A[(nest.z, nest.gm * 32, step.kt * 16), [_, m, k]], B[(nest.z, step.kt * 16, nest.gn * 32), [_, k, n]], acc)
           }
           C((nest.z, nest.gm * 32, nest.gn * 32), [_, m, n]).store(acc)
         } })",
       {{"Z", 8}, {"M", 256}, {"N", 256}, {"K", 256}}},
      {"both turned", "kernel gemm(A: f32[K, M], B: f32[N, K], C: out f32[M, N]) { " + axes + R"(parallel nest in [gm, gn] {
           acc = zeros f32 [m, n]
           serial step in [kt] {
             acc = mma(A[(step.kt * 16, nest.gm * 32), [k, m]], B[(nest.gn * 32, step.kt * 16), [n, k]], acc)
           }
           C((nest.gm * 32, nest.gn * 32), [m, n]).store(acc)
         } })",
       cube},
      {"einsum", "kernel gemm" + product + store + R"(einsum("mk,kn->mn", A[(nest.gm * 32, 0), [m, all]], B[(0, nest.gn * 32), [all, n]])) } })", cube},
      {"bias and GELU", "kernel gemm(A: f32[M, K], B: f32[K, N], bias: f32[N], C: out f32[M, N]) { " + axes + R"(parallel nest in [gm, gn] {
           acc = zeros f32 [m, n]
           serial step in [kt] {
             acc = mma(A[(nest.gm * 32, step.kt * 16), [m, k]], B[(step.kt * 16, nest.gn * 32), [k, n]], acc)
           }
           C((nest.gm * 32, nest.gn * 32), [m, n]).store(gelu(acc + bias[nest.gn * 32, [n]]))
         } })",
       cube},
  };
  std::vector<CompiledKernel> kernels;
  std::vector<std::function<void()>> sides;
  for (const auto &form : forms) kernels.emplace_back(form.text, form.extents);
  for (const CompiledKernel &k : kernels) sides.push_back([&] { k.run(1); });
  const auto t = in_turns(rounds, sides);
  for (std::size_t i = 0; i < sides.size(); ++i) std::printf("512 %-17s 1 thread   %5.2f of the plain spelling\n", forms[i].name, t[0] / t[i]);
}

void tile_sizes(int rounds) {
  std::vector<std::string> names;
  std::vector<CompiledKernel> kernels;
  std::vector<std::function<void()>> sides;
  for (int m : {8, 32, 64})
    for (int n : {8, 16, 32, 64})
      for (int k : {8, 32}) {
        names.push_back(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
        kernels.emplace_back(gemm_text(m, n, k), std::map<std::string, std::int64_t>{{"M", 512}, {"N", 512}, {"K", 512}});
      }
  for (const CompiledKernel &k : kernels) sides.push_back([&] { k.run(1); });
  std::vector<double> t = in_turns(rounds, sides);
  const auto best = std::min_element(t.begin(), t.end()), worst = std::max_element(t.begin(), t.end());
  const std::string first = names[static_cast<std::size_t>(best - t.begin())], last = names[static_cast<std::size_t>(worst - t.begin())];
  const double least = *best, most = *worst;
  std::sort(t.begin(), t.end());
  std::printf("512, %zu tile sizes    1 thread   the median %.2f of the best (%s), the worst %.2f (%s)\n", t.size(), least / t[t.size() / 2], first.c_str(), least / most, last.c_str());
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  beside_openblas(rounds, "256", 256, 256, 256);
  beside_openblas(rounds, "1024", 1024, 1024, 1024);
  beside_openblas(rounds, "1000x1003x997", 1000, 1003, 997);
  beside_openblas(rounds, "2048", 2048, 2048, 2048);
  spellings(rounds);
  tile_sizes(rounds);
}
