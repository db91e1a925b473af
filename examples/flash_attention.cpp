// SPDX-License-Identifier: Apache-2.0
// Causal attention with online softmax: a tile of 16 queries walks blocks of 16 keys, keeps a running maximum and sum
// per row, and rescales what it has when the maximum moves.
#include "examples/example.h"
#include <limits>

using namespace tilenest;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

auto attention() {
  return tile_kernel("flash_attention", [](TensorView<const f32, 2> Q, TensorView<const f32, 2> K,
                                           TensorView<const f32, 2> V, TensorView<const f32, 1> scale, Out<f32, 2> O) {
    auto q = axis("q", 16), k = axis("k", 16), d = axis("d", Q.extent<1>()), e = axis("e", V.extent<1>());
    auto blocks = axis("blocks", ceil_div(K.extent<0>(), 16));
    for (auto &nest : parallel(shape(ceil_div(Q.extent<0>(), 16)))) {
      auto first_row = nest.index() * 16;
      auto rows = iota(q) + first_row;
      auto query = Q[coord(first_row, 0), shape(q, d)] * scale(0).load();
      auto greatest = full<f32>(shape(q), -infinity);
      auto total = zeros<f32>(shape(q));
      auto acc = zeros<f32>(shape(q, e));
      for (auto &step : nest.serial(shape(blocks))) {
        auto first_key = step.index() * 16;
        auto columns = iota(k) + first_key;
        auto scores = mma(query, K[coord(first_key, 0), shape(k, d)], zeros<f32>(shape(q, k)));
        auto seen = (columns <= rows) & (columns < extent(K.extent<0>()));
        scores = ite(transpose(seen, {q, k}), scores, -infinity);
        auto moved = max(greatest, reduce(scores, k, max));
        auto weights = exp(scores - moved);
        auto rescale = exp(greatest - moved);
        total = total * rescale + sum(weights, k);
        acc = mma(weights, V[coord(first_key, 0), shape(k, e)], acc * rescale);
        greatest = moved;
      }
      O(coord(first_row, 0), shape(q, e)).store(acc / total);
    }
  });
}

} // namespace

int main() {
  const auto executable = example::prepared(attention().capture(
      arg("Q", tensor_shape("S", "D")), arg("K", tensor_shape("S", "D")), arg("V", tensor_shape("S", "E")),
      arg("scale", tensor_shape(1)), arg("O", tensor_shape("S", "E"))));
  example::Judgement judgement("flash_attention");
  const int shapes[][3] = {{50, 24, 20}, {16, 8, 16}, {1, 3, 1}, {33, 64, 7}, {0, 4, 4}};
  for (const auto &[S, D, E] : shapes) {
    const auto q = example::random_values(S * D, 3), k = example::random_values(S * D, 4),
               v = example::random_values(S * E, 5);
    const std::vector<f32> scale = {static_cast<f32>(1 / std::sqrt(double(D)))};
    std::vector<f32> o(S * E);
    judgement.clean(run(executable, array(q, S, D), array(k, S, D), array(v, S, E), array(scale),
                        undefined(array(o, S, E))));
    for (int i = 0; i < S; ++i) {
      const int keys = i + 1;
      std::vector<double> score(keys);
      double greatest = -INFINITY, score_error = 0, largest = 0;
      for (int j = 0; j < keys; ++j) {
        double magnitude = 0;
        for (int x = 0; x < D; ++x) {
          score[j] += double(q[i * D + x]) * scale[0] * k[j * D + x];
          magnitude += std::fabs(double(q[i * D + x]) * scale[0] * k[j * D + x]);
        }
        score_error = std::max(score_error, example::dot_bound(D + 1, magnitude)); // the query was scaled and rounded
        largest = std::max(largest, std::fabs(score[j]));
        greatest = std::max(greatest, score[j]);
      }
      // A weight is a product of exponentials, one per block that moved the maximum, each of a rounded difference (at
      // most u of twice the largest score) and rounded. The differences telescope: each score's error counts twice.
      const double blocks = (keys + 15) / 16;
      const double exponent = 2 * score_error + blocks * example::unit * 2 * largest;
      const double weight_error = std::expm1(exponent) + 2 * (blocks + 1) * example::unit;
      double total = 0;
      for (double &s : score) total += s = std::exp(s - greatest);
      for (int x = 0; x < E; ++x) {
        double sum = 0, magnitude = 0;
        for (int j = 0; j < keys; ++j) {
          sum += score[j] * v[j * E + x];
          magnitude += score[j] * std::fabs(v[j * E + x]);
        }
        // Numerator and denominator carry the weights' error and their own sums' (16 terms a block); one division.
        const double relative = 2 * (weight_error + (16 + 1) * blocks * example::unit) + example::unit;
        judgement.element(o[i * E + x], sum / total, relative / (1 - relative) * magnitude / total);
      }
    }
  }
  return judgement.report();
}
