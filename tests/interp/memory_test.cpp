// SPDX-License-Identifier: Apache-2.0
// MEM-OWN, MEM-INIT, UPD-MEM, EFF-ORDER, ATOM: storage of arguments and memories.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using I = std::vector<std::int64_t>;
using F = std::vector<float>;

TEST_CASE("a memory is one allocation per instance of its nest", "[MEM-OWN]") {
  // Each p counts to p + 1 in its own cell, in 4 rounds of which p + 1 add.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4]) {
  axis i = 4
  parallel p in [i] {
    m = memory i64 [#0 = 1]
    m(0).store(0)
    serial s in [#0 = 4] {
      if s.index() <= p.index() { m(0).store(m[0] + 1) }
    }
    C(p.index()).store(m[0])
  }
})", {array("C", I(4, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1, 2, 3, 4});
}

TEST_CASE("instances that live side by side have their own memories", "[MEM-OWN][SYNC]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[3]) {
  axis i = 3
  parallel p in [i] {
    m = memory i64 [#0 = 1]
    m(0).store(p.index() + 5)
    sync p
    C(p.index()).store(m[0])
  }
})", {array("C", I(3, -1))});
  CHECK(r.get<std::int64_t>("C") == I{5, 6, 7});
}

TEST_CASE("declared in a loop, an arm or a contribution it is fresh each time", "[MEM-OWN][MEM-INIT]") {
  auto codes = [](const std::string &body) {
    return run_tile("kernel k(C: mut i64[1]) {\n" + body + "\n}", {array("C", I{0})}).codes();
  };
  // Written in round 0 only, read in round 1: fresh, so undefined.
  CHECK(codes("serial s in [#0 = 2] {\n m = memory i64 [#0 = 1]\n if s.index() == 0 { m(0).store(1) }\n"
              " C(0).store(m[0])\n }") == "U0106@5");
  CHECK(codes("x: i64 = 0\n reduce s in [#0 = 2] {\n m = memory i64 [#0 = 1]\n if s.index() == 0 { m(0).store(1) }\n"
              " x = x + m[0]\n }\n C(0).store(x)") == "U0106@6");
  CHECK(codes("serial s in [#0 = 2] {\n if s.index() >= 0 {\n m = memory i64 [#0 = 1]\n"
              " if s.index() == 0 { m(0).store(1) }\n C(0).store(m[0])\n }\n }") == "U0106@6");
  // Outside the loop it is one.
  CHECK(codes("m = memory i64 [#0 = 1]\n serial s in [#0 = 2] {\n if s.index() == 0 { m(0).store(1) }\n"
              " C(0).store(m[0])\n }") == "");
}

TEST_CASE("a load needs a store before it, per element", "[MEM-INIT]") {
  auto run = [](const std::string &body) {
    return run_tile("kernel k(A: f32[4], C: out f32[4], D: mut f32[4]) {\n axis m = 4\n" + body + "\n}",
                    {array("A", F{1, 2, 3, 4}), array("D", F{0, 0, 0, 0})});
  };
  const TileRun whole = run(" t = memory f32 [m]\n t(1, [m]).store(A[0, [m]])\n D(0, [m]).store(t[0, [m]])");
  REQUIRE(whole.codes() == "U0106@5"); // element 0 was never written; 1..3 were
  CHECK(whole.diagnostics[0].count == 1);
  CHECK(whole.says("`t[0]`"));
  CHECK(whole.says("`D[0]`"));
  CHECK(run(" t = memory f32 [m]\n t(0, [m]).store(A[0, [m]])\n D(0, [m]).store(t[0, [m]])").codes() == "");
  // An `out` argument starts undefined.
  CHECK(run(" D(0).store(C[2])").codes() == "U0106@3");
  CHECK(run(" C(2).store(1.0)\n D(0).store(C[2])").codes() == "");
  CHECK(run(" C(2).atomic_add(1.0)").codes() == "U0106@3");
  CHECK(run(" C(2).store(1.0)\n C(2).atomic_add(1.0)").codes() == "");
  // An undefined element that nothing uses is no violation; nor is one that `ite` leaves out.
  CHECK(run(" x = C[0, [m]]\n C(0, [m]).store(A[0, [m]])").codes() == "");
  CHECK(run(" C(0).store(1.0)\n D(0, [m]).store(ite(iota(m) == 0, C[0, [m]], A[0, [m]]))").codes() == "");
  // Outside the object nothing is undefined: zero.
  CHECK(run(" D(0, [m]).store(C[4, [m]])").codes() == "");
}

TEST_CASE("elements that no store reached are counted", "[MEM-INIT]") {
  const TileRun r = run_tile("kernel k(C: out f32[7]) {\n axis m = 3\n C(1, [m]).store(full(f32 [m], 2.0))\n C(6).store(1.0)\n}");
  CHECK(r.undefined.at("C") == 3);
  TileRunOptions unchecked;
  unchecked.checked = false;
  CHECK(run_tile("kernel k(C: out f32[7]) {\n C(6).store(1.0)\n}", {}, unchecked).undefined.at("C") == 6);
}

TEST_CASE("a load sees the last store before it, through whatever view", "[UPD-MEM][EFF-ORDER]") {
  const TileRun r = run_tile(R"(kernel k(C: mut u32[2], D: mut u8[8]) {
  axis i = 2
  b = C.view_as(u8)
  parallel p in [i] {
    C(p.index()).store(0x04030201)
    b(p.index() * 4 + 1).store(0xFF)
    D(p.index() * 4, [#0 = 4]).store(b[p.index() * 4, [#0 = 4]])
  }
})", {array("C", std::vector<std::uint32_t>{0, 0}), array("D", std::vector<std::uint8_t>(8, 0))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint32_t>("C") == std::vector<std::uint32_t>{0x0403FF01, 0x0403FF01});
  CHECK(r.get<std::uint8_t>("D") == std::vector<std::uint8_t>{1, 0xFF, 3, 4, 1, 0xFF, 3, 4});
}

TEST_CASE("wider and same-width views; bytes that are half defined", "[EFF-ORDER][MEM-INIT]") {
  const TileRun r = run_tile(R"(kernel k(C: mut f32[2], D: mut i32[2]) {
  v = C.view_as(i32)
  D(0, [#0 = 2]).store(v[0, [#0 = 2]])
})", {array("C", F{1.0f, -2.0f}), array("D", std::vector<std::int32_t>{0, 0})});
  CHECK(r.get<std::int32_t>("D") == std::vector<std::int32_t>{0x3F800000, static_cast<std::int32_t>(0xC0000000)});
  auto codes = [](const std::string &body) {
    return run_tile("kernel k(D: mut u32[1]) {\n axis m = 4\n t = memory u8 [m]\n w = t.view_as(u32)\n" + body + "\n}",
                    {array("D", std::vector<std::uint32_t>{0})}).codes();
  };
  CHECK(codes(" t(0, [m = 3]).store(full(u8 [m = 3], 1))\n D(0).store(w[0])") == "U0106@6");
  CHECK(codes(" t(0, [m]).store(full(u8 [m], 1))\n D(0).store(w[0])") == "");
}

TEST_CASE("a bool view of any bytes: a byte is true unless it is 0", "[EFF-ORDER]") {
  // Bytes 0 1 2 3: false, then true. Selected, cast, negated, compared, joined: 2 + 100 + 1000, 1 + 10 + 1000 + 10000.
  const TileRun r = run_tile(R"(kernel k(A: mut u8[4], C: mut i64[4], D: mut u8[4]) {
  axis m = 4
  b = A.view_as(bool)
  x = b[0, [m]]
  C(0, [m]).store(ite(x, full(i64 [m], 1), full(i64 [m], 2)) + cast(x, i64) * 10 + cast(!x, i64) * 100 + cast(x == x, i64) * 1000 + cast(x & x, i64) * 10000)
  d = D.view_as(bool)
  d(0, [m]).store(!x)
  b(2).atomic_xor(true)
  b(3).atomic_and(true)
})", {array("A", std::vector<std::uint8_t>{0, 1, 2, 3}), array("C", I(4, 0)), array("D", std::vector<std::uint8_t>(4, 9))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1102, 11011, 11011, 11011});
  CHECK(r.get<std::uint8_t>("D") == std::vector<std::uint8_t>{1, 0, 0, 0});
  CHECK(r.get<std::uint8_t>("A") == std::vector<std::uint8_t>{0, 1, 0, 1});
}

TEST_CASE("two memories of one instance are two", "[MEM-OWN]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[3]) {
  parallel p in [#0 = 3] {
    a = memory i64 [#0 = 2]
    b = memory i64 [#0 = 2]
    a(0, [#0 = 2]).store(full(i64 [#0 = 2], 1))
    b(0, [#0 = 2]).store(full(i64 [#0 = 2], 10))
    serial s in [#0 = 2] {
      c = memory i64 [#0 = 1]
      c(0).store(100)
      a(s.index()).store(a[s.index()] + b[s.index()] + c[0] + p.index())
    }
    C(p.index()).store(a[0] + a[1])
  }
})", {array("C", I(3, 0))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{222, 224, 226});
}

TEST_CASE("arguments overlap where their buffers do", "[EFF-ORDER]") {
  // D is A from its third element on: what is stored through A is loaded through D, in source order.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[6], D: mut i64[4], C: mut i64[2]) {
  A(3).store(100)
  C(0).store(D[1])
  D(0).store(D[1] + 1)
  C(1).store(A[2])
})", {array("A", iota_values<std::int64_t>(6)), alias("D", {4}, "A", 16), array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{100, 101});
  // Both start undefined: a store through one defines the element for the other.
  const TileRun u = run_tile(R"(kernel k(A: out i64[6], D: out i64[4], C: mut i64[1]) {
  A(3).store(100)
  C(0).store(D[1])
})", {alias("D", {4}, "A", 16), array("C", I{0})});
  CHECK(u.codes() == "");
  CHECK(u.get<std::int64_t>("C") == I{100});
  CHECK(u.undefined.at("A") == 5);
  CHECK(u.undefined.at("D") == 3);
  const TileRun v = run_tile("kernel k(A: out i64[6], D: out i64[4], C: mut i64[1]) {\n A(2).store(100)\n C(0).store(D[1])\n}",
                             {alias("D", {4}, "A", 16), array("C", I{0})});
  CHECK(v.codes() == "U0106@3");
}

TEST_CASE("a leaf nest over overlapping buffers goes instance by instance", "[EFF-ORDER][UPD-MEM]") {
  // Each instance stores at p, then loads the same place through the other argument.
  const TileRun r = run_tile(R"(kernel k(A: mut i64[2000], D: mut i64[2000], C: mut i64[2000]) {
  parallel p in [#0 = 2000] {
    A(p.index()).store(p.index() * 3)
    C(p.index()).store(D[p.index()])
  }
})", {array("A", I(2000, 0)), alias("D", {2000}, "A"), array("C", I(2000, 0))});
  CHECK(r.codes() == "");
  I expected;
  for (int p = 0; p < 2000; ++p) expected.push_back(p * 3);
  CHECK(r.get<std::int64_t>("C") == expected);
}

TEST_CASE("memories with layouts of their own", "[MEM-OWN]") {
  // Column-major, padded, and an index map (rows swizzled): the same values come back.
  for (const char *layout : {"", "strides (1, 3)", "strides (8, 2) offset 1", "layout (a, b) -> (a * 4 + xor(a, b))"}) {
    const TileRun r = run_tile(std::string("kernel k(C: mut i64[3, 4]) {\n axis x = 3, y = 4\n t = memory i64 [x, y] ") + layout +
                                   "\n t((0, 0), [x, y]).store(iota(x) * 10 + iota(y))\n"
                                   " C((0, 0), [x, y]).store(t[(0, 0), [x, y]])\n C((1, 1)).store(t[(2, 3)])\n}",
                               {array("C", {3, 4}, I(12, -1))});
    INFO(layout << "\n" << r.text());
    CHECK(r.codes() == "");
    CHECK(r.get<std::int64_t>("C") == I{0, 1, 2, 3, 10, 23, 12, 13, 20, 21, 22, 23});
  }
}

TEST_CASE("atomics of every kind and type", "[ATOM]") {
  // Fold 12, 10, 6 into 3 with two instances each adding: integers by hand.
  struct Case {
    const char *kind;
    std::int64_t result;
  };
  // add: 3 + 12 + 10 + 6 = 31; min 3; max 12; and: 3 & 12 = 0; or: 3 | 12 | 10 | 6 = 15; xor: 3 ^ 12 ^ 10 ^ 6 = 3.
  for (const Case &c : {Case{"add", 31}, {"min", 3}, {"max", 12}, {"and", 0}, {"or", 15}, {"xor", 3}})
    for (const char *type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
      const std::string t = type;
      const TileRun r = run_tile("kernel k(A: i64[3], C: mut i64[1]) {\n t = memory " + t + " [#0 = 1]\n t(0).store(" + t +
                                     "(3))\n parallel p in [#0 = 3] { t(0).atomic_" + c.kind + "(cast(A[p.index()], " + t +
                                     ")) }\n C(0).store(cast(t[0], i64))\n}",
                                 {array("A", I{12, 10, 6}), array("C", I{0})});
      INFO(c.kind << " " << type << "\n" << r.text());
      CHECK(r.codes() == "");
      CHECK(r.get<std::int64_t>("C") == I{c.result});
    }
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    for (const Case &c : {Case{"add", 31}, {"min", 3}, {"max", 12}}) {
      const std::string t = type;
      const TileRun r = run_tile("kernel k(A: i64[3], C: mut i64[1]) {\n t = memory " + t + " [#0 = 1]\n t(0).store(3.0)\n"
                                     " parallel p in [#0 = 3] { t(0).atomic_" + c.kind + "(cast(A[p.index()], " + t +
                                     ")) }\n C(0).store(cast(t[0], i64))\n}",
                                 {array("A", I{12, 10, 6}), array("C", I{0})});
      INFO(c.kind << " " << type << "\n" << r.text());
      CHECK(r.codes() == "");
      CHECK(r.get<std::int64_t>("C") == I{c.result});
    }
  // Logical ones on bool: and of true with false is false, or true, xor of true with true false.
  const TileRun b = run_tile(R"(kernel k(C: mut bool[3]) {
  C(0).atomic_and(false)
  C(1).atomic_or(true)
  C(2).atomic_xor(true)
})", {array<std::uint8_t>("C", {3}, {1, 0, 1}, ScalarType::boolean)});
  CHECK(b.codes() == "");
  CHECK(b.get<std::uint8_t>("C") == std::vector<std::uint8_t>{0, 1, 0});
  // min and max propagate NaN and order -0 below +0; add wraps.
  const TileRun f = run_tile(R"(kernel k(C: mut f32[3], D: mut i8[1]) {
  C(0).atomic_min(nan)
  C(1).atomic_min(-0.0)
  C(2).atomic_max(0.0)
  D(0).atomic_add(100)
})", {array("C", F{1, 0.0f, -0.0f}), array("D", std::vector<std::int8_t>{100})});
  CHECK(f.codes() == "");
  CHECK(std::isnan(f.get<float>("C")[0]));
  CHECK(std::signbit(f.get<float>("C")[1]));
  CHECK_FALSE(std::signbit(f.get<float>("C")[2]));
  CHECK(f.get<std::int8_t>("D")[0] == -56);
}

TEST_CASE("atomics within one instance, on one cell, across iterations", "[ATOM]") {
  // A histogram: 12 values mod 5, counted from two instances' halves: 0..11 mod 5 = 3 3 2 2 2.
  const TileRun r = run_tile(R"(kernel k(A: i64[12], H: mut i64[5]) {
  axis m = 6
  parallel p in [#0 = 2] {
    x = A[p.index() * 6, [m]]
    H.scatter_add(full(i64 [m], 1), mod(x, 5))
  }
})", {array("A", iota_values<std::int64_t>(12)), array("H", I(5, 0))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("H") == I{3, 3, 2, 2, 2});
}

TEST_CASE("a scatter is unique elements of one store", "[UPD-MEM]") {
  const TileRun r = run_tile(R"(kernel k(A: i64[4], C: mut i64[4, 2]) {
  axis m = 4
  C.scatter(A[0, [m]], 3 - iota(m), mod(iota(m), 2))
})", {array("A", I{1, 2, 3, 4}), array("C", {4, 2}, I(8, 0))});
  CHECK(r.get<std::int64_t>("C") == I{0, 4, 3, 0, 0, 2, 1, 0});
}
