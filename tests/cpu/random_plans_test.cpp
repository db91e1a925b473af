// SPDX-License-Identifier: Apache-2.0
// Random plans do as machine code what the plan interpreter does with them.
#include "lower/interpret.h"
#include "lower/print.h"
#include "tests/cpu/compiled.h"
#include "tests/lower/random_plan.h"
#include "tests/volume.h"

namespace tilenest::cpu_test {
namespace {

std::string said(const Result<plan::Outcome> &outcome) {
  if (!outcome) return messages(outcome.errors());
  std::string out;
  for (std::size_t i = 0; i < outcome->diagnostics.size(); ++i) {
    const Diagnostic &d = outcome->diagnostics[i];
    out += d.message() + " (" + std::to_string(d.count) + ") of " + std::to_string(outcome->sources[i].index) + "\n";
  }
  return out;
}

plan::Arguments arguments_on(std::vector<RandomArgument> &data) {
  plan::Arguments out{{random_m, random_n}, {}};
  for (RandomArgument &a : data) out.arguments.push_back({a.bytes.data() + a.first, a.strides, a.shape});
  return out;
}

void try_seeds(std::uint64_t first, std::uint64_t end) {
  const cpu::CpuOptions options[] = {uncached(), uncached("x86-64"), uncached("host", 128)};
  std::size_t changed = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const plan::Plan plan = random_plan(seed, true);
    const std::vector<RandomArgument> before = random_arguments(seed, true);
    std::vector<RandomArgument> expected = before, found = before;
    INFO(seed << "\n" << plan::print(plan));
    const std::string wanted = said(plan::interpret(plan, arguments_on(expected)));
    cpu::CpuOptions chosen = options[seed % 3];
    chosen.opt_level = static_cast<int>(seed / 3 % 4);
    const auto code = engine().compile(plan, chosen);
    if (!code) FAIL(messages(code.errors()));
    REQUIRE(said((*code)->run(arguments_on(found))) == wanted);
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].bytes == expected[i].bytes);
      changed += found[i].bytes != before[i].bytes;
    }
  }
  CHECK(changed > (end - first) / 4);
}

} // namespace

TEST_CASE("random plans as machine code do what the interpreter does", "[cpu]") { try_seeds(0, static_cast<std::uint64_t>(volume(200))); }
TEST_CASE("thousands of random plans as machine code do what the interpreter does", "[.slow]") { try_seeds(200, 6000); }

} // namespace tilenest::cpu_test
