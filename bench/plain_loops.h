// SPDX-License-Identifier: Apache-2.0
// What a programmer would write by hand: the yardsticks of speed_bench, compiled with -O3 -march=native and with
// contraction allowed. `exp` computes a row: glibc's expf element by element, or the row kernel of the machine.
#pragma once
#include <cstddef>

namespace tilenest_bench {

using ExpRow = void (*)(float *to, const float *from, std::size_t n);
void exp_by_glibc(float *to, const float *from, std::size_t n);

void plain_softmax(float *y, const float *x, std::size_t rows, std::size_t cols, ExpRow exp);
void plain_layer_norm(float *y, const float *x, const float *gain, const float *bias, std::size_t rows, std::size_t cols);
void plain_rms_norm(float *y, const float *x, const float *gain, std::size_t rows, std::size_t cols);
// y = r + gelu(x + bias), by glibc's erff.
void plain_bias_gelu_residual(float *y, const float *x, const float *bias, const float *r, std::size_t rows, std::size_t cols);
// Causal attention of `heads` heads, blocks of 32 queries and 32 keys, running maximum and sum.
void plain_attention(float *o, const float *q, const float *k, const float *v, std::size_t heads, std::size_t length,
                     std::size_t width, ExpRow exp);

} // namespace tilenest_bench
