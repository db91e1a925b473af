// SPDX-License-Identifier: Apache-2.0
// The codes of diagnostics.def as enumerators. Include it where a diagnostic is made, not in headers.
#pragma once
#include "semantics/diag/diagnostic.h"

namespace tilenest {

enum class Code : std::uint16_t {
#define DIAG(code, severity, rule, message) code,
#include "semantics/diag/diagnostics.def"
#undef DIAG
};

} // namespace tilenest
