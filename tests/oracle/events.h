// SPDX-License-Identifier: Apache-2.0
// Events of a run and PAR-NI on them (calculus 5), by comparing all pairs: a transcription of the rule. Which
// events a run has is the interpreter's business (interpreter.h).
#pragma once
#include "semantics/program/program.h"
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
  int depth = 0;                   // parallel: of its level
  int phase = 0;                   // parallel: syncs of this instance before
  bool operator==(const Step &) const = default;
};
using Path = std::vector<Step>;

// One element that an event touches: bits of a storage, or an element of a tile variable.
enum class How { read, write, atomic };
struct Touch {
  int object = 0;                   // storages and variables are numbered together
  std::int64_t first = 0, size = 1; // bits; of a tile, the element
  How how = How::read;
  AtomicKind atomic = AtomicKind::add; // of an atomic
  ScalarType elem = ScalarType::i32;   // as seen, of an atomic
  int shared_by = -1; // of a tile's read: the run of a `parallel` that shares the definition which is read
  bool operator==(const Touch &) const = default;
};

struct Event {
  OpId op;
  int depth = 0;             // of its anchor: it is lifted out of every deeper `parallel` around it
  bool tile = false;         // what it touches is one or the other
  std::vector<Path> reaches; // per instance that reaches it
  std::vector<Touch> touches;
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

// `names` of objects by number.
std::vector<Interference> interferences(const std::vector<Event> &events, const std::vector<std::string> &names);

} // namespace tilenest::oracle
