// SPDX-License-Identifier: Apache-2.0
// Contractions by position; `mma` itself goes by the identity of dims.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

ScalarType accumulator(ScalarType t) {
  if (is_float(t)) return bit_width(t) < 32 ? ScalarType::f32 : t;
  return is_integer(t) && bit_width(t) < 32 ? ScalarType::i32 : t;
}

// Fresh dims make the positions an identity that `mma` can contract.
std::vector<ValueId> matmul(Call &c) {
  if (!c.need_rank("a", 2) || !c.need_rank("b", 2)) return {};
  Builder &b = c.b;
  const Space a = c.space(c.tile("a")), right = c.space(c.tile("b"));
  const DimId row = b.dim("row"), column = b.dim("column"), inner = b.dim("inner");
  const DimId left_dims[] = {row, inner}, right_dims[] = {inner, column};
  const ValueId x = b.relabel(c.tile("a"), left_dims), y = b.relabel(c.tile("b"), right_dims);
  const Space result{{{row, a.factors[0].extent}, {column, right.factors[1].extent}}};
  const ValueId acc = b.full(accumulator(c.elem(c.tile("a"))), std::int64_t{0}, result);
  const ValueId product = b.mma(x, y, acc);
  const bool distinct = a.factors[0].dim != right.factors[1].dim;
  const DimId out[] = {distinct ? a.factors[0].dim : b.positional_dim(1),
                       distinct ? right.factors[1].dim : b.positional_dim(0)};
  return {b.relabel(product, out)};
}

constexpr Function table[] = {
    {"matmul", {tile("a", OpOperands::numeric), tile("b", OpOperands::numeric)}, "c", matmul,
     "the columns of a with the rows of b, by position",
     "a, b: rank 2, the second extent of a equal to the first of b. The result has a's row dim and b's column dim where "
     "these differ, else the positional dims. It is f32 for narrower floats, i32 for narrower integers, else of their type",
     "as mma: products and sums rounded in the accumulator's type, in any grouping",
     "kernel k(A: f32[4, 3], B: f32[3, 5], C: out f32[4, 5]) { dims m, n; C((0, 0), [m = 4, n = 5]).store(relabel(matmul(A[(0, 0), [4, 3]], B[(0, 0), [3, 5]]), [m, n])) }"},
};

} // namespace

Family contract() { return {"contract", "Contractions by position", table}; }

} // namespace tilenest::library
