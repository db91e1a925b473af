// SPDX-License-Identifier: Apache-2.0
// Shadow state for PAR-NI: one number per cell of storage, the cell's access state: per operation that has touched it one
// touch that speaks for all. That one suffices follows from the order of execution, which is a depth-first walk of nested
// fork-join (phases are serial compositions): if two touches of one operation are concurrent, whatever is concurrent
// with the later one is with the earlier (M. Feng, C. Leiserson, "Efficient detection of determinacy races in Cilk
// programs", 1997); if they are ordered, what is concurrent with the earlier is with the later. So every pair of
// operations is decided exactly. States are shared by all cells that were touched alike.
#pragma once
#include "interp/strands.h"
#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>

namespace tilenest {

// A cell's state; 0 and everything made before the last point that orders all: none.
using AccessState = std::uint32_t;

class Shadow {
public:
  explicit Shadow(const TileProgram &program);

  Strands strands;

  // What the state of a cell becomes when an operation touches it, and the earlier touches that this one interferes
  // with.
  struct Outcome {
    AccessState state = 0;
    std::vector<Touch> interfering;
  };
  const Outcome &after(AccessState state, const Touch &touch);
  // Only `touch` itself.
  AccessState alone(const Touch &touch);
  bool live(AccessState s) const { return s >= live_from_; }
  AccessState next_state() const { return next_; }
  AccessState epoch() const { return live_from_; } // live as long as nothing orders all
  // How many states from this one on are those of the following strands alone.
  std::int64_t made_together(AccessState s) const { const Node &n = node(s); return n.first + n.count - s; }
  // Two 4-bit elements share a cell. Where their states are equal it holds that, else a number for the pair, of the same
  // kind: live as long. Pairs of neighbouring states are neighbours; one that comes without such is kept for its cell
  // alone, where it takes eight bytes. `held`: what the cell has held and need not any more, or 0.
  AccessState pair(AccessState low, AccessState high, AccessState held = 0);
  std::pair<AccessState, AccessState> halves(AccessState s) const;
  bool is_pair(AccessState s) const { return live(s) && pairs_of(s) != nullptr; }
  std::int64_t pairs_together(AccessState s) const { // from this pair on
    const Pairs *p = pairs_of(s);
    return p ? p->first + p->count - s : 0;
  }
  // Everything so far happens before everything from here on. False once the numbers of states run out: the cells are to
  // be cleared.
  bool order_all();

private:
  struct Node { // states first, first + 1, ...: `rest` and one touch each, strands ascending
    AccessState first = 0, count = 1, rest = 0;
    Touch touch;
    std::uint32_t length = 1; // how many touches
  };
  // The touches of a state that has many, by operation, so that one more is not compared with each: of one strand, or of
  // one mode that has no conflict with itself, they interfere with none of the kind.
  struct Index {
    std::unordered_map<OpId, Touch> by_op;
    bool one_strand = true, one_mode = true;
    Strand strand = 0;
    std::uint8_t mode = 0;
  };
  struct Pairs { // number first + k: low + k and high + k, but a half of 0 stays 0; or the pair kept at low + k
    AccessState first = 0, count = 1, low = 0, high = 0;
    bool kept = false;
  };
  const Pairs *pairs_of(AccessState s) const;
  AccessState number(AccessState n);
  const Node &node(AccessState s) const;
  std::vector<Touch> touches(AccessState s) const; // oldest first
  AccessState with(AccessState rest, const Touch &touch);
  Outcome next(AccessState state, const Touch &touch);
  // The next state where the touch interferes with nothing for one of the reasons of Index; nullopt: not so easily said.
  std::optional<AccessState> next_of_many(AccessState state, const Touch &touch);
  void enter(Index &index, const Touch &touch) const;
  bool conflict(OpId a, OpId b) const;

  struct Key {
    AccessState state;
    std::uint8_t many;
    OpId op;
    Strand strand;
    friend bool operator==(const Key &, const Key &) = default;
  };
  struct Hash {
    std::size_t operator()(const Key &k) const {
      std::uint64_t z = (k.strand ^ std::uint64_t{k.state} << 21) * 0x9e3779b97f4a7c15 + (std::uint64_t{k.op.index} << 8 | k.many);
      z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9;
      return z ^ (z >> 29);
    }
  };

  const TileProgram &p_;
  IdVector<OpId, std::uint8_t> mode_; // 0 not an access, 1 read, 2 write, more: an atomic
  std::vector<Node> nodes_;
  mutable std::size_t last_ = 0; // of nodes_, found last
  std::unordered_map<Key, AccessState, Hash> made_;   // by rest and touch
  std::unordered_map<Key, Outcome, Hash> outcomes_;   // by state and touch
  std::vector<Pairs> pairs_;                          // ascending
  std::deque<std::pair<AccessState, AccessState>> kept_;
  AccessState next_kept_ = 0, kept_end_ = 0;          // numbers for pairs to be kept
  std::unordered_map<Key, AccessState, Hash> paired_; // the first number of Pairs, by the first state and the other's distance
  AccessState distance_ = 0;                          // of the halves of the pair before
  std::unordered_map<AccessState, Index> indices_;    // of the states that many touches made last
  std::size_t indexed_ = 0;                           // touches in them
  AccessState next_ = 1, live_from_ = 1;
};

} // namespace tilenest
