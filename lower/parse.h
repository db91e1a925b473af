// SPDX-License-Identifier: Apache-2.0
// The text of one plan back to a plan: what print.h writes, spaced as one likes, with `//` comments. Names and syntax
// alone are judged here (P, L); whether the plan is well formed is verify.h's to say.
#pragma once
#include "lower/plan.h"
#include "semantics/diag/diagnostic.h"
#include <memory>
#include <string>

namespace tilenest::plan {

// The first mistake ends it: one diagnostic with its line and column.
Result<Plan> parse(std::shared_ptr<const SourceFile> file);
Result<Plan> parse_text(std::string name, std::string text);

} // namespace tilenest::plan
