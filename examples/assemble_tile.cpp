// SPDX-License-Identifier: Apache-2.0
// B = the transpose of A. Each nest owns a 16x16 tile; its four children each insert their 8x8 window of it. The windows
// are disjoint, so every element of the tile has the one writer that it may have.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("assemble_tile", [](TensorView<const f32, 2> A, Out<f32, 2> B) {
    auto gn = axis("gn", ceil_div(A.extent<1>(), 16)), gm = axis("gm", ceil_div(A.extent<0>(), 16));
    auto n = axis("n", 16), m = axis("m", 16), p = axis("p", 2), q = axis("q", 2);
    for (auto &nest : parallel(shape(gn, gm))) {
      auto tile = zeros<f32>(shape(n, m));
      for (auto &child : nest.parallel(shape(p, q))) {
        auto row = child.index(p) * 8, column = child.index(q) * 8;
        auto piece = A[coord(nest.index(gm) * 16 + column, nest.index(gn) * 16 + row), shape(axis(m, 8), axis(n, 8))];
        tile = insert(tile, transpose(piece, {n, m}), coord(row, column));
      }
      B(coord(nest.index(gn) * 16, nest.index(gm) * 16), shape(n, m)).store(tile);
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("A", tensor_shape("M", "N")), arg("B", tensor_shape("N", "M"))));
  example::Judgement judgement("assemble_tile");
  const int shapes[][2] = {{37, 21}, {16, 16}, {1, 5}, {0, 3}};
  for (const auto &[M, N] : shapes) {
    const auto a = example::random_values(M * N, 17);
    std::vector<f32> b(M * N);
    judgement.clean(run(executable, array(a, M, N), undefined(array(b, N, M))));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) judgement.element(b[j * M + i], a[i * N + j], 0);
  }
  return judgement.report();
}
