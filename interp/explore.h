// SPDX-License-Identifier: Apache-2.0
// Whether a result depends on how reductions, scans and `mma` are grouped or atomics ordered (RED-SENS): the program is run
// along every one of these choices where they are few. Else what each element depends on is taken from its enclosure: the values of an element that one
// reduction of few contributions decides are all found, the others' are sampled.
#pragma once
#include "interp/run.h"
#include "semantics/numerics/enclosure.h"
#include <set>
#include <string>

namespace tilenest {

struct ExploreOptions {
  RunOptions run;               // its chooser is not used
  std::uint64_t limit = 10000; // so many groupings at most are tried one by one; where there are more, samples follow
  std::uint64_t samples = 200; // pseudo-random ones, seeds 0, 1, ...
  std::uint64_t merges = 100'000'000; // that finding the values of single reductions may take
};

// An element that is not the same in all runs. NaN is one value, which counts among `values` and is no extreme.
struct SensitiveElement {
  std::int64_t index = 0;                // row-major
  std::uint64_t values = 0;              // different ones that were seen
  bool exact = false;                    // there are no others
  std::optional<Enclosure> enclosure;    // else all are in it, where that is known
  std::optional<std::uint64_t> low, high; // the extremes as bits, where two numbers were seen
  std::string low_schedule, high_schedule; // as `--schedule` takes them: the first run that gave it
};

struct ExploredOutput {
  std::size_t argument = 0;                // in the order of program.arguments
  std::uint64_t sensitive = 0;             // elements that are not the same in all runs
  std::uint64_t open = 0;                  // elements of which not all values are known, these among them
  std::uint64_t may = 0;                   // of those the ones that no run changed
  std::optional<SensitiveElement> widest;  // one with the most values, the first of several
};

struct Exploration {
  Diagnostics diagnostics;     // of the first run with an error, which ends it; else of the reference
  std::string schedule;        // of that run
  std::uint64_t runs = 0;
  std::set<std::string> unexplored; // operations of the program whose freedoms are sampled at most: mma, reduce
  bool all = false;            // no element of an output can have another value
  std::vector<ExploredOutput> outputs; // the `mut` and `out` arguments; empty after an error
};

// `buffers` as for `run`; they are read, not written.
// rule: RED-SENS -- every grouping where these are few, sampled ones else; elements that two of them give differently.
Exploration explore(const BoundProgram &program, const std::vector<Buffer> &buffers, const ExploreOptions &options = {});

// The operations of the program whose freedoms have more ways than there are choices: an `mma` or `reduce` that may accumulate in
// any wider format, and runs do so in f64.
std::set<std::string> unexplored_freedoms(const TileProgram &program);

// The chooser that a schedule names: `reference`; `seed=N`, every freedom by pseudo-random choices; `groupings=3,0,1`,
// the first choices of groupings, `40*0` being forty of 0, then 0. Null: no such schedule.
std::unique_ptr<Chooser> chooser_of(std::string_view schedule);

} // namespace tilenest
