// SPDX-License-Identifier: Apache-2.0
// One planted fault against the suite and then against the fuzzer.
#pragma once
#include "conformance/suite/case.h"
#include "tests/conformance/planted/faults.h"

namespace tilenest::conformance {

// The faults that some program of the suite, lowered freely or strictly, has a place for.
std::vector<Fault> all_faults(const std::vector<Case> &cases);

struct Hunt {
  std::string by; // "suite", "fuzzer", or "": it survives
  std::string what; // the case and what differs
};
// Up to `fuzzed` random kernels where the suite is silent. May take any time: a fault can make a loop endless.
Hunt hunt(const Fault &fault, const std::vector<Case> &cases, std::uint64_t fuzzed);

} // namespace tilenest::conformance
