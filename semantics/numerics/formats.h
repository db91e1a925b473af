// SPDX-License-Identifier: Apache-2.0
// Number formats bit by bit: decoding f16, bf16, f8e4m3fn, f8e5m2 and rounding to them, once, from the exact
// value (NUM-RN, NUM-FP8, NUM-INT). Everything is always inlined, because the kernels compile this header
// for several instruction sets and no copy of one may serve another. Literals and text: literals.h.
#pragma once
#include "semantics/support/scalar_type.h"
#include <cstdint>

#define TILENEST_INLINE inline __attribute__((always_inline))

namespace tilenest {

// C++ type of one element of type T that stands alone. Narrow floats are their bits, 4-bit integers their value.
template <ScalarType T> struct StorageOf;
template <> struct StorageOf<ScalarType::boolean> { using type = std::uint8_t; };
template <> struct StorageOf<ScalarType::i8> { using type = std::int8_t; };
template <> struct StorageOf<ScalarType::i16> { using type = std::int16_t; };
template <> struct StorageOf<ScalarType::i32> { using type = std::int32_t; };
template <> struct StorageOf<ScalarType::i64> { using type = std::int64_t; };
template <> struct StorageOf<ScalarType::u8> { using type = std::uint8_t; };
template <> struct StorageOf<ScalarType::u16> { using type = std::uint16_t; };
template <> struct StorageOf<ScalarType::u32> { using type = std::uint32_t; };
template <> struct StorageOf<ScalarType::u64> { using type = std::uint64_t; };
template <> struct StorageOf<ScalarType::f16> { using type = std::uint16_t; };
template <> struct StorageOf<ScalarType::bf16> { using type = std::uint16_t; };
template <> struct StorageOf<ScalarType::f32> { using type = float; };
template <> struct StorageOf<ScalarType::f64> { using type = double; };
template <> struct StorageOf<ScalarType::f8e4m3fn> { using type = std::uint8_t; };
template <> struct StorageOf<ScalarType::f8e5m2> { using type = std::uint8_t; };
template <> struct StorageOf<ScalarType::i4> { using type = std::int8_t; };
template <> struct StorageOf<ScalarType::u4> { using type = std::uint8_t; };
template <ScalarType T> using Storage = typename StorageOf<T>::type;

// A float format: sign, exponent_bits, fraction_bits. `infinities` false is the "fn" family: the top
// exponent holds numbers, all ones below the sign is the one NaN.
struct FloatLayout {
  int exponent_bits;
  int fraction_bits;
  bool infinities;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  constexpr std::uint64_t nan() const {
    return infinities ? infinity() | std::uint64_t{1} << (fraction_bits - 1)
                      : (std::uint64_t{1} << (exponent_bits + fraction_bits)) - 1;
  }
  // The largest finite magnitude.
  constexpr std::uint64_t largest() const { return infinities ? infinity() - 1 : nan() - 1; }
  constexpr int precision() const { return fraction_bits + 1; }
  // Exponent of the least subnormal, which is 2^that.
  constexpr int least_exponent() const { return 1 - bias() - fraction_bits; }
};

constexpr FloatLayout float_layout(ScalarType type) {
  switch (type) {
  case ScalarType::f16: return {5, 10, true};
  case ScalarType::bf16: return {8, 7, true};
  case ScalarType::f32: return {8, 23, true};
  case ScalarType::f8e4m3fn: return {4, 3, false};
  case ScalarType::f8e5m2: return {5, 2, true};
  default: return {11, 52, true};
  }
}

// What a float cast does with a rounded magnitude beyond the largest finite value.
enum class Overflow : std::uint8_t { to_special, to_largest };
// `truncate` exists only so that a test can break NUM-RN.
enum class Rounding : std::uint8_t { nearest_even, truncate };

// A narrow float as f32, exactly. NaN stays NaN.
template <ScalarType T> TILENEST_INLINE float decode(Storage<T> stored) {
  constexpr FloatLayout layout = float_layout(T);
  constexpr int shift = 23 - layout.fraction_bits;
  constexpr int width = layout.exponent_bits + layout.fraction_bits;
  const std::uint32_t u = stored;
  const std::uint32_t sign = (u >> width) << 31;
  if constexpr (layout.bias() == 127) {
    return __builtin_bit_cast(float, u << shift);
  } else {
    constexpr std::uint32_t rebias = std::uint32_t{127 - layout.bias()} << 23;
    const std::uint32_t magnitude = u & ((1u << width) - 1);
    const std::uint32_t normal = (magnitude << shift) + rebias;
    // A subnormal: put its fraction under the least normal exponent and take that power of two away.
    const float below = __builtin_bit_cast(float, normal + (1u << 23)) -
                        __builtin_bit_cast(float, rebias + (1u << 23));
    std::uint32_t bits = magnitude < (1u << layout.fraction_bits) ? __builtin_bit_cast(std::uint32_t, below) : normal;
    if constexpr (layout.infinities)
      bits = magnitude >= layout.infinity() ? (magnitude << shift) | 0x7f800000u : bits;
    else
      bits = magnitude == layout.nan() ? 0x7fc00000u : bits;
    return __builtin_bit_cast(float, bits | sign);
  }
}

// rule: NUM-FP8
// rule: NUM-RN
// Rounds an f32 or f64 once to a narrow float: as if the exponent were unbounded, ties to even, subnormals
// kept; the rounded magnitude then overflows or not.
template <ScalarType T, Overflow overflow = Overflow::to_special, Rounding rounding = Rounding::nearest_even,
          class Wide>
TILENEST_INLINE Storage<T> encode(Wide value) {
  constexpr FloatLayout layout = float_layout(T);
  constexpr bool from_f64 = sizeof(Wide) == 8;
  using Bits = std::conditional_t<from_f64, std::uint64_t, std::uint32_t>;
  constexpr int wide_fraction = from_f64 ? 52 : 23;
  constexpr int wide_bias = from_f64 ? 1023 : 127;
  constexpr int wide_bits = from_f64 ? 64 : 32;
  constexpr int shift = wide_fraction - layout.fraction_bits;
  constexpr int width = layout.exponent_bits + layout.fraction_bits;
  constexpr Bits one = 1;
  constexpr Bits wide_infinity = (from_f64 ? Bits{0x7ff} : Bits{0xff}) << wide_fraction;
  constexpr Bits rebias = static_cast<Bits>(wide_bias - layout.bias()) << wide_fraction;
  constexpr Bits least_normal = static_cast<Bits>(wide_bias - layout.bias() + 1) << wide_fraction;
  // 2^k whose unit in the last place is the least subnormal of T: adding it rounds to that grid.
  constexpr Bits magic = static_cast<Bits>(wide_bias + layout.least_exponent() + wide_fraction) << wide_fraction;

  const Bits u = __builtin_bit_cast(Bits, value);
  const Bits sign = (u >> (wide_bits - 1)) << width;
  const Bits a = u & ~(one << (wide_bits - 1));
  constexpr bool nearest = rounding == Rounding::nearest_even;
  const Bits round_up = nearest ? (one << (shift - 1)) - 1 + ((a >> shift) & 1) : Bits{0};
  Bits r = (a - rebias + round_up) >> shift;
  if constexpr (layout.bias() != wide_bias) {
    const Bits below = __builtin_bit_cast(Bits, __builtin_bit_cast(Wide, a) + __builtin_bit_cast(Wide, magic)) - magic;
    r = a < least_normal ? below : r;
  }
  constexpr Bits largest = static_cast<Bits>(layout.largest());
  constexpr Bits beyond = overflow == Overflow::to_largest ? largest
                          : layout.infinities              ? static_cast<Bits>(layout.infinity())
                                                           : static_cast<Bits>(layout.nan());
  r = r > largest ? beyond : r;
  r = a > wide_infinity ? static_cast<Bits>(layout.nan()) : r;
  return static_cast<Storage<T>>(r | sign);
}

// An integer as an f64 that rounds to any format of at most 51 bits as the integer itself does: exact up to
// 53 bits, beyond that rounded to odd (the last bit records that something was lost).
TILENEST_INLINE double odd_f64(std::uint64_t u) {
  const std::uint64_t lost = (u & 0x7ff) != 0 ? 0x800 : 0;
  return static_cast<double>(u >> 53 ? (u & ~std::uint64_t{0x7ff}) | lost : u);
}
TILENEST_INLINE double odd_f64(std::int64_t i) {
  const std::uint64_t u = static_cast<std::uint64_t>(i);
  const double magnitude = odd_f64(i < 0 ? 0 - u : u);
  return i < 0 ? -magnitude : magnitude;
}

// s = a + b rounded to odd; a and b of magnitudes whose sum is finite (infinities and NaN pass through).
TILENEST_INLINE double add_to_odd(double a, double b) {
  const double s = a + b;
  const double bb = s - a;
  const double error = (a - (s - bb)) + (b - bb); // exact (Knuth)
  const std::int64_t bits = __builtin_bit_cast(std::int64_t, s);
  // Truncation moves one unit towards the error; then the last bit is set. NaN errors compare false.
  const bool lost = error < 0 || error > 0;
  const bool away = (error < 0) != (s < 0);
  const std::int64_t truncated = away ? bits - 1 : bits;
  return __builtin_bit_cast(double, lost ? truncated | 1 : bits);
}

// The type that arithmetic on T happens in: wide enough that one operation (+ - * / sqrt) and one rounding
// to T give the correctly rounded result (24 >= 2p + 2 for p <= 11; subnormal and overflowing results of
// f16, bf16 and f8 round in f32 without touching a midpoint of T).
template <ScalarType T> struct ComputeOf { using type = Storage<T>; };
template <> struct ComputeOf<ScalarType::f16> { using type = float; };
template <> struct ComputeOf<ScalarType::bf16> { using type = float; };
template <> struct ComputeOf<ScalarType::f8e4m3fn> { using type = float; };
template <> struct ComputeOf<ScalarType::f8e5m2> { using type = float; };
template <ScalarType T> using Compute = typename ComputeOf<T>::type;

template <ScalarType T> inline constexpr bool is_narrow_float = is_float(T) && bit_width(T) <= 16;

// Stored element to the value arithmetic works on, exactly.
template <ScalarType T> TILENEST_INLINE Compute<T> widen(Storage<T> stored) {
  if constexpr (is_narrow_float<T>) return decode<T>(stored);
  else return stored;
}
// One rounding from the compute type (or an f64) to the stored element.
template <ScalarType T, class Wide> TILENEST_INLINE Storage<T> narrow(Wide value) {
  if constexpr (is_narrow_float<T>) return encode<T>(value);
  else return static_cast<Storage<T>>(value);
}

} // namespace tilenest
