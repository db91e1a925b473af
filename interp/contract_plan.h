// SPDX-License-Identifier: Apache-2.0
// What an `mma` knows before it runs, and what its policy leaves open: the enclosure of all that it may give, and one
// member of it that the chooser gives (ADM-SET).
#pragma once
#include "interp/machine.h"
#include "semantics/numerics/contract_kernels.h"

namespace tilenest {

// A matrix as the kernel wants it: batches of (outer x inner), element strides.
struct PackedOperand {
  std::vector<std::int64_t> extents, strides; // batch dims, outer dims, inner dims of the tile, in part order
  std::int64_t count = 1;                     // elements of the tile
  bool direct = false;                        // outer and inner run evenly: no packing
  std::int64_t outer_stride = 0, inner_stride = 0;
  StridedLoops packing;                       // [packed, tile]
  RowKernel convert = nullptr;                // to the accumulator's type
};

// Dims of an operand that go together: their extents and element strides.
struct Part {
  std::vector<std::int64_t> extents, strides;
};
// Element offsets of the part's points in lexicographic order; of `n` dims of an operand from the first one on.
std::vector<std::int64_t> batch_offsets(const Part &p);
std::vector<std::int64_t> offsets(const PackedOperand &o, std::size_t first, std::size_t n);

struct ContractPlan : Plan {
  std::int64_t batch = 1, rows = 1, cols = 1, depth = 1, count = 1;
  PackedOperand a, b, acc;
  std::vector<std::int64_t> batch_a, batch_b, batch_acc; // element offset of each batch
  std::vector<std::int64_t> a_rows, a_depths;            // element offsets of a's rows and of its steps of k
  std::size_t a_outer = 0, b_outer = 0, acc_outer = 0;   // how many of an operand's dims are outer ones
  ContractKernel kernel = nullptr;
  std::size_t bytes = 0;
  ScalarType type = ScalarType::f32;
  bool tracks_wrap = false; // NUM-WRAP: integers that flow into a coordinate
};

// Freedoms of the policy where the accumulator is a float; other types have none.
struct ContractFreedoms {
  bool regroups = false, contracts = false; // any tree of the products and the accumulator; fma
  bool widens = false;                      // the type has a wider one here, f64
  bool any() const { return regroups || contracts || widens; }
};
ContractFreedoms freedoms_of(const Op &mma, ScalarType type);

// `before`: the accumulator; `out`: the reference's result, which gets its enclosures.
void enclose_contract(Machine &m, const Instr &in, const ContractPlan &plan, const Tile &a, const Tile &b, const Tile &before, Tile &out);
// `a`, `b`: the data of `ta`, `tb` in the accumulator's type. `out` gets the chosen values of its one lane.
void choose_contract(Machine &m, const Instr &in, const ContractPlan &plan, const Tile &ta, const Tile &tb, const BlockRef &a, const BlockRef &b, const Tile &before, Tile &out);

} // namespace tilenest
