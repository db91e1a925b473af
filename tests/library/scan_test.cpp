// SPDX-License-Identifier: Apache-2.0
// cumsum and its like, and affine_scan, against plain loops and the values of B20.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I32 = std::vector<std::int32_t>;

TEST_CASE("cumulative sums, products and extremes", "[library][SCAN]") {
  const TileRun r = run_tile(R"(kernel k(X: i32[4], Y: out i32[5, 4]) {
  axis n = 4
  x = X[0, [n]]
  Y((0, 0), [_, n]).store(cumsum(x, n))
  Y((1, 0), [_, n]).store(cumprod(x, n, exclusive = true))
  Y((2, 0), [_, n]).store(cummax(x, n))
  Y((3, 0), [_, n]).store(cummin(x, n, reverse = true))
  Y((4, 0), [_, n]).store(cumsum(x, n, exclusive = true, reverse = true))
})", {array("X", I32{3, -1, 4, 2}), array("Y", {5, 4}, I32(20))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("Y") == I32{3, 2, 6, 8, 1, 3, -3, -12, 3, 3, 4, 4, -1, -1, 2, 2, 5, 6, 2, 0});
}

namespace {

TileRun affine(const I32 &m, const I32 &b, bool reverse, int rows = 1) {
  const std::string n = std::to_string(m.size() / static_cast<std::size_t>(rows)), r = std::to_string(rows);
  return run_tile("kernel k(M: i32[" + r + ", " + n + "], B: i32[" + r + ", " + n + "], P: out i32[" + r + ", " + n + "], Q: out i32[" + r + ", " + n +
                      "]) {\n  axis r = " + r + ", n = " + n + "\n  p, q = affine_scan(M[(0, 0), [r, n]], B[(0, 0), [r, n]], n, reverse = " +
                      (reverse ? "true" : "false") + ")\n  P((0, 0), [r, n]).store(p)\n  Q((0, 0), [r, n]).store(q)\n}",
                  {array("M", {rows, std::stoll(n)}, m), array("B", {rows, std::stoll(n)}, b)});
}

} // namespace

TEST_CASE("affine maps compose in order, from either end", "[library]") {
  const I32 m = {2, 3, 1, 2}, b = {1, 1, 5, 0};
  const TileRun forward = affine(m, b, false), backward = affine(m, b, true);
  CHECK(forward.codes() == "");
  CHECK(forward.get<std::int32_t>("P") == I32{2, 6, 6, 12});
  CHECK(forward.get<std::int32_t>("Q") == I32{1, 4, 9, 18});
  CHECK(backward.get<std::int32_t>("P") == I32{12, 6, 2, 2});
  CHECK(backward.get<std::int32_t>("Q") == I32{18, 12, 10, 0});
  for (const std::size_t n : {4, 64, 65, 129})
    for (const bool reverse : {false, true}) {
      I32 mm, bb, p(2 * n), q(2 * n);
      for (std::size_t i = 0; i < 2 * n; ++i) mm.push_back(m[i % 4]), bb.push_back(b[(i * 3) % 4]);
      for (std::size_t row = 0; row < 2; ++row) {
        std::uint32_t pm = 1, pb = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t at = row * n + (reverse ? n - 1 - k : k);
          const auto xm = static_cast<std::uint32_t>(mm[at]), xb = static_cast<std::uint32_t>(bb[at]);
          pb = reverse ? pm * xb + pb : xm * pb + xb;
          pm *= xm;
          p[at] = static_cast<std::int32_t>(pm);
          q[at] = static_cast<std::int32_t>(pb);
        }
      }
      const TileRun r = affine(mm, bb, reverse, 2);
      CHECK(r.get<std::int32_t>("P") == p);
      CHECK(r.get<std::int32_t>("Q") == q);
    }
}

TEST_CASE("affine_scan refuses maps of unlike parts", "[library]") {
  const TileRun r = run_tile("kernel k(M: i32[4], B: f32[4]) {\n  axis n = 4\n  p, q = affine_scan(M[0, [n]], B[0, [n]], n)\n}",
                             {array("M", I32(4)), array("B", std::vector<float>(4))});
  CHECK(r.codes() == "T0217@3");
  CHECK(r.says("`b`"));
}
