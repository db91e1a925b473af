// SPDX-License-Identifier: Apache-2.0
// What the plan interpreter refuses: accesses outside of buffers, arguments that do not fit, too much memory.
#include "lower/visit_order.h"
#include "tests/lower/plan_run.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilenest;
using plan::VisitOrder;

namespace {

// The refusal of one operation on A: f32[4], B: i4[3], an empty E, with some offsets.
std::string access(const std::string &op) {
  std::vector<float> a(4), e(1);
  std::vector<std::uint8_t> b(2);
  return run_text("plan p() {\n argument 0 A: mut f32[4]\n argument 1 B: mut i4[3]\n argument 2 E: mut f32[0]\n"
                  " %0: i64 = constant 0\n %1: i64 = constant 1\n %4: i64 = constant 4\n %m: i64 = constant -1\n"
                  " %max: i64 = constant 9223372036854775807\n %f: f32 = constant 1.0\n %fv: f32x4 = constant 1.0\n"
                  " %q: i4 = constant 1\n %ids: i64x4 = lane_ids\n %ones: i64x4 = constant 1\n"
                  " %next: i64x4 = add %ids, %ones\n %t: boolx4 = constant true\n " + op + "\n}",
                  {{}, {on(a), on(b, {3}), {e.data(), {}, {0}}}});
}

std::string outside(const std::string &op, const std::string &element) {
  const std::string said = access(op);
  const std::size_t at = said.find("` touches ");
  return said.substr(0, 11) == "B1602 the p" && at != std::string::npos && said.substr(at + 10) == element ? "" : said;
}

} // namespace

TEST_CASE("accesses outside of a buffer", "[plan][interpret]") {
  CHECK(access("%x: f32 = load A[%4]") ==
        "B1602 the plan `p` leaves `A`: `%12: f32 = load A[%2]` touches element 4 of [0, 4)");
  CHECK(outside("%x: f32 = load A[%m]", "element -1 of [0, 4)") == "");
  CHECK(outside("%x: f32 = load A[%max]", "element 9223372036854775807 of [0, 4)") == "");
  CHECK(outside("%x: f32x4 = load A[%1]", "element 4 of [0, 4)") == "");
  CHECK(outside("%x: f32x4 = load A[%m]", "element -1 of [0, 4)") == "");
  CHECK(outside("%x: f32x4 = load A[%max]", "element 9223372036854775807 of [0, 4)") == "");
  CHECK(outside("%x: f32x4 = load A[%next]", "element 4 of [0, 4)") == "");
  CHECK(outside("%x: f32x4 = load A[%1] mask %t", "element 4 of [0, 4)") == "");
  CHECK(outside("%x: f64 = load A[%4]", "element 4 of [0, 2)") == "");
  CHECK(outside("%x: u8 = load E[%0]", "element 0 of [0, 0)") == "");
  CHECK(outside("store A[%4] = %f", "element 4 of [0, 4)") == "");
  CHECK(outside("store A[%1] = %fv", "element 4 of [0, 4)") == "");
  CHECK(outside("store A[%next] = %fv", "element 4 of [0, 4)") == "");
  CHECK(outside("atomic A[%4] add %f", "element 4 of [0, 4)") == "");
  CHECK(outside("atomic A[%1] add %fv", "element 4 of [0, 4)") == "");
  CHECK(outside("%x: i4x4 = load B[%0]", "element 3 of [0, 3)") == "");
  CHECK(outside("store B[%4] = %q", "element 4 of [0, 3)") == "");
  CHECK(access("%x: f64 = load A[%1]") == "");
}

TEST_CASE("the instance that leaves a buffer is named", "[plan][interpret]") {
  std::vector<float> a(4);
  const auto outcome = plan::interpret(good_plan(R"(plan p() {
    argument 0 A: f32[4]
    %3: i64 = constant 3
    launch l (%x < %3, %y < %3) {
      %at: i64 = mul %x, %y
      %f: f32 = load A[%at]
    }
  })"), {{}, {on(a)}});
  REQUIRE(!outcome.ok());
  CHECK(listed(outcome.errors()) == "B1602 the plan `p` leaves `A`: `%4: f32 = load A[%3]` touches element 4 of [0, 4)");
  CHECK(outcome.errors()[0].notes == std::vector<std::string>{"by instance (2, 2) of `l`"});
}

TEST_CASE("arguments that do not fit the plan", "[plan][interpret]") {
  const plan::Plan p = good_plan("plan p(M) {\n argument 0 A: f32[M, 2]\n argument 1 B: f32[M - 1] strided\n}");
  std::vector<float> a(8), b(3);
  const auto why = [&](plan::Arguments arguments) {
    const std::string said = run_on(p, std::move(arguments)), start = "B1603 the plan `p` cannot run on what it was given: ";
    return said.substr(0, start.size()) == start ? said.substr(start.size()) : said;
  };
  CHECK(why({{4}, {on(a, {4, 2}), on(b)}}) == "");
  CHECK(why({{}, {on(a, {4, 2}), on(b)}}) == "it has 1 parameters, of which 0 are given");
  CHECK(why({{4}, {on(a, {4, 2})}}) == "argument `B` is missing");
  CHECK(why({{4}, {on(a), on(b)}}) == "argument `A` has rank 1, not 2");
  CHECK(why({{4}, {on(a, {2, 4}), on(b)}}) == "axis 0 of argument `A` has 2 elements, not 4");
  CHECK(why({{0}, {on(a, {0, 2}), on(b)}}) == "an extent of `B` has no value, or a negative one");
  CHECK(why({{INT64_MIN}, {on(a, {0, 2}), on(b)}}) == "an extent of `A` has no value, or a negative one");
  CHECK(why({{4}, {{a.data(), {1, 4}, {4, 2}}, on(b)}}) == "argument `A` is not row-major without gaps");
  CHECK(why({{4}, {{a.data(), {2, 1}, {4, 2}}, on(b)}}) == "");
  CHECK(why({{4}, {{a.data(), {2}, {4, 2}}, on(b)}}) == "argument `A` has strides of another rank");
  CHECK(why({{4}, {{nullptr, {}, {4, 2}}, on(b)}}) == "argument `A` has no data");
  CHECK(why({{4}, {on(a, {4, 2}), {b.data(), {INT64_MAX}, {3}}}}) == "argument `B` is larger than an address can say");
  CHECK(why({{4}, {on(a, {4, 2}), {b.data(), {INT64_MIN / 2}, {3}}}}) == "argument `B` is larger than an address can say");
  CHECK(why({{1}, {on(a, {1, 2}), {nullptr, {}, {0}}}}) == "");
  CHECK(run_text("plan p(M) {\n %0: i64 = extent 8 * M\n}", {{INT64_MAX}, {}}) ==
        "B1603 the plan `p` cannot run on what it was given: an extent leaves 64 bits");
}

TEST_CASE("a malformed plan does not run", "[plan][interpret]") {
  CHECK(run_on(plan_of("plan p() {\n barrier\n}"), {}) ==
        "B1601 the plan `p` is malformed: `barrier`: a barrier stands outside of launches");
}

TEST_CASE("memory has a limit", "[plan][interpret]") {
  const plan::Plan p = good_plan("plan p(M) {\n scratch S: f32[M]\n instance L: i4[M]\n}");
  CHECK(run_on(p, {{1000}, {}}) == "");
  CHECK(run_on(p, {{1000}, {}}, {VisitOrder::forward, 0, 4500}) == "");
  CHECK(run_on(p, {{1000}, {}}, {VisitOrder::forward, 0, 4499}) == "L0301 out of memory: buffer `L` of the plan `p`");
  CHECK(run_on(p, {{1000}, {}}, {VisitOrder::forward, 0, 3999}) == "L0301 out of memory: buffer `S` of the plan `p`");
  CHECK(run_on(p, {{INT64_MAX}, {}}) == "L0301 out of memory: buffer `S` of the plan `p`");
#ifndef TILENEST_SANITIZED // where such a request ends the process
  CHECK(run_on(p, {{std::int64_t{1} << 55}, {}}, {VisitOrder::forward, 0, ~std::size_t{0}}) ==
        "L0301 out of memory: buffer `S` of the plan `p`");
#endif
  const plan::Plan r = good_plan("plan p() {\n %0: f64x1000 = constant 1.0\n}");
  CHECK(run_on(r, {}, {VisitOrder::forward, 0, 7999}) == "L0301 out of memory: the registers of the plan `p`");
  CHECK(run_on(r, {}, {VisitOrder::forward, 0, 8000}) == "");
}

TEST_CASE("permutations are permutations", "[plan][interpret]") {
  for (std::uint64_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 64u, 100u, 1000u, 1025u})
    for (const VisitOrder order : {VisitOrder::forward, VisitOrder::backward, VisitOrder::shuffled})
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const plan::Permutation at(order, n, seed);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < n; ++i) seen.insert(at(i));
        CHECK((seen.size() == n && *seen.rbegin() == n - 1));
      }
  const plan::Permutation vast(VisitOrder::shuffled, std::uint64_t{1} << 62, 1);
  CHECK(vast(5) < std::uint64_t{1} << 62);
}
