// SPDX-License-Identifier: Apache-2.0
// A conformance case as data: a program, what its arguments hold, what must come of it and why. Read from JSON by
// read_cases.h (docs/conformance.md); nothing here runs one.
#pragma once
#include "semantics/support/scalar_type.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilenest::conformance {

// Elements in C order, each as its bits in the width of its type; those of a 4-bit type in four bits.
struct Elements {
  ScalarType type = ScalarType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> bits;
  std::vector<bool> open; // of an expectation: nothing is said of this element; empty: something is said of all
};

struct CaseInput {
  Elements elements;
  std::string alias_of;         // shares the storage of this argument; `elements` has a shape and no bits then
  std::int64_t alias_offset = 0; // bytes
};

// Each element lies between two others, ends included, -0 standing below +0; or is NaN where that is said.
struct Between {
  Elements low, high;
  bool may_be_nan = false;
};

// A diagnostic that must be reported.
struct ExpectedReport {
  std::string code;
  std::uint32_t line = 0;  // of the program's text, of the first place; 0: any place or none
  std::uint64_t count = 0; // how often its cause was met; 0: any number
};

struct ExpectedCoverage { // COVER: numbers of elements
  std::uint64_t never = 0, once = 0, more = 0;
};

using Results = std::map<std::string, Elements>; // by argument

// Results that someone might have, and what `judge` is to say of them.
struct ExpectedJudgement {
  Results results;
  std::string verdict; // "equal", "member", "within", "undecided", "outside"
  std::string target;  // the JSON of a profile, or "": nothing is declared
};

struct Expectation {
  std::vector<ExpectedReport> reports; // of errors all there are; of warnings and notes some
  std::vector<Results> any_of;         // jointly one of these; one alone: exactly this; NaN is one value
  std::map<std::string, Between> between;
  bool admitted = false; // the results are in the admitted set as the reference encloses it
  std::map<std::string, ExpectedCoverage> coverage;
  std::map<std::string, std::uint64_t> sensitive; // RED-SENS: elements that depend on a grouping
  std::vector<ExpectedJudgement> judged;

  bool names_results() const { return !any_of.empty() || !between.empty() || admitted; }
  // What only the reference can be asked.
  bool asks_reference() const { return !coverage.empty() || !sensitive.empty() || !judged.empty(); }
};

struct Case {
  std::string name; // unique in the suite: "bounds/load_reads_zero"
  std::string chapter;
  std::vector<std::string> rules;
  std::string derived; // "by hand: ..." or "oracle: ..."
  std::string program; // the text, one kernel or several
  std::string kernel;  // which; "": the first
  std::map<std::string, std::int64_t> extents;
  std::map<std::string, CaseInput> inputs;
  Expectation expect;
  unsigned orders = 0;    // so many other orders of instances must give the same
  bool contained = false; // reports a violation, and even so no engine writes outside the arguments
  bool laws = false;      // the laws of declared contracts are tried, too

  // Whether a program or its run is refused: some expected report is an error.
  bool refused() const;
};

} // namespace tilenest::conformance
