// SPDX-License-Identifier: Apache-2.0
// One order for what commutes: programs that differ only in the order of operations without effect become equal; those
// that differ in operands, or in the order of a load and a store, stay different.
#include "semantics/program/commuting_order.h"
#include "semantics/program/equality.h"
#include "semantics/program/single_definition.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

TileProgram ordered(const std::string &body) {
  const ParsedFile file = parse_text("p.tile", "kernel k(A: f32[N], B: mut f32[N], C: mut f32[N]) {\n" + body + "\n}");
  INFO(body);
  REQUIRE(file.kernels.size() == 1);
  TileProgram p = file.kernels[0];
  drop_single_definitions(p);
  order_commuting_operations(p);
  return p;
}
bool same(const std::string &a, const std::string &b) { return equal(ordered(a), ordered(b)); }

} // namespace

TEST_CASE("operations without effect have one order", "[program]") {
  CHECK(same("x = A[0]\ny = A[1]\nC(0).store(x - y)", "y = A[1]\nx = A[0]\nC(0).store(x - y)"));
  CHECK(same("x = A[0] * 2.0\ny = A[1] + 3.0\nC(0).store(x - y)", "y = A[1] + 3.0\nx = A[0] * 2.0\nC(0).store(x - y)"));
  // Also where another region uses them, and where nothing does.
  CHECK(same("x = A[0]\ny = A[1]\nserial i in [4] { C(i.index).store(x - y) }",
             "y = A[1]\nx = A[0]\nserial i in [4] { C(i.index).store(x - y) }"));
  CHECK(same("serial i in [4] { x = A[i.index + 2]\ny = A[i.index]\nC(i.index).store(y / x) }",
             "serial i in [4] { y = A[i.index]\nx = A[i.index + 2]\nC(i.index).store(y / x) }"));
  CHECK(same("pipeline i in [4] { stage \"one\"\nx = A[i.index + 2] - A[i.index * 3]\nstage \"two\"\nC(i.index).store(x) }",
             "pipeline i in [4] { stage \"one\"\nb = A[i.index * 3]\na = A[i.index + 2]\nx = a - b\nstage \"two\"\nC(i.index).store(x) }"));
  // A value without effect may pass a store; a load of the state before the store is used after it.
  CHECK(same("x = A[0]\nB(0).store(x)\ny = x * 2.0\nC(0).store(y)", "x = A[0]\ny = x * 2.0\nB(0).store(x)\nC(0).store(y)"));
}

TEST_CASE("what has an effect keeps its place", "[program]") {
  CHECK_FALSE(same("x = A[0]\ny = A[1]\nC(0).store(x - y)", "y = A[1]\nx = A[0]\nC(0).store(y - x)"));
  CHECK_FALSE(same("B(0).store(1.0)\nC(0).store(2.0)", "C(0).store(2.0)\nB(0).store(1.0)"));
  CHECK_FALSE(same("x = B[0]\nB(0).store(1.0)\nC(0).store(x)", "B(0).store(1.0)\nx = B[0]\nC(0).store(x)"));
  CHECK_FALSE(same("x = B[0]\nserial i in [4] { B(i.index).store(1.0) }\nC(0).store(x)",
                   "serial i in [4] { B(i.index).store(1.0) }\nx = B[0]\nC(0).store(x)"));
  CHECK_FALSE(same("serial i in [4] { x = A[0]\nC(i.index).store(x) }", "x = A[0]\nserial i in [4] { C(i.index).store(x) }"));
}
