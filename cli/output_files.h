// SPDX-License-Identifier: Apache-2.0
// The files of -o: which arguments they are for, whether their folders can be written, and writing them, each
// whole or not at all and none before all are complete.
#pragma once
#include "cli/argument_source.h"

namespace tilenest::cli {

struct OutputFile {
  std::size_t argument; // position in program.arguments
  std::string path;
};

// T1001 for an unknown argument, T1101 for an `in` argument, P0509 for a folder that cannot be written: said before the
// run, which may be long.
Result<std::vector<OutputFile>> plan_outputs(const TileProgram &program, const RunArguments &options);

// Whether two paths lead to one file, which need not exist yet: through other folders, links, or as two names of it.
bool same_file(const std::string &a, const std::string &b);

Diagnostics write_outputs(const std::vector<OutputFile> &files, const std::vector<Argument> &arguments);

} // namespace tilenest::cli
