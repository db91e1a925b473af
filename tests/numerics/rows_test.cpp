// SPDX-License-Identifier: Apache-2.0
// The row interface: every primitive at every type on every instruction set gives, at any stride, in place
// and at any length, what rows of one give; effects are set and never cleared.
#include "oracle.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilenest;

namespace {

template <class F> void for_each_signature(F f) {
  for (int i = 0; i < primitive_count; ++i)
    for (const ScalarType operand : oracle::all_types())
      for (const ScalarType result : oracle::all_types())
        if (admits(static_cast<Primitive>(i), operand, result)) f(static_cast<Primitive>(i), operand, result);
}

struct Row {
  ScalarType type;
  std::vector<std::uint64_t> elements; // as the kernel sees them
  std::vector<char> storage;
  RowOperand operand;
};

Row make_row(ScalarType type, std::size_t n, std::ptrdiff_t step, oracle::Random &random) {
  const std::size_t reach = static_cast<std::size_t>(step < 0 ? -step : step), size = byte_size(type);
  const std::size_t count = n == 0 ? 1 : (n - 1) * reach + 1;
  Row row{type, {}, std::vector<char>(count * size), {}};
  for (std::size_t i = 0; i < count; ++i)
    store_bits(type, &row.storage[i * size], oracle::random_element(type, random));
  const std::size_t origin = step < 0 ? count - 1 : 0;
  row.operand = {row.storage.data() + origin * size, step};
  for (std::size_t i = 0; i < n; ++i)
    row.elements.push_back(load_bits(
        type, row.storage.data() + (static_cast<std::ptrdiff_t>(origin) + static_cast<std::ptrdiff_t>(i) * step) *
                                       static_cast<std::ptrdiff_t>(size)));
  return row;
}

} // namespace

TEST_CASE("a kernel stands behind exactly the admitted signatures", "[NUM-TYPES]") {
  std::size_t admitted = 0;
  for (int i = 0; i < primitive_count; ++i)
    for (const ScalarType operand : oracle::all_types())
      for (const ScalarType result : oracle::all_types())
        for (int isa = 0; isa < kernel_isa_count; ++isa) {
          const auto p = static_cast<Primitive>(i);
          const bool expected = admits(p, operand, result) && supported(static_cast<KernelIsa>(isa));
          const bool found = find_row_kernel(static_cast<KernelIsa>(isa), p, operand, result) != nullptr;
          if (found != expected) FAIL_CHECK(to_string(p) << " " << to_string(operand) << " " << to_string(result));
          admitted += found;
        }
  CHECK(admitted > 0);
  CHECK(find_row_kernel(Primitive::add, ScalarType::boolean, ScalarType::boolean) == nullptr);
  CHECK(find_row_kernel(Primitive::sqrt, ScalarType::i32, ScalarType::i32) == nullptr);
  CHECK(find_row_kernel(Primitive::bitcast, ScalarType::u8, ScalarType::boolean) == nullptr);
}

TEST_CASE("rows of any length and stride agree with rows of one", "[NUM-RN][NUM-INT]") {
  const std::ptrdiff_t steps[][3] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {0, 0, 1}, {2, 1, 0}, {-1, 3, 1}, {0, -2, 5}};
  for_each_signature([&](Primitive p, ScalarType operand, ScalarType result) {
    oracle::Random random{static_cast<std::uint64_t>(static_cast<int>(p) * 1000 + static_cast<int>(operand) * 20)};
    for (int isa = 0; isa < kernel_isa_count; ++isa) {
      if (!supported(static_cast<KernelIsa>(isa))) continue;
      const RowKernel kernel = find_row_kernel(static_cast<KernelIsa>(isa), p, operand, result);
      REQUIRE(kernel != nullptr);
      const bool convert = info(p).result == ResultClass::converted;
      for (const std::size_t n : convert ? std::vector<std::size_t>{0, 1, 259} : std::vector<std::size_t>{0, 1, 17, 256, 259})
        for (const auto &step : steps) {
          std::vector<Row> rows;
          std::vector<RowOperand> operands;
          for (int i = 0; i < arity(p); ++i) rows.push_back(make_row(operand_type(p, i, operand), n, step[i], random));
          for (const Row &row : rows) operands.push_back(row.operand);
          const std::size_t size = byte_size(result);
          std::vector<char> out((n + 1) * size, 0x5a);
          std::vector<std::uint8_t> undefined(n + 1, 0), wrapped(n + 1, 0);
          const bool any = kernel(n, out.data(), operands.data(), {undefined.data(), wrapped.data()});
          bool expected_any = false;
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < n; ++i) {
            std::vector<std::uint64_t> element;
            for (const Row &row : rows) element.push_back(row.elements[i]);
            const ScalarOutcome one = apply_scalar(p, operand, result, element);
            wrong += !oracle::same(result, one.bits, load_bits(result, &out[i * size]));
            wrong += one.undefined != (undefined[i] != 0) || one.wrapped != (wrapped[i] != 0);
            expected_any |= one.undefined || one.wrapped;
          }
          // Nothing behind the row is touched.
          for (std::size_t k = n * size; k < out.size(); ++k) wrong += out[k] != 0x5a;
          wrong += undefined[n] != 0 || wrapped[n] != 0 || any != expected_any;
          if (wrong != 0)
            FAIL_CHECK(to_string(p) << " " << to_string(operand) << " " << to_string(result) << " isa " << isa
                                    << " n " << n << " steps " << step[0] << " " << step[1] << " " << step[2]);
        }
    }
  });
}

TEST_CASE("a row may be computed in place", "[NUM-RN]") {
  for_each_signature([&](Primitive p, ScalarType operand, ScalarType result) {
    if (byte_size(operand) != byte_size(result) || p == Primitive::select) return;
    oracle::Random random{53};
    const std::size_t n = p >= Primitive::exp && p <= Primitive::pow ? 3 : 300;
    const RowKernel kernel = find_row_kernel(p, operand, result);
    for (int target = 0; target < arity(p); ++target) {
      std::vector<Row> rows;
      std::vector<RowOperand> operands;
      for (int i = 0; i < arity(p); ++i) rows.push_back(make_row(operand, n, 1, random));
      for (const Row &row : rows) operands.push_back(row.operand);
      std::vector<char> apart(n * byte_size(result));
      std::vector<std::uint8_t> u0(n), w0(n), u1(n), w1(n);
      kernel(n, apart.data(), operands.data(), {u0.data(), w0.data()});
      char *in_place = rows[static_cast<std::size_t>(target)].storage.data();
      kernel(n, in_place, operands.data(), {u1.data(), w1.data()});
      if (std::memcmp(in_place, apart.data(), apart.size()) != 0 || u0 != u1 || w0 != w1)
        FAIL_CHECK(to_string(p) << " " << to_string(operand) << " " << to_string(result) << " operand " << target);
    }
  });
  CHECK(true);
}

TEST_CASE("effects are set, never cleared, and only where asked for", "[NUM-WRAP]") {
  const std::int32_t a[] = {2147483647, 5, 7}, b[] = {1, 0, 2};
  const RowOperand operands[] = {{a, 1}, {b, 1}};
  std::int32_t out[3];
  std::uint8_t undefined[] = {0, 0, 1}, wrapped[] = {0, 1, 0};
  CHECK(find_row_kernel(Primitive::add, ScalarType::i32, ScalarType::i32)(3, out, operands, {undefined, wrapped}));
  CHECK((wrapped[0] == 1 && wrapped[1] == 1 && wrapped[2] == 0));
  CHECK((undefined[0] == 0 && undefined[1] == 0 && undefined[2] == 1));
  CHECK(find_row_kernel(Primitive::div, ScalarType::i32, ScalarType::i32)(3, out, operands, {undefined, nullptr}));
  CHECK((undefined[0] == 0 && undefined[1] == 1 && undefined[2] == 1));
  CHECK((out[0] == 2147483647 && out[1] == 0 && out[2] == 3));
  CHECK_FALSE(find_row_kernel(Primitive::add, ScalarType::i32, ScalarType::i32)(3, out, operands, {}));
  CHECK(out[0] == std::int32_t(-2147483647 - 1));
}

TEST_CASE("select, bitcast and copies keep the bits of NaN", "[NUM-NAN]") {
  for (const ScalarType type : oracle::float_types()) {
    const std::uint64_t quiet = oracle::round_to(type, {oracle::Number::nan});
    // A NaN with a sign, and where the format has room another payload.
    for (std::uint64_t nan : {quiet | std::uint64_t{1} << (bit_width(type) - 1), quiet | 1}) {
      CHECK(apply_scalar(Primitive::select, type, type, std::vector<std::uint64_t>{1, nan, 0}).bits == nan);
      CHECK(apply_scalar(Primitive::select, type, type, std::vector<std::uint64_t>{0, 0, nan}).bits == nan);
      CHECK(apply_scalar(Primitive::cast, type, type, std::vector{nan}).bits == nan);
      for (const ScalarType other : oracle::all_types())
        if (admits(Primitive::bitcast, type, other))
          CHECK(apply_scalar(Primitive::bitcast, type, other, std::vector{nan}).bits == nan);
    }
  }
}
