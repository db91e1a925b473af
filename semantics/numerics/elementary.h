// SPDX-License-Identifier: Apache-2.0
// The elementary functions of the primitive list, correctly rounded for every float type (NUM-FUN). Rows of f32
// and narrower elements are kernels (kernels/elementary_loops.h); here are the rows of f64 and what all share.
#pragma once
#include "semantics/numerics/row_kernels.h"

namespace tilenest {

constexpr bool is_elementary(Primitive p) { return p >= Primitive::exp && p <= Primitive::pow; }

// Rows of f64; nullptr unless `primitive` is elementary. Thread safe.
RowKernel find_f64_elementary_rows(Primitive primitive);

// The base that every fast path falls back to: MPFR at the precision and exponent range of `type`. `x` and
// `y` (of pow only) are elements of `type`; so is the result, but for an overflow, which is an infinity or a
// finite double beyond the type's range. Thread safe.
double elementary_by_mpfr(Primitive primitive, ScalarType type, double x, double y);

// How often this thread came to elementary_by_mpfr: what the fast paths left open.
std::uint64_t mpfr_evaluations();

// x^y where an operand is infinite or NaN, or x is zero: IEEE 754-2019, 9.2.1.
double pow_at_special(double x, double y);

} // namespace tilenest
