// SPDX-License-Identifier: Apache-2.0
// The programs of docs/language.md are programs.
#include "semantics/judge.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

TEST_CASE("every tile block of docs/language.md parses, is judged fine and prints back", "[text]") {
  const std::string page = read_source(TILENEST_SOURCE_DIR "/docs/language.md")->text;
  const std::string open = "\n```tile\n";
  int blocks = 0;
  for (std::size_t at = 0; (at = page.find(open, at)) != std::string::npos; ++blocks) {
    at += open.size();
    const std::string text = page.substr(at, page.find("```", at) - at);
    INFO(text);
    ParsedFile f = parse_text("language.md", text);
    CHECK(listing(f.diagnostics) == "");
    REQUIRE(f.kernels.size() == 1);
    CHECK(round_trip_fault(f.kernels[0]) == "");
    CHECK(listing(judge(f.kernels[0])) == "");
  }
  CHECK(blocks >= 3);
}

TEST_CASE("a byte order mark is no text", "[text]") {
  const std::string text = "kernel k(Y: out f32[1]) {\n  Y(0).store(1)\n  ?\n}\n";
  const ParsedFile with = parse_text("k.tile", "\xef\xbb\xbf" + text), without = parse_text("k.tile", text);
  CHECK(listing(with.diagnostics) == listing(without.diagnostics));
  CHECK(parse_text("k.tile", "\xef\xbb\xbfkernel k(Y: out f32[1]) { Y(0).store(1) }").kernels.size() == 1);
}
