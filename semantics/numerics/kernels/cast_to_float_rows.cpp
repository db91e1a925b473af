// SPDX-License-Identifier: Apache-2.0
// Rows of cast and cast_sat to the float types.
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

template <ScalarType To, ScalarType From> RowKernel cast(Primitive primitive) {
  return primitive == Primitive::cast_sat ? rows<CastSat<To, From>>() : rows<Cast<To, From>>();
}
template <ScalarType To> RowKernel cast_from(Primitive primitive, ScalarType from) {
  switch (from) {
#define TYPE(name, text, bits, kind) \
  case ScalarType::name: return cast<To, ScalarType::name>(primitive);
    TILENEST_COMPUTED_TYPES(TYPE)
#undef TYPE
  default: return nullptr; // casts of the 4-bit types are those of i8 and u8
  }
}

} // namespace

RowKernel find_cast_to_float_rows(Primitive primitive, ScalarType from, ScalarType to) {
  switch (to) {
  case ScalarType::f16: return cast_from<ScalarType::f16>(primitive, from);
  case ScalarType::bf16: return cast_from<ScalarType::bf16>(primitive, from);
  case ScalarType::f32: return cast_from<ScalarType::f32>(primitive, from);
  case ScalarType::f64: return cast_from<ScalarType::f64>(primitive, from);
  case ScalarType::f8e4m3fn: return cast_from<ScalarType::f8e4m3fn>(primitive, from);
  case ScalarType::f8e5m2: return cast_from<ScalarType::f8e5m2>(primitive, from);
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
