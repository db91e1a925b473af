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
