// SPDX-License-Identifier: Apache-2.0
// Y = R + gelu(X + bias), gelu with erf. The row of biases has only the dim n: it broadcasts along m by the identity of
// its dim, not by its position.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("bias_gelu_residual", [](TensorView<const f32, 2> X, TensorView<const f32, 1> bias,
                                                     TensorView<const f32, 2> R, Out<f32, 2> Y) {
    auto gm = axis("gm", ceil_div(X.extent<0>(), 16)), gn = axis("gn", ceil_div(X.extent<1>(), 64));
    auto m = axis("m", 16), n = axis("n", 64);
    for (auto &nest : parallel(shape(gm, gn))) {
      auto row = nest.index(gm) * 16, column = nest.index(gn) * 64;
      auto x = X[coord(row, column), shape(m, n)];
      auto b = bias[column, shape(n)];
      auto r = R[coord(row, column), shape(m, n)];
      Y(coord(row, column), shape(m, n)).store(r + gelu(x + b));
    }
  });
  const auto executable = example::prepared(
      kernel.capture(arg("X", tensor_shape("M", "N")), arg("bias", tensor_shape("N")), arg("R", tensor_shape("M", "N")),
                     arg("Y", tensor_shape("M", "N"))));
  example::Judgement judgement("bias_gelu_residual");
  const int shapes[][2] = {{50, 137}, {16, 64}, {1, 1}, {0, 8}};
  for (const auto &[M, N] : shapes) {
    auto x = example::random_values(M * N, 1), b = example::random_values(N, 2), r = example::random_values(M * N, 3);
    for (f32 &v : x) v *= 4;
    std::vector<f32> y(M * N);
    judgement.clean(run(executable, array(x, M, N), array(b), array(r, M, N), undefined(array(y, M, N))));
    for (int i = 0; i < M * N; ++i) {
      const double t = double(x[i]) + b[i % N], g = t / 2 * (1 + std::erf(t / std::sqrt(2.0)));
      // The sum, the scaling and the scale's rounding shift erf's argument z by at most 3u|z|, and |z| erf'(z) <= 0.49;
      // erf and 1 + erf round once each (<= 1u and 2u): 1 + erf is off by at most 4.5u. t / 2 carries it and 1u, the
      // product and the residual sum round once each. A tenth on top covers the second order.
      const double error = std::fabs(t) / 2 * 4.5 + 2 * std::fabs(g) + std::fabs(g + r[i]);
      judgement.element(y[i], g + r[i], 1.1 * example::unit * error);
    }
  }
  return judgement.report();
}
