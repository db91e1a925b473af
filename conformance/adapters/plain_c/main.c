/* SPDX-License-Identifier: Apache-2.0
 * plain_c PROGRAM.tile KERNEL IN.npz OUT.npz: a backend for `tilenest conform --engine exec:...` in plain C. It knows its kernels
 * by name and does not look at the program; a compiler would. Status 0: done; 5: not supported; 2: a file is no good. */
#include "kernels.h"
#include "npz.h"
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "plain_c PROGRAM.tile KERNEL IN.npz OUT.npz\n");
    return 64;
  }
  npz_archive arguments;
  if (npz_read(argv[3], &arguments) != 0) return 2;
  int status = run_kernel(argv[2], &arguments);
  if (status == 0 && npz_write(argv[4], &arguments) != 0) status = 2; /* inputs go along, which nobody minds */
  npz_free(&arguments);
  return status;
}
