// SPDX-License-Identifier: Apache-2.0
// Sequences of different lengths in one padded batch: the mean over a sequence's own tokens, and what deviates from it.
// Index sets say which tokens there are: the `where` of a domain leaves out whole blocks, that of a window the rest of
// the last one, and a store takes the points that its value has. No padding of X is read; that of Y becomes 0.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("ragged_batch", [](TensorView<const f32, 3> X, TensorView<const i64, 1> lengths,
                                               Out<f32, 2> mean, Out<f32, 3> Y) {
    auto sequence = axis("sequence", X.extent<0>()), block = axis("block", ceil_div(X.extent<1>(), 16));
    auto t = axis("t", 16), d = axis("d", X.extent<2>());
    for (auto &nest : parallel(shape(sequence))) {
      auto length = lengths(nest.index()).load();
      auto total = zeros<f32>(shape(d));
      auto blocks = where(shape(block), [&](auto b) { return b * 16 < length; });
      for (auto &r : nest.reduce(blocks)) {
        auto first = r.index() * 16;
        auto active = where(shape(point, t, d), [&](auto i, auto) { return first + i < length; });
        total += sum(X[coord(nest.index(), first, 0), active], t);
      }
      auto average = total / cast<f32>(length);
      mean(coord(nest.index(), 0), shape(point, d)).store(average);
      for (auto &p : nest.parallel(shape(block))) {
        auto first = p.index() * 16;
        auto active = where(shape(point, t, d), [&](auto i, auto) { return first + i < length; });
        auto token = X[coord(nest.index(), first, 0), active];
        Y(coord(nest.index(), first, 0), shape(point, t, d)).store(token - average);
        Y(coord(nest.index(), first, 0), shape(point, t, d)).store(where(zeros<f32>(shape(t, d)), first + iota(t) >= length));
      }
    }
  });
  const auto executable = example::prepared(
      kernel.capture(arg("X", tensor_shape("B", "S", "D")), arg("lengths", tensor_shape("B")),
                     arg("mean", tensor_shape("B", "D")), arg("Y", tensor_shape("B", "S", "D"))));
  example::Judgement judgement("ragged_batch");
  const int shapes[][3] = {{3, 40, 5}, {2, 16, 8}, {3, 1, 1}, {0, 9, 2}, {2, 7, 0}};
  for (const auto &[B, S, D] : shapes) {
    auto x = example::random_values(B * S * D, 23);
    std::vector<i64> lengths(B);
    for (int b = 0; b < B; ++b) {
      lengths[b] = (S * (b + 1) + 1) / (b + 2);
      for (int i = static_cast<int>(lengths[b]) * D; i < S * D; ++i) x[b * S * D + i] = NAN; // padding
    }
    std::vector<f32> mean(B * D), y(B * S * D);
    judgement.clean(run(executable, array(x, B, S, D), array(lengths), undefined(array(mean, B, D)), undefined(array(y, B, S, D))));
    for (int b = 0; b < B; ++b)
      for (int d = 0; d < D; ++d) {
        const int n = static_cast<int>(lengths[b]);
        double sum = 0, magnitude = 0;
        for (int i = 0; i < n; ++i) {
          sum += x[(b * S + i) * D + d];
          magnitude += std::fabs(x[(b * S + i) * D + d]);
        }
        // An addition per token and per block, one division, one difference.
        const double in_mean = example::gamma_n(n + (n + 15) / 16 + 1) * magnitude / n;
        judgement.element(mean[b * D + d], sum / n, in_mean);
        for (int i = 0; i < S; ++i) {
          const double off = x[(b * S + i) * D + d] - sum / n;
          judgement.element(y[(b * S + i) * D + d], i < n ? off : 0, i < n ? in_mean + example::unit * (std::fabs(off) + in_mean) : 0);
        }
      }
  }
  return judgement.report();
}
