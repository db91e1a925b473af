// SPDX-License-Identifier: Apache-2.0
// The table of examples/README.md: a row for each example, and each row's command runs as it stands there.
#include "tests/examples/process.h"
#include "tests/examples/readme.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

using namespace tilenest::examples;

TEST_CASE("the README has a row for each example", "[examples]") {
  std::vector<std::string> files, named;
  for (const auto &entry : std::filesystem::directory_iterator(TILENEST_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".tile") files.push_back(entry.path().stem());
  for (const Row &row : readme_rows()) {
    named.push_back(row.name);
    CHECK(row.words.at(0) == "examples/" + row.name + ".tile");
  }
  std::sort(files.begin(), files.end());
  std::sort(named.begin(), named.end());
  CHECK(named == files);
}

TEST_CASE("each command of the README runs, without checks within two seconds", "[examples]") {
  for (const Row &row : readme_rows()) {
    INFO(row.name);
    std::vector<std::string> words = row.words;
    words.insert(words.begin(), "run");
    CHECK(run_tilenest(words).status == 0);
    words.push_back("--unchecked");
    const Ended run = run_tilenest(words);
    CHECK(run.status == 0);
#ifndef TILENEST_SANITIZED // a sanitizer's time is no time of the run
    CHECK(run.seconds <= 2);
#endif
  }
}
