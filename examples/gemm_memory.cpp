// SPDX-License-Identifier: Apache-2.0
// C = A B with explicit memories: each instance owns two staging buffers, B's with padded rows, and the contraction
// reads from them.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto gemm = tile_kernel("gemm_memory", [](TensorView<const f32, 2> A, TensorView<const f32, 2> B, Out<f32, 2> C) {
    auto gm = axis("gm", ceil_div(A.extent<0>(), 16)), gn = axis("gn", ceil_div(B.extent<1>(), 16));
    auto kt = axis("kt", ceil_div(A.extent<1>(), 8));
    auto m = axis("m", 16), n = axis("n", 16), k = axis("k", 8);
    for (auto &nest : parallel(shape(gm, gn))) {
      auto staged_a = memory<f32>(shape(m, k), mem::shared);
      auto staged_b = memory<f32>(layout(shape(k, n), stride(17, 1)), mem::shared);
      auto acc = zeros<f32>(shape(m, n));
      auto row = nest.index(gm) * 16, column = nest.index(gn) * 16;
      for (auto &step : nest.serial(shape(kt))) {
        staged_a(coord(0, 0), shape(m, k)).store(A[coord(row, step.index() * 8), shape(m, k)]);
        staged_b(coord(0, 0), shape(k, n)).store(B[coord(step.index() * 8, column), shape(k, n)]);
        acc = mma(staged_a[coord(0, 0), shape(m, k)], staged_b[coord(0, 0), shape(k, n)], acc);
      }
      C(coord(row, column), shape(m, n)).store(acc);
    }
  });
  const auto program = gemm.capture(arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")),
                                    arg("C", tensor_shape("M", "N")));
  return example::check_gemm("gemm_memory", example::prepared(program));
}
