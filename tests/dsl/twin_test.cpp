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

TEST_CASE("the contract topk is one program in both", "[RED-LAW]") {
  const auto kernel = tile_kernel("best", [](TensorView<const f32, 1> X, Out<i64, 1> P) {
    auto r = axis("r", X.extent<0>());
    auto k = axis("k", 2);
    auto values = zeros<f32>(shape(k));
    auto indices = zeros<i64>(shape(k));
    for (auto &i : reduce(shape(r), topk(values, indices))) {
      auto x = X(i.index()).load();
      indices = ite(values > x, indices, i.index());
      values = max(values, x);
    }
    P(coord(0), shape(k)).store(indices);
  });
  check_twins(captured(kernel.capture(arg("X", tensor_shape("N")), arg("P", tensor_shape(2)))),
              R"(kernel best(X: f32[N], P: out i64[2]) {
  axis r = N, k = 2
  values = zeros f32 [k]
  indices = zeros i64 [k]
  reduce i in [r] with topk(values, indices) {
    x = X[i.r]
    indices = ite(values > x, indices, i.r)
    values = max(values, x)
  }
  P((0), [k]).store(indices)
})");
}

TEST_CASE("contracts of a reduce are one program in both", "[RED-LAW]") {
  const auto kernel = tile_kernel("folds", [](TensorView<const i32, 1> M, TensorView<const i32, 1> B, TensorView<const f32, 1> X,
                                              Out<i32, 1> P, Out<f32, 1> Y) {
    auto r = axis("r", M.extent<0>()), k = axis("k", X.extent<0>());
    Scalar<i32> m = 1, b = 0;
    auto affine = reduction::contract(m, b).associative().identity(1, 0).merge([](auto ml, auto bl, auto mr, auto br) {
      auto slope = ml * mr; // statements: the operands of a call are captured in any order
      auto offset = mr * bl + br;
      return std::tuple(slope, offset);
    });
    for (auto &i : reduce(shape(r), affine, reduction::ordered_tree)) {
      auto x = M(i.index()).load();
      b = x * b + B(i.index()).load();
      m = m * x;
    }
    P(0).store(m);
    P(1).store(b);
    Scalar<f32> n = 0, mean = 0, m2 = 0;
    for (auto &i : reduce(shape(k), welford(n, mean, m2))) {
      auto x = X(i.index()).load();
      n = n + 1;
      auto d = x - mean;
      mean = mean + d / n;
      m2 = m2 + d * (x - mean);
    }
    Y(0).store(m2);
  });
  check_twins(captured(kernel.capture(arg("M", tensor_shape("N")), arg("B", tensor_shape("N")), arg("X", tensor_shape("K")),
                                      arg("P", tensor_shape(2)), arg("Y", tensor_shape(1)))),
              R"(kernel folds(M: i32[N], B: i32[N], X: f32[K], P: out i32[2], Y: out f32[1]) {
  axis r = N, k = K
  m = i32(1)
  b = i32(0)
  reduce i in [r] ordered_tree with contract(m, b) associative identity { give 1, 0 } merge (ml, bl), (mr, br) {
    give ml * mr, mr * bl + br
  } {
    x = M[i.r]
    b = x * b + B[i.r]
    m = m * x
  }
  P(0).store(m)
  P(1).store(b)
  n = f32(0)
  mean_ = f32(0)
  m2 = f32(0)
  reduce j in [k] with welford(n, mean_, m2) {
    x_ = X[j.k]
    n = n + 1
    d = x_ - mean_
    mean_ = mean_ + d / n
    m2 = m2 + d * (x_ - mean_)
  }
  Y(0).store(m2)
})");
}
