// SPDX-License-Identifier: Apache-2.0
// A second interpreter of plans, written for plainness: registers are vectors of bytes, blocks are walked as they
// stand. It checks nothing and shares no code with lower/ but the tables and the kernels of primitives.
#pragma once
#include "lower/arguments.h"
#include "lower/plan.h"
#include <string>

namespace tilenest {

// Of a well-formed plan that stays in its buffers. The failed asserts: "text (count)", one per line.
std::string run_naively(const plan::Plan &plan, const plan::Arguments &arguments);

} // namespace tilenest
