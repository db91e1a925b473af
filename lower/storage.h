// SPDX-License-Identifier: Apache-2.0
// Where the values of a program lie while a plan runs: computed where they are used, or stored. What a region carries
// shares one slot with its definitions; a chain of elementwise operations and index maps that is used once is computed
// where its end is (fusion). Decides, emits nothing.
#pragma once
#include "lower/steps.h"

namespace tilenest::lowering {

// Who reads a value: an operand of an operation, or (`yield`) what a region of it gives back.
struct Use {
  OpId op;
  bool yield = false;
  std::size_t region = 0, index = 0;
};

// Values that are kept in one buffer.
struct Slot {
  TileType type;
  std::string name;            // of the variable, or what computes it
  OpId source;
  std::vector<LevelId> levels; // one per instance of these, from the outside
  int depth = 0;               // open levels where it is made: 0 is the host's
  bool joined = false;         // what a parallel gives back: every definition is written into it where it is made
};
using SlotId = Id<struct SlotTag>;

struct Storage {
  IdVector<ValueId, std::vector<Use>> uses;
  IdVector<ValueId, SlotId> slot;      // invalid: computed where it is used
  IdVector<SlotId, Slot> slots;
  IdVector<ValueId, std::uint8_t> repeatable;  // computed from coordinates, extents and literals by few operations
  // Definitions in a joined slot that are used after it was overwritten: kept in a slot of their own, too.
  IdVector<ValueId, SlotId> kept;
  // Assignments to what a parallel gives back: the definition goes to the slot of its result (UPD-JOIN).
  IdVector<OpId, std::uint8_t> joins;
  // Whether a yield was computed in the slot of its carry.
  bool in_place(const TileProgram &p, const Op &op, std::size_t region, std::size_t carry) const;
};

// The value itself, past operations that only give it another name: assignments that join nothing, `per`.
ValueId renamed(const TileProgram &p, const Storage &s, ValueId v);

// `disjoint`: no written argument overlaps another argument.
Storage plan_storage(const TileProgram &program, const StepTree &steps, bool disjoint);

} // namespace tilenest::lowering
