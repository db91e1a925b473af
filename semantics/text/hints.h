// SPDX-License-Identifier: Apache-2.0
// What words of other languages are called here: the help of an unknown word. Nothing here reports.
#pragma once
#include <string>
#include <string_view>

namespace tilenest::text {

// An element type of C, numpy or CUDA, or a misspelt one: "did you mean `f32`?"; else the list of types.
std::string type_help(std::string_view word);
// The first word of a statement: "did you mean `parallel`?", or "".
std::string statement_help(std::string_view word);
// A function of another language, by its name: "`ite(c, a, b)` chooses ...", or "".
std::string call_help(std::string_view word);

} // namespace tilenest::text
