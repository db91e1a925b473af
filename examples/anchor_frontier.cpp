// SPDX-License-Identifier: Apache-2.0
// C = A B whose accumulator belongs to the outer nest and is updated from an inner parallel: one logical update per
// nest and step, distributed through the subnests, never multiplied by them.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto gemm = tile_kernel("anchor_frontier", [](TensorView<const f32, 2> A, TensorView<const f32, 2> B, Out<f32, 2> C) {
    auto m = axis("m", 16), n = axis("n", 16), k = axis("k", 16);
    auto gm = axis("gm", ceil_div(A.extent<0>(), 16)), gn = axis("gn", ceil_div(B.extent<1>(), 16));
    auto grid = shape(gm, gn);
    auto subnest_shape = shape(4);
    auto iterations = shape(ceil_div(A.extent<1>(), 16));
    for (auto &nest : parallel(grid, exec::block)) {
      auto acc = zeros<f32>(shape(m, n)); // anchor(acc) = nest
      for (auto &subnest : nest.parallel(subnest_shape, exec::warp)) {
        for (auto &step : subnest.pipeline(iterations, pipeline_policy{.stages = 2})) {
          auto a = A[coord(nest.index(gm) * 16, step.index() * 16), shape(m, k)];
          auto b = B[coord(step.index() * 16, nest.index(gn) * 16), shape(k, n)];
          acc = mma(a, b, acc); // anchor(mma) = nest, frontier(mma) = subnest
        }
      }
      C(coord(nest.index(gm) * 16, nest.index(gn) * 16), shape(m, n)).store(acc);
    }
  });
  const auto program = gemm.capture(arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")),
                                    arg("C", tensor_shape("M", "N")));
  return example::check_gemm("anchor_frontier", example::prepared(program));
}
