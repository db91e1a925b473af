// SPDX-License-Identifier: Apache-2.0
// Scalar primitives as LLVM IR, lane by lane on scalars and vectors alike: the text of scalar_ops.h and conversions.h
// once more, bit for bit but for NaN payloads. No instruction carries a fast-math flag. In a register a bool is an i1,
// an integer and a narrow float their bits, a 4-bit integer an i8 that holds its value.
#pragma once
#include "lower/plan.h"
#include <llvm/IR/IRBuilder.h>

namespace tilenest::cpu {

// What the code may use of the processor where LLVM would call a library otherwise.
struct Features {
  bool f16c = false;  // f32 <-> f16 in hardware
  bool fma = false;   // one rounding of a*b + c
  bool sse41 = false; // rounding to integral values
  bool wide_masks = false; // masked accesses of 4- and 8-byte elements
  bool byte_masks = false; // and of 1- and 2-byte ones
};

class Values {
public:
  Values(llvm::IRBuilder<> &builder, Features features) : b(builder), has(features) {}

  llvm::Type *type(ScalarType elem, unsigned lanes = 1) const; // of a register
  llvm::Type *in_memory(ScalarType elem, unsigned lanes = 1) const; // a bool is an i8; not for 4-bit types
  // `bits` of one lane, zero above the type's width.
  llvm::Value *constant(plan::Type type, std::uint64_t bits) const;
  llvm::Value *to_memory(ScalarType elem, llvm::Value *value) const;
  llvm::Value *from_memory(ScalarType elem, llvm::Value *value) const;

  // The operands have one number of lanes, the condition of a select may have one.
  llvm::Value *prim(Primitive p, ScalarType operand, ScalarType result, llvm::ArrayRef<llvm::Value *> x) const;

  // An array of `lanes` elements of the function's frame, aligned to 64 bytes.
  llvm::Value *scratch(llvm::Type *element, unsigned lanes) const;
  llvm::FunctionCallee runtime(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> params) const;

  static unsigned lanes_of(const llvm::Value *v);
  // The type of `v` with another element type.
  static llvm::Type *like(const llvm::Value *v, llvm::Type *element);

private:
  enum class Overflow { to_special, to_largest };
  llvm::Value *widen(ScalarType t, llvm::Value *x) const;
  llvm::Value *narrow(ScalarType t, llvm::Value *x) const;
  llvm::Value *decode(ScalarType t, llvm::Value *x) const;
  llvm::Value *encode(ScalarType t, llvm::Value *x, Overflow overflow) const;
  llvm::Value *convert(ScalarType to, ScalarType from, llvm::Value *x, bool saturate) const;
  llvm::Value *float_to_integer(ScalarType to, llvm::Value *x, bool saturate) const;
  llvm::Value *integer_to_integer(ScalarType to, ScalarType from, llvm::Value *x, bool saturate) const;
  llvm::Value *integer_to_float(ScalarType to, ScalarType from, llvm::Value *x, bool saturate) const;
  llvm::Value *float_to_float(ScalarType to, llvm::Value *x, bool saturate) const;
  llvm::Value *odd_f64(ScalarType from, llvm::Value *x) const;

  llvm::Value *integer_prim(Primitive p, ScalarType t, llvm::ArrayRef<llvm::Value *> x) const;
  llvm::Value *quotient(Primitive p, ScalarType t, llvm::Value *a, llvm::Value *n) const;
  llvm::Value *float_prim(Primitive p, ScalarType t, llvm::ArrayRef<llvm::Value *> x) const;
  llvm::Value *compare(Primitive p, ScalarType t, llvm::Value *x, llvm::Value *y) const;
  llvm::Value *extremum(Primitive p, ScalarType t, llvm::Value *x, llvm::Value *y) const;
  llvm::Value *fused(ScalarType t, llvm::ArrayRef<llvm::Value *> x) const;
  llvm::Value *add_to_odd(llvm::Value *x, llvm::Value *y) const;
  llvm::Value *round_integral(Primitive p, llvm::Value *x) const;
  llvm::Value *elementary(Primitive p, ScalarType t, llvm::ArrayRef<llvm::Value *> x) const;

  llvm::Value *bits(llvm::Value *x) const;                        // of a float
  llvm::Value *of_bits(llvm::Value *x, llvm::Type *element) const;
  llvm::Value *integer(const llvm::Value *shape, std::uint64_t bits) const; // a constant of an integer type like that
  llvm::Value *real(const llvm::Value *shape, double value) const;
  llvm::Value *unary(llvm::Intrinsic::ID id, llvm::Value *x) const { return b.CreateUnaryIntrinsic(id, x); }

  llvm::IRBuilder<> &b;
  Features has;
};

bool is_narrow(ScalarType t);

} // namespace tilenest::cpu
