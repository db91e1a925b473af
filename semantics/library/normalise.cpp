// SPDX-License-Identifier: Apache-2.0
// Normalisations: a tile against what is folded along some of its dims.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

// exp(x - max) along the dim: the greatest term is 1, so that no finite row overflows.
std::vector<ValueId> softmax(Call &c) {
  const ValueId x = c.tile("x");
  const DimId dims[] = {c.dim()};
  const ValueId top = c.fold(x, dims, Reducer::max);
  const ValueId e = c.op(OpKind::exp, {c.op(OpKind::sub, {x, top})});
  return {c.op(OpKind::div, {e, c.fold(e, dims, Reducer::add)})};
}

constexpr Function table[] = {
    {"softmax", {tile("x", OpOperands::floating), dim()}, "y", softmax, "exp(x - max) over the sum of it, along dim",
     "x: any space with dim, also with a predicate, whose points alone count; the result has the same space",
     "composition: each step correctly rounded in the type of x, the sum in any grouping",
     "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(softmax(X[(0, 0), [m, n]], n)) }"},
};

} // namespace

Family normalise() { return {"normalise", "Normalisations", table}; }

} // namespace tilenest::library
