// SPDX-License-Identifier: Apache-2.0
// The differential fuzzer: random kernels on the reference and on other engines. A strict engine has the reference's bits, any other
// one a result that the kernel admits (ADM-CHECK).
#pragma once
#include "conformance/fuzz/met_operations.h"
#include "conformance/suite/verdict.h"
#include <functional>

namespace tilenest::conformance {

struct Contestant {
  std::unique_ptr<Backend> backend;
  bool strict = false;
  std::string name; // "plan", "cpu (strict)", "exec:..."
};

struct FuzzOptions {
  std::uint64_t seed = 0;   // of the first case; each has the next
  std::uint64_t cases = 0;  // at most; 0: any number
  double seconds = 0;       // at most; 0: any number
  std::size_t findings = 1; // so many end it
  int reducing_tries = 4000; // runs that making one finding small may take
};

struct Finding {
  std::uint64_t seed = 0;
  std::string engine, what; // of the first difference of the case as it was found
  Case reduced;
  std::string reduced_what;
};

struct FuzzResult {
  std::uint64_t cases = 0;      // from the first seed on
  std::uint64_t violating = 0;  // that the reference refuses to run to the end: not compared
  std::uint64_t undecided = 0;  // whose admitted results are not enclosed: compared with strict engines alone
  std::map<std::string, std::uint64_t> compared, unsupported; // by contestant
  std::vector<Finding> findings;
  MetOperations met; // of all programs that were compared
};

// What the contestant does with the case: "" where it agrees or the case cannot be asked; else what differs.
std::string difference(const Case &c, const Contestant &contestant);

using FuzzProgress = std::function<void(std::uint64_t cases)>;
FuzzResult fuzz(const std::vector<Contestant> &contestants, const FuzzOptions &options, const FuzzProgress &progress = {});

} // namespace tilenest::conformance
