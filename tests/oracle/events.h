// SPDX-License-Identifier: Apache-2.0
// Events of a run and PAR-NI on them (calculus 5), by comparing all pairs: a transcription of the rule. Which
// events a run has is the interpreter's business (interpreter.h).
#pragma once
#include "semantics/program/program.h"
#include <compare>
#include <set>
#include <string>
#include <vector>

namespace tilenest::oracle {

// One step of the way from the root to an event: a region instance (`run` is unique to it) and where in it.
struct Step {
  enum class Kind { parallel, ordered, reduce } kind = Kind::ordered;
  OpId op;
  int run = 0;
  std::vector<std::int64_t> point; // of the domain, or the round of a `while`
  int phase = 0;                   // parallel: syncs of this instance before
  int depth = 0;                   // parallel: of its level
  bool operator==(const Step &) const = default;
};
using Path = std::vector<Step>;

enum class Touch { read, write, atomic };

// An element of a view or memory, as bits of one storage.
struct BitAccess {
  int storage = 0;
  std::int64_t first_bit = 0, bits = 0;
  Touch touch = Touch::read;
  AtomicKind atomic = AtomicKind::add; // of an atomic
  ScalarType elem = ScalarType::i32;   // as seen
};
// An element of a tile variable. A read is one of the definition that the run of a `parallel` shares.
struct TileAccess {
  int variable = 0;
  std::int64_t element = 0;
  bool write = false;
  int run = -1; // of a read
  auto operator<=>(const TileAccess &) const = default;
};

// One instance that reaches an event.
struct Reach {
  Path path;
  std::set<TileAccess> tiles;
};
struct Event {
  OpId op;
  int depth = 0; // of its anchor: it is lifted out of every deeper `parallel` around it
  std::vector<Reach> reaches;
  std::vector<BitAccess> bits;
};

struct Interference {
  OpId first, second; // first <= second
  std::string object; // of the view or memory, or the variable
  bool tile = false;  // a tile variable
  // A tile, and each pair of events has a write that is lifted out of the parallel that separates them.
  // PAR-NI counts a lifted event for each instance that reaches it, so these interfere; UPD-JOIN has such an
  // assignment write for no instance if it is anchored at the variable's owner, and says nothing of anchors
  // between.
  bool by_lifted_write = false;
  bool two_writers = false; // a tile: both write, neither lifted so
  std::uint64_t pairs = 0;  // of elements
};

// Names of storages and variables by number.
std::vector<Interference> interferences(const std::vector<Event> &events,
                                        const std::vector<std::string> &storages,
                                        const std::vector<std::string> &variables);

} // namespace tilenest::oracle
