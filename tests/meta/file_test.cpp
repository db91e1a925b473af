// SPDX-License-Identifier: Apache-2.0
// What holds of every source file: its name says what it holds, its first line is the licence, and it is one
// room and not a hall.
#include "tests/meta/source_tree.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilenest::meta;

namespace {

constexpr std::size_t greatest_length = 600;

// Files that may be longer, each with the reason.
struct Exception {
  std::string_view path, reason;
};
constexpr Exception long_files[] = {
    {"", ""}, // none
};

const std::vector<std::string> folders = {"semantics", "interp", "arrays",  "lower", "spirv", "vulkan_rt",
                                          "cli",       "include", "examples", "bench", "tests", "conformance"};

Faults file_faults(const SourceText &file) {
  Faults faults;
  const std::size_t begin = file.path.rfind('/') + 1;
  std::string_view stem = std::string_view(file.path).substr(begin, file.path.find('.', begin) - begin);
  while (true) {
    const std::size_t end = stem.find('_');
    static const std::set<std::string_view> empty_words = {"util", "utils", "helper", "helpers", "common", "misc"};
    if (empty_words.count(stem.substr(0, end)) != 0)
      faults.push_back(file.path + ": is named after nothing that it holds");
    if (end == std::string_view::npos) break;
    stem.remove_prefix(end + 1);
  }
  const std::vector<std::string_view> lines = lines_of(file.text);
  if (lines.empty() || lines[0] != "// SPDX-License-Identifier: Apache-2.0")
    faults.push_back(file.path + ": its first line is not the SPDX line");
  if (lines.size() < 2 || !begins_with(lines[1], "// "))
    faults.push_back(file.path + ": does not say what it holds");
  bool excepted = false;
  for (const Exception &e : long_files) excepted = excepted || e.path == file.path;
  if (lines.size() > greatest_length && !excepted)
    faults.push_back(file.path + ": has " + std::to_string(lines.size()) + " lines");
  return faults;
}

} // namespace

// It is to be read whole; what makes its kernels and compares it with the engine is not the oracle.
TEST_CASE("the second oracle has fewer than a thousand lines", "[files]") {
  std::size_t lines = 0;
  for (const SourceText &file : files_below({"tests/oracle"}, {".h", ".cpp"})) {
    const bool about_it = file.path.find("/random_") != std::string::npos || file.path.find("/both_runs") != std::string::npos ||
                          file.path.find("_test.cpp") != std::string::npos;
    if (!about_it) lines += lines_of(file.text).size();
  }
  CHECK(lines > 500);
  CHECK(lines < 1000);
}

TEST_CASE("source files have a name, a licence, a purpose and a bound", "[files]") {
  Faults faults;
  const std::vector<SourceText> files = files_below(folders, {".h", ".cpp"});
  REQUIRE(files.size() > 8);
  for (const SourceText &file : files)
    for (std::string &fault : file_faults(file)) faults.push_back(std::move(fault));
  INFO(listed(faults));
  CHECK(faults.empty());
}

TEST_CASE("the file check finds what it looks for", "[files]") {
  const std::string good = "// SPDX-License-Identifier: Apache-2.0\n// What it is.\n";
  CHECK(file_faults({"semantics/space/space.h", good}).empty());
  CHECK(file_faults({"semantics/space/utils.h", good}).size() == 1);
  CHECK(file_faults({"semantics/space/space_helpers.cpp", good}).size() == 1);
  CHECK(file_faults({"semantics/space/commonality.cpp", good}).empty());
  CHECK(file_faults({"semantics/space/space.h", "#pragma once\n"}).size() == 2);
  std::string text = good;
  for (std::size_t i = 2; i < greatest_length; ++i) text += "x\n";
  CHECK(file_faults({"semantics/space/space.h", text}).empty());
  CHECK(file_faults({"semantics/space/space.h", text + "x\n"}).size() == 1);
}
