// SPDX-License-Identifier: Apache-2.0
// Sanitized programs run ten to fifty times slower: of long tests they take a tenth of the random inputs, and
// leave out those that are long because of one huge input or measure time or memory.
#pragma once
#include <cstddef>

#ifdef TILENEST_SANITIZED
constexpr int volume(int n) { return n / 10; }
constexpr std::size_t every_nth = 7; // of elements that are otherwise all tried
#define TILENEST_LONG "[.long]"
#else
constexpr int volume(int n) { return n; }
constexpr std::size_t every_nth = 1;
#define TILENEST_LONG "[long]"
#endif
