// SPDX-License-Identifier: Apache-2.0
// One element through a primitive (the row kernels with rows of one), and the exact integer that a wrapped
// result stands for (NUM-WRAP). Elements travel as their bits, zero-extended to 64.
#pragma once
#include "semantics/numerics/row_kernels.h"
#include <span>
#include <string>

namespace tilenest {

struct ScalarOutcome {
  std::uint64_t bits = 0;
  bool undefined = false; // no result: a mark (VAL-MARK); bits are then 0
  bool wrapped = false;   // an integer result that differs from the exact one (NUM-WRAP)
};

// The types must be admitted (primitives.h) and `operands` hold arity(primitive) elements.
ScalarOutcome apply_scalar(Primitive primitive, ScalarType operand_type, ScalarType result_type,
                           std::span<const std::uint64_t> operands);

// The exact integer result, in decimal, of a primitive that may wrap (primitives.h, may_wrap()); for reports.
std::string exact_result(Primitive primitive, ScalarType operand_type, std::span<const std::uint64_t> operands);

// An element's bits to and from memory.
std::uint64_t load_bits(ScalarType type, const void *element);
void store_bits(ScalarType type, void *element, std::uint64_t bits);

} // namespace tilenest
