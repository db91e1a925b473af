// SPDX-License-Identifier: Apache-2.0
// Mutation operators. Each applies at the lines with its mark, makes one edit there, and says which violation the edit
// plants, or that it plants none. Why that is so follows from the mark, never from a run. The marks:
//
//   store X K    the store's object is touched by this statement alone; X is a coordinate of a parallel around it that
//                takes 0 .. K-1 and alone keeps instances that differ in it apart; the value depends on that parallel
//   value X      of a store of i32: X as above, at least 0, 1, 2; each instance stores an element
//   load A X K   A is only read; X = K there is out of bounds, less is not; the elements reach one store or reduction
//   coord X K    of a parallel: its coordinate X takes 0 .. K-1, and nothing depends on which instance has which
//   host E K     of a parallel around which there is no other: E numbers its instances, 0 .. K-1 or a part of it
//   axes         of a parallel over two axes that the body knows by name alone
//   sync A B     without it, the lines named A and B interfere, and nothing else does
//   name A       the line is called A
//   init A       without this store, the load of line A is of what was never stored
//   atomic       two instances meet at a cell of an object that only this statement touches, with values of their own
//   fold A       of a reduce: line A updates its only state
//   chain A      of a serial: line A reads and updates the variable that it carries; all else is iterations' own
//   in_place A   of a serial: line A reads what the iteration before stored there; all else is iterations' own
//   loop X K     of a serial: X is its only coordinate, below K
//   join X K W   an insert of W elements at X * W, by one instance each, K instances; the piece is the instance's own
//   element V M O E  after this line, instance E has written element M of the tile V and another one element O
//   indexed A K  A is the permutation of K that the statement stores by; the line named in a third word stores, or this
//   ...          the others name the one operator that uses them
#pragma once
#include "conformance/corpus/draft.h"
#include <span>

namespace tilenest::conformance {

struct Operator {
  std::string_view name, mark;
  std::string_view code;  // of what is planted, several where one statement shows it as several; "" if it is innocent
  bool indexed_by_data;   // innocent: where instances store depends on the data, and is injective
  bool (*apply)(Draft &d, std::size_t line, const Mark &mark); // false: its precondition does not hold
};

std::span<const Operator> edits();     // change what stands there
std::span<const Operator> additions(); // add statements beside it
std::span<const Operator> rewritings(); // innocent: another kernel of the same effect

} // namespace tilenest::conformance
