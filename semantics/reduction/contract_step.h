// SPDX-License-Identifier: Apache-2.0
// Bodies of reduces under the contracts `welford` and `logsumexp` that are known to put one contribution to the states,
// by the forms that people write. Other bodies may be as right; nothing is known of how they round.
#pragma once
#include "semantics/program/program.h"
#include <optional>

namespace tilenest {

// A sample of `count` values put to (n, mean, m2), in real arithmetic as the merge of `welford` would:
//   n' = n + count, d = mean_of - mean,
//   mean' = mean + d * (count / n'), or with a count of 1 mean + d / n',
//   m2' = m2 [+ squares] + one of: d * d * (count / n') * n, with a count of 1 d * (d / n') * n or d * (mean_of - mean'),
//         count * d * (mean_of - mean');
// sums and products in any order. `(d * count) / n'` is none of them: it rounds from the identity. From (0, 0, 0) it gives (count, mean_of, squares) without a rounding.
struct SampleStep {
  ValueId count, mean, squares; // computed from no state; `squares` invalid: 0
  bool residual = false;        // m2 grows by a product with mean_of - mean'
};

// A term `weight * exp(top)` put to (m, l): m' = max(m, top), l' = l * F(m) + weight * F(top), F(a) = exp(a - m') or,
// `guarded`, ite(a == m', 1, exp(a - m')). Or the terms exp(x) of a tile: top = max(terms), l' = l * F(m) + sum(exp(terms - m')),
// over the dims that a state lacks.
struct ScaledStep {
  ValueId top, weight, terms; // computed from no state; `weight` invalid: 1; `terms` invalid: a single one
  bool guarded = true;        // both of them
};

// The body's step of this contract, whose states are those of a reduce that is well typed.
std::optional<SampleStep> sample_step(const TileProgram &program, const Op &reduce, const ReductionAlgebra::Contract &contract);
std::optional<ScaledStep> scaled_step(const TileProgram &program, const Op &reduce, const ReductionAlgebra::Contract &contract);

} // namespace tilenest
