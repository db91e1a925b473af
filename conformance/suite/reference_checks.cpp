// SPDX-License-Identifier: Apache-2.0
// COVER, RED-SENS, ADM-CHECK and RED-LAW of one case.
#include "conformance/suite/reference_checks.h"
#include "interp/explore.h"
#include "interp/judge.h"
#include "interp/laws.h"

namespace tilenest::conformance {

namespace {

std::string said_text(const Diagnostics &said) { return "the reference reports " + std::string(said[0].info().code) + ": " + said[0].message(); }

std::optional<std::size_t> argument_of(const BoundProgram &bound, const std::string &name) {
  const TileProgram &p = *bound.program;
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    if (p.objects[p.arguments[i]].name == name) return i;
  return std::nullopt;
}

// The entry of a list of results that is about the named argument.
template <class List> auto entry_of(const BoundProgram &bound, const List &list, const std::string &name) {
  const auto at = argument_of(bound, name);
  for (const auto &entry : list)
    if (at && entry.argument == *at) return &entry;
  return static_cast<decltype(&list[0])>(nullptr);
}

std::string coverage_differs(const Case &c, const BoundProgram &bound) {
  const Arrays arrays(c, bound);
  RunOptions options;
  options.cover = true;
  const RunResult r = run(bound, arrays.buffers(), options);
  for (const auto &[name, expected] : c.expect.coverage) {
    const Coverage *is = entry_of(bound, r.coverage, name);
    if (!is) return "there are no counts of `" + name + "`";
    if (is->never != expected.never || is->once != expected.once || is->more != expected.more)
      return "of `" + name + "` " + std::to_string(is->never) + " elements were stored never, " + std::to_string(is->once) + " once, " +
             std::to_string(is->more) + " more often";
  }
  return {};
}

std::string sensitivity_differs(const Case &c, const BoundProgram &bound) {
  const Arrays arrays(c, bound);
  const Exploration e = explore(bound, arrays.buffers());
  if (has_error(e.diagnostics)) return said_text(e.diagnostics);
  for (const auto &[name, expected] : c.expect.sensitive) {
    const ExploredOutput *is = entry_of(bound, e.outputs, name);
    if (!is) return "`" + name + "` was not explored";
    if (is->sensitive != expected) return "of `" + name + "` " + std::to_string(is->sensitive) + " elements depend on a grouping, expected " + std::to_string(expected);
  }
  return {};
}

std::string verdict_differs(const Case &c, const BoundProgram &bound, const ExpectedJudgement &expected) {
  const Arrays before(c, bound), after(c, bound);
  JudgeOptions options;
  Result<TargetProfile> profile = expected.target.empty() ? Result<TargetProfile>(ieee_profile()) : parse_target_profile(expected.target, "the case's profile");
  if (!profile) return said_text(profile.errors());
  options.target = &*profile;
  std::vector<GivenResult> given;
  for (const auto &[name, elements] : expected.results) {
    const auto at = argument_of(bound, name);
    if (!at || after.description(*at).type != elements.type || after.description(*at).shape != elements.shape) return "the case judges `" + name + "` of another type or shape";
    store_elements(elements, after.bytes(*at));
    given.push_back({*at, after.bytes(*at).data()});
  }
  const Judgement j = judge(bound, before.buffers(), given, options);
  if (has_error(j.diagnostics)) return said_text(j.diagnostics);
  Verdict worst = Verdict::equal;
  for (const JudgedOutput &o : j.outputs) worst = std::max(worst, o.verdict);
  return to_string(worst) == expected.verdict ? "" : "the verdict is " + std::string(to_string(worst)) + ", expected " + expected.verdict;
}

std::string laws_differ(const Case &c, const BoundProgram &bound) {
  LawOptions options;
  options.extents = c.extents;
  const LawCheck check = check_laws(bound.program, options);
  std::size_t expected = 0, found = 0;
  for (const ExpectedReport &r : c.expect.reports) expected += r.code == "T0308";
  std::string list;
  for (const Diagnostic &d : check.diagnostics) {
    found += std::string_view(d.info().code) == "T0308";
    list += (list.empty() ? "" : "; ") + d.message();
  }
  if (!check.untried.empty()) return "no law was tried: " + check.untried;
  return found == expected ? "" : std::to_string(found) + " laws are broken, expected " + std::to_string(expected) + (list.empty() ? "" : ": " + list);
}

} // namespace

std::string reference_checks(const Case &c, const BoundProgram &bound) {
  std::string why;
  if (c.laws) why = laws_differ(c, bound);
  if (why.empty() && !c.expect.coverage.empty()) why = coverage_differs(c, bound);
  if (why.empty() && !c.expect.sensitive.empty()) why = sensitivity_differs(c, bound);
  for (const ExpectedJudgement &j : c.expect.judged)
    if (why.empty()) why = verdict_differs(c, bound, j);
  return why;
}

} // namespace tilenest::conformance
