// SPDX-License-Identifier: Apache-2.0
// The program's own claims: with and without a text, of a scalar and of every element of a tile.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;

TEST_CASE("an assertion without a text, and of a tile", "[assert]") {
  const auto x = array("X", std::vector<std::int32_t>{1, 2, -3, 4});
  const auto on = [&](const std::string &line) { return run_tile("kernel k(X: i32[4]) {\n  axis m = 4\n  x = X[0, [m]]\n  " + line + "\n}", {x}); };
  CHECK(on("assert(x > -4)").codes() == "");
  CHECK(on("assert(x > 0 | x == -3, \"any\")").codes() == "");
  const TileRun bare = on("assert(X[0] > 1)"), tile = on("assert(x > 0, \"positive\")");
  REQUIRE(bare.codes() == "A0001@4");
  CHECK(bare.diagnostics[0].message() == "assertion failed");
  REQUIRE(tile.codes() == "A0001@4");
  CHECK(tile.diagnostics[0].message() == "assertion failed: positive");
  CHECK(tile.says("at element [2]"));
  CHECK(on("assert(x, \"no bool\")").codes() == "T0105@4");
}
