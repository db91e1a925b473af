// SPDX-License-Identifier: Apache-2.0
// Rows of comparisons, and of the classification of floats; results are bool.
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

template <ScalarType T> RowKernel comparison(Primitive primitive) {
  switch (primitive) {
  case Primitive::eq: return rows<Eq<T>>();
  case Primitive::ne: return rows<Ne<T>>();
  case Primitive::lt: return rows<Lt<T>>();
  case Primitive::le: return rows<Le<T>>();
  case Primitive::gt: return rows<Gt<T>>();
  case Primitive::ge: return rows<Ge<T>>();
  default: break;
  }
  if constexpr (is_float(T)) switch (primitive) {
    case Primitive::is_nan: return rows<IsNan<T>>();
    case Primitive::is_inf: return rows<IsInf<T>>();
    case Primitive::is_finite: return rows<IsFinite<T>>();
    default: break;
    }
  return nullptr;
}

} // namespace

RowKernel find_comparison_rows(Primitive primitive, ScalarType type) {
  switch (type) {
#define TYPE(name, text, bits, kind) \
  case ScalarType::name: return comparison<ScalarType::name>(primitive);
    TILENEST_COMPUTED_TYPES(TYPE)
#undef TYPE
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
