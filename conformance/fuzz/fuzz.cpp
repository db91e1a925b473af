// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz.h"
#include "conformance/fuzz/random_case.h"
#include "conformance/fuzz/reduce_case.h"
#include "interp/judge.h"
#include <algorithm>
#include <chrono>

namespace tilenest::conformance {

namespace {

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
  while (!over()) {
    const std::uint64_t seed = options.seed + out.cases++;
    const Case c = random_case(seed);
    const Prepared p = prepared(c);
    out.violating += !p.runs;
    out.undecided += p.runs && !p.decided;
    if (p.runs) out.met.add(*p.program);
    for (const Contestant &contestant : contestants) {
      if (!p.runs || (!contestant.strict && !p.decided)) continue;
      const CaseVerdict v = verdict_of(p, contestant);
      out.unsupported[contestant.name] += v.outcome == Outcome::unsupported;
      out.compared[contestant.name] += v.outcome == Outcome::pass || v.outcome == Outcome::fail;
      if (v.outcome != Outcome::fail) continue;
      const std::string kind = kind_of(v.why);
      const auto fails = [&](const Case &smaller) { return kind_of(difference(smaller, contestant)) == kind; };
      Finding f{seed, contestant.name, v.why, reduced_case(c, fails, options.reducing_tries), {}};
      f.reduced_what = difference(f.reduced, contestant);
      out.findings.push_back(std::move(f));
      break;
    }
    if (progress) progress(out.cases);
  }
  return out;
}

} // namespace tilenest::conformance
