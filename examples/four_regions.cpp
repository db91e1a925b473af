// SPDX-License-Identifier: Apache-2.0
// The four regions in one: channels are independent (parallel), time is a recurrence (serial), the blocks of a step's
// inputs stream (pipeline), and their products add up in any grouping (reduce).
//   Y[c, t] = decay[c] * Y[c, t - 1] + sum over k of W[c, k] * U[t, k]
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("four_regions", [](TensorView<const f32, 2> U, TensorView<const f32, 2> W,
                                               TensorView<const f32, 1> decay, Out<f32, 2> Y) {
    auto c = axis("c", W.extent<0>()), t = axis("t", U.extent<0>());
    auto block = axis("block", ceil_div(U.extent<1>(), 8)), lane = axis("lane", 8);
    for (auto &channel : parallel(shape(c))) {
      Scalar<f32> state = 0;
      for (auto &time : channel.serial(shape(t))) {
        Scalar<f32> drive = 0;
        for (auto &chunk : channel.pipeline(shape(block), pipeline_policy{.stages = 2})) {
          chunk.stage("load");
          auto u = U[coord(time.index(), chunk.index() * 8), shape(point, lane)];
          auto w = W[coord(channel.index(), chunk.index() * 8), shape(point, lane)];
          chunk.stage("add");
          for (auto &r : chunk.reduce(shape(lane))) drive += w.at(r) * u.at(r);
        }
        state = decay(channel.index()).load() * state + drive;
        Y(coord(channel.index(), time.index())).store(state);
      }
    }
  });
  const auto executable = example::prepared(
      kernel.capture(arg("U", tensor_shape("T", "K")), arg("W", tensor_shape("C", "K")), arg("decay", tensor_shape("C")),
                     arg("Y", tensor_shape("C", "T"))));
  example::Judgement judgement("four_regions");
  const int shapes[][3] = {{3, 7, 19}, {4, 5, 16}, {1, 1, 1}, {2, 3, 0}, {2, 0, 3}, {0, 2, 3}};
  for (const auto &[C, T, K] : shapes) {
    const auto u = example::random_values(T * K, 1), w = example::random_values(C * K, 2),
               decay = example::random_values(C, 3);
    std::vector<f32> y(C * T);
    judgement.clean(run(executable, array(u, T, K), array(w, C, K), array(decay), undefined(array(y, C, T))));
    for (int c = 0; c < C; ++c) {
      double state = 0, error = 0;
      for (int t = 0; t < T; ++t) {
        double drive = 0, magnitude = 0;
        for (int k = 0; k < K; ++k) {
          drive += double(w[c * K + k]) * u[t * K + k];
          magnitude += std::fabs(double(w[c * K + k]) * u[t * K + k]);
        }
        // The decayed error of the step before, the rounded product, the sum of products, the rounded sum of both.
        const double kept = std::fabs(double(decay[c])) * (std::fabs(state) + error);
        error = std::fabs(double(decay[c])) * error + kept * example::unit + example::dot_bound(K, magnitude);
        state = decay[c] * state + drive;
        error += example::unit * (std::fabs(state) + error);
        judgement.element(y[c * T + t], state, error);
      }
    }
  }
  return judgement.report();
}
