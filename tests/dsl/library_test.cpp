// SPDX-License-Identifier: Apache-2.0
// Calls of the library from C++ and from text are one program, print as calls, and report what they refuse.
#include "semantics/library/function.h"
#include "semantics/program/equality.h"
#include "semantics/program/single_definition.h"
#include "semantics/text/parser.h"
#include "semantics/text/printer.h"
#include "tests/dsl/captured.h"

using namespace tilenest;

namespace {

void check_call_twins(const TileProgram &cpp, const std::string &text) {
  ParsedFile file = parse_text("twin.tile", text);
  if (file.kernels.size() != 1) FAIL(listing(file.diagnostics));
  TileProgram p = std::move(file.kernels[0]);
  drop_single_definitions(p);
  std::string difference;
  CHECK(equal(cpp, p, &difference));
  CHECK(difference == "");
  // Calls print as calls, also those of C++.
  REQUIRE(cpp.calls.size() == p.calls.size());
  const std::string printed = print(cpp);
  INFO(printed);
  for (const LibraryCall &c : cpp.calls) CHECK(printed.find(c.function + "(") != std::string::npos);
  CHECK(printed.find("exp(") == std::string::npos);
  ParsedFile again = parse_text("printed.tile", printed);
  REQUIRE(again.kernels.size() == 1);
  CHECK(equal(cpp, again.kernels[0], &difference));
}

} // namespace

TEST_CASE("a call in C++ and in text is one program", "[library]") {
  const auto kernel = tile_kernel("k", [](TensorView<const f32, 2> X, TensorView<f32, 2> V, TensorView<i64, 2> I) {
    auto m = axis("m", 4), n = axis("n", 6);
    auto x = softmax(silu(X[coord(0, 0), shape(m, n)]), n);
    auto [v, i] = topk(x, n, 2);
    auto values = relabel(v, {V.dim<0>(), V.dim<1>()});
    auto indices = relabel(i, {I.dim<0>(), I.dim<1>()});
    V(coord(0, 0), shape(4, 2)).store(values);
    I(coord(0, 0), shape(4, 2)).store(indices);
  });
  check_call_twins(captured(kernel.capture(arg("X", tensor_shape(4, 6)), arg("V", tensor_shape(4, 2)), arg("I", tensor_shape(4, 2)))),
              R"(kernel k(X: f32[4, 6], V: mut f32[4, 2], I: mut i64[4, 2]) {
  axis m = 4, n = 6
  x = softmax(silu(X[(0, 0), [m, n]]), n)
  v, i = topk(x, n, k = 2, descending = true)
  values = relabel(v, [V.dim(0), V.dim(1)])
  indices = relabel(i, [I.dim(0), I.dim(1)])
  V((0, 0), [4, 2]).store(values)
  I((0, 0), [4, 2]).store(indices)
})");
}
