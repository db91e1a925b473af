// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, and tiles that are put together of others, under their C++ names; the rest of the
// library stands in library.h, what they expand to in library/.
#pragma once
#include "semantics/dsl/library.h"

namespace tilenest {

// --- windows over the last two axes ---

// One number for both axes, or y and x: `2`, `{2, 1}`.
struct PerAxis {
  std::vector<Extent> list;
  template <std::convertible_to<Extent> E> PerAxis(const E &both) : list{both} {}
  PerAxis(const Extent &y, const Extent &x) : list{y, x} {}
};

template <NumericElement T>
Tile<MatmulElement<T>> conv2d(const Tile<T> &x, const Tile<T> &w, const PerAxis &stride = 1,
                              const PerAxis &padding = 0, const PerAxis &dilation = 1,
                              std::int64_t groups = 1,
                              std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where)
      .tile("x", x)
      .tile("w", w)
      .extents("stride", stride.list)
      .extents("padding", padding.list)
      .extents("dilation", dilation.list)
      .integer("groups", groups)
      .template one<MatmulElement<T>>("conv2d");
}
template <NumericElement T>
Tile<MatmulElement<T>> depthwise_conv2d(const Tile<T> &x, const Tile<T> &w, const PerAxis &stride = 1,
                                        const PerAxis &padding = 0, const PerAxis &dilation = 1,
                                        std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where)
      .tile("x", x)
      .tile("w", w)
      .extents("stride", stride.list)
      .extents("padding", padding.list)
      .extents("dilation", dilation.list)
      .template one<MatmulElement<T>>("depthwise_conv2d");
}
// Without a stride windows lie side by side.
template <NumericElement T>
Tile<T> max_pool2d(const Tile<T> &x, const PerAxis &window,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).extents("window", window.list).template one<T>("max_pool2d");
}
template <NumericElement T>
Tile<T> max_pool2d(const Tile<T> &x, const PerAxis &window, const PerAxis &stride, const PerAxis &padding = 0,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where)
      .tile("x", x)
      .extents("window", window.list)
      .extents("stride", stride.list)
      .extents("padding", padding.list)
      .template one<T>("max_pool2d");
}
template <FloatElement T>
Tile<T> avg_pool2d(const Tile<T> &x, const PerAxis &window,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).extents("window", window.list).template one<T>("avg_pool2d");
}
template <FloatElement T>
Tile<T> avg_pool2d(const Tile<T> &x, const PerAxis &window, const PerAxis &stride, const PerAxis &padding = 0,
                   bool count_padding = true, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where)
      .tile("x", x)
      .extents("window", window.list)
      .extents("stride", stride.list)
      .extents("padding", padding.list)
      .flag("count_padding", count_padding)
      .template one<T>("avg_pool2d");
}

// --- tiles put together ---

template <Element T>
Tile<T> flip(const Tile<T> &x, DimId dim, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).template one<T>("flip");
}
// The new elements are 0, or `value`.
template <Element T>
Tile<T> pad(const Tile<T> &x, DimId dim, Extent before, Extent after,
            std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where)
      .tile("x", x)
      .dim("dim", dim)
      .extents("before", {before})
      .extents("after", {after})
      .template one<T>("pad");
}
template <Element T>
Tile<T> pad(const Tile<T> &x, DimId dim, Extent before, Extent after, std::type_identity_t<Arg<T>> value,
            std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where)
      .tile("x", x)
      .dim("dim", dim)
      .extents("before", {before})
      .extents("after", {after})
      .operand("value", value)
      .template one<T>("pad");
}
// concat({a, b, c}, n)
template <Element T>
Tile<T> concat(std::initializer_list<Tile<T>> parts, DimId dim,
               std::source_location where = std::source_location::current()) {
  std::vector<const Tile<T> *> list;
  for (const Tile<T> &x : parts) list.push_back(&x);
  return dsl::LibraryCall(where).tiles("parts", list).dim("dim", dim).template one<T>("concat");
}

} // namespace tilenest
