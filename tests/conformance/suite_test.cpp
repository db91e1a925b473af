// SPDX-License-Identifier: Apache-2.0
// The committed suite on the engines of this library; verdicts on engines that are wrong in one way each.
#include "conformance/suite/report.h"
#include "lower/lower.h"
#include "tests/conformance/derived_cases.h"
#include "tests/conformance/suite_cases.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

// Does the right thing, then one thing more.
class Spoiled : public Backend {
public:
  using Spoil = std::function<void(const Case &, const BoundProgram &, const Arrays &, Attempt &)>;
  explicit Spoiled(Spoil spoil) : right_(find_backend("plan", {})), spoil_(std::move(spoil)) {}
  std::string name() const override { return "spoiled"; }
  std::string kind() const override { return "plan"; }
  Attempt run(const Case &c, const BoundProgram &bound, const Arrays &arrays, std::uint64_t order) const override {
    Attempt out = right_->run(c, bound, arrays, order);
    spoil_(c, bound, arrays, out);
    return out;
  }

private:
  std::unique_ptr<Backend> right_;
  Spoil spoil_;
};

SuiteResult run_on(std::unique_ptr<Backend> engine, const std::vector<const Case *> &cases, const std::vector<ExpectedFailure> &known = {}) {
  std::vector<std::unique_ptr<Backend>> engines;
  engines.push_back(std::move(engine));
  return run_suite(cases, engines, known);
}

// Every nth case under sanitizers, which are slow.
std::vector<const Case *> chosen_cases() {
  std::vector<const Case *> out = pointers(committed_cases());
#ifdef TILENEST_SANITIZED
  std::vector<const Case *> some;
  for (std::size_t i = 0; i < out.size(); i += 7) some.push_back(out[i]);
  return some;
#endif
  return out;
}

void check_conforms(const std::string &engine, const std::vector<const Case *> &cases, BackendOptions options = {}) {
  const SuiteResult r = run_on(find_backend(engine, options), cases);
  INFO(suite_text(r));
  CHECK(r.conforms());
  CHECK(r.count(0, Outcome::unsupported) == 0);
  CHECK(r.count(0, Outcome::pass) + r.count(0, Outcome::not_applicable) == cases.size());
  CHECK(r.count(0, Outcome::not_applicable) <= (engine == "interp" ? 0 : cases.size() / 50 + 1));
}

const std::vector<Case> &small_suite() {
  static const std::vector<Case> cases = cases_of(case_file(R"json(
    {"name": "copy", "program": "copy", "inputs": {"A": {"type": "i32", "shape": [3], "values": [1, 2, 3]}},
     "expect": {"outputs": {"C": {"type": "i32", "shape": [3], "values": [1, 2, 3]}}}},
    {"name": "float", "program": ["kernel f(A: f32[2], C: out f32[2]) {", "  axis m = 2", "  C(0, [m]).store(A[0, [m]])", "}"],
     "inputs": {"A": {"type": "f32", "shape": [2], "values": ["nan", 1]}},
     "expect": {"outputs": {"C": {"type": "f32", "shape": [2], "values": ["nan", 1]}}}},
    {"name": "enclosed", "program": ["kernel f(A: f32[2], C: out f32[2]) {", "  axis m = 2", "  C(0, [m]).store(A[0, [m]])", "}"],
     "inputs": {"A": {"type": "f32", "shape": [2], "values": [1, 2]}},
     "expect": {"admitted": true, "between": {"C": {"type": "f32", "shape": [2], "low": {"values": [0.5, 2]}, "high": {"values": [1.5, 2]}}}}},
    {"name": "one_of", "program": "copy", "inputs": {"A": {"type": "i32", "shape": [1], "values": [4]}},
     "expect": {"any": [{"C": {"type": "i32", "shape": [1], "values": [3]}}, {"C": {"type": "i32", "shape": [1], "values": [4]}}]}},
    {"name": "asserts", "program": ["kernel f(A: i32[1], C: out i32[1]) {", "  assert(A[0] > 3, \"x\")", "  C(0).store(1)", "}"],
     "inputs": {"A": {"type": "i32", "shape": [1], "values": [3]}}, "expect": {"reports": ["A0001@2"]}},
    {"name": "refused", "program": ["kernel f(A: i32[1], C: out i32[1]) {", "  C(0).store(B)", "}"], "expect": {"reports": ["P0006@2"]}},
    {"name": "violates", "program": ["kernel f(C: mut i32[1]) {", "  parallel p in [t = 2] { C(p.t * 0).store(1) }", "}"], "contained": true,
     "inputs": {"C": {"type": "i32", "shape": [1], "values": [3]}}, "expect": {"reports": ["U0301@2 x1"]}})json"));
  return cases;
}

Outcome outcome_of(const std::string &name, Spoiled::Spoil spoil) {
  for (const Case &c : small_suite())
    if (c.name == "test/" + name) {
      const CaseVerdict v = try_case(c, Spoiled(std::move(spoil)));
      UNSCOPED_INFO(v.why);
      return v.outcome;
    }
  FAIL("no case " << name);
  return Outcome::pass;
}

} // namespace

TEST_CASE("the suite passes on the reference", "[conformance]") { check_conforms("interp", chosen_cases()); }

TEST_CASE("the suite passes on plans, free and strict", "[conformance][engines]") {
  check_conforms("plan", chosen_cases());
  BackendOptions strict;
  strict.strict = true;
  check_conforms("plan", chosen_cases(), strict);
}

TEST_CASE("the suite passes on machine code", "[conformance][engines]" TILENEST_LONG) {
#ifdef TILENEST_CPU_MODULE_BUILT
  setenv("TILENEST_CPU_MODULE", TILENEST_CPU_MODULE_BUILT, 0);
  std::vector<const Case *> some; // what takes a minute as a whole: `tilenest conform`
  for (const Case *c : pointers(committed_cases()))
    if (some.size() * 9 <= static_cast<std::size_t>(c - committed_cases().data())) some.push_back(c);
  check_conforms("cpu", some);
#else
  WARN("no CPU module was built");
#endif
}

TEST_CASE("the suite has cases for everything", "[conformance]") {
  CHECK(committed_cases().size() >= 1500);
  std::set<std::string> names;
  for (const Case &c : committed_cases()) CHECK(names.insert(c.name).second);
}

TEST_CASE("the derived case files are what the oracle writes", "[conformance]") {
  for (const auto &[name, text] : derived::derived_files()) {
    std::ifstream file(std::string(TILENEST_SOURCE_DIR "/conformance/cases/") + name);
    std::stringstream committed;
    committed << file.rdbuf();
    INFO(name << ": ninja -C build/dev write_cases && build/dev/tests/write_cases");
    CHECK((committed.str() == text)); // no megabyte of text on a failure
  }
}

TEST_CASE("an engine that is wrong in one way fails where that shows", "[conformance]") {
  const auto nothing = [](const Case &, const BoundProgram &, const Arrays &, Attempt &) {};
  for (const Case &c : small_suite()) CHECK(try_case(c, Spoiled(nothing)).outcome == Outcome::pass);
  const auto flips = [](std::size_t byte) { // of the last argument
    return [byte](const Case &, const BoundProgram &, const Arrays &arrays, Attempt &) {
      const std::span<std::byte> bytes = arrays.bytes(arrays.buffers().size() - 1);
      bytes[byte] ^= std::byte{1};
    };
  };
  CHECK(outcome_of("copy", flips(8)) == Outcome::fail);
  CHECK(outcome_of("float", flips(0)) == Outcome::pass); // another NaN is the same value
  CHECK(outcome_of("float", flips(4)) == Outcome::fail);
  CHECK(outcome_of("enclosed", flips(0)) == Outcome::fail); // inside the bounds and not admitted
  CHECK(outcome_of("enclosed", flips(7)) == Outcome::fail);
  CHECK(outcome_of("one_of", flips(0)) == Outcome::fail);   // 5
  CHECK(outcome_of("violates", flips(0)) == Outcome::pass); // any value is allowed there
  const auto beyond = [](std::ptrdiff_t by) {
    return [by](const Case &, const BoundProgram &, const Arrays &arrays, Attempt &) {
      const std::span<std::byte> bytes = arrays.bytes(arrays.buffers().size() - 1);
      *(by < 0 ? bytes.data() + by : bytes.data() + bytes.size() + by) = std::byte{1};
    };
  };
  for (const char *name : {"copy", "float", "violates"}) {
    CHECK(outcome_of(name, beyond(0)) == Outcome::fail);
    CHECK(outcome_of(name, beyond(100)) == Outcome::fail);
    CHECK(outcome_of(name, beyond(-1)) == Outcome::fail);
  }
  CHECK(outcome_of("copy", [](const Case &, const BoundProgram &, const Arrays &arrays, Attempt &) { arrays.bytes(0)[0] ^= std::byte{1}; }) == Outcome::fail);
  const auto silent = [](const Case &, const BoundProgram &, const Arrays &, Attempt &a) { a.diagnostics.clear(); };
  CHECK(outcome_of("asserts", silent) == Outcome::fail);
  CHECK(outcome_of("refused", silent) == Outcome::pass); // the front's
  CHECK(outcome_of("copy", [](const Case &, const BoundProgram &, const Arrays &, Attempt &a) { a.failure = "crashed"; }) == Outcome::fail);
}

TEST_CASE("an engine that declares an error may have it, and no more", "[conformance][NUM-TGT]") {
  class Declaring : public Spoiled {
  public:
    using Spoiled::Spoiled;
    const TargetProfile *target() const override { return &cpu_profile(); }
  };
  const std::vector<Case> cases = cases_of(case_file(R"json(
    {"name": "exp", "program": ["kernel f(A: f32[1], C: out f32[1]) {", "  C(0).store(exp(A[0]))", "}"], "inputs": {"A": {"type": "f32", "shape": [1], "values": [1]}},
     "expect": {"outputs": {"C": {"type": "f32", "shape": [1], "bits": "402df854"}}}},
    {"name": "sum", "program": ["kernel f(A: f32[1], C: out f32[1]) {", "  C(0).store(A[0] + 1.0)", "}"], "inputs": {"A": {"type": "f32", "shape": [1], "values": [1]}},
     "expect": {"outputs": {"C": {"type": "f32", "shape": [1], "values": [2]}}}})json"));
  const auto units = [](std::uint32_t by) { // of the last place, upwards; e is a third of a unit above 402df854
    return [by](const Case &c, const BoundProgram &, const Arrays &arrays, Attempt &) {
      const std::uint32_t bits = (c.name == "test/exp" ? 0x402df854u : 0x40000000u) + by;
      std::memcpy(arrays.bytes(1).data(), &bits, 4);
    };
  };
  CHECK(try_case(cases[0], Spoiled(units(0))).outcome == Outcome::pass);
  CHECK(try_case(cases[0], Spoiled(units(1))).outcome == Outcome::fail); // declares nothing
  CHECK(try_case(cases[0], Declaring(units(1))).outcome == Outcome::pass);
  CHECK(try_case(cases[0], Declaring(units(2))).outcome == Outcome::fail);
  Case misjudged = cases[1]; // the reference agrees with the engine, and that counts for nothing where nothing is declared
  misjudged.expect.any_of[0].at("C").bits[0] += 1;
  CHECK(try_case(misjudged, Declaring(units(0))).outcome == Outcome::fail);
  CHECK(try_case(cases[1], Declaring(units(0))).outcome == Outcome::pass);
  CHECK(try_case(cases[1], Declaring(units(1))).outcome == Outcome::fail); // sums are exact
}

TEST_CASE("failures that are expected, and passes that are not", "[conformance]") {
  const std::vector<const Case *> cases = pointers(small_suite());
  const auto wrong_copy = [](const Case &c, const BoundProgram &, const Arrays &arrays, Attempt &) {
    if (c.name == "test/copy") arrays.bytes(1)[0] ^= std::byte{1};
  };
  const SuiteResult plain = run_on(std::make_unique<Spoiled>(wrong_copy), cases);
  CHECK_FALSE(plain.conforms());
  CHECK(plain.count(0, Outcome::fail) == 1);
  CHECK(suite_text(plain).find("FAILED test/copy on spoiled: C[0] is 0 (00000000), expected 1 (00000001)") != std::string::npos);
  const SuiteResult known = run_on(std::make_unique<Spoiled>(wrong_copy), cases, {{"plan", "test/copy", "a reason"}});
  CHECK(known.conforms());
  CHECK(known.count(0, Outcome::expected_failure) == 1);
  const SuiteResult other_engine = run_on(std::make_unique<Spoiled>(wrong_copy), cases, {{"cpu", "test/copy", "a reason"}});
  CHECK_FALSE(other_engine.conforms());
  const SuiteResult better = run_on(std::make_unique<Spoiled>(wrong_copy), cases, {{"plan", "test/copy", "a reason"}, {"plan", "test/float", "once"}});
  CHECK_FALSE(better.conforms());
  CHECK(better.count(0, Outcome::unexpected_pass) == 1);
}

TEST_CASE("reports as text, JSON and JUnit say the same", "[conformance]") {
  const SuiteResult r = run_on(std::make_unique<Spoiled>([](const Case &c, const BoundProgram &, const Arrays &arrays, Attempt &) {
    if (c.name == "test/copy") arrays.bytes(1)[0] ^= std::byte{1};
  }), pointers(small_suite()));
  const nlohmann::ordered_json j = suite_json(r);
  CHECK(j["conforms"] == false);
  CHECK(j["engines"][0]["outcomes"]["pass"] == small_suite().size() - 1);
  CHECK(j["engines"][0]["outcomes"]["fail"] == 1);
  CHECK(j["engines"][0]["cases"].size() == small_suite().size());
  CHECK(j["engines"][0]["chapters"]["test"]["fail"] == 1);
  const std::string xml = suite_junit(r);
  CHECK(xml.find("<testsuite name=\"spoiled\" tests=\"7\" failures=\"1\" skipped=\"0\"") != std::string::npos);
  CHECK(xml.find("<failure message=\"fail: C[0] is 0 (00000000), expected 1 (00000001)\"/>") != std::string::npos);
  CHECK(suite_text(r).find("test     7      6 (1 FAILED)\n") != std::string::npos);
}
