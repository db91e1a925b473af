// SPDX-License-Identifier: Apache-2.0
// The second oracle: a naive interpreter of tile programs, written from the prose of the calculus (chapters 2
// to 6) and sharing no rule with the engine. It walks every instance on its own, in the reference order
// (lexicographic, phase by phase), computes with rationals, and lists every event. Anchors and the roles of
// assignments come from the program. What it does not know it refuses by throwing `Refused`.
#pragma once
#include "semantics/program/bind.h"
#include "tests/oracle/events.h"
#include "tests/oracle/exact.h"
#include <optional>

namespace tilenest::oracle {

// Row-major storage of one argument, in the order of program.arguments.
struct Argument {
  std::vector<std::uint8_t> bytes;
  bool defined = true;
  int alias_of = -1; // sees the storage of this earlier argument instead, from `offset` bytes on
  std::int64_t offset = 0;
};

struct Violation {
  std::string code; // of diagnostics.def
  OpId op;          // where the report stands: a mark's at the operation that made it
  auto operator<=>(const Violation &) const = default;
};

struct Outcome {
  // Per argument and byte; empty: never stored, or stored with a mark.
  std::vector<std::vector<std::optional<std::uint8_t>>> arguments;
  std::vector<Interference> interferences;
  std::set<Violation> violations; // all others
  bool complete = true;           // false: a condition had a mark, or instances did not meet at a sync
  std::vector<Event> events;
};

// `reversed`: in each phase the last instance goes first, which is no reference order but one of those that
// PAR-FREE speaks of.
Outcome interpret(const BoundProgram &program, const std::vector<Argument> &arguments, bool reversed = false);

} // namespace tilenest::oracle
