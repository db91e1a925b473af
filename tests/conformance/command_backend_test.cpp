// SPDX-License-Identifier: Apache-2.0
// Backends that are commands: the sample in plain C passes what it knows, each planted mistake is found where it is, and commands that
// misbehave are told apart.
#include "tests/conformance/suite_cases.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <set>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

CaseVerdict on_command(const std::string &command, const Case &c, double timeout_s = 30) {
  BackendOptions options;
  options.timeout_s = timeout_s;
  return try_case(c, *find_backend("exec:" + command, options));
}

const Case &copied() {
  static const std::vector<Case> cases = cases_of(case_file(R"json({"name": "copy", "program": "copy",
    "inputs": {"A": {"type": "i32", "shape": [3], "values": [1, 2, 3]}}, "expect": {"outputs": {"C": {"type": "i32", "shape": [3], "values": [1, 2, 3]}}}},
    {"name": "refused", "program": ["kernel f() {", "  x = y", "}"], "expect": {"reports": ["P0006@2"]}},
    {"name": "violates", "program": ["kernel f(C: mut i32[1]) {", "  parallel p in [t = 2] { C(p.t * 0).store(1) }", "}"], "contained": true,
     "inputs": {"C": {"type": "i32", "shape": [1], "values": [3]}}, "expect": {"reports": ["U0301@2"]}},
    {"name": "alias", "program": ["kernel f(A: i32[1], C: mut i32[1]) {", "  C(0).store(A[0])", "}"],
     "inputs": {"C": {"type": "i32", "shape": [1], "values": [3]}, "A": {"type": "i32", "shape": [1], "alias": "C"}},
     "expect": {"outputs": {"C": {"type": "i32", "shape": [1], "values": [3]}}}},
    {"name": "asserts", "program": ["kernel f(A: i32[1]) {", "  assert(A[0] > 3, \"x\")", "}"],
     "inputs": {"A": {"type": "i32", "shape": [1], "values": [3]}}, "expect": {"reports": ["A0001@2"]}})json"));
  return cases[0];
}
const Case &other(int i) { return (&copied())[i]; }

SuiteResult on_adapter(const std::string &name, const std::vector<const Case *> &cases) {
  std::vector<std::unique_ptr<Backend>> engines;
  engines.push_back(find_backend(std::string("exec:") + TILENEST_ADAPTERS "/" + name, {}));
  return run_suite(cases, engines, {});
}

std::vector<const Case *> known_to_adapter() {
  std::vector<const Case *> out = pointers(committed_cases(), "kernels/");
  for (const char *row : {"elementwise/add/", "elementwise/sub/", "elementwise/mul/", "elementwise/neg/"})
    for (const Case *c : pointers(committed_cases(), row)) out.push_back(c);
  return out;
}

} // namespace

TEST_CASE("the backend in plain C passes every kernel that it knows", "[conformance][exec]") {
  const std::vector<const Case *> cases = known_to_adapter();
  const SuiteResult r = on_adapter("plain_c", cases);
  std::string failures;
  std::set<std::string> passed; // kernels
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseVerdict &v = r.engines[0].verdicts[i];
    if (v.outcome == Outcome::fail) failures += cases[i]->name + ": " + v.why + "\n";
    if (v.outcome == Outcome::pass) passed.insert(cases[i]->name.substr(0, cases[i]->name.find('/', cases[i]->name.find('/') + 1)));
    if (cases[i]->chapter == "kernels") CHECK(v.outcome == Outcome::pass);
  }
  INFO(failures);
  CHECK(r.conforms());
  CHECK(passed.size() >= 17); // 13 kernels, 4 rows
}

TEST_CASE("each planted mistake is found, in its kernel alone", "[conformance][exec]") {
  const struct {
    const char *adapter, *kernel;
  } mistakes[] = {{"wrong_c_gemm_skips_last", "/gemm/"},        {"wrong_c_stencil_wraps_around", "/stencil/"},
                  {"wrong_c_histogram_keeps_old_counts", "/histogram/"}, {"wrong_c_prefix_exclusive", "/prefix_sums/"},
                  {"wrong_c_greatest_takes_last", "/greatest/"}, {"wrong_c_sub_swapped", "/sub/"},
                  {"wrong_c_softmax_half_precision", "/softmax/"}};
  for (const auto &[adapter, kernel] : mistakes) {
    INFO(adapter);
    std::vector<const Case *> cases; // one type of each kernel
    for (const Case *c : known_to_adapter())
      if (c->name.find("/i32") != std::string::npos || c->name.find("/softmax/") != std::string::npos) cases.push_back(c);
    const SuiteResult r = on_adapter(adapter, cases);
    CHECK_FALSE(r.conforms());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (r.engines[0].verdicts[i].outcome != Outcome::fail) continue;
      const bool also = std::string(adapter) == "wrong_c_gemm_skips_last" && cases[i]->name.find("/matvec/") != std::string::npos; // made of gemm
      INFO(cases[i]->name << ": " << r.engines[0].verdicts[i].why);
      CHECK((cases[i]->name.find(kernel) != std::string::npos || also));
    }
  }
}

TEST_CASE("what a command does wrong is told", "[conformance][exec]") {
  const auto why = [](const std::string &command, double timeout_s = 30) {
    const CaseVerdict v = on_command(command, copied(), timeout_s);
    CHECK(v.outcome == Outcome::fail);
    UNSCOPED_INFO(v.why);
    return v.why;
  };
  CHECK(why("true").find("gives no `C`") == 0);
  CHECK(why("echo out of luck; false #").find("ended with status 127") == std::string::npos);
  CHECK(why("sh -c 'echo out of luck; exit 3'") == "ended with status 3: out of luck");
  CHECK(why("sh -c 'kill -9 $$'").find("ended with status 137") == 0);
  CHECK(why("/nonexistent/backend").find("ended with status 127") == 0);
  CHECK(why("sh -c 'echo no archive > $3' sh").find("gives no `C`") == 0);
  CHECK(why("sh -c 'cp $3 $4' sh").find("C[0] is -1515870811 (a5a5a5a5), expected 1") == 0); // nothing was written
  const auto begin = std::chrono::steady_clock::now();
  CHECK(why("sleep 60; true", 0.3) == "ran longer than 0.3 s");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("what a command is given", "[conformance][exec]") {
  CHECK(on_command("sh -c 'grep -q \"kernel copy\" $1 && test $2 = copy && grep -q \"\\\"N\\\": 3\" ${3%.npz}.json && exit 5' sh", copied()).outcome == Outcome::unsupported);
  CHECK(on_command("sh -c 'exit 5' sh", copied()).outcome == Outcome::unsupported);
}

TEST_CASE("what a command is not asked", "[conformance][exec]") {
  CHECK(on_command("false", other(1)).outcome == Outcome::not_applicable); // refused by the front
  CHECK(on_command("false", other(2)).outcome == Outcome::not_applicable); // a violation
  CHECK(on_command("false", other(3)).outcome == Outcome::unsupported);    // arguments that share storage
  CHECK(on_command("false", other(4)).outcome == Outcome::pass);           // status 1: the program's assertion failed
  CHECK(on_command("true", other(4)).outcome == Outcome::fail);
}
