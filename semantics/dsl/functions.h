// SPDX-License-Identifier: Apache-2.0
// The value functions of the surface, one call of the Builder each. The elementwise ones come from ops.def,
// so that a new row is a new function. Compositions stand in library/.
#pragma once
#include "semantics/dsl/elementwise.h"
#include "semantics/dsl/scopes.h"

namespace tilenest {

namespace dsl {
ValueId full(ScalarType type, const Operand &value, const Domain &shape, std::source_location where,
             const char *written = "full");
ValueId iota(const Domain &axis, std::source_location where);
ValueId extent(const Extent &e, std::source_location where);
Extent extent_parameter(const char *name, std::source_location where);
ValueId broadcast(const AnyArg &x, const Domain &shape);
ValueId reshape(const AnyArg &x, const Domain &shape);
ValueId relabel(const AnyArg &x, const DimList &dims);
ValueId transpose(const AnyArg &x, const DimList &dims);
ValueId insert(const AnyArg &x, const AnyArg &piece, const Coord &origin);
ValueId take(const AnyArg &x, const Coord &index);
ValueId scan(const AnyArg &x, DimId dim, Reducer reducer, bool exclusive, bool reverse, ReductionPolicy policy);
ValueId reduce(const AnyArg &x, const DimList &dims, Reducer reducer, ReductionPolicy policy,
               bool wide_accumulation = false);
DimList all_dims(const AnyArg &x);
ValueId mma(const AnyArg &a, const AnyArg &b, const AnyArg &acc, MmaAttr policy);
ValueId per(const ScopeHandle &nest, const AnyArg &x);
void check_map(const AnyArg &x, const TileIdentity &result); // T0707
} // namespace dsl

// The custom elementwise operation: `f` is traced once on a value that stands for each element.
template <Element T, class F>
auto map(const Tile<T> &x, F f, std::source_location where = std::source_location::current()) {
  auto result = f(x);
  dsl::check_map(AnyArg(x, where), result);
  return result;
}
template <Element T, Element U, class F>
auto map(const Tile<T> &x, const Tile<U> &y, F f,
         std::source_location where = std::source_location::current()) {
  auto result = f(x, y);
  dsl::check_map(AnyArg(x, where), result);
  dsl::check_map(AnyArg(y, where), result);
  return result;
}
template <Element T, Element U, Element V, class F>
auto map(const Tile<T> &x, const Tile<U> &y, const Tile<V> &z, F f,
         std::source_location where = std::source_location::current()) {
  auto result = f(x, y, z);
  dsl::check_map(AnyArg(x, where), result);
  dsl::check_map(AnyArg(y, where), result);
  dsl::check_map(AnyArg(z, where), result);
  return result;
}

// --- generate ---

template <Element T> Tile<T> full(const Domain &shape, Arg<T> value) {
  return {dsl::Defined{}, dsl::full(element_type<T>, value.operand, shape, value.where)};
}
template <Element T>
Tile<T> zeros(const Domain &shape, std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::full(element_type<T>, std::int64_t{0}, shape, where, "zeros")};
}
// The i64 coordinate along one axis.
inline Tile<i64> iota(const Shape<1> &axis, std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::iota(axis, where)};
}
inline Tile<i64> iota(const Axis &axis, std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::iota(shape(axis), where)};
}
// An extent as a device value.
inline Scalar<i64> extent(const Extent &e, std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::extent(e, where)};
}

// A parameter of the kernel that no shape needs to mention, by its name.
inline ExtentExpr extent(const char *parameter, std::source_location where = std::source_location::current()) {
  return dsl::extent_parameter(parameter, where);
}

// --- index maps ---

template <Element T>
Tile<T> broadcast(const Tile<T> &x, const Domain &shape,
                  std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::broadcast(AnyArg(x, where), shape)};
}
template <Element T>
Tile<T> reshape(const Tile<T> &x, const Domain &shape,
                std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::reshape(AnyArg(x, where), shape)};
}
template <Element T>
Tile<T> relabel(const Tile<T> &x, const DimList &dims,
                std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::relabel(AnyArg(x, where), dims)};
}
template <Element T>
Tile<T> transpose(const Tile<T> &x, const DimList &dims,
                  std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::transpose(AnyArg(x, where), dims)};
}
// x with the window at `origin` replaced by `piece`.
template <Element T>
Tile<T> insert(const Tile<T> &x, std::type_identity_t<Arg<T>> piece, const Coord &origin) {
  return {dsl::Defined{}, dsl::insert(AnyArg(x, piece.where), piece, origin)};
}
// x at index tiles, one per axis.
template <Element T>
Tile<T> take(const Tile<T> &x, const Coord &index,
             std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::take(AnyArg(x, where), index)};
}
// The tile over `shape` whose element at (i, j) is x at f(i, j).
template <Element T, int R, class F>
Tile<T> reindex(const Tile<T> &x, F f, const Shape<R> &shape, Here where = Here::current()) {
  const Space space = shape.space(Capture::at(where));
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const Origin index(f(Tile<i64>(dsl::Defined{}, dsl::coordinate(space.factors[I]))...), where);
    return take(x, index.whole ? Coord(index.whole->items()) : index.coord, where);
  }
  (std::make_index_sequence<R>{});
}
template <class E, int R> auto gather(const TensorView<E, R> &view, Origin index, BoundsPolicy bounds = {}) {
  return view.gather(std::move(index), std::move(bounds));
}
template <WritableElement E, int R>
void scatter(const TensorView<E, R> &view, Origin index, Arg<typename ViewElement<E>::type> value) {
  view.scatter(std::move(index), value);
}
// With a reducer a scatter is atomic.
template <WritableElement E, int R, OpKind K, Reducer Red>
void scatter(const TensorView<E, R> &view, Origin index, Arg<typename ViewElement<E>::type> value,
             ReducerFunction<K, Red>) {
  static_assert(Red == Reducer::add || Red == Reducer::min || Red == Reducer::max || Red >= Reducer::bit_and,
                "a scatter reduces with add, min, max, bit_and, bit_or or bit_xor");
  if constexpr (Red == Reducer::add) view.scatter_add(std::move(index), value);
  if constexpr (Red == Reducer::min) view.scatter_min(std::move(index), value);
  if constexpr (Red == Reducer::max) view.scatter_max(std::move(index), value);
  if constexpr (Red == Reducer::bit_and) view.scatter_and(std::move(index), value);
  if constexpr (Red == Reducer::bit_or) view.scatter_or(std::move(index), value);
  if constexpr (Red == Reducer::bit_xor) view.scatter_xor(std::move(index), value);
}
// From one window to another.
template <class E, WritableElement F>
requires std::same_as < typename ViewElement<E>::type,
typename ViewElement<F>::type > void copy(const TileRef<E> &from, const TileRef<F> &to,
                                          std::source_location where = std::source_location::current()) {
  using T = typename ViewElement<E>::type;
  to.store(Arg<T>(from.load(where), where));
}

// --- folds and contractions ---

template <Element T, OpKind K, Reducer R>
requires(dsl::admits<T>(info(K).operands)) Tile<T> reduce(
    const Tile<T> &x, const DimList &dims, ReducerFunction<K, R>,
    ReductionPolicy policy = reduction::unordered_tree,
    std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::reduce(AnyArg(x, where), dims, R, policy)};
}
// NUM-ACC: `reduce(x, m, add, {.wide_accumulation = true})` also admits partial results in a wider format.
struct reduce_policy {
  ReductionPolicy grouping = reduction::unordered_tree;
  bool wide_accumulation = false;
};
template <Element T, OpKind K, Reducer R>
requires(dsl::admits<T>(info(K).operands)) Tile<T> reduce(
    const Tile<T> &x, const DimList &dims, ReducerFunction<K, R>, reduce_policy policy,
    std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::reduce(AnyArg(x, where), dims, R, policy.grouping, policy.wide_accumulation)};
}
// SCAN: the folds of all prefixes along the dim; `scan(x, m, add, {.exclusive = true, .reverse = true})`.
struct scan_options {
  bool exclusive = false; // without the point itself: the identity comes first
  bool reverse = false;   // suffixes
  ReductionPolicy grouping = reduction::ordered_tree; // or fold_left
};
template <Element T, OpKind K, Reducer R>
requires(dsl::admits<T>(info(K).operands)) Tile<T> scan(
    const Tile<T> &x, DimId dim, ReducerFunction<K, R>, scan_options options = {},
    std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::scan(AnyArg(x, where), dim, R, options.exclusive, options.reverse, options.grouping)};
}
// Along the dims; without dims along all.
template <NumericElement T>
Tile<T> sum(const Tile<T> &x, const DimList &dims,
            std::source_location where = std::source_location::current()) {
  return reduce(x, dims, add, reduction::unordered_tree, where);
}
template <NumericElement T>
Tile<T> sum(const Tile<T> &x, std::source_location where = std::source_location::current()) {
  return reduce(x, dsl::all_dims(AnyArg(x, where)), add, reduction::unordered_tree, where);
}
template <NumericElement T>
Tile<T> prod(const Tile<T> &x, const DimList &dims,
             std::source_location where = std::source_location::current()) {
  return reduce(x, dims, mul, reduction::unordered_tree, where);
}
template <NumericElement T>
Tile<T> prod(const Tile<T> &x, std::source_location where = std::source_location::current()) {
  return reduce(x, dsl::all_dims(AnyArg(x, where)), mul, reduction::unordered_tree, where);
}

using mma_policy = MmaAttr;
template <ComputedElement A, ComputedElement B, NumericElement T>
Tile<T> mma(const Tile<A> &a, const Tile<B> &b, const Tile<T> &acc, mma_policy policy = {},
            std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::mma(AnyArg(a, where), AnyArg(b, where), AnyArg(acc, where), policy)};
}

// --- placement, atomics ---

// x with one identity per instance of `nest`.
template <Element T>
Tile<T> per(const ScopeHandle &nest, const Tile<T> &x,
            std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::per(nest, AnyArg(x, where))};
}

#define TILENEST_FREE_ATOMIC(name)                                                                           \
  template <WritableElement E> void name(const TileRef<E> &cell, Arg<typename ViewElement<E>::type> value) { \
    cell.name(value);                                                                                        \
  }
TILENEST_FREE_ATOMIC(atomic_add)
TILENEST_FREE_ATOMIC(atomic_min)
TILENEST_FREE_ATOMIC(atomic_max)
TILENEST_FREE_ATOMIC(atomic_and)
TILENEST_FREE_ATOMIC(atomic_or)
TILENEST_FREE_ATOMIC(atomic_xor)
#undef TILENEST_FREE_ATOMIC

} // namespace tilenest
