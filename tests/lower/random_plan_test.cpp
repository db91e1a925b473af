// SPDX-License-Identifier: Apache-2.0
// Random plans: they are well formed, their text reads back, and the interpreter does with them what the naive one does.
#include "lower/equality.h"
#include "lower/print.h"
#include "lower/verify.h"
#include "tests/lower/naive_interpreter.h"
#include "tests/lower/plan_run.h"
#include "tests/lower/random_plan.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

plan::Arguments arguments_on(std::vector<RandomArgument> &data) {
  plan::Arguments out{{random_m, random_n}, {}};
  for (RandomArgument &a : data) out.arguments.push_back({a.bytes.data() + a.first, a.strides, a.shape});
  return out;
}

} // namespace

TEST_CASE("random plans print and parse", "[plan][text]") {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(volume(2000)); ++seed) {
    const plan::Plan p = random_plan(seed);
    REQUIRE(listed(plan::verify(p)) == "");
    const std::string text = plan::print(p, {true});
    const plan::Plan back = plan_of(text);
    INFO(seed);
    CHECK(plan::equal(p, back, true));
    CHECK(plan::print(back, {true}) == text);
    if (seed != 0) CHECK(!plan::equal(p, random_plan(seed - 1)));
  }
}

TEST_CASE("random plans run as the naive interpreter runs them", "[plan][interpret]") {
  std::size_t changed = 0, asserted = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(volume(2000)); ++seed) {
    const plan::Plan p = random_plan(seed);
    std::vector<RandomArgument> before = random_arguments(seed), expected = before, found = before;
    const std::string said = run_naively(p, arguments_on(expected));
    INFO(seed << "\n" << plan::print(p));
    CHECK(run_on(p, arguments_on(found)) == said);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].bytes == expected[i].bytes);
      changed += found[i].bytes != before[i].bytes;
    }
    asserted += !said.empty();
  }
  CHECK(changed > static_cast<std::size_t>(volume(1000)));
  CHECK(asserted > static_cast<std::size_t>(volume(300)));
}
