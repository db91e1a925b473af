// SPDX-License-Identifier: Apache-2.0
// Small programs that tile compilers got wrong elsewhere (tests/cases/*.tile), with the values or reports that are
// right. Words in capitals in a file are replaced by the test.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace tilenest;
using I32 = std::vector<std::int32_t>;
using F = std::vector<float>;

namespace {

std::string program(const std::string &name, const std::vector<std::pair<std::string, std::string>> &words = {}) {
  std::ifstream file(std::string(TILENEST_SOURCE_DIR "/tests/cases/") + name + ".tile");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  std::string out = text.str();
  // Comments may use the words, too.
  for (const auto &[word, by] : words)
    for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word, at + by.size()))
      out.replace(at, word.size(), by);
  return out;
}

I32 filled(std::size_t n, std::int32_t x) { return I32(n, x); }
std::uint16_t bf16(float exact) {
  std::uint32_t bits;
  std::memcpy(&bits, &exact, 4);
  REQUIRE((bits & 0xFFFF) == 0);
  return static_cast<std::uint16_t>(bits >> 16);
}

} // namespace

TEST_CASE("B01: private halos", "[cases]") {
  const TileRun r = run_tile(program("b01_private_halo"));
  CHECK(r.codes() == "");
  CHECK(r.get<float>("G") == F(32, 2.0f));
}

TEST_CASE("B03: stores under one guard", "[cases]") {
  const TileRun r = run_tile(program("b03_guarded_store"), {array("C", I32{-1})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("C") == I32{100});
}

TEST_CASE("B05: a dim that is a reduction", "[cases]") {
  I32 data; // 10 i + j
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) data.push_back(10 * i + j);
  const TileRun r = run_tile(program("b05_reduced_dim"), {array("A", {3, 5}, data), array("C", I32{0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("C") == I32{10, 60, 110});
}

TEST_CASE("B07: phases", "[cases][SYNC]") {
  const TileRun r = run_tile(program("b07_phases"));
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("D") == I32{9, 16, 25, 36, 49, 0, 1, 4});
}

TEST_CASE("B10: neighbours store nibbles", "[cases][NUM-TYPES]") {
  const TileRun r = run_tile(program("b10_nibbles"));
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint32_t>("C") == std::vector<std::uint32_t>{0x87654321});
}

TEST_CASE("B13: a pipelined index", "[cases][PIPE-SER]") {
  I32 idx;
  for (int i = 0; i < 13; ++i) idx.push_back(5 * i % 13);
  for (const char *depth : {"1", "2", "3", "4"}) {
    const TileRun r = run_tile(program("b13_pipelined_index", {{"DEPTH", depth}}),
                               {array("X", idx), array<std::uint8_t>("Y", {1}, {1}, ScalarType::boolean), array("C", filled(13, 0))});
    CHECK(r.codes() == "");
    CHECK(r.get<std::int32_t>("C") == I32{1, 9, 4, 12, 7, 2, 10, 5, 13, 8, 3, 11, 6});
  }
}

TEST_CASE("B15: a staged value after its loop", "[cases][PIPE-SER]") {
  const TileRun r = run_tile(program("b15_value_after_loop"), {array("X", iota_values<std::int32_t>(32))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("Z") == I32{0, 8, 16, 24});
  CHECK(r.get<std::int32_t>("C") == iota_values<std::int32_t>(8, 24));
}

TEST_CASE("B20: scans of an operator that does not commute", "[cases]") {
  const std::uint32_t M[] = {2, 3, 1, 2}, B[] = {1, 1, 5, 0};
  for (int n : {4, 64, 65, 129}) {
    // The oracle: the operator applied to whole prefixes and suffixes, mod 2^32.
    std::vector<std::uint32_t> m, b, fm(n), fb(n), sm(n), sb(n);
    for (int i = 0; i < n; ++i) m.push_back(M[i % 4]), b.push_back(B[i % 4]);
    for (int i = 0; i < n; ++i) {
      std::uint32_t pm = m[0], pb = b[0], qm = m[i], qb = b[i];
      for (int k = 1; k <= i; ++k) pb = m[k] * pb + b[k], pm *= m[k];
      for (int k = i + 1; k < n; ++k) qb = m[k] * qb + b[k], qm *= m[k];
      fm[i] = pm, fb[i] = pb, sm[i] = qm, sb[i] = qb;
    }
    const I32 im(m.begin(), m.end()), ib(b.begin(), b.end());
    const TileRun r = run_tile(program("b20_affine_scan"), {array("M", im), array("B", ib)});
    REQUIRE(r.codes() == "");
    CHECK(r.get<std::uint32_t>("FM") == fm);
    CHECK(r.get<std::uint32_t>("FB") == fb);
    CHECK(r.get<std::uint32_t>("SM") == sm);
    CHECK(r.get<std::uint32_t>("SB") == sb);
    if (n != 4) continue;
    CHECK(r.get<std::int32_t>("FM") == I32{2, 6, 6, 12});
    CHECK(r.get<std::int32_t>("FB") == I32{1, 4, 9, 18});
    CHECK(r.get<std::int32_t>("SM") == I32{12, 6, 2, 2});
    CHECK(r.get<std::int32_t>("SB") == I32{18, 12, 10, 0});
  }
}

TEST_CASE("B23: sums of bf16", "[cases]") {
  const TileRun r = run_tile(program("b23_bf16_sum"),
                             {array<std::uint16_t>("A", {2, 4}, {bf16(1.5f), 0x7FC0, bf16(2), bf16(-3), bf16(1.5f), bf16(2), bf16(-3), bf16(0.25f)},
                                                   ScalarType::bf16)});
  CHECK(r.codes() == "");
  const auto c = r.get<std::uint16_t>("C");
  CHECK((c[0] & 0x7FFF) > 0x7F80); // a NaN
  CHECK(c[1] == bf16(0.75f));
}

TEST_CASE("B24: integers to bf16", "[cases][NUM-RN]") {
  const TileRun r = run_tile(program("b24_to_bf16"), {array("A", I32{387, -387, 515, 1029, 65537})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint16_t>("C") == std::vector<std::uint16_t>{bf16(388), bf16(-388), bf16(516), bf16(1032), bf16(65536)});
}

TEST_CASE("B26: casts to f8", "[cases][NUM-FP8]") {
  using Bytes = std::vector<std::uint8_t>;
  // e4m3 has 4 exponent bits of bias 7 and 3 fraction bits: 120 = 1.875 * 2^6 is 0x6f, 128 = 2^7 is 0x70,
  // 60 = 1.875 * 2^5 is 0x67, 1.125 is 0x39. 123.9 is below the tie 124, which goes to the even 128.
  const F to_e4m3{123.9f, 124, 60.5f, 1.1875f - 0x1p-20f};
  const TileRun four = run_tile(program("b26_to_f8", {{"FROM", "f32"}}), {array("A", to_e4m3)});
  CHECK(four.codes() == "");
  CHECK(four.get<std::uint8_t>("C") == Bytes{0x6f, 0x70, 0x67, 0x39});
  // e5m2 has bias 15 and 2 fraction bits: 1.5 is 0x3e, 2^-15 two units of 2^-16.
  const TileRun five = run_tile(program("b26_to_f8", {{"FROM", "f32"}}), {array("A", F{1.375f, 1.625f, 0x1.8p-16f})});
  CHECK(five.get<std::uint8_t>("D") == Bytes{0x3e, 0x3e, 0x02});
}

TEST_CASE("B26: every f16 to f8", "[cases][NUM-FP8][NUM-RN]") {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const TileRun r = run_tile(program("b26_to_f8", {{"FROM", "f16"}}), {array("A", {65536}, all, ScalarType::f16)});
  REQUIRE(r.codes() == "");
  // The oracle: the nearest of all magnitudes, the even one of two, on values in f64 that are exact.
  auto check = [&](const char *name, int exponent_bits, int fraction_bits, unsigned largest, unsigned beyond, unsigned nan) {
    const auto got = r.get<std::uint8_t>(name);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    auto value = [&](unsigned u) { // also of the pattern behind the largest, as if it were a number
      const int e = static_cast<int>(u >> fraction_bits), f = static_cast<int>(u & ((1u << fraction_bits) - 1));
      return e == 0 ? std::ldexp(f, 1 - bias - fraction_bits) : std::ldexp((1 << fraction_bits) + f, e - bias - fraction_bits);
    };
    std::size_t wrong = 0;
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const unsigned e = bits >> 10 & 31, f = bits & 1023, sign = bits >> 15 << 7;
      if (e == 31) {
        const unsigned special = f != 0 ? nan : beyond;
        wrong += f != 0 ? (got[bits] & 0x7fu) < nan : got[bits] != (sign | special);
        continue;
      }
      const double x = e == 0 ? std::ldexp(f, -24) : std::ldexp(1024 + f, static_cast<int>(e) - 25);
      unsigned below = 0;
      while (below < largest + 1 && value(below + 1) <= x) ++below;
      const double down = x - value(below), up = value(below + 1) - x;
      unsigned nearest = down < up || (down == up && below % 2 == 0) ? below : below + 1;
      if (nearest > largest) nearest = beyond;
      wrong += got[bits] != (sign | nearest);
    }
    CHECK(wrong == 0);
  };
  check("C", 4, 3, 0x7e, 0x7f, 0x7f);
  check("D", 5, 2, 0x7b, 0x7c, 0x7d);
}

TEST_CASE("B28: floor and truncation", "[cases][NUM-INT]") {
  const TileRun r = run_tile(program("b28_floor"), {array("A", I32{-7, 7, -8, -1, -9}), array("B", I32{3, -3, 4, 5, -4})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("FD") == I32{-3, -3, -2, -1, 2});
  CHECK(r.get<std::int32_t>("FM") == I32{2, -2, 0, 4, -1});
  CHECK(r.get<std::int32_t>("TD") == I32{-2, -2, -2, 0, 2});
  CHECK(r.get<std::int32_t>("TM") == I32{-1, 1, 0, -1, -1});
}

TEST_CASE("B30: a dot product of f32 is no tf32", "[cases][MMA]") {
  for (const char *policy : {"", ", allow_reassociation = false", ", allow_contraction = false, wide_accumulation = false"}) {
    const TileRun r = run_tile(program("b30_dot", {{"POLICY", policy}}),
                               {array("A", {1, 64}, F(64, 1 + 0x1p-12f)), array("B", {64, 1}, F(64, 1))});
    CHECK(r.codes() == "");
    CHECK(r.get<float>("C") == F{64.015625f});
  }
}

TEST_CASE("B33: a tail's load", "[cases][BND-ASSUME]") {
  const F x{1, 2, 3, 4, 5};
  const TileRun r = run_tile(program("b33_tail", {{"POLICY", "assume"}}), {array("X", x)});
  REQUIRE(r.codes() == "U0201@4");
  CHECK(r.diagnostics[0].count == 3); // 5, 6, 7
  CHECK(r.says("at [5]"));
  CHECK(r.get<float>("C") == x);
  const TileRun twin = run_tile(program("b33_tail", {{"POLICY", "zero"}}), {array("X", x)});
  CHECK(twin.codes() == "");
  CHECK(twin.get<float>("C") == x);
}

TEST_CASE("B35: a 32-bit offset wraps", "[cases][NUM-WRAP]") {
  const std::vector<NamedArray> arrays{array("A", std::vector<std::uint8_t>(16, 9)), array("R", I32{40000})};
  const TileRun r = run_tile(program("b35_offset", {{"TYPE", "i32"}}), arrays);
  REQUIRE(r.codes() == "U0203@4");
  CHECK(r.says("2621440000"));
  CHECK(r.says("-1673527296"));
  const TileRun twin = run_tile(program("b35_offset", {{"TYPE", "i64"}}), arrays);
  CHECK(twin.codes() == "");
  CHECK(twin.get<std::uint8_t>("C") == std::vector<std::uint8_t>{0});
}

TEST_CASE("B37: an accumulator that nobody initialised", "[cases][MEM-INIT]") {
  const std::vector<NamedArray> ones{array("A", {4, 4}, F(16, 1)), array("B", {4, 4}, F(16, 1))};
  const TileRun r = run_tile(program("b37_accumulator", {{"START", "// is not initialised"}}), ones);
  REQUIRE(r.codes() == "U0106@9");
  CHECK(r.diagnostics[0].count == 16);
  const TileRun twin = run_tile(program("b37_accumulator", {{"START", "acc((0, 0), [m, n]).store(zeros f32 [m, n])"}}), ones);
  CHECK(twin.codes() == "");
  CHECK(twin.get<float>("C") == F(16, 4));
}

TEST_CASE("B39: copies by tiles", "[cases]") {
  for (const char *width : {"8", "7", "24", "25", "1"}) {
    const TileRun r = run_tile(program("b39_copy", {{"WIDTH", width}}), {array("A", {2, 24}, iota_values<std::int32_t>(48, 5))});
    CHECK(r.codes() == "");
    CHECK(r.undefined.at("C") == 0);
    CHECK(r.get<std::int32_t>("C") == iota_values<std::int32_t>(48, 5));
  }
}

TEST_CASE("B43: a scan of a sub-region", "[cases]") {
  I32 a, expected;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 8; ++c) a.push_back(10 * r + c);
  expected = a;
  const int row2[] = {21, 43, 66, 90}, row3[] = {31, 63, 96, 130};
  for (int c = 0; c < 4; ++c) expected[2 * 8 + 1 + c] = row2[c], expected[3 * 8 + 1 + c] = row3[c];
  const TileRun r = run_tile(program("b43_sub_region"), {array("A", {6, 8}, a)});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("A") == expected);
}

TEST_CASE("B45: a tiled reduction starts once", "[cases]") {
  I32 x;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 4; ++k) x.push_back(i + j + k);
  const TileRun r = run_tile(program("b45_tiled_reduction"), {array("X", {4, 6, 4}, x)});
  CHECK(r.codes() == "");
  I32 expected;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) expected.push_back(6 * (i + k) + 15);
  CHECK(r.get<std::int32_t>("C") == expected);
}

TEST_CASE("B55: a divisor that folds to zero, a block that is overrun", "[cases][VAL-MARK][BND-ASSUME]") {
  const TileRun r = run_tile(program("b55_folded_divisor"), {array("N", I32{4, 8})});
  REQUIRE(r.codes() == "U0201@10 U0101@12");
  CHECK(r.says("`A` is out of bounds at [4]"));
  CHECK(r.diagnostics[0].count == 4);
  CHECK(r.diagnostics[1].count == 8);
  CHECK(r.get<std::int32_t>("C") == I32{1, 2, 3, 4, 0, 0, 0, 0}); // never 91..94
}

TEST_CASE("B55: a sub-tile that is larger than its block is refused", "[cases][BND-ASSUME]") {
  // Extents in the text, and from the arrays.
  auto sub_tile = [](int block, int tile, bool fixed) {
    I32 rows;
    for (int i = 1; i <= block; ++i) rows.push_back(i);
    const std::vector<std::pair<std::string, std::string>> words = {{"BM", std::to_string(block)}, {"WM", std::to_string(tile)}};
    return run_tile(program("b55_sub_tile", fixed ? words : decltype(words){}), {array("D", rows), array("C", filled(static_cast<std::size_t>(tile), -1))});
  };
  for (const bool fixed : {true, false}) {
    const TileRun r = sub_tile(4, 8, fixed);
    REQUIRE(r.codes() == "T0406@8");
    CHECK(r.diagnostics[0].message() == std::string("a read of `A` cannot be in bounds as it promises: ") +
                                            (fixed ? "8 > 4" : "WM = 8 > BM = 4") + " elements along axis 0");
    const TileRun whole = sub_tile(4, 4, fixed), part = sub_tile(4, 2, fixed);
    CHECK(whole.codes() == "");
    CHECK(whole.get<std::int32_t>("C") == I32{1, 2, 3, 4});
    CHECK(part.codes() == "");
    CHECK(part.get<std::int32_t>("C") == I32{1, 2});
  }
}

TEST_CASE("B56: extents around 128, 256 and 32768, static and at run time", "[cases][SPC-EXT]") {
  for (int n : {127, 128, 129, 255, 256, 257, 32767, 32768}) {
    I32 in, out;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < n; ++j) in.push_back(1000 * i + j), out.push_back(1000 * i + j + 1);
    const TileRun open = run_tile(program("b56_increment"), {array("A", {2, n}, in)});
    CHECK(open.codes() == "");
    CHECK(open.get<std::int32_t>("C") == out);
    const TileRun fixed = run_tile(program("b56_increment", {{"N", std::to_string(n)}}), {array("A", {2, n}, in)});
    CHECK(fixed.codes() == "");
    CHECK(fixed.get<std::int32_t>("C") == out);
  }
}

TEST_CASE("B58: a partial tile's load", "[cases][BND-ASSUME][BND-ZERO]") {
  I32 a;
  for (int r = 0; r < 10; ++r) a.insert(a.end(), 8, r + 1);
  const TileRun r = run_tile(program("b58_partial_tile", {{"POLICY", ", assume"}}), {array("A", {10, 8}, a)});
  REQUIRE(r.codes() == "U0201@4");
  CHECK(r.says("at [10, 0]"));
  CHECK(r.diagnostics[0].count == 48); // rows 10..15
  const TileRun twin = run_tile(program("b58_partial_tile", {{"POLICY", ""}}), {array("A", {10, 8}, a)});
  CHECK(twin.codes() == "");
  CHECK(twin.get<std::int32_t>("C") == filled(8, 19));
}

TEST_CASE("B60: a barrier in a loop, outside and inside a guard", "[cases][SYNC]") {
  I32 x;
  for (int i = 0; i < 2; ++i)
    for (int t = 0; t < 8; ++t) x.push_back(10 * i + t);
  const std::vector<NamedArray> arrays{array("X", {2, 8}, x),
                                       array<std::uint8_t>("M", {8}, {1, 1, 1, 1, 1, 1, 1, 0}, ScalarType::boolean),
                                       array("C", filled(8, -1))};
  const TileRun twin = run_tile(program("b60_barrier"), arrays);
  CHECK(twin.codes() == "");
  CHECK(twin.get<std::int32_t>("C") == I32{24, 22, 20, 18, 16, 14, 12, -1});
  const TileRun r = run_tile(program("b60_guarded_barrier"), arrays);
  REQUIRE(r.codes() == "U0401@10 U0106@11"); // and s[7], which lane 0 reads
  CHECK(r.diagnostics[0].sites.back().site.line == 7);
  CHECK(r.says("p(t=7) ended without meeting it"));
}
