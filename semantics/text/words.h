// SPDX-License-Identifier: Apache-2.0
// The words of the .tile language: which names a program cannot have, and which a printed one avoids.
#pragma once
#include <string_view>

namespace tilenest::text {

// Never a name: statement words, type names, `true`, `inf` and the like.
bool reserved_word(std::string_view name);
// A view or parameter of this name would hide a function or a policy.
bool blocks_an_argument(std::string_view name);
// Any word that means something somewhere.
bool word_of_language(std::string_view name);

} // namespace tilenest::text
