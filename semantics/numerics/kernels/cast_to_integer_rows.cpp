// SPDX-License-Identifier: Apache-2.0
// Rows of cast and cast_sat to bool and the integer types.
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

RowKernel find_cast_to_integer_rows(Primitive primitive, ScalarType from, ScalarType to) {
  switch (to) {
  case ScalarType::boolean: return cast_from<ScalarType::boolean>(primitive, from);
  case ScalarType::i8: return cast_from<ScalarType::i8>(primitive, from);
  case ScalarType::i16: return cast_from<ScalarType::i16>(primitive, from);
  case ScalarType::i32: return cast_from<ScalarType::i32>(primitive, from);
  case ScalarType::i64: return cast_from<ScalarType::i64>(primitive, from);
  case ScalarType::u8: return cast_from<ScalarType::u8>(primitive, from);
  case ScalarType::u16: return cast_from<ScalarType::u16>(primitive, from);
  case ScalarType::u32: return cast_from<ScalarType::u32>(primitive, from);
  case ScalarType::u64: return cast_from<ScalarType::u64>(primitive, from);
  case ScalarType::i4: return cast_from<ScalarType::i4>(primitive, from);
  case ScalarType::u4: return cast_from<ScalarType::u4>(primitive, from);
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
