// SPDX-License-Identifier: Apache-2.0
// Runs a library call on the rows of a matrix, so that a test against plain loops is a few lines.
#pragma once
#include "semantics/numerics/target_profile.h"
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace tilenest {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T> struct Rows {
  std::int64_t rows = 0, columns = 0;
  std::vector<T> values;

  T at(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i * columns + j)]; }
};

// Values in [-low, high) that no formula of ours made: a linear congruence.
template <class T> Rows<T> scattered(std::int64_t rows, std::int64_t columns, double low, double high, std::uint64_t seed = 1) {
  Rows<T> x{rows, columns, {}};
  std::uint64_t s = seed * 2862933555777941757u + 3037000493u;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    x.values.push_back(static_cast<T>(low + (high - low) * static_cast<double>(s >> 11) / 9007199254740992.0));
  }
  return x;
}

// `call` is of x over [m, n] (and of w, b over [n], where W and B are given). The result has `columns` columns of R.
template <class T, class R = T>
TileRun run_rows(const std::string &call, const Rows<T> &x, std::int64_t columns, const std::vector<T> &w = {}, const std::vector<T> &b = {},
                 bool checked = true) {
  const std::string t(to_string(ElementType<T>::value)), r(to_string(ElementType<R>::value));
  const std::string sides = w.empty() ? "" : ", W: " + t + "[N], B: " + t + "[N]";
  const std::string out = columns < 0 ? "r = M" : "m, r = " + std::to_string(columns);
  std::string text = "kernel k(X: " + t + "[M, N]" + sides + ", Y: out " + r + (columns < 0 ? "[M]" : "[M, " + std::to_string(columns) + "]") +
                     ") {\n  axis m = M, n = N\n  x = X[(0, 0), [m, n]]\n";
  if (!w.empty()) text += "  w = W[(0), [n]]\n  b = B[(0), [n]]\n";
  text += "  y = " + call + "\n  Y(" + (columns < 0 ? "(0), [m]" : "(0, 0), [m, n = " + std::to_string(columns) + "]") + ").store(y)\n}";
  INFO(text);
  std::vector<NamedArray> arrays = {array("X", {x.rows, x.columns}, x.values)};
  if (!w.empty()) arrays.push_back(array("W", w)), arrays.push_back(array("B", b));
  TileRunOptions options;
  options.checked = checked;
  TileRun run = run_tile(text, arrays, options);
  return run;
}

} // namespace tilenest
