// SPDX-License-Identifier: Apache-2.0
// A C++ kernel and its text twin capture to equal programs; what the printer shows of a C++ program parses
// back.
#include "semantics/program/equality.h"
#include "semantics/program/single_definition.h"
#include "semantics/text/parser.h"
#include "semantics/text/printer.h"
#include "tests/dsl/captured.h"
#include "tests/dsl/gemm_kernel.h"

using namespace tilenest;

namespace {

// The text's program without the identities of names that are never assigned: C++ cannot tell those from
// values.
TileProgram parsed(std::string text) {
  ParsedFile file = parse_text("twin.tile", std::move(text));
  if (file.kernels.size() != 1) FAIL(listing(file.diagnostics));
  TileProgram p = std::move(file.kernels[0]);
  drop_single_definitions(p);
  return p;
}

void check_twins(const TileProgram &cpp, const std::string &text) {
  std::string difference;
  CHECK(equal(cpp, parsed(text), &difference));
  INFO(difference);
  CHECK(difference == "");
}

} // namespace

TEST_CASE("gemm in C++ and in text are one program") {
  check_twins(
      captured(gemm_kernel().capture(arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")),
                                     arg("C", tensor_shape("M", "N")))),
      R"(kernel gemm(A: f32[M, K], B: f32[K, N], C: mut f32[M, N]) {
  axis gm = ceil_div(M, 32), gn = ceil_div(N, 32), kt = ceil_div(K, 16)
  axis m = 32, n = 32, k = 16
  parallel nest in [gm, gn] {
    acc = zeros f32 [m, n]
    pipeline step in [kt] with stages = 2, ii = 1 {
      stage "load"
      a = A[(nest.gm * 32, step.kt * 16), [m, k]]
      b = B[(step.kt * 16, nest.gn * 32), [k, n]]
      stage "compute"
      acc = mma(a, b, acc)
    }
    C((nest.gm * 32, nest.gn * 32), [m, n]).store(acc)
  }
})");
}

TEST_CASE("an extent parameter that no shape mentions is one in both", "[SPC-EXT]") {
  const auto kernel = tile_kernel("count", [](TensorView<i32, 1> x) {
    auto steps = extent("steps");
    auto i = axis("i", x.extent<0>()), s = axis("s", steps * 2);
    for (auto &nest : parallel(shape(i))) {
      Scalar<i32> total = 0;
      for (auto &step : nest.serial(shape(s))) total += cast<i32>(step.index());
      x(nest.index()).store(total * cast<i32>(steps));
    }
  });
  check_twins(captured(kernel.capture(arg("x", tensor_shape("N")))), R"(kernel count(x: mut i32[N], steps: extent) {
  axis i = N, s = steps * 2
  parallel nest in [i] {
    total = i32(0)
    serial step in [s] { total += cast(step.s, i32) }
    x(nest.i).store(total * cast(steps, i32))
  }
})");
}

TEST_CASE("control flow, carries and reductions are one program in both") {
  const auto kernel = tile_kernel("walk", [](TensorView<const i32, 1> x, TensorView<i32, 1> y) {
    auto i = axis("i", x.extent<0>()), r = axis("r", 4);
    for (auto &nest : parallel(shape(i), exec::block)) {
      auto v = x(nest.index()).load();
      Scalar<i32> steps = 0;
      while_([&] { return v > 1; },
             [&] {
               if_(v % 2 == 0, [&] { v = v / 2; }).else_([&] { v = 3 * v + 1; });
               steps += 1;
             });
      for (auto &k : nest.reduce(shape(r), reduction::fold_left)) steps = steps + cast<i32>(k.index());
      y(nest.index()).store(steps);
    }
  });
  check_twins(captured(kernel.capture(arg("x", tensor_shape("N")), arg("y", tensor_shape("N")))),
              R"(kernel walk(x: i32[N], y: mut i32[N]) {
  axis i = N, r = 4
  parallel nest in [i] at block {
    v = x[nest.i]
    steps = i32(0)
    while v > 1 {
      if v % 2 == 0 { v = v / 2 } else { v = 3 * v + 1 }
      steps = steps + 1
    }
    reduce k in [r] fold_left { steps = steps + cast(k.r, i32) }
    y(nest.i).store(steps)
  }
})");
}

TEST_CASE("printed C++ programs parse back") {
  TileProgram p =
      captured(gemm_kernel().capture(tensor_shape("M", "K"), tensor_shape("K", "N"), tensor_shape("M", "N")));
  ParsedFile file = parse_text("printed.tile", print(p));
  if (file.kernels.size() != 1) FAIL(listing(file.diagnostics) + print(p));
  std::string difference;
  CHECK(equal(p, file.kernels[0], &difference));
  CHECK(difference == "");
}
