// SPDX-License-Identifier: Apache-2.0
// Rows of bit operations on bool and integers, and of select, which moves bits of any type.
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

// And, or, xor, not and counts look at bits only: one kernel per width.
template <ScalarType T> RowKernel bit_op(Primitive primitive) {
  switch (primitive) {
  case Primitive::bit_and: return rows<BitAnd<T>>();
  case Primitive::bit_or: return rows<BitOr<T>>();
  case Primitive::bit_xor: return rows<BitXor<T>>();
  case Primitive::bit_not: return rows<BitNot<T>>();
  case Primitive::popcount: return rows<PopCount<T>>();
  case Primitive::clz: return rows<Clz<T>>();
  case Primitive::ctz: return rows<Ctz<T>>();
  case Primitive::select: return rows<Select<T>>();
  default: return nullptr;
  }
}
template <ScalarType T> RowKernel shift(Primitive primitive) {
  return primitive == Primitive::shl ? rows<Shl<T>>() : rows<Shr<T>>();
}

} // namespace

RowKernel find_bit_rows(Primitive primitive, ScalarType type) {
  if (primitive == Primitive::shl || primitive == Primitive::shr) switch (type) {
    case ScalarType::i8: return shift<ScalarType::i8>(primitive);
    case ScalarType::i16: return shift<ScalarType::i16>(primitive);
    case ScalarType::i32: return shift<ScalarType::i32>(primitive);
    case ScalarType::i64: return shift<ScalarType::i64>(primitive);
    case ScalarType::u8: return shift<ScalarType::u8>(primitive);
    case ScalarType::u16: return shift<ScalarType::u16>(primitive);
    case ScalarType::u32: return shift<ScalarType::u32>(primitive);
    case ScalarType::u64: return shift<ScalarType::u64>(primitive);
    default: return nullptr;
    }
  if (type == ScalarType::boolean && primitive == Primitive::bit_not) return rows<BitNot<ScalarType::boolean>>();
  switch (bit_width(type)) {
  case 8: return bit_op<ScalarType::u8>(primitive);
  case 16: return bit_op<ScalarType::u16>(primitive);
  case 32: return bit_op<ScalarType::u32>(primitive);
  default: return bit_op<ScalarType::u64>(primitive);
  }
}

} // namespace tilenest::TILENEST_ISA
