// SPDX-License-Identifier: Apache-2.0
// The library's functions under their C++ names; what they expand to stands in library/.
#pragma once
#include "semantics/dsl/library_call.h"

namespace tilenest {

// --- activations ---

#define TILENEST_ACTIVATION(name, ELEMENT)                                                                   \
  template <ELEMENT T>                                                                                       \
  Tile<T> name(const Tile<T> &x, std::source_location where = std::source_location::current()) {             \
    return dsl::LibraryCall(where).tile("x", x).template one<T>(#name);                                      \
  }
TILENEST_ACTIVATION(relu, NumericElement)
TILENEST_ACTIVATION(sigmoid, FloatElement)
TILENEST_ACTIVATION(silu, FloatElement)
TILENEST_ACTIVATION(gelu, FloatElement)
TILENEST_ACTIVATION(gelu_tanh, FloatElement)
#undef TILENEST_ACTIVATION

// --- normalisations ---

template <FloatElement T>
Tile<T> softmax(const Tile<T> &x, DimId dim, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).template one<T>("softmax");
}

// --- contractions by position ---

// The element type that `matmul` accumulates in.
template <NumericElement T>
using MatmulElement =
    std::conditional_t<FloatElement<T>, std::conditional_t<(bit_width(element_type<T>) < 32), f32, T>,
                       std::conditional_t<(bit_width(element_type<T>) < 32), i32, T>>;
// Rank 2 by rank 2, by position.
template <NumericElement T>
Tile<MatmulElement<T>> matmul(const Tile<T> &left, const Tile<T> &right,
                              std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("a", left).tile("b", right).template one<MatmulElement<T>>("matmul");
}

// --- order along a dim: NaN last in either direction, ties to the lower index ---

template <NumericElement T>
Tile<i64> argmax(const Tile<T> &x, DimId dim, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).template one<i64>("argmax");
}
template <NumericElement T>
Tile<i64> argmin(const Tile<T> &x, DimId dim, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).template one<i64>("argmin");
}
template <NumericElement T>
Tile<T> sort(const Tile<T> &x, DimId dim, bool descending = false, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).flag("descending", descending).template one<T>("sort");
}
template <NumericElement T>
Tile<i64> argsort(const Tile<T> &x, DimId dim, bool descending = false, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).flag("descending", descending).template one<i64>("argsort");
}
template <NumericElement T> struct TopK {
  Tile<T> values;
  Tile<i64> indices;
};
// auto [values, indices] = topk(x, n, 5);
template <NumericElement T>
TopK<T> topk(const Tile<T> &x, DimId dim, Extent k, bool descending = true,
             std::source_location where = std::source_location::current()) {
  const auto results = dsl::LibraryCall(where).tile("x", x).dim("dim", dim).extents("k", {k})
                           .flag("descending", descending).results("topk");
  return {Tile<T>(dsl::Defined{}, results[0]), Tile<i64>(dsl::Defined{}, results[1])};
}

} // namespace tilenest
