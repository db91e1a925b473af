// SPDX-License-Identifier: Apache-2.0
// Domains, shapes, coordinates and windows as the C++ author writes them: `shape(32, axis("n", N))`,
// `where(domain, predicate)`, `coord(i, j)`, and the comma adapter behind `A[origin, shape]` in C++20.
#pragma once
#include "semantics/diag/codes.h"
#include "semantics/dsl/tile.h"
#include <functional>
#include <optional>
#include <utility>

namespace tilenest {

struct PointAxis {};
// A window axis without extent: `A[coord(i, j), shape(point, 8)]` has one dim.
inline constexpr PointAxis point{};

// One axis of a shape: an extent over the dim that its position names (DIM-POS; in a window, the view's dim),
// a factor with its own dim, or a point.
struct ShapeAxis {
  DimId dim; // invalid: positional
  ExtentExpr extent;
  bool is_point = false;
  ShapeAxis(const Axis &a) : dim(a.dim), extent(a.extent) {}
  ShapeAxis(const Extent &e) : extent(e) {}
  template <std::integral N> ShapeAxis(N n) : extent(n) {}
  ShapeAxis(PointAxis) : is_point(true) {}
};

// Axes and an optional predicate over their coordinates (IDX-PRED). The predicate is traced when the domain
// is entered; the program keeps the traced expression, not the closure.
class Domain {
public:
  using Predicate = std::function<ValueId(std::span<const Factor>)>;

  std::vector<ShapeAxis> axes;
  Predicate predicate;

  Space space(Capture &capture) const; // points are left out
  std::vector<WindowAxis> window() const;
  std::optional<ValueId> predicate_value(const Space &space) const;
};

template <int Rank> class Shape : public Domain {};

// rule: DIM-POS
template <class... Axes>
requires(std::convertible_to<Axes, ShapeAxis> &&...) Shape<sizeof...(Axes)> shape(Axes... axes) {
  Shape<sizeof...(Axes)> s;
  s.axes = {ShapeAxis(axes)...};
  return s;
}

namespace dsl {
ValueId coordinate(const Factor &factor);
ValueId restricted(ValueId x, const Domain::Predicate &predicate);
template <std::size_t> using Coordinate = Tile<i64>;
// How many coordinates `f` takes, 0 if none of 1 to 8.
template <class F, int N = 1> consteval int coordinate_arity() {
  constexpr bool callable = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::invocable<F &, Coordinate<I>...>;
  }
  (std::make_index_sequence<N>{});
  if constexpr (callable)
    return N;
  else if constexpr (N < 8)
    return coordinate_arity<F, N + 1>();
  else
    return 0;
}
// Reports a predicate that takes another number of coordinates than there are (T0209).
Domain::Predicate checked_arity(int arity, Domain::Predicate predicate);
template <int Rank, class F> Domain::Predicate traced(F f) {
  return [f](std::span<const Factor> factors) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const Tile<bool> result = f(Tile<i64>(Defined{}, coordinate(factors[I]))...);
      return result.read();
    }
    (std::make_index_sequence<Rank>{});
  };
}
} // namespace dsl

// rule: IDX-PRED -- the points of a domain or window where the predicate of its coordinates holds.
// Points of a window have no coordinate.
template <int Rank, class F> Shape<Rank> where(Shape<Rank> shape, F predicate) {
  constexpr int arity = dsl::coordinate_arity<F>();
  static_assert(arity > 0, "the predicate is called with the domain's coordinates: [](auto i, auto j) { ... }");
  shape.predicate = dsl::checked_arity(arity, dsl::traced<arity>(std::move(predicate)));
  return shape;
}
// The tile, with values only where the predicate, a bool tile or a function of the tile's coordinates, holds.
template <Element T>
Tile<T> where(const Tile<T> &x, const Tile<bool> &predicate,
              std::source_location at = std::source_location::current()) {
  Capture &c = Capture::at(at);
  return {dsl::Defined{}, c.builder().restrict(x.read(), predicate.read())};
}
template <Element T, class F>
requires(!std::convertible_to<F, Tile<bool>>) Tile<T> where(
    const Tile<T> &x, F predicate, std::source_location at = std::source_location::current()) {
  constexpr int rank = dsl::coordinate_arity<F>();
  static_assert(rank > 0, "the predicate is called with the tile's coordinates: [](auto i, auto j) { ... }");
  Capture::at(at);
  return {dsl::Defined{},
          dsl::restricted(x.read(), dsl::checked_arity(rank, dsl::traced<rank>(std::move(predicate))))};
}

// A tuple of integer coordinates: scalars for an origin, tiles for gather, scatter and reindex.
// The typed path of a scope, `nest.coord()`, is one that is resolved when it is used.
class Coord {
public:
  Coord(std::vector<Operand> items) : items_(std::move(items)) {}
  Coord(ScopeHandle &path, std::uint32_t generation) : path_(&path), generation_(generation) {}
  Tile<i64> operator[](std::size_t axis) const;
  std::vector<Operand> items() const;

private:
  std::vector<Operand> items_;
  ScopeHandle *path_ = nullptr;
  std::uint32_t generation_ = 0;
};

inline Coord coord() { return Coord({}); }
inline Coord coord(AnyArg a) { return Coord({a.operand}); }
inline Coord coord(AnyArg a, AnyArg b) { return Coord({a.operand, b.operand}); }
inline Coord coord(AnyArg a, AnyArg b, AnyArg c) { return Coord({a.operand, b.operand, c.operand}); }
inline Coord coord(AnyArg a, AnyArg b, AnyArg c, AnyArg d) {
  return Coord({a.operand, b.operand, c.operand, d.operand});
}
inline Coord coord(AnyArg a, AnyArg b, AnyArg c, AnyArg d, AnyArg e) {
  return Coord({a.operand, b.operand, c.operand, d.operand, e.operand});
}
inline Coord coord(AnyArg a, AnyArg b, AnyArg c, AnyArg d, AnyArg e, AnyArg f) {
  return Coord({a.operand, b.operand, c.operand, d.operand, e.operand, f.operand});
}

// nest.index(): the coordinate tuple of one scope (EXT-NOW). A scalar at rank 1 only.
class Index : public TileOperators<i64> {
public:
  Index(ScopeHandle &scope, std::uint32_t generation) : scope_(&scope), generation_(generation) {}
  operator Tile<i64>() const;
  Tile<i64> operator[](std::size_t axis) const;
  ValueId scalar() const;                             // rank 1, else T0702
  std::vector<Operand> items() const;                 // an inferred domain is opaque: T0605
  std::vector<Operand> addressing(ViewId view) const; // whole and unmodified: CTX-INFER

private:
  ScopeHandle *scope_;
  std::uint32_t generation_;
};

// Where an access starts, with the place of the access.
struct Origin {
  Coord coord;
  std::optional<Index> whole; // an unmodified index()
  std::source_location where;

  Origin(const Coord &c, std::source_location w = std::source_location::current()) : coord(c), where(w) {}
  Origin(const Index &i, std::source_location w = std::source_location::current())
      : coord({}), whole(i), where(w) {}
  template <IntegerElement T>
  Origin(const Tile<T> &t, std::source_location w = std::source_location::current())
      : coord({AnyArg(t, w).operand}), where(w) {}
  template <std::integral N>
  Origin(N n, std::source_location w = std::source_location::current())
      : coord({Operand(static_cast<std::int64_t>(n))}), where(w) {}
  Origin(const Extent &e, std::source_location w = std::source_location::current())
      : coord({Operand(e)}), where(w) {}

  // One scalar or index tile per axis of the view; refused values after a report.
  std::vector<Operand> addressing(Capture &capture, ViewId view) const;
};

// What an access does outside its view (BND-ZERO, BND-PRED, BND-ASSUME).
struct BoundsPolicy {
  Bounds bounds = Bounds::zero;
  Domain::Predicate predicate;
};
namespace bounds {
inline const BoundsPolicy zero{Bounds::zero, {}};
inline const BoundsPolicy assume{Bounds::assume, {}};
// A bool tile over the window, or a function of the window's coordinates.
inline BoundsPolicy predicate(const Tile<bool> &p) {
  return {Bounds::predicate, [v = p.read()](std::span<const Factor>) { return v; }};
}
template <class F>
requires(!std::convertible_to<F, Tile<bool>>) BoundsPolicy predicate(F p) {
  constexpr int rank = dsl::coordinate_arity<F>();
  static_assert(rank > 0,
                "the predicate is called with the window's coordinates: [](auto i, auto j) { ... }");
  return {Bounds::predicate, dsl::checked_arity(rank, dsl::traced<rank>(std::move(p)))};
}
} // namespace bounds

#ifndef __cpp_multidimensional_subscript
// `A[origin, shape]` in C++20: the comma makes the pair that operator[] takes.
template <int Rank> struct Window {
  Origin origin;
  Shape<Rank> shape;
  BoundsPolicy bounds;
};
template <class O, int Rank>
requires std::convertible_to<const O &, Origin> Window<Rank>
operator,(const O &origin, const Shape<Rank> &shape) { return {Origin(origin), shape, {}}; }
template <int Rank> Window<Rank> operator,(Window<Rank> window, const BoundsPolicy &bounds) {
  window.bounds = bounds;
  return window;
}
#endif

inline AnyArg::AnyArg(const Index &index, std::source_location w)
    : operand((Capture::at(w), index.scalar())), where(w) {}

template <Element T> Domain Tile<T>::domain(DimList dims, std::source_location where) const {
  Capture &c = Capture::at(where);
  Domain d;
  const Space &s = c.builder().type(read()).space;
  for (DimId dim : dims.dims) {
    const int at = s.find(dim);
    if (at < 0)
      c.builder().error(Code::T0703, {{"what", "the tile"}, {"dim", c.builder().program().dim_text(dim)}});
    else
      d.axes.push_back(Axis{dim, s.factors[at].extent});
  }
  return d;
}

} // namespace tilenest
