// SPDX-License-Identifier: Apache-2.0
// Results of another engine held against the set that a program admits (ADM-CHECK).
#pragma once
#include "interp/run.h"
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/target_profile.h"
#include <optional>
#include <string>

namespace tilenest {

enum class Verdict : std::uint8_t {
  equal,     // the set is a point, and this is it; every NaN is one value
  member,    // the set was enumerated, and this is in it, jointly with the other results
  within,    // inside a sound enclosure, each element for itself: not refuted, which is no proof
  undecided, // a freedom reached a condition, coordinate or trip count, or has no enclosure: no pass
  outside    // not admitted
};
std::string_view to_string(Verdict verdict);
constexpr bool passes(Verdict v) { return v == Verdict::equal || v == Verdict::member || v == Verdict::within; }

struct JudgeOptions {
  RunOptions run;                                // its chooser and sets are not used
  const TargetProfile *target = nullptr;         // null: ieee
  std::uint64_t enumerate = 4000;                // so many members at most are tried one by one
  std::uint64_t merges = 20'000'000;             // that finding the values of single reductions may take
};

struct JudgedElement {
  std::int64_t index = 0;      // row-major
  std::uint64_t result = 0;    // bits
  std::uint64_t reference = 0; // of the reference run
  Enclosure enclosure;
  std::uint64_t values = 0;    // all that it can be, were counted; 0: they were not, it is enclosed
  double distance = 0;         // by how many half-widths it is away from the middle; infinite for a point
};

struct JudgedOutput {
  std::size_t argument = 0;           // in the order of program.arguments
  Verdict verdict = Verdict::equal;   // the worst of its elements'
  // Elements whose set is a point and that equal it; inside an enclosure; outside. None where the set is undecided.
  std::uint64_t points = 0, within = 0, outside = 0;
  std::uint64_t unwritten = 0; // that the kernel never writes, of which nothing is said
  std::optional<JudgedElement> worst; // an element that is outside, else the one farthest from the middle
  double median_half_width = 0, largest_half_width = 0; // in units of the last place of the reference
};

struct Judgement {
  Diagnostics diagnostics;  // of the reference run; with an error there are no outputs
  std::vector<JudgedOutput> outputs; // one per result, in order
  struct Undecided {
    std::string what;
    Site site;
  };
  std::vector<Undecided> undecided;
  std::uint64_t members = 0; // enumerated; 0: the set was enclosed
};

// What another engine says an argument holds after the run, of the argument's type and shape, in C order.
struct GivenResult {
  std::size_t argument;
  const void *data; // null: what the reference has
};

// `buffers` as for `run`, as they were before it; they are read, not written.
Judgement judge(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::vector<GivenResult> &results,
                const JudgeOptions &options = {});

// The enclosures of one argument's elements, in C order, as a run leaves them; for tests and for the tables in docs.
struct AdmittedResults {
  Diagnostics diagnostics;
  std::vector<Judgement::Undecided> undecided;
  struct Output {
    std::size_t argument;
    std::vector<std::uint64_t> reference; // bits
    std::vector<Enclosure> sets;
    std::vector<bool> unwritten; // never stored: no set
  };
  std::vector<Output> outputs; // the `mut` and `out` arguments
};
AdmittedResults admitted_results(const BoundProgram &program, const std::vector<Buffer> &buffers, const JudgeOptions &options = {});

} // namespace tilenest
