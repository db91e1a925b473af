// SPDX-License-Identifier: Apache-2.0
// C = A * B through two shared memories per block. The block's threads fill them together, meet, and multiply what all
// of them have stored; the second meeting keeps the next step from overwriting what another still reads.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto gemm = tile_kernel("gemm_memories", [](TensorView<const f32, 2> A, TensorView<const f32, 2> B, Out<f32, 2> C) {
    auto gm = axis("gm", ceil_div(A.extent<0>(), 32)), gn = axis("gn", ceil_div(B.extent<1>(), 32));
    auto kt = axis("kt", ceil_div(A.extent<1>(), 16));
    auto m = axis("m", 32), n = axis("n", 32), k = axis("k", 16);
    auto tm = axis("tm", 4), tn = axis("tn", 4), i = axis("i", 8), j = axis("j", 8), part = axis("part", 4);
    for (auto &block : parallel(shape(gm, gn))) {
      auto a = memory<f32>(shape(m, k), mem::shared);
      auto b = memory<f32>(layout(shape(k, n), stride(33, 1)), mem::shared);
      for (auto &thread : block.parallel(shape(tm, tn))) {
        auto row = block.index(gm) * 32 + thread.index(tm) * 8;
        auto column = block.index(gn) * 32 + thread.index(tn) * 8;
        auto acc = zeros<f32>(shape(i, j));
        for (auto &step : thread.serial(shape(kt))) {
          a(coord(thread.index(tm) * 8, thread.index(tn) * 4), shape(i, part))
              .store(A[coord(row, step.index() * 16 + thread.index(tn) * 4), shape(i, part)]);
          b(coord(thread.index(tm) * 4, thread.index(tn) * 8), shape(part, j))
              .store(B[coord(step.index() * 16 + thread.index(tm) * 4, column), shape(part, j)]);
          thread.sync();
          acc = mma(a[coord(thread.index(tm) * 8, 0), shape(i, k)], b[coord(0, thread.index(tn) * 8), shape(k, j)], acc);
          thread.sync();
        }
        C(coord(row, column), shape(i, j)).store(acc);
      }
    }
  });
  return example::check_gemm(example::prepared(gemm.capture(
      arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")), arg("C", tensor_shape("M", "N")))));
}
