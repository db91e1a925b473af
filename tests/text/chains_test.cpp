// SPDX-License-Identifier: Apache-2.0
// Long chains of views: their names stay short, and they take time by their length.
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>

using namespace tilenest;

TEST_CASE("the views of a chain have short names", "[names]") {
  std::string text = "kernel k(Y: out i32[1]) {\nZ = Y";
  for (int i = 0; i < 20000; ++i) text += ".with_dims(#0)";
  const ParsedFile file = parse_text("t.tile", text + "\nZ(0).store(1)\n}");
  REQUIRE(file.diagnostics.empty());
  REQUIRE(file.kernels.size() == 1);
  const auto &views = file.kernels[0].views;
  REQUIRE(views.size() == 20001);
  CHECK(views[ViewId(1)].name == "Y_2");
  CHECK(views[ViewId(2)].name == "Y_3");
  CHECK(views[ViewId(20000)].name == "Z");
}
