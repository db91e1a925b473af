// SPDX-License-Identifier: Apache-2.0
// Orders by their axes, then point by point.
#include "semantics/maps/order_check.h"
#include "semantics/space/element_count.h"
#include <algorithm>

namespace tilenest {

namespace {

using OrderVerdict = OrderReport::Verdict;

// One input, or its negation, and a number.
struct Turned {
  int input = -1;
  int sign = 0; // 0: a number alone
  std::int64_t constant = 0;
};

std::optional<Turned> turned(const IndexExpr &e, const Extent::Lookup &lookup) {
  if (e->kind == IndexNode::Kind::input) return Turned{e->input, 1, 0};
  if (e->kind == IndexNode::Kind::extent) {
    const auto value = e->extent.evaluate(lookup);
    return value ? std::optional(Turned{-1, 0, *value}) : std::nullopt;
  }
  if (e->kind != IndexNode::Kind::add && e->kind != IndexNode::Kind::sub) return std::nullopt;
  const auto a = turned(e->left, lookup), b = turned(e->right, lookup);
  if (!a || !b || (a->sign != 0 && b->sign != 0)) return std::nullopt;
  const bool minus = e->kind == IndexNode::Kind::sub;
  Turned out{std::max(a->input, b->input), a->sign + (minus ? -b->sign : b->sign), 0};
  const bool overflow = minus ? __builtin_sub_overflow(a->constant, b->constant, &out.constant)
                              : __builtin_add_overflow(a->constant, b->constant, &out.constant);
  return overflow ? std::nullopt : std::optional(out);
}

// Each output runs over its axis as one input of the same extent does, forwards or backwards, and each input has its own.
bool exchanges_axes(const Map &order, std::span<const std::int64_t> shape, const Extent::Lookup &lookup) {
  if (order.kind() != Map::Kind::index_expr) return false;
  std::vector<bool> taken(shape.size(), false);
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const auto t = turned(order.output_expressions()[a], lookup);
    if (!t || t->sign == 0) return false;
    const auto input = static_cast<std::size_t>(t->input);
    if (taken[input] || shape[input] != shape[a] || t->constant != (t->sign > 0 ? 0 : shape[a] - 1)) return false;
    taken[input] = true;
  }
  return true;
}

std::string position_text(const std::vector<std::int64_t> &at) {
  std::string out;
  for (std::int64_t x : at) out += (out.empty() ? "" : ", ") + std::to_string(x);
  return "position [" + out + "]";
}

// f(at, point or nothing) at every position, row-major, while it returns true.
template <class F> void for_positions(const Map &order, std::span<const std::int64_t> shape, const Extent::Lookup &lookup, F &&f) {
  std::vector<std::int64_t> at(shape.size(), 0), to(shape.size());
  for (std::int64_t n = element_count(shape); n > 0; --n) {
    bool whole = true;
    for (std::size_t a = 0; a < to.size(); ++a) {
      const Map::Value v = order.evaluate(static_cast<int>(a), at, lookup);
      to[a] = v.value;
      whole &= !v.wrapped && !v.undefined;
    }
    if (!f(at, whole ? &to : nullptr)) return;
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

// Row-major; -1 outside.
std::int64_t linear(const std::vector<std::int64_t> &point, std::span<const std::int64_t> shape) {
  std::int64_t out = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (point[a] < 0 || point[a] >= shape[a]) return -1;
    out = out * shape[a] + point[a];
  }
  return out;
}

} // namespace

// rule: CTX-SER
OrderReport check_order(const Map &order, std::span<const std::int64_t> shape, const Extent::Lookup &lookup) {
  const std::int64_t count = element_count(shape);
  if (count == 0 || exchanges_axes(order, shape, lookup)) return {};
  if (count > order_enumeration_limit) return {OrderVerdict::undecided, {}};
  OrderReport r;
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  for_positions(order, shape, lookup, [&](const std::vector<std::int64_t> &at, const std::vector<std::int64_t> *to) {
    const std::int64_t point = to ? linear(*to, shape) : -1;
    if (point >= 0 && !seen[static_cast<std::size_t>(point)]) {
      seen[static_cast<std::size_t>(point)] = true;
      return true;
    }
    r = {OrderVerdict::not_bijection, position_text(at) + (!to ? " has no image" : point < 0 ? " leaves the domain" : " meets a point again")};
    return false;
  });
  return r;
}

std::vector<std::int64_t> order_points(const Map &order, std::span<const std::int64_t> shape, const Extent::Lookup &lookup) {
  std::vector<std::int64_t> points;
  points.reserve(static_cast<std::size_t>(element_count(shape)));
  for_positions(order, shape, lookup, [&](const std::vector<std::int64_t> &, const std::vector<std::int64_t> *to) {
    points.push_back(linear(*to, shape));
    return true;
  });
  return points;
}

} // namespace tilenest
