// SPDX-License-Identifier: Apache-2.0
// check --laws: tries to falsify the laws of every declared contract of a program (RED-LAW), by running the program on
// small arguments of many kinds and trying the laws at its reduces (law_probe.h). What is found is reduced to small
// arguments. Nothing is proved.
#pragma once
#include "interp/law_probe.h"
#include "semantics/program/bind.h"

namespace tilenest {

struct LawOptions {
  std::map<std::string, std::int64_t> extents; // given ones; the others are chosen, small
  std::uint64_t rounds = 65;                   // runs with arguments of their own
  std::uint64_t shrinking_runs = 400;          // at most, for each law that is found broken
};

// What was tried of one contract of one reduce.
struct CheckedContract {
  OpId reduce;
  std::size_t contract = 0;
  std::string text; // "`welford(n, mean, m2)`", "`contract(m, b)`"
  bool commutative = true; // as declared: else that law is not tried
  std::array<LawTally, contract_law_count> laws;
  std::uint64_t tried() const;
};

// A reduce all of whose merges are recognised, or a strict fold without a contract.
struct RecognisedReduce {
  OpId reduce;
  std::vector<std::pair<std::string, std::string>> merges; // state, "`+`"; "" for none
};

struct LawCheck {
  std::vector<CheckedContract> contracts; // in program order
  std::vector<RecognisedReduce> recognised;
  std::map<std::string, std::int64_t> extents; // of the first binding that was used
  std::string untried; // why nothing could be run, or ""
  Diagnostics diagnostics; // T0308, one for each law that is broken; those of binding with the given extents
};

// The program is judged.
// rule: RED-LAW -- tries to falsify the laws of declared contracts, exactly for integers, for floats over the reals.
LawCheck check_laws(std::shared_ptr<const TileProgram> program, const LawOptions &options = {});

} // namespace tilenest
