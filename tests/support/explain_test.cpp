// SPDX-License-Identifier: Apache-2.0
// The embedded pages are the files of docs/diagnostics/, byte for byte.
#include "semantics/diag/explain.h"
#include "semantics/diag/diagnostic.h"
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

using namespace tilenest;

TEST_CASE("every code's explanation is its file") {
  for (std::size_t i = 0; i < code_count(); ++i) {
    const std::string code = info(static_cast<Code>(i)).code;
    INFO(code);
    std::ifstream in(std::string(TILENEST_SOURCE_DIR) + "/docs/diagnostics/" + code + ".md", std::ios::binary);
    std::ostringstream file;
    file << in.rdbuf();
    const std::optional<std::string_view> page = explanation(code);
    CHECK(page.has_value() == in.good());
    if (page) CHECK(*page == file.str());
  }
  CHECK(explanation("P0001").has_value());
}

TEST_CASE("what is no code has no explanation") {
  for (const char *code : {"", "P", "p0001", "P00011", "P0001 ", "Z9999"}) CHECK_FALSE(explanation(code).has_value());
}
