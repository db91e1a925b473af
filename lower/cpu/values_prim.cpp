// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, bits and choice as LLVM IR: scalar_ops.h once more. Elementary functions are calls of the
// runtime, which applies the correctly rounded row kernels (NUM-FUN).
#include "lower/cpu/values.h"
#include "lower/cpu/runtime.h"
#include "semantics/numerics/formats.h"
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace tilenest::cpu {

using llvm::ArrayRef;
using llvm::Value;

Value *Values::prim(Primitive p, ScalarType operand, ScalarType result, ArrayRef<Value *> x) const {
  switch (p) {
  case Primitive::select: return b.CreateSelect(x[0], x[1], x[2]);
  case Primitive::cast:
  case Primitive::cast_sat: return convert(result, operand, x[0], p == Primitive::cast_sat);
  case Primitive::bitcast: return b.CreateBitCast(x[0], like(x[0], type(result)));
  case Primitive::eq:
  case Primitive::ne:
  case Primitive::lt:
  case Primitive::le:
  case Primitive::gt:
  case Primitive::ge: return compare(p, operand, x[0], x[1]);
  default: return is_float(operand) ? float_prim(p, operand, x) : integer_prim(p, operand, x);
  }
}

// --- integers and bools ---

// div and rem truncate, floordiv and mod floor; a divisor of 0 gives 0; the least value over -1 is itself.
Value *Values::quotient(Primitive p, ScalarType t, Value *a, Value *n) const {
  Value *zero = integer(a, 0), *one = integer(a, 1);
  Value *is_zero = b.CreateICmpEQ(n, zero);
  if (!is_signed(t)) {
    Value *d = b.CreateSelect(is_zero, one, n);
    if (p == Primitive::rem || p == Primitive::mod) return b.CreateURem(a, d);
    return b.CreateSelect(is_zero, zero, b.CreateUDiv(a, d));
  }
  Value *is_minus_one = b.CreateICmpEQ(n, integer(a, ~std::uint64_t{0}));
  Value *d = b.CreateSelect(b.CreateOr(is_zero, is_minus_one), one, n);
  const bool quotient = p == Primitive::div || p == Primitive::floordiv;
  const bool floors = p == Primitive::floordiv || p == Primitive::mod;
  Value *q = quotient ? b.CreateSDiv(a, d) : nullptr;
  Value *r = quotient && !floors ? nullptr : quotient ? b.CreateSub(a, b.CreateMul(q, d)) : b.CreateSRem(a, d);
  if (floors) {
    Value *signs_differ = b.CreateXor(b.CreateICmpSLT(r, zero), b.CreateICmpSLT(d, zero));
    Value *moves = b.CreateAnd(b.CreateICmpNE(r, zero), signs_differ);
    if (quotient) q = b.CreateSelect(moves, b.CreateSub(q, one), q);
    else r = b.CreateSelect(moves, b.CreateAdd(r, d), r);
  }
  if (!quotient) return r;
  return b.CreateSelect(is_zero, zero, b.CreateSelect(is_minus_one, b.CreateNeg(a), q));
}

Value *Values::integer_prim(Primitive p, ScalarType t, ArrayRef<Value *> x) const {
  const bool is_signed_type = is_signed(t);
  const unsigned width = static_cast<unsigned>(bit_width(t));
  Value *a = x[0], *c = x.size() > 1 ? x[1] : nullptr;
  switch (p) {
  case Primitive::add: return b.CreateAdd(a, c);
  case Primitive::sub: return b.CreateSub(a, c);
  case Primitive::mul: return b.CreateMul(a, c);
  case Primitive::div:
  case Primitive::rem:
  case Primitive::floordiv:
  case Primitive::mod: return quotient(p, t, a, c);
  case Primitive::mul_high: {
    llvm::Type *wide = like(a, b.getIntNTy(2 * width));
    Value *left = b.CreateIntCast(a, wide, is_signed_type), *right = b.CreateIntCast(c, wide, is_signed_type);
    return b.CreateTrunc(b.CreateLShr(b.CreateMul(left, right), width), a->getType());
  }
  case Primitive::neg: return b.CreateNeg(a);
  case Primitive::abs: return is_signed_type ? b.CreateSelect(b.CreateICmpSLT(a, integer(a, 0)), b.CreateNeg(a), a) : a;
  case Primitive::min:
  case Primitive::minnum: return b.CreateBinaryIntrinsic(is_signed_type ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, c);
  case Primitive::max:
  case Primitive::maxnum: return b.CreateBinaryIntrinsic(is_signed_type ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, c);
  case Primitive::bit_and: return b.CreateAnd(a, c);
  case Primitive::bit_or: return b.CreateOr(a, c);
  case Primitive::bit_xor: return b.CreateXor(a, c);
  case Primitive::bit_not: return b.CreateNot(a);
  case Primitive::shl:
  case Primitive::shr: {
    Value *count = b.CreateAnd(c, integer(c, width - 1));
    Value *shifted = p == Primitive::shl ? b.CreateShl(a, count)
                     : is_signed_type    ? b.CreateAShr(a, count)
                                         : b.CreateLShr(a, count);
    return b.CreateSelect(b.CreateICmpULT(c, integer(c, width)), shifted, integer(a, 0));
  }
  case Primitive::popcount: return unary(llvm::Intrinsic::ctpop, a);
  case Primitive::clz: return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, b.getFalse());
  case Primitive::ctz: return b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a, b.getFalse());
  default: return llvm::PoisonValue::get(a->getType()); // not admitted
  }
}

Value *Values::compare(Primitive p, ScalarType t, Value *x, Value *y) const {
  using P = llvm::CmpInst::Predicate;
  const int i = static_cast<int>(p) - static_cast<int>(Primitive::eq);
  static_assert(static_cast<int>(Primitive::ge) - static_cast<int>(Primitive::eq) == 5);
  if (is_float(t)) {
    constexpr P of_floats[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
    return b.CreateFCmp(of_floats[i], widen(t, x), widen(t, y));
  }
  constexpr P of_signed[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  constexpr P of_unsigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  return b.CreateICmp(is_signed(t) ? of_signed[i] : of_unsigned[i], x, y);
}

// --- floats ---

// NUM-NAN: min and max give NaN for a NaN, minnum and maxnum the other operand; all put -0 below +0. The result is one
// of the operands, so narrow floats stay as they are; equal ones differ in their sign at most.
Value *Values::extremum(Primitive p, ScalarType t, Value *x, Value *y) const {
  const bool least = p == Primitive::min || p == Primitive::minnum;
  const bool ignores = p == Primitive::minnum || p == Primitive::maxnum;
  if (!ignores && !is_narrow(t)) return b.CreateBinaryIntrinsic(least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, x, y);
  Value *wide_x = widen(t, x), *wide_y = widen(t, y);
  Value *x_bits = is_narrow(t) ? x : bits(x), *y_bits = is_narrow(t) ? y : bits(y);
  Value *zeros = least ? b.CreateOr(x_bits, y_bits) : b.CreateAnd(x_bits, y_bits);
  Value *first = least ? b.CreateFCmpOLT(wide_x, wide_y) : b.CreateFCmpOGT(wide_x, wide_y);
  Value *picked = b.CreateSelect(first, x, y);
  Value *equal = is_narrow(t) ? zeros : of_bits(zeros, type(t));
  Value *ordered = b.CreateSelect(b.CreateFCmpOEQ(wide_x, wide_y), equal, picked);
  Value *with_y = b.CreateSelect(b.CreateFCmpUNO(wide_y, wide_y), ignores ? x : y, ordered);
  return b.CreateSelect(b.CreateFCmpUNO(wide_x, wide_x), ignores ? y : x, with_y);
}

// The sum rounded to odd: formats.h, add_to_odd().
Value *Values::add_to_odd(Value *x, Value *y) const {
  Value *s = b.CreateFAdd(x, y);
  Value *yy = b.CreateFSub(s, x);
  Value *error = b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(s, yy)), b.CreateFSub(y, yy)); // exact (Knuth)
  Value *zero = real(s, 0), *s_bits = bits(s);
  Value *lost = b.CreateFCmpONE(error, zero);
  Value *away = b.CreateXor(b.CreateFCmpOLT(error, zero), b.CreateFCmpOLT(s, zero));
  Value *truncated = b.CreateSelect(away, b.CreateSub(s_bits, integer(s_bits, 1)), s_bits);
  Value *odd = b.CreateOr(truncated, integer(s_bits, 1));
  return of_bits(b.CreateSelect(lost, odd, s_bits), b.getDoubleTy());
}

Value *Values::fused(ScalarType t, ArrayRef<Value *> x) const {
  if (t == ScalarType::f64 || (t == ScalarType::f32 && has.fma))
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, {x[0], x[1], x[2]});
  const auto wide = [&](Value *v) { return b.CreateFPExt(widen(t, v), like(v, b.getDoubleTy())); };
  return narrow(t, add_to_odd(b.CreateFMul(wide(x[0]), wide(x[1])), wide(x[2]))); // the product is exact in f64
}

// To an integral value, on f32 and f64.
Value *Values::round_integral(Primitive p, Value *x) const {
  if (has.sse41) {
    switch (p) {
    case Primitive::floor: return unary(llvm::Intrinsic::floor, x);
    case Primitive::ceil: return unary(llvm::Intrinsic::ceil, x);
    case Primitive::trunc: return unary(llvm::Intrinsic::trunc, x);
    default: return unary(llvm::Intrinsic::roundeven, x);
    }
  }
  // Adding and taking away 2^fraction_bits rounds to even where anything is to round.
  Value *magnitude = unary(llvm::Intrinsic::fabs, x);
  Value *big = real(x, x->getType()->getScalarSizeInBits() == 64 ? 4503599627370496.0 : 8388608.0), *one = real(x, 1);
  Value *rounded = b.CreateFSub(b.CreateFAdd(magnitude, big), big);
  Value *nearest = b.CreateSelect(b.CreateFCmpOLT(magnitude, big), rounded, magnitude);
  const auto signed_ = [&](Value *m) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, m, x); };
  if (p == Primitive::round_even) return signed_(nearest);
  if (p == Primitive::trunc)
    return signed_(b.CreateSelect(b.CreateFCmpOGT(nearest, magnitude), b.CreateFSub(nearest, one), nearest));
  Value *r = signed_(nearest);
  Value *moved = p == Primitive::floor ? b.CreateSelect(b.CreateFCmpOGT(r, x), b.CreateFSub(r, one), r)
                                       : b.CreateSelect(b.CreateFCmpOLT(r, x), b.CreateFAdd(r, one), r);
  return signed_(unary(llvm::Intrinsic::fabs, moved));
}

Value *Values::float_prim(Primitive p, ScalarType t, ArrayRef<Value *> x) const {
  const auto wide = [&](std::size_t i) { return widen(t, x[i]); };
  const std::uint64_t sign = std::uint64_t{1} << (bit_width(t) - 1);
  switch (p) {
  case Primitive::add: return narrow(t, b.CreateFAdd(wide(0), wide(1)));
  case Primitive::sub: return narrow(t, b.CreateFSub(wide(0), wide(1)));
  case Primitive::mul: return narrow(t, b.CreateFMul(wide(0), wide(1)));
  case Primitive::div: return narrow(t, b.CreateFDiv(wide(0), wide(1)));
  case Primitive::sqrt: return narrow(t, unary(llvm::Intrinsic::sqrt, wide(0)));
  case Primitive::fma: return fused(t, x);
  case Primitive::neg: return is_narrow(t) ? b.CreateXor(x[0], integer(x[0], sign)) : b.CreateFNeg(x[0]);
  case Primitive::abs:
    return is_narrow(t) ? b.CreateAnd(x[0], integer(x[0], ~sign)) : unary(llvm::Intrinsic::fabs, x[0]);
  case Primitive::copysign:
    if (!is_narrow(t)) return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x[0], x[1]);
    return b.CreateOr(b.CreateAnd(x[0], integer(x[0], ~sign)), b.CreateAnd(x[1], integer(x[1], sign)));
  case Primitive::min:
  case Primitive::max:
  case Primitive::minnum:
  case Primitive::maxnum: return extremum(p, t, x[0], x[1]);
  case Primitive::floor:
  case Primitive::ceil:
  case Primitive::trunc:
  case Primitive::round_even: return narrow(t, round_integral(p, wide(0)));
  case Primitive::is_nan: {
    Value *v = wide(0);
    return b.CreateFCmpUNO(v, v);
  }
  case Primitive::is_inf:
  case Primitive::is_finite: {
    Value *magnitude = unary(llvm::Intrinsic::fabs, wide(0));
    Value *infinity = llvm::ConstantFP::getInfinity(magnitude->getType());
    return p == Primitive::is_inf ? b.CreateFCmpOEQ(magnitude, infinity) : b.CreateFCmpOLT(magnitude, infinity);
  }
  default: return elementary(p, t, x);
  }
}

// --- calls of the runtime ---

Value *Values::scratch(llvm::Type *element, unsigned lanes) const {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  llvm::AllocaInst *array = entry.CreateAlloca(llvm::ArrayType::get(element, lanes));
  array->setAlignment(llvm::Align(64));
  return array;
}

llvm::FunctionCallee Values::runtime(llvm::StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> params) const {
  llvm::Module *module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(name, llvm::FunctionType::get(result, params, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return callee;
}

Value *Values::elementary(Primitive p, ScalarType t, ArrayRef<Value *> x) const {
  const unsigned lanes = lanes_of(x[0]);
  const llvm::Align align(64);
  llvm::Value *rows[3] = {scratch(type(t), lanes), scratch(type(t), lanes), nullptr};
  b.CreateAlignedStore(x[0], rows[1], align);
  rows[2] = llvm::ConstantPointerNull::get(b.getPtrTy());
  if (x.size() > 1) {
    rows[2] = scratch(type(t), lanes);
    b.CreateAlignedStore(x[1], rows[2], align);
  }
  const auto callee = runtime(runtime_rows, b.getVoidTy(), {b.getInt32Ty(), b.getInt64Ty(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy()});
  b.CreateCall(callee, {b.getInt32(row_code(p, t)), b.getInt64(lanes), rows[0], rows[1], rows[2]});
  return b.CreateAlignedLoad(x[0]->getType(), rows[0], align);
}

} // namespace tilenest::cpu
