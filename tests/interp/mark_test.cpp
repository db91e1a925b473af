// SPDX-License-Identifier: Apache-2.0
// VAL-MARK: every kind of mark, where it is silent, where it is reported, the chain; OUT-CONT's reports.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {
// A[4] = 0 1 2 3, X = 1e30 NaN -1.5 300.7, C[4] = -1; the body's first line is line 3.
TileRun marks(const std::string &body, const TileRunOptions &options = {}) {
  return run_tile("kernel k(A: i64[4], X: f32[4], C: mut i64[4], D: mut i8[4], B: mut bool[4], U: out i64[4]) {\n"
                  "  axis m = 4\n" + body + "\n}",
                  {array("A", I{0, 1, 2, 3}), array("X", std::vector<float>{1e30f, NAN, -1.5f, 300.7f}), array("C", I(4, -1)),
                   array("D", std::vector<std::int8_t>(4, -1)), array<std::uint8_t>("B", {4}, {0, 0, 0, 0}, ScalarType::boolean)},
                  options);
}
} // namespace

TEST_CASE("every kind of mark that reaches a store", "[VAL-MARK]") {
  // Division by zero, all four operators; element 0 only.
  for (const char *e : {"6 / A[0, [m]]", "A[0, [m]] % A[0, [m]]", "floordiv(full(i64 [m], 6), A[0, [m]])", "mod(full(i64 [m], 6), A[0, [m]])"}) {
    const TileRun r = marks(std::string("  C(0, [m]).store(") + e + ")");
    INFO(e);
    REQUIRE(r.codes() == "U0101@3");
    CHECK(r.diagnostics[0].count == 1);
    CHECK(r.says("`C[0]`"));
  }
  // Shift counts: 62..65 of i64: two are out of range. Negative ones, too.
  const TileRun shift = marks("  C(0, [m]).store(full(i64 [m], 1) << (A[0, [m]] + 62))");
  REQUIRE(shift.codes() == "U0102@3");
  CHECK(shift.diagnostics[0].count == 2);
  CHECK(shift.says("the count is 64, i64 has 64 bits"));
  const TileRun negative = marks("  C(0, [m]).store(full(i64 [m], 1) >> (A[0, [m]] - 1))");
  CHECK(negative.codes() == "U0102@3");
  CHECK(negative.says("the count is -1, i64 has 64 bits"));
  CHECK(marks("  C(0, [m]).store(full(i64 [m], 1) << (A[0, [m]] + 60))").codes() == "");
  // Casts: 1e30 and NaN do not fit i64; NaN, 1e30 and 300.7 do not fit i8; -1.5 truncates to -1.
  const TileRun wide = marks("  C(0, [m]).store(cast(X[0, [m]], i64))");
  REQUIRE(wide.codes() == "U0103@3");
  CHECK(wide.diagnostics[0].count == 2);
  CHECK(wide.says("i64 holds -9223372036854775808 to 9223372036854775807"));
  CHECK(marks("  C(0).store(cast(X[1], i64))").says("the value is nan, "));
  CHECK(marks("  D(0).store(cast(X[3], i8))").says("the value is 300.7, i8 holds -128 to 127"));
  CHECK(marks("  D(0).store(cast(cast(X[2], u8), i8))").says("the value is -1.5, u8 holds 0 to 255"));
  const TileRun narrow = marks("  D(0, [m]).store(cast(X[0, [m]], i8))");
  REQUIRE(narrow.codes() == "U0103@3");
  CHECK(narrow.diagnostics[0].count == 3);
  CHECK(narrow.get<std::int8_t>("D")[2] == -1);
  CHECK(marks("  D(0, [m]).store(cast_sat(X[0, [m]], i8))").codes() == "");
  CHECK(marks("  D(0, [m]).store(cast(A[0, [m]] + 300, i8))").codes() == ""); // an integer wraps
  // Taking from outside: indices 1..4 of 4.
  const TileRun taken = marks("  x = A[0, [m]]\n  C(0, [m]).store(take(x, iota(m) + 1))");
  REQUIRE(taken.codes() == "U0104@4");
  CHECK(taken.diagnostics[0].count == 1);
  CHECK(taken.says("the index is [4], the tile has extents [4]"));
  const TileRun before = marks("  x = A[0, [m]]\n  C(0).store(x[-1])");
  CHECK(before.codes() == "U0104@4");
  CHECK(before.says("the index is [-1], the tile has extents [4]"));
  CHECK(marks("  x = A[0, [m]]\n  C(0).store(x[3])").codes() == "");
  // A predicate that is false, without fallback.
  const TileRun forbidden = marks("  C(0).store(A[1, predicate(A[0] == 1)])");
  CHECK(forbidden.codes() == "U0105@3");
  CHECK(forbidden.says("of `A` at [1]"));
  CHECK(forbidden.says("--------- the predicate, false there")); // under `A[0] == 1`
  CHECK(marks("  C(0).store(A[1, predicate(A[0] == 0)])").codes() == "");
  // An undefined element.
  CHECK(marks("  C(0).store(U[1])").codes() == "U0106@3");
  CHECK(marks("  U(1).store(1)\n  C(0).store(U[1])").codes() == "");
  // A point where the tile has no value.
  const TileRun inactive = marks("  x = restrict(A[0, [m]], m < 2)\n  C(0).store(x[2])");
  CHECK(inactive.codes() == "U0107@4");
  CHECK(inactive.says("the point is [2]"));
  CHECK(inactive.says("----- the predicate, false there")); // under `m < 2`
  CHECK(marks("  x = restrict(A[0, [m]], m < 2)\n  C(0).store(x[1])").codes() == "");
  const TileRun two =
      marks("  x = restrict(restrict(A[0, [m]], m < 3), m > 0)\n  C(0).store(x[3])"); // m > 0 holds at 3
  CHECK(two.codes() == "U0107@4");
  CHECK_FALSE(two.says("false there"));
  CHECK(two.says("one of the predicates, which are not all true there"));
}

TEST_CASE("a mark that reaches nothing observable stays silent", "[VAL-MARK]") {
  for (const char *body :
       {"  x = 1 / A[0]", "  x = 6 / A[0, [m]]\n  C(0, [m = 3]).store(take(x, iota(m = 3) + 1))",
        "  x = 6 / A[0, [m]]\n  C(0, [m]).store(restrict(x, m > 0))", "  x = U[0, [m]]\n  y = x + x\n  C(0).store(A[0])",
        "  x = sum(restrict(6 / A[0, [m]], m > 0))\n  C(0).store(x)"}) {
    INFO(body);
    CHECK(marks(body).codes() == "");
  }
}

TEST_CASE("ite passes on only the selected arm's mark", "[VAL-MARK]") {
  CHECK(marks("  a = A[0, [m]]\n  C(0, [m]).store(ite(a == 0, full(i64 [m], 0), 6 / a))").codes() == "");
  CHECK(marks("  a = A[0, [m]]\n  C(0, [m]).store(ite(a != 0, full(i64 [m], 0), 6 / a))").codes() == "U0101@4");
  // A marked condition marks the result, whatever the arms.
  CHECK(marks("  a = A[0, [m]]\n  C(0, [m]).store(ite(6 / a > 2, full(i64 [m], 0), full(i64 [m], 1)))").codes() == "U0101@4");
  // ite guards values, never effects: a store in the arm not taken is no such thing, an `if` is.
  CHECK(marks("  if A[0] != 0 { C(0).store(6 / A[0]) }").codes() == "");
}

TEST_CASE("marks reach conditions, coordinates, contributions, predicates, atomics", "[VAL-MARK]") {
  CHECK(marks("  if 6 / A[0] > 1 { C(0).store(1) }").codes() == "U0101@3");
  CHECK(marks("  n = 6 / A[0]\n  while n > 3 { n = n - 1 }").codes() == "U0101@3");
  CHECK(marks("  switch 6 / A[0] {\n case 1 { C(0).store(1) }\n }").codes() == "U0101@3");
  CHECK(marks("  C(6 / A[0]).store(1)").codes() == "U0101@3");
  CHECK(marks("  C(0).store(A[6 / A[0]])").codes() == "U0101@3");
  CHECK(marks("  C(0, [m]).store(A.gather(6 / A[0, [m]]))").codes() == "U0101@3");
  CHECK(marks("  C.scatter(A[0, [m]], 6 / A[0, [m]] - 2)").codes() == "U0101@3");
  CHECK(marks("  x = A[0, [m]]\n  C(0).store(x[6 / A[0]])").codes() == "U0101@4");
  CHECK(marks("  x = A[0, [m]]\n  x = insert(x, 1, (6 / A[0]))").codes() == "U0101@4");
  CHECK(marks("  C(0).atomic_add(6 / A[0])").codes() == "U0101@3");
  CHECK(marks("  C(0).store(sum(6 / A[0, [m]]))").codes() == "U0101@3");
  CHECK(marks("  s: i64 = 0\n  reduce r in [m] { s = s + 6 / A[r.index()] }").codes() == "U0101@4");
  CHECK(marks("  s: i64 = 0\n  serial r in [m] where 6 / A[0] > m { s = s + 1 }").codes() == "U0101@4");
  CHECK(marks("  parallel p in [m] where 6 / A[0] > m { C(p.index()).store(1) }").codes() == "U0101@3");
  CHECK(marks("  x = restrict(A[0, [m]], 6 / A[0] > m)").codes() == "U0101@3");
  CHECK(marks("  C(0, [m], predicate(6 / A[0, [m]] > 2)).store(A[0, [m]])").codes() == "U0101@3");
  CHECK(marks("  assert(6 / A[0] > 1)").codes() == "U0101@3");
  CHECK(marks("  C(map_coord(0, (i) -> (i + 1), 6 / A[0])).store(1)").codes() == "U0101@3");
}

TEST_CASE("marks flow through everything that is pure", "[VAL-MARK]") {
  for (const char *e : {"x * 0", "broadcast(x, [n = 2, m])", "relabel(x, [q])", "reshape(x, [r = 2, s = 2])", "max(x, x)",
                        "cast(x, f32)", "x == x", "bitcast(x, f64)", "transpose(broadcast(x, [n = 2, m]), [m, n])"}) {
    const TileRun r = marks(std::string("  dims q\n  x = 6 / A[0, [m]]\n  y = ") + e +
                            "\n  t = memory u8 [#0 = 1]\n  if sum(cast(y == y, u8)) == 0 { t(0).store(u8(1)) }");
    INFO(e << "\n" << r.text());
    CHECK(r.codes() == "U0101@4");
  }
  // mma passes the marks of what it multiplied: row 0 of the result.
  const TileRun r = marks("  x = 6 / A[0, [m]]\n  a = broadcast(x, [m, k = 2])\n  b = full(i64 [k, n = 1], 1)\n"
                          "  y = mma(a, b, zeros i64 [m, n])\n  C((0), [m]).store(reshape(y, [m]))");
  REQUIRE(r.codes() == "U0101@3");
  CHECK(r.diagnostics[0].count == 1);
}

TEST_CASE("the report shows where the mark was made and the chain to its use", "[VAL-MARK]") {
  const TileRun r = marks(R"(  parallel p in [m] {
    q = 6 / A[p.index()]
    t = q + 1
    u = t * 2
    C(p.index()).store(u)
  })");
  REQUIRE(r.codes() == "U0101@4");
  const Diagnostic &d = r.diagnostics[0];
  REQUIRE(d.sites.size() == 4);
  CHECK(d.sites[0].label == "(1) made here by p(m=0)");
  CHECK(d.sites[1].site.line == 5);
  CHECK(d.sites[1].label == "passed through here");
  CHECK(d.sites[2].site.line == 6);
  CHECK(d.sites[3].site.line == 7);
  CHECK(d.sites[3].label == "(2) used here by p(m=0)");
  CHECK(d.message() == "a store to `C[0]` uses the result of an integer division by zero");
}

TEST_CASE("one report per cause with its count; a mark is reported once", "[OUT-CONT]") {
  // Elements 0 of two divisions at one line are two causes; each has one marked element in 4 instances' stores.
  const TileRun r = marks(R"(  parallel p in [m] {
    x = 6 / (A[p.index()] * 0)
    C(p.index()).store(x)
    D(p.index()).store(cast(x, i8))
  })");
  // 4 marks, each reported where it is used first: one cause, count 4; the second store's are suppressed.
  REQUIRE(r.codes() == "U0101@4");
  CHECK(r.diagnostics[0].count == 4);
}

TEST_CASE("a lifted operation's mark is one mark", "[OUT-CONT][ANC-ONCE]") {
  // 6 / A[0] is defined once for all instances; each stores it: one mark, reported once.
  for (const char *nest : {"parallel p in [m]", "parallel p in [m] where m < 5"}) {
    const TileRun r = marks(std::string("  ") + nest + " {\n  C(p.index()).store(6 / A[0] + p.index())\n  }");
    REQUIRE(r.codes() == "U0101@4");
    CHECK(r.diagnostics[0].count == 1);
  }
  const TileRun s = marks("  parallel p in [m] {\n serial t in [n = 2] {\n C(p.index()).store(6 / A[0] + p.index())\n }\n }");
  REQUIRE(s.codes() == "U0101@5");
  CHECK(s.diagnostics[0].count == 2); // once per temporal point
}

TEST_CASE("the run goes on to a limit of causes, or stops at the first", "[OUT-CONT]") {
  std::string body;
  for (int i = 0; i < 30; ++i) body += "  C(0).store(6 / A[0])\n";
  TileRunOptions options;
  CHECK(marks(body, options).diagnostics.size() == 20);
  options.cause_limit = 3;
  const TileRun three = marks(body, options);
  CHECK(three.diagnostics.size() == 3);
  CHECK(three.says("at the limit of 3 causes"));
  options.first_only = true;
  const TileRun first = marks(body + "  C(1).store(5)", options);
  CHECK(first.diagnostics.size() == 1);
  CHECK(first.get<std::int64_t>("C")[1] == -1);
  options = {};
  options.checked = false;
  const TileRun unchecked = marks(body + "  C(1).store(5)", options);
  CHECK(unchecked.diagnostics.empty());
  CHECK(unchecked.get<std::int64_t>("C")[1] == 5);
}

TEST_CASE("what only a reported mark causes is not reported again", "[OUT-CONT]") {
  // The out-of-bounds element under `assume` is reported once; its value, a mark, is silent in the store.
  CHECK(marks("  x = A[4, assume]\n  C(0).store(x)\n  if x > 0 { C(1).store(1) }").codes() == "U0201@3");
  // A marked coordinate is reported as a mark, not as out of bounds as well.
  CHECK(marks("  C(0).store(A[6 / A[0] - 1, assume])").codes() == "U0101@3");
  CHECK(marks("  C(6 / A[0] - 1, assume).store(1)").codes() == "U0101@3");
}

TEST_CASE("the program's own assertion", "[OUT-CONT]") {
  const TileRun r = marks("  parallel p in [m] { assert(A[p.index()] < 2, \"small\") }");
  REQUIRE(r.codes() == "A0001@3");
  CHECK(r.diagnostics[0].count == 2);
  CHECK(r.says("small"));
  CHECK(marks("  assert(A[0, [m]] < 4)").codes() == "");
  CHECK(marks("  assert(restrict(A[0, [m]] < 2, m < 2))").codes() == "");
}

TEST_CASE("a map that divides by zero gives a mark, one that wraps the wrapped value", "[VAL-MARK][NUM-WRAP]") {
  const TileRun r = run_tile("kernel k(Y: out i64[4]) {\n axis p = 4\n parallel i in [p] { Y(i.p).store(map_coord(0, (a) -> (floordiv(8, a)), i.p)) }\n}");
  CHECK(r.codes() == "U0101@3");
  const TileRun wraps = run_tile("kernel k(Y: out i64[3]) {\n axis p = 3\n parallel i in [p] { Y(i.p).store(map_coord(0, (a) -> (a * 9223372036854775807), i.p)) }\n}");
  CHECK(wraps.codes() == "");
  CHECK(wraps.get<std::int64_t>("Y") == std::vector<std::int64_t>{0, INT64_MAX, -2}); // 2 (2^63 - 1) = 2^64 - 2
}

TEST_CASE("two marks that reach one element are two causes, each reported once", "[VAL-MARK][OUT-CONT]") {
  // U is never written: its load is one cause, the division by A[0] = 0 another.
  const TileRun both = marks("  x = U[0]\n  y = 6 / A[0]\n  C(0).store(x + y)");
  CHECK(both.codes() == "U0106@3 U0101@4");
  CHECK(both.diagnostics.size() == 2);
  // The first is reported at its own store; the sum has only the other to tell.
  const TileRun again = marks("  x = U[0]\n  C(0).store(x)\n  y = 6 / A[0]\n  C(1).store(x + y)\n  C(2).store(x + y)");
  CHECK(again.codes() == "U0106@3 U0101@5");
  CHECK(marks("  x = U[0]\n  y = 6 / A[0]\n  C(0).store(y)\n  C(1).store(y + x)").codes() == "U0101@4 U0106@3");
  // Three, through a product and a sum.
  const TileRun three = marks("  axis j = 2, k = 2, i = 1, l = 1\n  a = full(i64 [i, k], 6) / A[0]\n  b = broadcast(U[0], [k, l])\n"
                              "  C((0), [l]).store(reshape(mma(a, b, broadcast(A[1] << 99, [i, l])), [l]))");
  CHECK(three.says("U0101"));
  CHECK(three.says("U0106"));
  CHECK(three.says("U0102"));
}

TEST_CASE("a marked operand makes no mark of its own", "[VAL-MARK]") {
  CHECK(marks("  C(0).store(6 / U[0])").codes() == "U0106@3"); // whatever stands in its bytes
  CHECK(marks("  C(0).store(1 << (U[0] + 99))").codes() == "U0106@3");
}
