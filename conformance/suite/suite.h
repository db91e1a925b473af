// SPDX-License-Identifier: Apache-2.0
// Many cases on several engines, several at a time, with the failures that are known.
#pragma once
#include "conformance/suite/read_cases.h"
#include "conformance/suite/verdict.h"
#include <functional>

namespace tilenest::conformance {

struct EngineResults {
  std::string engine;
  std::vector<CaseVerdict> verdicts; // one per case
  double seconds = 0;
};

struct SuiteResult {
  std::vector<const Case *> cases;
  std::vector<EngineResults> engines;
  std::vector<std::string> stale; // expected failures of cases that do not exist

  std::size_t count(std::size_t engine, Outcome outcome, const std::string &chapter = {}) const; // "": of all
  // Nothing failed that was not expected to, and all that was expected to fail did.
  bool conforms() const;
};

// Told how many cases an engine has been through; from several threads, one at a time.
using SuiteProgress = std::function<void(const std::string &engine, std::size_t done, std::size_t of)>;

SuiteResult run_suite(const std::vector<const Case *> &cases, const std::vector<std::unique_ptr<Backend>> &engines,
                      const std::vector<ExpectedFailure> &expected, const SuiteProgress &progress = {});

} // namespace tilenest::conformance
