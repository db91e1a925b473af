// SPDX-License-Identifier: Apache-2.0
// cast, cast_sat and bitcast between any two element types (NUM-INT, NUM-FP8, NUM-RN), one element at a time
// and always inlined (see formats.h).
#pragma once
#include "semantics/numerics/formats.h"

namespace tilenest {

template <class Int> constexpr Int least_of() {
  return static_cast<Int>(-1) < 0 ? static_cast<Int>(std::uint64_t{1} << (sizeof(Int) * 8 - 1)) : Int{0};
}
template <class Int> constexpr Int greatest_of() { return static_cast<Int>(~least_of<Int>()); }

// The ends of an integer element type, and the value modulo 2^width that an element of it holds.
template <ScalarType T> inline constexpr Storage<T> least_element =
    is_packed(T) ? static_cast<Storage<T>>(is_signed(T) ? -8 : 0) : least_of<Storage<T>>();
template <ScalarType T> inline constexpr Storage<T> greatest_element =
    is_packed(T) ? static_cast<Storage<T>>(is_signed(T) ? 7 : 15) : greatest_of<Storage<T>>();
template <ScalarType T, class Int> TILENEST_INLINE Storage<T> wrap(Int value) {
  if constexpr (T == ScalarType::i4) return static_cast<Storage<T>>(((static_cast<unsigned>(value) & 15u) ^ 8u) - 8u);
  else if constexpr (T == ScalarType::u4) return static_cast<Storage<T>>(static_cast<unsigned>(value) & 15u);
  else return static_cast<Storage<T>>(value);
}

// The open (or, below, closed) interval of floats whose truncation an integer type holds.
template <ScalarType T, class Float> struct FitsInto {
  static constexpr Float power(int n) { return n == 0 ? Float{1} : Float{2} * power(n - 1); }
  static constexpr int value_bits = bit_width(T) - (is_signed(T) ? 1 : 0);
  static constexpr Float above = power(value_bits);         // the first value that does not fit
  static constexpr Float least = is_signed(T) ? -above : Float{0};
  static constexpr bool exclusive = least - Float{1} < least; // least - 1 is a value of Float
  static constexpr Float below = exclusive ? least - Float{1} : least;
  // Not short-circuit: both comparisons happen, so that rows vectorise.
  static TILENEST_INLINE bool low_enough(Float x) { return x < above; }
  static TILENEST_INLINE bool high_enough(Float x) { return exclusive ? x > below : x >= below; }
};

// Truncation of a float that fits.
template <class Int, class Float> TILENEST_INLINE Int truncate(Float x) {
  if constexpr (sizeof(Int) < 4) return static_cast<Int>(static_cast<std::int32_t>(x));
  else return static_cast<Int>(x);
}

// rule: NUM-INT
// Whether a float element has a result under `cast` to an integer type.
template <ScalarType To, ScalarType From> TILENEST_INLINE bool cast_defined(Storage<From> stored) {
  if constexpr (is_float(From) && is_integer(To)) {
    using Fits = FitsInto<To, Compute<From>>;
    const Compute<From> x = widen<From>(stored);
    const bool low = Fits::low_enough(x), high = Fits::high_enough(x);
    return low & high;
  } else {
    return true;
  }
}

// Whether an integer cast changed the value (NUM-WRAP).
template <ScalarType To, ScalarType From> TILENEST_INLINE bool cast_wrapped(Storage<From> stored) {
  if constexpr (is_integer(From) && is_integer(To)) {
    const Storage<To> result = wrap<To>(stored);
    return static_cast<Storage<From>>(result) != stored || ((stored < 0) != (result < 0));
  } else {
    return false;
  }
}

// One element converted. An element without a result gives 0.
template <ScalarType To, ScalarType From, bool saturate = false, Rounding rounding = Rounding::nearest_even>
TILENEST_INLINE Storage<To> convert(Storage<From> stored) {
  constexpr Overflow overflow = saturate ? Overflow::to_largest : Overflow::to_special;
  if constexpr (To == From && !(saturate && is_float(To))) {
    return stored;
  } else if constexpr (To == ScalarType::boolean) {
    return widen<From>(stored) != 0;
  } else if constexpr (is_float(From)) {
    const Compute<From> x = widen<From>(stored);
    if constexpr (is_integer(To)) {
      using Int = Storage<To>;
      using Fits = FitsInto<To, Compute<From>>;
      const bool low = Fits::low_enough(x), high = Fits::high_enough(x);
      const Int inside = truncate<Int>((low & high) ? x : Compute<From>{0});
      if constexpr (!saturate) return inside;
      else {
        const Int upper = low ? inside : greatest_element<To>;
        const Int both = high ? upper : least_element<To>;
        return x == x ? both : Int{0};
      }
    } else if constexpr (is_narrow_float<To>) {
      return encode<To, overflow, rounding>(x);
    } else {
      const Storage<To> y = static_cast<Storage<To>>(x);
      if constexpr (!saturate) return y;
      else {
        // As NUM-FP8 has it for the narrow ones: the largest finite value instead of an infinity.
        constexpr Storage<To> largest = To == ScalarType::f32 ? static_cast<Storage<To>>(__FLT_MAX__)
                                                              : static_cast<Storage<To>>(__DBL_MAX__);
        const Storage<To> capped = y > largest ? largest : y;
        return capped < -largest ? -largest : capped;
      }
    }
  } else if constexpr (is_integer(To)) {
    if constexpr (!saturate || From == ScalarType::boolean) return wrap<To>(stored);
    else {
      constexpr auto least = least_element<To>;
      constexpr auto greatest = greatest_element<To>;
      constexpr bool from_signed = is_signed(From), to_signed = is_signed(To);
      constexpr int from_bits = bit_width(From) - (from_signed ? 1 : 0);
      constexpr int to_bits = bit_width(To) - (to_signed ? 1 : 0);
      Storage<From> x = stored;
      if constexpr (from_bits > to_bits) x = x > static_cast<Storage<From>>(greatest) ? static_cast<Storage<From>>(greatest) : x;
      if constexpr (from_signed && !to_signed) x = x < 0 ? Storage<From>{0} : x;
      if constexpr (from_signed && to_signed && from_bits > to_bits)
        x = x < static_cast<Storage<From>>(least) ? static_cast<Storage<From>>(least) : x;
      return static_cast<Storage<To>>(x);
    }
  } else if constexpr (To == ScalarType::f32 || To == ScalarType::f64) {
    return static_cast<Storage<To>>(stored); // the hardware rounds once, to even
  } else if constexpr (bit_width(From) <= 16) {
    return encode<To, overflow, rounding>(static_cast<float>(stored)); // exact in f32
  } else if constexpr (bit_width(From) == 32) {
    return encode<To, overflow, rounding>(static_cast<double>(stored)); // exact in f64
  } else {
    return encode<To, overflow, rounding>(odd_f64(stored));
  }
}

} // namespace tilenest
