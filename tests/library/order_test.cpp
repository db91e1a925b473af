// SPDX-License-Identifier: Apache-2.0
// NUM-NAN: argmax, argmin, sort, argsort and topk against std::stable_sort with the rule's order.
#include "tests/library/rows.h"
#include <algorithm>
#include <numeric>

using namespace tilenest;

namespace {

template <class T> bool is_nan(T v) { return v != v; }

// Every NaN behind every number in either direction, -0 equal to +0.
template <class T> bool stands_before(T a, T b, bool descending) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  return descending ? a > b : a < b;
}

template <class T> std::vector<std::int64_t> order_of(const Rows<T> &x, std::int64_t row, bool descending) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(x.columns));
  std::iota(index.begin(), index.end(), 0);
  std::stable_sort(index.begin(), index.end(), [&](auto a, auto b) { return stands_before(x.at(row, a), x.at(row, b), descending); });
  return index;
}

template <class T> bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T> void check(const Rows<T> &x) {
  for (const bool descending : {false, true}) {
    const std::string option = std::string(", descending = ") + (descending ? "true" : "false");
    std::vector<std::int64_t> indices, first, best;
    std::vector<T> values, first_values;
    const std::int64_t k = std::min<std::int64_t>(3, x.columns);
    for (std::int64_t i = 0; i < x.rows; ++i) {
      const auto order = order_of(x, i, descending);
      for (std::int64_t j = 0; j < x.columns; ++j) {
        const std::int64_t at = order[static_cast<std::size_t>(j)];
        indices.push_back(at), values.push_back(x.at(i, at));
        if (j < k) first.push_back(at), first_values.push_back(x.at(i, at));
      }
      best.push_back(order[0]);
    }
    CHECK(run_rows<T, std::int64_t>("argsort(x, n" + option + ")", x, x.columns).template get<std::int64_t>("Y") == indices);
    CHECK(same_bits(run_rows<T>("sort(x, n" + option + ")", x, x.columns).template get<T>("Y"), values));
    CHECK(run_rows<T, std::int64_t>(descending ? "argmax(x, n)" : "argmin(x, n)", x, -1).template get<std::int64_t>("Y") == best);
    const std::string t(to_string(ElementType<T>::value)), w = std::to_string(k);
    const TileRun run = run_tile("kernel k(X: " + t + "[M, N], V: out " + t + "[M, " + w + "], I: out i64[M, " + w + "]) {\n  axis m = M, n = N\n"
                                 "  v, i = topk(X[(0, 0), [m, n]], n, k = " + w + option + ")\n"
                                 "  V((0, 0), [m, n = " + w + "]).store(v)\n  I((0, 0), [m, n = " + w + "]).store(i)\n}",
                                 {array("X", {x.rows, x.columns}, x.values)});
    CHECK(run.codes() == "");
    CHECK(run.template get<std::int64_t>("I") == first);
    CHECK(same_bits(run.template get<T>("V"), first_values));
  }
}

} // namespace

TEST_CASE("order of rows of floats with NaN, both zeros, infinities and ties", "[library][NUM-NAN]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  check(Rows<float>{6, 6, {3, 1, 2, 1, 3, 0, nan, 1, nan, 2, -1, nan, nan, nan, nan, nan, nan, nan, -0.0f, 0.0f, -0.0f, 0.0f, -0.0f, 0.0f,
                           -inf, nan, inf, -inf, inf, 0, nan, -inf, -inf, nan, -inf, nan}});
  check(Rows<float>{3, 1, {nan, 1, -inf}});
  check(scattered<double>(4, 37, -3, 3));
  Rows<double> ties = scattered<double>(3, 65, 0, 6);
  for (double &v : ties.values) v = std::floor(v);
  check(ties);
}

TEST_CASE("order of rows of integers", "[library]") {
  Rows<std::int32_t> x = scattered<std::int32_t>(3, 19, -5, 5);
  x.values[4] = INT32_MIN, x.values[7] = INT32_MAX;
  check(x);
  check(scattered<std::uint8_t>(2, 33, 0, 255));
  check(Rows<std::uint64_t>{1, 4, {UINT64_MAX, 0, UINT64_MAX, 1}});
}

TEST_CASE("order along the first dim keeps the others in place", "[library]") {
  // Columns (2, 1, 3) and (5, 4, 4): sorted (1, 2, 3) and (4, 4, 5), from rows 1 0 2 and 1 2 0.
  const TileRun run = run_tile("kernel k(X: f32[3, 2], Y: out f32[3, 2], I: out i64[3, 2], B: out i64[2]) { axis m = 3, n = 2; x = X[(0, 0), [m, n]]; "
                               "Y((0, 0), [m, n]).store(sort(x, m)); I((0, 0), [m, n]).store(argsort(x, m)); B((0), [n]).store(argmax(x, m)) }",
                               {array("X", {3, 2}, std::vector<float>{2, 5, 1, 4, 3, 4})});
  CHECK(run.codes() == "");
  CHECK(run.get<float>("Y") == std::vector<float>{1, 4, 2, 4, 3, 5});
  CHECK(run.get<std::int64_t>("I") == std::vector<std::int64_t>{1, 1, 0, 2, 2, 0});
  CHECK(run.get<std::int64_t>("B") == std::vector<std::int64_t>{2, 0});
}

TEST_CASE("rows without enough elements are refused by binding", "[library]") {
  auto codes = [](const std::string &call, std::int64_t columns) {
    return run_tile("kernel k(X: f32[M, N], Y: out i64[M]) {\n  axis m = M, n = N\n  x = X[(0, 0), [m, n]]\n  " + call + "\n}",
                    {array("X", {2, columns}, std::vector<float>(static_cast<std::size_t>(2 * columns)))}).codes();
  };
  CHECK(codes("Y((0), [m]).store(argmax(x, n))", 0) == "T0219@4");
  CHECK(codes("Y((0), [m]).store(argmax(x, n))", 1) == "");
  CHECK(codes("v, i = topk(x, n, k = 3)", 2) == "T0219@4");
  CHECK(codes("v, i = topk(x, n, k = 3)", 3) == "");
  CHECK(codes("v = sort(x, n)", 0) == "T0219@4");
}

TEST_CASE("B22: argmax skips NaN and takes the leftmost of equals", "[cases][NUM-NAN]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto argmax = [](const std::vector<float> &x) {
    const std::string n = std::to_string(x.size());
    return run_tile("kernel k(X: f32[" + n + "], Y: out i64[]) {\n  axis n = " + n + "\n  Y().store(argmax(X[0, [n]], n))\n}", {array("X", x)}).get<std::int64_t>("Y");
  };
  CHECK(argmax({2, 7, nan, 7, 1}) == std::vector<std::int64_t>{1});
  CHECK(argmax({nan, nan, nan, nan}) == std::vector<std::int64_t>{0});
}
