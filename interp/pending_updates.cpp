// SPDX-License-Identifier: Apache-2.0
// Cells by address; those that are settled together go in the order in which their first terms came, so that the choices of
// a run mean the same in the next one.
#include "interp/pending_updates.h"
#include "interp/admitted.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>

namespace tilenest {

constexpr std::ptrdiff_t widest_element = 8;

std::map<std::byte *, PendingUpdates::Cell>::iterator PendingUpdates::reaching(const std::byte *first) {
  auto at = cells_.lower_bound(const_cast<std::byte *>(first) - (widest_element - 1));
  while (at != cells_.end() && at->first + byte_size(at->second.type) <= first) ++at;
  return at;
}

bool PendingUpdates::add(std::byte *cell, ScalarType type, std::uint64_t term) {
  const auto at = cells_.find(cell);
  if (at == cells_.end() || at->second.type != type) settle(cell, byte_size(type));
  Cell &c = cells_[cell];
  if (c.count++ == 0) c.type = type, c.arrived = arrivals_++;
  if (chooser_) c.terms.push_back(term);
  return chooser_ != nullptr;
}

void PendingUpdates::settle(const std::byte *first, std::size_t bytes) {
  std::vector<std::map<std::byte *, Cell>::iterator> found;
  for (auto at = reaching(first); at != cells_.end() && at->first < first + bytes; ++at) found.push_back(at);
  std::sort(found.begin(), found.end(), [](auto a, auto b) { return a->second.arrived < b->second.arrived; });
  for (const auto at : found) {
    settle(at->first, at->second);
    cells_.erase(at);
  }
}

void PendingUpdates::settle_all() {
  if (!cells_.empty()) settle(cells_.begin()->first, static_cast<std::size_t>(cells_.rbegin()->first - cells_.begin()->first) + widest_element);
}

void PendingUpdates::drop(const std::byte *first, std::size_t bytes) {
  for (auto at = reaching(first); at != cells_.end() && at->first < first + bytes;) at = cells_.erase(at);
}

// rule: ATOM -- in any order.
void PendingUpdates::settle(std::byte *at, Cell &cell) {
  if (sets_) sets_->skip_choices(cell.count - 1);
  if (!chooser_) return;
  std::uint64_t sum = load_bits(cell.type, at);
  for (std::size_t i = 0; i < cell.terms.size(); ++i) {
    const std::size_t left = cell.terms.size() - i;
    if (left > 1) std::swap(cell.terms[i], cell.terms[i + chooser_->choose(Freedom::grouping, left)]);
    const std::uint64_t operands[] = {sum, cell.terms[i]};
    sum = apply_scalar(Primitive::add, cell.type, cell.type, operands).bits;
  }
  store_bits(cell.type, at, sum);
}

} // namespace tilenest
