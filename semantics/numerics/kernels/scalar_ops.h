// SPDX-License-Identifier: Apache-2.0
// What each arithmetic, comparison and bit primitive computes on one element (NUM-RN, NUM-NAN, NUM-INT): the
// only text of it; rows and single elements both run it. Compiled once per instruction set, so everything
// lies in an unnamed namespace. Conversions: conversions.h; elementary functions: elementary.cpp.
// An op has in[] and out types, apply(), and where it can happen undefined() and wrapped() on the operands.
#pragma once
#include "semantics/numerics/conversions.h"

namespace tilenest::TILENEST_ISA {
namespace {

template <ScalarType T> using Unsigned =
    std::conditional_t<bit_width(T) == 8, std::uint8_t,
                       std::conditional_t<bit_width(T) == 16, std::uint16_t,
                                          std::conditional_t<bit_width(T) == 32, std::uint32_t, std::uint64_t>>>;
// Wide enough for exact products of integers up to 32 bits.
template <ScalarType T>
using Exact = std::conditional_t<(bit_width(T) == 8 || T == ScalarType::i16), std::int32_t,
                                 std::conditional_t<is_signed(T), std::int64_t, std::uint64_t>>;

template <ScalarType T> struct Unary {
  using A = Storage<T>;
  using R = Storage<T>;
  static constexpr int arity = 1;
  static constexpr bool can_be_undefined = false, can_wrap = false;
};
template <ScalarType T> struct Binary {
  using A = Storage<T>;
  using B = Storage<T>;
  using R = Storage<T>;
  static constexpr int arity = 2;
  static constexpr bool can_be_undefined = false, can_wrap = false;
};
template <ScalarType T> struct BinaryToBool : Binary<T> {
  using R = std::uint8_t;
};
template <ScalarType T> struct UnaryToBool : Unary<T> {
  using R = std::uint8_t;
};

#define TILENEST_OP TILENEST_INLINE static

// + - *: wrapping for integers, one rounding for floats.
#define TILENEST_RING_OP(Name, symbol, wraps)                                                                \
  template <ScalarType T> struct Name : Binary<T> {                                                         \
    static constexpr bool can_wrap = is_integer(T);                                                          \
    TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {                                               \
      if constexpr (is_integer(T)) {                                                                         \
        using U = std::conditional_t<(bit_width(T) < 32), std::uint32_t, Unsigned<T>>;                       \
        return static_cast<Storage<T>>(static_cast<U>(a) symbol static_cast<U>(b));                          \
      } else {                                                                                               \
        return narrow<T>(widen<T>(a) symbol widen<T>(b));                                                    \
      }                                                                                                      \
    }                                                                                                        \
    TILENEST_OP bool wrapped(Storage<T> a, Storage<T> b) { return wraps<T>(a, b, apply(a, b)); }             \
  };

// Whether r, the wrapped result, differs from the exact one. A signed sum does where both operands differ
// from it in sign, a difference where the minuend does from both others.
template <ScalarType T> TILENEST_INLINE bool add_wraps(Storage<T> a, Storage<T> b, Storage<T> r) {
  if constexpr (is_signed(T)) return static_cast<Storage<T>>((a ^ r) & (b ^ r)) < 0;
  else return r < a;
}
template <ScalarType T> TILENEST_INLINE bool sub_wraps(Storage<T> a, Storage<T> b, Storage<T> r) {
  if constexpr (is_signed(T)) return static_cast<Storage<T>>((a ^ b) & (a ^ r)) < 0;
  else return a < b;
}
template <ScalarType T> TILENEST_INLINE bool mul_wraps(Storage<T> a, Storage<T> b, [[maybe_unused]] Storage<T> r) {
  if constexpr (bit_width(T) == 64) return __builtin_mul_overflow(a, b, &r);
  else return static_cast<Exact<T>>(a) * static_cast<Exact<T>>(b) != static_cast<Exact<T>>(r);
}
TILENEST_RING_OP(Add, +, add_wraps)
TILENEST_RING_OP(Sub, -, sub_wraps)
TILENEST_RING_OP(Mul, *, mul_wraps)
#undef TILENEST_RING_OP

// A divisor that never traps: 1 for 0 and for -1, whose cases the callers settle themselves.
template <ScalarType T> TILENEST_INLINE bool is_minus_one(Storage<T> b) {
  if constexpr (is_signed(T)) return b == -1;
  else return false;
}
template <ScalarType T> TILENEST_INLINE Storage<T> safe_divisor(Storage<T> b) {
  return b == 0 || is_minus_one<T>(b) ? Storage<T>{1} : b;
}
template <ScalarType T> TILENEST_INLINE Storage<T> negated(Storage<T> a) {
  return static_cast<Storage<T>>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
}
template <ScalarType T> TILENEST_INLINE bool is_least_over_minus_one(Storage<T> a, Storage<T> b) {
  const bool by_minus_one = is_minus_one<T>(b);
  return by_minus_one & (a == least_of<Storage<T>>());
}

// rule: NUM-INT
// div and rem truncate, floordiv and mod floor; INT_MIN / -1 is INT_MIN and its remainder 0.
template <ScalarType T> struct Div : Binary<T> {
  static constexpr bool can_be_undefined = is_integer(T), can_wrap = is_signed(T);
  TILENEST_OP bool undefined(Storage<T>, Storage<T> b) { return b == 0; }
  TILENEST_OP bool wrapped(Storage<T> a, Storage<T> b) { return is_least_over_minus_one<T>(a, b); }
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {
    if constexpr (is_float(T)) return narrow<T>(widen<T>(a) / widen<T>(b));
    else {
      const Storage<T> q = static_cast<Storage<T>>(a / safe_divisor<T>(b));
      return b == 0 ? Storage<T>{0} : is_minus_one<T>(b) ? negated<T>(a) : q;
    }
  }
};
template <ScalarType T> struct Rem : Binary<T> {
  static constexpr bool can_be_undefined = true;
  TILENEST_OP bool undefined(Storage<T>, Storage<T> b) { return b == 0; }
  // The safe divisor 1 gives the remainder 0 that both special cases want.
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) { return static_cast<Storage<T>>(a % safe_divisor<T>(b)); }
};
template <ScalarType T> struct FloorDiv : Div<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {
    const Storage<T> d = safe_divisor<T>(b);
    const Storage<T> q = static_cast<Storage<T>>(a / d);
    const Storage<T> r = static_cast<Storage<T>>(a - q * d);
    const bool down = (r != 0) & ((r < 0) != (d < 0));
    return b == 0 ? Storage<T>{0} : is_minus_one<T>(b) ? negated<T>(a) : static_cast<Storage<T>>(q - (down ? 1 : 0));
  }
};
template <ScalarType T> struct Mod : Rem<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {
    const Storage<T> d = safe_divisor<T>(b);
    const Storage<T> r = static_cast<Storage<T>>(a % d);
    const bool up = (r != 0) & ((r < 0) != (d < 0));
    return up ? static_cast<Storage<T>>(r + d) : r;
  }
};
template <ScalarType T> struct MulHigh : Binary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {
    if constexpr (bit_width(T) == 64) {
      using Wide = std::conditional_t<is_signed(T), __int128, unsigned __int128>;
      return static_cast<Storage<T>>((static_cast<Wide>(a) * b) >> 64);
    } else {
      using Wide = std::conditional_t<is_signed(T), std::int64_t, std::uint64_t>;
      return static_cast<Storage<T>>((static_cast<Wide>(a) * b) >> bit_width(T));
    }
  }
};

// neg, abs and copysign of a float change its sign bit and nothing else.
template <ScalarType T> inline constexpr Unsigned<T> sign_bit = static_cast<Unsigned<T>>(Unsigned<T>{1} << (bit_width(T) - 1));
template <ScalarType T> TILENEST_INLINE Unsigned<T> bits_of(Storage<T> a) { return __builtin_bit_cast(Unsigned<T>, a); }
template <ScalarType T> TILENEST_INLINE Storage<T> of_bits(Unsigned<T> u) { return __builtin_bit_cast(Storage<T>, u); }

template <ScalarType T> struct Neg : Unary<T> {
  static constexpr bool can_wrap = is_integer(T);
  TILENEST_OP bool wrapped(Storage<T> a) {
    if constexpr (is_signed(T)) return a == least_of<Storage<T>>();
    else return a != 0;
  }
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    if constexpr (is_float(T)) return of_bits<T>(static_cast<Unsigned<T>>(bits_of<T>(a) ^ sign_bit<T>));
    else return negated<T>(a);
  }
};
template <ScalarType T> struct Abs : Unary<T> {
  static constexpr bool can_wrap = is_signed(T);
  TILENEST_OP bool wrapped(Storage<T> a) { return a == least_of<Storage<T>>(); }
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    if constexpr (is_float(T)) return of_bits<T>(static_cast<Unsigned<T>>(bits_of<T>(a) & ~sign_bit<T>));
    else return a < 0 ? negated<T>(a) : a;
  }
};
template <ScalarType T> struct CopySign : Binary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {
    return of_bits<T>(static_cast<Unsigned<T>>((bits_of<T>(a) & ~sign_bit<T>) | (bits_of<T>(b) & sign_bit<T>)));
  }
};

// Equal-sized bits of a compute value.
TILENEST_INLINE constexpr std::uint32_t raw(float x) { return __builtin_bit_cast(std::uint32_t, x); }
TILENEST_INLINE constexpr std::uint64_t raw(double x) { return __builtin_bit_cast(std::uint64_t, x); }
template <class Float, class Bits> TILENEST_INLINE Float cooked(Bits b) { return __builtin_bit_cast(Float, b); }

// rule: NUM-NAN
// min and max propagate NaN; minnum and maxnum ignore it; all four put -0 below +0. Equal operands differ in
// their sign bit at most, so `or` (min) and `and` (max) of the bits pick the right zero.
#define TILENEST_EXTREMUM(Name, less, zero, ignore_nan)                                                      \
  template <ScalarType T> struct Name : Binary<T> {                                                         \
    TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) {                                               \
      if constexpr (is_integer(T)) {                                                                         \
        return a less b ? a : b;                                                                             \
      } else {                                                                                               \
        using C = Compute<T>;                                                                                \
        const C x = widen<T>(a), y = widen<T>(b);                                                            \
        const C picked = x less y ? x : y;                                                                   \
        const C ordered = x == y ? cooked<C>(raw(x) zero raw(y)) : picked;                                   \
        if constexpr (ignore_nan) {                                                                          \
          const C first = y != y ? x : ordered;                                                              \
          return narrow<T>(x != x ? y : first);                                                              \
        } else {                                                                                             \
          const C first = y != y ? y : ordered;                                                              \
          return narrow<T>(x != x ? x : first);                                                              \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  };
TILENEST_EXTREMUM(Min, <, |, false)
TILENEST_EXTREMUM(Max, >, &, false)
TILENEST_EXTREMUM(MinNum, <, |, true)
TILENEST_EXTREMUM(MaxNum, >, &, true)
#undef TILENEST_EXTREMUM

template <ScalarType T> struct Sqrt : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    if constexpr (T == ScalarType::f64) return __builtin_sqrt(a);
    else return narrow<T>(__builtin_sqrtf(widen<T>(a)));
  }
};
template <ScalarType T> struct Fma {
  using A = Storage<T>;
  using B = Storage<T>;
  using C = Storage<T>;
  using R = Storage<T>;
  static constexpr int arity = 3;
  static constexpr bool can_be_undefined = false, can_wrap = false;
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b, Storage<T> c) {
    if constexpr (T == ScalarType::f64) return __builtin_fma(a, b, c);
    else {
      // The product is exact in f64 (48 bits at most); the sum rounded to odd keeps what one rounding needs.
      const double product = static_cast<double>(widen<T>(a)) * static_cast<double>(widen<T>(b));
      return narrow<T>(add_to_odd(product, static_cast<double>(widen<T>(c))));
    }
  }
};

// Integral values: adding and taking away 2^fraction_bits rounds to even where anything is to round.
template <class Float> TILENEST_INLINE Float nearest_integral_magnitude(Float magnitude) {
  constexpr Float big = sizeof(Float) == 8 ? static_cast<Float>(4503599627370496.0) : static_cast<Float>(8388608.0f);
  const Float rounded = (magnitude + big) - big;
  return magnitude < big ? rounded : magnitude; // also infinities and NaN
}
template <class Float> TILENEST_INLINE Float with_sign_of(Float magnitude, Float x) {
  constexpr auto sign = raw(static_cast<Float>(-0.0f));
  return cooked<Float>(raw(magnitude) | (raw(x) & sign));
}
template <class Float> TILENEST_INLINE Float magnitude_of(Float x) {
  constexpr auto sign = raw(static_cast<Float>(-0.0f));
  return cooked<Float>(raw(x) & ~sign);
}
template <ScalarType T> struct RoundEven : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    const Compute<T> x = widen<T>(a);
    return narrow<T>(with_sign_of(nearest_integral_magnitude(magnitude_of(x)), x));
  }
};
template <ScalarType T> struct Trunc : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    using C = Compute<T>;
    const C x = widen<T>(a), m = magnitude_of(x), r = nearest_integral_magnitude(m);
    return narrow<T>(with_sign_of(r > m ? r - C{1} : r, x));
  }
};
template <ScalarType T> struct Floor : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    using C = Compute<T>;
    const C x = widen<T>(a), r = with_sign_of(nearest_integral_magnitude(magnitude_of(x)), x);
    return narrow<T>(with_sign_of(magnitude_of(r > x ? r - C{1} : r), x));
  }
};
template <ScalarType T> struct Ceil : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    using C = Compute<T>;
    const C x = widen<T>(a), r = with_sign_of(nearest_integral_magnitude(magnitude_of(x)), x);
    return narrow<T>(with_sign_of(magnitude_of(r < x ? r + C{1} : r), x));
  }
};

// Comparisons of floats are IEEE's: false with a NaN, but for `ne`.
#define TILENEST_COMPARISON(Name, symbol)                                                                    \
  template <ScalarType T> struct Name : BinaryToBool<T> {                                                   \
    TILENEST_OP std::uint8_t apply(Storage<T> a, Storage<T> b) { return widen<T>(a) symbol widen<T>(b); }    \
  };
TILENEST_COMPARISON(Eq, ==)
TILENEST_COMPARISON(Ne, !=)
TILENEST_COMPARISON(Lt, <)
TILENEST_COMPARISON(Le, <=)
TILENEST_COMPARISON(Gt, >)
TILENEST_COMPARISON(Ge, >=)
#undef TILENEST_COMPARISON
template <ScalarType T> struct IsNan : UnaryToBool<T> {
  TILENEST_OP std::uint8_t apply(Storage<T> a) {
    const Compute<T> x = widen<T>(a);
    return x != x;
  }
};
template <ScalarType T> struct IsInf : UnaryToBool<T> {
  TILENEST_OP std::uint8_t apply(Storage<T> a) {
    return magnitude_of(widen<T>(a)) == static_cast<Compute<T>>(__builtin_inff());
  }
};
template <ScalarType T> struct IsFinite : UnaryToBool<T> {
  TILENEST_OP std::uint8_t apply(Storage<T> a) {
    return magnitude_of(widen<T>(a)) < static_cast<Compute<T>>(__builtin_inff());
  }
};

#define TILENEST_BIT_OP(Name, symbol)                                                                        \
  template <ScalarType T> struct Name : Binary<T> {                                                         \
    TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> b) { return static_cast<Storage<T>>(a symbol b); } \
  };
TILENEST_BIT_OP(BitAnd, &)
TILENEST_BIT_OP(BitOr, |)
TILENEST_BIT_OP(BitXor, ^)
#undef TILENEST_BIT_OP
template <ScalarType T> struct BitNot : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    if constexpr (T == ScalarType::boolean) return a == 0;
    else return static_cast<Storage<T>>(~a);
  }
};
template <ScalarType T> struct Shift : Binary<T> {
  static constexpr bool can_be_undefined = true;
  TILENEST_OP bool undefined(Storage<T>, Storage<T> n) {
    return static_cast<Unsigned<T>>(n) >= static_cast<Unsigned<T>>(bit_width(T)); // negative counts too
  }
  TILENEST_OP Storage<T> count(Storage<T> n) { return static_cast<Storage<T>>(n & (bit_width(T) - 1)); }
};
template <ScalarType T> struct Shl : Shift<T> {
  static constexpr bool can_wrap = true;
  TILENEST_OP Storage<T> shifted(Storage<T> a, Storage<T> n) {
    return static_cast<Storage<T>>(static_cast<Unsigned<T>>(a) << Shift<T>::count(n));
  }
  TILENEST_OP bool wrapped(Storage<T> a, Storage<T> n) {
    const bool defined = !Shift<T>::undefined(a, n);
    return defined & (static_cast<Storage<T>>(shifted(a, n) >> Shift<T>::count(n)) != a);
  }
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> n) {
    return Shift<T>::undefined(a, n) ? Storage<T>{0} : shifted(a, n);
  }
};
template <ScalarType T> struct Shr : Shift<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a, Storage<T> n) {
    const Storage<T> r = static_cast<Storage<T>>(a >> Shift<T>::count(n));
    return Shift<T>::undefined(a, n) ? Storage<T>{0} : r;
  }
};
template <ScalarType T> struct PopCount : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    return static_cast<Storage<T>>(__builtin_popcountll(static_cast<Unsigned<T>>(a)));
  }
};
template <ScalarType T> struct Clz : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    const std::uint64_t u = static_cast<Unsigned<T>>(a);
    return static_cast<Storage<T>>(u == 0 ? bit_width(T) : __builtin_clzll(u) - (64 - bit_width(T)));
  }
};
template <ScalarType T> struct Ctz : Unary<T> {
  TILENEST_OP Storage<T> apply(Storage<T> a) {
    const std::uint64_t u = static_cast<Unsigned<T>>(a);
    return static_cast<Storage<T>>(u == 0 ? bit_width(T) : __builtin_ctzll(u));
  }
};
// By element size: select moves bits.
template <ScalarType T> struct Select {
  using A = std::uint8_t;
  using B = Storage<T>;
  using C = Storage<T>;
  using R = Storage<T>;
  static constexpr int arity = 3;
  static constexpr bool can_be_undefined = false, can_wrap = false;
  TILENEST_OP R apply(A condition, B a, C b) { return condition ? a : b; }
};
template <ScalarType To, ScalarType From> struct Cast {
  using A = Storage<From>;
  using R = Storage<To>;
  static constexpr int arity = 1;
  static constexpr bool can_be_undefined = is_float(From) && is_integer(To);
  static constexpr bool can_wrap = is_integer(From) && is_integer(To);
  TILENEST_OP bool undefined(A a) { return !cast_defined<To, From>(a); }
  TILENEST_OP bool wrapped(A a) { return cast_wrapped<To, From>(a); }
  TILENEST_OP R apply(A a) { return convert<To, From>(a); }
};
template <ScalarType To, ScalarType From> struct CastSat {
  using A = Storage<From>;
  using R = Storage<To>;
  static constexpr int arity = 1;
  static constexpr bool can_be_undefined = false, can_wrap = false;
  TILENEST_OP R apply(A a) { return convert<To, From, true>(a); }
};

} // namespace
} // namespace tilenest::TILENEST_ISA
