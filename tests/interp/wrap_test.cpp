// SPDX-License-Identifier: Apache-2.0
// NUM-WRAP: integers that wrapped, as coordinates and origins.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {
// S[0] = 2^31 - 1 as i32, L[0] = 2^63 - 1 as i64, A = 1 2 3 4, C = -1.
TileRun wraps(const std::string &body, bool checked = true) {
  TileRunOptions options;
  options.checked = checked;
  return run_tile("kernel k(S: i32[2], L: i64[2], A: i64[4], C: mut i64[4], D: mut i32[4]) {\n  axis m = 4\n"
                  "  s = S[0]\n  l = L[0]\n" + body + "\n}",
                  {array("S", std::vector<std::int32_t>{INT32_MAX, 70000}), array("L", I{INT64_MAX, 1}),
                   array("A", I{1, 2, 3, 4}), array("C", I(4, -1)), array("D", std::vector<std::int32_t>(4, -1))},
                  options);
}
} // namespace

TEST_CASE("a narrow integer that wrapped is a violation as a coordinate", "[NUM-WRAP]") {
  const TileRun r = wraps("  C(0).store(A[s + 1])");
  REQUIRE(r.codes() == "U0203@5");
  CHECK(r.says("2147483648"));  // exact
  CHECK(r.says("-2147483648")); // wrapped
  // Through + - *, negation and casts it is remembered; 70000^2 = 4900000000.
  CHECK(wraps("  C(0).store(A[s * 2 + 2])").codes() == "U0203@5");          // -2 + 2 = 0: in bounds, and wrong
  CHECK(wraps("  C(0).store(A[-(s + 1)])").codes() == "U0203@5");
  CHECK(wraps("  C(0).store(A[cast(s + 1, i64)])").codes() == "U0203@5");
  CHECK(wraps("  C(0).store(A[cast(s + 1, i64) * 0 + 1])").codes() == "U0203@5");
  CHECK(wraps("  C(s + 1).store(1)").codes() == "U0203@5");
  CHECK(wraps("  C(s + 1).atomic_add(1)").codes() == "U0203@5");
  CHECK(wraps("  C.scatter(A[0, [m]], full(i32 [m], S[1] * S[1]))").codes() == "U0203@5");
  CHECK(wraps("  C(0, [m]).store(A.gather(full(i32 [m], S[1] * S[1])))").codes() == "U0203@5");
  CHECK(wraps("  a = A[0, [m]]\n  C(0).store(a[s + 1])").codes() == "U0203@6");
  CHECK(wraps("  a = A[0, [m]]\n  a = insert(a, 9, (s + 1))").codes() == "U0203@6");
  // Through variables, loops, copies and layouts.
  CHECK(wraps("  x = s\n  serial t in [#0 = 3] { x = x + 1 }\n  C(x).store(1)").codes() == "U0203@6");
  CHECK(wraps("  x = s + 1\n  if A[0] == 1 { x = x + 1 }\n  C(x).store(1)").codes() == "U0203@5");
  CHECK(wraps("  x = broadcast(s + 1, [m])\n  C.scatter(A[0, [m]], reshape(x, [m]))").codes() == "U0203@5");
  CHECK(wraps("  C(map_coord(0, (i) -> (i + 5), s + 1)).store(1)").codes() == "U0203@5");
  CHECK(wraps("  x = full(i32 [m], s)\n  C(sum(x)).store(1)").codes() == "U0203@6");
  CHECK(wraps("  x = full(i32 [m], s)\n  C(sum(x, fold_right) * 0).store(1)").codes() == "U0203@6");
  CHECK(wraps("  x = full(i32 [m, k = 1], s)\n  y = mma(x, full(i32 [k, n = 1], 2), zeros i32 [m, n])\n  C(y[0, 0]).store(1)").codes() == "U0203@6");
  CHECK(wraps("  x = full(i32 [m], 1)\n  C(sum(x) - 1).store(1)").codes() == "");
}

TEST_CASE("mod, and, comparisons and right shifts forget; data may wrap", "[NUM-WRAP]") {
  CHECK(wraps("  C(0).store(A[mod(s + 1, 4)])").codes() == "");
  CHECK(wraps("  C(0).store(A[(s + 1) & 3])").codes() == "");
  CHECK(wraps("  C(0).store(A[((s + 1) >> 31) + 1])").codes() == "");
  CHECK(wraps("  C(0).store(A[ite(s + 1 > 0, full(i64 [], 0), full(i64 [], 1))])").codes() == "");
  CHECK(wraps("  D(0).store(s + 1)").codes() == "");
  CHECK(wraps("  x = s + 1\n  D(0).store(x)\n  if x < 0 { D(1).store(x) }\n  y = A[mod(x, 4)]").codes() == "");
  // The same value stored as data and, masked by ite, used as a coordinate.
  CHECK(wraps("  x = s + 1\n  D(0).store(x)\n  C(0).store(A[ite(x > 0, x, s - s)])").codes() == "");
  // A switch on a wrapped integer is no coordinate either.
  CHECK(wraps("  x = s + 1\n  switch x {\n case 0 { C(0).store(1) }\n }\n  C(0).store(A[ite(x > 0, x, s - s)])").codes() == "");
}

TEST_CASE("the report has the numbers and the type of the step that wrapped first", "[NUM-WRAP]") {
  // 2 (2^31 - 1) = 2^32 - 2, which is -2 in i32.
  CHECK(wraps("  C(s * 2).store(1)").says("4294967294 became -2 in i32"));
  CHECK(
      wraps("  x = full(i32 [m], s)\n  C(sum(x)).store(1)").says("4294967294 became -2 in i32, in a step of the fold"));
  CHECK(wraps("  x = full(i32 [m], s)\n  C(sum(x, fold_right) * 0).store(1)")
            .says("4294967294 became -2 in i32, in a step of the fold"));
  const std::string product =
      "  x = full(i32 [m, k = 1], s)\n  y = mma(x, full(i32 [k, n = 1], 2), zeros i32 [m, n])\n  C(y[0, 0]).store(1)";
  CHECK(wraps(product).says("4294967294 became -2 in i32, a product of `mma`"));
  const std::string sum = "  x = full(i32 [m, k = 1], s)\n  y = mma(x, full(i32 [k, n = 1], 1), full(i32 [m, n], s))\n "
                          " C(y[0, 0]).store(1)";
  CHECK(wraps(sum).says("4294967294 became -2 in i32, a sum of `mma`"));
  // Along k, for each m: 2 (2^31 - 2).
  CHECK(wraps("  x = full(i32 [m, k = 2], s) - 1\n  C(sum(x, k)[0]).store(1)").says("4294967292 became -4 in i32"));
  const TileRun taken = wraps("  a = A[0, [m]]\n  C(0).store(a[l * 2 + 2])");
  CHECK(taken.says(
      "the index is [0], the tile has extents [4]; the index wrapped: 18446744073709551614 became -2 in i64"));
}

TEST_CASE("64 bits wide: out of bounds, and the policy decides", "[NUM-WRAP]") {
  // l * 2 + 2 is 0 when wrapped, 2^64 exactly: out of bounds.
  const TileRun r = wraps("  C(0).store(A[l * 2 + 2])\n  C(l * 2 + 3).store(7)\n  C(2).store(A[l + 1, fallback(55)])");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, -1, 55, -1});
  const TileRun unchecked = wraps("  C(0).store(A[l * 2 + 2])\n  C(l * 2 + 3).store(7)", false);
  CHECK(unchecked.get<std::int64_t>("C") == I{0, -1, -1, -1});
  CHECK(wraps("  C(0).store(A[l * 2 + 2, assume])").codes() == "U0201@5");
  CHECK(wraps("  C(l * 2 + 2, assume).store(1)").codes() == "U0201@5");
  CHECK(wraps("  C(0).store(A[l * 2 + 2, predicate(l > 0)])").codes() == "U0202@5");
  CHECK(wraps("  a = A[0, [m]]\n  a = insert(a, 9, (l * 2 + 2))").codes() == "U0303@6");
  CHECK(wraps("  a = A[0, [m]]\n  C(0).store(a[l * 2 + 2])").codes() == "U0104@6");
  // A map's own arithmetic is exact up to 64 bits and out of bounds beyond.
  CHECK(wraps("  C(0).store(A[map_coord(0, (i) -> (i * 2 + 2), l)] + 1)").get<std::int64_t>("C")[0] == 1);
  // A window whose origin is fine and whose last element would leave 64 bits: exact, so outside.
  CHECK(wraps("  C(0, [m]).store(A[l, [m]])").get<std::int64_t>("C") == I{0, 0, 0, 0});
}

TEST_CASE("a huge u64 coordinate is outside, not negative", "[NUM-WRAP]") {
  const TileRun r = run_tile("kernel k(U: u64[1], A: i64[4], C: mut i64[2]) {\n u = U[0]\n C(0).store(A[u + 3])\n"
                             " C(1).store(A[u])\n}",
                             {array("U", std::vector<std::uint64_t>{UINT64_MAX - 1}), array("A", I{1, 2, 3, 4}), array("C", I{-1, -1})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 0}); // u + 3 wraps to 1, exactly 2^64 + 1: outside
}

TEST_CASE("in a row of instances, only the wrapped ones are at fault", "[NUM-WRAP]") {
  // p * 2^20 as i32 wraps from p = 2048 on: instances 2048..2999 of 3000: 952.
  const TileRun r = run_tile("kernel k(A: i64[1], C: mut i64[3000]) {\n parallel p in [#0 = 3000] {\n"
                             "  x = cast(p.index(), i32) * 1048576\n  C(p.index()).store(A[x])\n }\n}",
                             {array("A", I{6}), array("C", I(3000, -1))});
  REQUIRE(r.codes() == "U0203@3");
  CHECK(r.diagnostics[0].count == 952);
  CHECK(r.says("p(2048)"));
  CHECK(r.get<std::int64_t>("C")[0] == 6);
  CHECK(r.get<std::int64_t>("C")[1] == 0);
}

TEST_CASE("a 64-bit coordinate that wrapped is out of bounds, and the report says why", "[NUM-WRAP][BND-ASSUME]") {
  const TileRun assumed = wraps("  C(0).store(A[l * 2 + 2, assume])"); // 2^64 became 0
  CHECK(assumed.codes() == "U0201@5");
  CHECK(assumed.says("a coordinate wrapped"));
  CHECK(assumed.says("18446744073709551614 became -2")); // where it first wrapped
  CHECK(wraps("  C(0).store(A[l * 2 + 2, predicate(true)])").says("a coordinate wrapped"));
  CHECK_FALSE(wraps("  C(0).store(A[l, assume])").says("wrapped"));
}
