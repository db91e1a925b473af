// SPDX-License-Identifier: Apache-2.0
// PAR-NI by brute force.
#include "tests/oracle/events.h"
#include <map>
#include <tuple>

namespace tilenest::oracle {

namespace {

// Where "the innermost region instance that holds both separates them": the step of either.
using Parting = std::pair<const Step *, const Step *>;

// Of all pairs of instances that reach the two.
std::vector<Parting> partings(const Event &e, const Event &f) {
  std::vector<Parting> out;
  for (const Path &a : e.reaches)
    for (const Path &b : f.reaches)
      for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i].run != b[i].run) break; // two regions, or one entered twice, of the region that holds both
        if (a[i].point == b[i].point) continue;
        out.emplace_back(&a[i], &b[i]);
        break;
      }
  return out;
}

bool lifted_out(const Event &e, const Step &s) { return e.depth < s.depth; }
bool writes(const Touch &t) { return t.how != How::read; }

bool common_and_written(const Touch &x, const Touch &y) {
  if (x.object != y.object || x.first + x.size <= y.first || y.first + y.size <= x.first) return false;
  const bool equal_atomics = x.how == How::atomic && x == y;
  return (writes(x) || writes(y)) && !equal_atomics;
}

bool concurrent(const Event &e, const Touch &x, const Event &f, const Touch &y, const Parting &at) {
  const Step &s = *at.first, &t = *at.second;
  if (s.kind == Step::Kind::ordered) return false;
  if (s.kind == Step::Kind::reduce) return !e.tile; // the states of a `reduce` are no objects
  if (lifted_out(e, s) && lifted_out(f, s)) return false;
  if (!e.tile) return s.phase == t.phase;
  // On a tile a sync excuses nothing; a read is one of what this parallel shares.
  return (writes(x) || x.shared_by == s.run) && (writes(y) || y.shared_by == s.run);
}

} // namespace

std::vector<Interference> interferences(const std::vector<Event> &events, const std::vector<std::string> &names) {
  std::map<std::tuple<OpId, OpId, bool, std::string>, Interference> found;
  for (std::size_t i = 0; i < events.size(); ++i)
    for (std::size_t j = i; j < events.size(); ++j) {
      const Event &e = events[i], &f = events[j];
      std::vector<std::pair<const Touch *, const Touch *>> common;
      for (const Touch &x : e.touches)
        for (const Touch &y : f.touches)
          if (common_and_written(x, y) && (i != j || &x < &y)) common.emplace_back(&x, &y);
      if (common.empty()) continue;
      const std::vector<Parting> ways = partings(e, f);
      for (const auto &[x, y] : common) {
        bool any = i == j; // "The elements of one store or `scatter` are concurrent with each other."
        bool by_lifted_write = e.tile, two_writers = false;
        for (const Parting &at : ways) {
          if (!concurrent(e, *x, f, *y, at)) continue;
          const bool lifted = (writes(*x) && lifted_out(e, *at.first)) || (writes(*y) && lifted_out(f, *at.first));
          any = true;
          by_lifted_write &= lifted;
          two_writers |= e.tile && !lifted && writes(*x) && writes(*y);
        }
        if (!any) continue;
        const OpId first = std::min(e.op, f.op), second = std::max(e.op, f.op);
        const std::string &name = names[static_cast<std::size_t>(x->object)];
        Interference fresh{first, second, name, e.tile, e.tile};
        Interference &pair = found.try_emplace({first, second, e.tile, name}, fresh).first->second;
        pair.by_lifted_write &= by_lifted_write;
        pair.two_writers |= two_writers;
        ++pair.pairs;
      }
    }
  std::vector<Interference> out;
  for (const auto &[key, pair] : found) out.push_back(pair);
  return out;
}

} // namespace tilenest::oracle
