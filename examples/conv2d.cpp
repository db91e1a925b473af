// SPDX-License-Identifier: Apache-2.0
// Convolution with stride, padding and dilation, as a matrix product per tap of the filter: the tap's pixels are gathered
// at computed rows and columns, where the padding reads zero, and their channels are contracted with the weights'. The
// contributions of taps and channels add up in any grouping.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("conv2d", [](TensorView<const f32, 4> X, TensorView<const f32, 4> weight,
                                         TensorView<const f32, 1> bias, Out<f32, 4> Y) {
    auto stride = extent("stride"), padding = extent("padding"), dilation = extent("dilation");
    auto batch = axis("batch", X.extent<0>()), go = axis("go", ceil_div(weight.extent<0>(), 16));
    auto gp = axis("gp", ceil_div(Y.extent<2>(), 4)), gq = axis("gq", ceil_div(Y.extent<3>(), 16));
    auto r = axis("r", weight.extent<2>()), s = axis("s", weight.extent<3>()), gc = axis("gc", ceil_div(X.extent<1>(), 8));
    auto o = axis("o", 16), p = axis("p", 4), q = axis("q", 16), c = axis("c", 8);
    for (auto &nest : parallel(shape(batch, go, gp, gq))) {
      auto acc = zeros<f32>(shape(o, p, q));
      for (auto &tap : nest.reduce(shape(r, s, gc))) {
        auto row = (nest.index(gp) * 4 + iota(p)) * stride + tap.index(r) * dilation - padding;
        auto column = (nest.index(gq) * 16 + iota(q)) * stride + tap.index(s) * dilation - padding;
        auto pixels = X.gather(coord(nest.index(batch), tap.index(gc) * 8 + iota(c), row, column));
        auto taps = weight[coord(nest.index(go) * 16, tap.index(gc) * 8, tap.index(r), tap.index(s)), shape(o, c, point, point)];
        acc = mma(taps, pixels, acc);
      }
      Y(coord(nest.index(batch), nest.index(go) * 16, nest.index(gp) * 4, nest.index(gq) * 16), shape(point, o, p, q))
          .store(acc + bias[nest.index(go) * 16, shape(o)]);
    }
  });
  const auto executable = example::prepared(
      kernel.capture(arg("X", tensor_shape("B", "C", "H", "W")), arg("weight", tensor_shape("O", "C", "R", "S")),
                     arg("bias", tensor_shape("O")), arg("Y", tensor_shape("B", "O", "P", "Q"))));
  example::Judgement judgement("conv2d");
  const int cases[][7] = {{2, 5, 9, 7, 2, 1, 1}, {1, 3, 8, 17, 1, 2, 2}, {1, 8, 7, 16, 3, 0, 2}, {0, 2, 5, 3, 1, 1, 1}};
  for (const auto &[B, C, H, O, stride, padding, dilation] : cases) {
    const int W = H + 3, R = 3, S = 2, P = (H + 2 * padding - dilation * (R - 1) - 1) / stride + 1,
              Q = (W + 2 * padding - dilation * (S - 1) - 1) / stride + 1;
    const auto x = example::random_values(B * C * H * W, 41), weight = example::random_values(O * C * R * S, 42),
               bias = example::random_values(O, 43);
    std::vector<f32> y(B * O * P * Q);
    judgement.clean(executable.run({array(x, B, C, H, W), array(weight, O, C, R, S), array(bias), undefined(array(y, B, O, P, Q))},
                                   {}, {{"stride", stride}, {"padding", padding}, {"dilation", dilation}}));
    for (int at = 0; at < B * O * P * Q; ++at) {
      const int q = at % Q, p = at / Q % P, o = at / Q / P % O, b = at / Q / P / O;
      double sum = bias[o], magnitude = std::fabs(bias[o]);
      for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r)
          for (int s = 0; s < S; ++s) {
            const int i = p * stride + r * dilation - padding, j = q * stride + s * dilation - padding;
            if (i < 0 || j < 0 || i >= H || j >= W) continue;
            const double term = double(x[((b * C + c) * H + i) * W + j]) * weight[((o * C + c) * R + r) * S + s];
            sum += term;
            magnitude += std::fabs(term);
          }
      // Channels come in blocks of 8, the last one filled up with zeros; then the bias.
      judgement.element(y[at], sum, example::dot_bound((C + 7) / 8 * 8 * R * S + 1, magnitude));
    }
  }
  return judgement.report();
}
