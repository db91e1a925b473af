// SPDX-License-Identifier: Apache-2.0
// Softmax, LayerNorm and causal attention as plain loops (see plain_loops.h).
#include "bench/plain_loops.h"
#include <cmath>
#include <limits>
#include <vector>

namespace tilenest_bench {

void exp_by_glibc(float *to, const float *from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::exp(from[i]);
}

void plain_softmax(float *y, const float *x, std::size_t rows, std::size_t cols, ExpRow exp) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = -std::numeric_limits<float>::infinity(), total = 0;
    for (std::size_t j = 0; j < cols; ++j) top = x[j] > top ? x[j] : top;
    for (std::size_t j = 0; j < cols; ++j) y[j] = x[j] - top;
    exp(y, y, cols);
    for (std::size_t j = 0; j < cols; ++j) total += y[j];
    for (std::size_t j = 0; j < cols; ++j) y[j] /= total;
  }
}

void plain_layer_norm(float *y, const float *x, const float *gain, const float *bias, std::size_t rows, std::size_t cols) {
  const float n = static_cast<float>(cols);
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0, squares = 0;
    for (std::size_t j = 0; j < cols; ++j) sum += x[j];
    const float mean = sum / n;
    for (std::size_t j = 0; j < cols; ++j) squares += (x[j] - mean) * (x[j] - mean);
    const float scale = 1 / std::sqrt(squares / n + 1e-5f);
    for (std::size_t j = 0; j < cols; ++j) y[j] = (x[j] - mean) * scale * gain[j] + bias[j];
  }
}

void plain_rms_norm(float *y, const float *x, const float *gain, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float squares = 0;
    for (std::size_t j = 0; j < cols; ++j) squares += x[j] * x[j];
    const float scale = 1 / std::sqrt(squares / static_cast<float>(cols) + 1e-5f);
    for (std::size_t j = 0; j < cols; ++j) y[j] = x[j] * scale * gain[j];
  }
}

void plain_bias_gelu_residual(float *y, const float *x, const float *bias, const float *r, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows; ++i, x += cols, y += cols, r += cols)
    for (std::size_t j = 0; j < cols; ++j) {
      const float z = x[j] + bias[j];
      y[j] = r[j] + 0.5f * z * (1 + std::erf(z * 0.70710678f));
    }
}

void plain_attention(float *o, const float *q, const float *k, const float *v, std::size_t heads, std::size_t length,
                     std::size_t width, ExpRow exp) {
  constexpr std::size_t block = 32;
  const float scale = 1 / std::sqrt(static_cast<float>(width)), low = -std::numeric_limits<float>::infinity();
  std::vector<float> acc(block * width), keys(width * block);
  float score[block][block], top[block], total[block];
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t first = 0; first < length; first += block) {
      const float *queries = q + (h * length + first) * width;
      acc.assign(block * width, 0);
      for (std::size_t i = 0; i < block; ++i) top[i] = low, total[i] = 0;
      for (std::size_t at = 0; at <= first; at += block) {
        const float *these_keys = k + (h * length + at) * width, *values = v + (h * length + at) * width;
        for (std::size_t j = 0; j < block; ++j)
          for (std::size_t d = 0; d < width; ++d) keys[d * block + j] = these_keys[j * width + d];
        for (std::size_t i = 0; i < block; ++i) {
          for (std::size_t j = 0; j < block; ++j) score[i][j] = 0;
          for (std::size_t d = 0; d < width; ++d) {
            const float left = queries[i * width + d] * scale;
            for (std::size_t j = 0; j < block; ++j) score[i][j] += left * keys[d * block + j];
          }
          if (at == first)
            for (std::size_t j = i + 1; j < block; ++j) score[i][j] = low;
          float new_top = top[i], sum = 0;
          for (std::size_t j = 0; j < block; ++j) new_top = score[i][j] > new_top ? score[i][j] : new_top;
          for (std::size_t j = 0; j < block; ++j) score[i][j] -= new_top;
          exp(score[i], score[i], block);
          float fade = top[i] - new_top;
          exp(&fade, &fade, 1);
          for (std::size_t j = 0; j < block; ++j) sum += score[i][j];
          total[i] = total[i] * fade + sum;
          top[i] = new_top;
          float *to = acc.data() + i * width;
          for (std::size_t d = 0; d < width; ++d) to[d] *= fade;
          for (std::size_t j = 0; j < block; ++j)
            for (std::size_t d = 0; d < width; ++d) to[d] += score[i][j] * values[j * width + d];
        }
      }
      for (std::size_t i = 0; i < block; ++i)
        for (std::size_t d = 0; d < width; ++d)
          o[(h * length + first + i) * width + d] = acc[i * width + d] / total[i];
    }
}

} // namespace tilenest_bench
