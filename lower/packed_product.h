// SPDX-License-Identifier: Apache-2.0
// A parallel whose instances each accumulate one tile of a matrix product. Instances that lie side by side share rows of
// one operand and columns of the other, so a block of them is computed together: both operands are packed once per
// block and chunk of the contracted coordinates, and an accumulator stays in registers for a whole chunk.
#pragma once
#include "lower/lowering.h"

namespace tilenest::lowering {

// One operand's side of the product: rows of the accumulator, or its columns.
struct ProductSide {
  ValueId operand;
  std::size_t position = 0;         // among the operands of the mma
  int axis = -1;                    // of the parallel's domain, along which instances take other tiles of it; or none
  std::vector<DimId> dims;          // of the accumulator that it has, in the accumulator's order
  std::int64_t extent = 1;          // of those dims together
  std::int64_t instances = 1;       // of a block, at most
};

struct PackedProduct {
  LevelId level;
  const Op *loop = nullptr;         // over whose rounds it accumulates, or null
  OpId mma;
  SlotId slot;                      // of the accumulator
  ValueId initial;
  std::size_t before = 0;           // steps of the parallel's body in front of it
  ProductSide rows, cols;           // the accumulator's last dim is one of `cols`
  std::vector<DimId> contracted;
  std::optional<std::int64_t> depth; // contracted coordinates of a round, where they are known
  std::int64_t chunk = 1;            // rounds (without a loop: contracted coordinates) that are packed together
};

// Nothing: the step is something else, or has what would see the instances' work interleaved.
std::optional<PackedProduct> find_packed_product(const Lowering &l, const Step &opened);
void emit_packed_product(Lowering &l, const Step &opened, const PackedProduct &product);

} // namespace tilenest::lowering
