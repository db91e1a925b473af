// SPDX-License-Identifier: Apache-2.0
// Small programs for the tests of the command line.
#pragma once
#include <string>

namespace tilenest::cli_test {

// B[i] = A[i] for every i < M.
inline std::string copy_of(const std::string &type, const std::string &access = "out") {
  return "kernel copy(A: " + type + "[M], B: " + access + " " + type + "[M]) {\n"
         "  axis g = ceil_div(M, 4), m = 4\n"
         "  parallel p in [g] {\n"
         "    B((p.g * 4), [m]).store(A[(p.g * 4), [m]])\n"
         "  }\n"
         "}\n";
}

// B[i, j] = A[i, j].
inline std::string copy2_of(const std::string &type) {
  return "kernel copy2(A: " + type + "[M, N], B: out " + type + "[M, N]) {\n"
         "  axis g = M, n = N\n"
         "  parallel p in [g] {\n"
         "    B((p.g, 0), [_, n]).store(A[(p.g, 0), [_, n]])\n"
         "  }\n"
         "}\n";
}

// Writes the first four elements of B only.
inline const std::string first_four = "kernel first_four(A: f32[M], B: out f32[M]) {\n"
                                      "  axis m = 4\n"
                                      "  B((0), [m]).store(A[(0), [m]])\n"
                                      "}\n";

// Divides by the elements of D: a violation where one is zero.
inline const std::string quotient = "kernel quotient(A: i32[4], D: i32[4], B: mut i32[4]) {\n"
                                    "  axis m = 4\n"
                                    "  B((0), [m]).store(A[(0), [m]] / D[(0), [m]])\n"
                                    "}\n";

// Asserts that the first element is 1.
inline const std::string asserts_one = "kernel asserts_one(A: i32[4], B: out i32[4]) {\n"
                                       "  axis m = 4\n"
                                       "  assert(A[(0)] == 1, \"the first element is 1\")\n"
                                       "  B((0), [m]).store(A[(0), [m]])\n"
                                       "}\n";

} // namespace tilenest::cli_test
