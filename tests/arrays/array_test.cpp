// SPDX-License-Identifier: Apache-2.0
// Sizes with overflow checking, strides, allocation and its limits.
#include "arrays/array.h"
#include "element_access.h"
#include <fstream>
#include <numeric>

using namespace tilenest;
using namespace tilenest_test;
using Shape = std::vector<std::int64_t>;

namespace {
Array ramp(Shape shape, Order order) {
  Array a = std::move(*make_array(ScalarType::i32, std::move(shape), Fill::uninitialised, order));
  for (std::int32_t k = 0; k < a.count(); ++k) {
    std::int64_t rest = k, offset = 0;
    for (std::size_t d = a.shape.size(); d-- > 0; rest /= a.shape[d])
      offset += rest % a.shape[d] * a.strides[d];
    std::memcpy(a.data + offset, &k, 4);
  }
  return a;
}
std::vector<std::int32_t> upto(std::int32_t n) {
  std::vector<std::int32_t> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}
std::int64_t resident_pages() {
  std::ifstream in("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident;
}
} // namespace

TEST_CASE("byte counts are exact or refused", "[arrays]") {
  CHECK(checked_bytes(ScalarType::f64, Shape{}) == 8);
  CHECK(checked_bytes(ScalarType::f16, Shape{3, 5}) == 30);
  CHECK(checked_bytes(ScalarType::f32, Shape{3, 0, 5}) == 0);
  CHECK(checked_bytes(ScalarType::u8, Shape{(std::int64_t{1} << 62) - 1, 2}) == 9223372036854775806);
  CHECK(checked_bytes(ScalarType::u8, Shape{std::int64_t{1} << 62, 2}) == std::nullopt);
  CHECK(checked_bytes(ScalarType::f64, Shape{std::int64_t{1} << 60}) == std::nullopt);
  CHECK(checked_bytes(ScalarType::f32, Shape{std::int64_t{1} << 40, std::int64_t{1} << 40, 0}) ==
        std::nullopt);
  CHECK(checked_bytes(ScalarType::f32, Shape{4, -1}) == std::nullopt);
  CHECK(checked_bytes(ScalarType::f32, Shape{0, -1}) == std::nullopt);
}

TEST_CASE("strides are bytes, in both orders", "[arrays]") {
  CHECK(packed_strides(ScalarType::f32, Shape{2, 3, 4}) == Shape{48, 16, 4});
  CHECK(packed_strides(ScalarType::f32, Shape{2, 3, 4}, Order::column_major) == Shape{4, 8, 24});
  CHECK(packed_strides(ScalarType::f32, Shape{3, 0, 2}) == Shape{8, 8, 4}); // as NumPy's
  CHECK(packed_strides(ScalarType::f64, Shape{}) == Shape{});
}

TEST_CASE("a made array is writable, aligned and zero where asked", "[arrays]") {
  for (const std::int64_t n : {0, 1, 7, 1000, 3000000}) {
    const Result<Array> a = make_array(ScalarType::f64, {n}, Fill::zeros);
    REQUIRE(a.ok());
    CHECK(a->data != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(a->data) % 64 == 0);
    CHECK(!a->read_only);
    CHECK(a->bytes() == 8 * n);
    CHECK(std::all_of(a->data, a->data + a->bytes(), [](std::byte b) { return b == std::byte{0}; }));
    std::memset(a->data, 1, static_cast<std::size_t>(a->bytes()));
  }
}

TEST_CASE("a large array's pages are made on first touch", "[arrays]") {
  const std::int64_t before = resident_pages();
  const Result<Array> a = make_array(ScalarType::u8, {std::int64_t{64} << 20}, Fill::zeros);
  REQUIRE(a.ok());
  CHECK(resident_pages() - before < 1024); // of 16384 pages
}

TEST_CASE("absurd sizes are L diagnostics", "[arrays]") {
  const auto code = [](Shape shape) {
    return code_of(make_array(ScalarType::f32, std::move(shape), Fill::zeros));
  };
  CHECK(code({std::int64_t{1} << 48}) == "L0501"); // a petabyte
  CHECK(code({std::int64_t{1} << 40, std::int64_t{1} << 40}) == "L0501");
  CHECK(code({-1}) == "L0501");
  CHECK(code({std::int64_t{1} << 44}) == "L0502"); // 64 TiB
  CHECK(exit_status(make_array(ScalarType::f32, {std::int64_t{1} << 48}, Fill::zeros).errors()) == 6);
  CHECK(message_of(make_array(ScalarType::f32, {std::int64_t{1} << 44}, Fill::zeros))
            .find("f32[17592186044416] of 64.0 TiB: this machine has") != std::string::npos);
}

TEST_CASE("contiguity looks at extents that matter", "[arrays]") {
  Array a = ramp({2, 3}, Order::row_major);
  CHECK(a.is_contiguous());
  CHECK(!a.is_contiguous(Order::column_major));
  a.shape = {1, 3};
  a.strides = {999, 4};
  CHECK(a.is_contiguous());
  a.strides = {4, 8};
  CHECK(!a.is_contiguous());
  a.shape = {0, 3};
  CHECK(a.is_contiguous());
  CHECK(ramp({}, Order::row_major).is_contiguous());
}

TEST_CASE("rows visit every element once, in row-major order", "[arrays]") {
  for (const Shape &shape :
       {Shape{}, Shape{1}, Shape{7}, Shape{2, 3}, Shape{2, 1, 3}, Shape{4, 3, 2}, Shape{2, 0, 3}})
    for (const Order order : {Order::row_major, Order::column_major}) {
      const Array a = ramp(shape, order);
      std::vector<std::int32_t> seen;
      int rows = 0;
      for_each_row(a, [&](const std::byte *p, std::int64_t n, std::int64_t step) {
        ++rows;
        for (std::int64_t i = 0; i < n; ++i) {
          std::int32_t value;
          std::memcpy(&value, p + i * step, 4);
          seen.push_back(value);
        }
      });
      CHECK(seen == upto(static_cast<std::int32_t>(a.count())));
      if (order == Order::row_major) CHECK(rows == (a.count() == 0 ? 0 : 1));
    }
}

TEST_CASE("make_contiguous copies only where it must", "[arrays]") {
  Array a = ramp({3, 4}, Order::row_major);
  CHECK(make_contiguous(a)->data == a.data);
  CHECK(make_contiguous(a, true)->data == a.data);
  a.read_only = true;
  CHECK(make_contiguous(a)->data == a.data);
  const Result<Array> copy = make_contiguous(a, true);
  CHECK(copy->data != a.data);
  CHECK(!copy->read_only);
  CHECK(values<std::int32_t>(*copy) == upto(12));
  const Result<Array> turned = make_contiguous(ramp({3, 4, 2}, Order::column_major));
  CHECK(turned->is_contiguous());
  CHECK(values<std::int32_t>(*turned) == upto(24));
}

TEST_CASE("long shapes are cut in messages", "[arrays]") {
  CHECK(describe(ScalarType::f32, Shape{}) == "f32[]");
  CHECK(describe(ScalarType::bf16, Shape{2, 3}) == "bf16[2, 3]");
  CHECK(describe(ScalarType::i8, Shape(10000, 1)) == "i8[1, 1, 1, 1, 1, 1, 1, 1, ... (rank 10000)]");
}
