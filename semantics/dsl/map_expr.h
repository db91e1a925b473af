// SPDX-License-Identifier: Apache-2.0
// Coordinate maps as C++ functions of symbolic coordinates: `exec::layout([](auto p, auto i) { ... })` and
// `layout(shape, stride(...))`. They become Map objects; nothing here is captured as an operation.
#pragma once
#include "semantics/dsl/domain.h"

namespace tilenest {

// A symbolic coordinate. `/` and `%` round down.
class MapExpr {
public:
  explicit MapExpr(IndexExpr e) : expr_(std::move(e)) {}
  MapExpr(const Extent &e) : expr_(index_extent(e)) {}
  template <std::integral N> MapExpr(N n) : expr_(index_extent(Extent(static_cast<std::int64_t>(n)))) {}
  const IndexExpr &expr() const { return expr_; }

private:
  IndexExpr expr_;
};

#define TILENEST_MAP_OPERATOR(symbol, kind)                                                                  \
  inline MapExpr operator symbol(const MapExpr &a, const MapExpr &b) {                                       \
    return MapExpr(index_binary(IndexNode::Kind::kind, a.expr(), b.expr()));                                 \
  }
TILENEST_MAP_OPERATOR(+, add)
TILENEST_MAP_OPERATOR(-, sub)
TILENEST_MAP_OPERATOR(*, mul)
TILENEST_MAP_OPERATOR(/, floordiv)
TILENEST_MAP_OPERATOR(%, mod)
TILENEST_MAP_OPERATOR(^, bit_xor)
#undef TILENEST_MAP_OPERATOR

// A tuple of symbolic coordinates; one of rank 1 is its coordinate.
class MapTuple {
public:
  explicit MapTuple(std::vector<MapExpr> items) : items_(std::move(items)) {}
  MapTuple(const MapExpr &single) : items_{single} {}
  std::size_t rank() const { return items_.size(); }
  MapExpr operator[](std::size_t i) const; // out of range: T0209
  operator MapExpr() const { return (*this)[0]; }
  const std::vector<MapExpr> &items() const { return items_; }

private:
  std::vector<MapExpr> items_;
};
template <class... E>
requires((std::same_as<E, MapExpr> || ...) && (std::convertible_to<E, MapExpr> && ...)) MapTuple
    coord(const E &...e) {
  return MapTuple({MapExpr(e)...});
}

namespace dsl {
MapTuple map_inputs(int first, int count);
Map expression_map(int inputs, const MapTuple &outputs);
} // namespace dsl

// --- element layouts of a memory ---

template <int Rank> struct Stride { std::vector<Extent> strides; };
template <class... S>
requires(std::convertible_to<S, ExtentExpr> &&...) Stride<sizeof...(S)> stride(S... s) {
  return {{ExtentExpr(s)...}};
}
template <int Rank> struct Layout {
  Shape<Rank> shape;
  std::optional<Map> map; // empty: row-major
};
template <int Rank> Layout<Rank> layout(const Shape<Rank> &shape, const Stride<Rank> &stride) {
  return {shape, Map::strided(stride.strides)};
}
// `f` gives the element offset of a coordinate.
template <int Rank, class F>
requires(!std::convertible_to<F, Stride<Rank>>) Layout<Rank> layout(const Shape<Rank> &shape, F f) {
  const MapTuple in = dsl::map_inputs(0, Rank);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Layout<Rank>{shape, dsl::expression_map(Rank, MapTuple(MapExpr(f(in[I]...))))};
  }
  (std::make_index_sequence<Rank>{});
}

} // namespace tilenest
