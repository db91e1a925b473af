// SPDX-License-Identifier: Apache-2.0
// Every .tile file of examples/ parses without a complaint and survives the round trip.
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

TEST_CASE("every example parses and prints back to itself", "[text]") {
  const auto files = tile_files("examples");
  REQUIRE(!files.empty());
  for (const std::string &path : files) {
    INFO(path);
    const ParsedFile parsed = parse(read_source(path));
    CHECK(listing(parsed.diagnostics) == "");
    CHECK(!parsed.kernels.empty());
    for (const TileProgram &p : parsed.kernels) {
      CHECK(round_trip_fault(p) == "");
    }
  }
}
