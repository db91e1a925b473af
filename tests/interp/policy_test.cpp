// SPDX-License-Identifier: Apache-2.0
// What the policies of `mma` and of folds admit beyond the reference run (MMA, NUM-ACC): the run itself takes one
// chain in ascending k, rounds each product and each sum to the type, and uses none of the freedoms.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using F = std::vector<float>;
using Bits = std::vector<std::uint16_t>;

namespace {

// acc + the products of A and B over k, under each of the eight policies.
template <class T> void check_all_policies(const std::string &type, ScalarType elem, std::vector<T> a, std::vector<T> b, T acc, T expected) {
  const auto k = static_cast<std::int64_t>(a.size());
  for (int policy = 0; policy < 8; ++policy) {
    auto flag = [&](int bit) { return policy >> bit & 1 ? "true" : "false"; };
    const TileRun r = run_tile("kernel f(A: " + type + "[1, K], B: " + type + "[K, 1], D: " + type + "[1, 1], C: out " + type +
                                   "[1, 1]) {\n  axis m = 1, n = 1, k = K\n  C((0, 0), [m, n]).store(mma(A[(0, 0), [m, k]], "
                                   "B[(0, 0), [k, n]], D[(0, 0), [m, n]], allow_reassociation = " + flag(0) +
                                   ", allow_contraction = " + flag(1) + ", wide_accumulation = " + flag(2) + "))\n}\n",
                               {array("A", {1, k}, a, elem), array("B", {k, 1}, b, elem), array("D", {1, 1}, std::vector<T>{acc}, elem)});
    INFO(policy << r.text());
    REQUIRE(r.codes() == "");
    CHECK(r.get<T>("C") == std::vector<T>{expected});
  }
}

} // namespace

TEST_CASE("the reference run of mma contracts nothing", "[MMA]") {
  // (1 + 2^-12)^2 rounds to 1 + 2^-11; an fma would leave 2^-24.
  check_all_policies<float>("f32", ScalarType::f32, {1 + 0x1p-12f}, {1 + 0x1p-12f}, -(1 + 0x1p-11f), 0);
}

TEST_CASE("the reference run of mma ascends k in one chain", "[MMA][NUM-ACC]") {
  // 1e8 + 1 is 1e8 in f32, so ascending gives ((1e8 + 1) - 1e8) + 1 = 1; exactly it is 2.
  check_all_policies<float>("f32", ScalarType::f32, {1e8f, 1, -1e8f, 1}, {1, 1, 1, 1}, 0, 1);
  // Descending it would be ((1 - 1e8) + 1) + 1e8 = 0, and for these -1e8 is last: ((1 + 1) + 1e8) - 1e8 = 0.
  check_all_policies<float>("f32", ScalarType::f32, {1, 1, 1e8f, -1e8f}, {1, 1, 1, 1}, 0, 0);
}

TEST_CASE("an accumulator has the precision of its type at every step", "[NUM-ACC][MMA]") {
  // bf16 has 8 bits: above 256 the step is 2, and 256 + 1 ties to the even 256, twice. Wide it would be 258.
  check_all_policies<std::uint16_t>("bf16", ScalarType::bf16, {0x4380, 0x3f80, 0x3f80}, {0x3f80, 0x3f80, 0x3f80}, 0, 0x4380);
  // f16 has 11 bits: 2048 + 1 is 2048.
  check_all_policies<std::uint16_t>("f16", ScalarType::f16, {0x6800, 0x3c00, 0x3c00}, {0x3c00, 0x3c00, 0x3c00}, 0, 0x6800);
  for (const char *wide : {"", ", wide_accumulation = false", ", wide_accumulation = true"}) {
    const TileRun r = run_tile(std::string("kernel f(A: bf16[3], C: out bf16[1]) {\n  axis m = 3\n  C(0).store(sum(A[0, [m]], m") + wide +
                                   "))\n}\n", {array("A", {3}, Bits{0x4380, 0x3f80, 0x3f80}, ScalarType::bf16)});
    CHECK(r.codes() == "");
    CHECK(r.get<std::uint16_t>("C") == Bits{0x4380});
  }
}

TEST_CASE("the state of a reduce has the precision of its type", "[NUM-ACC][NUM-LIT]") {
  const TileRun r = run_tile(R"(kernel f(A: bf16[3], C: out bf16[1], D: out f32[1]) {
  s = bf16(0.0)
  w = f32(0.0)
  reduce i in [3] {
    s = s + A[i.index]
    w = w + cast(A[i.index], f32)
  }
  C(0).store(s)
  D(0).store(w)
})", {array("A", {3}, Bits{0x4380, 0x3f80, 0x3f80}, ScalarType::bf16)});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint16_t>("C") == Bits{0x4380});
  CHECK(r.get<float>("D") == F{258});
}
