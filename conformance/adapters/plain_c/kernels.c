/* SPDX-License-Identifier: Apache-2.0
 * Loops written by hand, once for each element type (typed_kernels.inc). Sums of floats go from left to right in the type of
 * the elements: one of the groupings that the programs allow. */
#include "kernels.h"
#include "npz.h"
#include <math.h>
#include <string.h>

/* -DPLANT_GEMM_SKIPS_LAST and its like plant a mistake each, for tests of the suite (../CMakeLists.txt). */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define T float
#define TYPE f32
#include "typed_kernels.inc"
#undef T
#undef TYPE
#define T double
#define TYPE f64
#include "typed_kernels.inc"
#undef T
#undef TYPE
#define T int32_t
#define TYPE i32
#define WRAPPING uint32_t
#include "typed_kernels.inc"

static int softmax(npz_archive *args) {
  npz_array *x = npz_find(args, "X"), *y = npz_find(args, "Y");
  if (!x || !y || strcmp(x->type, "<f4") != 0 || x->rank != 2) return 5;
  const float *in = x->data;
  float *out = y->data;
  const int64_t n = x->shape[1];
  for (int64_t i = 0; i < x->shape[0]; ++i) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < n; ++j) top = in[i * n + j] > top ? in[i * n + j] : top;
    /* expf may be off by a unit; exp in double, rounded, is off by hardly more than half of one. */
    for (int64_t j = 0; j < n; ++j) sum += out[i * n + j] = (float)exp((double)(in[i * n + j] - top));
#ifdef PLANT_SOFTMAX_HALF_PRECISION
    sum = (float)(int)(sum * 512) / 512;
#endif
    for (int64_t j = 0; j < n; ++j) out[i * n + j] /= sum;
  }
  return 0;
}

int run_kernel(const char *kernel, npz_archive *arguments) {
  if (strcmp(kernel, "softmax") == 0) return softmax(arguments);
  const npz_array *first = arguments->count > 0 ? &arguments->arrays[0] : NULL;
  if (!first) return 5;
  if (strcmp(first->type, "<f4") == 0) return run_f32(kernel, arguments);
  if (strcmp(first->type, "<f8") == 0) return run_f64(kernel, arguments);
  if (strcmp(first->type, "<i4") == 0) return run_i32(kernel, arguments);
  return 5;
}
