// SPDX-License-Identifier: Apache-2.0
// The oracle of every attention example: one query against the keys that it sees, with all their scores at hand, and the
// error that online softmax in blocks may have.
#pragma once
#include "tests/examples/example.h"

namespace tilenest::examples {

struct AttentionRow {
  const float *q, *k, *v, *o; // the query, the rows of its keys and values, what was found
  std::int64_t keys, width;
  double fades;     // how often what a key added may have been brought to a greater maximum
  double additions; // beyond one per key
};

inline void check_attention_row(const AttentionRow &row, Comparison &comparison) {
  const std::int64_t width = row.width;
  const double scale = 1 / std::sqrt(static_cast<double>(width)), keys = static_cast<double>(row.keys);
  std::vector<double> score(static_cast<std::size_t>(row.keys));
  double top = -inf, least = inf, score_error = 0;
  for (std::int64_t j = 0; j < row.keys; ++j) {
    double s = 0, magnitude = 0;
    for (std::int64_t x = 0; x < width; ++x) {
      s += double(row.q[x]) * row.k[j * width + x];
      magnitude += std::fabs(double(row.q[x]) * row.k[j * width + x]);
    }
    score[static_cast<std::size_t>(j)] = s * scale;
    top = std::isnan(s) || std::isnan(top) ? not_a_number : std::fmax(top, s * scale);
    if (std::isinf(s)) continue; // weight 0
    least = std::fmin(least, s * scale);
    // The scale, its product with the query and the dot product; a subnormal product is off by half the smallest.
    score_error = std::fmax(score_error, 1.01 * gamma_n(static_cast<double>(width) + 2) * scale * magnitude +
                                             static_cast<double>(2 * width) * smallest);
  }
  // A weight is exp(s - m) times one exp(m - m') for each time that the maximum moved, for the computed scores and
  // maxima. In exact arithmetic the exponents telescope to s - (last maximum), and the last maximum cancels between the
  // numerator and the denominator: only the score's own error counts. Each difference is rounded; their magnitudes add
  // up to at most twice the spread of the scores. Then come the roundings of at most fades + 1 exponentials and as many
  // products.
  const double spread = top - least + 2 * score_error;
  const double in_weight = std::expm1(score_error + 2 * spread * unit) + 1.01 * gamma_n(2 * row.fades + 2);
  // The sums: an addition per key and those of the blocks, in the numerator also a product per key.
  const double in_total = (1 + in_weight) * (1 + gamma_n(keys + row.additions)) - 1;
  const double in_product = (1 + in_weight) * (1 + gamma_n(keys + row.additions + 1)) - 1;
  const double in_quotient =
      (1 + in_product) * (1 + unit) / (1 - in_total) - 1 + gamma_n(keys + static_cast<double>(width), unit64);
  double total = 0;
  for (double s : score) total += std::exp(s - top);
  for (std::int64_t x = 0; x < width; ++x) {
    double sum = 0, magnitude = 0, greatest = 0;
    for (std::int64_t j = 0; j < row.keys; ++j) {
      const double term = std::exp(score[static_cast<std::size_t>(j)] - top) * row.v[j * width + x];
      sum += term;
      magnitude += std::fabs(term);
      greatest = std::fmax(greatest, std::fabs(row.v[j * width + x]));
    }
    // The greatest score has weight 1, so total >= 1; weights and products may be subnormal.
    comparison.element(comparison.count(), row.o[x], sum / total,
                       in_quotient * magnitude / total + 4 * keys * row.additions * smallest * (1 + greatest));
  }
}

} // namespace tilenest::examples
