// SPDX-License-Identifier: Apache-2.0
// The command line: words in, a command out. Help, version and usage errors end here.
#pragma once
#include "cli/commands.h"

namespace tilenest::cli {

// The command, or the exit status of a run that is over: help and version (0), a usage error (64; said on
// standard error, with a hint).
std::variant<Command, int> parse_command_line(int argc, const char *const *argv);

// What completion needs to know of the commands.
struct OptionSummary {
  std::vector<std::string> names; // "-i", "--input"
  std::string help;
  bool takes_value = false;
  bool takes_file = false;
};
struct CommandSummary {
  std::string name, help;
  std::vector<OptionSummary> options;
  bool takes_file = false; // a program file follows
};
std::vector<CommandSummary> command_summaries();

} // namespace tilenest::cli
