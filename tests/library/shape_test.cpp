// SPDX-License-Identifier: Apache-2.0
// flip, pad and concat by hand, along every dim; refusals.
#include "tests/interp/tile_run.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <ctime>

using namespace tilenest;
using I32 = std::vector<std::int32_t>;

namespace {

TileRun on_rows(const std::string &call, const std::string &shape, std::int64_t rows, std::int64_t columns) {
  I32 x;
  for (std::int64_t i = 0; i < rows * columns; ++i) x.push_back(static_cast<std::int32_t>(i + 1));
  const std::string r = std::to_string(rows), c = std::to_string(columns);
  return run_tile("kernel k(X: i32[" + r + ", " + c + "], Y: out i32[" + shape + "]) {\n  axis m = " + r + ", n = " + c +
                      "\n  x = X[(0, 0), [m, n]]\n  y = " + call + "\n  Y((0, 0), [m = y.extent(m), n = y.extent(n)]).store(y)\n}",
                  {array("X", {rows, columns}, x)});
}

} // namespace

TEST_CASE("flip, pad and concat move elements", "[library]") {
  CHECK(on_rows("flip(x, n)", "2, 3", 2, 3).get<std::int32_t>("Y") == I32{3, 2, 1, 6, 5, 4});
  CHECK(on_rows("flip(x, m)", "2, 3", 2, 3).get<std::int32_t>("Y") == I32{4, 5, 6, 1, 2, 3});
  CHECK(on_rows("pad(x, n, before = 1, after = 2)", "2, 6", 2, 3).get<std::int32_t>("Y") == I32{0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0});
  CHECK(on_rows("pad(x, m, before = 1, after = 0, value = 9)", "3, 3", 2, 3).get<std::int32_t>("Y") == I32{9, 9, 9, 1, 2, 3, 4, 5, 6});
  CHECK(on_rows("concat(x, flip(x, n), x, dim = n)", "1, 6", 1, 2).get<std::int32_t>("Y") == I32{1, 2, 2, 1, 1, 2});
  CHECK(on_rows("concat(x, x, dim = m)", "2, 2", 1, 2).get<std::int32_t>("Y") == I32{1, 2, 1, 2});
  CHECK(on_rows("pad(x, n, before = 2, after = 0)", "2, 2", 2, 0).get<std::int32_t>("Y") == I32{0, 0, 0, 0});
  CHECK(on_rows("concat(x, x, dim = n)", "2, 0", 2, 0).codes() == "");
}

TEST_CASE("many parts, each with its bits and marks", "[library]") {
  // The k-th of n parts has k % 3 elements of NaNs that tell where they are from, but for one division by zero.
  for (const int n : {1, 2, 3, 7, 100}) {
    std::string parts;
    std::vector<std::uint32_t> bits, wanted;
    for (int k = 0; k < n; ++k) {
      parts += "X[" + std::to_string(bits.size()) + ", [m = " + std::to_string(k % 3) + "]], ";
      for (int i = 0; i < k % 3; ++i) bits.push_back(0x7fc00000u + static_cast<std::uint32_t>(bits.size()) * 3 + 1);
    }
    wanted = bits;
    bits.push_back(0); // X has an element where no part has one
    const std::string total = std::to_string(wanted.size());
    TileRun r = run_tile("kernel k(X: f32[" + std::to_string(bits.size()) + "], Y: out f32[" + total + "]) {\n  axis m = 1\n  Y(0, [m = " + total + "]).store(concat(" + parts + "dim = m))\n}",
                         {array("X", {static_cast<std::int64_t>(bits.size())}, bits, ScalarType::f32)});
    INFO(n << r.text());
    CHECK(r.codes() == "");
    CHECK(r.get<std::uint32_t>("Y") == wanted);
  }
  const std::string marked = "kernel k(X: i32[4], Y: out i32[12]) {\n  axis m = 4\n  x = X[0, [m]]\n  y = concat(x, 12 / x, x, dim = m)\n  Y(0, [m = 12]).store(y)\n}";
  const TileRun fine = run_tile(marked, {array("X", I32{1, 2, 3, 4})});
  CHECK(fine.get<std::int32_t>("Y") == I32{1, 2, 3, 4, 12, 6, 4, 3, 1, 2, 3, 4});
  const TileRun zero = run_tile(marked, {array("X", I32{1, 2, 0, 4})});
  REQUIRE(zero.diagnostics.size() == 1);
  CHECK(zero.diagnostics[0].count == 1);
}

TEST_CASE("two thousand parts", "[library]" TILENEST_LONG) {
  std::string parts;
  for (int k = 0; k < 2000; ++k) parts += "x, ";
  const std::clock_t before = std::clock();
  const TileRun r = run_tile("kernel k(X: i32[4], Y: out i32[8000]) {\n  axis m = 4\n  x = X[0, [m]]\n  Y(0, [m = 8000]).store(concat(" + parts + "dim = m))\n}", {array("X", I32{1, 2, 3, 4})});
  CHECK(r.codes() == "");
  CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 3);
  CHECK(r.get<std::int32_t>("Y")[7998] == 3);
}

TEST_CASE("what they refuse", "[library]") {
  CHECK(on_rows("pad(x, n, before = -1, after = 0)", "2, 3", 2, 3).codes() == "T0218@4");
  CHECK(on_rows("pad(x, n, before = 1, after = 0, value = 1.5)", "2, 4", 2, 3).codes() == "T0103@4");
  CHECK(on_rows("concat(x, cast(x, i64), dim = n)", "2, 6", 2, 3).codes() == "T0217@4");
  CHECK(on_rows("flip(restrict(x, n < 2), n)", "2, 3", 2, 3).codes() == "T0211@4");
}
