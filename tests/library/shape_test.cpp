// SPDX-License-Identifier: Apache-2.0
// flip, pad and concat by hand, along every dim; refusals.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

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

TEST_CASE("what they refuse", "[library]") {
  CHECK(on_rows("pad(x, n, before = -1, after = 0)", "2, 3", 2, 3).codes() == "T0218@4");
  CHECK(on_rows("pad(x, n, before = 1, after = 0, value = 1.5)", "2, 4", 2, 3).codes() == "T0103@4");
  CHECK(on_rows("concat(x, cast(x, i64), dim = n)", "2, 6", 2, 3).codes() == "T0217@4");
  CHECK(on_rows("flip(restrict(x, n < 2), n)", "2, 3", 2, 3).codes() == "T0211@4");
}
