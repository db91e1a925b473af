// SPDX-License-Identifier: Apache-2.0
// An ancestor's tile assembled by its children, each writing its own window: a transpose of 4x4 blocks in a 16x16 tile.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("window_assembly", [](TensorView<const f32, 2> X, Out<f32, 2> Y) {
    auto gm = axis("gm", ceil_div(X.extent<0>(), 16)), gn = axis("gn", ceil_div(X.extent<1>(), 16));
    auto bi = axis("bi", 4), bj = axis("bj", 4);
    auto m = axis("m", 16), n = axis("n", 16);
    for (auto &nest : parallel(shape(gm, gn))) {
      auto row = nest.index(gm) * 16, column = nest.index(gn) * 16;
      auto tile = zeros<f32>(shape(n, m));
      for (auto &child : nest.parallel(shape(bi, bj))) {
        auto i = child.index(bi) * 4, j = child.index(bj) * 4;
        auto block = X[coord(row + i, column + j), shape(axis(m, 4), axis(n, 4))];
        tile = insert(tile, transpose(block, {n, m}), coord(j, i)); // disjoint windows join at the exit
      }
      Y(coord(column, row), shape(n, m)).store(tile);
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("X", tensor_shape("M", "N")), arg("Y", tensor_shape("N", "M"))));
  example::Judgement judgement("window_assembly");
  const int shapes[][2] = {{37, 21}, {16, 16}, {1, 5}, {0, 3}};
  for (const auto &[M, N] : shapes) {
    const auto x = example::random_values(M * N, 17);
    std::vector<f32> y(M * N);
    judgement.clean(run(executable, array(x, M, N), undefined(array(y, N, M))));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) judgement.element(y[j * M + i], x[i * N + j], 0);
  }
  return judgement.report();
}
