// SPDX-License-Identifier: Apache-2.0
// Writing the outputs of a run.
#include "cli/output_files.h"
#include "arrays/npy.h"
#include "semantics/diag/codes.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tilenest::cli {

namespace {

using Args = std::vector<std::pair<std::string, std::string>>;

// The folder that the new file is made in: the one of the file itself, or of what a link points to.
Diagnostics folder_ok(const std::string &path) {
  std::error_code error;
  std::filesystem::path target(path);
  if (std::filesystem::is_symlink(target, error)) {
    const auto resolved = std::filesystem::weakly_canonical(target, error);
    if (!error) target = resolved;
  }
  if (std::filesystem::is_directory(target, error))
    return {Diagnostic(Code::P0509, {}, Args{{"file", path}, {"why", std::strerror(EISDIR)}})};
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (access(folder.c_str(), W_OK | X_OK) == 0 && std::filesystem::is_directory(folder, error)) return {};
  const int reason = errno == 0 ? ENOTDIR : errno;
  return {Diagnostic(Code::P0509, {}, Args{{"file", path}, {"why", std::strerror(reason)}})};
}

Diagnostics write_contents(ReplacementFile &file, const Array &array) {
  const std::string header = npy_header_bytes(array.type, array.shape, npy_order(array));
  Diagnostics failed = file.append(std::as_bytes(std::span(header)));
  if (!failed.empty()) return failed;
  return for_each_npy_chunk(array, [&](std::span<const std::byte> bytes) { return file.append(bytes); });
}

} // namespace

Result<std::vector<OutputFile>> plan_outputs(const TileProgram &program, const RunArguments &options) {
  std::vector<OutputFile> out;
  Diagnostics errors;
  for (const Assignment &output : options.outputs) {
    std::size_t at = 0;
    while (at < program.arguments.size() && program.objects[program.arguments[at]].name != output.name) ++at;
    std::string writable;
    for (ObjectId id : program.arguments)
      if (program.objects[id].access != ArgumentAccess::in)
        writable += (writable.empty() ? "`" : ", `") + program.objects[id].name + "`";
    const std::string help = "what `" + program.name + "` writes: " + (writable.empty() ? "nothing" : writable);
    if (at == program.arguments.size()) {
      errors.emplace_back(Code::T1001, Site{}, Args{{"argument", output.name}}, help);
      continue;
    }
    const Object &object = program.objects[program.arguments[at]];
    if (object.access == ArgumentAccess::in) {
      errors.emplace_back(Code::T1101, program.site(object.site), Args{{"argument", output.name}}, help);
      continue;
    }
    for (Diagnostic &d : folder_ok(output.place)) errors.push_back(std::move(d));
    out.push_back({at, output.place});
  }
  if (!errors.empty()) return errors;
  return out;
}

bool same_file(const std::string &a, const std::string &b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto absolute = [&](const std::string &path) { return std::filesystem::absolute(path, error); };
  const auto x = std::filesystem::weakly_canonical(absolute(a), error), y = std::filesystem::weakly_canonical(absolute(b), error);
  return !x.empty() && x == y;
}

Diagnostics write_outputs(const std::vector<OutputFile> &files, const std::vector<Argument> &arguments) {
  std::vector<ReplacementFile> written;
  for (const OutputFile &f : files) {
    Result<ReplacementFile> file = ReplacementFile::create(f.path);
    if (!file) return file.errors();
    Diagnostics failed = write_contents(*file, *arguments[f.argument].array);
    if (!failed.empty()) return failed;
    written.push_back(std::move(*file));
  }
  for (ReplacementFile &file : written) {
    Diagnostics failed = file.commit();
    if (!failed.empty()) return failed;
  }
  return {};
}

} // namespace tilenest::cli
