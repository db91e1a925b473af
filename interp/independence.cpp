// SPDX-License-Identifier: Apache-2.0
// Which parallels at the root may run their instances on several threads: those where nothing can see the order of
// the instances. The decision is cheap and errs on the side of one thread; docs/performance.md lists what it asks.
#include "interp/code.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace tilenest {

namespace {

constexpr std::int64_t far = std::int64_t{1} << 40; // beyond this a coordinate counts as unknown

// Where a coordinate can be: a sum over the parallel's own coordinates, over values from outside it, and something
// between `low` and `high`.
struct Reach {
  std::vector<std::int64_t> own;              // coefficient per dim of the parallel
  std::map<std::uint32_t, std::int64_t> fixed; // coefficient per outer value
  std::int64_t low = 0, high = 0;

  bool constant() const {
    for (std::int64_t c : own)
      if (c != 0) return false;
    return fixed.empty() && low == high;
  }
  bool near() const {
    for (std::int64_t c : own)
      if (c < -far || c > far) return false;
    for (const auto &[value, c] : fixed)
      if (c < -far || c > far) return false;
    return low >= -far && high <= far;
  }
};
using MaybeReach = std::optional<Reach>; // none: anywhere

MaybeReach sum(Reach x, const Reach &y, std::int64_t sign) {
  for (std::size_t d = 0; d < x.own.size(); ++d) x.own[d] += sign * y.own[d];
  for (const auto &[value, c] : y.fixed)
    if ((x.fixed[value] += sign * c) == 0) x.fixed.erase(value);
  x.low += sign > 0 ? y.low : -y.high;
  x.high += sign > 0 ? y.high : -y.low;
  return x.near() ? MaybeReach(x) : std::nullopt;
}

MaybeReach product(Reach x, std::int64_t by) {
  if (by == 0) return Reach{std::vector<std::int64_t>(x.own.size(), 0), {}, 0, 0};
  if (by < -(1 << 20) || by > 1 << 20) return std::nullopt; // keeps products of near numbers in 64 bits
  for (std::int64_t &c : x.own) c *= by;
  for (auto &[value, c] : x.fixed) c *= by;
  x.low *= by;
  x.high *= by;
  if (by < 0) std::swap(x.low, x.high);
  return x.near() ? MaybeReach(x) : std::nullopt;
}

struct Decision {
  const Compiler &c;
  const TileProgram &p;
  const Op &parallel;
  std::vector<std::int64_t> extents; // of the parallel's domain

  // What the instances do to one storage that outlives them.
  struct Accesses {
    ViewId view;
    bool one_view = true, writes = false;
    std::vector<MaybeReach> axes; // all accesses together
  };
  std::map<std::uint32_t, Accesses> storages;

  MaybeReach reach(ValueId v) const {
    const Value &value = p.values[v];
    Reach none{std::vector<std::int64_t>(extents.size(), 0), {}, 0, 0};
    if (!value.op.valid()) {
      const Region &r = p.regions[value.region];
      const Op &holder = p.ops[r.op];
      const auto at = static_cast<std::size_t>(value.index);
      if (!inside(value.region)) return outer(none, v);
      if (at >= r.args.size() - holder.carries.size()) return std::nullopt;
      if (&holder == &parallel) {
        none.own[at] = 1;
        return none;
      }
      const Space &domain = holder.kind == OpKind::parallel ? p.levels[std::get<ParallelAttr>(holder.attr).level].domain
                                                            : std::get<LoopAttr>(holder.attr).domain;
      none.high = std::max<std::int64_t>(0, c.bound.extent(domain.factors[at].extent) - 1);
      return none.near() ? MaybeReach(none) : std::nullopt;
    }
    const Op &op = p.ops[value.op];
    if (op.kind == OpKind::constant) {
      const auto &attr = std::get<LiteralAttr>(op.attr);
      const auto *literal = std::get_if<std::int64_t>(&attr.literal);
      if (!literal || attr.type != ScalarType::i64) return std::nullopt;
      none.low = none.high = *literal;
      return none.near() ? MaybeReach(none) : std::nullopt;
    }
    if (op.kind == OpKind::extent) {
      none.low = none.high = c.bound.extent(std::get<ExtentAttr>(op.attr).extent);
      return none.near() ? MaybeReach(none) : std::nullopt;
    }
    if (!inside(op.parent)) return outer(none, v);
    if (value.type.elem != ScalarType::i64) return std::nullopt;
    switch (op.kind) {
    case OpKind::iota:
      none.high = std::max<std::int64_t>(0, c.info(v).count - 1);
      return none.near() ? MaybeReach(none) : std::nullopt;
    case OpKind::per:
    case OpKind::assign: return reach(op.operands[0]);
    case OpKind::add:
    case OpKind::sub: {
      const MaybeReach x = reach(op.operands[0]), y = reach(op.operands[1]);
      return x && y ? sum(*x, *y, op.kind == OpKind::add ? 1 : -1) : std::nullopt;
    }
    case OpKind::mul: {
      const MaybeReach x = reach(op.operands[0]), y = reach(op.operands[1]);
      if (x && y && y->constant()) return product(*x, y->low);
      if (x && y && x->constant()) return product(*y, x->low);
      return std::nullopt;
    }
    default: return std::nullopt;
    }
  }
  // The same number in every instance; a tile of them could be many numbers.
  MaybeReach outer(Reach none, ValueId v) const {
    if (c.info(v).count != 1 || p.values[v].type.elem != ScalarType::i64) return std::nullopt;
    none.fixed[v.index] = 1;
    return none;
  }
  bool inside(RegionId r) const {
    for (;;) {
      const OpId holder = p.regions[r].op;
      if (!holder.valid()) return false;
      if (&p.ops[holder] == &parallel) return true;
      r = p.ops[holder].parent;
    }
  }

  void note_access(const Op &op, bool writes) {
    const auto *window = std::get_if<AccessAttr>(&op.attr);
    const ViewId view = window ? window->view : std::get<IndexedAttr>(op.attr).view;
    const Object &object = p.objects[p.views[view].object];
    if (object.kind == ObjectKind::memory && object.owner != TileProgram::root()) return; // an instance's own
    const std::size_t rank = p.views[view].space.rank();
    auto [at, fresh] = storages.try_emplace(c.storage[p.views[view].object.index]);
    Accesses &a = at->second;
    if (fresh) a.view = view;
    a.one_view &= a.view == view;
    a.writes |= writes;
    if (!a.one_view) return;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      MaybeReach r = reach(op.operands[(writes ? 1 : 0) + axis]);
      if (r && window && window->axes[axis] >= 0)
        r->high += std::max<std::int64_t>(0, c.bound.extent(window->window.factors[window->axes[axis]].extent) - 1);
      if (fresh) {
        a.axes.push_back(std::move(r));
      } else if (MaybeReach &all = a.axes[axis]; all && r && all->own == r->own && all->fixed == r->fixed) {
        all->low = std::min(all->low, r->low);
        all->high = std::max(all->high, r->high);
      } else {
        all.reset();
      }
    }
  }

  // Whether two instances never touch one element: their coordinates stand along some axes like the digits of a
  // number, each digit wider than what the smaller ones reach.
  bool apart(const Accesses &a) const {
    std::vector<bool> told(extents.size(), false);
    for (const MaybeReach &axis : a.axes) {
      if (!axis) continue;
      std::vector<std::size_t> digits;
      for (std::size_t d = 0; d < extents.size(); ++d)
        if (axis->own[d] != 0 && extents[d] > 1) digits.push_back(d);
      auto size = [&](std::size_t d) { return axis->own[d] < 0 ? -axis->own[d] : axis->own[d]; };
      std::sort(digits.begin(), digits.end(), [&](std::size_t x, std::size_t y) { return size(x) < size(y); });
      __int128 width = static_cast<__int128>(axis->high) - axis->low;
      bool fits = true;
      for (std::size_t d : digits) {
        fits &= size(d) > width;
        width += static_cast<__int128>(size(d)) * (extents[d] - 1);
      }
      if (fits)
        for (std::size_t d : digits) told[d] = true;
    }
    for (std::size_t d = 0; d < extents.size(); ++d)
      if (extents[d] > 1 && !told[d]) return false;
    return true;
  }
};

} // namespace

// What a region costs, in about nanoseconds of one thread; no more than a guess.
double Compiler::work_of(RegionId region, bool by_rows) const {
  double sum = 0;
  for (OpId id : p.regions[region].ops) {
    const Op &op = p.ops[id];
    double elements = 0, inside = 0;
    for (ValueId v : op.results) elements += static_cast<double>(info(v).count);
    for (ValueId v : op.operands) elements += static_cast<double>(info(v).count);
    if (op.kind == OpKind::mma) // the product of the extents is the root of the operands' sizes
      elements += std::sqrt(static_cast<double>(info(op.operands[0]).count) * static_cast<double>(info(op.operands[1]).count) *
                            static_cast<double>(info(op.operands[2]).count));
    const bool rows = by_rows || (op.kind == OpKind::parallel && code.routines[std::get<ParallelAttr>(op.attr).level].row_of_instances);
    for (RegionId r : op.regions) inside += work_of(r, rows);
    double times = 1;
    if (op.kind == OpKind::parallel || std::holds_alternative<LoopAttr>(op.attr)) {
      const Space &domain = op.kind == OpKind::parallel ? p.levels[std::get<ParallelAttr>(op.attr).level].domain
                                                        : std::get<LoopAttr>(op.attr).domain;
      for (std::int64_t n : bound.shape(domain)) times *= static_cast<double>(n);
    } else if (op.kind == OpKind::while_) {
      times = 16;
    }
    sum += (by_rows ? 1 : 80) + 0.3 * elements + times * inside;
  }
  return sum;
}

// rule: PAR-FREE -- instances whose order nothing sees may run at the same time.
void Compiler::find_concurrency(const Op &op, DomainPlan &plan) const {
  const LevelId level = std::get<ParallelAttr>(op.attr).level;
  // Tiles that the instances put together, paths that are compared, meetings: one thread.
  if (chosen || counted || p.regions[op.parent].level != TileProgram::root() || plan.total < 2 || !op.carries.empty() ||
      p.levels[level].map.valid() || code.routines[level].has_sync)
    return;
  Decision d{*this, p, op, plan.shape, {}};
  bool may_stop = checked;
  std::function<bool(RegionId)> unseen = [&](RegionId region) {
    for (OpId id : p.regions[region].ops) {
      const Op &inner = p.ops[id];
      const bool at_root = inner.anchor.valid() && inner.anchor == TileProgram::root();
      switch (tilenest::info(inner.kind).form) {
      case Form::memory:
        // An atomic's cell sees the order; what is done once for all instances belongs to none of them.
        if (inner.kind == OpKind::atomic || (at_root && observes_repetition(inner))) return false;
        if (inner.kind == OpKind::memory) {
          if (at_root) return false;
          break;
        }
        if (const auto *indexed = std::get_if<IndexedAttr>(&inner.attr); indexed && indexed->reducer) return false;
        d.note_access(inner, inner.kind == OpKind::store || inner.kind == OpKind::scatter);
        break;
      case Form::meta:
        if (at_root && observes_repetition(inner)) return false;
        may_stop |= inner.kind == OpKind::assert_;
        break;
      case Form::control: may_stop |= inner.kind == OpKind::while_; break;
      default: break;
      }
      for (RegionId r : inner.regions)
        if (!unseen(r)) return false;
    }
    return true;
  };
  if (!unseen(op.regions[0])) return;
  for (const auto &[storage, accesses] : d.storages) {
    if (!accesses.writes) continue;
    if (!accesses.one_view || is_packed(p.views[accesses.view].elem) || !d.apart(accesses)) return; // two share a byte
    plan.stored.push_back(accesses.view);
  }
  plan.concurrent = true;
  plan.may_stop = may_stop;
  plan.work = static_cast<double>(plan.total) * work_of(op.regions[0], code.routines[level].row_of_instances);
}

} // namespace tilenest
