// SPDX-License-Identifier: Apache-2.0
// Programs from files: reading, parsing, judging, and the choice of a kernel.
#pragma once
#include "semantics/program/program.h"
#include <memory>

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

} // namespace tilenest::cli
