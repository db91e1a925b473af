// SPDX-License-Identifier: Apache-2.0
// The laws of declared contracts, tried during a run (RED-LAW): at a reduce the machine runs chains of the body over
// small blocks of its contributions, from the identity and from the seed, merges them as a tree could, and compares
// the two sides of each law. What the arguments hold, and how often that is done, is laws.h's.
#pragma once
#include "semantics/program/program.h"
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilenest {

enum class ContractLaw : std::uint8_t { left_identity, right_identity, associative, commutative, body };
inline constexpr std::size_t contract_law_count = 5;
inline constexpr std::string_view contract_law_names[] = {"left identity", "right identity", "associative", "commutative", "body"};
constexpr std::string_view to_string(ContractLaw law) { return contract_law_names[static_cast<std::size_t>(law)]; }

// Two sides of a law that differ, as text.
struct LawFailure {
  struct Operand {
    std::string name, value; // "a", "n = 1, mean = 2.0"
    std::string from;        // "the body from the identity over [0], [2]"
  };
  std::vector<Operand> operands;
  std::string left, right;             // expressions: "merge(merge(a, b), c)"
  std::string left_value, right_value; // "n = 3, mean = 1.0"
  std::string element;                 // the state, or element of one, that differs: "mean", "best[3]"
  std::string exact;                   // where rounding has a part: what the element is in real arithmetic on both sides, else ""
};

struct LawTally {
  std::uint64_t tried = 0;
  std::uint64_t undecided = 0; // of them: a side had no enclosure
  std::optional<LawFailure> failure; // the first
};

// One run's trials.
class LawProbe {
public:
  struct Contract {
    OpId reduce;
    std::size_t contract; // position in its reduce
    auto operator<=>(const Contract &) const = default;
  };
  std::map<Contract, std::array<LawTally, contract_law_count>> tallies; // those to try
  std::size_t points = 3;      // contributions that blocks are made of, 2 to 4
  std::uint64_t seed = 0;      // chooses them
  std::uint64_t visits = 2;    // executions of a reduce that are used
  std::map<OpId, std::uint64_t> visited;
  std::optional<ContractLaw> only;
  // Elements that instructions have made; at the limit the run ends. At a reduce, half of what is left is for chains of
  // the body, and each law has an equal part of the rest, but at least one trial.
  std::uint64_t work = 0, work_limit = 200'000;

  bool tries(const Contract &contract, ContractLaw law) const {
    const auto at = tallies.find(contract);
    return at != tallies.end() && !at->second[static_cast<std::size_t>(law)].failure && (!only || *only == law);
  }
  bool done() const {
    for (const auto &[contract, laws] : tallies) {
      const auto at = visited.find(contract.reduce);
      if (at == visited.end() || at->second < visits) return false;
    }
    return true;
  }
};

} // namespace tilenest
