// SPDX-License-Identifier: Apache-2.0
// Programs from files: reading, parsing, judging, and the choice of a kernel.
#pragma once
#include "semantics/program/program.h"
#include <memory>
#include <optional>
#include <variant>

namespace tilenest::cli {

using Program = std::shared_ptr<const TileProgram>;

struct LoadedFile {
  std::string name; // as shown: the path, or "<stdin>"
  std::vector<Program> kernels; // judged; only those without errors
  Diagnostics diagnostics;      // of reading, parsing and judging
};

// The file at `path`, or standard input for "-". With `kernel`, only that one is judged. P0501: it cannot be
// read; P1101: it has no kernel.
LoadedFile load_file(const std::string &path, const std::string &kernel);

// The kernels of the file were loaded without errors: the one to run, or the exit status of a usage error.
std::variant<Program, int> choose_kernel(const LoadedFile &file, const std::string &kernel);

// Loads the file and gives the chosen kernel to `run`, with its name; what the file has to say goes to `diagnostics`, and
// with an error there is no kernel. The exit status where the choice is a usage error.
template <class F>
std::optional<int> with_kernel(const std::string &path, const std::string &kernel, Diagnostics &diagnostics, std::string &name, F &&run) {
  LoadedFile file = load_file(path, kernel);
  diagnostics = std::move(file.diagnostics);
  if (has_error(diagnostics)) return std::nullopt;
  const auto chosen = choose_kernel(file, kernel);
  if (const int *status = std::get_if<int>(&chosen)) return *status;
  const Program &program = std::get<Program>(chosen);
  name = program->name;
  run(program);
  return std::nullopt;
}

} // namespace tilenest::cli
