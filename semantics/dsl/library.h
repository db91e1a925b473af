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

template <FloatElement T>
Tile<T> log_softmax(const Tile<T> &x, DimId dim, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).template one<T>("log_softmax");
}

// Along the dims; without dims along all.
#define TILENEST_FOLDED(name)                                                                                \
  template <FloatElement T>                                                                                  \
  Tile<T> name(const Tile<T> &x, const DimList &dims, std::source_location where = std::source_location::current()) { \
    return dsl::LibraryCall(where).tile("x", x).dims("dims", dims.dims).template one<T>(#name);              \
  }                                                                                                          \
  template <FloatElement T>                                                                                  \
  Tile<T> name(const Tile<T> &x, std::source_location where = std::source_location::current()) {             \
    return dsl::LibraryCall(where).tile("x", x).template one<T>(#name);                                      \
  }
TILENEST_FOLDED(logsumexp)
TILENEST_FOLDED(mean)
#undef TILENEST_FOLDED
template <FloatElement T>
Tile<T> variance(const Tile<T> &x, const DimList &dims, std::int64_t correction = 0,
                 std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dims("dims", dims.dims).integer("correction", correction).template one<T>("variance");
}
template <FloatElement T>
Tile<T> layer_norm(const Tile<T> &x, const DimList &dims, double eps = 1e-5,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dims("dims", dims.dims).number("eps", eps).template one<T>("layer_norm");
}
template <FloatElement T>
Tile<T> layer_norm(const Tile<T> &x, const DimList &dims, const Tile<T> &weight, const Tile<T> &bias, double eps = 1e-5,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dims("dims", dims.dims).tile("weight", weight).tile("bias", bias)
      .number("eps", eps).template one<T>("layer_norm");
}
template <FloatElement T>
Tile<T> rms_norm(const Tile<T> &x, const DimList &dims, double eps = 1e-5,
                 std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dims("dims", dims.dims).number("eps", eps).template one<T>("rms_norm");
}
template <FloatElement T>
Tile<T> rms_norm(const Tile<T> &x, const DimList &dims, const Tile<T> &weight, double eps = 1e-5,
                 std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).dims("dims", dims.dims).tile("weight", weight).number("eps", eps)
      .template one<T>("rms_norm");
}

// --- choosing ---

// x where the condition holds, else y.
template <Element T>
Tile<T> select(const Tile<bool> &condition, const Tile<T> &x, std::type_identity_t<Arg<T>> y,
               std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("condition", condition).tile("x", x).operand("y", y).template one<T>("select");
}
template <Element T, HostNumber N>
Tile<T> select(const Tile<bool> &condition, N x, const Tile<T> &y, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("condition", condition).operand("x", AnyArg(x, where)).tile("y", y).template one<T>("select");
}
template <Element T = f32, IntegerElement L>
Tile<T> one_hot(const Tile<L> &labels, const Axis &classes, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("labels", labels).axis("classes", classes).element("type", element_type<T>)
      .template one<T>("one_hot");
}
template <FloatElement T, IntegerElement L>
Tile<T> cross_entropy(const Tile<T> &logits, const Tile<L> &labels, DimId dim,
                      std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("logits", logits).tile("labels", labels).dim("dim", dim).template one<T>("cross_entropy");
}

// --- contractions by position ---

// The element type that `matmul` accumulates in.
template <NumericElement T>
using MatmulElement =
    std::conditional_t<FloatElement<T>, std::conditional_t<(bit_width(element_type<T>) < 32), f32, T>,
                       std::conditional_t<(bit_width(element_type<T>) < 32), i32, T>>;
// The last two axes by position; leading axes are batches.
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
