// SPDX-License-Identifier: Apache-2.0
// LayerNorm with mean and variance in one pass by Welford's recurrence, a block of 64 columns at a time: the block's own
// count, mean and squares are merged into the running ones. The contract `welford` says how partial results merge, so
// that the blocks may be taken in any grouping.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("layer_norm", [](TensorView<const f32, 2> X, TensorView<const f32, 1> gain,
                                             TensorView<const f32, 1> shift, Out<f32, 2> Y) {
    auto columns = X.extent<1>();
    auto row = axis("row", X.extent<0>()), block = axis("block", ceil_div(columns, 64)), n = axis("n", 64);
    for (auto &nest : parallel(shape(row))) {
      Scalar<f32> seen = 0, mean = 0, squares = 0;
      for (auto &r : nest.reduce(shape(block), welford(seen, mean, squares))) {
        auto first = r.index() * 64;
        auto x = X[coord(nest.index(), first), where(shape(point, n), [&](auto i) { return first + i < columns; })];
        auto count = cast<f32>(min(columns - first, 64));
        auto block_mean = sum(x, n) / count;
        auto deviation = x - block_mean;
        auto step = block_mean - mean;
        auto share = count / (seen + count);
        squares = squares + sum(deviation * deviation, n) + step * step * share * seen;
        mean = mean + step * share;
        seen = seen + count;
      }
      auto scale = rsqrt(squares / cast<f32>(columns) + 1e-5);
      for (auto &p : nest.parallel(shape(block))) {
        auto first = p.index() * 64;
        auto x = X[coord(nest.index(), first), shape(point, n)];
        Y(coord(nest.index(), first), shape(point, n)).store((x - mean) * scale * gain[first, shape(n)] + shift[first, shape(n)]);
      }
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("X", tensor_shape("M", "N")), arg("gain", tensor_shape("N")),
                                       arg("shift", tensor_shape("N")), arg("Y", tensor_shape("M", "N"))));
  example::Judgement judgement("layer_norm");
  const int shapes[][2] = {{5, 200}, {3, 64}, {4, 65}, {0, 7}, {2, 0}};
  for (const auto &[M, N] : shapes) {
    const auto x = example::random_values(M * N, 31), gain = example::random_values(N, 32), shift = example::random_values(N, 33);
    std::vector<f32> y(M * N);
    judgement.clean(run(executable, array(x, M, N), array(gain), array(shift), undefined(array(y, M, N))));
    for (int i = 0; i < M; ++i) {
      double sum = 0, magnitude = 0, squares = 0, spread = 0;
      for (int j = 0; j < N; ++j) sum += x[i * N + j], magnitude += std::fabs(x[i * N + j]);
      for (int j = 0; j < N; ++j) {
        const double off = x[i * N + j] - sum / N;
        squares += off * off;
        spread += std::fabs(off);
      }
      // A block's mean meets 64 roundings, and a running mean, being a weighted mean of those, a few per block: what is
      // off by d moves a square by 2 |x - mean| d + d * d. Then the roundings of the squares themselves, of the quotient,
      // of eps and of the root (half of what its argument is off by, less than one u of its own).
      const double n = 64 + 4 * ((N + 63) / 64), in_mean = example::gamma_n(n) * magnitude / N;
      const double argument = squares / N + 1e-5;
      const double in_argument = (2 * spread * in_mean / N + in_mean * in_mean) / argument + example::gamma_n(n + 8);
      const double in_scale = 1 / std::sqrt(1 - in_argument) - 1 + example::unit;
      for (int j = 0; j < N; ++j) {
        const double off = x[i * N + j] - sum / N, normal = off * gain[j] / std::sqrt(argument);
        const double product = std::fabs(normal) * (in_scale + example::gamma_n(4)) + 1.01 * in_mean * std::fabs(gain[j]) / std::sqrt(argument);
        judgement.element(y[i * N + j], normal + shift[j], product + example::unit * (std::fabs(normal + shift[j]) + product));
      }
    }
  }
  return judgement.report();
}
