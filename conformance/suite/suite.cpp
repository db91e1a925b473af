// SPDX-License-Identifier: Apache-2.0
// Cases are shared out to threads, which know nothing of each other.
#include "conformance/suite/suite.h"
#include "interp/executor.h"
#include <algorithm>
#include <chrono>
#include <mutex>

namespace tilenest::conformance {

namespace {

CaseVerdict as_expected(CaseVerdict verdict, const ExpectedFailure *known) {
  if (!known) return verdict;
  if (verdict.outcome == Outcome::fail || verdict.outcome == Outcome::unsupported) return {Outcome::expected_failure, known->reason + " (" + verdict.why + ")"};
  if (verdict.outcome == Outcome::pass) return {Outcome::unexpected_pass, "is expected to fail: " + known->reason};
  return verdict;
}

} // namespace

std::size_t SuiteResult::count(std::size_t engine, Outcome outcome, const std::string &chapter) const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < cases.size(); ++i)
    n += engines[engine].verdicts[i].outcome == outcome && (chapter.empty() || cases[i]->chapter == chapter);
  return n;
}

bool SuiteResult::conforms() const {
  for (std::size_t e = 0; e < engines.size(); ++e)
    if (count(e, Outcome::fail) + count(e, Outcome::unexpected_pass) > 0) return false;
  return stale.empty();
}

SuiteResult run_suite(const std::vector<const Case *> &cases, const std::vector<std::unique_ptr<Backend>> &engines,
                      const std::vector<ExpectedFailure> &expected, const SuiteProgress &progress) {
  SuiteResult out;
  out.cases = cases;
  for (const std::unique_ptr<Backend> &engine : engines) {
    EngineResults results;
    results.engine = engine->name();
    results.verdicts.resize(cases.size());
    const auto begin = std::chrono::steady_clock::now();
    std::mutex reporting;
    std::size_t done = 0;
    const std::string kind = engine->kind();
    parallel_for(cases.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto known = std::find_if(expected.begin(), expected.end(), [&](const ExpectedFailure &f) { return f.engine == kind && f.name == cases[i]->name; });
        results.verdicts[i] = as_expected(try_case(*cases[i], *engine), known == expected.end() ? nullptr : &*known);
        const std::lock_guard lock(reporting);
        ++done;
        if (progress) progress(results.engine, done, cases.size());
      }
    });
    results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out.engines.push_back(std::move(results));
  }
  return out;
}

} // namespace tilenest::conformance
