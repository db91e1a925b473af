// SPDX-License-Identifier: Apache-2.0
// Calculus 2 on the machine: contexts, coordinates, carries, snapshots.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

TEST_CASE("definitions of an iteration's end become the next one's together", "[VAL-CARRY]") {
  // Fibonacci by (a, b) <- (b, a + b), and a swap: after 7 rounds a = 13, b = 21; x, y swapped an odd number of times.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  a: i64 = 0
  b: i64 = 1
  x: i64 = 5
  y: i64 = 6
  serial s in [#0 = 7] {
    t = a
    a = b
    b = t + b
    u = x
    x = y
    y = u
  }
  C(0).store(a)
  C(1).store(b)
  C(2).store(x)
  C(3).store(y)
})", {array("C", I(4, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{13, 21, 6, 5});
}

TEST_CASE("a swap of tiles carries both", "[VAL-CARRY]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 20]) {
  axis m = 20
  a = iota(m)
  b = iota(m) + 100
  pipeline s in [#0 = 3] {
    t = a
    a = b
    b = t
  }
  C((0, 0), [_, m]).store(a)
  C((1, 0), [_, m]).store(b)
})", {array("C", {2, 20}, I(40, -1))});
  I expected = iota_values<std::int64_t>(20, 100);
  for (int i = 0; i < 20; ++i) expected.push_back(i);
  CHECK(r.get<std::int64_t>("C") == expected);
}

TEST_CASE("a rotation of three through a while and an if", "[VAL-CARRY]") {
  // Rounds 0..4 rotate (a, b, c) <- (b, c, a) except round 2: four rotations are one: (2, 3, 1).
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  a: i64 = 1
  b: i64 = 2
  c: i64 = 3
  n: i64 = 0
  while n < 5 {
    if n != 2 {
      t = a
      a = b
      b = c
      c = t
    }
    n = n + 1
  }
  C(0).store(a)
  C(1).store(b)
  C(2).store(c)
  C(3).store(n)
})", {array("C", I(4, -1))});
  CHECK(r.get<std::int64_t>("C") == I{2, 3, 1, 5});
}

TEST_CASE("zero iterations leave the incoming values", "[VAL-CARRY]") {
  for (const char *head : {"serial s in [#0 = n]", "pipeline s in [#0 = n]", "reduce s in [#0 = n]",
                           "serial s in [#1 = 3, #0 = n]", "serial s in [t = 3] where t > 5", "while a > 100"}) {
    const TileRun r = run_tile(std::string("kernel k(n: extent, C: mut i64[1]) {\n a: i64 = 42\n ") + head +
                                   " { a = a + 1 }\n C(0).store(a)\n}",
                               {array("C", I{0})}, {{{"n", 0}}});
    INFO(head);
    CHECK(r.codes() == "");
    CHECK(r.get<std::int64_t>("C") == I{42});
  }
}

TEST_CASE("a value read in the next iteration is the one before", "[VAL-CARRY]") {
  // prev is last round's x: at round s, C[s] = s * s - (s - 1)^2 = 2 s - 1, and at 0: 0 - 7.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  prev: i64 = 7
  serial s in [#0 = 4] {
    x = s.index() * s.index()
    C(s.index()).store(x - prev)
    prev = x
  }
})", {array("C", I(4, -1))});
  CHECK(r.get<std::int64_t>("C") == I{-7, 1, 3, 5});
}

TEST_CASE("a load is a snapshot", "[VAL-SNAP]") {
  // x is what A[0] was; a copy of it keeps that, too.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[2], C: mut i64[3]) {
  x = A[0]
  y = x
  A(0).store(9)
  x = x + 1
  C(0).store(y)
  C(1).store(x)
  C(2).store(A[0])
})", {array("A", I{4, 0}), array("C", I{0, 0, 0})});
  CHECK(r.get<std::int64_t>("C") == I{4, 5, 9});
  // A window, whole, while its place is overwritten.
  const TileRun w = run_tile(R"(kernel k(A: mut i64[40]) {
  axis m = 20
  x = A[0, [m]]
  A(0, [m]).store(x + 100)
  A(20, [m]).store(x)
})", {array("A", iota_values<std::int64_t>(40))});
  I expected = iota_values<std::int64_t>(20, 100);
  for (int i = 0; i < 20; ++i) expected.push_back(i);
  CHECK(w.get<std::int64_t>("A") == expected);
}

TEST_CASE("parallels extend the prefix, everything else keeps it", "[CTX-PAR][CTX-SER][CTX-PIPE][CTX-RED]") {
  // One memory per instance of p: what serial, pipeline and reduce leave in it is p's.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[3]) {
  axis i = 3
  parallel p in [i] {
    m = memory i64 [#0 = 1]
    m(0).store(p.index())
    serial s in [#0 = 2] { m(0).store(m[0] * 2) }
    pipeline q in [#0 = 2] {
      stage
      m(0).store(m[0] + 1)
    }
    x: i64 = 0
    reduce t in [#0 = 3] { x = x + m[0] }
    C(p.index()).store(x)
  }
})", {array("C", I(3, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{6, 18, 30}); // 3 (4 p + 2)
}

TEST_CASE("serial runs its points in order, or in the order given", "[CTX-SER]") {
  const char *text = R"(kernel k(C: mut i64[6]) {
  axis a = 2, b = 3
  n: i64 = 0
  serial s in [a, b] ORDER {
    C(s.a * 3 + s.b).store(n)
    n = n + 1
  }
})";
  auto run = [&](std::string order) {
    std::string t = text;
    t.replace(t.find("ORDER"), 5, order);
    return run_tile(t, {array("C", I(6, -1))});
  };
  CHECK(run("").get<std::int64_t>("C") == I{0, 1, 2, 3, 4, 5});
  // Position (i, j) runs point (1 - i, 2 - j): backwards.
  CHECK(run("order (1 - a, 2 - b)").get<std::int64_t>("C") == I{5, 4, 3, 2, 1, 0});
  // Column by column: position k = 3 a + b in 0..5 runs point (k % 2, k / 2): the point (x, y) runs at 2 y + x.
  CHECK(run("order (mod(a * 3 + b, 2), floordiv(a * 3 + b, 2))").get<std::int64_t>("C") == I{0, 2, 4, 1, 3, 5});
  CHECK(run("order (a, 0)").codes() == "T0610@4");
  CHECK(run("order (a, b + 1)").codes() == "T0610@4");
}

TEST_CASE("operations outside any nest run once", "[CTX-ROOT]") {
  const TileRun r = run_tile("kernel k(C: mut i64[1]) {\n C(0).store(C[0] + 1)\n C(0).atomic_add(10)\n}",
                             {array("C", I{1})});
  CHECK(r.get<std::int64_t>("C") == I{12});
}

TEST_CASE("index belongs to its own nest whatever is open inside", "[EXT-NOW]") {
  // p.index() inside q and s is p's; coord is the whole path.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 3]) {
  axis i = 2, j = 3
  parallel p in [i] {
    x = p.index() * 100
    parallel q in [j] {
      serial s in [#0 = 2] {
        C((p.index(), q.index())).store(x + p.index() * 10 + q.index() + s.index())
      }
    }
  }
})", {array("C", {2, 3}, I(6, -1))});
  CHECK(r.get<std::int64_t>("C") == I{1, 2, 3, 111, 112, 113});
  const TileRun path = run_tile(R"(kernel k(C: mut i64[2, 3]) {
  axis i = 2, j = 3
  parallel p in [i] { parallel q in [j] { C(q.coord()).store(q.index()) } }
})", {array("C", {2, 3}, I(6, -1))});
  CHECK(path.get<std::int64_t>("C") == I{0, 1, 2, 0, 1, 2});
}

TEST_CASE("a map of coordinates: index is local, coord goes through the map", "[CTX-MAP]") {
  // q's path is (p, 2 - q): coord's last output runs backwards.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 3]) {
  axis i = 2, j = 3
  parallel p in [i] {
    parallel q in [j] layout (p.i, 2 - j) { C(q.coord()).store(p.index() * 10 + q.index()) }
  }
})", {array("C", {2, 3}, I(6, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{2, 1, 0, 12, 11, 10});
  auto codes = [](std::string map, std::string where = "") {
    return run_tile("kernel k(C: mut i64[2, 3]) {\n axis i = 2, j = 3\n parallel p in [i] {\n parallel q in [j]" +
                        where + " layout " + map + " { C((p.index(), q.index())).store(1) }\n }\n}",
                    {array("C", {2, 3}, I(6, -1))}).codes();
  };
  CHECK(codes("(p.i, floordiv(j, 2))") == "U0402@4");                  // 0 and 1 to one place
  CHECK(codes("(p.i, floordiv(j, 2))", " where j != 1") == "");        // injective on the active ones
  CHECK(codes("(1 - p.i, j)") == "U0402@4");                           // leaves its parent
  CHECK(codes("(p.i, j, 0)") == "");
}

TEST_CASE("an inferred domain has the extents that its index addresses", "[CTX-INFER]") {
  const TileRun r = run_tile(R"(kernel k(A: i64[M, N], C: out i64[M, N]) {
  parallel p in infer { C(p.index()).store(A[p.index()] * 2) }
})", {array("A", {2, 3}, iota_values<std::int64_t>(6))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 2, 4, 6, 8, 10});
  CHECK(r.undefined.at("C") == 0);
}

TEST_CASE("if, else, switch choose one arm; the values of the others are the ones before", "[VAL-CARRY][CTX-ROOT]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[5]) {
  axis i = 5
  serial s in [i] {
    v: i64 = 7
    switch s.index() {
      case 1 { v = 10 }
      case -3 { v = 20 }
      case 3 { v = v * 3 }
      default { if s.index() == 4 { v = 40 } else if s.index() == 2 { v = v + 1 } }
    }
    C(s.index()).store(v)
  }
})", {array("C", I(5, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{7, 10, 8, 21, 40});
}

TEST_CASE("a while's condition reads the definitions of its round", "[VAL-CARRY]") {
  // Collatz from 27: 111 rounds; the condition block computes through a local.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2]) {
  x: i64 = 27
  n: i64 = 0
  while {
    odd = x % 2 == 1
    test x != 1
  } {
    if odd { x = x * 3 + 1 } else { x = x / 2 }
    n = n + 1
  }
  C(0).store(n)
  C(1).store(x)
})", {array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{111, 1});
}

// The outer map divides by zero at its only instance; the inner map takes the outer path and has none to take.
TEST_CASE("a map without a value is reported where it has none, once", "[CTX-MAP]") {
  const TileRun r = run_tile(R"(kernel k(Y: mut i64[2]) {
  axis i = 1, j = 2
  parallel p in [i] layout (floordiv(i, i)) {
    parallel q in [j] layout (p.i, j, j) { Y(q.j).store(q.j) }
  }
})",
                             {array("Y", I{0, 0})});
  CHECK(r.codes() == "U0402@3");
}
