// SPDX-License-Identifier: Apache-2.0
// RED-FOLD, RED-SEED, PIPE-SER, PIPE-CUT: orders of folds, seeds of empty domains, pipelines as their serial runs.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using I = std::vector<std::int64_t>;
using F = std::vector<float>;

TEST_CASE("strict folds of the region form walk left and right", "[RED-FOLD]") {
  // s = 10 s + x over 1 2 3 4 from 0: left 1234, right 4321. A tree policy is refused for this body (RED-LAW).
  const char *text = R"(kernel k(A: i64[4], C: mut i64[1]) {
  axis t = 4
  s: i64 = 0
  reduce r in [t] POLICY { s = s * 10 + A[r.index()] }
  C(0).store(s)
})";
  auto run = [&](std::string policy) {
    std::string t = text;
    t.replace(t.find("POLICY"), 6, policy);
    return run_tile(t, {array("A", I{1, 2, 3, 4}), array("C", I{0})});
  };
  CHECK(run("fold_left").get<std::int64_t>("C") == I{1234});
  CHECK(run("fold_right").get<std::int64_t>("C") == I{4321});
  CHECK(run("").codes() == "T0305@4");
  CHECK(run("ordered_tree").codes() == "T0305@4");
}

TEST_CASE("a right fold over several axes is the reverse lexicographic order", "[RED-FOLD]") {
  // Points (a, b) of 2 x 3 append the digit 3 a + b: left 012345, right 543210; predicates skip b == 1.
  auto run = [](std::string policy, std::string where = "") {
    return run_tile("kernel k(C: mut i64[1]) {\n axis a = 2, b = 3\n s: i64 = 0\n reduce r in [a, b] " + where + " " + policy +
                        " { s = s * 10 + r.a * 3 + r.b }\n C(0).store(s)\n}", {array("C", I{0})}).get<std::int64_t>("C");
  };
  CHECK(run("fold_left") == I{12345});
  CHECK(run("fold_right") == I{543210});
  CHECK(run("fold_right", "where b != 1") == I{5320});
  CHECK(run("fold_left", "where b != 1") == I{235});
}

TEST_CASE("the author's operand order stays; inner regions keep their own", "[RED-FOLD]") {
  // Right fold of s = x - s over 1 2 3: 3 - 0 = 3, 2 - 3 = -1, 1 - -1 = 2. An inner serial runs forwards: each outer
  // point appends its digit and 0, 1.
  const TileRun r = run_tile(R"(kernel k(A: i64[3], C: mut i64[2]) {
  axis t = 3
  s: i64 = 0
  reduce r in [t] fold_right { s = A[r.index()] - s }
  C(0).store(s)
  u: i64 = 0
  reduce r in [t] fold_right {
    u = u * 10 + A[r.index()]
    serial i in [#0 = 2] { u = u * 10 + i.index() }
  }
  C(1).store(u)
})", {array("A", I{1, 2, 3}), array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{2, 301201101});
}

TEST_CASE("the expression form folds in the order of x's axes", "[RED-FOLD]") {
  // f32: 1e8 + 1 rounds to 1e8, so order shows. Left of (1e8, 1, -1e8, 1): ((1e8 + 1) - 1e8) + 1 = 1.
  // Right: 1 + -1e8 = -1e8 (+1 lost), + 1: lost, + 1e8 = 0: 0.
  const TileRun r = run_tile(R"(kernel k(A: f32[4], C: mut f32[4]) {
  axis t = 4
  x = A[0, [t]]
  C(0).store(sum(x, t, fold_left))
  C(1).store(sum(x, t, fold_right))
  y = reshape(x, [a = 2, b = 2])
  C(2).store(sum(y, a, b, fold_left))
  C(3).store(sum(transpose(y, [b, a]), fold_left))
})", {array("A", F{1e8f, 1, -1e8f, 1}), array("C", F(4, -7))});
  // The transposed order is 1e8, -1e8, 1, 1: 2.
  CHECK(r.codes() == "");
  CHECK(r.get<float>("C") == F{1, 0, 1, 2});
}

TEST_CASE("folding one of two axes, either of them", "[RED-FOLD]") {
  // Rows (1e8, 1, -1e8) and (1, 1, 1). Along t left: (1e8 + 1) - 1e8 = 0, 3. Right: (-1e8 + 1) + 1e8 = 0, 3; along
  // the rows: 1e8 + 1 = 1e8, 2, -1e8 + 1 = -1e8.
  const TileRun r = run_tile(R"(kernel k(A: f32[2, 3], C: mut f32[2], D: mut f32[2], E: mut f32[3], G: mut f32[2]) {
  axis r = 2, t = 3
  x = A[(0, 0), [r, t]]
  C(0, [r]).store(sum(x, t))
  D(0, [r]).store(sum(x, t, fold_right))
  E(0, [t]).store(sum(x, r))
  G(0, [r]).store(prod(x, t))
})", {array("A", {2, 3}, F{1e8f, 1, -1e8f, 1, 1, 1}), array("C", F(2, 9)), array("D", F(2, 9)), array("E", F(3, 9)), array("G", F(2, 9))});
  CHECK(r.codes() == "");
  CHECK(r.get<float>("C") == F{0, 3});
  CHECK(r.get<float>("D") == F{0, 3});
  CHECK(r.get<float>("E") == F{1e8f, 2, -1e8f});
  CHECK(r.get<float>("G")[1] == 1.0f);
}

TEST_CASE("an empty domain gives the seed, bit for bit", "[RED-SEED]") {
  const TileRun r = run_tile(R"(kernel k(n: extent, C: mut f32[6], D: mut i32[6], S: mut f32[1]) {
  axis t = n
  x = zeros f32 [t]
  C(0).store(sum(x))
  C(1).store(prod(x))
  C(2).store(reduce_min(x))
  C(3).store(reduce_max(x))
  C(4).store(reduce_minnum(x))
  y = zeros i32 [t]
  D(0).store(sum(y))
  D(1).store(prod(y))
  D(2).store(reduce_min(y))
  D(3).store(reduce_max(y))
  D(4).store(reduce_and(y))
  D(5).store(reduce_or(y))
  s = f32(-0.0)
  reduce r in [t] { s = s + 1.0 }
  S(0).store(s)
})", {array("C", F(6, 5)), array("D", std::vector<std::int32_t>(6, 5)), array("S", F{5})}, {{{"n", 0}}});
  CHECK(r.codes() == "");
  const F c = r.get<float>("C");
  CHECK(std::signbit(c[0]));
  CHECK(c[0] == 0.0f);
  CHECK(c[1] == 1.0f);
  CHECK(c[2] == INFINITY);
  CHECK(c[3] == -INFINITY);
  CHECK(std::isnan(c[4]));
  CHECK(r.get<std::int32_t>("D") == std::vector<std::int32_t>{0, 1, INT32_MAX, INT32_MIN, -1, 0});
  CHECK(std::signbit(r.get<float>("S")[0]));
}

TEST_CASE("the identity is neutral bit for bit: a sum of -0 is -0", "[RED-SEED]") {
  const TileRun r = run_tile(R"(kernel k(A: f32[2], C: mut f32[2]) {
  axis t = 2
  C(0).store(sum(A[0, [t]]))
  C(1).store(sum(restrict(A[0, [t]], t > 5)))
})", {array("A", F{-0.0f, -0.0f}), array("C", F{1, 1})});
  CHECK(r.codes() == "");
  CHECK(std::signbit(r.get<float>("C")[0]));
  CHECK(std::signbit(r.get<float>("C")[1]));
}

TEST_CASE("the incoming state counts once; inactive points are skipped", "[RED-SEED]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2]) {
  axis t = 4
  s: i64 = 100
  n: i64 = 7
  reduce r in [t] where t != 2 {
    s = s + r.index()
    n = max(n, r.index() * 3)
  }
  C(0).store(s)
  C(1).store(n)
})", {array("C", I{0, 0})});
  CHECK(r.get<std::int64_t>("C") == I{104, 9});
}

TEST_CASE("states of tiles, conditions in the body, locals", "[RED-FOLD]") {
  // s += row for odd r, doubled through a local; rows r: (r, r + 1): odd 1, 3: 2 * (1 2) + 2 * (3 4) = (8 12).
  const TileRun r = run_tile(R"(kernel k(A: i64[4, 2], C: mut i64[2]) {
  axis t = 4, m = 2
  s = zeros i64 [m]
  reduce r in [t] {
    x = A[(r.index(), 0), [_, m]]
    y = x + x
    if r.index() % 2 == 1 { s = s + y }
  }
  C(0, [m]).store(s)
})", {array("A", {4, 2}, I{0, 1, 1, 2, 2, 3, 3, 4}), array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{8, 12});
}

TEST_CASE("a pipeline means its serial run, whatever its depth", "[PIPE-SER][PIPE-CUT]") {
  // B13: idx[i] = 5 i mod 13, read in the first stage, used behind a condition in the second.
  for (int depth = 1; depth <= 4; ++depth) {
    const TileRun r = run_tile("kernel k(X: i64[13], Y: i64[1], C: mut i64[13]) {\n pipeline p in [#0 = 13] with stages = " +
                                   std::to_string(depth) + R"( {
    stage "load"
    k = X[p.index()]
    flag = Y[0] != 0
    stage "use"
    if flag { C(k).store(p.index() + 1) }
  }
})", {array("X", I{0, 5, 10, 2, 7, 12, 4, 9, 1, 6, 11, 3, 8}), array("Y", I{1}), array("C", I(13, 0))});
    CHECK(r.codes() == "");
    CHECK(r.get<std::int64_t>("C") == I{1, 9, 4, 12, 7, 2, 10, 5, 13, 8, 3, 11, 6});
  }
}

TEST_CASE("a pipeline's recurrences and the value after it", "[PIPE-SER][VAL-CARRY]") {
  // B15: tiles of 8 of 0..31; z[k] = s[0]; after the loop the last s.
  const TileRun r = run_tile(R"(kernel k(X: i64[32], Z: mut i64[4], C: mut i64[8]) {
  axis m = 8
  s = zeros i64 [m]
  pipeline p in [#0 = 4] with stages = 3 {
    stage
    s = X[p.index() * 8, [m]]
    stage
    Z(p.index()).store(s[0])
  }
  C(0, [m]).store(s)
})", {array("X", iota_values<std::int64_t>(32)), array("Z", I(4, -1)), array("C", I(8, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("Z") == I{0, 8, 16, 24});
  CHECK(r.get<std::int64_t>("C") == iota_values<std::int64_t>(8, 24));
  // A stage that reads what the iteration before wrote: x = 2 x + 1 through memory, five times from 1: 63.
  const TileRun m = run_tile(R"(kernel k(C: mut i64[1]) {
  pipeline p in [#0 = 5] with stages = 2 {
    stage
    x = C[0]
    stage
    C(0).store(x * 2 + 1)
  }
})", {array("C", I{1})});
  CHECK(m.get<std::int64_t>("C") == I{63});
}
