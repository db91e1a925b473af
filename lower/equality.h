// SPDX-License-Identifier: Apache-2.0
// Equality of plans up to the numbering of their tables: the same text, judged without printing.
#pragma once
#include "lower/plan.h"

namespace tilenest::plan {

// The sources of operations count only where `sources` is set.
bool equal(const Plan &a, const Plan &b, bool sources = false);

} // namespace tilenest::plan
