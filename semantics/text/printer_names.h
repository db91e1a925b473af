// SPDX-License-Identifier: Apache-2.0
// Printable names: one for every dim, level, loop, view, variable and value that a printed program mentions,
// unique in the kernel, the program's own where they are free. Those of the kernel, its arguments and extent parameters
// are how it is called from outside, and stay whatever they hide; other names give way. Also the extent that each dim is declared with.
#pragma once
#include "semantics/program/program.h"
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tilenest::text {

class PrintNames {
public:
  explicit PrintNames(const TileProgram &program);

  const std::string &kernel() const { return kernel_; }
  const std::string &param(ParamId id) const { return params_[id.index]; }
  const std::string &object(ObjectId id) const { return objects_.at(id); }
  const std::string &view(ViewId id) const { return views_.at(id); }
  const std::string &variable(VarId id) const { return variables_[id.index]; }
  const std::string &level(LevelId id) const { return levels_[id.index]; }
  const std::string &loop(OpId id) const { return loops_.at(id); }
  const std::string &value(ValueId id) const { return values_.at(id); } // with its `%`
  // True if a view, or any name at all, is called so: a function, or a bounds policy, is then written with `@`.
  bool hides_function(const std::string &word) const { return arguments_.count(word) > 0; }
  bool hides_policy(const std::string &word) const { return used_.count(word) > 0; }
  // A name for the value; the hint is the program's.
  void name_value(ValueId id);

  struct DeclaredDim {
    DimId dim;
    std::string name;
    std::optional<Extent> extent; // with one: `axis`
  };
  const std::vector<DeclaredDim> &dims() const { return dims_; }
  // "m", "#1", or "p.dim(0)" for a dim that an inferred domain made.
  std::string dim(DimId id) const;
  bool has_simple_name(DimId id) const; // a name, not a position or a member
  const std::optional<Extent> &declared_extent(DimId id) const;
  std::string extent(const Extent &e) const;
  ViewId first_view(ObjectId id) const { return first_views_.at(id); }
  // Views of the object besides the first that some operation uses.
  std::vector<ViewId> other_views(ObjectId id) const;

private:
  std::string unique(const std::string &hint, const char *fallback, bool interface);
  void collect_dims();

  const TileProgram &p_;
  std::unordered_set<std::string> used_, arguments_;
  std::unordered_map<std::string, int> next_;
  std::string kernel_;
  std::vector<std::string> params_, variables_, levels_;
  std::unordered_map<ObjectId, std::string> objects_;
  std::unordered_map<ObjectId, ViewId> first_views_;
  std::unordered_map<ViewId, std::string> views_;
  std::unordered_map<OpId, std::string> loops_;
  std::unordered_map<ValueId, std::string> values_;
  std::unordered_set<std::string> value_names_;
  std::vector<DeclaredDim> dims_;
  std::unordered_map<DimId, std::size_t> dim_at_;
  std::unordered_map<DimId, std::pair<LevelId, int>> inferred_;
};

} // namespace tilenest::text
