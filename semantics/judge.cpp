// SPDX-License-Identifier: Apache-2.0
// The order of the static judgements. A later one trusts what an earlier one has shown.
#include "semantics/judge.h"
#include "semantics/placement/placement.h"

namespace tilenest {

Diagnostics judge(TileProgram &program) {
  Diagnostics out = place(program);
  number_states(program);
  return out;
}

} // namespace tilenest
