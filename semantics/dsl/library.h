// SPDX-License-Identifier: Apache-2.0
// The library's functions under their C++ names, windows and pieces apart (library_windows.h); what they expand to
// stands in library/.
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

// --- losses: the mean along the dims, the sum, or each element's own; without dims along all ---

enum class LossReduction : std::uint8_t { mean, sum, none };
namespace dsl {
inline const char *word(LossReduction r) {
  return r == LossReduction::mean ? "mean" : r == LossReduction::sum ? "sum" : "none";
}
} // namespace dsl

#define TILENEST_LOSS(name)                                                                                  \
  template <FloatElement T>                                                                                  \
  Tile<T> name(const Tile<T> &x, const Tile<T> &y, const DimList &dims, LossReduction reduction = LossReduction::mean, \
               std::source_location where = std::source_location::current()) {                               \
    return dsl::LibraryCall(where).tile("x", x).tile("y", y).dims("dims", dims.dims)                         \
        .word("reduction", dsl::word(reduction)).template one<T>(#name);                                     \
  }                                                                                                          \
  template <FloatElement T>                                                                                  \
  Tile<T> name(const Tile<T> &x, const Tile<T> &y, LossReduction reduction = LossReduction::mean,            \
               std::source_location where = std::source_location::current()) {                               \
    return dsl::LibraryCall(where).tile("x", x).tile("y", y).word("reduction", dsl::word(reduction)).template one<T>(#name); \
  }
TILENEST_LOSS(mse_loss)
TILENEST_LOSS(mae_loss)
#undef TILENEST_LOSS
template <FloatElement T>
Tile<T> huber_loss(const Tile<T> &x, const Tile<T> &y, double delta, const DimList &dims, LossReduction reduction = LossReduction::mean,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).tile("y", y).number("delta", delta).dims("dims", dims.dims)
      .word("reduction", dsl::word(reduction)).template one<T>("huber_loss");
}
template <FloatElement T>
Tile<T> huber_loss(const Tile<T> &x, const Tile<T> &y, double delta, LossReduction reduction = LossReduction::mean,
                   std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).tile("y", y).number("delta", delta).word("reduction", dsl::word(reduction))
      .template one<T>("huber_loss");
}

// --- contractions by position and by letters ---

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

// einsum("ij,jk->ki", a, b)
template <NumericElement T, std::same_as<T>... Rest>
Tile<MatmulElement<T>> einsum(Located<std::string> spec, const Tile<T> &first, const Tile<Rest> &...rest) {
  return dsl::LibraryCall(spec.where).word("spec", spec.value).tiles("operands", std::vector<const Tile<T> *>{&first, &rest...})
      .template one<MatmulElement<T>>("einsum");
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

// --- scans along a dim ---

#define TILENEST_CUMULATIVE(name)                                                                            \
  template <NumericElement T>                                                                                \
  Tile<T> name(const Tile<T> &x, DimId dim, bool exclusive = false, bool reverse = false,                    \
               std::source_location where = std::source_location::current()) {                               \
    return dsl::LibraryCall(where).tile("x", x).dim("dim", dim).flag("exclusive", exclusive)                 \
        .flag("reverse", reverse).template one<T>(#name);                                                    \
  }
TILENEST_CUMULATIVE(cumsum)
TILENEST_CUMULATIVE(cumprod)
TILENEST_CUMULATIVE(cummin)
TILENEST_CUMULATIVE(cummax)
#undef TILENEST_CUMULATIVE
template <NumericElement T> struct AffineMaps {
  Tile<T> products, offsets;
};
// auto [m, b] = affine_scan(m, b, n);
template <NumericElement T>
AffineMaps<T> affine_scan(const Tile<T> &m, const Tile<T> &b, DimId dim, bool reverse = false,
                          std::source_location where = std::source_location::current()) {
  const auto results = dsl::LibraryCall(where).tile("m", m).tile("b", b).dim("dim", dim).flag("reverse", reverse).results("affine_scan");
  return {Tile<T>(dsl::Defined{}, results[0]), Tile<T>(dsl::Defined{}, results[1])};
}

// --- elements by index ---

template <IntegerElement I>
Tile<i64> histogram(const Tile<I> &x, const Axis &bins, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).axis("bins", bins).template one<i64>("histogram");
}
// `reducer`: add, mul, min or max.
template <NumericElement T, IntegerElement I, OpKind K, Reducer R>
Tile<T> segment_reduce(const Tile<T> &x, const Tile<I> &ids, DimId dim, const Axis &segments, ReducerFunction<K, R>,
                       std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).tile("ids", ids).dim("dim", dim).axis("segments", segments)
      .word("reducer", info(K).name).template one<T>("segment_reduce");
}
template <Element T, IntegerElement I>
Tile<T> take_along(const Tile<T> &x, const Tile<I> &indices, DimId dim, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).tile("indices", indices).dim("dim", dim).template one<T>("take_along");
}
template <NumericElement T, IntegerElement I>
Tile<T> put_along(const Tile<T> &x, const Tile<T> &values, const Tile<I> &indices, DimId dim,
                  std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).tile("values", values).tile("indices", indices).dim("dim", dim).template one<T>("put_along");
}
template <NumericElement T, IntegerElement I, OpKind K, Reducer R>
Tile<T> put_along(const Tile<T> &x, const Tile<T> &values, const Tile<I> &indices, DimId dim, ReducerFunction<K, R>,
                  std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).tile("values", values).tile("indices", indices).dim("dim", dim)
      .word("reducer", info(K).name).template one<T>("put_along");
}

// --- random numbers from counters ---

struct PhiloxWords {
  Tile<u32> r0, r1, r2, r3;
};
template <IntegerElement I>
PhiloxWords philox(const Tile<I> &counter, AnyArg key = 0, AnyArg stream = 0, std::source_location where = std::source_location::current()) {
  const auto r = dsl::LibraryCall(where).tile("counter", counter).operand("key", key).operand("stream", stream).results("philox");
  return {Tile<u32>(dsl::Defined{}, r[0]), Tile<u32>(dsl::Defined{}, r[1]), Tile<u32>(dsl::Defined{}, r[2]), Tile<u32>(dsl::Defined{}, r[3])};
}
template <IntegerElement I>
Tile<f32> uniform(const Tile<I> &counter, AnyArg key = 0, AnyArg stream = 0, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("counter", counter).operand("key", key).operand("stream", stream).template one<f32>("uniform");
}
template <FloatElement T>
Tile<T> dropout(const Tile<T> &x, double p, AnyArg key = 0, AnyArg stream = 0, AnyArg first = 0,
                std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).number("p", p).operand("key", key).operand("stream", stream).operand("first", first)
      .template one<T>("dropout");
}

// --- quantisation ---

// quantise<i8>(x, scale); quantise<u8>(x, scale, zero)
template <Element To, FloatElement T>
Tile<To> quantise(const Tile<T> &x, std::type_identity_t<Arg<T>> scale, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).operand("scale", scale).element("to", element_type<To>).template one<To>("quantise");
}
template <Element To, FloatElement T>
Tile<To> quantise(const Tile<T> &x, std::type_identity_t<Arg<T>> scale, std::type_identity_t<Arg<T>> zero, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("x", x).operand("scale", scale).element("to", element_type<To>).operand("zero", zero)
      .template one<To>("quantise");
}
template <FloatElement To = f32, Element T>
Tile<To> dequantise(const Tile<T> &q, std::type_identity_t<Arg<To>> scale, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("q", q).operand("scale", scale).element("to", element_type<To>).template one<To>("dequantise");
}
template <FloatElement To = f32, Element T>
Tile<To> dequantise(const Tile<T> &q, std::type_identity_t<Arg<To>> scale, std::type_identity_t<Arg<To>> zero, std::source_location where = std::source_location::current()) {
  return dsl::LibraryCall(where).tile("q", q).operand("scale", scale).operand("zero", zero).element("to", element_type<To>)
      .template one<To>("dequantise");
}

} // namespace tilenest
