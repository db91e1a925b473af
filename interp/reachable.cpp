// SPDX-License-Identifier: Apache-2.0
// Sets of leaves as bits of a mask: all of them where the order is free, else runs of neighbours.
#include "interp/reachable.h"
#include "interp/private_copy.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <bit>

namespace tilenest {

ReachableValues::ReachableValues(const ReductionEvent &event, std::uint64_t &budget) : event_(event), sets_(1) {
  if (event.leaves.empty()) return;
  kernel_ = find_row_kernel(event.primitive, event.type, event.type);
  // The identity merged with anything is that, bit for bit (RED-SEED).
  for (const std::uint64_t leaf : event.leaves) {
    const std::uint64_t x[] = {event.seed, leaf};
    seed_apart_ |= apply_scalar(event.primitive, event.type, event.type, x).bits != leaf;
  }
  std::vector<std::uint64_t> leaves = event.leaves;
  if (seed_apart_) leaves.insert(leaves.begin(), event.seed);
  const auto n = static_cast<unsigned>(leaves.size());
  sets_.resize(std::size_t{1} << n);
  for (unsigned i = 0; i < n; ++i) sets_[std::size_t{1} << i] = {canonical(event.type, leaves[i])};
  for (Mask whole = 1; whole < sets_.size(); ++whole) {
    if (std::has_single_bit(whole)) continue;
    std::vector<std::uint64_t> &out = sets_[whole];
    for (Mask left = (whole - 1) & whole; left != 0; left = (left - 1) & whole) {
      if (!splits(whole, left)) continue;
      const auto &a = sets_[left], &b = sets_[whole & ~left];
      const std::uint64_t merges = a.size() * b.size();
      if (merges > budget) {
        sets_.resize(1);
        return;
      }
      budget -= merges;
      merge(a, b, out);
      if (out.size() > 1 << 16) { // mostly repetitions
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  std::sort(sets_.back().begin(), sets_.back().end(), [&](std::uint64_t a, std::uint64_t b) { return order_key(event.type, a) < order_key(event.type, b); });
  complete_ = true;
}

// The left part has the first leaf; where leaves keep their order both parts are runs.
bool ReachableValues::splits(Mask whole, Mask left) const {
  if ((left & (whole & (~whole + 1))) == 0) return false;
  if (event_.unordered) return true;
  const auto run = [](Mask m) { return std::has_single_bit((m >> std::countr_zero(m)) + 1); };
  return run(whole) && run(left) && run(whole & ~left);
}

void ReachableValues::merge(const std::vector<std::uint64_t> &left, const std::vector<std::uint64_t> &right, std::vector<std::uint64_t> &out) const {
  const std::size_t size = byte_size(event_.type);
  std::vector<std::byte> row(right.size() * size), results(right.size() * size);
  for (std::size_t i = 0; i < right.size(); ++i) store_bits(event_.type, row.data() + i * size, right[i]);
  for (const std::uint64_t l : left) {
    alignas(8) std::byte one[8];
    store_bits(event_.type, one, l);
    const RowOperand operands[] = {{one, 0}, {row.data(), 1}};
    kernel_(right.size(), results.data(), operands, {});
    for (std::size_t i = 0; i < right.size(); ++i) out.push_back(canonical(event_.type, load_bits(event_.type, results.data() + i * size)));
  }
}

ReachableValues::Node ReachableValues::tree(Mask whole, std::uint64_t value) const {
  if (std::has_single_bit(whole)) return {std::countr_zero(whole), {}};
  for (Mask left = (whole - 1) & whole; left != 0; left = (left - 1) & whole) {
    if (!splits(whole, left)) continue;
    for (const std::uint64_t a : sets_[left])
      for (const std::uint64_t b : sets_[whole & ~left]) {
        const std::uint64_t x[] = {a, b};
        if (canonical(event_.type, apply_scalar(event_.primitive, event_.type, event_.type, x).bits) != value) continue;
        Node n;
        n.parts.push_back(tree(left, a));
        n.parts.push_back(tree(whole & ~left, b));
        return n;
      }
  }
  return {};
}

std::vector<std::uint64_t> ReachableValues::choices(std::uint64_t value) const {
  Node root = tree(static_cast<Mask>(sets_.size() - 1), value);
  if (!seed_apart_) { // the chain from the seed has no contribution, and stands first
    Node with_seed;
    with_seed.parts.push_back({0, {}});
    const auto number = [](auto &&self, Node &n) -> void {
      if (n.leaf >= 0) ++n.leaf;
      for (Node &part : n.parts) self(self, part);
    };
    number(number, root);
    with_seed.parts.push_back(std::move(root));
    root = std::move(with_seed);
  }
  std::vector<std::size_t> order; // contributions from left to right
  const auto walk = [&](auto &&self, const Node &n) -> std::size_t {
    if (n.parts.empty()) {
      if (n.leaf > 0) order.push_back(static_cast<std::size_t>(n.leaf - 1));
      return 1;
    }
    return self(self, n.parts[0]) + self(self, n.parts[1]);
  };
  walk(walk, root);
  const std::size_t n = event_.leaves.size();
  std::vector<std::uint64_t> out;
  if (event_.unordered) {
    std::vector<std::size_t> now(n);
    for (std::size_t i = 0; i < n; ++i) now[i] = i;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const auto at = static_cast<std::size_t>(std::find(now.begin() + static_cast<std::ptrdiff_t>(i), now.end(), order[i]) - now.begin());
      out.push_back(at - i);
      std::swap(now[i], now[at]);
    }
  }
  out.insert(out.end(), n, 1); // each contribution a chain of its own
  if (event_.unordered) out.push_back(0);
  const auto split = [&](auto &&self, const Node &node) -> std::size_t { // in the order of choose_tree
    if (node.parts.empty()) return 1;
    const std::size_t at = out.size();
    out.push_back(0);
    const std::size_t left = self(self, node.parts[0]), right = self(self, node.parts[1]);
    if (left + right > 2) out[at] = right - 1;
    else out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
    return left + right;
  };
  split(split, root);
  return out;
}

} // namespace tilenest
