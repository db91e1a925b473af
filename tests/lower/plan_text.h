// SPDX-License-Identifier: Apache-2.0
// What the tests of plans share: plans from text, faults as lines.
#pragma once
#include "lower/plan.h"
#include "semantics/diag/diagnostic.h"
#include <string>

namespace tilenest {

// The plan of a text that must parse; a mistake in it fails the test.
plan::Plan plan_of(const std::string &text);
// As plan_of, and it must be well formed.
plan::Plan good_plan(const std::string &text);
// "2:7 P0006 unknown name `x`", one line each; without a place the message alone.
std::string listed(const Diagnostics &diagnostics);

} // namespace tilenest
