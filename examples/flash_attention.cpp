// SPDX-License-Identifier: Apache-2.0
// Causal attention: query i sees the keys 0..i. Blocks of keys stream past each block of queries with a running maximum
// and sum (online softmax), which fade what was added under a smaller maximum. The mask is an index set: the domain of
// the pipeline leaves out whole blocks of keys, `where` the rest of the diagonal block.
#include "examples/example.h"

using namespace tilenest;

namespace {

auto attention() {
  return tile_kernel("flash_attention", [](TensorView<const f32, 3> Q, TensorView<const f32, 3> K,
                                           TensorView<const f32, 3> V, Out<f32, 3> O) {
    auto length = Q.extent<1>(), width = Q.extent<2>();
    auto head = axis("head", Q.extent<0>()), gq = axis("gq", ceil_div(length, 32)), gk = axis("gk", ceil_div(length, 32));
    auto i = axis("i", 32), j = axis("j", 32), d = axis("d", width);
    auto scale = rsqrt(cast<f32>(width));
    for (auto &nest : parallel(shape(head, gq))) {
      auto first_query = nest.index(gq) * 32;
      auto q = Q[coord(nest.index(head), first_query, 0), shape(point, i, d)] * scale;
      auto top = full<f32>(shape(i), -INFINITY);
      auto total = zeros<f32>(shape(i));
      auto acc = zeros<f32>(shape(i, d));
      auto visible_blocks = where(shape(gk), [&](auto block) { return block <= nest.index(gq); });
      for (auto &step : nest.pipeline(visible_blocks, pipeline_policy{.stages = 2})) {
        step.stage("load");
        auto first_key = step.index() * 32;
        auto k = K[coord(nest.index(head), first_key, 0), shape(point, j, d)];
        auto v = V[coord(nest.index(head), first_key, 0), shape(point, j, d)];
        step.stage("compute");
        auto score = where(mma(q, k, zeros<f32>(shape(i, j))),
                           [&](auto query, auto key) { return first_key + key <= first_query + query; });
        auto new_top = max(top, reduce(score, j, max));
        auto weight = exp(score - new_top);
        auto fade = exp(top - new_top);
        total = total * fade + sum(weight, j);
        acc = mma(weight, v, acc * fade);
        top = new_top;
      }
      O(coord(nest.index(head), first_query, 0), shape(point, i, d)).store(acc / total);
    }
  });
}

// Row i of one head, with all its scores at hand.
void check_row(example::Judgement &judgement, const f32 *q, const f32 *k, const f32 *v, const f32 *o, int i, int D) {
  const int keys = i + 1, blocks = i / 32 + 1;
  std::vector<double> score(keys);
  double top = -INFINITY, least = INFINITY, score_error = 0, total = 0;
  for (int j = 0; j < keys; ++j) {
    double magnitude = 0;
    for (int x = 0; x < D; ++x) {
      score[j] += double(q[i * D + x]) * k[j * D + x] / std::sqrt(double(D));
      magnitude += std::fabs(double(q[i * D + x]) * k[j * D + x]) / std::sqrt(double(D));
    }
    score_error = std::max(score_error, example::dot_bound(D + 2, magnitude)); // the scale and the scaling round, too
    top = std::max(top, score[j]);
    least = std::min(least, score[j]);
  }
  // A weight is exp(s - m) times one exp(m - m') per block that moved the maximum. The exponents telescope, and the last
  // maximum cancels between numerator and denominator: the score's own error counts. The differences round, and their
  // magnitudes add up to at most twice the spread; so do blocks + 1 exponentials and as many products. Then come the
  // sums, an addition per key and per block, the products with v, and one division.
  const double in_weight = std::expm1(score_error + 2 * example::unit * (top - least + 2 * score_error));
  const double roundings = example::gamma_n(3 * blocks + 2 + keys);
  const double relative = 2 * ((1 + in_weight) * (1 + roundings) - 1) + 2.1 * example::unit;
  for (double &s : score) total += s = std::exp(s - top);
  for (int x = 0; x < D; ++x) {
    double sum = 0, magnitude = 0;
    for (int j = 0; j < keys; ++j) {
      sum += score[j] * v[j * D + x];
      magnitude += score[j] * std::fabs(v[j * D + x]);
    }
    judgement.element(o[i * D + x], sum / total, relative / (1 - relative) * magnitude / total);
  }
}

} // namespace

int main() {
  const auto open = tensor_shape("H", "S", "D");
  const auto executable =
      example::prepared(attention().capture(arg("Q", open), arg("K", open), arg("V", open), arg("O", open)));
  example::Judgement judgement("flash_attention");
  const int shapes[][3] = {{2, 70, 24}, {1, 32, 64}, {3, 33, 7}, {1, 1, 3}, {2, 0, 4}};
  for (const auto &[H, S, D] : shapes) {
    const auto q = example::random_values(H * S * D, 3), k = example::random_values(H * S * D, 4),
               v = example::random_values(H * S * D, 5);
    std::vector<f32> o(H * S * D);
    judgement.clean(run(executable, array(q, H, S, D), array(k, H, S, D), array(v, H, S, D), undefined(array(o, H, S, D))));
    for (int h = 0; h < H; ++h)
      for (int i = 0, at = h * S * D; i < S; ++i)
        check_row(judgement, q.data() + at, k.data() + at, v.data() + at, o.data() + at, i, D);
  }
  return judgement.report();
}
