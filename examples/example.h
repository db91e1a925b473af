// SPDX-License-Identifier: Apache-2.0
// What the C++ examples share: inputs, a judgement against plain f64 loops, and the comparison with the text twin.
// Tolerances are rounding-error bounds of the formula on the data at hand; no part of tilenest computes an expected
// value.
#pragma once
#include <cmath>
#include <string>
#include <tilenest/dsl.h>
#include <tilenest/run.h>
#include <vector>

namespace example {

using tilenest::Executable;
using tilenest::f32;
using tilenest::i32;
using tilenest::i64;

constexpr double unit = 0x1p-24; // half an ulp of f32, relative

// Values in [-1, 1], the same on every machine.
std::vector<f32> random_values(std::size_t n, std::uint64_t seed);

// n roundings in any order: |(1 + u)^n - 1| is at most this.
constexpr double gamma_n(double n) { return n * unit / (1 - n * unit); }
// A sum of n rounded products in any order and grouping is off by at most this.
constexpr double dot_bound(double n, double magnitude) { return gamma_n(n) * magnitude; }

// Judges what was captured, and compares it with the text example of the same name; prints what was refused and exits.
Executable prepared(tilenest::Result<tilenest::TileProgram> program);

class Judgement {
public:
  explicit Judgement(std::string what) : what_(std::move(what)) {}
  void clean(const tilenest::RunResult &r);
  void element(double found, double expected, double bound);
  // Prints what was judged; the exit status.
  int report() const;

private:
  std::string what_;
  double worst_ = 0;
  std::size_t elements_ = 0, wrong_ = 0;
};

// Runs a matrix product on several shapes, ragged and empty ones among them; the exit status.
int check_gemm(const Executable &gemm);

} // namespace example
