// SPDX-License-Identifier: Apache-2.0
// Strands: which instance, in which phase, or which contribution of a reduce an event belongs to, and which of two are
// concurrent (PAR-NI). Labels of nested fork-join are paths of (fork, offset): the offset-span labels of
// J. Mellor-Crummey, "On-the-fly detection of data races for programs with nested fork-join parallelism" (1991), with a
// phase per level, since a sync orders the instances of its own nest only.
#pragma once
#include "interp/weakness.h"
#include "semantics/program/program.h"
#include <cstdint>
#include <vector>

namespace tilenest {

// A fork in its upper half, an offset in it below: instance, or point of a reduce. 0 is the root.
using Strand = std::uint64_t;

// One event's side of a conflict: the operation, the strand that it was met in first, and at which of the levels that it
// is lifted out of (bit 0: the outermost) it counts for further instances (ANC-SHARE).
struct Touch {
  OpId op;
  Strand strand = 0;
  std::uint8_t many = 0;
  friend bool operator==(const Touch &, const Touch &) = default;
};

class Strands {
public:
  explicit Strands(const TileProgram &program) : p_(program) { clear(); }

  // One dynamic `parallel` in one phase, or one dynamic reduce: `count` strands from the one returned. Phases of one
  // parallel have the same `activation`.
  Strand fork(Strand parent, OpId op, std::int64_t count, std::uint32_t activation, std::uint32_t phase);
  std::uint32_t activation() { return ++activations_; }

  // rule: PAR-NI
  bool concurrent(const Touch &x, const Touch &y) const;
  // The bit of the first level that `op` is lifted out of at which the strands part; 0 where they do not, and nothing
  // where they part elsewhere.
  std::optional<std::uint8_t> parts_at(OpId op, Strand x, Strand y) const;

  // The fork at which the strands part, other than 0; 0 where they do not.
  std::uint64_t parting(Strand x, Strand y) const { return part(x, y) && x >> 32 == y >> 32 ? x >> 32 : 0; }

  struct Fork {
    Strand parent = 0;
    OpId op;                     // `parallel` or `reduce`
    std::int64_t count = 1;
    std::uint32_t activation = 0, phase = 0;
    int depth = 0;               // how many forks are above
    int level = -1;              // depth of a parallel's level; -1: a reduce
  };
  const Fork &of(Strand s) const { return forks_[s >> 32]; }
  static std::int64_t offset(Strand s) { return static_cast<std::int64_t>(s & 0xffffffff); }
  std::size_t bytes() const { return forks_.capacity() * sizeof(Fork); }
  void clear(); // all but the root

private:
  int anchor_depth(OpId op) const { return p_.levels[p_.ops[op].anchor].depth; }
  bool lifted_out(OpId op, const Fork &f) const { return f.level > anchor_depth(op) && !weakened(Weakness::no_collective); }
  // The strands of `x` and `y` just below the last one that they share, or false where one is above the other.
  bool part(Strand &x, Strand &y) const;

  const TileProgram &p_;
  std::vector<Fork> forks_;
  std::uint32_t activations_ = 0;
};

} // namespace tilenest
