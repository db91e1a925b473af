// SPDX-License-Identifier: Apache-2.0
// The scope chain and edit distance.
#include "semantics/text/scope.h"
#include <algorithm>
#include <numeric>

namespace tilenest::text {

const char *kind_name(Symbol::Kind kind) {
  switch (kind) {
  case Symbol::Kind::param: return "an extent parameter";
  case Symbol::Kind::dim: return "a dim";
  case Symbol::Kind::variable: return "a variable";
  case Symbol::Kind::value: return "a value";
  case Symbol::Kind::view: return "a view";
  case Symbol::Kind::nest: return "a region's handle";
  case Symbol::Kind::broken: return "unusable";
  }
  return "";
}

void Names::pop() {
  while (declared_.size() > marks_.back()) {
    symbols_.erase(declared_.back());
    declared_.pop_back();
  }
  marks_.pop_back();
}

Symbol *Names::find(const std::string &name) {
  auto at = symbols_.find(name);
  return at == symbols_.end() ? nullptr : &at->second;
}

Symbol *Names::declare(const std::string &name, Symbol symbol) {
  auto [at, fresh] = symbols_.try_emplace(name, std::move(symbol));
  if (!fresh) return nullptr;
  declared_.push_back(name);
  return &at->second;
}

std::string Names::nearest(const std::string &name) const { return nearest_spelling(name, declared_); }

namespace {
// Insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    std::swap(last, row);
  }
  return last.back();
}
} // namespace

std::string nearest_spelling(const std::string &name, const std::vector<std::string> &candidates) {
  if (name.size() > 64) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string &c : candidates) {
    if (c.size() > name.size() + least || name.size() > c.size() + least) continue;
    const std::size_t d = edit_distance(name, c);
    // One letter says too little to correct to another one.
    if (d < least && !(name.size() == 1 && c.size() == 1)) least = d, best = c;
  }
  return best;
}

} // namespace tilenest::text
