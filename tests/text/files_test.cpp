// SPDX-License-Identifier: Apache-2.0
// Every .tile file of examples/ parses without a complaint and survives the round trip, also with every anchor that
// placement infers written into the text.
#include "semantics/judge.h"
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
    for (const TileProgram &p : parsed.kernels) CHECK(round_trip_fault(p) == "");
  }
}

TEST_CASE("inferred anchors can be written, and are judged to be the same", "[text]") {
  for (const std::string &path : tile_files("examples")) {
    INFO(path);
    for (TileProgram &p : parse(read_source(path)).kernels) {
      REQUIRE(!has_error(judge(p)));
      for_each_op(p, p.body, [&](const Op &, OpId id) { p.ops[id].pinned = true; });
      const std::string text = print(p, {true});
      ParsedFile again = parse_text("anchored.tile", text);
      INFO(text << listing(again.diagnostics));
      REQUIRE(again.kernels.size() == 1);
      std::string difference;
      CHECK(equal(p, again.kernels[0], &difference)); // pinned where inferred
      CHECK(difference == "");
      const Diagnostics judged = judge(again.kernels[0]);
      INFO(listing(judged));
      CHECK(!has_error(judged));
    }
  }
}
