// SPDX-License-Identifier: Apache-2.0
// What the reader takes and, by its place, what it refuses; formulas; lists of expected failures.
#include "conformance/suite/formula.h"
#include "tests/conformance/suite_cases.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

const std::string good_input = R"({"A": {"type": "i32", "shape": [3], "values": [1, 2, 3]}})";
const std::string good_output = R"({"C": {"type": "i32", "shape": [3], "values": [1, 2, 3]}})";

// A case with one member replaced or added: `member` is `"key": value`.
std::string one_case(const std::string &inputs, const std::string &expect, const std::string &more = "") {
  return case_file(R"({"name": "one", "program": "copy", "inputs": )" + inputs + R"(, "expect": )" + expect + more + "}");
}

// The first thing that is wrong.
std::string first_fault(const std::string &json) {
  const Result<std::vector<Case>> read = read_cases(json, "test.json");
  if (read) return "";
  CHECK(std::string(read.errors()[0].info().code) == "P1401");
  return read.errors()[0].message();
}
bool refuses(const std::string &json, const std::string &part) {
  const std::string message = first_fault(json);
  UNSCOPED_INFO(message);
  return message.find(part) != std::string::npos;
}

std::optional<std::int64_t> value(const std::string &formula, std::int64_t index = 5, std::vector<std::int64_t> at = {1, 2}) {
  std::string error;
  const auto out = evaluate_formula(formula, index, at, error);
  CHECK(out.has_value() == error.empty());
  return out;
}

} // namespace

TEST_CASE("a case is read", "[conformance]") {
  const std::vector<Case> cases = cases_of(one_case(good_input, R"({"outputs": )" + good_output + "}"));
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].name == "test/one");
  CHECK(cases[0].rules == std::vector<std::string>{"BND-ZERO"});
  CHECK(cases[0].inputs.at("A").elements.bits == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(cases[0].program.find("kernel copy(A: i32[N], C: out i32[N]) {\n") == 0);
  CHECK_FALSE(cases[0].refused());
}

TEST_CASE("elements in all their forms", "[conformance]") {
  const auto bits = [](const std::string &elements) {
    return cases_of(one_case("{\"A\": " + elements + "}", R"({"outputs": )" + good_output + "}"))[0].inputs.at("A").elements.bits;
  };
  using Bits = std::vector<std::uint64_t>;
  CHECK(bits(R"({"type": "i8", "shape": [3], "values": [1, -1, -128]})") == Bits{1, 0xff, 0x80});
  CHECK(bits(R"({"type": "u64", "shape": [1], "values": [18446744073709551615]})") == Bits{~std::uint64_t{0}});
  CHECK(bits(R"({"type": "f32", "shape": [4], "values": [1, "-0.0", "inf", "0x1p-149"]})") == Bits{0x3f800000, 0x80000000, 0x7f800000, 1});
  CHECK(bits(R"({"type": "bool", "shape": [2], "values": [true, false]})") == Bits{1, 0});
  CHECK(bits(R"({"type": "i4", "shape": [2], "values": [-8, 7]})") == Bits{8, 7});
  CHECK(bits(R"({"type": "f16", "shape": [2, 1], "bits": "3c00 7e01"})") == Bits{0x3c00, 0x7e01});
  CHECK(bits(R"({"type": "i32", "shape": [2, 3], "formula": "10 * i0 + i1 - i"})") == Bits{0, 0, 0, 7, 7, 7});
  CHECK(bits(R"({"type": "f32", "shape": [2], "formula": "i + 1", "scale": 0.5})") == Bits{0x3f000000, 0x3f800000});
  CHECK(bits(R"({"type": "i32", "shape": [3], "fill": 7})") == Bits{7, 7, 7});
  CHECK(bits(R"({"type": "i32", "shape": [0], "values": []})").empty());
}

TEST_CASE("what is wrong with a case file is said at its place", "[conformance][P1401]") {
  const std::string expect = R"({"outputs": )" + good_output + "}";
  CHECK(first_fault(one_case(good_input, expect)).empty());
  CHECK(refuses("{\"schema\": ", "is no JSON: line 1, column"));
  CHECK(refuses("{\n\n\"schema\": nope}", "is no JSON: line 3"));
  CHECK(refuses("[]", "`/` is no object"));
  CHECK(refuses(R"({"schema": "another", "chapter": "a", "about": "b", "cases": []})", "`/schema`"));
  CHECK(refuses(R"({"schema": "tilenest-conformance-1", "chapter": "A b", "about": "b", "cases": []})", "`/chapter`"));
  CHECK(refuses(R"({"schema": "tilenest-conformance-1", "chapter": "a", "cases": []})", "`/about`"));
  CHECK(refuses(R"({"schema": "tilenest-conformance-1", "chapter": "a", "about": "b", "cases": {}})", "`/cases`"));
  CHECK(refuses(R"({"schema": "tilenest-conformance-1", "chapter": "a", "about": "b", "cases": [], "more": 1})", "`/more` is no key here"));
  CHECK(refuses(case_file("3"), "`/cases/0` is no object"));
  CHECK(refuses(case_file(R"({"program": "copy", "expect": {"reports": []}})"), "`/cases/0` has no `name`"));
  CHECK(refuses(case_file(R"({"name": "A", "program": "copy", "expect": {"reports": []}})"), "`/cases/0` has no `name`"));
  CHECK(refuses(case_file(R"({"name": "a", "expect": {"reports": []}})"), "has no `program`"));
  CHECK(refuses(case_file(R"({"name": "a", "program": "other", "expect": {"reports": []}})"), "`/cases/0/program` names none"));
  CHECK(refuses(case_file(R"({"name": "a", "program": ["kernel $N() { }"], "expect": {"reports": []}})"), "gives nothing for `$N`"));
  CHECK(refuses(case_file(R"({"name": "a", "program": "copy", "with": {"X": "1"}, "expect": {"reports": []}})"), "`/cases/0/with/X` is used nowhere"));
  CHECK(refuses(case_file(R"({"name": "a", "program": "copy"})"), "has no `expect`"));
  CHECK(refuses(one_case(good_input, "{}"), "`/cases/0/expect` expects nothing"));
  CHECK(refuses(one_case(good_input, R"({"output": 1})"), "`/cases/0/expect/output` is no key here"));
  CHECK(refuses(one_case(good_input, R"({"reports": ["X1"]})"), "`/cases/0/expect/reports/0` is no report"));
  CHECK(refuses(one_case(good_input, R"({"reports": ["U9999"]})"), "`U9999` is no code"));
  CHECK(refuses(one_case(good_input, R"({"any": [)" + good_output + "]}"), "`/cases/0/expect/any`"));
  CHECK(refuses(one_case(good_input, R"({"admitted": 1})"), "is neither true nor false"));
  CHECK(refuses(one_case(good_input, R"({"between": {"C": {"type": "i32", "shape": [1], "low": {"fill": 1}}}})"), "needs `low` and `high`"));
  CHECK(refuses(one_case(good_input, R"({"judged": [{"outputs": )" + good_output + R"(, "verdict": "fine"}]})"), "has no `verdict`"));
  CHECK(refuses(one_case(good_input, R"({"coverage": {"C": {"once": -1}}})"), "is no whole number"));
  CHECK(refuses(one_case(R"({"A": {"type": "i33", "shape": [1], "fill": 1}})", expect), "`i33` is no element type"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [-1], "fill": 1}})", expect), "is no extent"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [1048576, 1048576], "fill": 1}})", expect), "more than"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [2], "values": [1]}})", expect), "has 1 elements, its shape has 2"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [1], "values": [0.5]}})", expect), "`0.5` is no value of i32"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [1], "values": ["_"]}})", expect), "is no value of i32")); // inputs say all
  CHECK(refuses(one_case(R"({"A": {"type": "i8", "shape": [1], "bits": "100"}})", expect), "no hexadecimal bits of i8"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [1], "fill": 1, "bits": "1"}})", expect), "needs one of"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [1], "formula": "i +"}})", expect), "ends too early"));
  CHECK(refuses(one_case(R"({"A": {"type": "i8", "shape": [2], "formula": "300 * i"}})", expect), "gives 300, which is no value of i8"));
  CHECK(refuses(one_case(R"({"A": {"type": "i32", "shape": [4], "alias": "B"}})", expect), "does not lie inside another input"));
  CHECK(refuses(one_case(good_input, expect, R"(, "rules": ["NOPE"])"), "is no rule id"));
  CHECK(refuses(one_case(good_input, expect, R"(, "derived": "because")"), "begins with neither"));
  CHECK(refuses(one_case(good_input, expect, R"(, "derived": "by hand: ")"), "begins with neither"));
  CHECK(refuses(one_case(good_input, expect, R"(, "orders": -1)"), "is no whole number"));
  CHECK(refuses(one_case(good_input, expect, R"(, "expect": {})"), "the key `expect` twice"));
  const std::string twice = R"({"name": "one", "program": "copy", "inputs": )" + good_input + R"(, "expect": )" + expect + "}";
  CHECK(refuses(case_file(twice + ", " + twice), "is the name of another case, too"));
}

TEST_CASE("formulas are exact and total, or refused", "[conformance]") {
  CHECK(value("i") == 5);
  CHECK(value("10 * i0 + i1") == 12);
  CHECK(value("-7 / 2") == -4);
  CHECK(value("-7 % 3") == 2);
  CHECK(value("7 / -2") == -4);
  CHECK(value("7 % -2") == -1);
  CHECK(value("2 - 3 - 4") == -5);
  CHECK(value("(i0 == 1) * 3 + (i1 < 2)") == 3);
  CHECK(value("min(3, i) + max(2, 1) * ite(i > 4, 10, 20)") == 23);
  for (const char *bad : {"", "i9", "1 +", "1 / 0", "1 % 0", "(1", "1)", "min(1)", "foo", "9223372036854775807 + 1", "99999999999999999999", "1 2", "ite(1, 2)"}) CHECK_FALSE(value(bad));
}

TEST_CASE("expected failures have an engine, a case and a reason", "[conformance][P1402]") {
  const auto good = read_expected_failures("# known\n\nplan a/b: not yet # really\n  exec kernels/softmax : exp is an approximation\r\n", "x.txt");
  REQUIRE(good);
  REQUIRE(good->size() == 2);
  CHECK((*good)[0].engine == "plan");
  CHECK((*good)[0].name == "a/b");
  CHECK((*good)[1].reason.find("exp is an approximation") == 0);
  for (const char *bad : {"plan a/b", "plan a/b:", "gpu a/b: x", "a/b: x", "plan A/b: x"}) {
    const auto refused = read_expected_failures(std::string("# one\n") + bad, "x.txt");
    REQUIRE_FALSE(refused);
    CHECK(std::string(refused.errors()[0].info().code) == "P1402");
    CHECK(refused.errors()[0].message() == "line 2 of `x.txt` is no expected failure");
  }
}
