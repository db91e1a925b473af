// SPDX-License-Identifier: Apache-2.0
// Reading files and checking that print and parse are inverse.
#include "tests/text/round_trip.h"
#include "semantics/text/words.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilenest {

std::shared_ptr<const SourceFile> read_source(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  auto file = std::make_shared<SourceFile>();
  file->name = path;
  file->text = text.str();
  return file;
}

std::string listing(const Diagnostics &diagnostics) {
  std::string out;
  for (const Diagnostic &d : diagnostics) {
    if (!d.sites.empty()) out += std::to_string(d.sites[0].site.line) + ":" + std::to_string(d.sites[0].site.column) + " ";
    out += std::string(d.info().code) + " " + d.message() + (d.help.empty() ? "" : " (" + d.help + ")") + "\n";
  }
  return out;
}

namespace {

bool may_stay(const TileProgram &p, const std::string &name) {
  for (const Param &q : p.params)
    if (q.name == name) return false;
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos &&
         name.find_first_not_of('_') != std::string::npos && !(name[0] >= '0' && name[0] <= '9') && !text::reserved_word(name);
}

// An argument that print calls otherwise than the program does, where text can have all their names; or "".
std::string renamed_argument(const TileProgram &p, const TileProgram &printed) {
  for (ObjectId id : p.arguments)
    if (!may_stay(p, p.objects[id].name)) return {};
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    if (printed.objects[printed.arguments[i]].name != p.objects[p.arguments[i]].name) return p.objects[p.arguments[i]].name;
  return {};
}

} // namespace

std::string round_trip_fault(const TileProgram &p, const PrintOptions &options, text::ProductionCounts *counts) {
  auto file = std::make_shared<SourceFile>();
  file->name = "printed.tile";
  file->text = print(p, options);
  const ParsedFile parsed = parse(file, counts);
  if (!parsed.diagnostics.empty()) return "printed text is refused:\n" + listing(parsed.diagnostics) + file->text;
  if (parsed.kernels.size() != 1) return "one kernel expected:\n" + file->text;
  std::string difference;
  if (!equal(p, parsed.kernels[0], &difference))
    return "not equal: " + difference + "\n" + file->text + "--- printed again:\n" + print(parsed.kernels[0], options);
  if (const std::string renamed = renamed_argument(p, parsed.kernels[0]); !renamed.empty())
    return "`" + renamed + "` is called otherwise in print:\n" + file->text;
  return {};
}

std::vector<std::string> tile_files(const std::string &folder) {
  std::vector<std::string> out;
  const std::filesystem::path root = std::filesystem::path(TILENEST_SOURCE_DIR) / folder;
  if (!std::filesystem::exists(root)) return out;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".tile") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace tilenest
