// SPDX-License-Identifier: Apache-2.0
#include "semantics/numerics/elementary.h"
#include <cmath>
namespace tilenest {
double pow_at_special(double x, double y) { return std::pow(x, y); }
namespace {
template <Primitive P> bool f64_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  auto *r = static_cast<double *>(out);
  const auto *a = static_cast<const double *>(operands[0].data);
  const RowOperand &second = operands[arity(P) - 1];
  const auto *b = static_cast<const double *>(second.data);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    r[i] = elementary_by_mpfr(P, ScalarType::f64, a[at * operands[0].step], b[at * second.step]);
  }
  return false;
}
} // namespace
RowKernel find_f64_elementary_rows(Primitive primitive) {
  switch (primitive) {
#define ROW(name) \
  case Primitive::name: return &f64_rows<Primitive::name>;
    ROW(exp) ROW(exp2) ROW(expm1) ROW(log) ROW(log2) ROW(log1p) ROW(sin) ROW(cos)
    ROW(tan) ROW(tanh) ROW(sinh) ROW(cosh) ROW(erf) ROW(rsqrt) ROW(pow)
#undef ROW
  default: return nullptr;
  }
}
} // namespace tilenest
