// SPDX-License-Identifier: Apache-2.0
// Names of one kernel: what a name stands for, the chain of scopes, and the nearest spelling of a name that
// stands for nothing. No name shadows another.
#pragma once
#include "semantics/program/builder.h"
#include <optional>
#include <string>
#include <unordered_map>

namespace tilenest::text {

struct Symbol {
  // `broken`: its declaration failed and was reported; uses of it are silent.
  enum class Kind : std::uint8_t { param, dim, variable, value, view, nest, broken };
  Kind kind = Kind::broken;
  Site site;
  Extent extent;                       // param: itself; dim: its own extent, if any
  bool has_extent = false;
  DimId dim;
  VarId var;
  ValueId value;
  ViewId view;
  Scope scope;                         // nest: an open region
  Space domain;
  bool infer = false;
  bool refused = false;                // variable: declared by a value that was refused, so that its space is unknown
};

const char *kind_name(Symbol::Kind kind); // "an axis or dim", "a view", ...

class Names {
public:
  void push() { marks_.push_back(declared_.size()); }
  void pop();
  Symbol *find(const std::string &name);
  // The symbol, or nothing if the name is taken (`find` says by what).
  Symbol *declare(const std::string &name, Symbol symbol);
  // A visible name within a small edit distance, or "".
  std::string nearest(const std::string &name) const;

private:
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<std::string> declared_;
  std::vector<std::size_t> marks_;
};

// The nearest of the candidates within a third of the length of `name`, or "".
std::string nearest_spelling(const std::string &name, const std::vector<std::string> &candidates);

} // namespace tilenest::text
