// SPDX-License-Identifier: Apache-2.0
// C += A * B by Eigen, the yardstick of the contraction kernel. Compiled twice, with the project's flags and
// for this machine; the macro Eigen then names another namespace, so that the two share no function.
#include <Eigen/Dense>

namespace tilenest_bench {

void TILENEST_EIGEN_PRODUCT(float *c, const float *a, const float *b, int n) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c, n, n).noalias() += Eigen::Map<const Matrix>(a, n, n) * Eigen::Map<const Matrix>(b, n, n);
}

} // namespace tilenest_bench
