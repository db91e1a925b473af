// SPDX-License-Identifier: Apache-2.0
// The elementwise rules over two algebras that are not the machine's: one that writes formulas, one that computes
// single elements. Every row of the table goes through both.
#include "semantics/numerics/scalar_apply.h"
#include "semantics/rules/elementwise.h"
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace tilenest;

namespace {

struct FormulaAlgebra {
  using Value = std::string;
  template <class... X> Value apply(Primitive p, const X &...x) {
    std::string out(to_string(p));
    const char *open = "(";
    ((out += open + x, open = ", "), ...);
    return out + ")";
  }
  Value convert(Primitive p, const Value &x) { return apply(p, x); }
};

struct ElementAlgebra {
  using Value = std::uint64_t;
  ScalarType type, result;
  template <class... X> Value apply(Primitive p, X... x) {
    const std::uint64_t operands[] = {x...};
    return apply_scalar(p, type, result_type(p, type).value_or(result), operands).bits;
  }
  Value convert(Primitive p, Value x) { return apply(p, x); }
};

std::uint64_t element(OpKind kind, ScalarType type, ScalarType result, std::vector<std::uint64_t> x) {
  ElementAlgebra a{type, result};
  return rules::elementwise<ElementAlgebra>(a, kind, x);
}

} // namespace

TEST_CASE("every elementwise rule uses each of its operands, in order", "[rules]") {
  for (int i = 0; i < op_count; ++i) {
    const OpKind kind = static_cast<OpKind>(i);
    if (info(kind).form != Form::elementwise) continue;
    FormulaAlgebra a;
    const std::vector<std::string> names = {"x", "y", "z"};
    const std::vector<std::string> x(names.begin(), names.begin() + info(kind).arity);
    const std::string formula = rules::elementwise<FormulaAlgebra>(a, kind, x);
    INFO(info(kind).name << " is " << formula);
    std::size_t at = 0;
    for (const std::string &name : x) {
      at = formula.find(at == 0 ? "(" + name : ", " + name, at);
      REQUIRE(at != std::string::npos);
      ++at;
    }
  }
}

TEST_CASE("the rules on single elements: values by hand", "[rules]") {
  using enum ScalarType;
  auto i = [](std::int64_t v) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v)); };
  // -7 = -2 * 3 - 1 truncating, -7 = -3 * 3 + 2 flooring
  CHECK(element(OpKind::div, i32, i32, {i(-7), i(3)}) == i(-2));
  CHECK(element(OpKind::rem, i32, i32, {i(-7), i(3)}) == i(-1));
  CHECK(element(OpKind::floordiv, i32, i32, {i(-7), i(3)}) == i(-3));
  CHECK(element(OpKind::mod, i32, i32, {i(-7), i(3)}) == i(2));
  CHECK(element(OpKind::ite, i32, i32, {1, 5, 6}) == 5);
  CHECK(element(OpKind::ite, i32, i32, {0, 5, 6}) == 6);
  CHECK(element(OpKind::lt, i32, boolean, {i(-1), i(0)}) == 1);
  CHECK(element(OpKind::cast, i32, f32, {i(-2)}) == 0xc0000000u); // -2.0f
  CHECK(element(OpKind::round, f32, f32, {0x40200000u}) == 0x40000000u); // 2.5 to 2, ties to even
}
