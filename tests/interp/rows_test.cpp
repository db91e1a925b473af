// SPDX-License-Identifier: Apache-2.0
// Leaf nests of scalars run a row of instances at a time: the same values, reports and counts as one instance at a
// time, which a store in a serial of one round inside the nest forces.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t n = 2500; // three rows

// The body, alone in its nest and inside a loop of one round.
TileRun one_way(const std::string &body, bool rows, const std::string &where, bool checked) {
  TileRunOptions options;
  options.checked = checked;
  const std::string inner = rows ? body : "serial one in [#1 = 1] { " + body + " }";
  return run_tile("kernel k(A: i64[2500], Y: i64[4], X: f32[2500], C: mut i64[2500], D: mut f32[2500], E: mut i64[3], G: mut i64[50, 50]) {\n"
                  " axis m = 2500, r = 50, c = 50\n t = iota(m) * 3\n y = Y[2]\n parallel p in [m] " + where + " { " + inner + " }\n}",
                  {array("A", iota_values<std::int64_t>(n)), array("Y", I{5, 6, 0, 8}), array("X", std::vector<float>(n, 1.5f)),
                   array("C", I(n, -1)), array("D", std::vector<float>(n, -1)), array("E", I(3, 0)), array("G", {50, 50}, I(n, -1))},
                  options);
}

void same_both_ways(const std::string &body, const std::string &where = "") {
  for (bool checked : {true, false}) {
    const TileRun rows = one_way(body, true, where, checked), single = one_way(body, false, where, checked);
    INFO(body << "\nrows:\n" << rows.text() << "one at a time:\n" << single.text());
    CHECK(rows.codes() == single.codes());
    for (std::size_t i = 0; i < std::min(rows.diagnostics.size(), single.diagnostics.size()); ++i) {
      CHECK(rows.diagnostics[i].count == single.diagnostics[i].count);
      CHECK(rows.diagnostics[i].message() == single.diagnostics[i].message());
    }
    CHECK(rows.arrays == single.arrays);
  }
}

} // namespace

TEST_CASE("rows of instances give what single instances give", "[CTX-PAR]") {
  for (const char *where : {"", "where m % 7 != 3", "where m >= 1023", "where m < 1", "where m > 9999", "where (m < 5) | (m > 2490)"}) {
    INFO(where);
    same_both_ways("C(p.index()).store(A[p.index()] * 2 + y)", where);
    same_both_ways("D(p.index()).store(X[2499 - p.index()] + cast(p.index(), f32))", where);
    same_both_ways("C(p.index() - 5).store(A[p.index() + 5])", where);
    same_both_ways("E(1).atomic_add(A[p.index()])", where);
    same_both_ways("E(1).atomic_add(1)", where);
    same_both_ways("E(p.index() % 3).atomic_max(A[p.index()])", where);
    same_both_ways("G((p.index() / 50, p.index() % 50)).store(A[p.index()])", where);
  }
}

TEST_CASE("rows: marks, predicates, fallbacks, promises", "[VAL-MARK]") {
  same_both_ways("C(p.index()).store(6 / (A[p.index()] % 10))");
  same_both_ways("C(p.index()).store(ite(A[p.index()] % 10 == 0, A[p.index()], 6 / (A[p.index()] % 10)))");
  same_both_ways("C(p.index()).store(A[p.index(), predicate(p.index() % 2 == 0), fallback(y + 3)])");
  same_both_ways("C(p.index()).store(A[p.index(), predicate(p.index() % 2 == 0)])");
  same_both_ways("C(p.index()).store(A[p.index() + 10, fallback(p.index())])");
  same_both_ways("C(p.index() + 10, assume).store(1)");
  same_both_ways("C(p.index()).store(A[p.index() - 10, assume])");
  same_both_ways("C(6 / (p.index() - 3)).store(1)");
  same_both_ways("C(p.index(), predicate(p.index() > 2495)).store(A[0])");
  same_both_ways("assert(A[p.index()] != 77)");
  same_both_ways("D(p.index()).store(cast(cast(X[p.index()] * 1.0e10, i64), f32))");
  same_both_ways("C(p.index()).store(cast(X[p.index()] * 1.0e20, i64))");
}

TEST_CASE("rows: lifted operations, tiles from outside, maps, wraps", "[ANC-SHARE]") {
  same_both_ways("C(p.index()).store(Y[1] + p.index())");
  same_both_ways("C(0).store(7)");
  same_both_ways("x = Y[3]\n E(0).store(x)\n C(p.index()).store(x)");
  same_both_ways("C(p.index()).store(t[p.index()] + t[2499])");
  same_both_ways("C(p.index()).store(t[p.index() + 2])");
  same_both_ways("C(map_coord(0, (i) -> (mod(i + 1, 2500)), p.index())).store(p.index())");
  same_both_ways("C(p.index()).store(A[cast(p.index(), i32) * 1000000])");
  same_both_ways("C(p.index()).store(A[p.index() * 9223372036854775807])");
  same_both_ways("C(p.index()).store(6 / y)");
  same_both_ways("x = 6 / Y[2]\n C(p.index()).store(x + p.index())");
  same_both_ways("C(p.index()).store(per(p, 6 / Y[2]))");
  same_both_ways("C.scatter(per(p, Y[1]), p.index())");
  same_both_ways("E.scatter_add(Y[1], y * p.index())");
  same_both_ways("C(p.index()).store(A.gather(p.index() * 2))");
}

TEST_CASE("rows with loops: each instance has its own number of rounds", "[VAL-CARRY]") {
  for (const char *where : {"", "where m % 7 != 3", "where m < 1"}) {
    INFO(where);
    same_both_ways("s = i64(0)\n serial q in [#5 = 5] { s = s * 3 + A[p.index() + q.index()] }\n C(p.index()).store(s)", where);
    same_both_ways("s = i64(0)\n k = A[p.index()] % 17\n while k > 0 { s = s * 2 + k\n k = k - 2 }\n C(p.index()).store(s)", where);
    same_both_ways("x = X[p.index()]\n k = i64(0)\n while x < cast(p.index(), f32) { x = x * 2.0\n k += 1 }\n"
                   " C(p.index()).store(k)\n D(p.index()).store(x)", where);
    same_both_ways("a = i64(1)\n b = A[p.index()] % 9\n k = i64(7)\n"
                   " serial q in [#3 = 3] { while a < b { old = a\n a = k\n k = old + 1\n b = b - 1 } }\n"
                   " C(p.index()).store(a * 100 + k * 10 + b)", where);
  }
  // A mark in the condition of some instances; a body that can make marks of its own goes one by one.
  same_both_ways("s = i64(0)\n k = 60 / (A[p.index()] % 10)\n while k > 0 { s += k\n k = k - 7 }\n C(p.index()).store(s)");
  same_both_ways("s = i64(0)\n k = A[p.index()] % 5\n while k > 0 { s += 60 / (k - 2)\n k = k - 1 }\n C(p.index()).store(s)");
}

TEST_CASE("rows of a nest under another nest and a loop", "[CTX-PAR]") {
  const char *text = R"(kernel k(A: i64[3, 2000], C: mut i64[3, 2000], H: mut i64[3]) {
  parallel o in [#1 = 3] {
    serial s in [#2 = 2] {
      v = A[(o.index(), s.index())]
      parallel p in [#0 = 2000] where o.index() != 1 {
        BODY
      }
    }
  }
})";
  auto run = [&](std::string body) {
    std::string t = text;
    t.replace(t.find("BODY"), 4, body);
    return run_tile(t, {array("A", {3, 2000}, iota_values<std::int64_t>(6000)), array("C", {3, 2000}, I(6000, 0)), array("H", I(3, 0))});
  };
  const std::string store = "C((o.index(), p.index())).store(A[(o.index(), p.index())] * 10 + v)", count = "H(o.index()).atomic_add(1)";
  const TileRun rows = run(store + "\n" + count), single = run("serial one in [#3 = 1] { " + store + "\n" + count + " }");
  CHECK(rows.codes() == "");
  CHECK(rows.arrays == single.arrays);
  CHECK(rows.get<std::int64_t>("H") == I{4000, 0, 4000});
  // By hand: row 2, column 5, the last round s = 1: (4000 + 5) * 10 + 4001.
  CHECK(rows.get<std::int64_t>("C")[4005] == 44051);
}
