// SPDX-License-Identifier: Apache-2.0
// histogram, segment_reduce, take_along, put_along against plain loops and by hand.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <limits>

using namespace tilenest;
using I32 = std::vector<std::int32_t>;
using I64 = std::vector<std::int64_t>;
using F = std::vector<float>;

TEST_CASE("histogram counts what is in a bin", "[library]") {
  I32 x;
  I64 expected(5);
  for (int i = 0; i < 60; ++i) {
    x.push_back((i * i * 7 + 3) % 9 - 2);
    if (x.back() >= 0 && x.back() < 5) ++expected[static_cast<std::size_t>(x.back())];
  }
  const TileRun r = run_tile("kernel k(X: i32[6, 10], Y: out i64[5]) {\n  axis m = 6, n = 10, b = 5\n  Y(0, [b]).store(histogram(X[(0, 0), [m, n]], b))\n}",
                             {array("X", {6, 10}, x)});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("Y") == expected);
  CHECK(run_tile("kernel k(X: i32[4]) {\n  axis n = 4\n  y = histogram(X[0, [n]], n)\n}", {array("X", I32(4))}).codes() == "T0218@3");
  CHECK(run_tile("kernel k(X: f32[4]) {\n  axis n = 4, b = 2\n  y = histogram(X[0, [n]], b)\n}", {array("X", F(4))}).codes() == "T0217@3");
}

TEST_CASE("segments are folded by their ids", "[library]") {
  // Ids 1 0 1 3 9 -1: segment 2 is empty, 9 and -1 are no segments of 4.
  auto run = [](const std::string &reducer) {
    return run_tile("kernel k(X: f32[2, 6], I: i32[6], Y: out f32[2, 4]) {\n  axis m = 2, n = 6, s = 4\n  Y((0, 0), [m, s]).store(segment_reduce(X[(0, 0), [m, n]], "
                    "I[0, [n]], n, s" + reducer + "))\n}",
                    {array("X", {2, 6}, F{1, 2, 4, 8, 16, 32, -1, -2, -4, -8, -16, -32}), array("I", I32{1, 0, 1, 3, 9, -1})});
  };
  CHECK(run("").codes() == "");
  CHECK(run("").get<float>("Y") == F{2, 5, 0, 8, -2, -5, 0, -8});
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(run(", reducer = max").get<float>("Y") == F{2, 4, -inf, 8, -2, -1, -inf, -8});
  CHECK(run(", reducer = min").get<float>("Y") == F{2, 1, inf, 8, -2, -4, inf, -8});
  CHECK(run(", reducer = mul").get<float>("Y") == F{2, 4, 1, 8, -2, 4, 1, -8});
  CHECK(run(", reducer = xor").codes() == "T0218@3");
}

TEST_CASE("elements are taken by index along a dim", "[library]") {
  auto run = [](const I32 &indices) {
    return run_tile("kernel k(X: f32[2, 3], I: i32[2], Y: out f32[2]) {\n  axis m = 2, n = 3\n  Y(0, [m]).store(take_along(X[(0, 0), [m, n]], I[0, [m]], n))\n}",
                    {array("X", {2, 3}, F{1, 2, 3, 4, 5, 6}), array("I", indices)});
  };
  CHECK(run({2, 0}).get<float>("Y") == F{3, 4});
  CHECK(run({2, 3}).codes() == "U0104@3");
  CHECK(run({-1, 0}).codes() == "U0104@3");
}

TEST_CASE("values are put by index along a dim", "[library]") {
  auto run = [](const std::string &reducer, const I32 &indices) {
    return run_tile("kernel k(X: f32[2, 4], V: f32[2, 3], I: i32[3], Y: out f32[2, 4]) {\n  axis m = 2, n = 4, k = 3\n  Y((0, 0), [m, n]).store(put_along("
                    "X[(0, 0), [m, n]], V[(0, 0), [m, k]], I[0, [k]], n" + reducer + "))\n}",
                    {array("X", {2, 4}, F{1, 2, 3, 4, 5, 6, 7, 8}), array("V", {2, 3}, F{10, 20, 30, -1, -2, -3}), array("I", indices)});
  };
  CHECK(run("", {3, 0, 7}).get<float>("Y") == F{20, 2, 3, 10, -2, 6, 7, -1}); // 7 is out of range and puts nothing
  CHECK(run("", {3, 0, 3}).codes() == "U0104@3");                             // two values for one place, no reducer
  CHECK(run(", reducer = add", {3, 0, 3}).get<float>("Y") == F{21, 2, 3, 44, 3, 6, 7, 4});
  CHECK(run(", reducer = max", {3, 0, 3}).get<float>("Y") == F{20, 2, 3, 30, 5, 6, 7, 8});
  CHECK(run_tile("kernel k(X: f32[4], V: i32[3], I: i32[3]) {\n  axis n = 4, k = 3\n  y = put_along(X[0, [n]], V[0, [k]], I[0, [k]], n)\n}",
                 {array("X", F(4)), array("V", I32(3)), array("I", I32(3))}).codes() == "T0217@3");
}
