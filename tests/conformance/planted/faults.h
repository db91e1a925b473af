// SPDX-License-Identifier: Apache-2.0
// Faults planted in the lowering: every operation of a plan that one place of it makes is wrong in one way. A place is what the
// program's operation, the plan's operation and its primitive are; a way is an operator that fits it.
#pragma once
#include "lower/plan.h"
#include "semantics/program/program.h"
#include <set>
#include <string>

namespace tilenest::conformance {

struct Fault {
  enum class Way : std::uint8_t {
    sibling,       // another primitive or atomic in its place
    swapped,       // operands, or the arms of an if
    next_constant, // one more
    unmasked,      // all lanes
    next_offset,   // the element behind it
    dropped,       // no store, atomic, barrier or assertion
    doubled_step,  // every other iteration
    shorter_loop,  // all but the last iteration
    turned_lanes   // of a shuffle, the other way round
  };
  OpKind source = OpKind::constant; // of the program
  plan::Kind kind = plan::Kind::constant;
  int detail = 0;                   // the primitive, the atomic, or 0
  Way way = Way::sibling;
  friend auto operator<=>(const Fault &, const Fault &) = default;
};

std::string text_of(const Fault &fault); // "scan: prim add, sibling"

// Adds the faults that have a place in the plan.
void add_faults(const plan::Plan &plan, const TileProgram &program, std::set<Fault> &faults);
// How many operations are wrong then.
int plant(plan::Plan &plan, const TileProgram &program, const Fault &fault);

} // namespace tilenest::conformance
