// SPDX-License-Identifier: Apache-2.0
// Plans as text that parse.h reads back: one operation a line, blocks indented, registers numbered in the order of the
// text. The grammar stands in docs/plan.md. Any plan prints, a malformed one with `?` where something is missing.
#pragma once
#include "lower/plan.h"
#include <string>

namespace tilenest::plan {

struct PrintOptions {
  bool sources = false; // `@12` behind an operation: the program's operation that it computes
};
std::string print(const Plan &plan, const PrintOptions &options = {});

std::string type_text(Type type); // "f32x8"; a scalar without a count
// The line of one operation as print() shows it, without its blocks; for reports.
std::string op_text(const Plan &plan, OpIndex op);

std::string_view to_string(AddressSpace space);
std::string_view to_string(AtomicKind kind);

} // namespace tilenest::plan
