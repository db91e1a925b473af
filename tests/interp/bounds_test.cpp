// SPDX-License-Identifier: Apache-2.0
// BND-ZERO, BND-PRED, BND-ASSUME: loads, stores, fallbacks, atomics, gathers and scatters, element by element,
// whatever the origin. Unchecked runs read and write the same.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {
// A[6] = 1..6, C[6] = -1; the body runs with the origin o.
TileRun try_access(const std::string &body, std::int64_t o, bool checked = true) {
  TileRunOptions options;
  options.checked = checked;
  return run_tile("kernel k(O: i64[1], A: i64[6], C: mut i64[6], D: mut i64[6]) {\n  axis m = 6, n = 3\n  o = O[0]\n" +
                      body + "\n}",
                  {array("O", I{o}), array("A", iota_values<std::int64_t>(6, 1)), array("C", I(6, -1)),
                   array("D", I(6, -1))}, options);
}
constexpr std::int64_t largest = INT64_MAX, smallest = INT64_MIN;
} // namespace

TEST_CASE("out of bounds a load reads zero, a store is masked", "[BND-ZERO]") {
  struct Case {
    std::int64_t origin;
    I loaded, stored;
  };
  const Case cases[] = {
      {0, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}},     {2, {3, 4, 5, 6, 0, 0}, {-1, -1, 1, 2, 3, 4}},
      {-2, {0, 0, 1, 2, 3, 4}, {3, 4, 5, 6, -1, -1}},  {5, {6, 0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1, 1}},
      {6, I(6, 0), I(6, -1)},                          {-6, I(6, 0), I(6, -1)},
      {-5, {0, 0, 0, 0, 0, 1}, {6, -1, -1, -1, -1, -1}}, {100, I(6, 0), I(6, -1)},
      {largest, I(6, 0), I(6, -1)},                    {largest - 3, I(6, 0), I(6, -1)},
      {smallest, I(6, 0), I(6, -1)},                   {smallest + 3, I(6, 0), I(6, -1)}};
  for (const Case &c : cases)
    for (bool checked : {true, false}) {
      INFO("origin " << c.origin);
      const TileRun r = try_access("  D(0, [m]).store(A[o, [m]])\n  C(o, [m]).store(A[0, [m]])", c.origin, checked);
      CHECK(r.codes() == "");
      CHECK(r.get<std::int64_t>("D") == c.loaded);
      CHECK(r.get<std::int64_t>("C") == c.stored);
      // The same through index tiles, where the coordinate itself may leave 64 bits: wrapped there, so elsewhere.
      if (c.origin > -1000 && c.origin < 1000) {
        const TileRun g = try_access("  D(0, [m]).store(A.gather(iota(m) + o))\n  C.scatter(A[0, [m]], iota(m) + o)", c.origin, checked);
        CHECK(g.get<std::int64_t>("D") == c.loaded);
        CHECK(g.get<std::int64_t>("C") == c.stored);
      }
    }
}

TEST_CASE("a fallback stands where a load does not read", "[BND-ZERO]") {
  CHECK(try_access("  D(0, [m]).store(A[o, [m], fallback(77)])", 4).get<std::int64_t>("D") == I{5, 6, 77, 77, 77, 77});
  CHECK(try_access("  D(0, [m]).store(A(o, [m]).load(77))", -4).get<std::int64_t>("D") == I{77, 77, 77, 77, 1, 2});
  CHECK(try_access("  D(0).store(A[o, fallback(77)])", largest).get<std::int64_t>("D")[0] == 77);
  CHECK(try_access("  D(0, [m]).store(A.gather(iota(m) * o, fallback(77)))", 3).get<std::int64_t>("D") == I{1, 4, 77, 77, 77, 77});
}

TEST_CASE("two axes, points and windows, each element by its own coordinate", "[BND-ZERO]") {
  // A[3][4] = 10 r + c; a 2x3 window at (2, -1): row 2: cols -1, 0, 1 -> 0 20 21; row 3 is outside. A column at
  // point 3 from row -1 on: 0 3 13 23.
  I a;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) a.push_back(10 * r + c);
  const TileRun r = run_tile(R"(kernel k(A: i64[3, 4], C: mut i64[2, 3], D: mut i64[4], E: mut i64[3, 4]) {
  axis m = 2, n = 3, q = 4
  C((0, 0), [m, n]).store(A[(2, -1), [m, n]])
  D(0, [q]).store(A[(-1, 3), [q, _]])
  E((-1, 2), [m, n]).store(full(i64 [m, n], 9))
})", {array("A", {3, 4}, a), array("C", {2, 3}, I(6, -1)), array("D", I(4, -1)), array("E", {3, 4}, I(12, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 20, 21, 0, 0, 0});
  CHECK(r.get<std::int64_t>("D") == I{0, 3, 13, 23});
  CHECK(r.get<std::int64_t>("E") == I{-1, -1, 9, 9, -1, -1, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("a masked atomic is no access", "[BND-ZERO][ATOM]") {
  CHECK(try_access("  C(o, [m]).atomic_add(A[0, [m]])", 4).get<std::int64_t>("C") == I{-1, -1, -1, -1, 0, 1});
  CHECK(try_access("  C.scatter_max(A[0, [m]], iota(m) * o)", 3).get<std::int64_t>("C") == I{1, -1, -1, 2, -1, -1});
}

TEST_CASE("the access's own predicate is the guard", "[BND-PRED]") {
  // True and in bounds: reads; false: the fallback, in bounds or not.
  const TileRun r = try_access("  D(0, [m]).store(A[o, [m], predicate(iota(m) < 2), fallback(77)])", 4);
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("D") == I{5, 6, 77, 77, 77, 77});
  // True and out of bounds: a violation for each of three elements, 6, 7 and 8.
  const TileRun out = try_access("  D(0, [m]).store(A[o, [m], predicate(iota(m) < 5), fallback(77)])", 4);
  REQUIRE(out.codes() == "U0202@4");
  CHECK(out.diagnostics[0].count == 3);
  CHECK(out.says("`A` is out of bounds at [6]"));
  // Stores: false is masked, true and outside a violation.
  CHECK(try_access("  C(o, [m], predicate(iota(m) < 2)).store(A[0, [m]])", 4).get<std::int64_t>("C") == I{-1, -1, -1, -1, 1, 2});
  CHECK(try_access("  C(o, [m], predicate(iota(m) < 2)).store(A[0, [m]])", 4).codes() == "");
  CHECK(try_access("  C(o, [m], predicate(iota(m) > 4)).store(A[0, [m]])", 4).codes() == "U0202@4");
  // Unchecked: reads zero or the fallback, masks the store.
  const TileRun unchecked = try_access("  D(0, [m]).store(A[o, [m], predicate(iota(m) < 5), fallback(77)])", 4, false);
  CHECK(unchecked.codes() == "");
  CHECK(unchecked.get<std::int64_t>("D")[0] == 5);
}

TEST_CASE("false without a fallback is a mark", "[BND-PRED][VAL-MARK]") {
  // Elements 2.. are marked; only the first two are stored: silent. Stored whole: a violation.
  CHECK(try_access("  x = A[o, [m], predicate(iota(m) < 2)]\n  D(0).store(x[0] + x[1])", 4).codes() == "");
  const TileRun r = try_access("  x = A[o, [m], predicate(iota(m) < 2)]\n  D(0, [m]).store(x)", 4);
  REQUIRE(r.codes() == "U0105@4");
  CHECK(r.diagnostics[0].count == 4);
  CHECK(r.says("of `A` at [6]")); // o = 4, and element 2 is the first of them
  CHECK(try_access("  D(0, [m]).store(A.gather(5 - iota(m), predicate(iota(m) < 4)))", 0).says("of `A` at [1]"));
}

TEST_CASE("a forbidden element has no coordinate that could matter", "[BND-PRED]") {
  // The index 6 / iota is marked at element 0, where the predicate is false.
  const TileRun r = try_access("  D(0, [m]).store(A.gather(6 / iota(m), predicate(iota(m) > 1), fallback(0)))", 0);
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("D") == I{0, 0, 4, 3, 2, 2}); // A[6 / m] = 6 / m + 1 for m = 2..5: 3 2 1 1
  // With the guard open at element 0 the mark reaches a coordinate.
  CHECK(try_access("  D(0, [m]).store(A.gather(6 / iota(m), predicate(iota(m) != 1), fallback(0)))", 0).codes() == "U0101@4");
}

TEST_CASE("a promise to be in bounds is held", "[BND-ASSUME]") {
  CHECK(try_access("  D(0, [m]).store(A[o, [m], assume])", 0).codes() == "");
  const TileRun r = try_access("  D(0, [m]).store(A[o, [m], assume] * 0)", 4);
  REQUIRE(r.codes() == "U0201@4"); // 6, 7, 8, 9 once per line with their count; nothing more of the store
  CHECK(r.diagnostics[0].count == 4);
  CHECK(r.says("`A` is out of bounds at [6]"));
  const TileRun s = try_access("  C(o, [n], assume).store(full(i64 [n], 5))", -1);
  REQUIRE(s.codes() == "U0201@4");
  CHECK(s.diagnostics[0].count == 1);
  CHECK(s.says("a write of `C`"));
  CHECK(s.get<std::int64_t>("C") == I{5, 5, -1, -1, -1, -1});
  for (std::int64_t o : {largest, smallest, std::int64_t{6}, std::int64_t{-1}}) {
    CHECK(try_access("  D(0).store(A[o, assume])", o).codes() == "U0201@4");
    CHECK(try_access("  C(o, assume).store(1)", o).codes() == "U0201@4");
    CHECK(try_access("  C(o, assume).atomic_add(1)", o).codes() == "U0201@4");
    CHECK(try_access("  D(0).store(A[o, assume])", o, false).codes() == "");
  }
  CHECK(try_access("  D(0, [m]).store(A.gather(iota(m) + o, assume))", 1).codes() == "U0201@4");
}

TEST_CASE("inactive points are no access, out of bounds or not", "[BND-ASSUME][IDX-PRED]") {
  // Only elements 0, 1 of the stored tile are active: 4 and 5 are in bounds.
  const TileRun r = try_access("  C(o, [m], assume).store(restrict(A[0, [m]], m < 2))", 4);
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{-1, -1, -1, -1, 1, 2});
  CHECK(try_access("  C.scatter(restrict(A[0, [m]], m < 2), iota(m) + o, assume)", 4).codes() == "");
  CHECK(try_access("  D(0, [m]).store(A[o, [m where m < 2], assume])", 4).codes() == "");
}

TEST_CASE("unsigned and narrow origins", "[BND-ZERO]") {
  const TileRun r = run_tile(R"(kernel k(U: u64[2], B: u8[2], S: i8[1], C: mut i64[4]) {
  axis m = 4
  a = iota(m) + 1
  c = zeros i64 [m]
  C(U[0], [m]).store(a)
  C(B[1], [m]).atomic_add(a * 10)
  C(S[0], [m]).atomic_add(a * 100)
})", {array("U", std::vector<std::uint64_t>{UINT64_MAX, 0}), array("B", std::vector<std::uint8_t>{255, 1}),
      array("S", std::vector<std::int8_t>{-2}), array("C", I(4, 0))});
  // U[0] is 2^64 - 1, far outside, not -1; B[1] = 1; S[0] = -2.
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{300, 410, 20, 30});
}

TEST_CASE("a window that is larger than its memory is refused where it is sure to be used", "[BND-ASSUME]") {
  // A memory of 4; `statements` stand in line 6 and use a window [r = 8] of it.
  auto codes = [](const std::string &statements, std::int64_t points = 1) {
    TileRunOptions options;
    options.extents = {{"N", points}};
    return run_tile("kernel k(F: i64[2], C: out i64[8], Z: out i64[N]) {\n  axis m = 4, r = 8, n = N\n  s = memory i64 [m]\n  s(0, [m]).store(iota(m))\n"
                    "  x = iota(r)\n  " + statements + "\n}", {array("F", std::vector<std::int64_t>{0, 4})}, options).codes();
  };
  CHECK(codes("C(0, [r]).store(s[0, [r], assume])") == "T0406@6");
  CHECK(codes("C(0, [r]).store(s[F[0], [r], assume])") == "T0406@6");
  CHECK(codes("s(0, [r], assume).store(x)") == "T0406@6");
  CHECK(codes("s(0, [r], assume).atomic_add(x)") == "T0406@6");
  // In nests and stages that run; one that has no points says nothing.
  for (const char *nest : {"parallel p in [n] { ", "serial p in [n] { ", "pipeline p in [n] { stage \"a\"; "}) {
    INFO(nest);
    CHECK(codes(std::string(nest) + "s(0, [r], assume).store(x + p.index()) }", 2) == "T0406@6");
    CHECK(codes(std::string(nest) + "s(0, [r], assume).store(x + p.index()) }", 0) == "");
  }
  // What may not happen is judged when it does.
  CHECK(codes("if F[0] > 0 { C(0, [r]).store(s[0, [r], assume]) }") == "");
  CHECK(codes("if F[1] > 0 { C(0, [r]).store(s[0, [r], assume]) }") == "U0201@6");
  CHECK(codes("serial p in [n] where n > 0 { C(0, [r]).store(s[0, [r], assume]) }") == "");
  CHECK(codes("C(0, [r]).store(s[0, [r where r < 4], assume])") == "");
  CHECK(codes("s(0, [r], assume).store(restrict(x, r < 4))") == "");
  // Only a promise is held to, and of a memory: an argument has its shape from outside.
  CHECK(codes("C(0, [r]).store(s[0, [r]])") == "");
  CHECK(codes("C(0, [r]).store(F[0, [r], assume])") == "U0201@6");
}
