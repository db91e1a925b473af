// SPDX-License-Identifier: Apache-2.0
// Contractions by position; `mma` itself goes by the identity of dims.
#include "semantics/library/families.h"
#include <algorithm>

namespace tilenest::library {

ScalarType accumulator(ScalarType t) {
  if (is_float(t)) return bit_width(t) < 32 ? ScalarType::f32 : t;
  return is_integer(t) && bit_width(t) < 32 ? ScalarType::i32 : t;
}

std::vector<DimId> result_dims(Call &c, std::vector<DimId> wanted) {
  bool distinct = true;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    distinct &= std::find(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(i), wanted[i]) == wanted.begin() + static_cast<std::ptrdiff_t>(i);
  for (std::size_t i = 0; i < wanted.size() && !distinct; ++i) wanted[i] = c.b.positional_dim(static_cast<int>(wanted.size() - 1 - i));
  return wanted;
}

namespace {

// Fresh dims make the positions an identity that `mma` can contract; leading axes are batches.
std::vector<ValueId> matmul(Call &c) {
  Builder &b = c.b;
  const Space a = c.space(c.tile("a")), right = c.space(c.tile("b"));
  const std::size_t rank = a.rank();
  if (rank < 2) {
    c.refuse_tile("a", "a tile of rank 2 or more");
    return {};
  }
  if (!c.need_rank("b", rank)) return {};
  if (c.elem(c.tile("a")) != c.elem(c.tile("b"))) return c.refuse_tile("b", "a tile of the type of `a`"), std::vector<ValueId>{};
  for (std::size_t i = 0; i + 1 < rank; ++i) // batches, then the columns of a
    if (!c.need_extent("b", c.tile("b"), right.factors[i].dim, a.factors[i + 2 < rank ? i : rank - 1].extent)) return {};
  const DimId row = b.dim("row"), column = b.dim("column"), inner = b.dim("inner");
  std::vector<DimId> left_dims, right_dims, out;
  Space result;
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    const DimId batch = b.dim("batch");
    left_dims.push_back(batch), right_dims.push_back(batch);
    result.factors.push_back({batch, a.factors[i].extent});
    out.push_back(a.factors[i].dim);
  }
  left_dims.insert(left_dims.end(), {row, inner});
  right_dims.insert(right_dims.end(), {inner, column});
  result.factors.push_back({row, a.factors[rank - 2].extent});
  result.factors.push_back({column, right.factors[rank - 1].extent});
  out.insert(out.end(), {a.factors[rank - 2].dim, right.factors[rank - 1].dim});
  const ValueId x = b.relabel(c.tile("a"), left_dims), y = b.relabel(c.tile("b"), right_dims);
  const ValueId acc = b.full(accumulator(c.elem(c.tile("a"))), std::int64_t{0}, result);
  const ValueId product = b.mma(x, y, acc);
  return {b.relabel(product, result_dims(c, std::move(out)))};
}

constexpr Function contraction_table[] = {
    {"matmul", {tile("a", OpOperands::numeric), tile("b", OpOperands::numeric)}, "c", matmul,
     "the columns of a with the rows of b, by position; leading axes are batches",
     "a, b: one rank, 2 or more; the last extent of a is the last but one of b, leading extents are equal. The result has a's dims "
     "with b's last in place of its last where that is another, else the positional dims. It is f32 for narrower floats, i32 for "
     "narrower integers, else of their type",
     "as mma: products and sums rounded in the accumulator's type, in any grouping",
     "kernel k(A: f32[4, 3], B: f32[3, 5], C: out f32[4, 5]) { dims m, n; C((0, 0), [m = 4, n = 5]).store(relabel(matmul(A[(0, 0), [4, 3]], B[(0, 0), [3, 5]]), [m, n])) }"},
};

} // namespace

Family contract() { return {"contract", "Contractions by position", contraction_table}; }

} // namespace tilenest::library
