// SPDX-License-Identifier: Apache-2.0
// The productions of docs/language.md as an enumeration, so that a test can count which ones were used.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tilenest::text {

enum class Production : std::uint8_t {
#define PRODUCTION(name) name,
#include "semantics/text/productions.def"
#undef PRODUCTION
};
inline constexpr const char *production_names[] = {
#define PRODUCTION(name) #name,
#include "semantics/text/productions.def"
#undef PRODUCTION
};
inline constexpr std::size_t production_count = sizeof(production_names) / sizeof(production_names[0]);
using ProductionCounts = std::array<std::uint64_t, production_count>;

} // namespace tilenest::text
