// SPDX-License-Identifier: Apache-2.0
// Dependencies point one way. The order of the folders is written here once; an include against it fails.
#include "tests/meta/source_tree.h"
#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace tilenest::meta;

namespace {

// A folder may include itself and every folder of a smaller rank. Folders of one rank do not see each other,
// but for the two files of the table of operations.
const std::map<std::string, int, std::less<>> semantics_ranks = {
    {"support", 0},    {"diag", 10},        {"space", 20},           {"maps", 30},
    {"ops", 40},       {"op_table", 40},     {"op_facts", 40}, // files of semantics/ itself: the table of operations,
    {"judge", 90},     // and all judgements in their order
    {"program", 50},   {"library", 55},      {"text", 60},        {"dsl", 60},             {"typing", 60},
    {"placement", 60}, {"numerics", 60},    {"rules", 70},           {"reduction", 80},
    {"pipeline", 80},  {"noninterference", 80}, {"transform", 80},   {"binding", 80}};

// What the folders outside semantics/ may include beside themselves. "semantics" is all of it.
const std::map<std::string, std::set<std::string>, std::less<>> outer_sees = {
    {"interp", {"semantics"}},
    {"arrays", {"semantics"}},
    {"lower", {"semantics"}},
    {"spirv", {"lower", "semantics/support", "semantics/diag"}},
    {"vulkan_rt", {"semantics/support"}},
    {"include", {"semantics", "interp", "arrays", "lower", "compile"}},
    {"compile", {"semantics", "interp", "lower"}},
    {"conformance", {"semantics", "interp", "arrays", "lower", "compile"}}};

// What only some files may include: the semantics has no threads, no I/O and no clock, and threads start in
// one place.
bool system_header_ok(std::string_view path, std::string_view header) {
  static const std::set<std::string, std::less<>> outside_world = {
      "thread", "future", "iostream", "fstream", "filesystem", "chrono", "ctime", "unistd.h"};
  const bool threads = header == "thread" || header == "future" || begins_with(header, "tbb/") ||
                       begins_with(header, "oneapi/tbb");
  if (threads) return path == "interp/executor.cpp";
  return !begins_with(path, "semantics/") || outside_world.count(header) == 0;
}

struct Folder {
  std::string top;     // "semantics", "interp"
  std::string chapter; // "space"; for a file directly in the top folder its name, "judge"
};

Folder folder_of(std::string_view path) {
  const std::size_t top = path.find('/');
  const std::size_t next = top == std::string_view::npos ? top : path.find('/', top + 1);
  Folder out{std::string(path.substr(0, top)), {}};
  const std::size_t end = next != std::string_view::npos ? next : path.find('.', top);
  if (top != std::string_view::npos) out.chapter = path.substr(top + 1, end - top - 1);
  return out;
}

bool edge_ok(const Folder &from, const Folder &to) {
  if (from.top == "semantics") {
    if (to.top != "semantics") return false;
    const int source = semantics_ranks.at(from.chapter), target = semantics_ranks.at(to.chapter);
    return from.chapter == to.chapter || target < source || (source == 40 && target == 40);
  }
  if (from.top == to.top) return true;
  const std::set<std::string> &seen = outer_sees.at(from.top);
  return seen.count(to.top) != 0 || seen.count(to.top + "/" + to.chapter) != 0;
}

Faults layering_faults(const std::vector<SourceText> &files) {
  Faults faults;
  std::set<std::string, std::less<>> paths;
  for (const SourceText &file : files) paths.insert(file.path);
  for (const SourceText &file : files) {
    const Folder from = folder_of(file.path);
    if (from.top == "semantics" && semantics_ranks.count(from.chapter) == 0) {
      faults.push_back(file.path + ": its folder has no place in the order");
      continue;
    }
    for (std::string_view line : lines_of(file.text)) {
      line = trimmed(line);
      if (!begins_with(line, "#")) continue;
      line = trimmed(line.substr(1));
      if (!begins_with(line, "include")) continue;
      line = trimmed(line.substr(7));
      if (line.empty()) continue;
      const char close = line[0] == '"' ? '"' : '>';
      const std::string header(line.substr(1, line.find(close, 1) - 1));
      if (close == '>') {
        if (!system_header_ok(file.path, header))
          faults.push_back(file.path + ": does not include <" + header + ">");
        continue;
      }
      const Folder to = folder_of(header);
      const bool known = to.top == "semantics" ? semantics_ranks.count(to.chapter) != 0
                                               : outer_sees.count(to.top) != 0;
      if (paths.count(header) == 0)
        faults.push_back(file.path + ": includes \"" + header + "\", which is no file from the repository root");
      else if (!known || !edge_ok(from, to))
        faults.push_back(file.path + ": includes \"" + header + "\" against the order of the folders");
    }
  }
  return faults;
}

} // namespace

TEST_CASE("includes follow the order of the folders", "[layering]") {
  std::vector<std::string> folders{"semantics"};
  for (const auto &[folder, seen] : outer_sees) folders.push_back(folder);
  const std::vector<SourceText> files = files_below(folders, {".h", ".cpp", ".def"});
  REQUIRE(files.size() > 8);
  const Faults faults = layering_faults(files);
  INFO(listed(faults));
  CHECK(faults.empty());
}

TEST_CASE("the layering check finds what it looks for", "[layering]") {
  const std::vector<SourceText> base = {{"semantics/support/id.h", ""},   {"semantics/diag/render.h", ""},
                                        {"semantics/space/space.h", ""},  {"semantics/text/parser.h", ""},
                                        {"semantics/op_table.h", ""},     {"semantics/typing/ok.h", ""},
                                        {"semantics/program/op.h", ""}, {"semantics/ops.def", ""},   {"interp/machine.h", ""},
                                        {"lower/plan.h", ""},             {"arrays/npy.h", ""}};
  const auto faults_of = [&](const std::string &path, const std::string &include) {
    std::vector<SourceText> files = base;
    files.push_back({path, "// a file\n# include " + include + "\n"});
    return layering_faults(files).size();
  };
  CHECK(faults_of("semantics/space/x.h", "\"semantics/diag/render.h\"") == 0);
  CHECK(faults_of("semantics/space/x.h", "\"semantics/space/space.h\"") == 0);
  CHECK(faults_of("semantics/diag/x.h", "\"semantics/space/space.h\"") == 1);
  CHECK(faults_of("semantics/text/x.h", "\"semantics/typing/ok.h\"") == 1);
  CHECK(faults_of("semantics/program/x.h", "\"semantics/op_table.h\"") == 0);
  CHECK(faults_of("semantics/maps/x.h", "\"semantics/op_table.h\"") == 1);
  CHECK(faults_of("semantics/op_table.cpp", "\"semantics/ops.def\"") == 0);
  CHECK(faults_of("semantics/op_table.cpp", "\"semantics/program/op.h\"") == 1);
  CHECK(faults_of("semantics/judge.cpp", "\"semantics/typing/ok.h\"") == 0);
  CHECK(faults_of("semantics/surprise.h", "<vector>") == 1);
  CHECK(faults_of("semantics/rules/x.h", "\"semantics/text/parser.h\"") == 0);
  CHECK(faults_of("semantics/rules/x.h", "\"interp/machine.h\"") == 1);
  CHECK(faults_of("interp/x.h", "\"semantics/typing/ok.h\"") == 0);
  CHECK(faults_of("interp/x.h", "\"arrays/npy.h\"") == 1);
  CHECK(faults_of("lower/x.h", "\"interp/machine.h\"") == 1);
  CHECK(faults_of("spirv/x.h", "\"lower/plan.h\"") == 0);
  CHECK(faults_of("spirv/x.h", "\"semantics/program/op.h\"") == 1);
  CHECK(faults_of("vulkan_rt/x.h", "\"lower/plan.h\"") == 1);
  CHECK(faults_of("conformance/x.h", "\"interp/machine.h\"") == 0);
  CHECK(faults_of("compile/x.h", "\"interp/machine.h\"") == 0);
  CHECK(faults_of("lower/x.h", "\"compile/compiled_kernel.h\"") == 1);
  CHECK(faults_of("interp/x.h", "\"conformance/x.h\"") == 1);
  CHECK(faults_of("semantics/space/x.h", "\"space.h\"") == 1);
  CHECK(faults_of("semantics/surprise/x.h", "<vector>") == 1);
  CHECK(faults_of("semantics/space/x.cpp", "<fstream>") == 1);
  CHECK(faults_of("interp/x.cpp", "<thread>") == 1);
  CHECK(faults_of("interp/executor.cpp", "<thread>") == 0);
}
