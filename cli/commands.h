// SPDX-License-Identifier: Apache-2.0
// The commands and what each takes from the command line. A command returns its exit status; one file a command
// (run_command.cpp, ...). The parsing of the command line is in command_line.h.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilenest::cli {

// Exit statuses beyond those of diagnostics.
inline constexpr int status_not_conforming = 4;
inline constexpr int status_usage = 64;
inline constexpr int status_bug = 70;

struct Assignment { // NAME=PLACE
  std::string name, place;
};

struct RunArguments {
  std::string file;   // "-": standard input
  std::string kernel; // "": the only one
  std::vector<Assignment> inputs, outputs;
  std::map<std::string, std::int64_t> shape;
  std::optional<std::uint64_t> random;
  std::optional<std::string> fill;
  std::optional<std::int64_t> while_limit;
  std::optional<std::size_t> threads;
  std::string engine = "interp";
  bool strict = false; // another engine: the reference's grouping, no contraction
  int vector_bits = 0; // likewise: of its vectors
  bool no_cache = false; // of compiled code
  std::string schedule; // as chooser_of takes it; "": the reference
  bool allow_partial = false;
  bool cover = false;
  bool sparse = false; // arguments may be larger than the memory: a plain run
  bool unchecked = false;
  bool first = false;
  bool json = false;
};
struct ExploreArguments {
  RunArguments run; // without outputs
  std::uint64_t limit = 10000, samples = 200;
};
struct JudgeArguments {
  RunArguments run; // without outputs
  std::vector<Assignment> results;
  std::string target; // a profile: a file, `cpu`, or `ieee`, which "" is too
};
struct CheckArguments {
  std::string file, kernel;
  std::map<std::string, std::int64_t> shape; // with laws
  bool laws = false;
  bool json = false;
};
struct PrintArguments {
  std::string file, kernel;
  std::string emit = "program"; // or "plan"
  bool strict = false;
  bool expand = false;
  bool anchors = false;
};
struct OpsArguments {
  std::string name; // "": all
  std::string target; // a profile: a file, `cpu` or `ieee`; "": none
  bool json = false;
  bool markdown = false;
};
struct ConformArguments {
  std::vector<std::string> engines; // empty: all there are
  std::string filter;               // a regular expression that is found in the case's name; "": all
  std::string cases;                // a folder of case files; "": those in the binary
  std::vector<std::string> expected_failures; // files
  std::string junit;                // a file, or ""
  std::string target;               // the profile of commands: a file, or `ieee`, which "" is too
  double timeout_s = 30;
  bool strict = false, list = false, json = false;
};
struct FuzzArguments {
  std::vector<std::string> engines; // empty: plan, and cpu where there is one
  std::uint64_t seed = 0, cases = 0; // cases 0: as many as the seconds allow
  double seconds = 10, timeout_s = 30;
  std::size_t findings = 1;
  std::string save; // a folder for what is found, or ""
  bool coverage = false, json = false;
};
struct ExplainArguments {
  std::string code; // "": the list of codes
};
struct CompletionArguments {
  std::string shell;
};

int run_command(const RunArguments &arguments);
int explore_command(const ExploreArguments &arguments);
int judge_command(const JudgeArguments &arguments);
int check_command(const CheckArguments &arguments);
int print_command(const PrintArguments &arguments);
int ops_command(const OpsArguments &arguments);
int show_target_profile(const OpsArguments &options); // ops --target
int conform_command(const ConformArguments &arguments);
int fuzz_command(const FuzzArguments &arguments);
int explain_command(const ExplainArguments &arguments);
int completion_command(const CompletionArguments &arguments);

using Command = std::variant<RunArguments, ExploreArguments, JudgeArguments, CheckArguments, PrintArguments, ConformArguments, FuzzArguments, OpsArguments,
                             ExplainArguments, CompletionArguments>;

} // namespace tilenest::cli
