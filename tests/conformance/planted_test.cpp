// SPDX-License-Identifier: Apache-2.0
// Faults planted in the lowering are found by the suite or the fuzzer: a sample of those that end no loop; planted_faults has all.
#include "conformance/fuzz/random.h"
#include "lower/verify.h"
#include "tests/conformance/planted/hunt.h"
#include "tests/conformance/suite_cases.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::conformance;

TEST_CASE("faults planted in the lowering are found", "[conformance][fuzz]" TILENEST_LONG) {
  std::vector<Fault> faults = all_faults(committed_cases());
  CHECK(faults.size() > 100);
  std::erase_if(faults, [](const Fault &f) {
    using Way = Fault::Way;
    return f.way != Way::next_offset && f.way != Way::dropped && f.way != Way::turned_lanes;
  });
  Random random(1);
  int survive = 0;
  std::string survivors;
  for (int i = 0; i < 20; ++i) {
    const Fault fault = random.pick(faults);
    if (!hunt(fault, committed_cases(), 200).by.empty()) continue;
    ++survive;
    survivors += text_of(fault) + "\n";
  }
  INFO(survivors);
  CHECK(survive <= 2); // some change nothing that can be seen
}
