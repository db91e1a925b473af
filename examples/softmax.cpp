// SPDX-License-Identifier: Apache-2.0
// Softmax along the rows of X: a tile has 8 rows and the whole, open, width. The last tile's missing rows read zero
// and are not stored.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("softmax", [](TensorView<const f32, 2> X, Out<f32, 2> Y) {
    auto m = axis("m", 8), n = axis("n", X.extent<1>());
    for (auto &nest : parallel(shape(ceil_div(X.extent<0>(), 8)))) {
      auto origin = coord(nest.index() * 8, 0);
      Y(origin, shape(m, n)).store(softmax(X[origin, shape(m, n)], n));
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("X", tensor_shape("M", "N")), arg("Y", tensor_shape("M", "N"))));
  example::Judgement judgement("softmax");
  const int shapes[][2] = {{19, 33}, {8, 1}, {1, 100}, {0, 5}};
  for (const auto &[M, N] : shapes) {
    auto x = example::random_values(M * N, 7);
    for (f32 &v : x) v *= 10;
    std::vector<f32> y(M * N);
    judgement.clean(run(executable, array(x, M, N), undefined(array(y, M, N))));
    for (int i = 0; i < M; ++i) {
      const f32 *row = x.data() + i * N;
      double greatest = -INFINITY, total = 0, spread = 0;
      for (int j = 0; j < N; ++j) greatest = std::max<double>(greatest, row[j]);
      for (int j = 0; j < N; ++j) {
        total += std::exp(row[j] - greatest);
        spread = std::max(spread, greatest - row[j]);
      }
      for (int j = 0; j < N; ++j) {
        const double expected = std::exp(row[j] - greatest) / total;
        // A weight: its difference rounds (u spread in the exponent), so does its exp. The sum of positive weights
        // carries the same and n u; then one division.
        const double relative = 2 * (std::expm1(example::unit * spread) + example::unit) + (N + 1) * example::unit;
        judgement.element(y[i * N + j], expected, relative / (1 - relative) * expected);
      }
    }
  }
  return judgement.report();
}
