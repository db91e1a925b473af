// SPDX-License-Identifier: Apache-2.0
// The elementary functions of the primitive list, correctly rounded for every float type (NUM-FUN): rows and
// single elements. A faster row for a (function, type) pair replaces its entry in find_elementary_rows.
#pragma once
#include "semantics/numerics/row_kernels.h"

namespace tilenest {

constexpr bool is_elementary(Primitive p) { return p >= Primitive::exp && p <= Primitive::pow; }

// nullptr unless `primitive` is elementary and `type` a float type. Thread safe.
RowKernel find_elementary_rows(Primitive primitive, ScalarType type);

// The base that every fast path falls back to: MPFR at the precision and exponent range of `type`. `x` and
// `y` (of pow only) are elements of `type`; so is the result, but for an overflow, which is an infinity or a
// finite double beyond the type's range. Thread safe.
double elementary_by_mpfr(Primitive primitive, ScalarType type, double x, double y);

} // namespace tilenest
