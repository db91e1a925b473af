// SPDX-License-Identifier: Apache-2.0
// Elementary functions through MPFR: correctly rounded at the target's precision, subnormals included.
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/formats.h"
#include <cmath>
#include <limits>
#include <mpfr.h>

namespace tilenest {

namespace {

// Numbers and caches of one thread; MPFR keeps its constants and exponent range per thread.
struct Scratch {
  mpfr_t x, y, result;
  Scratch() { mpfr_inits2(53, x, y, result, static_cast<mpfr_ptr>(nullptr)); }
  ~Scratch() {
    mpfr_clears(x, y, result, static_cast<mpfr_ptr>(nullptr));
    mpfr_free_cache();
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
};

int evaluate(Primitive primitive, mpfr_t r, const mpfr_t x, const mpfr_t y) {
  switch (primitive) {
  case Primitive::exp: return mpfr_exp(r, x, MPFR_RNDN);
  case Primitive::exp2: return mpfr_exp2(r, x, MPFR_RNDN);
  case Primitive::expm1: return mpfr_expm1(r, x, MPFR_RNDN);
  case Primitive::log: return mpfr_log(r, x, MPFR_RNDN);
  case Primitive::log2: return mpfr_log2(r, x, MPFR_RNDN);
  case Primitive::log1p: return mpfr_log1p(r, x, MPFR_RNDN);
  case Primitive::sin: return mpfr_sin(r, x, MPFR_RNDN);
  case Primitive::cos: return mpfr_cos(r, x, MPFR_RNDN);
  case Primitive::tan: return mpfr_tan(r, x, MPFR_RNDN);
  case Primitive::tanh: return mpfr_tanh(r, x, MPFR_RNDN);
  case Primitive::sinh: return mpfr_sinh(r, x, MPFR_RNDN);
  case Primitive::cosh: return mpfr_cosh(r, x, MPFR_RNDN);
  case Primitive::erf: return mpfr_erf(r, x, MPFR_RNDN);
  case Primitive::rsqrt: return mpfr_rec_sqrt(r, x, MPFR_RNDN);
  case Primitive::pow: return mpfr_pow(r, x, y, MPFR_RNDN);
  default: mpfr_set_nan(r); return 0;
  }
}

thread_local std::uint64_t evaluations = 0;

} // namespace

std::uint64_t mpfr_evaluations() { return evaluations; }

double elementary_by_mpfr(Primitive primitive, ScalarType type, double x, double y) {
  ++evaluations;
  // IEEE 754-2019 9.2.1: rSqrt(-0) is -infinity, where MPFR gives +infinity.
  if (primitive == Primitive::rsqrt && x == 0) return std::copysign(std::numeric_limits<double>::infinity(), x);
  thread_local Scratch scratch;
  const FloatLayout layout = float_layout(type);
  mpfr_set_d(scratch.x, x, MPFR_RNDN);
  mpfr_set_d(scratch.y, y, MPFR_RNDN);
  mpfr_set_prec(scratch.result, layout.precision());
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(layout.least_exponent() + 1); // MPFR's significands lie in [1/2, 1)
  mpfr_set_emax(1024);
  const int inexact = evaluate(primitive, scratch.result, scratch.x, scratch.y);
  mpfr_subnormalize(scratch.result, inexact, MPFR_RNDN);
  const double result = mpfr_get_d(scratch.result, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return result;
}

} // namespace tilenest
