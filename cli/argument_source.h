// SPDX-License-Identifier: Apache-2.0
// Where the arguments of a run come from: files (-i), generated values (--random, --fill), or nowhere (undefined).
#pragma once
#include "arrays/array.h"
#include "cli/commands.h"
#include "cli/program_source.h"
#include "cli/report.h"
#include "interp/run.h"

namespace tilenest::cli {

struct Argument {
  ObjectId object;
  std::optional<Array> array; // from a file until prepare_arguments has run; then always
  bool defined = false;
};

// By position in program.arguments, with the arrays of -i: mapped where that can be, `mut` and `out` ones
// copy-on-write, so that no run changes a file. Errors: an unreadable file, a wrong element type, T1001 for an
// unknown argument, T1102 for an `in` argument that nothing gives. Warnings go to `warnings`.
Result<std::vector<Argument>> read_arguments(const TileProgram &program, const RunArguments &options,
                                             Diagnostics &warnings);

// The shapes that the files give, for bind().
std::vector<ArgumentShape> given_shapes(const TileProgram &program, const std::vector<Argument> &arguments);

// Makes the arrays that are still missing, with the bound shapes.
Diagnostics prepare_arguments(const BoundProgram &bound, const RunArguments &options,
                              std::vector<Argument> &arguments);

// Gives each violation and assertion the command that meets it again: the same arguments, the same schedule or engine.
// None where the program came from standard input or a pipe.
void say_how_to_replay(Diagnostics &diagnostics, const RunArguments &options);

// A kernel bound to its arguments, ready for the machine.
struct Launch {
  std::vector<Argument> arguments;
  BoundProgram bound;
  std::vector<Buffer> buffers() const;
  Json parameters() const; // by name
};
Result<Launch> prepare_launch(const Program &program, const RunArguments &options, Diagnostics &warnings);

} // namespace tilenest::cli
