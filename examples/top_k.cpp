// SPDX-License-Identifier: Apache-2.0
// The eight greatest elements of each row and where they are, the lower index first among equals. Parts of 256 columns
// choose their own eight independently; the row chooses among these. What a row lacks is filled up with NaN, behind
// every number and, having the highest indices, behind every NaN of the row.
#include "examples/example.h"
#include <algorithm>
#include <numeric>

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("top_k", [](TensorView<const f32, 2> X, Out<f32, 2> values, Out<i64, 2> indices) {
    auto parts = X.extent<1>() / 256;
    auto row = axis("row", X.extent<0>()), part = axis("part", parts + 1), n = axis("n", 256), k = axis("k", 8);
    auto candidate = axis("candidate", 8 * parts + 8);
    for (auto &nest : parallel(shape(row))) {
      auto best = memory<f32>(shape(part, k), mem::shared);
      auto places = memory<i64>(shape(part, k), mem::shared);
      for (auto &worker : nest.parallel(shape(part))) {
        auto first = worker.index() * 256;
        auto [value, place] = topk(X(coord(nest.index(), first), shape(point, n)).load(NAN), n, 8);
        best(coord(worker.index(), 0), shape(point, axis(n, 8))).store(value);
        places(coord(worker.index(), 0), shape(point, axis(n, 8))).store(first + place);
      }
      auto [value, at] = topk(reshape(best[coord(0, 0), shape(part, k)], shape(candidate)), candidate, 8);
      values(coord(nest.index(), 0), shape(point, axis(candidate, 8))).store(value);
      indices(coord(nest.index(), 0), shape(point, axis(candidate, 8)))
          .store(take(reshape(places[coord(0, 0), shape(part, k)], shape(candidate)), coord(at)));
    }
  });
  const auto executable = example::prepared(kernel.capture(
      arg("X", tensor_shape("M", "N")), arg("values", tensor_shape("M", 8)), arg("indices", tensor_shape("M", 8))));
  example::Judgement judgement("top_k");
  const int shapes[][2] = {{3, 600}, {2, 256}, {4, 9}, {1, 8}, {0, 70}};
  for (const auto &[M, N] : shapes) {
    std::vector<f32> x(M * N), values(M * 8);
    std::vector<i64> indices(M * 8), order(N);
    for (int i = 0; i < M * N; ++i) x[i] = static_cast<f32>(i * i * 37 % 101 - 50);
    judgement.clean(run(executable, array(x, M, N), undefined(array(values, M, 8)), undefined(array(indices, M, 8))));
    for (int r = 0; r < M; ++r) {
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) { return x[r * N + a] > x[r * N + b]; });
      for (int c = 0; c < 8; ++c) {
        judgement.element(values[r * 8 + c], x[r * N + order[c]], 0);
        judgement.element(static_cast<double>(indices[r * 8 + c]), static_cast<double>(order[c]), 0);
      }
    }
  }
  return judgement.report();
}
