// SPDX-License-Identifier: Apache-2.0
// The arithmetic primitives of one float type as row kernels, for the two float units.
#pragma once
#include "semantics/numerics/kernels/row_loops.h"

namespace tilenest::TILENEST_ISA {
namespace {

template <ScalarType T> RowKernel float_op(Primitive primitive) {
  switch (primitive) {
  case Primitive::add: return rows<Add<T>>();
  case Primitive::sub: return rows<Sub<T>>();
  case Primitive::mul: return rows<Mul<T>>();
  case Primitive::div: return rows<Div<T>>();
  case Primitive::neg: return rows<Neg<T>>();
  case Primitive::abs: return rows<Abs<T>>();
  case Primitive::min: return rows<Min<T>>();
  case Primitive::max: return rows<Max<T>>();
  case Primitive::minnum: return rows<MinNum<T>>();
  case Primitive::maxnum: return rows<MaxNum<T>>();
  case Primitive::sqrt: return rows<Sqrt<T>>();
  case Primitive::fma: return rows<Fma<T>>();
  case Primitive::floor: return rows<Floor<T>>();
  case Primitive::ceil: return rows<Ceil<T>>();
  case Primitive::trunc: return rows<Trunc<T>>();
  case Primitive::round_even: return rows<RoundEven<T>>();
  case Primitive::copysign: return rows<CopySign<T>>();
  default: return nullptr;
  }
}

} // namespace
} // namespace tilenest::TILENEST_ISA
