// SPDX-License-Identifier: Apache-2.0
// SYNC: phases of one dynamic parallel, meetings in loops, divergence.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

TEST_CASE("what stands before a meeting in any instance happens before what stands after it", "[SYNC]") {
  // 8 lanes: c[t] = t * t, then d[t] = c[(t + 3) % 8] (B07's twin).
  const TileRun r = run_tile(R"(kernel k(D: mut i64[8]) {
  axis i = 8
  c = memory i64 [i]
  parallel p in [i] {
    t = p.index()
    c(t).store(t * t)
    sync p
    D(t).store(c[(t + 3) % 8])
  }
})", {array("D", I(8, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("D") == I{9, 16, 25, 36, 49, 0, 1, 4});
}

TEST_CASE("sync in a loop: a neighbour exchange", "[SYNC]") {
  // Each round x[t] becomes x[t - 1] + x[t + 1] (wrapping), in two phases. From 1 0 0 0 0 0:
  // round 1: 0 1 0 0 0 1; round 2: 2 0 1 0 1 0; round 3: 0 3 0 2 0 3.
  const TileRun r = run_tile(R"(kernel k(X: mut i64[6]) {
  axis i = 6
  parallel p in [i] {
    t = p.index()
    serial s in [#0 = 3] {
      v = X[(t + 5) % 6] + X[(t + 1) % 6]
      sync p
      X(t).store(v)
      sync p
    }
  }
})", {array("X", I{1, 0, 0, 0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("X") == I{0, 3, 0, 2, 0, 3});
}

TEST_CASE("lifted events and phases", "[SYNC][ANC-SHARE]") {
  // x: a lifted load in the first phase sees 0; the lifted store of A[0] + 1 after the sync comes after every
  // instance's own store of t at A[t]; y, after a second sync, sees A[0] = 1.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[3], C: mut i64[3]) {
  axis i = 3
  parallel p in [i] {
    t = p.index()
    x = A[0]
    sync p
    A(t).store(t)
    sync p
    A(0).store(A[0] + 1)
    sync p
    y = A[0]
    C(t).store(x * 100 + y * 10 + A[t])
  }
})", {array("A", I{5, 5, 5}), array("C", I{0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("A") == I{1, 1, 2});
  CHECK(r.get<std::int64_t>("C") == I{511, 511, 512});
}

TEST_CASE("inactive instances take no part in a meeting", "[SYNC]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  axis i = 4
  s = memory i64 [i]
  parallel p in [i] where i % 2 == 0 {
    s(p.index()).store(p.index() + 1)
    sync p
    C(p.index()).store(s[2 - p.index()])
  }
})", {array("C", I{-1, -1, -1, -1})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{3, -1, 1, -1});
}

TEST_CASE("a meeting joins one dynamic parallel: nested parallels meet level by level", "[SYNC]") {
  // Inner q exchange within their p through m (fresh per p) and meet in an inner loop; then the p exchange through
  // s. (p, q): m[q] = 10 p + q, row sum of reversed: every q reads m[1 - q]. s[p] = sum of m; C[p] = s[1 - p].
  // p = 0: m = 0 1 -> after one reversal 1 0; sum 1. p = 1: 10 11 -> 11 10; sum 21.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2], D: mut i64[2, 2]) {
  axis i = 2, j = 2
  s = memory i64 [i]
  parallel p in [i] {
    m = memory i64 [j]
    parallel q in [j] {
      m(q.index()).store(p.index() * 10 + q.index())
      serial r in [#0 = 1] {
        sync q
        v = m[1 - q.index()]
        sync q
        m(q.index()).store(v)
      }
      D((p.index(), q.index())).store(m[q.index()])
    }
    s(p.index()).store(m[0] + m[1])
    sync p
    C(p.index()).store(s[1 - p.index()])
  }
})", {array("C", I{-1, -1}), array("D", {2, 2}, I(4, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("D") == I{1, 0, 11, 10});
  CHECK(r.get<std::int64_t>("C") == I{21, 1});
}

TEST_CASE("syncs and joins: an instance's tile is its own across a meeting", "[SYNC][UPD-JOIN]") {
  // acc[t] = t + 1 before the meeting; after it each reads its neighbour's element of acc: still the shared 0. The sync
  // excuses no interference on a tile: one reads what another writes.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  axis i = 4
  acc = full(i64 [i], 0)
  s = memory i64 [i]
  parallel p in [i] {
    t = p.index()
    acc = insert(acc, t + 1, (t))
    s(t).store(acc[t])
    sync p
    C(t).store(acc[(t + 1) % 4] * 100 + s[(t + 1) % 4])
  }
  C(0).atomic_add(acc[3] * 1000)
})", {array("C", I(4, -1))});
  CHECK(r.codes() == "U0305@10");
  CHECK(r.get<std::int64_t>("C") == I{4002, 3, 4, 1});
}

TEST_CASE("an instance that goes elsewhere is named with its guard", "[SYNC]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  axis i = 4
  parallel p in [i] {
    if p.index() != 2 {
      sync p
    }
    C(p.index()).store(1)
  }
})", {array("C", I(4, 0))});
  REQUIRE(r.codes() == "U0401@5");
  CHECK(r.says("(1) met by p(i=0)"));
  CHECK(r.says("p(i=2) ended without meeting it"));
  REQUIRE(r.diagnostics[0].sites.size() == 2);
  CHECK(r.diagnostics[0].sites[1].site.line == 4);
  CHECK(r.diagnostics[0].sites[1].label == "the guard");
  CHECK(r.get<std::int64_t>("C") == I{1, 1, 1, 1}); // the run goes on
}

TEST_CASE("different syncs, different rounds, a while", "[SYNC]") {
  auto run = [](const std::string &body) {
    return run_tile("kernel k(C: mut i64[4]) {\n  axis i = 4\n  parallel p in [i] {\n" + body + "\n  }\n}",
                    {array("C", I(4, 0))});
  };
  // Two statements, one per arm: same count of meetings, not the same statement.
  const TileRun arms = run("    if p.index() < 2 {\n sync p\n } else {\n sync p\n }");
  REQUIRE(arms.codes() == "U0401@5");
  CHECK(arms.says("(2) met by p(i=2) instead"));
  REQUIRE(arms.diagnostics[0].sites.size() == 3);
  CHECK(arms.diagnostics[0].sites[1].site.line == 7);
  CHECK(arms.diagnostics[0].sites[2].site.line == 4);
  // The guard is the outer `if`, not the loop in it.
  const TileRun loop = run("    if p.index() < 2 {\n serial s in [#0 = 2] {\n sync p\n }\n }");
  REQUIRE(loop.codes() == "U0401@6");
  CHECK(loop.diagnostics[0].sites.back().site.line == 4);
  // One statement at two temporal points: instance 3 skips round 0.
  const TileRun rounds = run("    serial s in [t = 2] {\n if p.index() != 3 | s.index() == 1 {\n sync p\n }\n }");
  REQUIRE(rounds.codes() == "U0401@6");
  CHECK(rounds.says("p(i=0), s(t=0)"));
  CHECK(rounds.says("p(i=3), s(t=1) instead"));
  // `while` counts its rounds; p makes p rounds.
  const TileRun rounds_of_while = run("    n: i64 = 0\n while n < p.index() {\n n = n + 1\n sync p\n }");
  REQUIRE(rounds_of_while.codes() == "U0401@7");
  CHECK(rounds_of_while.says("p(i=0) ended without meeting it"));
  CHECK(rounds_of_while.diagnostics[0].sites.back().site.line == 5);
}

TEST_CASE("the innocent twins of divergence", "[SYNC]") {
  auto codes = [](const std::string &body) {
    return run_tile("kernel k(n: extent, C: mut i64[4]) {\n  axis i = 4\n  parallel p in [i] {\n" + body + "\n  }\n}",
                    {array("C", I(4, 0))}, {{{"n", 2}}}).codes();
  };
  CHECK(codes("if extent(n) > 1 { sync p }") == "");                      // a uniform guard
  CHECK(codes("if p.index() >= 0 { sync p }") == "");                     // all of them take the arm
  CHECK(codes("serial s in [#0 = n] { sync p }\n sync p") == "");
  CHECK(codes("k: i64 = 0\n while k < 3 { k = k + 1\n sync p }") == "");
  CHECK(codes("if p.index() < 2 { C(p.index()).store(1) }\n sync p") == "");
}

TEST_CASE("one divergence is one report", "[SYNC]") {
  // Instance 0 skips the first of three meetings: what follows from it is not reported again.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2]) {
  axis i = 2
  parallel p in [i] {
    if p.index() > 0 { sync p }
    sync p
    sync p
  }
})", {array("C", I{0, 0})});
  CHECK(r.diagnostics.size() == 1);
}

TEST_CASE("many phases of many instances", "[SYNC]") {
  // 300 instances in a ring pass their value on 300 times: everyone gets their own back.
  const TileRun r = run_tile(R"(kernel k(X: mut i64[300]) {
  axis i = 300
  parallel p in [i] {
    serial s in [#0 = 300] {
      v = X[(p.index() + 1) % 300]
      sync p
      X(p.index()).store(v)
      sync p
    }
  }
})", {array("X", iota_values<std::int64_t>(300))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("X") == iota_values<std::int64_t>(300));
}
