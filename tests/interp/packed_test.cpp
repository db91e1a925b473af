// SPDX-License-Identifier: Apache-2.0
// 4-bit elements on the machine (NUM-TYPES): two in a byte, low nibble first, in arguments and memories, through
// every kind of access, and views of other types on the same bytes.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using Bytes = std::vector<std::uint8_t>;
using I8 = std::vector<std::int8_t>;

namespace {
NamedArray u4(std::string name, std::vector<std::int64_t> shape, const Bytes &bytes) {
  return array(std::move(name), std::move(shape), bytes, ScalarType::u4);
}
NamedArray i4(std::string name, std::vector<std::int64_t> shape, const Bytes &bytes) {
  return array(std::move(name), std::move(shape), bytes, ScalarType::i4);
}
} // namespace

TEST_CASE("nibbles load and store, the low one first", "[NUM-TYPES]") {
  const TileRun fine = run_tile(R"(kernel f(A: u4[8], B: i4[8], C: out u8[8], D: out i8[8], E: out i4[8], F: out u4[8]) {
  axis m = 8
  C(0, [m]).store(cast(A[0, [m]], u8))
  D(0, [m]).store(cast(B[0, [m]], i8))
  E(0, [m]).store(cast_sat(A[0, [m]], i4))
  F(0, [m]).store(cast_sat(B[0, [m]], u4))
})",
                                {u4("A", {8}, {0x21, 0x43, 0x98, 0xfe}), i4("B", {8}, {0x21, 0x43, 0x98, 0xfe})});
  CHECK(fine.codes() == "");
  CHECK(fine.get<std::uint8_t>("C") == Bytes{1, 2, 3, 4, 8, 9, 14, 15});
  CHECK(fine.get<std::int8_t>("D") == I8{1, 2, 3, 4, -8, -7, -2, -1});
  CHECK(fine.get<std::uint8_t>("E") == Bytes{0x21, 0x43, 0x77, 0x77}); // 8, 9, 14, 15 saturate at 7
  CHECK(fine.get<std::uint8_t>("F") == Bytes{0x21, 0x43, 0x00, 0x00}); // negative ones at 0
}

TEST_CASE("a store of a nibble leaves its neighbour", "[NUM-TYPES]") {
  const TileRun r = run_tile(R"(kernel f(C: mut u4[6]) {
  C(1).store(5)
  C(4).store(6)
})",
                             {u4("C", {6}, {0xab, 0xcd, 0xef})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{0x5b, 0xcd, 0xe6});
}

TEST_CASE("rows of an argument are whole bytes, windows and bounds go by elements", "[NUM-TYPES][BND-ZERO]") {
  // [2, 5]: three bytes a row. Rows 1 2 3 4 5 and 6 7 8 9 10.
  const Bytes rows{0x21, 0x43, 0xf5, 0x76, 0x98, 0xfa};
  const TileRun r = run_tile(R"(kernel f(A: u4[2, 5], T: mut u4[2, 5], C: out u8[2, 4], D: out u8[6], E: out u8[5, 2]) {
  axis i = 2, j = 4, k = 6, l = 5
  C((0, 0), [i, j]).store(cast(A[(0, 2), [i, j]], u8))
  D(0, [k]).store(cast(A((1, -1), [_, k]).load(15), u8))
  E((0, 0), [l, i]).store(transpose(cast(A[(0, 0), [i, l]], u8), [l, i]))
  T((1, 3), [i, j]).store(A[(0, 0), [i, j]])
})",
                             {u4("A", {2, 5}, rows), u4("T", {2, 5}, rows)});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{3, 4, 5, 0, 8, 9, 10, 0});
  CHECK(r.get<std::uint8_t>("D") == Bytes{15, 6, 7, 8, 9, 10});
  CHECK(r.get<std::uint8_t>("E") == Bytes{1, 6, 2, 7, 3, 8, 4, 9, 5, 10});
  CHECK(r.get<std::uint8_t>("T") == Bytes{0x21, 0x43, 0xf5, 0x76, 0x18, 0xf2}); // the padding stays
}

TEST_CASE("gathers and scatters of nibbles", "[NUM-TYPES]") {
  const TileRun r = run_tile(R"(kernel f(A: u4[8], I: i64[4], C: out u8[4], T: mut u4[8]) {
  axis m = 4
  i = I[0, [m]]
  x = A.gather(i)
  C(0, [m]).store(cast(x, u8))
  T.scatter(x, i)
})",
                             {u4("A", {8}, {0x21, 0x43, 0x65, 0x87}), array("I", std::vector<std::int64_t>{7, 0, 9, 3}),
                              u4("T", {8}, {0, 0, 0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{8, 1, 0, 4});
  CHECK(r.get<std::uint8_t>("T") == Bytes{0x01, 0x40, 0x00, 0x80});
}

TEST_CASE("memories of nibbles are packed, whatever views them", "[NUM-TYPES][EFF-ORDER]") {
  const TileRun r = run_tile(R"(kernel f(A: u8[4], C: out u8[8], D: out u8[4], E: out i8[8]) {
  axis m = 8, b = 4
  T = memory u4 [m]
  T8 = T.view_as(u8)
  Ti = T.view_as(i4)
  T8(0, [b]).store(A[0, [b]])
  C(0, [m]).store(cast(T[0, [m]], u8))
  T(3).store(0)
  D(0, [b]).store(T8[0, [b]])
  E(0, [m]).store(cast(Ti[0, [m]], i8))
})",
                             {array("A", Bytes{0x21, 0xc3, 0x65, 0x87})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{1, 2, 3, 12, 5, 6, 7, 8});
  CHECK(r.get<std::uint8_t>("D") == Bytes{0x21, 0x03, 0x65, 0x87});
  CHECK(r.get<std::int8_t>("E") == I8{1, 2, 3, 0, 5, 6, 7, -8});
}

TEST_CASE("an argument of another width seen as nibbles", "[EFF-ORDER]") {
  const TileRun r = run_tile(R"(kernel f(A: mut u32[2, 1], C: out u8[2, 8]) {
  axis i = 2, m = 8
  N = A.view_as(u4)
  C((0, 0), [i, m]).store(cast(N[(0, 0), [i, m]], u8))
  N(1, 0).store(15)
})",
                             {array("A", {2, 1}, std::vector<std::uint32_t>{0x87654321, 0xfedcba98})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(r.get<std::uint32_t>("A") == std::vector<std::uint32_t>{0x87654321, 0xfedcba9f});
}

TEST_CASE("a row that starts inside a byte has no view in bytes", "[EFF-ORDER]") {
  const std::string text = R"(kernel f(C: out u8[2, 2]) {
  axis i = 2, m = 4, b = 2
  T = memory u4 [i, m] strides (PITCH, 1)
  T8 = T.view_as(u8)
  T8((0, 0), [i, b]).store(full(u8 [i, b], 7))
  C((0, 0), [i, b]).store(T8[(0, 0), [i, b]])
})";
  auto with_pitch = [&](const std::string &pitch) {
    std::string t = text;
    return t.replace(t.find("PITCH"), 5, pitch);
  };
  const TileRun odd = run_tile(with_pitch("5"));
  CHECK(odd.codes() == "T0403@4");
  CHECK(odd.says("`T` of u4 cannot be viewed as u8: its rows do not start at whole bytes"));
  const TileRun twin = run_tile(with_pitch("6"));
  CHECK(twin.codes() == "");
  CHECK(twin.get<std::uint8_t>("C") == Bytes(4, 7));
}

TEST_CASE("definedness goes by nibbles", "[MEM-INIT]") {
  const TileRun r = run_tile(R"(kernel f(C: out u8[2], D: out u4[4]) {
  T = memory u4 [4]
  T(2).store(9)
  C(0).store(cast(T[2], u8))
  C(1).store(cast(T[3], u8))
  D(1).store(3)
})");
  CHECK(r.codes() == "U0106@5");
  CHECK(r.undefined.at("D") == 3);
  CHECK(r.get<std::uint8_t>("C")[0] == 9);
  // A byte of which one nibble was stored is not defined as a byte.
  CHECK(run_tile(R"(kernel f(C: out u8[1]) {
  T = memory u4 [2]
  T8 = T.view_as(u8)
  T(1).store(9)
  C(0).store(T8[0])
})").codes() == "U0106@5");
}

TEST_CASE("tiles of nibbles move, are carried and stand where a predicate holds", "[NUM-TYPES][IDX-PRED]") {
  const TileRun r = run_tile(R"(kernel f(A: u4[6], C: out u4[6], D: mut u4[6], E: out u8[3, 2]) {
  axis m = 6, i = 3, j = 2
  x = A[0, [m]]
  serial t in [3] {
    x = insert(x, A[t.index], t.index + 3)
  }
  C(0, [m]).store(x)
  D(0, [m]).store(restrict(x, iota(m) != 2))
  E((0, 0), [i, j]).store(cast(reshape(x, [i, j]), u8))
})",
                             {u4("A", {6}, {0x21, 0x43, 0x65}), u4("D", {6}, {0xee, 0xee, 0xee})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{0x21, 0x13, 0x32});
  CHECK(r.get<std::uint8_t>("D") == Bytes{0x21, 0x1e, 0x32});
  CHECK(r.get<std::uint8_t>("E") == Bytes{1, 2, 3, 1, 2, 3});
}

TEST_CASE("a cast to a nibble wraps, marks and remembers as any other", "[NUM-INT][NUM-WRAP][VAL-MARK]") {
  const TileRun r = run_tile(R"(kernel f(A: i32[4], C: out i4[4], D: out u4[4]) {
  axis m = 4
  C(0, [m]).store(cast(A[0, [m]], i4))
  D(0, [m]).store(cast(A[0, [m]], u4))
})",
                             {array("A", std::vector<std::int32_t>{7, 8, -9, 255})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::uint8_t>("C") == Bytes{0x87, 0xf7}); // 7, 8 -> -8, -9 -> 7, 255 -> -1
  CHECK(r.get<std::uint8_t>("D") == Bytes{0x87, 0xf7}); // the same bits
  const std::string to = R"(kernel f(A: f32[1], C: out i4[1]) {
  C(0).store(cast(A[0], i4))
})";
  CHECK(run_tile(to, {array("A", std::vector<float>{7.9f})}).codes() == "");
  CHECK(run_tile(to, {array("A", std::vector<float>{-8.9f})}).get<std::uint8_t>("C")[0] % 16 == 8);
  CHECK(run_tile(to, {array("A", std::vector<float>{8})}).codes() == "U0103@2");
  CHECK(run_tile(to, {array("A", std::vector<float>{-9})}).codes() == "U0103@2");
  const std::string used = R"(kernel f(A: i32[1], B: i32[32], C: out i32[1]) {
  C(0).store(B[cast(cast(A[0], u4), i64)])
})";
  const auto b = array("B", iota_values<std::int32_t>(32));
  CHECK(run_tile(used, {array("A", std::vector<std::int32_t>{15}), b}).get<std::int32_t>("C")[0] == 15);
  const TileRun wrapped = run_tile(used, {array("A", std::vector<std::int32_t>{17}), b});
  CHECK(wrapped.codes() == "U0203@2");
  CHECK(wrapped.says("17 became 1"));
}
