// SPDX-License-Identifier: Apache-2.0
// Access states as shared lists of touches, extended at the end.
#include "interp/shadow.h"
#include <algorithm>

namespace tilenest {

namespace {
constexpr std::size_t most_outcomes = 1 << 16; // kept to save time
constexpr std::size_t most_indexed = 1 << 20;
constexpr std::uint32_t many_touches = 16; // from here on an index pays
}

Shadow::Shadow(const TileProgram &program) : strands(program), p_(program) {
  mode_.resize(p_.ops.size(), 0);
  for (std::size_t i = 0; i < p_.ops.size(); ++i) {
    const Op &op = p_.ops[OpId(i)];
    auto atomic = [&](AtomicKind kind, ViewId view) {
      if (weakened(Weakness::plain_atomics)) return std::uint8_t{2};
      return static_cast<std::uint8_t>(3 + static_cast<int>(kind) * scalar_type_count + static_cast<int>(p_.views[view].elem));
    };
    switch (op.kind) {
    case OpKind::load:
    case OpKind::gather: mode_[OpId(i)] = 1; break;
    case OpKind::store: mode_[OpId(i)] = 2; break;
    case OpKind::atomic: mode_[OpId(i)] = atomic(std::get<AccessAttr>(op.attr).atomic, std::get<AccessAttr>(op.attr).view); break;
    case OpKind::scatter: {
      const auto &attr = std::get<IndexedAttr>(op.attr);
      mode_[OpId(i)] = attr.reducer ? atomic(*attr.reducer, attr.view) : 2;
      break;
    }
    default: break;
    }
  }
}

// rule: ATOM -- equal atomics are unordered; mixed with plain accesses, or with others, they are none.
bool Shadow::conflict(OpId a, OpId b) const {
  const std::uint8_t x = mode_[a], y = mode_[b];
  return x != y || x == 2;
}

const Shadow::Node &Shadow::node(AccessState s) const {
  const Node &near = nodes_[last_];
  if (s >= near.first && s - near.first < near.count) return near;
  const auto behind = std::upper_bound(nodes_.begin(), nodes_.end(), s, [](AccessState x, const Node &n) { return x < n.first; });
  last_ = static_cast<std::size_t>(behind - nodes_.begin()) - 1;
  return nodes_[last_];
}

std::vector<Touch> Shadow::touches(AccessState s) const {
  std::vector<Touch> out;
  while (s != 0) {
    const Node &n = node(s);
    Touch t = n.touch;
    t.strand += s - n.first;
    out.push_back(t);
    s = n.rest;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

AccessState Shadow::alone(const Touch &touch) {
  // States of the neighbouring strands of the fork are made with it.
  constexpr Strand most = 4096;
  const Strand offset = static_cast<Strand>(Strands::offset(touch.strand));
  const auto count = static_cast<Strand>(strands.of(touch.strand).count);
  const Strand from = touch.many ? offset : offset / most * most;
  auto [at, fresh] = made_.try_emplace(Key{0, touch.many, touch.op, touch.strand - offset + from}, next_);
  if (fresh) {
    Touch first = touch;
    first.strand += from - offset;
    const Strand n = touch.many ? 1 : std::max<Strand>(1, std::min(most, count - std::min(count, from)));
    if (n > ~AccessState{0} - next_) throw std::bad_alloc();
    nodes_.push_back({next_, static_cast<AccessState>(n), 0, first});
    next_ += static_cast<AccessState>(n);
  }
  return at->second + static_cast<AccessState>(offset - from);
}

AccessState Shadow::with(AccessState rest, const Touch &touch) {
  if (rest == 0) return alone(touch);
  auto [at, fresh] = made_.try_emplace(Key{rest, touch.many, touch.op, touch.strand}, next_);
  if (fresh) {
    if (next_ == ~AccessState{0}) throw std::bad_alloc();
    nodes_.push_back({next_++, 1, rest, touch, node(rest).length + 1});
  }
  return at->second;
}

const Shadow::Pairs *Shadow::pairs_of(AccessState s) const {
  const auto behind = std::upper_bound(pairs_.begin(), pairs_.end(), s, [](AccessState x, const Pairs &p) { return x < p.first; });
  return behind != pairs_.begin() && s - behind[-1].first < behind[-1].count ? &behind[-1] : nullptr;
}

std::pair<AccessState, AccessState> Shadow::halves(AccessState s) const {
  if (!live(s)) return {0, 0};
  const Pairs *p = pairs_of(s);
  if (!p) return {s, s};
  const AccessState k = s - p->first;
  if (p->kept) return kept_[p->low + k];
  return {p->low ? p->low + k : 0, p->high ? p->high + k : 0};
}

AccessState Shadow::pair(AccessState low, AccessState high, AccessState held) {
  if (!live(low)) low = 0;
  if (!live(high)) high = 0;
  if (low == high) return low;
  // Where a distance comes again the whole node of states is paired at it.
  const AccessState moving = low ? low : high, distance = low && high ? high - low : 0;
  const AccessState k = moving - node(moving).first, n = node(moving).count;
  const bool again = !distance || std::exchange(distance_, distance) == distance;
  if (n > 1 && (!high || high > k) && (!low || low > k)) {
    const Key key{moving - k, static_cast<std::uint8_t>(!low ? 0 : !high ? 1 : 2), {}, distance};
    if (const auto at = paired_.find(key); at != paired_.end()) return at->second + k;
    if (again) {
      const AccessState first = number(n);
      paired_.emplace(key, first);
      pairs_.push_back({first, n, low ? low - k : 0, high ? high - k : 0});
      return first + k;
    }
  }
  if (const Pairs *own = pairs_of(held); own && own->kept) {
    kept_[own->low + (held - own->first)] = {low, high};
    return held;
  }
  if (next_kept_ == kept_end_) {
    constexpr AccessState block = 4096;
    next_kept_ = number(block);
    kept_end_ = next_kept_ + block;
    pairs_.push_back({next_kept_, block, static_cast<AccessState>(kept_.size()), 0, true});
  }
  kept_.emplace_back(low, high);
  return next_kept_++;
}

// The first of n numbers.
AccessState Shadow::number(AccessState n) {
  if (n > ~AccessState{0} - next_) throw std::bad_alloc();
  return std::exchange(next_, next_ + n);
}

void Shadow::enter(Index &index, const Touch &touch) const {
  if (index.by_op.empty()) {
    index.strand = touch.strand;
    index.mode = mode_[touch.op];
  }
  index.one_strand &= touch.strand == index.strand && !touch.many;
  index.one_mode &= mode_[touch.op] == index.mode;
  index.by_op.emplace(touch.op, touch);
}

std::optional<AccessState> Shadow::next_of_many(AccessState state, const Touch &touch) {
  if (node(state).length < many_touches || weakened(Weakness::last_reader_only)) return std::nullopt;
  auto [at, fresh] = indices_.try_emplace(state);
  if (fresh) {
    if (indexed_ > most_indexed) {
      indices_.clear();
      indexed_ = 0;
      at = indices_.try_emplace(state).first;
    }
    for (const Touch &t : touches(state)) enter(at->second, t);
    indexed_ += at->second.by_op.size();
  }
  Index &index = at->second;
  const bool one_strand = index.one_strand && index.strand == touch.strand && !touch.many;
  const bool one_mode = index.one_mode && index.mode == mode_[touch.op] && !conflict(touch.op, touch.op);
  if (!one_strand && !one_mode) return std::nullopt;
  if (const auto own = index.by_op.find(touch.op); own != index.by_op.end()) {
    const auto bit = strands.parts_at(touch.op, own->second.strand, touch.strand);
    const bool speaks = bit ? (own->second.many | *bit) == own->second.many : strands.concurrent(own->second, touch);
    return speaks ? std::optional(state) : std::nullopt;
  }
  // The index goes on with the longer list.
  const AccessState s = with(state, touch);
  enter(index, touch);
  ++indexed_;
  auto moved = indices_.extract(at);
  moved.key() = s;
  indices_.erase(s);
  indices_.insert(std::move(moved));
  return s;
}

// rule: PAR-NI
Shadow::Outcome Shadow::next(AccessState state, const Touch &touch) {
  Outcome out;
  if (live(state))
    if (const auto s = next_of_many(state, touch)) {
      out.state = *s;
      return out;
    }
  std::vector<Touch> all = live(state) ? touches(state) : std::vector<Touch>{};
  std::size_t own = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].op == touch.op) own = i;
    if (conflict(all[i].op, touch.op) && strands.concurrent(all[i], touch)) out.interfering.push_back(all[i]);
  }
  if (weakened(Weakness::last_reader_only) && mode_[touch.op] == 1) {
    std::erase_if(all, [&](const Touch &t) { return mode_[t.op] == 1; });
    all.push_back(touch);
  } else if (own < all.size()) {
    if (const auto bit = strands.parts_at(touch.op, all[own].strand, touch.strand)) { // the same lifted event
      if ((all[own].many | *bit) == all[own].many) {
        out.state = state;
        return out;
      }
      all[own].many |= *bit;
    } else if (strands.concurrent(all[own], touch)) { // the earlier one speaks for both
      out.state = state;
      return out;
    } else {
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(own));
      all.push_back(touch);
    }
  } else {
    all.push_back(touch);
  }
  AccessState s = 0;
  for (const Touch &t : all) s = with(s, t);
  out.state = s;
  return out;
}

const Shadow::Outcome &Shadow::after(AccessState state, const Touch &touch) {
  if (!live(state)) state = 0;
  if (outcomes_.size() >= most_outcomes) outcomes_.clear();
  auto [at, fresh] = outcomes_.try_emplace(Key{state, touch.many, touch.op, touch.strand});
  if (fresh) at->second = next(state, touch);
  return at->second;
}

bool Shadow::order_all() {
  made_.clear();
  outcomes_.clear();
  nodes_.clear();
  pairs_.clear();
  paired_.clear();
  kept_.clear();
  next_kept_ = kept_end_ = 0;
  indices_.clear();
  indexed_ = 0;
  last_ = 0;
  live_from_ = next_;
  strands.clear();
  return next_ < AccessState{1} << 31;
}

} // namespace tilenest
