// SPDX-License-Identifier: Apache-2.0
// C = A * B with the accumulator of the outer nest updated from an inner parallel. `acc` belongs to `nest`, so each mma
// is one update per nest, carried out by the four lanes together: its anchor is `nest`, its frontier `lane`.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto gemm = tile_kernel("gemm_outer_accumulator", [](TensorView<const f32, 2> A, TensorView<const f32, 2> B, Out<f32, 2> C) {
    auto gm = axis("gm", ceil_div(A.extent<0>(), 32)), gn = axis("gn", ceil_div(B.extent<1>(), 32));
    auto kt = axis("kt", ceil_div(A.extent<1>(), 16)), l = axis("l", 4);
    auto m = axis("m", 32), n = axis("n", 32), k = axis("k", 16);
    for (auto &nest : parallel(shape(gm, gn))) {
      auto acc = zeros<f32>(shape(m, n));
      for (auto &lane : nest.parallel(shape(l))) {
        for (auto &step : lane.pipeline(shape(kt), pipeline_policy{.stages = 2})) {
          step.stage("load");
          auto a = A[coord(nest.index(gm) * 32, step.index() * 16), shape(m, k)];
          auto b = B[coord(step.index() * 16, nest.index(gn) * 32), shape(k, n)];
          step.stage("compute");
          acc = mma(a, b, acc);
        }
      }
      C(coord(nest.index(gm) * 32, nest.index(gn) * 32), shape(m, n)).store(acc);
    }
  });
  return example::check_gemm(example::prepared(gemm.capture(
      arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")), arg("C", tensor_shape("M", "N")))));
}
