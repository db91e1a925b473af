// SPDX-License-Identifier: Apache-2.0
// Literals as the text language writes them; messages write numbers so, too.
#pragma once
#include <cstdint>
#include <string>

namespace tilenest {

// The shortest text that reads back to the same bits; one of a double has a point, an exponent, `inf` or `nan`.
std::string literal_text(std::int64_t value);
std::string literal_text(double value);

} // namespace tilenest
