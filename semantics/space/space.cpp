// SPDX-License-Identifier: Apache-2.0
// Spaces and the elementwise join.
#include "semantics/space/space.h"
#include "semantics/support/rule.h"

namespace tilenest {

int Space::find(DimId dim) const {
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (factors[i].dim == dim) return static_cast<int>(i);
  return -1;
}

// rule: SPC-UNIQ
DimId repeated_dim(const Space &space) {
  if (rule_broken(Rule::spc_uniq)) return {};
  for (std::size_t i = 0; i < space.rank(); ++i)
    for (std::size_t j = i + 1; j < space.rank(); ++j)
      if (space.factors[i].dim == space.factors[j].dim) return space.factors[i].dim;
  return {};
}

// rule: BCAST
Joined join_spaces(std::span<const Space *const> operands, std::span<const int> priority) {
  Joined out;
  out.ok = true;
  if (operands.empty()) return out;
  std::vector<int> order(priority.begin(), priority.end());
  if (order.empty())
    for (std::size_t i = 0; i < operands.size(); ++i) order.push_back(static_cast<int>(i));
  int leader = order[0];
  for (int i : order)
    if (operands[i]->rank() > operands[leader]->rank()) leader = i;
  if (rule_broken(Rule::bcast)) leader = order.back();
  out.space = *operands[leader];
  auto merge = [&](const Space &other) {
    for (const Factor &f : other.factors) {
      const int at = out.space.find(f.dim);
      if (at < 0) {
        out.space.factors.push_back(f);
        continue;
      }
      Factor &mine = out.space.factors[at];
      if (mine.extent == f.extent) continue;
      if (f.extent.constant() == 1) continue;
      if (mine.extent.constant() == 1) {
        mine.extent = f.extent;
        continue;
      }
      if (judge_equal(mine.extent, f.extent) == Judged::no && mine.extent.is_constant() &&
          f.extent.is_constant()) {
        if (out.ok) out.clash = f.dim, out.clash_left = mine.extent, out.clash_right = f.extent;
        out.ok = false;
        continue;
      }
      out.open.push_back({f.extent, mine.extent, f.dim, true}); // the operand's may turn out to be 1
    }
  };
  // The leader first, then the others from left to right: missing dims are appended in that order.
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (static_cast<int>(i) != leader) merge(*operands[i]);
  return out;
}

} // namespace tilenest
