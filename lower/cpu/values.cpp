// SPDX-License-Identifier: Apache-2.0
// Types, constants and conversions (cast, cast_sat, bitcast) as LLVM IR: conversions.h and formats.h once more.
#include "lower/cpu/values.h"
#include "semantics/numerics/formats.h"
#include <cmath>
#include <llvm/IR/Module.h>

namespace tilenest::cpu {

using llvm::Value;

bool is_narrow(ScalarType t) { return is_float(t) && bit_width(t) <= 16; }

// --- types and constants ---

unsigned Values::lanes_of(const Value *v) {
  const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector ? vector->getNumElements() : 1;
}

llvm::Type *Values::like(const Value *v, llvm::Type *element) {
  const unsigned lanes = lanes_of(v);
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
}

llvm::Type *Values::type(ScalarType elem, unsigned lanes) const {
  llvm::Type *element = elem == ScalarType::boolean ? b.getInt1Ty()
                        : elem == ScalarType::f32   ? b.getFloatTy()
                        : elem == ScalarType::f64   ? b.getDoubleTy()
                                                    : b.getIntNTy(static_cast<unsigned>(byte_size(elem)) * 8);
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
}

llvm::Type *Values::in_memory(ScalarType elem, unsigned lanes) const {
  return elem == ScalarType::boolean ? type(ScalarType::u8, lanes) : type(elem, lanes);
}

Value *Values::to_memory(ScalarType elem, Value *value) const {
  return elem == ScalarType::boolean ? b.CreateZExt(value, like(value, b.getInt8Ty())) : value;
}

Value *Values::from_memory(ScalarType elem, Value *value) const {
  return elem == ScalarType::boolean ? b.CreateICmpNE(value, integer(value, 0)) : value;
}

Value *Values::constant(plan::Type t, std::uint64_t bits) const {
  if (t.elem == ScalarType::i4) bits = ((bits & 15) ^ 8) - 8; // a register holds the value in a byte
  llvm::Type *to = type(t.elem, t.lanes);
  if (!is_float(t.elem) || is_narrow(t.elem)) return llvm::ConstantInt::get(to, llvm::APInt(to->getScalarSizeInBits(), bits));
  const llvm::APInt word(static_cast<unsigned>(bit_width(t.elem)), bits);
  return llvm::ConstantFP::get(to, llvm::APFloat(to->getScalarType()->getFltSemantics(), word));
}

Value *Values::integer(const Value *shape, std::uint64_t bits) const {
  return llvm::ConstantInt::get(shape->getType(), llvm::APInt(shape->getType()->getScalarSizeInBits(), bits));
}

Value *Values::real(const Value *shape, double value) const { return llvm::ConstantFP::get(shape->getType(), value); }

Value *Values::bits(Value *x) const {
  return b.CreateBitCast(x, like(x, b.getIntNTy(x->getType()->getScalarSizeInBits())));
}

Value *Values::of_bits(Value *x, llvm::Type *element) const { return b.CreateBitCast(x, like(x, element)); }

// --- narrow floats ---

Value *Values::widen(ScalarType t, Value *x) const { return is_narrow(t) ? decode(t, x) : x; }

Value *Values::narrow(ScalarType t, Value *x) const {
  if (is_narrow(t)) return encode(t, x, Overflow::to_special);
  llvm::Type *to = like(x, type(t));
  return x->getType() == to ? x : b.CreateFPTrunc(x, to);
}

Value *Values::decode(ScalarType t, Value *x) const {
  if (t == ScalarType::f16 && has.f16c) return b.CreateFPExt(of_bits(x, b.getHalfTy()), like(x, b.getFloatTy()));
  const FloatLayout layout = float_layout(t);
  const unsigned shift = 23 - static_cast<unsigned>(layout.fraction_bits);
  const unsigned width = static_cast<unsigned>(layout.exponent_bits + layout.fraction_bits);
  Value *u = b.CreateZExt(x, like(x, b.getInt32Ty()));
  if (layout.bias() == 127) return of_bits(b.CreateShl(u, shift), b.getFloatTy());
  const std::uint32_t rebias = static_cast<std::uint32_t>(127 - layout.bias()) << 23;
  Value *sign = b.CreateShl(b.CreateLShr(u, width), 31);
  Value *magnitude = b.CreateAnd(u, integer(u, (1u << width) - 1));
  Value *shifted = b.CreateShl(magnitude, shift);
  Value *normal = b.CreateAdd(shifted, integer(u, rebias));
  // A subnormal: its fraction under the least normal exponent, and that power of two taken away.
  Value *least = of_bits(integer(u, rebias + (1u << 23)), b.getFloatTy());
  Value *below = b.CreateFSub(of_bits(b.CreateAdd(normal, integer(u, 1u << 23)), b.getFloatTy()), least);
  Value *is_below = b.CreateICmpULT(magnitude, integer(u, 1u << layout.fraction_bits));
  Value *finite = b.CreateSelect(is_below, bits(below), normal);
  Value *is_special = layout.infinities ? b.CreateICmpUGE(magnitude, integer(u, layout.infinity()))
                                        : b.CreateICmpEQ(magnitude, integer(u, layout.nan()));
  Value *special = layout.infinities ? b.CreateOr(shifted, integer(u, 0x7f800000u)) : integer(u, 0x7fc00000u);
  return of_bits(b.CreateOr(b.CreateSelect(is_special, special, finite), sign), b.getFloatTy());
}

Value *Values::encode(ScalarType t, Value *x, Overflow overflow) const {
  const FloatLayout layout = float_layout(t);
  const bool from_f64 = x->getType()->isFPOrFPVectorTy() && x->getType()->getScalarSizeInBits() == 64;
  llvm::Type *stored = type(t);
  if (t == ScalarType::f16 && has.f16c && !from_f64 && overflow == Overflow::to_special)
    return of_bits(b.CreateFPTrunc(x, like(x, b.getHalfTy())), stored);
  const unsigned fraction = from_f64 ? 52 : 23, width = static_cast<unsigned>(layout.exponent_bits + layout.fraction_bits);
  const unsigned total = from_f64 ? 64 : 32, shift = fraction - static_cast<unsigned>(layout.fraction_bits);
  const int bias = from_f64 ? 1023 : 127;
  const std::uint64_t infinity = (from_f64 ? 0x7ffull : 0xffull) << fraction;
  const std::uint64_t rebias = static_cast<std::uint64_t>(bias - layout.bias()) << fraction;
  const std::uint64_t least_normal = static_cast<std::uint64_t>(bias - layout.bias() + 1) << fraction;
  // 2^k whose unit in the last place is the least subnormal: adding it rounds to that grid.
  const std::uint64_t magic = static_cast<std::uint64_t>(bias + layout.least_exponent() + static_cast<int>(fraction)) << fraction;

  Value *u = bits(x);
  Value *sign = b.CreateShl(b.CreateLShr(u, total - 1), width);
  Value *a = b.CreateAnd(u, integer(u, ~(std::uint64_t{1} << (total - 1))));
  Value *odd = b.CreateAnd(b.CreateLShr(a, shift), integer(u, 1));
  Value *rounded = b.CreateAdd(b.CreateSub(a, integer(u, rebias)), b.CreateAdd(odd, integer(u, (std::uint64_t{1} << (shift - 1)) - 1)));
  Value *r = b.CreateLShr(rounded, shift);
  if (layout.bias() != bias) {
    llvm::Type *wide = x->getType()->getScalarType();
    Value *sum = b.CreateFAdd(of_bits(a, wide), of_bits(integer(u, magic), wide));
    Value *below = b.CreateSub(bits(sum), integer(u, magic));
    r = b.CreateSelect(b.CreateICmpULT(a, integer(u, least_normal)), below, r);
  }
  const std::uint64_t beyond = overflow == Overflow::to_largest ? layout.largest() : layout.infinities ? layout.infinity() : layout.nan();
  r = b.CreateSelect(b.CreateICmpUGT(r, integer(u, layout.largest())), integer(u, beyond), r);
  r = b.CreateSelect(b.CreateICmpUGT(a, integer(u, infinity)), integer(u, layout.nan()), r);
  return b.CreateTrunc(b.CreateOr(r, sign), like(x, stored));
}

// --- conversions ---

Value *Values::convert(ScalarType to, ScalarType from, Value *x, bool saturate) const {
  if (to == from && !(saturate && is_float(to))) return x;
  if (to == ScalarType::boolean) {
    if (!is_float(from)) return b.CreateICmpNE(x, integer(x, 0));
    Value *wide = widen(from, x);
    return b.CreateFCmpUNE(wide, real(wide, 0));
  }
  if (is_float(from)) {
    Value *wide = widen(from, x);
    return is_integer(to) ? float_to_integer(to, wide, saturate) : float_to_float(to, wide, saturate);
  }
  return is_integer(to) ? integer_to_integer(to, from, x, saturate) : integer_to_float(to, from, x, saturate);
}

Value *Values::float_to_integer(ScalarType to, Value *x, bool saturate) const {
  const bool from_f64 = x->getType()->getScalarSizeInBits() == 64;
  const int value_bits = bit_width(to) - (is_signed(to) ? 1 : 0);
  const double above = std::ldexp(1.0, value_bits), least = is_signed(to) ? -above : 0.0;
  const bool exclusive = !is_signed(to) || value_bits < (from_f64 ? 53 : 24); // least - 1 is a value of the type
  Value *low = b.CreateFCmpOLT(x, real(x, above));
  Value *high = exclusive ? b.CreateFCmpOGT(x, real(x, least - 1)) : b.CreateFCmpOGE(x, real(x, least));
  Value *fits = b.CreateSelect(b.CreateAnd(low, high), x, real(x, 0));
  llvm::Type *result = like(x, type(to));
  Value *inside = nullptr;
  if (byte_size(to) < 4) inside = b.CreateTrunc(b.CreateFPToSI(fits, like(x, b.getInt32Ty())), result);
  else inside = is_signed(to) ? b.CreateFPToSI(fits, result) : b.CreateFPToUI(fits, result);
  if (!saturate) return inside;
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - value_bits);
  Value *upper = b.CreateSelect(low, inside, integer(inside, greatest));
  Value *both = b.CreateSelect(high, upper, integer(inside, is_signed(to) ? ~greatest : 0));
  return b.CreateSelect(b.CreateFCmpORD(x, x), both, integer(inside, 0));
}

Value *Values::integer_to_integer(ScalarType to, ScalarType from, Value *x, bool saturate) const {
  const bool from_signed = is_signed(from), to_signed = is_signed(to);
  if (saturate && from != ScalarType::boolean) {
    const int from_bits = bit_width(from) - from_signed, to_bits = bit_width(to) - to_signed;
    const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - to_bits);
    if (from_bits > to_bits) {
      Value *most = integer(x, greatest);
      x = b.CreateSelect(from_signed ? b.CreateICmpSGT(x, most) : b.CreateICmpUGT(x, most), most, x);
    }
    Value *least = integer(x, to_signed ? ~greatest : 0);
    if (from_signed && (!to_signed || from_bits > to_bits)) x = b.CreateSelect(b.CreateICmpSLT(x, least), least, x);
  }
  Value *r = b.CreateIntCast(x, like(x, type(to)), from_signed);
  if (!is_packed(to) || saturate) return r;
  Value *nibble = b.CreateAnd(r, integer(r, 15));
  return to_signed ? b.CreateSub(b.CreateXor(nibble, integer(r, 8)), integer(r, 8)) : nibble;
}

// An integer as an f64 that rounds to a narrow float as the integer does: exact or rounded to odd.
Value *Values::odd_f64(ScalarType from, Value *x) const {
  Value *negative = is_signed(from) ? b.CreateICmpSLT(x, integer(x, 0)) : nullptr;
  Value *u = negative ? b.CreateSelect(negative, b.CreateNeg(x), x) : x;
  Value *lost = b.CreateICmpNE(b.CreateAnd(u, integer(u, 0x7ff)), integer(u, 0));
  Value *sticky = b.CreateSelect(lost, integer(u, 0x800), integer(u, 0));
  Value *cut = b.CreateOr(b.CreateAnd(u, integer(u, ~std::uint64_t{0x7ff})), sticky);
  Value *big = b.CreateICmpNE(b.CreateLShr(u, 53), integer(u, 0));
  Value *magnitude = b.CreateUIToFP(b.CreateSelect(big, cut, u), like(x, b.getDoubleTy()));
  return negative ? b.CreateSelect(negative, b.CreateFNeg(magnitude), magnitude) : magnitude;
}

Value *Values::integer_to_float(ScalarType to, ScalarType from, Value *x, bool saturate) const {
  const Overflow overflow = saturate ? Overflow::to_largest : Overflow::to_special;
  if (byte_size(from) < 4) { // exact in every wider format
    x = b.CreateIntCast(x, like(x, b.getInt32Ty()), is_signed(from));
    if (is_narrow(to)) return encode(to, b.CreateSIToFP(x, like(x, b.getFloatTy())), overflow);
    return b.CreateSIToFP(x, like(x, type(to)));
  }
  const auto rounded = [&](llvm::Type *element) {
    return is_signed(from) ? b.CreateSIToFP(x, like(x, element)) : b.CreateUIToFP(x, like(x, element));
  };
  if (!is_narrow(to)) return rounded(type(to)); // the hardware rounds once, to even
  return encode(to, bit_width(from) == 32 ? rounded(b.getDoubleTy()) : odd_f64(from, x), overflow);
}

Value *Values::float_to_float(ScalarType to, Value *x, bool saturate) const {
  if (is_narrow(to)) return encode(to, x, saturate ? Overflow::to_largest : Overflow::to_special);
  Value *y = b.CreateFPCast(x, like(x, type(to)));
  if (!saturate) return y;
  Value *largest = real(y, to == ScalarType::f32 ? static_cast<double>(__FLT_MAX__) : __DBL_MAX__);
  Value *least = real(y, to == ScalarType::f32 ? -static_cast<double>(__FLT_MAX__) : -__DBL_MAX__);
  Value *capped = b.CreateSelect(b.CreateFCmpOGT(y, largest), largest, y);
  return b.CreateSelect(b.CreateFCmpOLT(capped, least), least, capped);
}

} // namespace tilenest::cpu
