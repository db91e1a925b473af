// SPDX-License-Identifier: Apache-2.0
// The loop: a kernel, what the reference says of it, what the others say.
#include "conformance/fuzz/fuzz.h"
#include "conformance/fuzz/random_case.h"
#include "conformance/fuzz/reduce_case.h"
#include "interp/executor.h"
#include "interp/judge.h"
#include <algorithm>
#include <chrono>
#include <exception>

namespace tilenest::conformance {

namespace {

constexpr std::uint64_t at_a_time = 64;

// A case with what the reference says of it.
struct Prepared {
  bool runs = false;    // to its end, without a violation
  bool decided = false; // the admitted results are enclosed
  Case exact, admitted; // what strict engines and others must give
  std::shared_ptr<const TileProgram> program;
};

Prepared prepared(const Case &c) {
  Prepared out;
  const Front front = front_of(c);
  if (has_error(front.diagnostics) || !front.program || !Arrays::misfit(c, *front.program).empty()) return out;
  const Arrays arrays(c, front.bound), fresh(c, front.bound);
  RunOptions options;
  options.threads = 1;
  options.while_limit = 100'000;
  if (has_error(tilenest::run(front.bound, arrays.buffers(), options).diagnostics)) return out;
  out.runs = true;
  out.program = front.program;
  out.exact = out.admitted = c;
  out.exact.expect = {};
  Results results;
  for (std::size_t i = 0; i < front.program->arguments.size(); ++i) {
    const Object &object = front.program->objects[front.program->arguments[i]];
    if (object.access == ArgumentAccess::in) continue;
    Elements e = arrays.description(i);
    e.bits = arrays.elements(i);
    results[object.name] = std::move(e);
  }
  out.exact.expect.any_of.push_back(std::move(results));
  out.admitted.expect = {};
  out.admitted.expect.admitted = true;
  const AdmittedResults admitted = admitted_results(front.bound, fresh.buffers());
  out.decided = !has_error(admitted.diagnostics) && admitted.undecided.empty();
  return out;
}

CaseVerdict verdict_of(const Prepared &p, const Contestant &contestant) {
  return try_case(contestant.strict ? p.exact : p.admitted, *contestant.backend);
}

// The kind of a difference: a reduced case must show the same.
std::string kind_of(const std::string &why) { return why.find(" is ") != std::string::npos ? "value" : why.substr(0, why.find(':')); }

} // namespace

std::string difference(const Case &c, const Contestant &contestant) {
  const Prepared p = prepared(c);
  if (!p.runs || (!contestant.strict && !p.decided)) return {};
  const CaseVerdict v = verdict_of(p, contestant);
  return v.outcome == Outcome::fail ? v.why : std::string();
}

FuzzResult fuzz(const std::vector<Contestant> &contestants, const FuzzOptions &options, const FuzzProgress &progress) {
  FuzzResult out;
  const auto begin = std::chrono::steady_clock::now();
  const auto over = [&] {
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return (options.cases > 0 && out.cases >= options.cases) || (options.seconds > 0 && passed >= options.seconds) || out.findings.size() >= options.findings;
  };
  struct Tried {
    Case c;
    Prepared prepared;
    std::vector<CaseVerdict> verdicts; // by contestant
    std::exception_ptr fault;          // of the generator
  };
  while (!over()) { // so many at a time, looked at in the order of their seeds
    std::vector<Tried> batch(options.cases > 0 ? std::min<std::uint64_t>(options.cases - out.cases, at_a_time) : at_a_time);
    parallel_for(batch.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Tried &t = batch[i];
        try {
          t.c = random_case(options.seed + out.cases + i);
          t.prepared = prepared(t.c);
        } catch (...) {
          t.fault = std::current_exception();
          continue;
        }
        for (const Contestant &contestant : contestants)
          if (t.prepared.runs && (contestant.strict || t.prepared.decided)) t.verdicts.push_back(verdict_of(t.prepared, contestant));
          else t.verdicts.push_back({Outcome::not_applicable, {}});
      }
    });
    for (const Tried &t : batch) {
      if (t.fault) std::rethrow_exception(t.fault);
      const std::uint64_t seed = options.seed + out.cases++;
      out.violating += !t.prepared.runs;
      out.undecided += t.prepared.runs && !t.prepared.decided;
      if (t.prepared.runs) out.met.add(*t.prepared.program);
      for (std::size_t k = 0; k < contestants.size(); ++k) {
        const CaseVerdict &v = t.verdicts[k];
        out.unsupported[contestants[k].name] += v.outcome == Outcome::unsupported;
        out.compared[contestants[k].name] += v.outcome == Outcome::pass || v.outcome == Outcome::fail;
      }
      const auto failed = std::find_if(t.verdicts.begin(), t.verdicts.end(), [](const CaseVerdict &v) { return v.outcome == Outcome::fail; });
      if (failed == t.verdicts.end() || out.findings.size() >= options.findings) continue;
      const Contestant &contestant = contestants[static_cast<std::size_t>(failed - t.verdicts.begin())];
      const std::string kind = kind_of(failed->why);
      const auto fails = [&](const Case &smaller) { return kind_of(difference(smaller, contestant)) == kind; };
      Finding f{seed, contestant.name, failed->why, reduced_case(t.c, fails, options.reducing_tries), {}};
      f.reduced_what = difference(f.reduced, contestant);
      out.findings.push_back(std::move(f));
    }
    if (progress) progress(out.cases);
  }
  return out;
}

} // namespace tilenest::conformance
