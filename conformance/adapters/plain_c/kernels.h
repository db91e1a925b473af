// SPDX-License-Identifier: Apache-2.0
// The kernels of the backend: those of the suite's chapter `kernels`, and some elementwise rows on f32, f64 and i32, by name.
#ifndef TILENEST_PLAIN_C_KERNELS_H
#define TILENEST_PLAIN_C_KERNELS_H

struct npz_archive;

/* 0 done, 5 not supported. The archive holds all arguments; the written ones hold the results afterwards. */
int run_kernel(const char *kernel, struct npz_archive *arguments);

#endif
