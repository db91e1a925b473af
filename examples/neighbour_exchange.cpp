// SPDX-License-Identifier: Apache-2.0
// Sorts each row by odd-even transposition. In every round a lane shows its key to a neighbour through the memory and
// keeps the smaller or the greater of the two; at the ends there is no neighbour, and the key stays.
#include "examples/example.h"
#include <algorithm>

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("neighbour_exchange", [](TensorView<const i32, 2> X, Out<i32, 2> Y) {
    auto row = axis("row", X.extent<0>()), n = axis("n", X.extent<1>()), rounds = axis("rounds", X.extent<1>());
    for (auto &block : parallel(shape(row))) {
      auto keys = memory<i32>(shape(n), mem::shared);
      for (auto &lane : block.parallel(shape(n))) {
        auto key = X(coord(block.index(), lane.index())).load();
        for (auto &round : lane.serial(shape(rounds))) {
          keys(lane.index()).store(key);
          lane.sync();
          auto lower = (lane.index() + round.index()) % 2 == 0;
          auto other = keys(lane.index() + ite(lower, Scalar<i64>(1), -1)).load(key);
          key = ite(lower, min(key, other), max(key, other));
          lane.sync();
        }
        Y(coord(block.index(), lane.index())).store(key);
      }
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("X", tensor_shape("M", "N")), arg("Y", tensor_shape("M", "N"))));
  example::Judgement judgement("neighbour_exchange");
  const int shapes[][2] = {{3, 29}, {2, 16}, {1, 2}, {4, 1}, {0, 7}, {5, 0}};
  for (const auto &[M, N] : shapes) {
    std::vector<i32> x(M * N), y(M * N);
    for (int i = 0; i < M * N; ++i) x[i] = i * i * 37 % 53 - 20;
    judgement.clean(run(executable, array(x, M, N), undefined(array(y, M, N))));
    for (int r = 0; r < M; ++r) std::sort(x.begin() + r * N, x.begin() + (r + 1) * N);
    for (int i = 0; i < M * N; ++i) judgement.element(y[i], x[i], 0);
  }
  return judgement.report();
}
