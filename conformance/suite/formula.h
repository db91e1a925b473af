// SPDX-License-Identifier: Apache-2.0
// Formulas over the coordinates of an element, in exact integers: `10 * i0 + i1`, `5 * i % 13`. For inputs and
// expectations that are too long or too dull to list.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilenest::conformance {

// The value at the coordinates `at`, whose row-major index is `index`. Names: i (the index), i0, i1, ... (the
// coordinates). Operators as in C, `+ - * / % == != < <= > >=` and prefix `-`, with `/` and `%` floored and comparisons giving 1 or
// 0; `min(a, b)`, `max(a, b)`, `ite(c, a, b)`. nullopt for a malformed formula, a division by zero or a value beyond 64
// bits; `error` says which.
std::optional<std::int64_t> evaluate_formula(std::string_view formula, std::int64_t index, std::span<const std::int64_t> at, std::string &error);

} // namespace tilenest::conformance
