// SPDX-License-Identifier: Apache-2.0
// TensorView: a kernel's argument or a memory, seen with dims and an element type. `A(origin, shape)` refers
// to a window, `A[origin, shape]` loads one; nothing but .store(), atomics and scatter writes.
#pragma once
#include "semantics/dsl/map_expr.h"

namespace tilenest {

// Marks an argument that starts undefined: TensorView<out<f32>, 2>, or Out<f32, 2>.
template <Element T> struct out {};

template <class E> struct ViewElement {
  using type = E;
  static constexpr ArgumentAccess access = ArgumentAccess::mut;
  template <class T> using rebind = T;
};
template <class E> struct ViewElement<const E> {
  using type = E;
  static constexpr ArgumentAccess access = ArgumentAccess::in;
  template <class T> using rebind = const T;
};
template <class E> struct ViewElement<out<E>> {
  using type = E;
  static constexpr ArgumentAccess access = ArgumentAccess::out;
  template <class T> using rebind = out<T>;
};
template <class E>
concept WritableElement = ViewElement<E>::access != ArgumentAccess::in;

class ViewIdentity {
public:
  ViewIdentity(ViewId view, std::uint32_t generation) : view_(view), generation_(generation) {}
  ViewId view() const { return view_; }
  bool usable(Capture &capture) const; // else T0705
  DimId dim(std::size_t axis) const;
  ExtentExpr extent_of_axis(std::size_t axis) const;

protected:
  ViewId view_;
  std::uint32_t generation_;
};

namespace dsl {
// The parts of an access that are not typed by its element.
struct WindowAccess {
  ViewIdentity view;
  Origin origin;
  Domain window; // no axes: one element
  BoundsPolicy bounds;
};
ValueId load(const WindowAccess &access, std::optional<Operand> fallback, std::source_location where,
             ScalarType type);
void store(const WindowAccess &access, const Operand &value, std::source_location where);
void atomic(const WindowAccess &access, AtomicKind kind, const Operand &value, std::source_location where);
ValueId gather(const WindowAccess &access, std::optional<Operand> fallback, std::source_location where,
               ScalarType type);
void scatter(const WindowAccess &access, const Operand &value, std::optional<AtomicKind> reducer,
             std::source_location where);
ViewId with_dims(const ViewIdentity &view, std::span<const DimId> dims, std::source_location where);
ViewId view_as(const ViewIdentity &view, ScalarType type, std::source_location where);
ViewIdentity memory(ScalarType type, const Domain &domain, std::optional<Map> layout, std::string resource,
                    std::source_location where);
} // namespace dsl

// A window or an element of a view: it is read and written by name only.
template <class E> class TileRef {
public:
  using T = typename ViewElement<E>::type;
  explicit TileRef(dsl::WindowAccess access) : access_(std::move(access)) {}
  TileRef(const TileRef &) = default;

  // rule: VAL-SNAP -- a load is a snapshot.
  Tile<T> load(std::source_location where = std::source_location::current()) const {
    return {dsl::Defined{}, dsl::load(access_, {}, where, element_type<T>)};
  }
  Tile<T> load(Arg<T> fallback) const {
    return {dsl::Defined{}, dsl::load(access_, fallback.operand, fallback.where, element_type<T>)};
  }
  void store(Arg<T> value) const requires WritableElement<E> {
    dsl::store(access_, value.operand, value.where);
  }
#define TILENEST_ATOMIC(name, kind)                                                                          \
  void name(Arg<T> value) const requires WritableElement<E> {                                                \
    dsl::atomic(access_, AtomicKind::kind, value.operand, value.where);                                      \
  }
  TILENEST_ATOMIC(atomic_add, add)
  TILENEST_ATOMIC(atomic_min, min)
  TILENEST_ATOMIC(atomic_max, max)
  TILENEST_ATOMIC(atomic_and, bit_and)
  TILENEST_ATOMIC(atomic_or, bit_or)
  TILENEST_ATOMIC(atomic_xor, bit_xor)
#undef TILENEST_ATOMIC

  TileRef &operator=(const TileRef &) = delete;               // write with .store(tile)
  template <class X> TileRef &operator=(const X &) = delete;  // write with .store(tile)
  template <class X> TileRef &operator+=(const X &) = delete; // write with .store(tile) or .atomic_add(x)
  template <class X> TileRef &operator-=(const X &) = delete; // write with .store(tile)
  template <class X> TileRef &operator*=(const X &) = delete; // write with .store(tile)
  template <class X> TileRef &operator/=(const X &) = delete; // write with .store(tile)

private:
  dsl::WindowAccess access_;
};

template <class E, int R> class TensorView : public ViewIdentity {
public:
  using T = typename ViewElement<E>::type;
  static_assert(Element<T>, "TensorView<T, R>: T is an element type such as f32, const f32 or out<f32>");
  using element = T;
  static constexpr int rank = R;
  static constexpr ArgumentAccess access = ViewElement<E>::access;
  using ViewIdentity::ViewIdentity;
  explicit TensorView(const ViewIdentity &view) : ViewIdentity(view) {}

  template <int I> DimId dim() const {
    static_assert(I >= 0 && I < R, "the view has no axis of this number");
    return ViewIdentity::dim(I);
  }
  template <int I> ExtentExpr extent() const {
    static_assert(I >= 0 && I < R, "the view has no axis of this number");
    return extent_of_axis(I);
  }
  // rule: DIM-ID -- the same object under other dims.
  template <class... D>
  requires(sizeof...(D) + 1 == R && (std::convertible_to<D, DimId> && ...)) TensorView
      with_dims(Located<DimId> first, const D &...rest)
  const {
    const DimId dims[] = {first.value, DimId(rest)...};
    return TensorView(dsl::with_dims(*this, dims, first.where), generation_);
  }
  template <Element U> auto view_as(std::source_location where = std::source_location::current()) const {
    using V = typename ViewElement<E>::template rebind<U>;
    return TensorView<V, R>(dsl::view_as(*this, element_type<U>, where), generation_);
  }

  TileRef<E> operator()(Origin origin) const { return TileRef<E>({*this, std::move(origin), {}, {}}); }
  TileRef<E> operator()(Origin origin, const Shape<R> &shape, BoundsPolicy bounds = {}) const {
    return TileRef<E>({*this, std::move(origin), shape, std::move(bounds)});
  }
  TileRef<E> operator()(Origin origin, BoundsPolicy bounds) const {
    return TileRef<E>({*this, std::move(origin), {}, std::move(bounds)});
  }
#ifdef __cpp_multidimensional_subscript
  Tile<T> operator[](Origin origin, const Shape<R> &shape) const {
    const std::source_location where = origin.where;
    return {dsl::Defined{}, dsl::load({*this, std::move(origin), shape, {}}, {}, where, element_type<T>)};
  }
  Tile<T> operator[](Origin origin, const Shape<R> &shape, BoundsPolicy bounds) const {
    const std::source_location where = origin.where;
    return {dsl::Defined{},
            dsl::load({*this, std::move(origin), shape, std::move(bounds)}, {}, where, element_type<T>)};
  }
#else
  Tile<T> operator[](Located<Window<R>> window) const {
    Window<R> &w = window.value;
    return {dsl::Defined{}, dsl::load({*this, std::move(w.origin), w.shape, std::move(w.bounds)}, {},
                                      window.where, element_type<T>)};
  }
#endif

  // One integer tile per axis: `A.gather(coord(i, j))`.
  Tile<T> gather(Origin index, BoundsPolicy bounds = {}) const {
    const std::source_location where = index.where;
    return {dsl::Defined{},
            dsl::gather({*this, std::move(index), {}, std::move(bounds)}, {}, where, element_type<T>)};
  }
  Tile<T> gather(Origin index, Arg<T> fallback) const {
    const std::source_location where = index.where;
    return {dsl::Defined{},
            dsl::gather({*this, std::move(index), {}, {}}, fallback.operand, where, element_type<T>)};
  }
  void scatter(Origin index, Arg<T> value, BoundsPolicy bounds = {}) const requires WritableElement<E> {
    dsl::scatter({*this, std::move(index), {}, std::move(bounds)}, value.operand, {}, value.where);
  }
#define TILENEST_SCATTER(name, kind)                                                                         \
  void name(Origin index, Arg<T> value, BoundsPolicy bounds = {}) const requires WritableElement<E> {        \
    dsl::scatter({*this, std::move(index), {}, std::move(bounds)}, value.operand, AtomicKind::kind,          \
                 value.where);                                                                               \
  }
  TILENEST_SCATTER(scatter_add, add)
  TILENEST_SCATTER(scatter_min, min)
  TILENEST_SCATTER(scatter_max, max)
  TILENEST_SCATTER(scatter_and, bit_and)
  TILENEST_SCATTER(scatter_or, bit_or)
  TILENEST_SCATTER(scatter_xor, bit_xor)
#undef TILENEST_SCATTER
};
template <Element T, int R> using Out = TensorView<out<T>, R>;

// Where a memory may live; a catalog's token.
namespace mem {
struct Resource {
  std::string token;
};
inline const Resource open{};
inline const Resource shared{"shared"};
inline const Resource global{"global"};
inline const Resource registers{"registers"};
inline Resource resource(std::string token) { return {std::move(token)}; }
} // namespace mem

// rule: MEM-OWN -- one allocation per instance of the nearest enclosing parallel.
template <Element T, int R>
TensorView<T, R> memory(const Shape<R> &shape, const mem::Resource &resource = mem::open,
                        std::source_location where = std::source_location::current()) {
  return TensorView<T, R>(dsl::memory(element_type<T>, shape, {}, resource.token, where));
}
template <Element T, int R>
TensorView<T, R> memory(const Layout<R> &layout, const mem::Resource &resource = mem::open,
                        std::source_location where = std::source_location::current()) {
  return TensorView<T, R>(dsl::memory(element_type<T>, layout.shape, layout.map, resource.token, where));
}

} // namespace tilenest
