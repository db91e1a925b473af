// SPDX-License-Identifier: Apache-2.0
// Reports against reports, elements against elements.
#include "conformance/suite/verdict.h"
#include "conformance/suite/reference_checks.h"
#include "interp/judge.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <cmath>
#include <new>

namespace tilenest::conformance {

namespace {

CaseVerdict failed(std::string why) { return {Outcome::fail, std::move(why)}; }

std::string text_of_report(const Diagnostic &d) {
  const std::uint32_t line = d.sites.empty() ? 0 : d.sites[0].site.line;
  return std::string(d.info().code) + (line == 0 ? "" : "@" + std::to_string(line)) + (d.count > 1 ? " x" + std::to_string(d.count) : "") + ": " + d.message();
}

bool is_met(const ExpectedReport &expected, const Diagnostic &d) {
  return expected.code == d.info().code && (expected.line == 0 || (!d.sites.empty() && d.sites[0].site.line == expected.line)) &&
         (expected.count == 0 || expected.count == d.count);
}

// Of errors all and no others, of warnings and notes those that are expected. "" where they agree.
std::string reports_differ(const std::vector<ExpectedReport> &expected, const Diagnostics &said) {
  std::vector<bool> met(said.size(), false);
  for (const ExpectedReport &e : expected) {
    std::size_t i = 0;
    while (i < said.size() && (met[i] || !is_met(e, said[i]))) ++i;
    if (i < said.size()) {
      met[i] = true;
      for (std::size_t k = i; k < said.size() && e.count == 0; ++k) met[k] = met[k] || is_met(e, said[k]); // of each operand, say
      continue;
    }
    std::string all;
    for (const Diagnostic &d : said)
      if (d.info().severity == Severity::error) all += (all.empty() ? "" : "; ") + text_of_report(d);
    return e.code + (e.line != 0 ? "@" + std::to_string(e.line) : "") + (e.count != 0 ? " x" + std::to_string(e.count) : "") +
           " is not reported" + (all.empty() ? "" : ", but " + all);
  }
  for (std::size_t i = 0; i < said.size(); ++i)
    if (!met[i] && said[i].info().severity == Severity::error) return "reports " + text_of_report(said[i]);
  return {};
}

bool is_not_a_number(ScalarType type, std::uint64_t bits) { return is_float(type) && std::isnan(value_as_f64(type, bits)); }

std::string element_text(ScalarType type, std::uint64_t bits) {
  char hex[24];
  std::snprintf(hex, sizeof hex, "%0*llx", (bit_width(type) + 3) / 4, static_cast<unsigned long long>(bits));
  return scalar_text(type, bits) + " (" + hex + ")";
}

std::string place_text(const std::string &name, const std::vector<std::int64_t> &shape, std::size_t i) {
  std::string out;
  auto rest = static_cast<std::int64_t>(i);
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) out = std::to_string(rest % shape[d]) + (out.empty() ? "" : ", ") + out;
  return name + "[" + out + "]";
}

struct Outputs {
  const BoundProgram &bound;
  const Arrays &arrays;

  // The argument of that name, or none; `why` says what is wrong with the case then.
  std::optional<std::size_t> argument(const std::string &name, const Elements &expected, std::string &why) const {
    const TileProgram &p = *bound.program;
    for (std::size_t i = 0; i < p.arguments.size(); ++i) {
      if (p.objects[p.arguments[i]].name != name) continue;
      const Elements &is = arrays.description(i);
      if (is.type == expected.type && is.shape == expected.shape) return i;
      why = "the case expects `" + name + "` of another type or shape than the program gives it";
      return std::nullopt;
    }
    why = "the case expects `" + name + "`, which is no argument";
    return std::nullopt;
  }

  std::string differ(const std::string &name, const Elements &expected) const {
    std::string why;
    const auto at = argument(name, expected, why);
    if (!at) return why;
    const std::vector<std::uint64_t> is = arrays.elements(*at);
    for (std::size_t i = 0; i < is.size(); ++i) {
      if (!expected.open.empty() && expected.open[i]) continue;
      if (is[i] == expected.bits[i] || (is_not_a_number(expected.type, is[i]) && is_not_a_number(expected.type, expected.bits[i]))) continue;
      return place_text(name, expected.shape, i) + " is " + element_text(expected.type, is[i]) + ", expected " + element_text(expected.type, expected.bits[i]);
    }
    return {};
  }

  std::string outside(const std::string &name, const Between &b) const {
    std::string why;
    const auto at = argument(name, b.low, why);
    if (!at) return why;
    const ScalarType type = b.low.type;
    // -0 below +0; integers beyond 2^53 are not told apart by this, and cases of theirs are exact.
    const auto below = [&](std::uint64_t x, std::uint64_t y) {
      const double a = value_as_f64(type, x), c = value_as_f64(type, y);
      return a < c || (a == 0 && c == 0 && std::signbit(a) && !std::signbit(c));
    };
    const std::vector<std::uint64_t> is = arrays.elements(*at);
    for (std::size_t i = 0; i < is.size(); ++i) {
      if (!b.low.open.empty() && b.low.open[i]) continue;
      const bool nan = is_not_a_number(type, is[i]);
      if (nan ? b.may_be_nan : !below(is[i], b.low.bits[i]) && !below(b.high.bits[i], is[i])) continue;
      return place_text(name, b.low.shape, i) + " is " + element_text(type, is[i]) + ", expected from " + element_text(type, b.low.bits[i]) + " to " +
             element_text(type, b.high.bits[i]);
    }
    return {};
  }
};

std::string not_admitted(const Case &c, const BoundProgram &bound, const Arrays &arrays, const TargetProfile *target) {
  const Arrays fresh(c, bound);
  JudgeOptions options;
  options.target = target;
  std::vector<GivenResult> results;
  const TileProgram &p = *bound.program;
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    if (p.objects[p.arguments[i]].access != ArgumentAccess::in) results.push_back({i, arrays.bytes(i).data()});
  const Judgement j = judge(bound, fresh.buffers(), results, options);
  if (has_error(j.diagnostics)) return "the reference reports " + text_of_report(j.diagnostics[0]);
  for (const JudgedOutput &o : j.outputs) {
    if (passes(o.verdict)) continue;
    const std::string &name = p.objects[p.arguments[o.argument]].name;
    std::string out = "`" + name + "` is " + std::string(to_string(o.verdict));
    if (o.worst) {
      const Elements &described = arrays.description(o.argument);
      out += ": " + place_text(name, described.shape, static_cast<std::size_t>(o.worst->index)) + " is " + element_text(described.type, o.worst->result);
    }
    return out;
  }
  return {};
}

std::string exact_results_differ(const Case &c, const BoundProgram &bound, const Arrays &arrays) {
  const Outputs outputs{bound, arrays};
  std::string first;
  for (const Results &results : c.expect.any_of) {
    std::string why;
    for (const auto &[name, elements] : results)
      if (why.empty()) why = outputs.differ(name, elements);
    if (why.empty()) {
      first.clear();
      break;
    }
    if (first.empty()) first = c.expect.any_of.size() > 1 ? "none of " + std::to_string(c.expect.any_of.size()) + " results: " + why : why;
  }
  if (!first.empty()) return first;
  for (const auto &[name, between] : c.expect.between)
    if (std::string why = outputs.outside(name, between); !why.empty()) return why;
  return {};
}

// Whether something that the program computes has an error that the profile declares: else its results are exact there, too.
bool has_declared_error(const TileProgram &p, const TargetProfile &target) {
  bool found = false;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    const OpInfo &row = info(op.kind);
    const bool sums = row.form == Form::reduce || row.form == Form::contract || op.kind == OpKind::atomic || op.kind == OpKind::scatter;
    if (row.form != Form::elementwise && !sums) return;
    const TypeProfile *declared = target.find(p.values[op.results.empty() ? op.operands[0] : op.results[0]].type.elem);
    if (!declared) return;
    found |= declared->flushes_subnormals || (!declared->fuses_fma && (op.kind == OpKind::fma || op.kind == OpKind::mma));
    const auto primitive = find_primitive(row.name);
    for (const auto &[with_error, bounds] : declared->errors)
      found |= sums ? with_error == Primitive::add || with_error == Primitive::mul || with_error == Primitive::fma : primitive == with_error;
  });
  return found;
}

// NUM-TGT: what a case expects is exact. A result that is not may still be one that the engine's declared errors admit.
std::string results_differ(const Case &c, const BoundProgram &bound, const Arrays &arrays, const TargetProfile *target) {
  std::string why = exact_results_differ(c, bound, arrays);
  if (!why.empty() && (!target || !has_declared_error(*bound.program, *target))) return why;
  if (why.empty() && !c.expect.admitted) return why;
  const std::string refused = not_admitted(c, bound, arrays, target);
  return refused.empty() ? refused : why.empty() ? refused : why + "; with what the engine declares, " + refused;
}

// The first report of that class: what the engine does not run, or a limit or bug of its own.
const Diagnostic *first_of(const Diagnostics &said, DiagClass wanted) {
  const auto found = std::find_if(said.begin(), said.end(), [&](const Diagnostic &d) { return d.info().severity == Severity::error && d.info().diag_class() == wanted; });
  return found == said.end() ? nullptr : &*found;
}

// Whether the run, which the front lets begin, is to be refused: an error other than the program's own assertion.
bool violates(const Case &c) {
  return std::any_of(c.expect.reports.begin(), c.expect.reports.end(),
                     [&](const ExpectedReport &r) { return r.code[0] != 'A' && info(*find_code(r.code)).severity == Severity::error; });
}

CaseVerdict run_once(const Case &c, const Front &front, const Backend &backend, std::uint64_t order) {
  const Arrays arrays(c, front.bound);
  Attempt attempt = backend.run(c, front.bound, arrays, order);
  const std::string under = order == 0 ? "" : "in order " + std::to_string(order) + ": ";
  if (!attempt.failure.empty()) return failed(under + attempt.failure);
  if (const Diagnostic *d = first_of(attempt.diagnostics, DiagClass::unsupported)) return {Outcome::unsupported, d->message()};
  if (std::string why = arrays.damage(*front.program); !why.empty()) return failed(under + why);
  const bool refused = violates(c);
  if (refused && !backend.is_reference()) return {}; // it was to write nothing outside, and did not
  Diagnostics said = attempt.diagnostics;
  if (order == 0 || !refused) { // which of several reports comes first may depend on the order
    if (backend.is_reference()) said.insert(said.end(), front.diagnostics.begin(), front.diagnostics.end()); // notes and warnings
    std::vector<ExpectedReport> expected = c.expect.reports;
    if (!backend.is_reference()) // the front's notes are not the engine's
      std::erase_if(expected, [](const ExpectedReport &r) { return info(*find_code(r.code)).severity != Severity::error; });
    if (backend.is_command())
      for (ExpectedReport &r : expected) r.line = 0, r.count = 0; // an exit status has no line
    if (std::string why = reports_differ(expected, said); !why.empty()) return failed(under + why);
  } else if (!has_error(said)) {
    return failed(under + "no violation is reported");
  }
  if (order > 0 && refused) return {};
  if (std::string why = results_differ(c, front.bound, arrays, backend.target()); !why.empty()) return failed(under + why);
  return {};
}

CaseVerdict try_front(const Case &c, const Front &front, const Backend &backend) {
  if (backend.is_command()) return {Outcome::not_applicable, "refused before an engine sees it"};
  std::string why = reports_differ(c.expect.reports, front.diagnostics);
  return why.empty() ? CaseVerdict{} : failed(std::move(why));
}

} // namespace

std::string_view to_string(Outcome outcome) {
  constexpr std::string_view words[] = {"pass", "fail", "not applicable", "unsupported", "expected failure", "unexpected pass"};
  return words[static_cast<int>(outcome)];
}

CaseVerdict try_case(const Case &c, const Backend &backend) {
  try {
    const Front front = front_of(c);
    if (has_error(front.diagnostics)) return try_front(c, front, backend);
    if (!front.program) return failed("the program has no such kernel");
    if (std::string why = Arrays::misfit(c, *front.program); !why.empty()) return failed(std::move(why));
    const bool about_reference = c.expect.asks_reference() || c.laws;
    if (!backend.is_reference()) {
      if (violates(c) && (!c.contained || backend.is_command())) return {Outcome::not_applicable, "only the reference reports violations"};
      if (about_reference && !c.expect.names_results()) return {Outcome::not_applicable, "a question to the reference"};
    }
    if (backend.is_reference() && about_reference) {
      std::string why = reference_checks(c, front.bound);
      if (!why.empty()) return failed(std::move(why));
      if (c.laws) return {};
    }
    for (std::uint64_t order = 0; order <= (backend.is_command() ? 0 : c.orders); ++order)
      if (CaseVerdict v = run_once(c, front, backend, order); v.outcome != Outcome::pass) return v;
    return {};
  } catch (const std::bad_alloc &) {
    return failed("needs more memory than there is");
  } catch (const std::exception &e) {
    return failed(std::string("internal error: ") + e.what());
  }
}

} // namespace tilenest::conformance
