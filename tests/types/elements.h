// SPDX-License-Identifier: Apache-2.0
// What the tests of all types share: elements as bits, packed for the machine and back, the exact results of the
// oracle for single elements, kernels of one statement.
#pragma once
#include "semantics/op_table.h"
#include "tests/interp/tile_run.h"
#include "tests/numerics/oracle.h"

namespace tilenest {

using Elements = std::vector<std::uint64_t>; // each in its type's width

// As storage has them: 4-bit ones two to a byte, the first low.
NamedArray stored(const std::string &name, ScalarType type, const Elements &elements,
                  std::vector<std::int64_t> shape = {});
Elements elements_of(const TileRun &run, const std::string &name, ScalarType type, std::size_t n);

// The one right result of an elementwise row on elements of `type` (of `ite` the first is a bool), from the oracle's
// arithmetic. Operands that have no result are the caller's to avoid.
std::uint64_t expected(OpKind row, ScalarType type, const Elements &operands);
// Whether the row takes the type, by the prose of its operand class.
bool takes(const OpInfo &row, ScalarType type);

// The number of places where the arrays differ, NaN being one value.
std::size_t differences(ScalarType type, const Elements &a, const Elements &b);

} // namespace tilenest
