// SPDX-License-Identifier: Apache-2.0
// PAR-NI by brute force.
#include "tests/oracle/events.h"
#include <map>
#include <tuple>

namespace tilenest::oracle {

namespace {

// "the innermost region instance that holds both separates them": its index on both paths, or -1 where none
// does.
int separated_at(const Path &a, const Path &b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].run != b[i].run) return -1; // two regions, or one entered twice, of the region that holds both
    if (a[i].point != b[i].point) return static_cast<int>(i);
  }
  return -1;
}

// SYNC: "excuses no interference" on a tile, so that phases separate accesses to views and memories alone.
enum class Concurrent { no, instances, other_phase, contributions };
Concurrent concurrent(const Event &e, const Path &a, const Event &f, const Path &b, int at) {
  if (at < 0) return Concurrent::no;
  const Step &x = a[static_cast<std::size_t>(at)], &y = b[static_cast<std::size_t>(at)];
  switch (x.kind) {
  case Step::Kind::ordered:
    return Concurrent::no;
  case Step::Kind::reduce:
    return Concurrent::contributions;
  case Step::Kind::parallel:
    break;
  }
  const bool both_lifted = e.depth < x.depth && f.depth < x.depth;
  if (both_lifted) return Concurrent::no;
  return x.phase == y.phase ? Concurrent::instances : Concurrent::other_phase;
}

bool clash(const BitAccess &a, const BitAccess &b) {
  if (a.storage != b.storage) return false;
  if (a.first_bit + a.bits <= b.first_bit || b.first_bit + b.bits <= a.first_bit) return false;
  if (a.touch == Touch::read && b.touch == Touch::read) return false;
  const bool equal_atomics = a.touch == Touch::atomic && b.touch == Touch::atomic && a.atomic == b.atomic &&
                             a.elem == b.elem && a.first_bit == b.first_bit;
  return !equal_atomics;
}

} // namespace

std::vector<Interference> interferences(const std::vector<Event> &events,
                                        const std::vector<std::string> &storages,
                                        const std::vector<std::string> &variables) {
  struct Pair {
    std::uint64_t elements = 0;
    bool by_lifted_write = true, two_writers = false; // of tiles
  };
  std::map<std::tuple<OpId, OpId, bool, std::string>, Pair> pairs;
  const auto key = [](const Event &e, const Event &f, bool tile, const std::string &object) {
    return std::tuple(std::min(e.op, f.op), std::max(e.op, f.op), tile, object);
  };
  const auto count = [&](const Event &e, const Event &f, bool tile, const std::string &object,
                         std::uint64_t n) {
    if (n != 0) pairs[key(e, f, tile, object)].elements += n;
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event &e = events[i];
    // "The elements of one store or scatter are concurrent with each other."
    for (std::size_t x = 0; x < e.bits.size(); ++x)
      for (std::size_t y = x + 1; y < e.bits.size(); ++y)
        count(e, e, false, storages[static_cast<std::size_t>(e.bits[x].storage)],
              clash(e.bits[x], e.bits[y]));
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      const Event &f = events[j];
      std::map<int, std::uint64_t> common;
      for (const BitAccess &x : e.bits)
        for (const BitAccess &y : f.bits)
          if (clash(x, y)) ++common[x.storage];
      bool any = false;
      std::set<std::pair<int, std::int64_t>> elements; // of variables
      for (const Reach &a : e.reaches)
        for (const Reach &b : f.reaches) {
          if (common.empty() && (a.tiles.empty() || b.tiles.empty())) continue;
          const int at = separated_at(a.path, b.path);
          const Concurrent how = concurrent(e, a.path, f, b.path, at);
          if (how == Concurrent::no) continue;
          any |= how != Concurrent::other_phase;
          if (how == Concurrent::contributions) continue; // states of a `reduce` are no objects
          const Step &split = a.path[static_cast<std::size_t>(at)];
          for (const TileAccess &x : a.tiles)
            for (const TileAccess &y : b.tiles)
              if (x.variable == y.variable && x.element == y.element && (x.write || y.write) &&
                  (x.write || x.run == split.run) && (y.write || y.run == split.run)) {
                elements.insert({x.variable, x.element});
                const bool lifted = (x.write && e.depth < split.depth) || (y.write && f.depth < split.depth);
                Pair &pair = pairs[key(e, f, true, variables[static_cast<std::size_t>(x.variable)])];
                pair.by_lifted_write &= lifted;
                pair.two_writers |= !lifted && x.write && y.write;
              }
        }
      if (any)
        for (const auto &[storage, n] : common)
          count(e, f, false, storages[static_cast<std::size_t>(storage)], n);
      for (const auto &[variable, element] : elements)
        count(e, f, true, variables[static_cast<std::size_t>(variable)], 1);
    }
  }
  std::vector<Interference> out;
  for (const auto &[at, pair] : pairs) {
    const auto &[first, second, tile, object] = at;
    out.push_back(
        {first, second, object, tile, tile && pair.by_lifted_write, pair.two_writers, pair.elements});
  }
  return out;
}

} // namespace tilenest::oracle
