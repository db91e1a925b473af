// SPDX-License-Identifier: Apache-2.0
// What an access through a view knows before it runs: the view, the policy, shapes and strides, where its operands
// stand.
#pragma once
#include "interp/code.h"
#include "semantics/numerics/row_kernels.h"

namespace tilenest {

struct AccessPlan : Plan {
  ViewId view;
  Bounds bounds;
  std::size_t rank = 0, bytes = 0;
  ScalarType elem;
  bool writes = false, indexed = false;
  bool shadowed = false;            // PAR-NI has something to decide about its storage
  bool packed = false;              // elements of 4 bits: offsets in half bytes
  RowKernel atomic = nullptr;
  Primitive atomic_by = Primitive::add;
  bool any_byte = false;            // a bool view of bytes that other views may write: a byte is `!= 0`
  std::size_t first_coordinate = 0; // operand number
  int predicate = -1, fallback = -1;
  std::vector<std::size_t> active;  // operand numbers (loads)
  std::vector<std::int64_t> shape;  // of the tile that moves
  std::int64_t count = 1;
  // Windows: per view axis its extent in the window and the tile's element stride along it.
  std::vector<std::int64_t> window, tile_strides;
  std::vector<bool> axis_is_window;
  // Per operand the element strides over the tile's dims (index tiles, predicate, active).
  std::vector<std::vector<std::int64_t>> operand_strides;
  std::vector<std::int64_t> operand_counts;
  std::vector<ScalarType> operand_types;
};

void step_access(Machine &m, Frame &f, const Instr &in);

} // namespace tilenest
