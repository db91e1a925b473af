// SPDX-License-Identifier: Apache-2.0
// The checks of a bound layout: by strides, by enumeration.
#include "semantics/maps/layout_check.h"
#include "semantics/support/rule.h"
#include <algorithm>
#include <numeric>

namespace tilenest {

namespace {

using Point = std::vector<std::int64_t>;
using Verdict = LayoutReport::Verdict;

// The next point in lexicographic order; false after the last.
bool advance(Point &at, std::span<const std::int64_t> shape) {
  for (std::size_t i = at.size(); i-- > 0;) {
    if (++at[i] < shape[i]) return true;
    at[i] = 0;
  }
  return false;
}

std::optional<std::int64_t> place(const Map &map, const Point &at, const Extent::Lookup &lookup) {
  const auto out = map.evaluate(at, lookup);
  if (!out) return std::nullopt;
  return (*out)[0];
}

// Total and at or above 0 everywhere, with the largest offset.
LayoutReport sweep_bounds(const Map &map, std::span<const std::int64_t> shape, const Extent::Lookup &lookup) {
  LayoutReport r;
  Point at(shape.size(), 0);
  do {
    const auto offset = place(map, at, lookup);
    if (!offset || *offset == INT64_MAX) return {Verdict::not_total, 0, at, {}, 0};
    if (*offset < 0) return {Verdict::out_of_bounds, 0, at, {}, *offset};
    r.cosize = std::max(r.cosize, *offset + 1);
  } while (advance(at, shape));
  return r;
}

// Two points at one place, by visiting all. `report` has been found in bounds.
LayoutReport sweep_injective(const Map &map, std::span<const std::int64_t> shape, const Extent::Lookup &lookup,
                             std::int64_t points, LayoutReport report) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(points));
  Point at(shape.size(), 0);
  do offsets.push_back(*place(map, at, lookup));
  while (advance(at, shape));
  std::vector<std::int64_t> sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return report;
  report.verdict = Verdict::not_injective;
  report.offset = *twice;
  std::fill(at.begin(), at.end(), 0);
  for (std::int64_t offset : offsets) {
    if (offset == report.offset) (report.first.empty() ? report.first : report.second) = at;
    if (!report.second.empty()) break;
    advance(at, shape);
  }
  return report;
}

struct Axis {
  std::size_t input;
  std::int64_t extent, stride; // extent >= 2
};

// Totality and bounds of a strided map from its corners; fills `axes` with the inputs that move. Every
// intermediate value of an evaluation lies between the corners of its partial sums.
LayoutReport strided_bounds(const Map &map, std::span<const std::int64_t> shape, const Extent::Lookup &lookup,
                            std::vector<Axis> &axes) {
  LayoutReport r;
  const auto offset = map.offset().evaluate(lookup);
  Point lowest(shape.size(), 0), highest(shape.size(), 0);
  const LayoutReport overflow{Verdict::not_total, 0, highest, {}, 0};
  if (!offset) return overflow;
  std::int64_t low = *offset, high = *offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto stride = map.strides()[i].evaluate(lookup);
    if (!stride) return overflow;
    if (shape[i] < 2) continue;
    axes.push_back({i, shape[i], *stride});
    std::int64_t reach;
    std::int64_t &end = *stride < 0 ? low : high;
    (*stride < 0 ? lowest : highest)[i] = shape[i] - 1;
    if (__builtin_mul_overflow(shape[i] - 1, *stride, &reach) || __builtin_add_overflow(end, reach, &end))
      return {Verdict::not_total, 0, *stride < 0 ? lowest : highest, {}, 0};
  }
  if (low < 0) return {Verdict::out_of_bounds, 0, lowest, {}, low};
  if (high == INT64_MAX) return {Verdict::not_total, 0, highest, {}, 0};
  r.cosize = high + 1;
  return r;
}

enum class Strides : std::uint8_t { injective, collide, open };

// Two axes a, b collide exactly if da * sa == db * sb for some 0 < da < na, 0 < db < nb; the least such pair is
// (sb, sa) over their common divisor.
bool pair_collides(const Axis &a, const Axis &b, std::int64_t &da, std::int64_t &db) {
  const std::int64_t g = std::gcd(a.stride, b.stride);
  da = std::abs(b.stride / g), db = std::abs(a.stride / g);
  return da < a.extent && db < b.extent;
}

// What the strides alone say of injectivity. `report` receives the two points of a collision.
Strides judge_strides(std::vector<Axis> axes, std::size_t rank, const LayoutReport &bounds, LayoutReport &report,
                      std::int64_t offset) {
  auto collision = [&](Point first, Point second, std::int64_t at) {
    report = bounds;
    report.verdict = Verdict::not_injective;
    report.first = std::move(first), report.second = std::move(second);
    report.offset = at;
    return Strides::collide;
  };
  for (const Axis &a : axes)
    if (a.stride == 0) {
      Point second(rank, 0);
      second[a.input] = 1;
      return collision(Point(rank, 0), std::move(second), offset);
    }
  std::sort(axes.begin(), axes.end(),
            [](const Axis &a, const Axis &b) { return std::abs(a.stride) < std::abs(b.stride); });
  // Nested: each stride steps over everything that the smaller ones reach. In bounds, so no sum overflows.
  bool nested = true;
  std::int64_t reach = 0;
  for (const Axis &a : axes) {
    nested &= std::abs(a.stride) > reach;
    reach += std::abs(a.stride) * (a.extent - 1);
  }
  if (nested) return Strides::injective;
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = i + 1; j < axes.size(); ++j) {
      std::int64_t da, db;
      if (!pair_collides(axes[i], axes[j], da, db)) continue;
      const bool opposed = (axes[i].stride < 0) != (axes[j].stride < 0);
      Point first(rank, 0), second(rank, 0);
      first[axes[i].input] = da;
      (opposed ? first : second)[axes[j].input] = db;
      return collision(std::move(first), std::move(second),
                       offset + da * axes[i].stride + (opposed ? db * axes[j].stride : 0));
    }
  return axes.size() <= 2 ? Strides::injective : Strides::open;
}

} // namespace

// rule: MEM-OWN
LayoutReport check_layout(const Map &map, std::span<const std::int64_t> shape, const Extent::Lookup &lookup) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return {};
  std::int64_t points = 1;
  for (std::int64_t n : shape) points *= n;
  const bool skip_injective = rule_broken(Rule::mem_own);
  if (map.kind() == Map::Kind::strided) {
    std::vector<Axis> axes;
    const LayoutReport bounds = strided_bounds(map, shape, lookup, axes);
    if (bounds.verdict != Verdict::ok || skip_injective) return bounds;
    LayoutReport report;
    switch (judge_strides(axes, shape.size(), bounds, report, *map.offset().evaluate(lookup))) {
    case Strides::injective: return bounds;
    case Strides::collide: return report;
    case Strides::open: break;
    }
    if (points > bounds.cosize) { // more points than places
      report = bounds;
      report.verdict = Verdict::not_injective;
      if (points > layout_enumeration_limit) return report;
    }
    if (points > layout_enumeration_limit) return {Verdict::undecided, 0, {}, {}, 0};
    return sweep_injective(map, shape, lookup, points, bounds);
  }
  if (points > layout_enumeration_limit) return {Verdict::undecided, 0, {}, {}, 0};
  const LayoutReport bounds = sweep_bounds(map, shape, lookup);
  if (bounds.verdict != Verdict::ok || skip_injective) return bounds;
  return sweep_injective(map, shape, lookup, points, bounds);
}

} // namespace tilenest
