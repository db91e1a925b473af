// SPDX-License-Identifier: Apache-2.0
// One case on one engine: does what was reported and computed agree with what is expected?
#pragma once
#include "conformance/suite/backend.h"

namespace tilenest::conformance {

enum class Outcome : std::uint8_t {
  pass,
  fail,
  not_applicable, // about what only the reference or only the front can be asked
  unsupported,    // the engine says that it does not run it (class N)
  expected_failure,
  unexpected_pass
};
std::string_view to_string(Outcome outcome);

struct CaseVerdict {
  Outcome outcome = Outcome::pass;
  std::string why; // of a failure, what differs; of an unsupported case, what is not supported; in one line
};

CaseVerdict try_case(const Case &c, const Backend &backend);

} // namespace tilenest::conformance
