// SPDX-License-Identifier: Apache-2.0
// An engine that lowers, plants a fault and interprets the plan.
#include "tests/conformance/planted/hunt.h"
#include "compile/compiled_plan.h"
#include "conformance/fuzz/fuzz.h"
#include "conformance/suite/suite.h"
#include "lower/interpret.h"
#include "lower/verify.h"

namespace tilenest::conformance {

namespace {

class Faulty : public Backend {
public:
  Faulty(const Fault &fault, bool strict) : fault_(fault) { options_.strict = strict; }
  std::string name() const override { return options_.strict ? "faulty (strict)" : "faulty"; }
  std::string kind() const override { return "plan"; }
  const TargetProfile *target() const override { return options_.strict ? nullptr : &cpu_profile(); }
  Attempt run(const Case &, const BoundProgram &bound, const Arrays &arrays, std::uint64_t order) const override {
    const auto launch = launch_arguments(bound, arrays.buffers(), "plan");
    if (!launch) return {launch.errors(), {}};
    auto code = lower(*bound.program, launch->layout, options_);
    if (!code) return {code.errors(), {}};
    plant(*code, *bound.program, fault_);
    if (const Diagnostics wrong = plan::verify(*code); has_error(wrong)) return {wrong, {}};
    plan::InterpretOptions interpreting;
    if (order > 0) interpreting.order = plan::VisitOrder::shuffled, interpreting.seed = order;
    auto outcome = plan::interpret(*code, launch->arguments, interpreting);
    return {outcome ? placed(*bound.program, std::move(*outcome)) : placed(*bound.program, outcome.errors()), {}};
  }

private:
  Fault fault_;
  CompileOptions options_;
};

} // namespace

std::vector<Fault> all_faults(const std::vector<Case> &cases) {
  std::set<Fault> out;
  for (const Case &c : cases) {
    const Front front = front_of(c);
    if (!front.program || has_error(front.diagnostics)) continue;
    for (const bool strict : {false, true}) {
      CompileOptions options;
      options.strict = strict;
      const ArgumentLayout dense{std::vector<bool>(front.program->arguments.size(), false), true};
      if (const auto code = lower(*front.program, dense, options)) add_faults(*code, *front.program, out);
    }
  }
  return {out.begin(), out.end()};
}

Hunt hunt(const Fault &fault, const std::vector<Case> &cases, std::uint64_t fuzzed) {
  for (const bool strict : {false, true}) {
    const Faulty engine(fault, strict);
    for (const Case &c : cases)
      if (const CaseVerdict v = try_case(c, engine); v.outcome == Outcome::fail) return {"suite", c.name + ": " + v.why};
  }
  std::vector<Contestant> contestants;
  for (const bool strict : {false, true}) {
    auto engine = std::make_unique<Faulty>(fault, strict);
    const std::string name = engine->name();
    contestants.push_back({std::move(engine), strict, name});
  }
  FuzzOptions options;
  options.cases = fuzzed;
  options.reducing_tries = 0;
  const FuzzResult r = fuzz(contestants, options);
  if (r.findings.empty()) return {};
  return {"fuzzer", "seed " + std::to_string(r.findings[0].seed) + ", " + r.findings[0].engine + ": " + r.findings[0].what};
}

} // namespace tilenest::conformance
