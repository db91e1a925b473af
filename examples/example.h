// SPDX-License-Identifier: Apache-2.0
// What the C++ examples share: inputs, and a judgement against plain f64 loops. Tolerances are rounding-error
// bounds of the formula on the data at hand; no part of tilenest computes an expected value.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tilenest/dsl.h>
#include <tilenest/run.h>
#include <vector>

namespace example {

using tilenest::Executable;
using tilenest::f32;
using tilenest::i32;

constexpr double unit = 0x1p-24; // half an ulp of f32, relative

// Values in [-1, 1], the same on every machine.
inline std::vector<f32> random_values(std::size_t n, std::uint64_t seed) {
  std::vector<f32> out(n);
  std::uint64_t state = seed * 2654435769u + 1;
  for (f32 &v : out) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<f32>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31f;
  }
  return out;
}

// A sum of n rounded products in any order and grouping is off by at most this.
inline double dot_bound(double terms, double magnitude) { return terms * unit * magnitude / (1 - terms * unit); }

// Captures and judges; prints what was refused and exits.
inline Executable prepared(tilenest::Result<tilenest::TileProgram> program) {
  if (program.ok()) {
    auto executable = Executable::make(std::move(*program));
    if (executable.ok()) return std::move(*executable);
    std::fputs(tilenest::render_text(executable.errors()).c_str(), stderr);
  } else {
    std::fputs(tilenest::render_text(program.errors()).c_str(), stderr);
  }
  std::exit(1);
}

class Judgement {
public:
  explicit Judgement(std::string what) : what_(std::move(what)) {}
  void element(double found, double expected, double bound) {
    const double error = std::fabs(found - expected);
    ++elements_;
    if (!(error <= bound) && ++wrong_ <= 5)
      std::printf("%s: element %zu is %.9g, expected %.9g within %.3g\n", what_.c_str(), elements_ - 1, found, expected,
                  bound);
    if (bound > 0) worst_ = std::max(worst_, error / bound);
  }
  void clean(const tilenest::RunResult &r) {
    if (!tilenest::has_error(r.diagnostics)) return;
    std::fputs(tilenest::render_text(r.diagnostics).c_str(), stdout);
    ++wrong_;
  }
  // The exit status.
  int report() const {
    std::printf("%s: %zu elements, %zu wrong; greatest error %.3f of its bound\n", what_.c_str(), elements_, wrong_, worst_);
    return wrong_ == 0 && elements_ > 0 ? 0 : 1;
  }

private:
  std::string what_;
  double worst_ = 0;
  std::size_t elements_ = 0, wrong_ = 0;
};

// Runs a gemm executable on several shapes, ragged and empty ones among them.
inline int check_gemm(const char *name, const Executable &gemm) {
  Judgement judgement(name);
  const int shapes[][3] = {{127, 95, 61}, {32, 16, 32}, {1, 1, 1}, {33, 17, 65}, {7, 0, 5}, {0, 4, 9}};
  for (const auto &[M, K, N] : shapes) {
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
