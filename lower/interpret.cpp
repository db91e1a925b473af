// SPDX-License-Identifier: Apache-2.0
// The run of a plan from its arguments to its outcome.
#include "lower/interpreter.h"
#include "lower/verify.h"
#include "semantics/diag/codes.h"
#include <new>

namespace tilenest::plan {

Result<Outcome> interpret(const Plan &plan, const Arguments &arguments, const InterpretOptions &options) try {
  if (Diagnostics faults = verify(plan); !faults.empty()) return faults;
  Interpreter m(plan, arguments, options);
  if (!m.place_buffers() || !m.compile() || !m.run(m.body)) return std::move(m.errors);
  Outcome outcome;
  for (const Interpreter::Assert &a : m.asserts)
    if (a.failed != 0) {
      const Op &op = plan.ops[a.op];
      Diagnostic d(Code::A0001, Site{}, {{"text", std::get<AssertAttr>(op.attr).text}});
      d.count = a.failed;
      outcome.diagnostics.push_back(std::move(d));
      outcome.sources.push_back(op.source);
    }
  return outcome;
} catch (const std::bad_alloc &) {
  return Diagnostic(Code::L0301, Site{}, {{"what", "the code of the plan `" + plan.name + "`"}});
}

} // namespace tilenest::plan
