// SPDX-License-Identifier: Apache-2.0
// Sites: each captured operation knows the file, line, column and length of the expression or statement.
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>
#include <map>

using namespace tilenest;

TEST_CASE("operations have the place of their expression", "[text]") {
  const std::string text = "kernel k(A: f32[M], B: out f32[M]) {\n"       // 1
                           "  parallel p in [M] {\n"                       // 2
                           "    x = A[p.index] + sqrt(A[0])\n"             // 3
                           "    B(p.index)\n"                              // 4
                           "      .store(x *\n"                            // 5
                           "        x)\n"                                  // 6
                           "  }\n"
                           "}\n";
  const ParsedFile parsed = parse_text("place.tile", text);
  REQUIRE(listing(parsed.diagnostics) == "");
  const TileProgram &p = parsed.kernels[0];
  std::map<std::string, std::string> places;
  for (const Op &op : p.ops) {
    const Site &s = p.site(op.site);
    REQUIRE(s.file);
    CHECK(s.file->name == "place.tile");
    places[info(op.kind).name] = std::to_string(s.line) + ":" + std::to_string(s.column) + "+" + std::to_string(s.length);
  }
  CHECK(places["parallel"] == "2:3+17");
  CHECK(places["load"] == "3:27+4");
  CHECK(places["sqrt"] == "3:22+10");
  CHECK(places["add"] == "3:9+23");
  CHECK(places["assign"] == "3:5+27");
  CHECK(places["mul"] == "5:14+3");   // cut at the end of its first line
  CHECK(places["store"] == "4:5+10");
}

TEST_CASE("the nearest spelling is proposed, and only a near one", "[text]") {
  auto help = [](const std::string &statement) {
    const ParsedFile parsed = parse_text("n.tile", "kernel k(Alpha: f32[M], B: out f32[M]) {\n  threshold = 1.0\n" + statement + "\n}\n");
    REQUIRE(parsed.diagnostics.size() == 1);
    return parsed.diagnostics[0].help;
  };
  CHECK(help("x = treshold") == "did you mean `threshold`?");
  CHECK(help("x = Alhpa[0]") == "did you mean `Alpha`?");
  CHECK(help("x = sqrtt(threshold)") == "did you mean `sqrt`?");
  CHECK(help("x = reduce_mx(threshold)") == "did you mean `reduce_max`?");
  CHECK(help("x = q") == "");
  CHECK(help("x = completely_different") == "");
}
