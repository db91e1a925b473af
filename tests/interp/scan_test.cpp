// SPDX-License-Identifier: Apache-2.0
// SCAN: prefixes and suffixes, inclusive and exclusive, of every reducer, along every dim, with holes, empty; what
// wraps and what is marked. The expected values are folds of each prefix by a plain loop.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using I = std::vector<std::int64_t>;
using F = std::vector<float>;

namespace {

I scanned(const std::string &call, const I &a, std::vector<std::int64_t> shape) {
  const std::string s = std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + ", " + std::to_string(shape[2]);
  const TileRun r = run_tile("kernel k(A: i64[" + s + "], C: out i64[" + s + "]) {\n  axis p = " + std::to_string(shape[0]) +
                                 ", q = " + std::to_string(shape[1]) + ", r = " + std::to_string(shape[2]) +
                                 "\n  x = A[(0, 0, 0), [p, q, r]]\n  C((0, 0, 0), [p, q, r]).store(" + call + ")\n}",
                             {array("A", shape, a), array("C", shape, I(a.size()))});
  INFO(call << "\n" << r.text());
  CHECK(r.codes() == "");
  return r.get<std::int64_t>("C");
}

} // namespace

TEST_CASE("a scan folds every prefix along its dim", "[SCAN]") {
  const std::int64_t n[] = {3, 4, 5};
  I a;
  for (int i = 0; i < 60; ++i) a.push_back((i * 37 + 11) % 23 - 9);
  struct Case { const char *name; std::int64_t identity; std::int64_t (*op)(std::int64_t, std::int64_t); };
  const Case cases[] = {
      {"add", 0, [](std::int64_t s, std::int64_t x) { return s + x; }},
      {"mul", 1, [](std::int64_t s, std::int64_t x) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(x)); }},
      {"min", INT64_MAX, [](std::int64_t s, std::int64_t x) { return std::min(s, x); }},
      {"max", INT64_MIN, [](std::int64_t s, std::int64_t x) { return std::max(s, x); }},
      {"bit_and", -1, [](std::int64_t s, std::int64_t x) { return s & x; }},
      {"bit_or", 0, [](std::int64_t s, std::int64_t x) { return s | x; }},
      {"bit_xor", 0, [](std::int64_t s, std::int64_t x) { return s ^ x; }}};
  const char *dims[] = {"p", "q", "r"};
  for (const Case &c : cases)
    for (int d = 0; d < 3; ++d)
      for (const bool exclusive : {false, true})
        for (const bool reverse : {false, true}) {
          const std::string call = std::string("scan(x, ") + dims[d] + ", " + c.name + (exclusive ? ", exclusive = true" : "") +
                                   (reverse ? ", reverse = true" : "") + (d == 1 ? ", fold_left)" : ")");
          I expected(60);
          for (int i = 0; i < 60; ++i) {
            const int at[] = {i / 20, i / 5 % 4, i % 5};
            const int step[] = {20, 5, 1};
            std::int64_t s = c.identity;
            for (int j = 0; j < n[d]; ++j) {
              const bool in = reverse ? j > at[d] || (j == at[d] && !exclusive) : j < at[d] || (j == at[d] && !exclusive);
              if (in) s = c.op(s, a[static_cast<std::size_t>(i + (j - at[d]) * step[d])]);
            }
            expected[static_cast<std::size_t>(i)] = s;
          }
          CHECK(scanned(call, a, {3, 4, 5}) == expected);
        }
}

TEST_CASE("an exclusive scan of floats starts with the identity, bit for bit", "[SCAN][RED-SEED]") {
  const TileRun r = run_tile(R"(kernel k(A: f32[3], C: out f32[5, 3]) {
  axis n = 3
  x = A[0, [n]]
  C((0, 0), [_, n]).store(scan(x, n, add, exclusive = true))
  C((1, 0), [_, n]).store(scan(x, n, min, exclusive = true))
  C((2, 0), [_, n]).store(scan(x, n, maxnum, exclusive = true))
  C((3, 0), [_, n]).store(scan(x, n, max))
  C((4, 0), [_, n]).store(scan(x, n, minnum, reverse = true))
})", {array("A", F{-0.0f, NAN, 2.0f}), array("C", {5, 3}, F(15))});
  CHECK(r.codes() == "");
  const F c = r.get<float>("C");
  CHECK((c[0] == 0 && std::signbit(c[0]) && c[1] == 0 && std::signbit(c[1]) && std::isnan(c[2])));
  CHECK((c[3] == INFINITY && c[4] == 0 && std::signbit(c[4]) && std::isnan(c[5])));
  CHECK((std::isnan(c[6]) && c[7] == 0 && std::signbit(c[7]) && c[8] == 0));
  CHECK((c[9] == 0 && std::signbit(c[9]) && std::isnan(c[10]) && std::isnan(c[11])));
  CHECK((c[12] == 0 && std::signbit(c[12]) && c[13] == 2 && c[14] == 2));
}

TEST_CASE("a suffix sum is summed from its end, not as a difference", "[SCAN]") {
  // 16 x 5e8, then 16 x 3: total - prefix is 0 in f32, the suffix sum at index 16 is 48.
  F a(16, 5e8f);
  a.insert(a.end(), 16, 3.0f);
  const TileRun r = run_tile("kernel k(A: f32[32], C: out f32[1]) {\n  axis n = 32\n  C(0).store(scan(A[0, [n]], n, add, reverse = true)[16])\n}",
                             {array("A", a), array("C", F{0})});
  CHECK(r.codes() == "");
  CHECK(r.get<float>("C") == F{48});
}

TEST_CASE("inactive points are skipped and stay inactive; empty dims", "[SCAN][IDX-PRED]") {
  const TileRun r = run_tile(R"(kernel k(A: i64[6], C: mut i64[6], Z: i64[0], D: out i64[0]) {
  axis n = 6
  C(0, [n]).store(scan(restrict(A[0, [n]], n % 3 != 1), n, add))
  axis z = 0
  D(0, [z]).store(scan(Z[0, [z]], z, add))
})", {array("A", I{1, 2, 4, 8, 16, 32}), array("C", I(6, -1)), array("Z", I{}), array("D", I{})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1, -1, 5, 13, -1, 45});
}

TEST_CASE("a scan remembers what wrapped from there on", "[SCAN][NUM-WRAP]") {
  // 100, 200 as i8 sums: 100 is fine, 200 wrapped, and so is every later prefix as a coordinate.
  const char *text = R"(kernel k(A: i8[3], X: i64[64], C: mut i64[1]) {
  axis n = 3
  s = scan(A[0, [n]], n, add)
  C(0).store(X[cast(s[AT], i64)])
})";
  auto run = [&](const std::string &at) {
    std::string t = text;
    t.replace(t.find("AT"), 2, at);
    return run_tile(t, {array("A", std::vector<std::int8_t>{60, 100, 96}), array("X", I(64, 7)), array("C", I{0})});
  };
  CHECK(run("0").codes() == "");
  CHECK(run("0").get<std::int64_t>("C") == I{7});
  CHECK(run("1").codes() == "U0203@3"); // at the operation that wrapped
  CHECK(run("2").codes() == "U0203@3"); // 256 wraps to 0, in bounds
  for (const char *at : {"1", "2"})
    CHECK(run(at).says("160 became -96 in i8, in a step of the scan")); // where it first wrapped
}

TEST_CASE("a marked contribution of a scan is a violation", "[SCAN][VAL-MARK]") {
  const TileRun r = run_tile(R"(kernel k(A: i64[3], C: out i64[3]) {
  axis n = 3
  C(0, [n]).store(scan(12 / A[0, [n]], n, add))
})", {array("A", I{1, 0, 2}), array("C", I(3))});
  CHECK(r.codes() == "U0101@3");
}

TEST_CASE("what a scan refuses", "[SCAN]") {
  auto codes = [](const std::string &call) {
    return run_tile("kernel k(A: f32[4], C: out f32[4]) {\n  axis n = 4, m = 4\n  C(0, [n]).store(" + call + ")\n}",
                    {array("A", F(4)), array("C", F(4))}).codes();
  };
  CHECK(codes("scan(A[0, [n]], m, add)") == "T0304@3");
  CHECK(codes("scan(A[0, [n]], n, bit_and)") == "T0102@3");
  CHECK(codes("scan(A[0, [n]], n, sub)") == "P0001@3");
  CHECK(codes("scan(A[0, [n]], n, add, fold_right)") == "P0001@3");
  CHECK(codes("scan(A[0, [n]], n, add, exclusive = 1)") == "P0001@3");
}
