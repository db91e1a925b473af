// SPDX-License-Identifier: Apache-2.0
// The four regions as ranges: `for (auto &nest : parallel(grid))` opens the region, runs the body once and
// closes it; no coordinate is enumerated. The handles are not copyable.
#pragma once
#include "semantics/dsl/contracts.h"
#include "semantics/dsl/view.h"

namespace tilenest {

using pipeline_policy = PipelinePolicy;

namespace reduction {
inline constexpr ReductionPolicy unordered_tree = ReductionPolicy::unordered_tree;
inline constexpr ReductionPolicy ordered_tree = ReductionPolicy::ordered_tree;
inline constexpr ReductionPolicy fold_left = ReductionPolicy::fold_left;
inline constexpr ReductionPolicy fold_right = ReductionPolicy::fold_right;
} // namespace reduction

namespace exec {
struct Infer {};
// The domain of `parallel(exec::infer)` comes from what index() addresses; as a scope it stays open.
inline constexpr Infer infer{};

// Constraints of a `parallel`: a target scope, a coordinate map; `exec::warp | exec::layout(f)` gives both.
struct Policy {
  std::optional<std::string> scope;
  std::function<Map(int parent_rank, int domain_rank)> map;
  Policy() = default;
  Policy(Infer) {}
  friend Policy operator|(Policy a, const Policy &b) {
    if (b.scope) a.scope = b.scope;
    if (b.map) a.map = b.map;
    return a;
  }
};
// A scope of a target's catalog.
inline Policy scope(std::string token) {
  Policy p;
  p.scope = std::move(token);
  return p;
}
inline const Policy cluster = scope("cluster");
inline const Policy block = scope("block");
inline const Policy warp = scope("warp");
inline const Policy subgroup = warp; // its portable alias
inline const Policy thread = scope("thread");
inline const Policy core = scope("core");
inline const Policy vector = scope("vector");

// rule: CTX-MAP -- `f(p, i)` gives the child's coordinate from its parent's and its own local one.
template <class F>
requires std::invocable<F &, MapTuple, MapTuple> Policy layout(F f) {
  Policy p;
  p.map = [f](int parent_rank, int domain_rank) mutable {
    return dsl::expression_map(
        parent_rank + domain_rank,
        MapTuple(f(dsl::map_inputs(0, parent_rank), dsl::map_inputs(parent_rank, domain_rank))));
  };
  return p;
}
} // namespace exec

// CTX-SER: the order of a serial domain, from position to point.
struct SerialOrder {
  std::function<Map(int rank)> map;
};
template <class F>
requires std::invocable<F &, MapTuple> SerialOrder order(F f) {
  return {[f](int rank) mutable { return dsl::expression_map(rank, MapTuple(f(dsl::map_inputs(0, rank)))); }};
}

class Nest;
class SerialLoop;
class PipelineLoop;
class ReduceLoop;
template <class Handle> class ScopeRange;
using Here = std::source_location;

class ScopeHandle {
public:
  virtual ~ScopeHandle() = default;
  ScopeHandle(const ScopeHandle &) = delete;
  ScopeHandle &operator=(const ScopeHandle &) = delete;

  Index index(Here where = Here::current()); // the local coordinate
  Scalar<i64> index(DimId axis, Here where = Here::current());
  Coord coord(Here where = Here::current()); // the typed path through the maps

  ScopeRange<Nest> parallel(Domain domain, exec::Policy policy = {}, Here where = Here::current());
  ScopeRange<Nest> parallel(exec::Infer, exec::Policy policy = {}, Here where = Here::current());
  ScopeRange<SerialLoop> serial(Domain domain, Here where = Here::current());
  ScopeRange<SerialLoop> serial(Domain domain, SerialOrder order, Here where = Here::current());
  ScopeRange<PipelineLoop> pipeline(Domain domain, pipeline_policy policy = {}, Here where = Here::current());
  ScopeRange<ReduceLoop> reduce(Domain domain, ReductionPolicy policy = reduction::unordered_tree,
                                Here where = Here::current());
  ScopeRange<ReduceLoop> reduce(Domain domain, reduction::Contract contract,
                                ReductionPolicy policy = reduction::unordered_tree, Here where = Here::current());

  // For the library's own use.
  bool usable(Capture &capture); // open, and of this capture; else T0608, T0705
  const Scope &scope() const { return scope_; }
  const Space &domain() const { return domain_; }
  bool inferred() const { return inferred_; }
  const std::string &name() const { return name_; }
  std::vector<Operand> local(Capture &capture); // the local coordinate
  std::vector<Operand> addressing(Capture &capture, ViewId view);
  std::vector<Operand> path(Capture &capture);

protected:
  ScopeHandle() = default;
  friend class ScopeRangeBase;
  Scope scope_;
  Space domain_;
  std::string name_;
  std::uint32_t generation_ = 0;
  bool inferred_ = false;
};

class Nest : public ScopeHandle {
public:
  void sync(Here where = Here::current());
};
class SerialLoop : public ScopeHandle {};
class PipelineLoop : public ScopeHandle {
public:
  void stage(std::string name = "", Here where = Here::current());
};
class ReduceLoop : public ScopeHandle {};

// One region to be captured. Leaving the loop by anything but its end is reported (T0701).
class ScopeRangeBase {
public:
  ScopeRangeBase(const ScopeRangeBase &) = delete;
  ScopeRangeBase &operator=(const ScopeRangeBase &) = delete;

  struct Request { // exactly what the region's call said
    OpKind kind = OpKind::parallel;
    ScopeHandle *parent = nullptr; // nullptr: the kernel's root
    bool infer = false;
    Domain domain;
    exec::Policy policy;
    SerialOrder order;
    PipelinePolicy pipeline;
    ReductionPolicy reduction = ReductionPolicy::unordered_tree;
    reduction::Contract contract;
    Here where;
  };

protected:
  explicit ScopeRangeBase(Request request) : request_(std::move(request)) {}
  ~ScopeRangeBase();
  bool is_open() const { return handle_ != nullptr; }
  void open(std::unique_ptr<ScopeHandle> handle);
  void close();

  Request request_;
  ScopeHandle *handle_ = nullptr; // while the region is open
  std::uint32_t generation_ = 0;
  int exceptions_ = 0;
};

template <class Handle> class [[nodiscard]] ScopeRange : public ScopeRangeBase {
public:
  explicit ScopeRange(Request request) : ScopeRangeBase(std::move(request)) {}
  struct End {};
  class Pass {
  public:
    explicit Pass(ScopeRange &range) : range_(&range) {}
    Handle &operator*() const { return static_cast<Handle &>(*range_->handle_); }
    Pass &operator++() {
      range_->close();
      return *this;
    }
    friend bool operator!=(const Pass &p, End) { return p.range_->is_open(); }

  private:
    ScopeRange *range_;
  };
  Pass begin() {
    open(std::make_unique<Handle>());
    return Pass(*this);
  }
  End end() { return {}; }
  using ScopeRangeBase::is_open;
};

// The free forms attach to the kernel's root.
ScopeRange<Nest> parallel(Domain domain, exec::Policy policy = {}, Here where = Here::current());
ScopeRange<Nest> parallel(exec::Infer, exec::Policy policy = {}, Here where = Here::current());
ScopeRange<SerialLoop> serial(Domain domain, Here where = Here::current());
ScopeRange<SerialLoop> serial(Domain domain, SerialOrder order, Here where = Here::current());
ScopeRange<PipelineLoop> pipeline(Domain domain, pipeline_policy policy = {}, Here where = Here::current());
ScopeRange<ReduceLoop> reduce(Domain domain, ReductionPolicy policy = reduction::unordered_tree,
                              Here where = Here::current());
ScopeRange<ReduceLoop> reduce(Domain domain, reduction::Contract contract,
                              ReductionPolicy policy = reduction::unordered_tree, Here where = Here::current());

namespace dsl {
ValueId at_scope(ValueId x, const ScopeHandle &scope, std::source_location where);
}
template <Element T> Tile<T> Tile<T>::at(const ScopeHandle &scope, std::source_location where) const {
  Capture::at(where);
  return {dsl::Defined{}, dsl::at_scope(read(), scope, where)};
}

} // namespace tilenest
