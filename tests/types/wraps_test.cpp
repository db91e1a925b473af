// SPDX-License-Identifier: Apache-2.0
// NUM-WRAP at every integer type: what wrapped is remembered by + - *, negation and casts, forgotten by the rest, and
// judged where it is a coordinate.
#include "tests/types/elements.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

// B[value of A's two elements], B being 10, 11, 12, ...
TileRun looked_up(ScalarType type, const std::string &value, std::uint64_t x, std::uint64_t y) {
  Elements b;
  for (std::uint64_t i = 0; i < 8; ++i) b.push_back(10 + i);
  return run_tile("kernel f(A: " + std::string(to_string(type)) + "[2], B: i32[8], C: out i32[1]) {\n  C(0).store(B[" + value + "])\n}\n",
                  {stored("A", type, {x, y}), stored("B", ScalarType::i32, b)});
}

} // namespace

TEST_CASE("a coordinate that wrapped, at every integer type", "[NUM-WRAP][NUM-TYPES]") {
  for (ScalarType type : oracle::integer_types()) {
    const int width = bit_width(type);
    const bool has_sign = is_signed(type);
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t most = has_sign ? mask >> 1 : mask, least = has_sign ? most + 1 : 0;
    INFO(to_string(type));
    struct Row {
      std::string value;
      std::uint64_t x, y;
    };
    // Each wraps to a coordinate that would be in bounds.
    std::vector<Row> rows{{"A[0] * A[1]", (most >> 1) + 1, has_sign ? 4u : 2u}};
    if (has_sign) {
      rows.push_back({"A[0] - A[1] + A[1]", 2, least});            // 2 - MIN wraps, and MIN comes back to 2
      rows.push_back({"-A[0] - A[1]", least, least});              // -MIN is MIN, minus MIN 0
    } else {
      rows.push_back({"A[0] + A[1]", most, 3});                    // 2
      rows.push_back({"A[0] - A[1] + 5", 0, 2});                   // 3
      rows.push_back({"-A[0] + 4", 1, 0});                         // 3
    }
    for (const Row &row : rows) {
      INFO(row.value);
      const TileRun r = looked_up(type, row.value, row.x, row.y);
      if (width == 64) { // as if out of bounds, where a load reads zero
        CHECK(r.codes() == "");
        CHECK(elements_of(r, "C", ScalarType::i32, 1) == Elements{0});
      } else {
        CHECK(r.codes() == "U0203@2");
      }
    }
    // What did not wrap is a coordinate like any other, and `mod` and `&` forget.
    CHECK(elements_of(looked_up(type, "A[0] * A[1]", 2, 3), "C", ScalarType::i32, 1) == Elements{16});
    CHECK(looked_up(type, "A[0] * A[1] & 7", (most >> 1) + 1, 4).codes() == "");
    CHECK(looked_up(type, "mod(A[0] * A[1], 8)", (most >> 1) + 1, 4).codes() == "");
    // A cast that loses remembers, too, and so does one after it.
    if (width < 64) {
      const std::string narrowed = "cast(cast(A[0], " + std::string(to_string(type)) + "), i64)";
      const TileRun r = looked_up(ScalarType::i64, narrowed, mask + 3, 0); // 2
      CHECK(r.codes() == "U0203@2");
      CHECK(r.says(std::to_string(mask + 3) + " became 2"));
    }
  }
}
