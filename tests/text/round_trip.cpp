// SPDX-License-Identifier: Apache-2.0
// Reading files and checking that print and parse are inverse.
#include "tests/text/round_trip.h"
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
