// SPDX-License-Identifier: Apache-2.0
// The options of every command and their help, through CLI11. The one file that sees it.
#include "cli/command_line.h"
#include "interp/explore.h"
#include "cli/fill.h"
#include "cli/output_files.h"
#include "conformance/engines/engine.h"
#include "conformance/suite/backend.h"
#include "semantics/text/scope.h"
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <regex>

namespace tilenest::cli {

namespace {

constexpr const char *file_positional = "FILE";
constexpr const char *assign_type = "NAME=FILE";

// What CLI11 fills; the commands' own structures are made of it afterwards.
struct Raw {
  RunArguments run; // also of explore and judge
  ExploreArguments explore;
  JudgeArguments judge;
  CheckArguments check;
  PrintArguments print;
  ConformArguments conform;
  FuzzArguments fuzz;
  OpsArguments ops;
  ExplainArguments explain;
  CompletionArguments completion;
  std::vector<std::string> inputs, outputs, results, shape;
  std::string random, fill, while_limit, threads, schedule, limit, samples, timeout, seed, cases, seconds, findings;
};

Assignment split(const std::string &text, const char *option) {
  const std::size_t at = text.find('=');
  if (at == 0 || at == std::string::npos || at + 1 == text.size())
    throw CLI::ValidationError(option, "needs NAME=FILE, not `" + text + "`");
  return {text.substr(0, at), text.substr(at + 1)};
}

template <class Int> Int number(const std::string &text, const char *option) {
  Int value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size())
    throw CLI::ValidationError(option, "`" + text + "` does not fit 64 bits");
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw CLI::ValidationError(option, "`" + text + "` is not a whole number" + (std::is_signed_v<Int> ? "" : ", 0 or more"));
  return value;
}

// What makes a launch of a kernel, for each command that runs one.
void add_launch(CLI::App *c, Raw &raw) {
  c->add_option(file_positional, raw.run.file, "the program; `-` reads standard input")->required()->type_name("");
  c->add_option("--kernel", raw.run.kernel, "which kernel of the file")->type_name("NAME");
  c->add_option("-i,--input", raw.inputs, "array of an argument: X.npy, X.npz:MEMBER")
      ->type_name(assign_type)->allow_extra_args(false);
  c->add_option("--shape", raw.shape, "extent parameters by name")
      ->type_name("M=127,...")->allow_extra_args(false);
  CLI::Option *random =
      c->add_option("--random", raw.random, "random values, the same on every machine (docs/cli.md)")->type_name("SEED");
  c->add_option("--fill", raw.fill, "iota (0, 1, 2, ...), zeros, or one value")->type_name("iota|zeros|VALUE")
      ->excludes(random);
  c->add_option("--while-limit", raw.while_limit, "rounds of one `while` before the run is given up (100000000)")
      ->type_name("N");
  c->add_flag("--unchecked", raw.run.unchecked, "run without looking for violations");
  c->add_flag("--json", raw.run.json, "results and diagnostics as JSON on standard output");
}

void add_run(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("run", "run a kernel on arrays");
  c->footer(R"(Arguments of the kernel:
  -i gives an argument its array, and with it the extent parameters in its shape. An `in` argument needs one,
  or --random or --fill, which give values to every `in` and `mut` argument without -i (never to `out`).
  A `mut` or `out` argument without a value starts undefined: it may be written, and read only after that.
  An input file is read and not changed, unless -o names it: then the result replaces it.
Results:
  -o writes a `mut` or `out` argument to a file, whole or not at all. Nothing is written where the run has
  violations, nor where elements were never written (--allow-partial writes those as zero).
  Without -o, a summary of each of them is printed.
Exit status: 0 fine, 1 an assertion of the program, 2 text, typing or argument, 3 a violation, 5 not supported,
  6 a limit, 64 usage, 70 a bug of tilenest.
Examples:
  tilenest run gemm.tile -i A=a.npy -i B=b.npy -o C=c.npy
  tilenest run gemm.tile --shape M=127,N=65,K=33 --random 7
  tilenest run layers.tile --kernel softmax -i X=batch.npz:logits -o Y=probs.npy
  tilenest run copy.tile --shape M=8 --fill iota --json)");
  add_launch(c, raw);
  c->add_option("-o,--output", raw.outputs, "write an argument to a .npy file after the run")
      ->type_name(assign_type)->allow_extra_args(false);
  c->add_option("--engine", raw.run.engine, "which engine runs it; only interp, the reference, finds violations")->type_name("interp|plan|cpu")
      ->check(CLI::IsMember(conformance::engine_names()).description(""));
  c->add_option("--vector", raw.run.vector_bits, "another engine than interp: bits of its vectors")->type_name("128|256|512")
      ->check(CLI::IsMember({128, 256, 512}).description(""));
  c->add_flag("--no-cache", raw.run.no_cache, "engine cpu: keep no compiled code on disk, and use none");
  c->add_flag("--strict", raw.run.strict, "another engine than interp: the reference's grouping, no contraction");
  c->add_option("--threads", raw.threads, "threads that instances may run on (the machine's); results are the same")
      ->type_name("N");
  c->add_option("--schedule,--replay", raw.schedule, "how the freedoms of the language are resolved: pseudo-random choices, or those that `explore` names")
      ->type_name("reference|seed=N|groupings=N,...");
  c->add_flag("--cover", raw.run.cover, "count how often each element of an output is stored; once is what is expected");
  c->add_flag("--first", raw.run.first, "stop at the first violation");
  c->add_flag("--allow-partial", raw.run.allow_partial, "write outputs with elements that were never written");
}

void add_explore(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("explore", "say whether a result depends on how sums are grouped and ordered");
  c->footer(R"(The kernel runs along every choice that the language leaves open where there are at most --limit: groupings of reductions with a
tree policy, of scans and of `mma`, products of `mma` rounded or not, orders of float atomics. Else the elements
that one reduction of at most 10 contributions decides get a run for each of their values, and the others are sampled
--samples times and enclosed. For each output: how many elements depend on a choice, how many more may, and of the
one with the most values the extremes, each with the --schedule of `tilenest run` that gives it, and where a
declared contract breaks one of its laws, which law (see `check --laws`). Exit status: as `run`; that a result depends on
a choice is no error.
Examples:
  tilenest explore examples/row_statistics.tile --shape M=2,N=6 --random 1
  tilenest explore sum.tile -i X=x.npy --limit 100000 --json)");
  add_launch(c, raw);
  c->add_option("--limit", raw.limit, "choices tried one by one (10000)")->type_name("N");
  c->add_option("--samples", raw.samples, "pseudo-random ones where there are more (200)")->type_name("N");
}

void add_judge(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("judge", "hold another engine's results against the set that a kernel admits");
  c->footer(R"(Gives, for each --result, whether it is one that the kernel may have on these arguments:
  equal      the set has one value, and this is it
  member     the set was enumerated, and the results together are one of its members
  within     each element is inside a sound enclosure: not refuted, which is no proof
  undecided  a freedom reaches a condition, coordinate or trip count, or has no enclosure (N0002)
  outside    not admitted
--target adds what a target's profile declares. Without --result it says how wide the enclosures are.
Exit status: 0 none of the results is refused, 4 one is outside, 5 undecided; else as `run`.
Examples:
  tilenest judge examples/softmax.tile -i X=x.npy --result Y=gpu.npy
  tilenest judge examples/softmax.tile -i X=x.npy --result Y=gpu.npy --target examples/targets/vulkan.json
  tilenest judge examples/gemm.tile --shape M=64,N=64,K=256 --random 1)");
  add_launch(c, raw);
  c->add_option("--result", raw.results, "what the other engine has for an argument: X.npy, X.npz:MEMBER")
      ->type_name(assign_type)->allow_extra_args(false);
  c->add_option("--target", raw.judge.target, "a target's profile: a file, cpu (the engines plan and cpu), or ieee, which declares nothing")->type_name("PROFILE");
}

void add_check(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("check", "judge the kernels of a file without running them");
  c->footer(R"(--laws also tries to falsify the laws of every contract that a `reduce` declares: that its identity is
neutral, that its merge is associative and, where it says so, commutative, and that merging in a contribution is what
the body does. Kernels run on small arguments of many kinds; T0308 reports a law that is broken, with values. That
none is found is no proof.
Exit status: 0 fine, 2 text or typing, or a law that is broken.
Examples:
  tilenest check gemm.tile
  tilenest check layers.tile --kernel softmax --json
  tilenest check statistics.tile --laws)");
  c->add_option(file_positional, raw.check.file, "the program; `-` reads standard input")->required()->type_name("");
  c->add_option("--kernel", raw.check.kernel, "one kernel of the file")->type_name("NAME");
  c->add_flag("--laws", raw.check.laws, "try to falsify the laws of declared contracts");
  c->add_option("--shape", raw.shape, "with --laws: extent parameters that are not to be chosen")
      ->type_name("M=127,...")->allow_extra_args(false);
  c->add_flag("--json", raw.check.json, "kernels and diagnostics as JSON on standard output");
}

void add_print(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("print", "print the kernels of a file as captured");
  c->footer(R"(What is printed parses back to the same program.
Examples:
  tilenest print gemm.tile
  tilenest print flash.tile --expand
  tilenest print gemm.tile --anchors)");
  c->add_option(file_positional, raw.print.file, "the program; `-` reads standard input")->required()->type_name("");
  c->add_option("--kernel", raw.print.kernel, "one kernel of the file")->type_name("NAME");
  c->add_flag("--expand", raw.print.expand, "calls of the library as the core operations that they stand for");
  c->add_flag("--anchors", raw.print.anchors, "pin every anchor that placement inferred");
  c->add_option("--emit", raw.print.emit, "program; plan: what the code generators start from; llvm, asm: the CPU code")->type_name("program|plan|llvm|asm")
      ->check(CLI::IsMember({"program", "plan", "llvm", "asm"}).description(""));
  c->add_flag("--strict", raw.print.strict, "the plan in the reference's grouping, without contraction");
}

void add_conform(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("conform", "hold engines, also your own, against the conformance suite");
  c->footer(R"(The suite's cases are programs with inputs and what must come of them, derived by hand or by an oracle of its own
(docs/conformance.md). exec:COMMAND is a backend of your own: it is called, per case, as
  COMMAND PROGRAM.tile KERNEL IN.npz OUT.npz
and ends with status 0 and its results in OUT.npz, or with 5 where it does not support the kernel.
The table has a row per chapter and a column per engine: cases that pass, and what became of the others.
Exit status: 0 all that applies passes, 4 not conforming: a failure that was not expected, or a pass that was not;
  2 a case file that is none, 64 usage.
Examples:
  tilenest conform
  tilenest conform --engine exec:./my_backend --filter '^kernels/' --junit report.xml
  tilenest conform --engine cpu --engine plan --filter 'mma|scan' --json
  tilenest conform --list)");
  c->add_option("--engine", raw.conform.engines, "interp, plan, cpu or exec:COMMAND; again for several (without it, those of this build)")
      ->type_name("ENGINE")->allow_extra_args(false);
  c->add_option("--filter", raw.conform.filter, "only cases whose name has a match of this regular expression")->type_name("RE");
  c->add_option("--cases", raw.conform.cases, "a folder of case files instead of the suite's own")->type_name("FOLDER");
  c->add_option("--xfail", raw.conform.expected_failures, "failures that are expected: lines `ENGINE CASE: REASON`")
      ->type_name("FILE")->allow_extra_args(false);
  c->add_option("--target", raw.conform.target, "what commands declare of their primitives (ieee, which declares nothing)")->type_name("PROFILE.json");
  c->add_option("--timeout", raw.timeout, "seconds that one case of a command may take (30)")->type_name("SECONDS");
  c->add_flag("--strict", raw.conform.strict, "plan, cpu: the reference's grouping, no contraction");
  c->add_flag("--list", raw.conform.list, "list the cases and run none");
  CLI::Option *json = c->add_flag("--json", raw.conform.json, "the outcome of every case as JSON on standard output");
  c->add_option("--junit", raw.conform.junit, "also write the outcomes as JUnit XML")->type_name("FILE")->excludes(json);
}

void add_fuzz(CLI::App &app, Raw &raw) {
  CLI::App *c = app.add_subcommand("fuzz", "compare engines, also your own, with the reference on random kernels");
  c->footer(R"(Each seed is one kernel with inputs: about concurrency (nests, windows, memories, syncs, atomics) or about numbers (every
operation on every type, ragged extents, masks, folds, contractions). Kernels that violate a contract are left out. plan and cpu
run twice: strictly, for the reference's bits, and freely, for a result that the kernel admits. A kernel on which an engine
differs is made small and printed.
Exit status: 0 none differs, 4 one does, 64 usage.
Examples:
  tilenest fuzz
  tilenest fuzz --seconds 60 --seed 100000 --engine cpu --coverage
  tilenest fuzz --cases 1000 --engine exec:./my_backend --findings 5)");
  c->add_option("--engine", raw.fuzz.engines, "plan, cpu, interp (in other orders) or exec:COMMAND as for `conform`; again for several (plan and cpu)")
      ->type_name("ENGINE")->allow_extra_args(false);
  c->add_option("--seed", raw.seed, "the first kernel (0); the next has the next number")->type_name("N");
  c->add_option("--cases", raw.cases, "so many kernels (as many as --seconds allows)")->type_name("N");
  c->add_option("--seconds", raw.seconds, "so long (10; with --cases alone, without limit)")->type_name("N");
  c->add_option("--findings", raw.findings, "stop after so many kernels on which an engine differs (1)")->type_name("N");
  c->add_option("--timeout", raw.timeout, "seconds that one kernel of a command may take (30)")->type_name("SECONDS");
  c->add_option("--save", raw.fuzz.save, "write each finding there: FOLDER/SEED/kernel.tile and an .npy per input")->type_name("FOLDER");
  c->add_flag("--coverage", raw.fuzz.coverage, "also a table of operations and types: in how many of four kinds of region each was met");
  c->add_flag("--json", raw.fuzz.json, "the outcome as JSON on standard output");
}

void add_others(CLI::App &app, Raw &raw) {
  CLI::App *ops = app.add_subcommand("ops", "list the operations and library functions, or show one");
  ops->footer("Examples:\n  tilenest ops\n  tilenest ops softmax\n  tilenest ops --target examples/targets/vulkan.json\n  tilenest ops --json");
  ops->add_option("NAME", raw.ops.name, "an operation, a function or a page; without it, all by name")->type_name("");
  ops->add_option("--target", raw.ops.target, "show the errors that a target's profile declares; `cpu` is that of the engines plan and cpu, `ieee` declares none")
      ->type_name("PROFILE.json");
  ops->add_flag("--json", raw.ops.json, "the tables as JSON");
  ops->add_flag("--markdown", raw.ops.markdown, "the page of docs/operations; without NAME its index");
  CLI::App *explain = app.add_subcommand("explain", "explain a diagnostic, with a failing and a fixed program");
  explain->footer("Examples:\n  tilenest explain T1005\n  tilenest explain       (lists the codes)");
  explain->add_option("CODE", raw.explain.code, "such as T1005; without it, the list of codes")->type_name("");
  CLI::App *completion = app.add_subcommand("completion", "print a completion script for a shell");
  completion->footer(R"help(Examples:
  eval "$(tilenest completion bash)"
  tilenest completion zsh > ~/.zfunc/_tilenest
  tilenest completion fish > ~/.config/fish/completions/tilenest.fish)help");
  completion->add_option("SHELL", raw.completion.shell, "bash, zsh or fish")
      ->required()->type_name("")->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
}

// Help in two columns with a wider first one; examples keep their lines.
void set_formatter(CLI::App &app) {
  auto formatter = std::make_shared<CLI::Formatter>();
  formatter->column_width(34);
  app.formatter(formatter);
}

void build(CLI::App &app, Raw &raw) {
  set_formatter(app);
  app.set_help_flag("-h,--help", "print this help"); // the commands inherit it
  app.footer(R"(Examples:
  tilenest run gemm.tile -i A=a.npy -i B=b.npy -o C=c.npy
  tilenest check gemm.tile
  tilenest explain T1005
`tilenest COMMAND --help` has more.)");
  app.set_version_flag("--version", "tilenest " TILENEST_VERSION, "print the version");
  app.require_subcommand(1);
  add_run(app, raw);
  add_explore(app, raw);
  add_judge(app, raw);
  add_check(app, raw);
  add_print(app, raw);
  add_conform(app, raw);
  add_fuzz(app, raw);
  add_others(app, raw);
}

constexpr const char *description = "tilenest: runs execution-structure-first tile programs by the letter";

std::map<std::string, std::int64_t> shape_of(const Raw &raw) {
  std::map<std::string, std::int64_t> out;
  std::vector<std::string> parts;
  for (const std::string &list : raw.shape)
    for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
      to = list.find(',', from);
      parts.push_back(list.substr(from, to - from));
      if (parts.back().empty()) throw CLI::ValidationError("--shape", "`" + list + "` has an empty part");
    }
  for (const std::string &text : parts) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos)
      throw CLI::ValidationError("--shape", "needs NAME=NUMBER, not `" + text + "`");
    if (!out.emplace(text.substr(0, at), number<std::int64_t>(text.substr(at + 1), "--shape")).second)
      throw CLI::ValidationError("--shape", "`" + text.substr(0, at) + "` is given twice");
  }
  return out;
}

// The file of X.npz and X.npz:MEMBER, else "".
std::string archive_of(const std::string &place) {
  constexpr std::string_view ending = ".npz";
  const std::size_t at = place.ends_with(ending) ? place.size() - ending.size() : place.find(".npz:");
  return at == std::string::npos ? std::string() : place.substr(0, at + ending.size());
}

void finish_run(Raw &raw) {
  RunArguments &r = raw.run;
  for (const std::string &text : raw.inputs) {
    r.inputs.push_back(split(text, "-i"));
    for (std::size_t i = 0; i + 1 < r.inputs.size(); ++i)
      if (r.inputs[i].name == r.inputs.back().name)
        throw CLI::ValidationError("-i", "`" + r.inputs[i].name + "` is given twice");
  }
  for (const std::string &text : raw.outputs) {
    Assignment o = split(text, "-o");
    if (o.place.ends_with(".npz") || o.place.find(".npz:") != std::string::npos) throw CLI::ValidationError("-o", "writes .npy files, not `" + o.place + "`");
    if (o.place == "-") throw CLI::ValidationError("-o", "writes files, not standard output");
    if (same_file(r.file == "-" ? "/dev/stdin" : r.file, o.place))
      throw CLI::ValidationError("-o", "`" + o.place + "` is the program itself");
    for (const Assignment &input : r.inputs)
      if (const std::string archive = archive_of(input.place); !archive.empty() && same_file(archive, o.place))
        throw CLI::ValidationError("-o", "writes .npy files, and `" + o.place + "` is the archive `" + archive + "`");
    for (const Assignment &other : r.outputs) {
      if (other.place == o.place || other.name == o.name)
        throw CLI::ValidationError("-o", "`" + (other.place == o.place ? o.place : o.name) + "` is given twice");
      if (same_file(other.place, o.place))
        throw CLI::ValidationError("-o", "`" + other.place + "` and `" + o.place + "` are the same file");
    }
    r.outputs.push_back(std::move(o));
  }
  if (r.fill && !fill_means_something(*r.fill))
    throw CLI::ValidationError("--fill", "needs iota, zeros or a number, not `" + *r.fill + "`");
  if (r.while_limit && *r.while_limit < 1) throw CLI::ValidationError("--while-limit", "needs a number of rounds, 1 or more");
  constexpr std::size_t most_threads = 1024;
  if (r.threads && (*r.threads < 1 || *r.threads > most_threads))
    throw CLI::ValidationError("--threads", "needs a number of threads, 1 to " + std::to_string(most_threads));
  r.shape = shape_of(raw);
  if (r.unchecked && r.first) throw CLI::ValidationError("--first", "stops at a violation, and --unchecked looks for none");
  if (r.engine == "interp" && (r.strict || r.vector_bits || r.no_cache))
    throw CLI::ValidationError(r.strict ? "--strict" : r.vector_bits ? "--vector" : "--no-cache", "is for other engines: interp is the reference");
  if (r.engine != "interp" && (r.cover || r.first || !r.schedule.empty() || r.while_limit))
    throw CLI::ValidationError(r.cover ? "--cover" : r.first ? "--first" : r.while_limit ? "--while-limit" : "--schedule", "is of the engine interp");
}

void check_backends(const std::vector<std::string> &engines) {
  for (const std::string &name : engines)
    if (!conformance::find_backend(name, {})) throw CLI::ValidationError("--engine", "needs interp, plan, cpu or exec:COMMAND, not `" + name + "`");
}

// A number of seconds, 1 to a day.
double seconds_of(const std::string &text, const char *option) {
  constexpr std::uint64_t longest = 86400;
  const std::uint64_t seconds = number<std::uint64_t>(text, option);
  if (seconds < 1 || seconds > longest) throw CLI::ValidationError(option, "needs a number of seconds, 1 to " + std::to_string(longest));
  return static_cast<double>(seconds);
}

void finish_fuzz(Raw &raw) {
  FuzzArguments &f = raw.fuzz;
  check_backends(f.engines);
  if (!raw.seed.empty()) f.seed = number<std::uint64_t>(raw.seed, "--seed");
  if (!raw.cases.empty()) f.cases = number<std::uint64_t>(raw.cases, "--cases"), f.seconds = 0;
  if (!raw.seconds.empty()) f.seconds = seconds_of(raw.seconds, "--seconds");
  if (!raw.findings.empty()) f.findings = number<std::size_t>(raw.findings, "--findings");
  if (!raw.timeout.empty()) f.timeout_s = seconds_of(raw.timeout, "--timeout");
  if ((!raw.cases.empty() && f.cases == 0) || f.findings == 0) throw CLI::ValidationError(f.findings == 0 ? "--findings" : "--cases", "needs 1 or more");
}

void finish_conform(Raw &raw) {
  ConformArguments &c = raw.conform;
  check_backends(c.engines);
  if (!c.filter.empty()) {
    try {
      const std::regex tried(c.filter);
    } catch (const std::regex_error &) {
      throw CLI::ValidationError("--filter", "`" + c.filter + "` is no regular expression");
    }
  }
  if (!raw.timeout.empty()) c.timeout_s = seconds_of(raw.timeout, "--timeout");
  if (c.junit.empty()) return;
  std::vector<std::string> read = c.expected_failures;
  if (!c.target.empty()) read.push_back(c.target);
  for (const std::string &name : c.engines) {
    constexpr std::string_view command = "exec:";
    if (name.starts_with(command)) read.push_back(name.substr(command.size()));
  }
  std::error_code error;
  if (!c.cases.empty())
    for (std::filesystem::directory_iterator it(c.cases, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".json") read.push_back(it->path().string());
  for (const std::string &file : read)
    if (same_file(file, c.junit))
      throw CLI::ValidationError("--junit", "`" + c.junit + "` is `" + file + "`, which is read");
}

// What a command line that was refused has of commands and options that do not exist, or "".
std::string unknown_word(const CLI::App &app, std::string first) {
  std::string word;
  std::vector<std::string> known;
  const CLI::App *in = &app;
  const auto parsed = app.get_subcommands();
  if (!parsed.empty()) {
    in = parsed.front();
    for (const std::string &rest : in->remaining())
      if (word.empty() && rest.size() > 1 && rest[0] == '-') word = rest;
  } else {
    word = std::move(first);
  }
  if (word.empty()) return {};
  const bool option = word[0] == '-';
  if (option) {
    word = word.substr(0, word.find('='));
    for (const CLI::Option *o : in->get_options())
      for (const std::string &name : o->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App *c : app.get_subcommands([](const CLI::App *) { return true; })) known.push_back(c->get_name());
  }
  if (std::find(known.begin(), known.end(), word) != known.end()) return {};
  const std::string near = text::nearest_spelling(word, known);
  return "unknown " + std::string(option ? "option" : "command") + " `" + word + "`" +
         (near.empty() ? "" : ", did you mean `" + near + "`?");
}

} // namespace

std::variant<Command, int> parse_command_line(int argc, const char *const *argv) {
  Raw raw;
  CLI::App app(description, "tilenest");
  build(app, raw);
  std::string command;
  try {
    app.parse(argc, argv);
    command = app.get_subcommands().front()->get_name();
    const CLI::App *chosen = app.get_subcommand(command);
    const CLI::Option *kernel = chosen->get_option_no_throw("--kernel");
    if (kernel && kernel->count() > 0 && kernel->as<std::string>().empty()) throw CLI::ValidationError("--kernel", "needs a name");
    if (command == "check") {
      raw.check.shape = shape_of(raw);
      if (!raw.check.shape.empty() && !raw.check.laws) throw CLI::ValidationError("--shape", "needs --laws");
    }
    if (command == "conform") finish_conform(raw);
    if (command == "fuzz") finish_fuzz(raw);
    if (command == "run" || command == "explore" || command == "judge") {
      const CLI::App *given = app.get_subcommand(command);
      const auto has = [&](const char *option) { return given->get_option_no_throw(option) && given->count(option) > 0; };
      if (has("--random")) raw.run.random = number<std::uint64_t>(raw.random, "--random");
      if (has("--fill")) raw.run.fill = raw.fill;
      if (has("--while-limit")) raw.run.while_limit = number<std::int64_t>(raw.while_limit, "--while-limit");
      if (has("--threads")) raw.run.threads = number<std::size_t>(raw.threads, "--threads");
      if (has("--limit")) raw.explore.limit = number<std::uint64_t>(raw.limit, "--limit");
      if (has("--samples")) raw.explore.samples = number<std::uint64_t>(raw.samples, "--samples");
      if (has("--schedule") && raw.schedule != "reference") {
        if (!chooser_of(raw.schedule))
          throw CLI::ValidationError("--schedule", "needs reference, seed=N or groupings=N,..., not `" + raw.schedule + "`");
        raw.run.schedule = raw.schedule;
      }
      finish_run(raw);
      for (const std::string &text : raw.results) {
        raw.judge.results.push_back(split(text, "--result"));
        for (std::size_t i = 0; i + 1 < raw.judge.results.size(); ++i)
          if (raw.judge.results[i].name == raw.judge.results.back().name)
            throw CLI::ValidationError("--result", "`" + raw.judge.results[i].name + "` is given twice");
      }
      constexpr std::uint64_t most_runs = 10'000'000;
      if (raw.explore.limit > most_runs || raw.explore.samples > most_runs)
        throw CLI::ValidationError(raw.explore.limit > most_runs ? "--limit" : "--samples", "needs a number of runs, at most " + std::to_string(most_runs));
    }
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    const auto parsed = app.get_subcommands();
    if (command.empty() && !parsed.empty()) command = parsed.front()->get_name();
    const std::string unknown = unknown_word(app, argc > 1 ? argv[1] : "");
    std::fprintf(stderr, "tilenest: %s\n  = help: `tilenest%s%s --help` shows what is possible\n", unknown.empty() ? e.what() : unknown.c_str(),
                 command.empty() ? "" : " ", command.c_str());
    return status_usage;
  }
  raw.run.sparse = command == "run" && raw.run.engine == "interp";
  if (command == "run") return Command(std::move(raw.run));
  if (command == "explore") {
    raw.explore.run = std::move(raw.run);
    return Command(std::move(raw.explore));
  }
  if (command == "judge") {
    raw.judge.run = std::move(raw.run);
    return Command(std::move(raw.judge));
  }
  if (command == "check") return Command(std::move(raw.check));
  if (command == "print") return Command(std::move(raw.print));
  if (command == "conform") return Command(std::move(raw.conform));
  if (command == "fuzz") return Command(std::move(raw.fuzz));
  if (command == "ops") return Command(std::move(raw.ops));
  if (command == "explain") return Command(std::move(raw.explain));
  return Command(std::move(raw.completion));
}

std::vector<CommandSummary> command_summaries() {
  Raw raw;
  CLI::App app(description, "tilenest");
  build(app, raw);
  std::vector<CommandSummary> out;
  for (const CLI::App *c : app.get_subcommands([](const CLI::App *) { return true; })) {
    CommandSummary summary{c->get_name(), c->get_description(), {}, false};
    for (const CLI::Option *o : c->get_options()) {
      if (o->get_positional()) {
        summary.takes_file |= o->get_name() == file_positional;
        continue;
      }
      OptionSummary option{{}, o->get_description(), o->get_items_expected_min() > 0, o->get_type_name() == assign_type};
      for (const std::string &name : o->get_snames()) option.names.push_back("-" + name);
      for (const std::string &name : o->get_lnames()) option.names.push_back("--" + name);
      summary.options.push_back(std::move(option));
    }
    out.push_back(std::move(summary));
  }
  return out;
}

} // namespace tilenest::cli
