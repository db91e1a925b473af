// SPDX-License-Identifier: Apache-2.0
// Stored .npz archives of .npy arrays, read and written with the C library alone. What a backend in C needs for
// `tilenest conform --engine exec:...`, and no more: no compression, no zip64, little-endian machines.
#ifndef TILENEST_PLAIN_C_NPZ_H
#define TILENEST_PLAIN_C_NPZ_H
#include <stddef.h>
#include <stdint.h>

#define NPZ_MOST_ARRAYS 16
#define NPZ_MOST_AXES 8

typedef struct {
  char name[64];   /* without ".npy" */
  char type[8];    /* NumPy's: "<f4", "<i8", "|u1", "<V2" */
  int rank;
  int64_t shape[NPZ_MOST_AXES];
  size_t count, width; /* elements, bytes of one */
  void *data;          /* row-major, owned */
} npz_array;

typedef struct npz_archive {
  int count;
  npz_array arrays[NPZ_MOST_ARRAYS];
} npz_archive;

/* 0, or -1 with a line on standard error. */
int npz_read(const char *path, npz_archive *out);
int npz_write(const char *path, const npz_archive *archive);
void npz_free(npz_archive *archive);
/* NULL where there is none. */
npz_array *npz_find(npz_archive *archive, const char *name);

#endif
