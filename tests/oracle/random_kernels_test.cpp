// SPDX-License-Identifier: Apache-2.0
// Random kernels on the oracle and on the engine: values, definedness, violations; and which interfere. Other seeds by
// hand: TILENEST_ORACLE_KERNELS=FIRST,LAST (docs/testing.md).
#include "semantics/diag/codes.h"
#include "tests/volume.h"
#include "semantics/diag/render.h"
#include "semantics/text/printer.h"
#include "tests/oracle/both_runs.h"
#include "conformance/fuzz/concurrent_kernel.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <sstream>

using namespace tilenest;
using namespace tilenest::oracle;

namespace {

struct Seeds {
  std::uint64_t first, last;
};
Seeds seeds(std::uint64_t first, std::uint64_t last) {
  if (const char *text = std::getenv("TILENEST_ORACLE_KERNELS"); text != nullptr) {
    char *end = nullptr;
    first = std::strtoull(text, &end, 10);
    if (*end == ',') last = std::strtoull(end + 1, nullptr, 10);
  }
  return {first, last};
}

struct Ran {
  Bound bound;
  std::optional<Outcome> outcome; // empty: the oracle refuses
  std::string refused;
  std::string text;
};

Bound bound_kernel(std::uint64_t seed) {
  conformance::ConcurrentKernel kernel = conformance::concurrent_kernel(seed);
  INFO("seed " << seed);
  if (!kernel.program.ok())
    FAIL("the generator made a program that the builder refuses:\n" << render_text(kernel.program.errors()));
  return bind_program(*kernel.program, [&](const Object &o, std::int64_t n) { return conformance::concurrent_argument(seed, kernel, o, n); });
}

Ran ran(std::uint64_t seed) {
  Ran out;
  out.bound = bound_kernel(seed);
  try {
    out.outcome = interpret(out.bound.program, out.bound.arguments);
  } catch (const Refused &r) {
    out.refused = r.what;
  }
  return out;
}

// The program with the line of each operation's site before its printed form.
std::string shown(const Bound &bound) {
  const TileProgram &p = *bound.program.program;
  std::string out;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (info(op.kind).form == Form::memory || op.kind == OpKind::assign || op.kind == OpKind::parallel ||
        op.kind == OpKind::sync)
      out += std::to_string(p.site(op.site).line) + ":" + info(op.kind).name + "@" +
             std::to_string(p.levels[op.anchor.valid() ? op.anchor : p.regions[op.parent].level].depth) + " ";
  });
  return out + "\n" + print(p);
}

// What a kernel has, by name.
std::set<std::string> features(const Bound &bound) {
  const TileProgram &p = *bound.program.program;
  std::set<std::string> out;
  std::map<ObjectId, std::set<std::string>> touched;
  bool in_reduce = false;
  const std::function<void(RegionId)> walk = [&](RegionId region) {
    for (const OpId id : p.regions[region].ops) {
      const Op &op = p.ops[id];
      const Level &level = p.levels[p.regions[op.parent].level];
      const bool lifted = op.anchor.valid() && p.levels[op.anchor].depth < level.depth;
      out.insert(info(op.kind).name);
      const auto *a = std::get_if<AccessAttr>(&op.attr);
      const auto *x = std::get_if<IndexedAttr>(&op.attr);
      if (a != nullptr || x != nullptr) {
        const View &view = p.views[a ? a->view : x->view];
        const Object &o = p.objects[view.object];
        if (view.elem != o.elem) out.insert("view of another type");
        if (view.elem == ScalarType::f32) out.insert("f32");
        if (o.kind == ObjectKind::memory && p.levels[o.owner].depth < level.depth)
          out.insert("memory of an ancestor");
        if (in_reduce && op.kind != OpKind::load && op.kind != OpKind::gather)
          out.insert("reduce with effects");
        if (lifted && (op.kind == OpKind::store || op.kind == OpKind::load))
          out.insert(std::string("lifted ") + info(op.kind).name);
        const Bounds bounds = a ? a->bounds : x->bounds;
        if (bounds == Bounds::predicate) out.insert("bounds predicate");
        if (bounds == Bounds::assume) out.insert("bounds assume");
        const bool atomic = op.kind == OpKind::atomic || (x && x->reducer && op.kind == OpKind::scatter);
        touched[view.object].insert(
            atomic ? "atomic " + std::to_string(static_cast<int>(a ? a->atomic : *x->reducer)) : "plain");
        if (atomic && touched[view.object].size() > 1) out.insert("mixed atomics");
        if (x && op.kind == OpKind::scatter && !x->reducer) out.insert("plain scatter");
      }
      if (const auto *assign = std::get_if<AssignAttr>(&op.attr);
          assign && p.levels[p.variables[assign->var].declared].depth < level.depth) {
        static const char *const roles[] = {"whole update of an ancestor's tile",
                                            "window of an ancestor's tile", "collective update"};
        out.insert(roles[static_cast<int>(assign->role)]);
      }
      if (op.kind == OpKind::parallel) {
        if (level.depth >= 1) out.insert("nested parallels");
        if (level.depth >= 2) out.insert("three levels");
        if (op.control_operand_count() > 0) out.insert("domain with a predicate");
      }
      const bool before = in_reduce;
      in_reduce |= op.kind == OpKind::reduce_region;
      for (const RegionId inner : op.regions) walk(inner);
      in_reduce = before;
    }
  };
  walk(p.body);
  return out;
}

bool includes(const std::set<std::string> &all, const std::set<std::string> &some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// In what oracle and engine part, or "".
std::string disagreement(const Bound &bound, const Outcome &o) {
  if (!o.interferences.empty() && !o.violations.empty()) return ""; // what a run meets then depends on the order
  const EngineRun engine = run_engine(bound);
  const std::set<std::string> reported = violations(engine.result), expected = violations(bound, o);
  std::string wrong; // where the oracle stopped, the engine goes on further
  if (o.complete ? reported != expected : !includes(reported, expected))
    wrong += "violations: the engine has " + joined(reported) + ", expected " + joined(expected) + "\n";
  if (!o.violations.empty()) return wrong;
  const std::set<std::string> alarms = interferences(engine.result), all = interferences(bound, o),
                              plain = interferences(bound, o, true);
  if (!includes(alarms, plain) || !includes(all, alarms)) // a miss, or a false alarm
    wrong += "interferences: the engine has " + joined(alarms) + ", there are " + joined(all) + ", plainly " + joined(plain) + "\n";
  const auto &found = engine.result.diagnostics;
  const auto of_writers = [](const Diagnostic &d) { return std::string(d.info().code) == "U0302"; };
  const auto two_writers = [](const Interference &i) { return i.two_writers; };
  if (std::any_of(found.begin(), found.end(), of_writers) != std::any_of(o.interferences.begin(), o.interferences.end(), two_writers))
    wrong += "two writers of an element of a tile: only one of the two sees them\n";
  return wrong + value_difference(bound, o, engine) + value_difference(bound, o, run_engine(bound, false));
}

void same(Seeds range) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = range.first; seed < range.last; ++seed) {
    const Ran r = ran(seed);
    refused += !r.outcome;
    const std::string wrong = r.outcome ? disagreement(r.bound, *r.outcome) : "";
    if (!wrong.empty()) FAIL_CHECK("seed " << seed << "\n" << wrong << shown(r.bound));
  }
  CHECK(refused * 20 <= range.last - range.first);
}

} // namespace

TEST_CASE("random kernels have what they are for", "[oracle]" TILENEST_LONG) {
  std::map<std::string, int> count;
  for (const char *f : {"parallel",
                        "nested parallels",
                        "three levels",
                        "domain with a predicate",
                        "lifted store",
                        "lifted load",
                        "collective update",
                        "window of an ancestor's tile",
                        "whole update of an ancestor's tile",
                        "memory",
                        "memory of an ancestor",
                        "view of another type",
                        "sync",
                        "atomic",
                        "mixed atomics",
                        "plain scatter",
                        "reduce with effects",
                        "serial",
                        "pipeline",
                        "if_",
                        "switch_",
                        "while_",
                        "gather",
                        "mma",
                        "restrict",
                        "take",
                        "insert",
                        "reduce",
                        "f32",
                        "bounds predicate",
                        "bounds assume"})
    count[f];
  int disputed = 0, interfering = 0, ran_through = 0, refused = 0, violating = 0;
  std::map<std::string, int> refusals;
  const int n = 500;
  for (std::uint64_t seed = 0; seed < n; ++seed) {
    const Ran r = ran(seed);
    for (const std::string &f : features(r.bound)) ++count[f];
    if (!r.outcome) {
      ++refused, ++refusals[r.refused];
      continue;
    }
    ++ran_through;
    interfering += !r.outcome->interferences.empty();
    bool tile = false, bits = false;
    for (const Interference &i : r.outcome->interferences) (i.tile ? tile : bits) = true;
    for (const Interference &i : r.outcome->interferences) disputed += i.by_lifted_write;
    count["interference on a tile"] += tile;
    count["interference on a view or memory"] += bits;
    violating += !r.outcome->violations.empty();
  }
  std::ostringstream table;
  for (const auto &[name, k] : count) table << k * 100 / n << "% " << name << "\n";
  for (const auto &[why, k] : refusals) table << k << " refused: " << why << "\n";
  table << interfering << " interfere, " << violating << " have other violations, " << refused << " of " << n
        << " refused; pairs by a lifted write alone: " << disputed;
  INFO(table.str());
  for (const auto &[name, k] : count) {
    INFO(name);
    if (!find_op(name) || info(*find_op(name)).form != Form::elementwise) CHECK(k * 10 >= n);
  }
  CHECK(interfering * 100 >= 30 * ran_through);
  CHECK(interfering * 100 <= 70 * ran_through);
  CHECK(violating * 100 <= 25 * ran_through);
  CHECK(refused * 100 <= 5 * n);
}

// PAR-FREE, on the oracle alone: whether a run has a violation does not depend on the order of instances, and
// without one nothing does.
TEST_CASE("instances the other way round", "[oracle]") {
  int clean = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(volume(300)); ++seed) {
    const Ran r = ran(seed);
    if (!r.outcome) continue;
    INFO("seed " << seed << "\n" << shown(r.bound));
    const Outcome &o = *r.outcome;
    const Outcome other = interpret(r.bound.program, r.bound.arguments, true);
    const bool free = o.interferences.empty() && o.violations.empty();
    CHECK(free == (other.interferences.empty() && other.violations.empty()));
    if (!free) continue;
    ++clean;
    CHECK(o.arguments == other.arguments);
    CHECK(o.events.size() == other.events.size());
  }
  CHECK(clean * 4 > volume(300));
}

TEST_CASE("every order of instances meets a violation, or none does and all give the same values", "[oracle][PAR-FREE]") {
  int clean = 0, interfering = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(volume(300)); ++seed) {
    const Ran r = ran(seed);
    if (!r.outcome) continue;
    INFO("seed " << seed << "\n" << shown(r.bound));
    const bool free = r.outcome->interferences.empty() && r.outcome->violations.empty();
    ++(free ? clean : interfering);
    for (std::uint64_t order = 0; order < 3; ++order) {
      SeededChooser chooser(order);
      const EngineRun run = run_engine(r.bound, true, &chooser);
      INFO("order " << order);
      if (free) {
        CHECK_FALSE(has_error(run.result.diagnostics));
        CHECK(value_difference(r.bound, *r.outcome, run) == "");
      } else if (std::any_of(r.outcome->interferences.begin(), r.outcome->interferences.end(), [](const Interference &i) { return !i.by_lifted_write; })) {
        CHECK(has_error(run.result.diagnostics));
      }
    }
  }
  CHECK(clean * 4 > volume(300));
  CHECK(interfering * 4 > volume(300));
}

namespace {
// What keeps its contracts gives the oracle's values when it is lowered, whatever the order of the instances.
void same_as_plans(Seeds all) {
  std::uint64_t clean = 0, refused = 0;
  std::set<std::string> reasons;
  for (std::uint64_t seed = all.first; seed < all.last; ++seed) {
    const Ran r = ran(seed);
    if (!r.outcome || !r.outcome->interferences.empty() || !r.outcome->violations.empty()) continue;
    ++clean;
    for (std::uint64_t order = 0; order < 3; ++order) {
      INFO("seed " << seed << ", order " << order << "\n" << shown(r.bound));
      const EngineRun run = run_on("plan", r.bound, {{.strict = true, .threads = 1}, order});
      const bool unsupported = !run.result.diagnostics.empty() && run.result.diagnostics[0].code == Code::N0001;
      refused += unsupported;
      if (unsupported) reasons.insert("seed " + std::to_string(seed) + " line " + std::to_string(run.result.diagnostics[0].sites[0].site.line) + ": " + run.result.diagnostics[0].message());
      if (unsupported) break;
      CHECK(render_text(run.result.diagnostics) == "");
      CHECK(value_difference(r.bound, *r.outcome, run) == "");
    }
  }
  INFO(refused << " of " << clean << " are not supported\n" << joined(reasons));
  CHECK(refused * 100 <= clean);
}
} // namespace

TEST_CASE("random kernels that keep their contracts give the oracle's values as plans", "[oracle][plan]") {
  same_as_plans(seeds(0, static_cast<std::uint64_t>(volume(300))));
}
TEST_CASE("thousands of random kernels as plans", "[oracle][alone][alone-plans]" TILENEST_LONG) {
  same_as_plans(seeds(300, 2'500));
}

TEST_CASE("a seed gives one kernel", "[oracle]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const conformance::ConcurrentKernel a = conformance::concurrent_kernel(seed), b = conformance::concurrent_kernel(seed);
    REQUIRE(a.program.ok());
    CHECK(print(*a.program) == print(*b.program));
    CHECK(a.careful == b.careful);
  }
}

TEST_CASE("random kernels: oracle and engine give the same values, violations and interferences", "[oracle][PAR-NI]") {
  same(seeds(0, static_cast<std::uint64_t>(volume(300))));
}
TEST_CASE("ten thousand random kernels: oracle and engine agree", "[oracle][alone][alone-kernels][PAR-NI]" TILENEST_LONG) {
  same(seeds(300, 10'000));
}

// The verdict of one checked run is that of all orders of instances, phase by phase and at any nesting.
TEST_CASE("small kernels: one run has the verdict of every order", "[oracle][alone][alone-orders][PAR-FREE]" TILENEST_LONG) {
  int small = 0, interfering = 0;
  std::uint64_t orders = 0;
  for (std::uint64_t seed = 20'000; small < 5'000; ++seed) {
    REQUIRE(seed < 60'000);
    const Bound bound = bound_kernel(seed);
    ExhaustiveChooser every(Freedom::order);
    const EngineRun first = run_engine(bound, true, &every);
    if (every.estimate() > 24 || every.estimate() < 2) continue;
    if (std::any_of(first.result.diagnostics.begin(), first.result.diagnostics.end(), [](const Diagnostic &d) { return d.info().code[0] != 'U'; })) continue;
    ++small;
    const bool verdict = has_error(first.result.diagnostics);
    interfering += verdict;
    int different = 0;
    for (int runs = 1; every.next() && runs < 1'000; ++runs, ++orders) {
      const EngineRun run = run_engine(bound, true, &every);
      different += has_error(run.result.diagnostics) != verdict;
      if (!verdict) different += run.arguments != first.arguments;
    }
    INFO("seed " << seed << "\n" << shown(bound));
    CHECK(different == 0);
  }
  CHECK(interfering > 1'000);
  CHECK(interfering < 4'000);
  CHECK(orders > 20'000);
}

// At the granularity of accesses: where the checked run is clean no interleaving gives other values; where instances
// interfere on storage, in many kernels one does.
TEST_CASE("small kernels: every interleaving of accesses agrees with one checked run", "[oracle][alone][alone-orders][PAR-FREE]" TILENEST_LONG) {
  int clean = 0, interfering = 0, shown_by_values = 0;
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 70'000; clean + interfering < 300; ++seed) {
    REQUIRE(seed < 120'000);
    const Bound bound = bound_kernel(seed);
    ExhaustiveChooser every(Freedom::order);
    const EngineRun first = run_engine(bound, false, &every, true);
    if (has_error(first.result.diagnostics) || every.estimate() > 300 || every.estimate() < 2) continue;
    const EngineRun checked = run_engine(bound);
    if (std::any_of(checked.result.diagnostics.begin(), checked.result.diagnostics.end(), [](const Diagnostic &d) { return d.info().severity == Severity::error && d.info().code != std::string_view("U0301"); })) continue;
    const bool interferes = has_error(checked.result.diagnostics);
    ++(interferes ? interfering : clean);
    int different = 0;
    for (int n = 0; every.next() && n < 2'000; ++n, ++runs) different += run_engine(bound, false, &every, true).arguments != first.arguments;
    INFO("seed " << seed << "\n" << shown(bound));
    if (!interferes) {
      CHECK(different == 0);
      CHECK(first.arguments == checked.arguments);
    }
    shown_by_values += interferes && different > 0;
  }
  INFO(clean << " clean, " << interfering << " interfere, " << shown_by_values << " of those show it, " << runs << " runs");
  CHECK(clean > 150);
  CHECK(interfering > 5);
  CHECK(shown_by_values > 0);
  CHECK(runs > 5'000);
}
