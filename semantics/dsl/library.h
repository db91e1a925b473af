// SPDX-License-Identifier: Apache-2.0
// The library's compositions under their C++ names; what they expand to stands in library/.
#pragma once
#include "semantics/dsl/functions.h"
#include "semantics/library/library.h"

namespace tilenest {

#define TILENEST_COMPOSITION(name)                                                                           \
  template <FloatElement T>                                                                                  \
  Tile<T> name(const Tile<T> &x, std::source_location where = std::source_location::current()) {             \
    Builder &b = Capture::at(where).builder();                                                               \
    return {dsl::Defined{}, library::name(b, x.read())};                                                     \
  }
TILENEST_COMPOSITION(sigmoid)
TILENEST_COMPOSITION(silu)
TILENEST_COMPOSITION(gelu)
TILENEST_COMPOSITION(gelu_tanh)
#undef TILENEST_COMPOSITION

template <NumericElement T>
Tile<T> relu(const Tile<T> &x, std::source_location where = std::source_location::current()) {
  Builder &b = Capture::at(where).builder();
  return {dsl::Defined{}, library::relu(b, x.read())};
}

template <FloatElement T>
Tile<T> softmax(const Tile<T> &x, DimId dim, std::source_location where = std::source_location::current()) {
  Builder &b = Capture::at(where).builder();
  return {dsl::Defined{}, library::softmax(b, x.read(), dim)};
}

// The element type that `matmul` accumulates in.
template <NumericElement T>
using MatmulElement =
    std::conditional_t<FloatElement<T>, std::conditional_t<(bit_width(element_type<T>) < 32), f32, T>,
                       std::conditional_t<(bit_width(element_type<T>) < 32), i32, T>>;
// Rank 2 by rank 2, by position.
template <NumericElement T>
Tile<MatmulElement<T>> matmul(const Tile<T> &left, const Tile<T> &right,
                              std::source_location where = std::source_location::current()) {
  Builder &b = Capture::at(where).builder();
  return {dsl::Defined{}, library::matmul(b, left.read(), right.read())};
}

} // namespace tilenest
