// SPDX-License-Identifier: Apache-2.0
// quantise and dequantise by hand: ties, saturation, NaN, zero points, scales per tensor and per channel, 4-bit and
// 8-bit targets.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <limits>

using namespace tilenest;
using F = std::vector<float>;

TEST_CASE("quantise rounds to the nearest step, ties to even, and saturates", "[library]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const F x = {0.25f, 0.75f, -0.25f, 1.25f, 1000, -1000, nan, inf};
  const TileRun r = run_tile(R"(kernel k(X: f32[8], Y: out i8[8], Z: out u8[8], W: out i4[8]) {
  axis n = 8
  x = X[0, [n]]
  Y(0, [n]).store(quantise(x, 0.5, i8))
  Z(0, [n]).store(quantise(x, 0.5, u8, zero = 10.0))
  W(0, [n]).store(quantise(x, 0.5, i4))
})", {array("X", x), array("Y", std::vector<std::int8_t>(8)), array("Z", std::vector<std::uint8_t>(8)),
      array("W", {8}, std::vector<std::uint8_t>(4), ScalarType::i4)});
  INFO(r.text());
  CHECK(r.codes() == "");
  // x / 0.5 is 0.5, 1.5, -0.5, 2.5: 0, 2, 0, 2.
  CHECK(r.get<std::int8_t>("Y") == std::vector<std::int8_t>{0, 2, 0, 2, 127, -128, 0, 127});
  CHECK(r.get<std::uint8_t>("Z") == std::vector<std::uint8_t>{10, 12, 10, 12, 255, 0, 0, 255});
  CHECK(r.get<std::uint8_t>("W") == std::vector<std::uint8_t>{0x20, 0x20, 0x87, 0x70}); // low nibble first; -8 is 8
}

TEST_CASE("a scale per channel, and back", "[library]") {
  const TileRun r = run_tile(R"(kernel k(X: f32[2, 3], S: f32[3], Y: out i8[2, 3], Z: out f32[2, 3]) {
  axis m = 2, n = 3
  s = S[0, [n]]
  q = quantise(X[(0, 0), [m, n]], s, i8)
  Y((0, 0), [m, n]).store(q)
  Z((0, 0), [m, n]).store(dequantise(q, s))
})", {array("X", {2, 3}, F{1, 1, 1, -3, 5, 7}), array("S", F{1, 2, 4}), array("Y", {2, 3}, std::vector<std::int8_t>(6))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int8_t>("Y") == std::vector<std::int8_t>{1, 0, 0, -3, 2, 2}); // 0.5 and 2.5 tie, 0.25, 1.75
  CHECK(r.get<float>("Z") == F{1, 0, 0, -3, 4, 8});
}

TEST_CASE("f8 targets saturate; zero points and other types are refused", "[library]") {
  const TileRun r = run_tile(R"(kernel k(X: f32[4], Y: out f8e4m3fn[4], Z: out f32[4]) {
  axis n = 4
  q = quantise(X[0, [n]], 2.0, f8e4m3fn)
  Y(0, [n]).store(q)
  Z(0, [n]).store(dequantise(q, 2.0))
})", {array("X", F{2, -1e6f, 247.8f, 897}), array("Y", {4}, std::vector<std::uint8_t>(4), ScalarType::f8e4m3fn)});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("Y") == std::vector<std::uint8_t>{0x38, 0xfe, 0x6f, 0x7e}); // 1, -448, 123.9 to 120, 448.5 to 448
  CHECK(r.get<float>("Z") == F{2, -896, 240, 896});
  auto codes = [](const std::string &call) {
    return run_tile("kernel k(X: f32[4]) {\n  axis n = 4\n  y = " + call + "\n}", {array("X", F(4))}).codes();
  };
  CHECK(codes("quantise(X[0, [n]], 2.0, f8e5m2, zero = 1.0)") == "T0218@3");
  CHECK(codes("quantise(X[0, [n]], 2.0, f32)") == "T0218@3");
  CHECK(codes("dequantise(X[0, [n]], 2.0, to = i32)") == "T0218@3");
}
