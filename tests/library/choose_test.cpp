// SPDX-License-Identifier: Apache-2.0
// select, one_hot, cross_entropy, batched matmul against plain loops.
#include "tests/library/rows.h"

using namespace tilenest;

TEST_CASE("select takes tiles and literals", "[library]") {
  const Rows<float> x{2, 3, {1, -2, 3, -4, 5, std::numeric_limits<float>::quiet_NaN()}};
  CHECK(run_rows<float>("select(x > 0, x, 0.5)", x, 3).get<float>("Y") == std::vector<float>{1, 0.5f, 3, 0.5f, 5, 0.5f});
  CHECK(run_rows<float>("select(x > 0, 7, -x)", x, 3).get<float>("Y")[1] == 2);
  // The mark of the arm that is not chosen does not pass.
  const TileRun run = run_tile("kernel k(X: i32[2], Y: out i32[2]) { axis m = 2; x = X[(0), [m]]; Y((0), [m]).store(select(x == 0, 9, 6 / x)) }",
                               {array("X", std::vector<std::int32_t>{0, 2})});
  CHECK(run.codes() == "");
  CHECK(run.get<std::int32_t>("Y") == std::vector<std::int32_t>{9, 3});
}

TEST_CASE("one_hot of labels of several types", "[library]") {
  const TileRun run = run_tile("kernel k(L: i32[4], U: u64[2], Y: out f32[4, 3], Z: out bool[2, 3]) { axis m = 4, p = 2, c = 3; "
                               "Y((0, 0), [m, c]).store(one_hot(L[(0), [m]], c)); Z((0, 0), [p, c]).store(one_hot(U[(0), [p]], c, type = bool)) }",
                               {array("L", std::vector<std::int32_t>{2, 0, -1, 3}), array("U", std::vector<std::uint64_t>{1, UINT64_MAX})});
  CHECK(run.codes() == "");
  CHECK(run.get<float>("Y") == std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(run.get<std::uint8_t>("Z") == std::vector<std::uint8_t>{0, 1, 0, 0, 0, 0});
}

TEST_CASE("cross_entropy of logits and labels", "[library]") {
  const Rows<double> x = scattered<double>(5, 9, -8, 8, 3);
  const std::vector<std::int64_t> labels = {0, 8, 3, 3, 7};
  auto run = [&](std::vector<std::int64_t> l) {
    return run_tile("kernel k(X: f64[M, N], L: i64[M], Y: out f64[M]) {\n  axis m = M, n = N\n  y = cross_entropy(X[(0, 0), [m, n]], L[(0), [m]], n)\n"
                    "  Y((0), [m]).store(y)\n}", {array("X", {5, 9}, x.values), array("L", l)});
  };
  const TileRun fine = run(labels);
  REQUIRE(fine.codes() == "");
  for (std::int64_t i = 0; i < 5; ++i) {
    long double s = 0;
    for (std::int64_t j = 0; j < 9; ++j) s += std::exp(static_cast<long double>(x.at(i, j)));
    const long double expected = std::log(s) - x.at(i, labels[static_cast<std::size_t>(i)]);
    // exp errs by (16 + 1) u, the sum of 9 by 9 u more, the logarithm by its own rounding, two sums of values below 20.
    CHECK(std::fabs(static_cast<double>(fine.get<double>("Y")[static_cast<std::size_t>(i)] - expected)) <= (17 + 9 + 4 + 20 + 20) * 0x1p-53);
  }
  CHECK(run({0, 9, 3, 3, 7}).codes() == "U0104@3"); // a label outside the classes
  CHECK(run({0, -1, 3, 3, 7}).codes() == "U0104@3");
}

TEST_CASE("matmul with leading batches", "[library]") {
  const std::int64_t batch = 2, rows = 3, inner = 4, columns = 5;
  std::vector<std::int32_t> a, b, expected;
  for (std::int64_t i = 0; i < batch * rows * inner; ++i) a.push_back(static_cast<std::int32_t>(i * 7 % 11 - 5));
  for (std::int64_t i = 0; i < batch * inner * columns; ++i) b.push_back(static_cast<std::int32_t>(i * 5 % 13 - 6));
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        std::int32_t s = 0;
        for (std::int64_t k = 0; k < inner; ++k)
          s += a[static_cast<std::size_t>((n * rows + i) * inner + k)] * b[static_cast<std::size_t>((n * inner + k) * columns + j)];
        expected.push_back(s);
      }
  const TileRun run = run_tile("kernel k(A: i32[2, 3, 4], B: i32[2, 4, 5], C: out i32[2, 3, 5]) { axis b = 2, m = 3, n = 5; "
                               "C((0, 0, 0), [b, m, n]).store(matmul(A[(0, 0, 0), [b, m, k = 4]], B[(0, 0, 0), [b, k, n]])) }",
                               {array("A", {2, 3, 4}, a), array("B", {2, 4, 5}, b)});
  CHECK(run.codes() == "");
  CHECK(run.get<std::int32_t>("C") == expected);
  // Batches that disagree: the report stands at the call and names the argument.
  const TileRun wrong = run_tile("kernel k(A: f32[2, 3, 4], B: f32[3, 4, 5], C: out f32[2, 3, 5]) {\n"
                                 "  c = matmul(A[(0, 0, 0), [2, 3, 4]], B[(0, 0, 0), [3, 4, 5]])\n}");
  CHECK(wrong.codes() == "T0217@2");
  CHECK(wrong.says("`b`"));
}
