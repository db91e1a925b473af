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
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
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
