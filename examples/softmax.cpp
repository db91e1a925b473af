// SPDX-License-Identifier: Apache-2.0
// Row softmax of any width, in three passes over blocks of 64 columns: the greatest element, the sum of the
// exponentials, the quotients. `where` makes the last block ragged: a reduction takes its active elements only.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("softmax", [](TensorView<const f32, 2> X, Out<f32, 2> Y) {
    auto row = axis("row", X.extent<0>()), block = axis("block", ceil_div(X.extent<1>(), 64)), n = axis("n", 64);
    for (auto &nest : parallel(shape(row))) {
      auto active = [&](auto first) {
        return where(shape(point, n), [=](auto column) { return first + column < X.extent<1>(); });
      };
      Scalar<f32> top = -INFINITY;
      for (auto &r : nest.reduce(shape(block))) {
        auto first = r.index() * 64;
        top = max(top, reduce(X[coord(nest.index(), first), active(first)], n, max));
      }
      Scalar<f32> total = 0;
      for (auto &r : nest.reduce(shape(block))) {
        auto first = r.index() * 64;
        total += sum(exp(X[coord(nest.index(), first), active(first)] - top), n);
      }
      for (auto &p : nest.parallel(shape(block))) {
        auto x = X[coord(nest.index(), p.index() * 64), shape(point, n)];
        Y(coord(nest.index(), p.index() * 64), shape(point, n)).store(exp(x - top) / total);
      }
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("X", tensor_shape("M", "N")), arg("Y", tensor_shape("M", "N"))));
  example::Judgement judgement("softmax");
  const int shapes[][2] = {{19, 133}, {8, 64}, {3, 1}, {0, 5}, {4, 0}};
  for (const auto &[M, N] : shapes) {
    auto x = example::random_values(M * N, 7);
    for (f32 &v : x) v *= 10;
    std::vector<f32> y(M * N);
    judgement.clean(run(executable, array(x, M, N), undefined(array(y, M, N))));
    for (int i = 0; i < M; ++i) {
      const f32 *values = x.data() + i * N;
      double top = -INFINITY, total = 0, spread = 0;
      for (int j = 0; j < N; ++j) top = std::max<double>(top, values[j]);
      for (int j = 0; j < N; ++j) {
        total += std::exp(values[j] - top);
        spread = std::max(spread, top - values[j]);
      }
      for (int j = 0; j < N; ++j) {
        const double expected = std::exp(values[j] - top) / total;
        // A weight: its difference rounds (u spread in the exponent), so does its exp. The sum of positive weights
        // carries the same and its own additions, one per column and block; then one division.
        const double in_weight = std::expm1(example::unit * spread) + 1.01 * example::unit;
        const double relative = 2 * in_weight + example::gamma_n(N + (N + 63) / 64 + 1);
        judgement.element(y[i * N + j], expected, relative / (1 - relative) * expected);
      }
    }
  }
  return judgement.report();
}
