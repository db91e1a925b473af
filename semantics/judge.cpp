// SPDX-License-Identifier: Apache-2.0
// The order of the static judgements. A later one trusts what an earlier one has shown.
#include "semantics/judge.h"
#include "semantics/placement/placement.h"
#include "semantics/typing/typing.h"

namespace tilenest {

Diagnostics judge(TileProgram &program) {
  Diagnostics out = typing_ok(program);
  if (has_error(out)) return out;
  for (Diagnostic &d : place(program)) out.push_back(std::move(d));
  number_states(program);
  return out;
}

} // namespace tilenest
