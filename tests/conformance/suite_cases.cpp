// SPDX-License-Identifier: Apache-2.0
// Reading case files for tests.
#include "tests/conformance/suite_cases.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilenest::conformance {

const std::vector<Case> &committed_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::directory_iterator(TILENEST_SOURCE_DIR "/conformance/cases")) paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    std::vector<Case> out;
    for (const std::string &path : paths) {
      std::ifstream file(path);
      std::stringstream text;
      text << file.rdbuf();
      Result<std::vector<Case>> read = read_cases(text.str(), path);
      if (!read) FAIL(read.errors()[0].message());
      for (Case &c : *read) out.push_back(std::move(c));
    }
    return out;
  }();
  return cases;
}

std::vector<Case> cases_of(const std::string &json) {
  Result<std::vector<Case>> read = read_cases(json, "test.json");
  if (!read) FAIL(read.errors()[0].message());
  return std::move(*read);
}

std::string case_file(const std::string &body) {
  return R"json({"schema": "tilenest-conformance-1", "chapter": "test", "about": "a test", "rules": ["BND-ZERO"], "derived": "by hand: a test",
    "programs": {"copy": ["kernel copy(A: i32[N], C: out i32[N]) {", "  axis m = N", "  C(0, [m]).store(A[0, [m]])", "}"]}, "cases": [)json" + body + "]}";
}

std::vector<const Case *> pointers(const std::vector<Case> &cases, const std::string &part_of_name) {
  std::vector<const Case *> out;
  for (const Case &c : cases)
    if (c.name.find(part_of_name) != std::string::npos) out.push_back(&c);
  return out;
}

} // namespace tilenest::conformance
