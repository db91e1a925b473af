// SPDX-License-Identifier: Apache-2.0
// Calculus 1 on the machine: index sets, broadcasting, extents that one capture binds to many shapes.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {
TileRun on_six(const std::string &body) {
  return run_tile("kernel k(A: i64[6], C: mut i64[6], D: mut i64[1]) {\n  axis m = 6\n  a = A[0, [m]]\n" + body + "\n}",
                  {array("A", iota_values<std::int64_t>(6, 1)), array("C", I(6, -1)), array("D", I{-1})});
}
} // namespace

TEST_CASE("only active points of a domain run", "[IDX-PRED]") {
  const I expected{-1, 2, -1, 4, -1, 6};
  CHECK(on_six("  parallel p in [m] where m % 2 == 1 { C(p.index()).store(A[p.index()]) }").get<std::int64_t>("C") == expected);
  CHECK(on_six("  serial p in [m] where m % 2 == 1 { C(p.index()).store(A[p.index()]) }").get<std::int64_t>("C") == expected);
  CHECK(on_six("  pipeline p in [m] where m % 2 == 1 { C(p.index()).store(A[p.index()]) }").get<std::int64_t>("C") == expected);
  // 2 + 4 + 6 = 12.
  CHECK(on_six("  s: i64 = 0\n  reduce p in [m] where m % 2 == 1 { s = s + A[p.index()] }\n  D(0).store(s)").get<std::int64_t>("D") == I{12});
}

TEST_CASE("a predicate over some of the axes, and over the parameters", "[IDX-PRED]") {
  const TileRun r = run_tile(R"(kernel k(n: extent, C: mut i64[3, 4]) {
  axis x = 3, y = 4
  parallel p in [x, y] where (x != 1) & (y < extent(n)) { C(p.index()).store(1) }
})", {array("C", {3, 4}, I(12, 0))}, {{{"n", 2}}});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0});
}

TEST_CASE("a predicate is evaluated once, at entry", "[IDX-PRED]") {
  // The body overwrites what the predicate was computed from; points 0..2 stay the active ones.
  const TileRun r = on_six("  serial p in [m] where C.gather(m) < 3 - m { C(0, [m]).store(full(i64 [m], 100))\n"
                           "  D(0).atomic_add(1) }");
  // C is -1 everywhere: -1 < 3 - m for m <= 3: four points, all run though C is 100 after the first.
  CHECK(r.get<std::int64_t>("D") == I{3});
}

TEST_CASE("ragged tiles: elements, stores, reductions take active points only", "[IDX-PRED]") {
  const TileRun r = on_six("  x = restrict(a, m < 4)\n  y = x * 2 + a\n  C(0, [m]).store(y)\n  D(0).store(sum(y))");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{3, 6, 9, 12, -1, -1});
  CHECK(r.get<std::int64_t>("D") == I{30});
  // Where a predicate has no value it is not true: !(x < 2) of the points 0 to 2 holds at 1 and 2. Per instance likewise.
  CHECK(on_six("  C(0, [m]).store(restrict(a, !(restrict(a, m < 3) < 2)))").get<std::int64_t>("C") == I{-1, 2, 3, -1, -1, -1});
  CHECK(on_six("  parallel p in [m] { C(p.index()).store(reduce_min(restrict(iota(m), !(restrict(a, m >= p.index()) < 0)))) }")
            .get<std::int64_t>("C") == I{0, 1, 2, 3, 4, 5});
  // The join of two predicates; an empty set.
  CHECK(on_six("  C(0, [m]).store(restrict(a, m < 4) + restrict(a, m > 1))").get<std::int64_t>("C") == I{-1, -1, 6, 8, -1, -1});
  CHECK(on_six("  D(0).store(sum(restrict(a, m > 7)))").get<std::int64_t>("D") == I{0});
  // A window with a predicate of its own loads active points only.
  CHECK(on_six("  C(0, [m]).store(A[0, [m where m >= 3]])").get<std::int64_t>("C") == I{-1, -1, -1, 4, 5, 6});
  // Atomics, scatters and minima likewise.
  CHECK(on_six("  C(0, [m]).atomic_add(restrict(a, m < 2))").get<std::int64_t>("C") == I{0, 1, -1, -1, -1, -1});
  CHECK(on_six("  C.scatter(restrict(a, m < 2), 5 - iota(m))").get<std::int64_t>("C") == I{-1, -1, -1, -1, 2, 1});
  CHECK(on_six("  D(0).store(reduce_min(restrict(a, m > 2)))").get<std::int64_t>("D") == I{4});
  CHECK(on_six("  C(0, [m]).store(take(a, restrict(5 - iota(m), m > 2)))").get<std::int64_t>("C") == I{-1, -1, -1, 3, 2, 1});
}

TEST_CASE("a reduction keeps the predicate of the dims it keeps", "[IDX-PRED]") {
  // x[r, c] = r * 10 + c on r < 2 (of 3), c != 1 (of 3). Sum over c: rows 0, 1 active: 0 + 2, 10 + 12.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[3], D: mut i64[3]) {
  axis r = 3, c = 3
  x = restrict(restrict(iota(r) * 10 + iota(c), r < 2), c != 1)
  C(0, [r]).store(sum(x, c))
  D(0, [c]).store(sum(x, r))
})", {array("C", I(3, -1)), array("D", I(3, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{2, 22, -1});
  CHECK(r.get<std::int64_t>("D") == I{10, -1, 14}); // 0 + 10, -, 2 + 12
  // Also over an empty axis: the seed, at the active points.
  const TileRun e = run_tile(R"(kernel k(n: extent, C: mut i64[3]) {
  axis r = 3, c = n
  x = restrict(zeros i64 [r, c], r < 2)
  C(0, [r]).store(sum(x, c))
})", {array("C", I(3, -1))}, {{{"n", 0}}});
  CHECK(e.codes() == "");
  CHECK(e.get<std::int64_t>("C") == I{0, 0, -1});
}

TEST_CASE("mma takes active points only", "[IDX-PRED][MMA]") {
  // a[m, k] = 1 on k < 2 of 4, b[k, n] = 1 on n == 0: row sums 2 in column 0; column 1 has no contribution: the
  // accumulator 5 stays.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 2]) {
  axis m = 2, n = 2, k = 4
  a = restrict(full(i64 [m, k], 1), k < 2)
  b = restrict(full(i64 [k, n], 1), n == 0)
  C((0, 0), [m, n]).store(mma(a, b, full(i64 [m, n], 5)))
})", {array("C", {2, 2}, I(4, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{7, 5, 7, 5});
}

TEST_CASE("a division at an inactive point is none", "[IDX-PRED][VAL-MARK]") {
  CHECK(on_six("  C(0, [m]).store(6 / restrict(a - 1, m > 0))").codes() == "");
  CHECK(on_six("  C(0, [m]).store(6 / restrict(a - 1, m >= 0))").codes() == "U0101@4");
}

TEST_CASE("operands join by dim identity", "[BCAST]") {
  // x[r] + y[c] -> [r, c] (first of the highest rank, then what it lacks); extent 1 broadcasts.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 3], D: mut i64[3, 2], E: mut i64[2, 3]) {
  axis r = 2, c = 3
  x = iota(r) * 10
  y = iota(c)
  C((0, 0), [r, c]).store(x + y)
  D((0, 0), [c, r]).store(y + x)
  one = full(i64 [r = 1, c], 7)
  E((0, 0), [r, c]).store(one + broadcast(x, [r, c]))
})", {array("C", {2, 3}, I(6, -1)), array("D", {3, 2}, I(6, -1)), array("E", {2, 3}, I(6, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 1, 2, 10, 11, 12});
  CHECK(r.get<std::int64_t>("D") == I{0, 10, 1, 11, 2, 12});
  CHECK(r.get<std::int64_t>("E") == I{7, 7, 7, 17, 17, 17});
  // The highest rank gives the order, wherever it stands; here y's dims [c, r] win over x + x's [r].
  const TileRun h = run_tile(R"(kernel k(C: mut i64[3, 2]) {
  axis r = 2, c = 3
  x = iota(r) * 10
  y = broadcast(iota(c), [c, r])
  C((0, 0), [c, r]).store(x + y)
})", {array("C", {3, 2}, I(6, -1))});
  CHECK(h.codes() == "");
  CHECK(h.get<std::int64_t>("C") == I{0, 10, 1, 11, 2, 12});
}

TEST_CASE("a space has no dim twice", "[SPC-UNIQ]") {
  auto codes = [](const std::string &body) { return run_tile("kernel k() {\n axis m = 2, n = 3\n" + body + "\n}").codes(); };
  CHECK(codes("x = zeros i64 [m, m]") == "T0203@3");
  CHECK(codes("parallel p in [m, m = 3] { }") == "T0203@3");
  CHECK(codes("t = memory i64 [m, n, m]") == "T0203@3");
  CHECK(codes("x = zeros i64 [m, n]\nparallel p in [m, n] { }") == "");
}

TEST_CASE("reshape, relabel, transpose, broadcast move elements", "[BCAST]") {
  const TileRun r = run_tile(R"(kernel k(A: i64[2, 3], C: mut i64[3, 2], D: mut i64[3, 2], E: mut i64[2, 2, 3]) {
  axis r = 2, c = 3, o = 2
  x = A[(0, 0), [r, c]]
  C((0, 0), [c, r]).store(transpose(x, [c, r]))
  D((0, 0), [p = 3, q = 2]).store(reshape(x, [p, q]))
  E((0, 0, 0), [r, o, c]).store(broadcast(x, [r, o, c]))
})", {array("A", {2, 3}, iota_values<std::int64_t>(6)), array("C", {3, 2}, I(6, -1)), array("D", {3, 2}, I(6, -1)),
      array("E", {2, 2, 3}, I(12, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 3, 1, 4, 2, 5});
  CHECK(r.get<std::int64_t>("D") == I{0, 1, 2, 3, 4, 5});
  CHECK(r.get<std::int64_t>("E") == I{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
}

TEST_CASE("one text, many shapes, zero among them", "[SPC-EXT]") {
  const char *text = R"(kernel scale(A: i64[M, N], C: out i64[M, N]) {
  axis gm = ceil_div(M, 4), m = 4, n = N
  parallel p in [gm] {
    C((p.index() * 4, 0), [m, n]).store(A[(p.index() * 4, 0), [m, n]] * 3 + extent(M - N))
  }
})";
  for (const auto &[M, N] : {std::pair<int, int>{8, 2}, {5, 3}, {1, 1}, {0, 3}, {3, 0}, {0, 0}, {33, 17}}) {
    const TileRun r = run_tile(text, {array("A", {M, N}, iota_values<std::int64_t>(M * N))});
    INFO(M << " x " << N << "\n" << r.text());
    CHECK(r.codes() == "");
    CHECK(r.undefined.at("C") == 0);
    I expected;
    for (int i = 0; i < M * N; ++i) expected.push_back(i * 3 + M - N);
    CHECK(r.get<std::int64_t>("C") == expected);
  }
}

TEST_CASE("zero extents of tiles, windows, memories and every region", "[SPC-EXT][RED-SEED]") {
  const TileRun r = run_tile(R"(kernel k(Z: extent, A: mut f32[Z], S: mut i64[3]) {
  axis z = Z, m = 3
  t = A[0, [z]]
  A(0, [z]).store(t + 1.0)
  A(0, [z]).atomic_add(t)
  w = memory f32 [m, z]
  w((0, 0), [m, z]).store(zeros f32 [m, z])
  u = insert(w[(0, 0), [m, z]], t, (1, 0))
  S(0, [m]).store(cast(sum(u, z), i64))
  x = mma(u, transpose(u, [z, m]) , zeros f32 [m, n = 3]) + 0.0
  g = A.gather(iota(z) + 5)
  A.scatter(g, iota(z))
  parallel p in [z] { A(0).store(1.0) }
})", {array("S", I(3, -1))}, {{{"Z", 0}}});
  // transpose(u, [z, m]) shares m with the accumulator's rows: not a product; this program is refused.
  CHECK(r.codes() != "");
  const TileRun s = run_tile(R"(kernel k(Z: extent, A: mut f32[Z], S: mut i64[3]) {
  axis z = Z, m = 3, n = 3
  t = A[0, [z]]
  A(0, [z]).store(t + 1.0)
  A(0, [z]).atomic_add(t)
  w = memory f32 [m, z]
  w((0, 0), [m, z]).store(zeros f32 [m, z])
  u = insert(w[(0, 0), [m, z]], t, (1, 0))
  x = mma(u, zeros f32 [z, n], full(f32 [m, n], 4.0))
  S(0, [m]).store(cast(sum(u, z), i64) + cast(reduce_max(x, n), i64))
  g = A.gather(iota(z) + 5)
  A.scatter(g, iota(z))
  parallel p in [z] { A(0).store(1.0) }
})", {array("A", std::vector<float>{}), array("S", I(3, -1))});
  INFO(s.text());
  CHECK(s.codes() == "");
  CHECK(s.get<std::int64_t>("S") == I{4, 4, 4});
}

TEST_CASE("arguments of rank 0", "[SPC-EXT]") {
  const TileRun r = run_tile("kernel k(A: i64[], C: out i64[]) {\n C(()).store(A[()] + 1)\n}", {array("A", {}, I{41})});
  INFO(r.text());
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{42});
}
