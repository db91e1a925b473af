// SPDX-License-Identifier: Apache-2.0
// Sorts the keys of each row and carries a payload along. The sort is stable, so the payload of equal keys keeps its
// order; NaN comes last. A row is one tile.
#include "examples/example.h"
#include <algorithm>

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("stable_sort", [](TensorView<const f32, 2> keys, TensorView<const i64, 2> payload,
                                              Out<f32, 2> sorted, Out<i64, 2> carried) {
    auto row = axis("row", keys.extent<0>()), n = axis("n", keys.extent<1>());
    for (auto &nest : parallel(shape(row))) {
      auto key = keys[coord(nest.index(), 0), shape(point, n)];
      auto order = argsort(key, n);
      sorted(coord(nest.index(), 0), shape(point, n)).store(take(key, coord(order)));
      carried(coord(nest.index(), 0), shape(point, n)).store(take(payload[coord(nest.index(), 0), shape(point, n)], coord(order)));
    }
  });
  const auto open = tensor_shape("M", "N");
  const auto executable = example::prepared(
      kernel.capture(arg("keys", open), arg("payload", open), arg("sorted", open), arg("carried", open)));
  example::Judgement judgement("stable_sort");
  const int shapes[][2] = {{3, 29}, {2, 16}, {4, 1}, {0, 7}};
  for (const auto &[M, N] : shapes) {
    std::vector<f32> keys(M * N), sorted(M * N);
    std::vector<i64> payload(M * N), carried(M * N);
    for (int i = 0; i < M * N; ++i) {
      keys[i] = static_cast<f32>(i * i * 37 % 11 - 5); // many equal ones
      payload[i] = i;
    }
    judgement.clean(run(executable, array(keys, M, N), array(payload, M, N), undefined(array(sorted, M, N)),
                        undefined(array(carried, M, N))));
    for (int r = 0; r < M; ++r)
      std::stable_sort(payload.begin() + r * N, payload.begin() + (r + 1) * N, [&](i64 a, i64 b) { return keys[a] < keys[b]; });
    for (int i = 0; i < M * N; ++i) {
      judgement.element(sorted[i], keys[payload[i]], 0);
      judgement.element(static_cast<double>(carried[i]), static_cast<double>(payload[i]), 0);
    }
  }
  return judgement.report();
}
