// SPDX-License-Identifier: Apache-2.0
// Rows of integer arithmetic.
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

template <ScalarType T> RowKernel integer_op(Primitive primitive) {
  switch (primitive) {
  case Primitive::add: return rows<Add<T>>();
  case Primitive::sub: return rows<Sub<T>>();
  case Primitive::mul: return rows<Mul<T>>();
  case Primitive::div: return rows<Div<T>>();
  case Primitive::rem: return rows<Rem<T>>();
  case Primitive::floordiv: return rows<FloorDiv<T>>();
  case Primitive::mod: return rows<Mod<T>>();
  case Primitive::mul_high: return rows<MulHigh<T>>();
  case Primitive::neg: return rows<Neg<T>>();
  case Primitive::abs: return rows<Abs<T>>();
  case Primitive::min:
  case Primitive::minnum: return rows<Min<T>>();
  case Primitive::max:
  case Primitive::maxnum: return rows<Max<T>>();
  default: return nullptr;
  }
}

} // namespace

RowKernel find_integer_rows(Primitive primitive, ScalarType type) {
  switch (type) {
  case ScalarType::i8: return integer_op<ScalarType::i8>(primitive);
  case ScalarType::i16: return integer_op<ScalarType::i16>(primitive);
  case ScalarType::i32: return integer_op<ScalarType::i32>(primitive);
  case ScalarType::i64: return integer_op<ScalarType::i64>(primitive);
  case ScalarType::u8: return integer_op<ScalarType::u8>(primitive);
  case ScalarType::u16: return integer_op<ScalarType::u16>(primitive);
  case ScalarType::u32: return integer_op<ScalarType::u32>(primitive);
  case ScalarType::u64: return integer_op<ScalarType::u64>(primitive);
  default: return nullptr;
  }
}

} // namespace tilenest::TILENEST_ISA
