// SPDX-License-Identifier: Apache-2.0
// Reading the project's files from TILENEST_SOURCE_DIR.
#include "tests/meta/source_tree.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilenest::meta {

namespace fs = std::filesystem;

std::string read_file(const std::string &path) {
  std::ifstream in(fs::path(TILENEST_SOURCE_DIR) / path, std::ios::binary);
  INFO("file " << path);
  REQUIRE(in.good());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<SourceText> files_below(const std::vector<std::string> &folders,
                                    const std::vector<std::string> &endings) {
  std::vector<SourceText> out;
  for (const std::string &folder : folders) {
    const fs::path root = fs::path(TILENEST_SOURCE_DIR) / folder;
    if (!fs::exists(root)) continue;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root)) {
      const std::string path = entry.path().lexically_relative(TILENEST_SOURCE_DIR).generic_string();
      const bool wanted = std::any_of(endings.begin(), endings.end(),
                                      [&](const std::string &ending) { return ends_with(path, ending); });
      if (entry.is_regular_file() && wanted) out.push_back({path, read_file(path)});
    }
  }
  std::sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.path < b.path; });
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

std::string listed(const Faults &faults) {
  std::string out;
  for (const std::string &fault : faults) out += "\n  " + fault;
  return out;
}

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
      out += ' ';
    } else if (c == 'R' && text.substr(i, 2) == "R\"") {
      const std::size_t open = text.find('(', i);
      const std::string close =
          open == std::string_view::npos ? "" : ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      const std::size_t end = close.empty() ? text.size() : text.find(close, open);
      const std::size_t stop = end >= text.size() ? text.size() : end + close.size();
      out += text.substr(i, stop - i);
      i = stop;
    } else if (c == '"' || c == '\'') {
      const bool separator = c == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(text[i - 1])); // 1'000
      out += c;
      ++i;
      while (!separator && i < text.size() && text[i] != c && text[i] != '\n') {
        if (text[i] == '\\' && i + 1 < text.size()) out += text[i++];
        out += text[i++];
      }
      if (!separator && i < text.size()) out += text[i++];
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

TEST_CASE("comments are taken out, strings stay", "[files]") {
  CHECK(without_comments("a // b\nc /* d */ e") == "a \nc   e");
  CHECK(without_comments("f(\"// no\"); // yes") == "f(\"// no\"); ");
  CHECK(without_comments("x = R\"(// \" no)\"; // yes") == "x = R\"(// \" no)\"; ");
  CHECK(without_comments("1'000 // x") == "1'000 ");
  CHECK(without_comments("'\"' // x") == "'\"' ");
  CHECK(without_comments("\"a\\\"// b\" // x") == "\"a\\\"// b\" ");
}

} // namespace tilenest::meta
