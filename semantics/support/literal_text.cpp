// SPDX-License-Identifier: Apache-2.0
// Literals as text: shortest decimals that read back to the same bits.
#include "semantics/support/literal_text.h"
#include <charconv>
#include <cmath>
#include <cstring>

namespace tilenest {

std::string literal_text(std::int64_t value) { return std::to_string(value); }

std::string literal_text(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (std::isnan(value)) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::string sign = bits >> 63 ? "-" : "";
    const std::uint64_t payload = bits & 0xfffffffffffff;
    if (payload == 0x8000000000000) return sign + "nan";
    char hex[16];
    const auto end = std::to_chars(hex, hex + sizeof hex, payload, 16).ptr;
    return sign + "nan(0x" + std::string(hex, end) + ")";
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string out(digits, end);
  // "1" and "1e+30" are not yet floats of the grammar.
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

} // namespace tilenest
