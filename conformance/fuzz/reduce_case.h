// SPDX-License-Identifier: Apache-2.0
// A failing case made small (delta debugging, Zeller and Hildebrandt 2002, on the lines of the program's text): lines and
// blocks that may go are taken away, blocks are opened, extents and inputs become small.
#pragma once
#include "conformance/suite/case.h"
#include <functional>

namespace tilenest::conformance {

// `fails`: whether a smaller case still shows the same; asked at most `tries` times.
Case reduced_case(Case c, const std::function<bool(const Case &)> &fails, int tries = 4000);

// Statements of the program's text: lines that do more than close a block.
int statements_of(const Case &c);

} // namespace tilenest::conformance
