// SPDX-License-Identifier: Apache-2.0
// Philox against the known answers of its authors' test vectors (Random123, kat_vectors, philox4x32 10), its
// floats and dropout against the words.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using U32 = std::vector<std::uint32_t>;
using U64 = std::vector<std::uint64_t>;

namespace {

U32 words(std::uint64_t counter, std::uint64_t stream, std::uint64_t key) {
  const TileRun r = run_tile("kernel k(C: u64[1], S: u64[], K: u64[], Y: out u32[4, 1]) {\n  axis n = 1\n  a, b, c, d = philox(C[0, [n]], key = K[], stream = S[])\n"
                             "  Y((0, 0), [_, n]).store(a)\n  Y((1, 0), [_, n]).store(b)\n  Y((2, 0), [_, n]).store(c)\n  Y((3, 0), [_, n]).store(d)\n}",
                             {array("C", U64{counter}), array("S", {}, U64{stream}), array("K", {}, U64{key})});
  INFO(r.text());
  CHECK(r.codes() == "");
  return r.get<std::uint32_t>("Y");
}

} // namespace

TEST_CASE("Philox gives the known answers", "[library]") {
  CHECK(words(0, 0, 0) == U32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(words(~0ull, ~0ull, ~0ull) == U32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(words(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822) == U32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform is the upper 24 bits of the first word", "[library]") {
  const TileRun r = run_tile("kernel k(W: out u32[64], Y: out f32[64]) {\n  axis n = 64\n  a, b, c, d = philox(iota(n), key = 5)\n  W(0, [n]).store(a)\n"
                             "  Y(0, [n]).store(uniform(iota(n), key = 5))\n}", {});
  CHECK(r.codes() == "");
  const auto w = r.get<std::uint32_t>("W");
  const auto y = r.get<float>("Y");
  for (std::size_t i = 0; i < 64; ++i) CHECK(y[i] == std::ldexp(static_cast<double>(w[i] >> 8), -24));
}

TEST_CASE("dropout keeps by place, whatever the tiles", "[library]") {
  // The whole array at once, and in tiles of 4 that say where they begin: the same numbers.
  const TileRun r = run_tile("kernel k(X: f32[64], U: out f32[64], Y: out f32[64], Z: out f32[64]) {\n  axis n = 64, t = 16, m = 4\n"
                             "  U(0, [n]).store(uniform(iota(n), key = 9))\n  Y(0, [n]).store(dropout(X[0, [n]], 0.25, key = 9))\n"
                             "  parallel p in [t] {\n    Z(p.t * 4, [m]).store(dropout(X[p.t * 4, [m]], 0.25, key = 9, first = p.t * 4))\n  }\n}",
                             {array("X", std::vector<float>(64, 3.0f))});
  CHECK(r.codes() == "");
  const auto u = r.get<float>("U"), y = r.get<float>("Y");
  for (std::size_t i = 0; i < 64; ++i) CHECK(y[i] == (u[i] >= 0.25f ? 4.0f : 0.0f));
  CHECK(y == r.get<float>("Z"));
}

TEST_CASE("what the random functions refuse", "[library]") {
  auto codes = [](const std::string &call) {
    return run_tile("kernel k(X: f32[4]) {\n  axis n = 4\n  y = " + call + "\n}", {array("X", std::vector<float>(4))}).codes();
  };
  CHECK(codes("dropout(X[0, [n]], 1.0)") == "T0218@3");
  CHECK(codes("dropout(X[0, [n]], -0.5)") == "T0218@3");
  CHECK(codes("uniform(iota(n), key = 0.5)") == "T0218@3");
  CHECK(codes("uniform(X[0, [n]])") == "T0217@3");
}

TEST_CASE("keys of 2^63 and more are casts", "[library]") {
  const std::string text = "kernel k(K: u64[1], A: out u32[4], B: out u32[4]) {\n  axis n = 4\n"
                           "  a, _, _, _ = philox(iota(n), key = cast(i64(-1), u64))\n  b, _, _, _ = philox(iota(n), key = K[0])\n"
                           "  A(0, [n]).store(a)\n  B(0, [n]).store(b)\n}";
  const TileRun r = run_tile(text, {array("K", std::vector<std::uint64_t>{~std::uint64_t{0}})});
  REQUIRE(r.codes() == "");
  CHECK(r.get<std::uint32_t>("A") == r.get<std::uint32_t>("B"));
}
