// SPDX-License-Identifier: Apache-2.0
// Placement: anchor, frontier, owners and assignment roles as the least solution over the program as captured
// (calculus 3). Fills Op.anchor, Op.frontier, Value.anchor, Variable.owner, Object.owner, AssignAttr.role and
// Op.states. Run on a well-formed program; which instances are active is decided at run time.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// Anchors, frontiers, owners and roles, then the notes of ANC-SHARE. Errors: a pinned anchor that cannot
// hold, a `per` whose nest does not fit. Running it again gives the same attributes.
Diagnostics place(TileProgram &program);

// The deepest anchor of the operation and of everything inside it. Where it lies above the operation's
// frontier, the whole subtree is lifted out of the levels between.
LevelId subtree_anchor(const TileProgram &program, OpId op);

// MEM-STATE: numbers the states of every object and records per access which it uses and makes (Op.states).
// Number 0 is the state at entry of the kernel, before any store. Within one instance:
//   a store, scatter or atomic makes a new state from the one that reaches it; a load uses the latter;
//   `memory` makes the fresh state of its object;
//   `if` and `switch` start every arm from the state before and leave a new one if any arm makes one;
//   a loop or `while` that writes starts its body from a state of its own (the merge of the one before and
//   the one at the end of the body), and leaves a new one;
//   a `parallel` that writes does the same: inside, the states of objects owned further out are shared
//   by its instances, so its entry state stands for whatever they may have made;
//   a `sync` of a nest makes a new state of each shared object that the nest's body writes.
// A region operation lists the objects written under it: `before` reaches it, `after` follows it.
// Arguments that overlap in memory are separate objects here; overlap is known at launch only.
void number_states(TileProgram &program);

// "`nest`", or "the root".
std::string level_text(const TileProgram &program, LevelId level);

} // namespace tilenest
