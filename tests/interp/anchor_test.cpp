// SPDX-License-Identifier: Apache-2.0
// Calculus 3 on the machine: what happens once, what is shared, what happens per instance.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using F = std::vector<float>;
using I = std::vector<std::int64_t>;

TEST_CASE("an operation happens once per coordinate of its anchor", "[ANC-ONCE]") {
  // The store names no coordinate of q, so its anchor is p: each p doubles its own cell once, however many q there
  // are. Repeated per q it would be doubled three times.
  const TileRun r = run_tile(R"(kernel k(C: mut f32[4]) {
  axis i = 4, j = 3
  parallel p in [i] {
    parallel q in [j] {
      C(p.index()).store(C[p.index()] * 2.0)
    }
  }
})", {array("C", F{1, 2, 3, 4})});
  CHECK(r.codes() == "");
  CHECK(r.get<float>("C") == F{2, 4, 6, 8});
}

TEST_CASE("an operation happens once per temporal point, not once per loop", "[ANC-ONCE][ANC-SHARE]") {
  // Root anchor, 5 temporal points, 3 instances: C[0] grows 5 times.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[1]) {
  axis i = 3, t = 5
  parallel p in [i] {
    serial s in [t] {
      C(0).store(C[0] + 1)
    }
  }
})", {array("C", I{10})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{15});
}

TEST_CASE("an operation happens once per point of a reduce", "[ANC-ONCE]") {
  // The load of A[r] is lifted to the root: once per point r; each point adds A[r], so every instance sees
  // 0 + 1 + 2 + 3 = 6.
  const TileRun r = run_tile(R"(kernel k(A: i64[4], C: mut i64[2]) {
  axis i = 2, t = 4
  parallel p in [i] {
    s: i64 = 0
    reduce r in [t] {
      s = s + A[r.index()]
    }
    C(p.index()).store(s + p.index() * 100)
  }
})", {array("A", iota_values<std::int64_t>(4)), array("C", I{-1, -1})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{6, 106});
}

TEST_CASE("a parallel without an active instance lets nothing happen", "[ANC-ONCE]") {
  // Neither the lifted store nor the lifted update nor the assertion under an empty frontier happens.
  const char *text = R"(kernel k(n: extent, F: bool[3], C: mut i64[1]) {
  axis i = n, j = 3
  acc: i64 = 7
  parallel p in [i] {
    C(0).store(1)
    acc = acc + 1
    assert(acc < 0)
  }
  parallel q in [j] where F.gather(j) {
    C(0).store(2)
    acc = acc + 1
  }
  C(0).atomic_add(acc)
})";
  const TileRun r = run_tile(text, {array("C", I{100}), array<std::uint8_t>("F", {3}, {0, 0, 0}, ScalarType::boolean)}, {{{"n", 0}}});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{107});
}

TEST_CASE("an inner frontier that no instance reaches", "[ANC-ONCE]") {
  // q's instances exist for odd p only. The store in q names p only: once per p that has an active q.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  axis i = 4, j = 2
  parallel p in [i] {
    parallel q in [j] where p.index() % 2 == 1 {
      C(p.index()).store(C[p.index()] + 1)
    }
  }
})", {array("C", I{0, 0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 1, 0, 1});
}

TEST_CASE("a lifted load is one snapshot for every instance", "[ANC-SHARE][VAL-SNAP]") {
  // A[0] is loaded once, before any instance stores: each instance adds the same 5. A load per instance would see
  // instance 0's store of 5 + 5.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[3]) {
  axis i = 3
  parallel p in [i] {
    x = A[0]
    A(p.index()).store(x + 5)
  }
})", {array("A", I{5, 6, 7})});
  CHECK(r.get<std::int64_t>("A") == I{10, 10, 10});
}

TEST_CASE("lifted loads in mixed loops are snapshots of their temporal point", "[ANC-SHARE]") {
  // Each t first adds 1 to A[0] (lifted, once per t), then every instance records A[0] at its cell of row t.
  // Inner loop u repeats the load at its own temporal points: the stores of A[0] alternate.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[1], C: mut i64[3, 2, 4]) {
  axis i = 4
  parallel p in [i] {
    serial t in [#1 = 3] {
      serial u in [#0 = 2] {
        A(0).store(A[0] + 1)
        x = A[0]
        C(t.index(), u.index(), p.index()).store(x * 10 + p.index())
      }
    }
  }
})", {array("A", I{0}), array("C", {3, 2, 4}, std::vector<std::int64_t>(24, -1))});
  I expected;
  for (int t = 0; t < 3; ++t)
    for (int u = 0; u < 2; ++u)
      for (int p = 0; p < 4; ++p) expected.push_back((t * 2 + u + 1) * 10 + p);
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("A") == I{6});
  CHECK(r.get<std::int64_t>("C") == expected);
}

TEST_CASE("lifted events keep the source order among themselves", "[ANC-SHARE]") {
  // x = A[0] (lifted) before the lifted store, y after it: every instance has x = 1, y = 2.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[1], C: mut i64[3]) {
  axis i = 3
  parallel p in [i] {
    x = A[0]
    A(0).store(2)
    y = A[0]
    C(p.index()).store(x * 10 + y + p.index() * 100)
  }
})", {array("A", I{1}), array("C", I{0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{12, 112, 212});
}

TEST_CASE("each execution of the parallel has its own lifted events", "[ANC-SHARE][ANC-ONCE]") {
  // The parallel runs 3 times in a serial loop and twice per o in an outer parallel; the lifted increment happens
  // once each: 3 * 2 = 6 (o is no coordinate of the store, but the inner parallel's executions are anchored at
  // the root too: one per t).
  const TileRun a = run_tile(R"(kernel k(A: mut i64[1]) {
  axis i = 4, n = 3
  serial t in [n] {
    parallel p in [i] { A(0).store(A[0] + 1) }
  }
})", {array("A", I{0})});
  CHECK(a.get<std::int64_t>("A") == I{3});
  // Lifted through two levels: once per t, whatever o and p.
  const TileRun b = run_tile(R"(kernel k(A: mut i64[1]) {
  axis o = 2, i = 4, n = 3
  parallel outer in [o] {
    serial t in [n] {
      parallel p in [i] { A(0).store(A[0] + 1) }
    }
  }
})", {array("A", I{0})});
  CHECK(b.get<std::int64_t>("A") == I{3});
  // Between the levels: the cell names `outer`.
  const TileRun c = run_tile(R"(kernel k(A: mut i64[2]) {
  axis o = 2, i = 4, n = 3
  parallel outer in [o] {
    serial t in [n] {
      parallel p in [i] { A(outer.index()).store(A[outer.index()] + 1) }
    }
  }
})", {array("A", I{0, 10})});
  CHECK(c.get<std::int64_t>("A") == I{3, 13});
}

TEST_CASE("lifted regions: loops, branches and whiles happen once", "[ANC-SHARE]") {
  // while doubles A[0] until it is 16 or more: from 1, four rounds; then an if adds 100. All lifted.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[1], C: mut i64[3]) {
  axis i = 3
  parallel p in [i] {
    n: i64 = 0
    while A[0] < 16 {
      A(0).store(A[0] * 2)
      n = n + 1
    }
    if n == 4 { A(0).store(A[0] + 100) }
    C(p.index()).store(n + p.index() * 10)
  }
})", {array("A", I{1}), array("C", I{0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("A") == I{116});
  CHECK(r.get<std::int64_t>("C") == I{4, 14, 24});
}

TEST_CASE("a condition makes an operation the instance's own", "[ANC-ONCE]") {
  // The store under p's condition happens in each instance that takes the arm: 3 of 4.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[1]) {
  axis i = 4
  parallel p in [i] {
    serial once in [#0 = 1] {
      if p.index() > 0 { C(0).atomic_add(1) }
    }
  }
})", {array("C", I{0})});
  CHECK(r.get<std::int64_t>("C") == I{3});
}

TEST_CASE("an atomic happens once per active instance whatever its operands", "[ANC-ATOM][ATOM]") {
  // 5 instances of 7 are active; 2 temporal points; all operands are uniform.
  const char *text = R"(kernel k(C: mut i64[2]) {
  axis i = 7, t = 2
  parallel p in [i] where i < 5 {
    C(0).atomic_add(1)
  }
  parallel q in [i] where i < 5 {
    serial s in [t] {
      C(1).atomic_add(1)
    }
  }
})";
  const TileRun r = run_tile(text, {array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{5, 10});
  // Nested: once per instance of the innermost parallel.
  const TileRun nested = run_tile(R"(kernel k(C: mut i64[1]) {
  parallel p in [#1 = 3] { parallel q in [#0 = 4] { C(0).atomic_add(1) } }
})", {array("C", I{0})});
  CHECK(nested.get<std::int64_t>("C") == I{12});
  // A scatter with a reducer is an atomic: 2 elements on one cell, 6 instances.
  const TileRun scatter = run_tile(R"(kernel k(C: mut i64[1]) {
  axis e = 2
  parallel p in [#0 = 6] { C.scatter_add(full(i64 [e], 1), full(i64 [e], 0)) }
})", {array("C", I{0})});
  CHECK(scatter.get<std::int64_t>("C") == I{12});
}

TEST_CASE("more instances than a row, uniform atomics and stores", "[ANC-ATOM][ATOM]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2]) {
  parallel p in [#0 = 2500] { C(0).atomic_add(1); C(1).store(7) }
})", {array("C", I{0, 0})});
  CHECK(r.get<std::int64_t>("C") == I{2500, 7});
}

TEST_CASE("per gives a value the anchor of a nest", "[ANC-PER]") {
  // The plain store is lifted: C[0] counts once. With per(p, 1) as its value it happens in every instance:
  // memory m is each instance's own, so the two are told apart by a count through atomics of the loaded value.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2]) {
  axis i = 3
  a: i64 = 0
  b: i64 = 0
  parallel p in [i] {
    v = full(i64 [#0 = 1], 1)
    C(0).atomic_add(1)
  }
  parallel q in [i] {
    serial s in [#0 = 1] {
      x = per(q, C[1])
      C(1).store(x + 1)
    }
  }
})", {array("C", I{0, 0})});
  // The load of C[1] keeps its root anchor (0); per only raises the value's. Each of the 3 instances stores 0 + 1.
  CHECK(r.get<std::int64_t>("C") == I{3, 1});
}
