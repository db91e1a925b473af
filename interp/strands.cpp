// SPDX-License-Identifier: Apache-2.0
// Concurrency of strands by walking both up to where they part: as many steps as nests are deep.
#include "interp/strands.h"
#include <new>

namespace tilenest {

void Strands::clear() {
  forks_.clear();
  forks_.emplace_back();
}

Strand Strands::fork(Strand parent, OpId op, std::int64_t count, std::uint32_t activation, std::uint32_t phase) {
  if (count > 0xffffffff || forks_.size() >= 0xffffffff) throw std::bad_alloc();
  Fork f;
  f.parent = parent;
  f.op = op;
  f.count = count;
  f.activation = activation;
  f.phase = phase;
  f.depth = of(parent).depth + 1;
  const Op &holder = p_.ops[op];
  if (holder.kind == OpKind::parallel) f.level = p_.levels[std::get<ParallelAttr>(holder.attr).level].depth;
  forks_.push_back(f);
  return static_cast<Strand>(forks_.size() - 1) << 32;
}

bool Strands::part(Strand &x, Strand &y) const {
  Strand lower_x = x, lower_y = y; // one step below x and y
  while (of(x).depth > of(y).depth) lower_x = x, x = of(x).parent;
  while (of(y).depth > of(x).depth) lower_y = y, y = of(y).parent;
  if (x == y) return false;
  while (x != y) {
    lower_x = x;
    lower_y = y;
    x = of(x).parent;
    y = of(y).parent;
  }
  x = lower_x;
  y = lower_y;
  return true;
}

bool Strands::concurrent(const Touch &x, const Touch &y) const {
  Strand a = x.strand, b = y.strand;
  if (weakened(Weakness::no_nesting) && a >> 32 != b >> 32) return false;
  // A lifted event counts for further instances: it parts from what is in its own one, too.
  auto counts_elsewhere = [&](const Touch &lifted, const Touch &other) {
    if (!lifted.many) return false;
    const int anchor = anchor_depth(lifted.op);
    for (Strand s = lifted.strand; s != 0; s = of(s).parent) {
      const Fork &f = of(s);
      if (f.level <= anchor || !(lifted.many >> (f.level - anchor - 1) & 1)) continue;
      if (lifted_out(other.op, f)) continue; // not concurrent through what both are lifted out of
      for (Strand o = other.strand; o != 0; o = of(o).parent)
        if (o >> 32 == s >> 32) return true; // one phase of one dynamic parallel
    }
    return false;
  };
  if (counts_elsewhere(x, y) || counts_elsewhere(y, x)) return true;
  if (!part(a, b)) return false;
  if (a >> 32 != b >> 32) return false; // one after the other, or another phase
  const Fork &f = of(a);
  return f.level < 0 || !lifted_out(x.op, f) || !lifted_out(y.op, f);
}

std::optional<std::uint8_t> Strands::parts_at(OpId op, Strand x, Strand y) const {
  if (x == y) return std::uint8_t{0};
  if (!part(x, y) || x >> 32 != y >> 32 || of(x).level < 0 || !lifted_out(op, of(x))) return std::nullopt;
  const int bit = of(x).level - anchor_depth(op) - 1;
  if (bit >= 8) return std::nullopt;
  return static_cast<std::uint8_t>(1u << bit);
}

} // namespace tilenest
