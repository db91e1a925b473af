// SPDX-License-Identifier: Apache-2.0
// The words of the .tile language: which names a program cannot have, and which a printed one avoids.
#pragma once
#include <string_view>

namespace tilenest::text {

// Never a name: statement words, type names, `true`, `inf` and the like.
bool reserved_word(std::string_view name);
// Any word that means something somewhere: what a printed program calls no local name by.
bool word_of_language(std::string_view name);

} // namespace tilenest::text
