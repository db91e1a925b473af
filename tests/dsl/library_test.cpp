// SPDX-License-Identifier: Apache-2.0
// Calls of the library from C++ and from text are one program, print as calls, and report what they refuse.
#include "semantics/library/function.h"
#include "semantics/program/equality.h"
#include "semantics/program/single_definition.h"
#include "semantics/text/parser.h"
#include "semantics/text/printer.h"
#include "tests/dsl/captured.h"
#include <tilenest/run.h>

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

TEST_CASE("a call's violation names the argument in C++ as in text", "[library]") {
  const auto kernel = tile_kernel("k", [](TensorView<const f32, 2> X, TensorView<const i32, 1> L, TensorView<f32, 1> Y, TensorView<f32, 2> Z) {
    auto m = axis("m", 2), n = axis("n", 3), k = axis("k", 2);
    auto x = X[coord(0, 0), shape(m, n)];
    Y(coord(0), shape(m)).store(cross_entropy(x, L[coord(0), shape(m)], n));
    Y(coord(0), shape(m)).store(take_along(x, L[coord(0), shape(m)] + 1, n));
    Z(coord(0, 0), shape(m, n)).store(put_along(x, X[coord(0, 0), shape(m, k)], L[coord(0), shape(k)], n));
  });
  const int line = __LINE__ - 4;
  const TileProgram program = captured(kernel.capture(arg("X", tensor_shape(2, 3)), arg("L", tensor_shape(2)), arg("Y", tensor_shape(2)), arg("Z", tensor_shape(2, 3))));
  auto told = [&](i32 first, i32 second) {
    std::vector<f32> x(6), y(2), z(6);
    const std::vector<i32> l{first, second};
    std::string out;
    for (const Diagnostic &d : run(program, array(x, 2, 3), array(l, 2), array(y, 2), array(z, 2, 3)).diagnostics)
      if (d.info().severity == Severity::error) out += std::string(d.info().code) + "@" + std::to_string(d.sites[0].site.line - line) + " " + d.notes[0] + d.message().substr(std::min(d.message().find(": "), d.message().size())) + "\n";
    return out;
  };
  CHECK(told(0, 1) == "");
  CHECK(told(0, 3) == "U0104@0 in the expansion of `cross_entropy`, from `labels`: a label is outside the classes\n"
                      "U0104@1 in the expansion of `take_along`, from `indices`: an index is out of range\n");
  CHECK(told(1, 1) == "U0104@2 in the expansion of `put_along`, from `indices`: two values for one place, and no reducer\n");
}

TEST_CASE("what a call refuses has the argument's name in C++ as in text", "[library]") {
  int line = 0;
  const auto kernel = tile_kernel("k", [&](TensorView<const f32, 2> X, TensorView<const i32, 1> L) {
    auto m = axis("m", 2), n = axis("n", 3), k = axis("k", 2);
    auto x = X[coord(0, 0), shape(m, n)], v = X[coord(0, 0), shape(m, k)];
    auto few = X[coord(0, 0), shape(axis(m, 1), n)];
    line = __LINE__ + 1;
    put_along(x, v, L[coord(0), shape(axis(k, 3))], n);
    put_along(x, x, L[coord(0), shape(n)], n);
    select(x > 0, x, X[coord(0, 0), shape(m, axis(n, 2))]);
    mse_loss(x, few);
    mean(x, {n, n});
  });
  const Result<TileProgram> refused = kernel.capture(arg("X", tensor_shape(2, 3)), arg("L", tensor_shape(3)));
  REQUIRE_FALSE(refused.ok());
  std::vector<std::string> told;
  for (const Diagnostic &d : refused.errors())
    told.push_back(std::string(d.info().code) + "@" + std::to_string(d.sites[0].site.line - line) + " " + (d.notes.empty() ? d.message() : d.notes[0]));
  CHECK(told == std::vector<std::string>{
    "T0217@0 `put_along` takes a tile with 3 elements along `k` as `values`, not f32 [m=2, k=2]",
    "T0217@1 `put_along` takes a tile over a dim that `x` lacks as `indices`, not i32 [n=3]",
    "T0201@2 in the expansion of `select`, from `condition`, `x` and `y`",
    "T0217@3 `mse_loss` takes a tile with 2 elements along `m` as `y`, not f32 [m=1, n=3]",
    "T0218@4 `dims` of `mean` cannot be `n` twice: a dim is reduced once"});
}
