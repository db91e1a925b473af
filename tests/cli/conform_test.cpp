// SPDX-License-Identifier: Apache-2.0
// tilenest conform: tables, JSON, JUnit, exit statuses, files of cases and of expected failures, commands as engines.
#include "tests/cli/command.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;
using Json = nlohmann::json;

namespace {

const char *cases = R"json({"schema": "tilenest-conformance-1", "chapter": "mine", "about": "a copy", "cases": [
  {"name": "copy", "rules": ["BND-ZERO"], "derived": "by hand: the same",
   "program": ["kernel copy(A: i32[N], C: out i32[N]) {", "  axis m = N", "  C(0, [m]).store(A[0, [m]])", "}"],
   "inputs": {"A": {"type": "i32", "shape": [2], "values": [1, 2]}},
   "expect": {"outputs": {"C": {"type": "i32", "shape": [2], "values": [1, 2]}}}}]})json";

std::string replaced_in(std::string text, const std::string &what, const std::string &by) { return text.replace(text.find(what), what.size(), by); }

} // namespace

TEST_CASE("conform: the suite of the binary", "[cli][conformance]") {
  const Folder f;
  const Outcome o = f.tilenest({"conform", "--engine", "interp", "--engine", "plan", "--filter", "^effects/(bounds|sync)/"});
  CHECK(o.status == 0);
  CHECK(o.err == ""); // no terminal, no progress
  CHECK(o.out.find("chapter  cases  interp  plan\n") == 0);
  holds(o.out, "\neffects  ");
  holds(o.out, "\nall      ");
  const Outcome list = f.tilenest({"conform", "--list", "--filter", "^effects/bounds/load_reads_zero$"});
  CHECK(list.status == 0);
  CHECK(list.out == "effects/bounds/load_reads_zero BND-ZERO\n");
  const Json j = Json::parse(f.tilenest({"conform", "--list", "--json"}).out);
  CHECK(j["schema"] == "tilenest-conform-cases-1");
  CHECK(j["cases"].size() >= 1500);
}

TEST_CASE("conform: cases of a folder, and what is wrong with them", "[cli][conformance][P1401]") {
  const Folder f;
  CHECK(f.tilenest({"conform", "--cases", "nowhere"}).status == 2);
  std::filesystem::create_directory(f.path("mine"));
  holds(f.tilenest({"conform", "--cases", "mine"}).err, "error[P0501]");
  f.file("mine/copy.json", cases);
  const Outcome good = f.tilenest({"conform", "--cases", "mine", "--engine", "interp"});
  CHECK(good.status == 0);
  holds(good.out, "mine     1      1\n");
  f.file("mine/copy.json", replaced_in(cases, "\"values\": [1, 2]}}}}", "\"values\": [1, 3]}}}}"));
  const Outcome bad = f.tilenest({"conform", "--cases", "mine", "--engine", "interp", "--junit", "report.xml"});
  CHECK(bad.status == 4);
  holds(bad.out, "FAILED mine/copy on interp: C[1] is 2 (00000002), expected 3 (00000003)\n  rules BND-ZERO; by hand: the same\n");
  holds(f.read("report.xml"), "<failure message=\"fail: C[1] is 2");
  const Json j = Json::parse(f.tilenest({"conform", "--cases", "mine", "--engine", "interp", "--json"}).out);
  CHECK(j["schema"] == "tilenest-conform-1");
  CHECK(j["exit_status"] == 4);
  CHECK(j["conforms"] == false);
  CHECK(j["engines"][0]["cases"][0]["outcome"] == "fail");
  f.file("mine/more.json", cases);
  holds(f.tilenest({"conform", "--cases", "mine"}).err, "another file has a case `mine/copy`, too");
  f.file("mine/more.json", "{");
  const Outcome broken = f.tilenest({"conform", "--cases", "mine", "--json"});
  CHECK(broken.status == 2);
  CHECK(Json::parse(broken.out)["diagnostics"][0]["code"] == "P1401");
}

TEST_CASE("conform: expected failures", "[cli][conformance][P1402]") {
  const Folder f;
  std::filesystem::create_directory(f.path("mine"));
  f.file("mine/copy.json", replaced_in(cases, "\"values\": [1, 2]}}}}", "\"values\": [1, 3]}}}}"));
  f.file("known.txt", "interp mine/copy: the case is wrong\n");
  CHECK(f.tilenest({"conform", "--cases", "mine", "--engine", "interp", "--xfail", "known.txt"}).status == 0);
  CHECK(f.tilenest({"conform", "--cases", "mine", "--engine", "plan", "--xfail", "known.txt"}).status == 4);
  f.file("mine/copy.json", cases);
  const Outcome better = f.tilenest({"conform", "--cases", "mine", "--engine", "interp", "--xfail", "known.txt"});
  CHECK(better.status == 4);
  holds(better.out, "UNEXPECTED PASS mine/copy on interp: is expected to fail: the case is wrong");
  f.file("known.txt", "interp mine/copy\n");
  holds(f.tilenest({"conform", "--cases", "mine", "--xfail", "known.txt"}).err, "error[P1402]: line 1 of `known.txt`");
  f.file("known.txt", "interp no/such_case: gone\n");
  const Outcome stale = f.tilenest({"conform", "--engine", "interp", "--filter", "^text/", "--xfail", "known.txt"});
  CHECK(stale.status == 4);
  holds(stale.out, "STALE no/such_case");
}

TEST_CASE("conform: a command as an engine", "[cli][conformance]") {
  const Folder f;
  std::filesystem::create_directory(f.path("mine"));
  f.file("mine/copy.json", cases);
  const Outcome none = f.tilenest({"conform", "--cases", "mine", "--engine", "exec:sh -c 'exit 5'"});
  CHECK(none.status == 0);
  holds(none.out, "0 (1 unsupported)");
  const Outcome wrong = f.tilenest({"conform", "--cases", "mine", "--engine", "exec:sh -c 'echo no luck; exit 9'"});
  CHECK(wrong.status == 4);
  holds(wrong.out, "ended with status 9: no luck");
  const Outcome profile = f.tilenest({"conform", "--cases", "mine", "--engine", "exec:sh -c 'exit 5'", "--target", "none.json"});
  CHECK(profile.status == 2);
  CHECK(f.tilenest({"conform", "--cases", "mine", "--engine", "exec:sh -c 'exit 5'", "--target", "cpu"}).status == 0);
}

TEST_CASE("conform: usage", "[cli][conformance]") {
  const Folder f;
  CHECK(f.tilenest({"conform", "--engine", "gpu"}).status == 64);
  CHECK(f.tilenest({"conform", "--engine", "exec:"}).status == 64);
  CHECK(f.tilenest({"conform", "--filter", "("}).status == 64);
  CHECK(f.tilenest({"conform", "--filter", "no such case"}).status == 64);
  CHECK(f.tilenest({"conform", "--timeout", "0"}).status == 64);
  CHECK(f.tilenest({"conform", "--timeout", "soon"}).status == 64);
  CHECK(f.tilenest({"conform", "--json", "--junit", "x"}).status == 64);
  holds(f.tilenest({"conform", "--help"}).out, "exec:COMMAND");
  const Outcome place = f.tilenest({"conform", "--engine", "interp", "--filter", "^text/", "--junit", "no/such/folder/x.xml"});
  CHECK(place.status == 2);
}
