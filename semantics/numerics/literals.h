// SPDX-License-Identifier: Apache-2.0
// Literals meeting a type (NUM-LIT), elements as host numbers, and elements as text that reads back to the
// same bits. Elements travel as their bits, zero-extended to 64. Diagnostics are the caller's.
#pragma once
#include "semantics/support/scalar_type.h"
#include <optional>
#include <string>

namespace tilenest {

// The literal rounded once to the type. nullopt where the type has no such value: an f64 literal and an
// integer type or bool; an i64 literal outside an integer type's range (bool's is 0 and 1). A literal beyond
// a float type's range rounds as a cast does: to an infinity, f8e4m3fn to NaN.
std::optional<std::uint64_t> literal_bits(double literal, ScalarType type);
std::optional<std::uint64_t> literal_bits(std::int64_t literal, ScalarType type);

// The element's value: exact but for i64 and u64 beyond 2^53, which round to even.
double value_as_f64(ScalarType type, std::uint64_t bits);
// The value of a bool or integer element; u64 beyond the range of i64 wraps.
std::int64_t value_as_i64(ScalarType type, std::uint64_t bits);

// The shortest decimal that, as a literal of that type, gives the same bits (small integral values exactly):
// integers without, floats with a point or exponent ("1.0", "1e20"), "inf", "-inf", "nan" (of any payload),
// "true", "false".
std::string scalar_text(ScalarType type, std::uint64_t bits);
// Reads what scalar_text writes, and any decimal or hexadecimal number (0x1p-3, 0xff). The whole text must be
// a number that the type holds (integers) or rounds to (floats; an integer text too), not beyond the range of f64.
std::optional<std::uint64_t> parse_scalar(std::string_view text, ScalarType type);

} // namespace tilenest
