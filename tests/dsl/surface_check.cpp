// SPDX-License-Identifier: Apache-2.0
// What must and must not compile, as static facts; also compiled alone for each compiler and standard.
#include <tilenest/dsl.h>

using namespace tilenest;

namespace {

using In = TensorView<const f32, 2>;
using Mut = TensorView<f32, 2>;

template <class T>
concept truth_on_host = requires(T t) {
  t ? 1 : 0;
};
template <class A, class B>
concept addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept assignable = requires(A a, B b) {
  a = b;
};
template <class A, class B>
concept compound_assignable = requires(A a, B b) {
  a += b;
};
template <class V>
concept storable = requires(V v, Tile<f32> t) {
  v(coord(0, 0), shape(1, 1)).store(t);
};
template <class V, class X>
concept stores = requires(V v, X x) {
  v(coord(0, 0), shape(1, 1)).store(x);
};
template <class T>
concept takes_exp = requires(T t) {
  exp(t);
};
template <class T>
concept takes_rem = requires(T t) {
  t % t;
};
template <class T>
concept takes_not = requires(T t) {
  !t;
};
template <class A, class B>
concept takes_min = requires(A a, B b) {
  min(a, b);
};
template <class C>
concept condition = requires(C c) {
  if_(c, [] {});
};

// A device value has no truth on the host; nor has an open extent.
static_assert(!truth_on_host<Tile<bool>> && !truth_on_host<Tile<f32>> && !truth_on_host<ExtentExpr>);
static_assert(condition<Tile<bool>> && !condition<Tile<f32>>);

// NUM-LIT: no implicit conversion between element types; literals take the type they meet.
static_assert(addable<Tile<f32>, Tile<f32>> && !addable<Tile<f32>, Tile<f64>> &&
              !addable<Tile<i32>, Tile<i64>>);
static_assert(addable<Tile<f32>, int> && addable<double, Tile<f32>> && addable<Tile<bf16>, double>);
static_assert(addable<Tile<i32>, int> && !addable<Tile<i32>, double> && !addable<double, Tile<u8>>);
static_assert(comparable<Tile<f16>, float> && !comparable<Tile<f16>, Tile<bf16>>);
static_assert(!addable<Tile<bool>, Tile<bool>> && !comparable<Tile<bool>, Tile<bool>>);
static_assert(takes_rem<Tile<i32>> && !takes_rem<Tile<f32>> && takes_not<Tile<bool>> &&
              !takes_not<Tile<f32>>);
static_assert(takes_exp<Tile<f64>> && !takes_exp<Tile<i32>>);
static_assert(takes_min<Tile<f32>, double> && takes_min<int, Tile<i8>> && !takes_min<Tile<f32>, Tile<f64>>);

// A variable keeps its element type.
static_assert(assignable<Tile<f32> &, Tile<f32>> && assignable<Tile<f32> &, double>);
static_assert(!assignable<Tile<f32> &, Tile<f64>> && !assignable<Tile<i32> &, double>);
static_assert(compound_assignable<Tile<f32> &, Tile<f32>> && !compound_assignable<Tile<f32> &, Tile<i32>>);

// index() is an i64 in expressions.
static_assert(addable<Index, int> && addable<int, Index> && addable<Index, Tile<i64>> &&
              addable<Index, ExtentExpr>);
static_assert(!addable<Index, Tile<i32>> && !addable<Index, double>);
static_assert(std::convertible_to<Index, Scalar<i64>> && !std::convertible_to<Index, Scalar<i32>>);

// Nothing writes but .store(), atomics and scatter; inputs are not written.
using MutRef = TileRef<f32>;
static_assert(!assignable<MutRef, Tile<f32>> && !assignable<MutRef, MutRef> && !assignable<MutRef, double>);
static_assert(!compound_assignable<MutRef, Tile<f32>> && !addable<MutRef, MutRef>);
static_assert(storable<Mut> && !storable<In> && storable<Out<f32, 2>>);
static_assert(stores<Mut, double> && !stores<Mut, Tile<f64>>);
template <class V>
concept atomically_added = requires(V v) {
  v(coord(0, 0)).atomic_add(1.0);
};
static_assert(atomically_added<Mut> && !atomically_added<In>);
template <class V>
concept viewed_as_bytes = requires(V v) {
  v.template view_as<u8>();
};
static_assert(viewed_as_bytes<In>);
static_assert(std::same_as<decltype(std::declval<In>().view_as<u8>()), TensorView<const u8, 2>>);

// Ranks are checked where C++ knows them.
template <class V, int R>
concept windowed = requires(V v, Shape<R> s) {
  v(coord(0, 0), s).load();
};
static_assert(windowed<In, 2> && !windowed<In, 1> && !windowed<In, 3>);
template <class V>
concept with_three_dims = requires(V v, DimId d) {
  v.with_dims(d, d, d);
};
static_assert(!with_three_dims<In>);

// Scope handles are not copied, and hold no element access: A[origin, shape] is for views.
static_assert(!std::copy_constructible<Nest> && !std::movable<Nest> && !std::copyable<PipelineLoop>);
template <class N>
concept subscripted = requires(N &n) {
  n[0];
};
static_assert(!subscripted<Nest>);
template <class H>
concept synchronizes = requires(H &h) {
  h.sync();
};
static_assert(synchronizes<Nest> && !synchronizes<SerialLoop>);
template <class H>
concept stages = requires(H &h) {
  h.stage("load");
};
static_assert(stages<PipelineLoop> && !stages<SerialLoop> && !stages<Nest>);

// Extents stay extents under arithmetic.
static_assert(std::same_as<decltype(std::declval<ExtentExpr>() + 1), ExtentExpr>);
static_assert(std::same_as<decltype(2 * std::declval<ExtentExpr>()), ExtentExpr>);
static_assert(std::same_as<decltype(std::declval<ExtentExpr>() < 5), Tile<bool>>);
static_assert(std::same_as<decltype(5 == std::declval<ExtentExpr>()), Tile<bool>>);
static_assert(std::convertible_to<ExtentExpr, Extent>);

static_assert(std::same_as<decltype(cast<f16>(std::declval<Tile<f32>>())), Tile<f16>>);
static_assert(std::same_as<decltype(is_nan(std::declval<Tile<f32>>())), Tile<bool>>);
template <class T>
concept bits_of_f32 = requires(Tile<f32> x) {
  bitcast<T>(x);
};
static_assert(bits_of_f32<u32> && !bits_of_f32<u64>);

// Every statement form once, so that each compiler and standard sees it; never captured.
[[maybe_unused]] void spelling(In A, In B, Mut C, Out<i32, 1> count) {
  auto [m, n, k] = dims("m", "n", "k");
  auto unnamed = dim();
  auto A_mk = A.with_dims(m, k);
  auto feature = A.dim<1>();
  for (auto &nest : parallel(shape(A.extent<0>(), 4), exec::block | exec::layout([](auto p, auto i) {
                                                        return p.rank() ? i : coord(i[1], i[0]);
                                                      }))) {
    auto x = A_mk[coord(nest.index(m) * 8, 0), shape(8, axis(k, 16))];
    auto y = A[nest.index(), shape(axis(m, 8), point), bounds::assume];
    auto z = B[nest.index(), where(shape(8, 8), [](auto i, auto j) { return i < j; }),
               bounds::predicate([](auto i, auto) { return i < 4; })];
    x = x * 2 + y;
    x += 1.0;
    x = ite(x > 0, x, 0.0) - map(x, [](auto e) { return max(e, 0); });
    auto s = sum(x, {m, k});
    auto t = reduce(z, feature, max, reduction::ordered_tree);
    if_(s > 0, [&] { s = s + 1; }).else_([&] { s = 0; });
    Scalar<i32> rounds = 0;
    while_([&] { return rounds < 3; }, [&] { rounds += 1; });
    switch_(rounds, case_(0, [&] { s = 1; }), default_([&] { s = 2; }));
    auto shared = memory<f32>(layout(shape(8, 8), stride(1, 8)), mem::shared);
    shared(coord(0, 0), shape(8, 8)).store(z);
    nest.sync();
    for (auto &r : nest.reduce(x.domain(m), reduction::fold_left)) s += sum(x.at(r), k);
    for (auto &i : nest.serial(shape(4), order([](auto at) { return 3 - at; })))
      C(nest.index()).atomic_add(cast<f32>(i.index()));
    for (auto &p : nest.pipeline(shape(4), pipeline_policy{.stages = 2})) {
      p.stage("produce");
      for (auto &leaf : nest.parallel(exec::infer, exec::vector)) count(leaf.index()).store(0);
    }
    C(nest.index(), shape(8, 8), bounds::zero).store(per(nest, z));
    C(coord(0, 0)).store(s + t.rank());
    assert_(s == s, "no NaN");
    atomic_max(C(coord(0, 0)), s);
    scatter(count, iota(shape(4)), 1, add);
    auto g = A.gather(coord(iota(shape(4)), 0));
    x = insert(x, s, coord(0, 0));
    C(coord(0, 0), shape(4, point)).store(g);
    auto q = reindex(
        x, [](auto i, auto j) { return coord(j, i); }, shape(16, 8));
    auto bits = bitcast<u32>(transpose(x, {k, m})) >> 3 & 1;
    C(coord(0, 0), shape(16, 8)).store(q + cast<f32>(bits));
    copy(A(coord(0, 0), shape(4, 4)), C(coord(0, 0), shape(4, 4)));
  }
  (void)unnamed;
}

} // namespace
