// SPDX-License-Identifier: Apache-2.0
// The order of the static judgements. A later one trusts what an earlier one has shown.
#include "semantics/judge.h"
#include "semantics/pipeline/pipeline.h"
#include "semantics/placement/placement.h"
#include "semantics/reduction/reduction.h"
#include "semantics/typing/typing.h"

namespace tilenest {

Diagnostics judge(TileProgram &program) {
  Diagnostics out = typing_ok(program);
  if (has_error(out)) return out;
  auto judged = [&out](Diagnostics ds) { out.insert(out.end(), ds.begin(), ds.end()); };
  judged(reductions_ok(program));
  judged(pipelines_ok(program));
  judged(place(program));
  number_states(program);
  return out;
}

} // namespace tilenest
