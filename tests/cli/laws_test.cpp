// SPDX-License-Identifier: Apache-2.0
// tilenest check --laws: what it says of contracts and of recognised merges, exit statuses, JSON.
#include "tests/cli/command.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;
using Json = nlohmann::json;

namespace {

const char *good = R"(kernel sums(X: f32[M, N], Y: out f32[M]) {
  axis m = M, n = N
  parallel i in [m] {
    s = f32(0)
    reduce j in [n] { s = s + X[i.m, j.n] }
    t = f32(-0.0)
    reduce j in [n] with contract(t) identity { give -0.0 } merge (a), (b) { give a + b } { t = t + X[i.m, j.n] }
    Y(i.m).store(s + t)
  }
})";

const char *bad = R"(kernel differences(X: i32[N], Y: out i32[1]) {
  axis n = N
  s = i32(0)
  reduce j in [n] with contract(s) identity { give 0 } merge (a), (b) { give a - b } { s = s + X[j.n] }
  Y(0).store(s)
})";

} // namespace

TEST_CASE("check --laws: no counterexample is found, which is no proof", "[cli][RED-LAW]") {
  const Folder f;
  f.file("good.tile", good);
  const Outcome o = f.tilenest({"check", "good.tile", "--laws"});
  CHECK(o.status == 0);
  CHECK(o.err == "");
  holds(o.out, "sums, line 5: no contract; s merges by `+`; nothing to try\n");
  holds(o.out, "sums, line 7: contract(t)\n  left identity   no counterexample in ");
  holds(o.out, " trials, not proved\n");
  holds(o.out, "sums: fine\n");
  CHECK(f.tilenest({"check", "good.tile"}).out == "sums: fine\n");
  CHECK(f.tilenest({"check", "good.tile", "--laws"}).out == o.out); // the same trials
}

TEST_CASE("check --laws: a law that is broken", "[cli][RED-LAW]") {
  const Folder f;
  f.file("bad.tile", bad);
  const Outcome o = f.tilenest({"check", "bad.tile", "--laws"});
  CHECK(o.status == 2);
  holds(o.out, "  commutative     broken\n");
  holds(o.out, "  right identity  no counterexample in ");
  holds(o.err, "error[T0308]: `contract(s)` is not commutative: partial results depend on the order of the operands\n --> bad.tile:4:3");
  holds(o.err, "= note: merge(a, b): s = ");
  holds(o.err, "= note: with N = 3, X = [");
  CHECK(f.tilenest({"check", "bad.tile"}).status == 0);

  const Outcome json = f.tilenest({"check", "bad.tile", "--laws", "--shape", "N=5", "--json"});
  CHECK(json.status == 2);
  const Json laws = Json::parse(json.out).at("laws");
  REQUIRE(laws.size() == 1);
  CHECK(laws[0].at("kernel") == "differences");
  CHECK(laws[0].at("parameters") == Json{{"N", 5}});
  const Json contract = laws[0].at("contracts").at(0);
  CHECK(contract.at("line") == 4);
  CHECK(contract.at("contract") == "contract(s)");
  CHECK(contract.at("laws").size() == 5);
  CHECK(contract.at("laws")[1].at("law") == "right identity");
  CHECK(contract.at("laws")[1].at("counterexample").is_null());
  CHECK(contract.at("laws")[1].at("trials") > 1000);
  const Json shown = contract.at("laws")[2].at("counterexample"); // associative: (a - b) - c and a - (b - c) are 2 c apart
  CHECK(shown.at("left") == "merge(merge(a, b), c)");
  CHECK(shown.at("operands").size() == 3);
  CHECK(shown.at("operands")[2].at("value") == "s = 1");
  CHECK(shown.at("left_value") == "s = -1");
  CHECK(shown.at("right_value") == "s = 1");
  CHECK(shown.at("exact").is_null());
  CHECK(Json::parse(f.tilenest({"check", "bad.tile", "--json"}).out).at("laws").is_null());
}

TEST_CASE("check --laws: extents that cannot be chosen, and usage", "[cli][RED-LAW]") {
  const Folder f;
  f.file("wide.tile", R"(kernel k(X: i32[N], Y: out i32[1]) {
  axis n = N
  s = i32(0)
  reduce j in [n] with contract(s) identity { give 0 } merge (a), (b) { give a + b } { s = s + sum(X[(0), [1000]]) + X[j.n] }
  Y(0).store(s)
})");
  const Outcome wrong = f.tilenest({"check", "wide.tile", "--shape", "N=5"});
  CHECK(wrong.status == 64);
  holds(wrong.err, "needs --laws");
  CHECK(f.tilenest({"check", "wide.tile", "--laws", "--shape", "M=5"}).status == 2);
}

TEST_CASE("explore: a result that depends on the grouping because a law is broken", "[cli][RED-LAW][RED-SENS]") {
  const Folder f;
  f.file("bad.tile", bad);
  const Outcome o = f.tilenest({"explore", "bad.tile", "--shape", "N=3", "--fill", "1"});
  CHECK(o.status == 0);
  holds(o.out, "Y: 1 of 1 elements depend on a freedom\n");
  holds(o.out, "line 4: contract(s) breaks the law `associative`, which `tilenest check --laws` shows\n");
  holds(o.out, "line 4: contract(s) breaks the law `commutative`, ");
  const Json json = Json::parse(f.tilenest({"explore", "bad.tile", "--shape", "N=3", "--fill", "1", "--json"}).out);
  CHECK(json.at("broken_laws").at(0) == Json{{"line", 4}, {"contract", "contract(s)"}, {"law", "left identity"}});
  // A sum of floats depends on the grouping by rounding, which breaks no law.
  f.file("good.tile", good);
  const Json rounded = Json::parse(f.tilenest({"explore", "good.tile", "--shape", "M=1,N=11", "--fill", "0.1", "--json"}).out);
  CHECK(rounded.at("outputs").at(0).at("sensitive") == 1);
  CHECK(rounded.at("broken_laws").empty());
}
