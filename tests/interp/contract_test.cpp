// SPDX-License-Identifier: Apache-2.0
// MMA on the machine: dims by identity in any order, batches, several contracted dims, types, against plain loops.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using I = std::vector<std::int64_t>;
using F = std::vector<float>;

namespace {
// Small pseudo-random integers.
I noise(std::size_t n, std::uint64_t seed) {
  I v(n);
  for (auto &x : v) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<std::int64_t>(seed >> 59) - 16;
  }
  return v;
}
} // namespace

TEST_CASE("every order of the operands' and the accumulator's axes gives the same product", "[MMA]") {
  // M = 2, K = 3, N = 4; A, B, C held row-major in their own orders.
  const int M = 2, K = 3, N = 4;
  const I a = noise(M * K, 1), b = noise(K * N, 2), c = noise(M * N, 3);
  for (int flip = 0; flip < 8; ++flip) {
    const bool fa = flip & 1, fb = flip & 2, fc = flip & 4;
    const std::string text = std::string("kernel k(A: i64[2, 3], B: i64[3, 4], C: i64[2, 4], D: mut i64[2, 4]) {\n"
        " axis m = 2, k = 3, n = 4\n x = A[(0, 0), [m, k]]\n y = B[(0, 0), [k, n]]\n z = C[(0, 0), [m, n]]\n r = mma(") +
        (fa ? "transpose(x, [k, m])" : "x") + ", " + (fb ? "transpose(y, [n, k])" : "y") + ", " +
        (fc ? "transpose(z, [n, m])" : "z") + ")\n D((0, 0), [m, n]).store(" + (fc ? "transpose(r, [m, n])" : "r") + ")\n}";
    const TileRun r = run_tile(text, {array("A", {2, 3}, a), array("B", {3, 4}, b), array("C", {2, 4}, c), array("D", {2, 4}, I(8, 0))});
    INFO(text << r.text());
    REQUIRE(r.codes() == "");
    const I d = r.get<std::int64_t>("D");
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        std::int64_t s = c[i * N + j];
        for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
        CHECK(d[i * N + j] == s);
      }
  }
}

TEST_CASE("dims in all three are batch dims; several dims are contracted at once", "[MMA]") {
  // D[p, m, q, n] = C + sum over k, l of A[m, p, k, q, l] B[l, p, n, q, k]: batch p, q; contracted k, l.
  const int P = 2, Q = 2, M = 2, N = 3, K = 2, L = 3;
  const I a = noise(M * P * K * Q * L, 4), b = noise(L * P * N * Q * K, 5), c = noise(P * M * Q * N, 6);
  const TileRun r = run_tile(R"(kernel g(A: i64[2, 2, 2, 2, 3], B: i64[3, 2, 3, 2, 2], C: i64[2, 2, 2, 3], D: mut i64[2, 2, 2, 3]) {
  axis p = 2, q = 2, m = 2, n = 3, k = 2, l = 3
  x = A[(0, 0, 0, 0, 0), [m, p, k, q, l]]
  y = B[(0, 0, 0, 0, 0), [l, p, n, q, k]]
  D((0, 0, 0, 0), [p, m, q, n]).store(mma(x, y, C[(0, 0, 0, 0), [p, m, q, n]]))
})", {array("A", {2, 2, 2, 2, 3}, a), array("B", {3, 2, 3, 2, 2}, b), array("C", {2, 2, 2, 3}, c), array("D", {2, 2, 2, 3}, I(24, 0))});
  REQUIRE(r.codes() == "");
  const I d = r.get<std::int64_t>("D");
  for (int p = 0; p < P; ++p)
    for (int m = 0; m < M; ++m)
      for (int q = 0; q < Q; ++q)
        for (int n = 0; n < N; ++n) {
          std::int64_t s = c[((p * M + m) * Q + q) * N + n];
          for (int k = 0; k < K; ++k)
            for (int l = 0; l < L; ++l)
              s += a[(((m * P + p) * K + k) * Q + q) * L + l] * b[(((l * P + p) * N + n) * Q + q) * K + k];
          CHECK(d[((p * M + m) * Q + q) * N + n] == s);
        }
}

TEST_CASE("ascending k is lexicographic in A's axis order", "[MMA]") {
  // k = (s, t) of 2 x 2; in A's order [s, t] the products are 1e8, 1, -1e8, 1: ((1e8 + 1) - 1e8) + 1 = 1 from the
  // accumulator 0; in the order [t, s]: 1e8, -1e8, 1, 1: 2. B's order does not matter.
  for (const char *b : {"[s, t, n]", "[t, s, n]"}) {
    const TileRun r = run_tile(std::string(R"(kernel k(A: f32[2, 2], C: mut f32[2]) {
  axis s = 2, t = 2, m = 1, n = 1
  a = broadcast(A[(0, 0), [s, t]], [m, s, t])
  b = full(f32 )") + b + R"(, 1.0)
  C(0).store(mma(a, b, zeros f32 [m, n])[0, 0])
  C(1).store(mma(transpose(a, [m, t, s]), b, zeros f32 [m, n])[0, 0])
})", {array("A", {2, 2}, F{1e8f, 1, -1e8f, 1}), array("C", F{9, 9})});
    INFO(r.text());
    REQUIRE(r.codes() == "");
    CHECK(r.get<float>("C") == F{1, 2});
  }
}

TEST_CASE("inputs convert to the accumulator's type", "[MMA][NUM-ACC]") {
  // f16 300 * 300 = 90000 overflows f16 and is exact in f32; i8 100 * 100 * 2 in i32; bf16 into f32.
  const TileRun r = run_tile(R"(kernel k(C: mut f32[3], D: mut i32[1], E: mut f64[1]) {
  axis m = 1, k = 2, n = 1
  a = full(f16 [m, k], 300.0)
  b = full(f16 [k, n], 300.0)
  C(0).store(mma(a, b, zeros f32 [m, n])[0, 0])
  C(1).store(mma(full(bf16 [m, k], 3.0), full(f16 [k, n], 0.5), zeros f32 [m, n])[0, 0])
  C(2).store(mma(full(u8 [m, k], 200), full(f32 [k, n], 0.5), zeros f32 [m, n])[0, 0])
  D(0).store(mma(full(i8 [m, k], 100), full(u8 [k, n], 200), full(i32 [m, n], 1))[0, 0])
  E(0).store(mma(full(f32 [m, k], 0.5), full(i32 [k, n], 2147483647), zeros f64 [m, n])[0, 0])
})", {array("C", F{0, 0, 0}), array("D", std::vector<std::int32_t>{0}), array("E", std::vector<double>{0})});
  INFO(r.text());
  CHECK(r.codes() == "");
  CHECK(r.get<float>("C") == F{180000, 3, 200});
  CHECK(r.get<std::int32_t>("D") == std::vector<std::int32_t>{40001});
  CHECK(r.get<double>("E") == std::vector<double>{2147483647.0});
  // Never to a narrower one.
  CHECK(run_tile("kernel k() {\n axis m = 1, k = 2, n = 1\n"
                 " x = mma(full(f32 [m, k], 1.0), full(f16 [k, n], 1.0), zeros f16 [m, n])\n}").codes() == "T0303@3");
}

TEST_CASE("no contribution leaves the accumulator, bit for bit", "[MMA]") {
  const TileRun r = run_tile(R"(kernel q(K: extent, C: mut f32[1]) {
  axis m = 1, k = K, n = 1
  C(0).store(mma(zeros f32 [m, k], zeros f32 [k, n], full(f32 [m, n], -0.0))[0, 0])
})", {array("C", F{1})}, {{{"K", 0}}});
  CHECK(r.codes() == "");
  CHECK(std::signbit(r.get<float>("C")[0]));
}

TEST_CASE("a dim of rows or of columns only: products with vectors", "[MMA]") {
  const TileRun r = run_tile(R"(kernel k(A: i64[2, 3], X: i64[3], C: mut i64[2], D: mut i64[1], E: mut i64[2]) {
  axis m = 2, k = 3
  a = A[(0, 0), [m, k]]
  x = X[0, [k]]
  C(0, [m]).store(mma(a, x, zeros i64 [m]))
  E(0, [m]).store(mma(x, a, zeros i64 [m]))
  D(0).store(mma(x, x, zeros i64 []))
})", {array("A", {2, 3}, I{1, 2, 3, 4, 5, 6}), array("X", I{1, 10, 100}), array("C", I{0, 0}), array("D", I{0}), array("E", I{0, 0})});
  INFO(r.text());
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{321, 654});
  CHECK(r.get<std::int64_t>("E") == I{321, 654});
  CHECK(r.get<std::int64_t>("D") == I{10101});
}

TEST_CASE("a shared accumulator stays what it was", "[MMA][VAL-SNAP]") {
  const TileRun r = run_tile(R"(kernel k(C: mut i64[4], D: mut i64[4]) {
  axis m = 2, k = 2, n = 2
  acc = full(i64 [m, n], 1)
  old = acc
  acc = mma(full(i64 [m, k], 1), full(i64 [k, n], 1), acc)
  C(0, [q = 4]).store(reshape(acc, [q]))
  D(0, [q]).store(reshape(old, [q]))
})", {array("C", I(4, 0)), array("D", I(4, 0))});
  CHECK(r.get<std::int64_t>("C") == I(4, 3));
  CHECK(r.get<std::int64_t>("D") == I(4, 1));
}
