// SPDX-License-Identifier: Apache-2.0
// The bits of a literal that has a value in its type.
#pragma once
#include "semantics/numerics/literals.h"

inline std::uint64_t bits(std::int64_t value, tilenest::ScalarType type) { return tilenest::literal_bits(value, type).value(); }
inline std::uint64_t bits(double value, tilenest::ScalarType type) { return tilenest::literal_bits(value, type).value(); }
