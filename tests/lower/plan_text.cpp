// SPDX-License-Identifier: Apache-2.0
// Plans from text, faults as lines.
#include "tests/lower/plan_text.h"
#include "lower/parse.h"
#include "lower/verify.h"
#include <catch2/catch.hpp>

namespace tilenest {

std::string listed(const Diagnostics &diagnostics) {
  std::string out;
  for (const Diagnostic &d : diagnostics) {
    if (!out.empty()) out += "\n";
    if (!d.sites.empty()) out += std::to_string(d.sites[0].site.line) + ":" + std::to_string(d.sites[0].site.column) + " ";
    out += std::string(d.info().code) + " " + d.message();
  }
  return out;
}

plan::Plan plan_of(const std::string &text) {
  Result<plan::Plan> parsed = plan::parse_text("test", text);
  INFO(text);
  if (!parsed) FAIL(listed(parsed.errors()));
  return *std::move(parsed);
}

plan::Plan good_plan(const std::string &text) {
  plan::Plan p = plan_of(text);
  INFO(text);
  CHECK(listed(plan::verify(p)) == "");
  return p;
}

} // namespace tilenest
