// SPDX-License-Identifier: Apache-2.0
// Weakened checkers of PAR-NI, as they are met elsewhere: what a run reports when one part of the rule is left out. A test
// sets one and demands that the labelled corpus notices (tests/corpus). Only in the test-only build
// (TILENEST_BREAKABLE_RULES); everywhere else `weakened` is constant false.
#pragma once

namespace tilenest {

enum class Weakness : unsigned char {
  none,
  no_sync,           // what stands before a meeting and what stands after it are concurrent
  no_nesting,        // only instances of one dynamic innermost parallel are
  elements_for_bits, // accesses meet where their elements have one number, whatever the element types
  last_reader_only,  // of all that have read a cell the last one is kept
  no_collective,     // a lifted event is one of each instance's own
  plain_atomics,     // an atomic is a store
};

#ifdef TILENEST_BREAKABLE_RULES
inline Weakness weakness = Weakness::none; // changes between runs only
inline bool weakened(Weakness w) { return weakness == w; }
#else
constexpr bool weakened(Weakness) { return false; }
#endif

} // namespace tilenest
