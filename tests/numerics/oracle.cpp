// SPDX-License-Identifier: Apache-2.0
// Exact numbers and their rounding on 128-bit integers; MPFR for irrational results.
#include "oracle.h"
#include <cstring>
#include <mpfr.h>

namespace oracle {

namespace {

// MPFR keeps constants and numbers for each thread; a leak checker would count them.
struct Caches {
  ~Caches() { mpfr_free_cache(); }
};
thread_local const Caches caches;

struct Layout {
  int exponent_bits, fraction_bits;
  bool infinities;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

Layout layout_of(ScalarType type) {
  switch (type) {
  case ScalarType::f16: return {5, 10, true};
  case ScalarType::bf16: return {8, 7, true};
  case ScalarType::f32: return {8, 23, true};
  case ScalarType::f64: return {11, 52, true};
  case ScalarType::f8e5m2: return {5, 2, true};
  default: return {4, 3, false};
  }
}

// 2^k as an integer.
u128 power(int k) { return u128{1} << k; }
int bit_length(u128 x) {
  int n = 0;
  for (; x != 0; x >>= 1) ++n;
  return n;
}

// A finite MPFR number as magnitude, exponent, sticky.
Number from_mpfr(const mpfr_t x, bool inexact) {
  Number n;
  n.negative = mpfr_signbit(x) != 0;
  if (mpfr_nan_p(x)) n.kind = Number::nan;
  else if (mpfr_inf_p(x)) n.kind = Number::infinite;
  else if (mpfr_zero_p(x) == 0) {
    mpz_t z, top, rest;
    mpz_inits(z, top, rest, nullptr);
    n.exponent = static_cast<int>(mpfr_get_z_2exp(z, x));
    mpz_abs(z, z);
    const int length = static_cast<int>(mpz_sizeinbase(z, 2)), drop = length > 120 ? length - 120 : 0;
    n.sticky = inexact || (drop != 0 && mpz_divisible_2exp_p(z, static_cast<mp_bitcnt_t>(drop)) == 0);
    mpz_tdiv_q_2exp(top, z, static_cast<mp_bitcnt_t>(drop));
    n.exponent += drop;
    mpz_tdiv_q_2exp(rest, top, 60);
    mpz_tdiv_r_2exp(top, top, 60);
    n.magnitude = u128{mpz_get_ui(rest)} << 60 | mpz_get_ui(top);
    mpz_clears(z, top, rest, nullptr);
  }
  return n;
}

void to_mpfr(mpfr_t x, ScalarType type, std::uint64_t bits) {
  const Number n = number_of(type, bits);
  if (n.kind == Number::nan) mpfr_set_nan(x);
  else if (n.kind == Number::infinite) mpfr_set_inf(x, 1);
  else mpfr_set_ui_2exp(x, static_cast<unsigned long>(n.magnitude), n.exponent, MPFR_RNDN);
  if (n.negative) mpfr_neg(x, x, MPFR_RNDN);
}

} // namespace

Number number_of(ScalarType type, std::uint64_t bits) {
  Number n;
  if (!is_float(type)) {
    const int width = bit_width(type);
    if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
    n.magnitude = bits;
    if (is_signed(type) && (bits >> (width - 1) & 1) != 0) {
      n.negative = true;
      n.magnitude = power(width) - bits;
    }
    return n;
  }
  const Layout l = layout_of(type);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << l.fraction_bits) - 1);
  const int exponent = static_cast<int>(bits >> l.fraction_bits) & ((1 << l.exponent_bits) - 1);
  const int top = (1 << l.exponent_bits) - 1;
  n.negative = (bits >> (l.exponent_bits + l.fraction_bits) & 1) != 0;
  if (l.infinities && exponent == top) {
    n.kind = fraction == 0 ? Number::infinite : Number::nan;
  } else if (!l.infinities && exponent == top && fraction + 1 == std::uint64_t{1} << l.fraction_bits) {
    n.kind = Number::nan;
  } else if (exponent == 0) {
    n.magnitude = fraction;
    n.exponent = 1 - l.bias() - l.fraction_bits;
  } else {
    n.magnitude = fraction + (std::uint64_t{1} << l.fraction_bits);
    n.exponent = exponent - l.bias() - l.fraction_bits;
  }
  return n;
}

Number number_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return number_of(ScalarType::f64, bits);
}

std::uint64_t round_to(ScalarType type, Number n, bool saturate) {
  const Layout l = layout_of(type);
  const std::uint64_t sign = std::uint64_t{n.negative} << (l.exponent_bits + l.fraction_bits);
  const std::uint64_t infinity = ((std::uint64_t{1} << l.exponent_bits) - 1) << l.fraction_bits;
  const std::uint64_t not_a_number =
      l.infinities ? infinity | std::uint64_t{1} << (l.fraction_bits - 1)
                   : (std::uint64_t{1} << (l.exponent_bits + l.fraction_bits)) - 1;
  const std::uint64_t largest = l.infinities ? infinity - 1 : not_a_number - 1;
  const std::uint64_t beyond = saturate ? largest : l.infinities ? infinity : not_a_number;
  if (n.kind == Number::nan) return not_a_number;
  if (n.kind == Number::infinite) return sign | beyond;
  if (n.magnitude == 0 && !n.sticky) return sign;
  // The unit in the last place: that of the value's own binade, not below the least subnormal.
  const int least = 1 - l.bias() - l.fraction_bits;
  int unit = n.exponent + bit_length(n.magnitude) - 1 - l.fraction_bits;
  if (unit < least) unit = least;
  const int drop = unit - n.exponent; // this many bits go
  u128 kept = n.magnitude;
  if (drop > 0) {
    const u128 rest = drop >= 127 ? n.magnitude : n.magnitude & (power(drop) - 1);
    kept = drop >= 127 ? 0 : n.magnitude >> drop;
    const u128 half = drop > 127 ? 0 : power(drop - 1);
    const bool above = drop <= 127 && (rest > half || (rest == half && n.sticky));
    const bool tie = drop <= 127 && rest == half && !n.sticky;
    if (above || (tie && (kept & 1) != 0)) ++kept;
  } else {
    kept <<= -drop; // exact: fewer bits than the precision (callers keep sticky numbers long)
  }
  // kept * 2^unit, kept <= 2^(fraction_bits + 1).
  if (kept == power(l.fraction_bits + 1)) {
    kept >>= 1;
    ++unit;
  }
  if (kept < power(l.fraction_bits)) return sign | static_cast<std::uint64_t>(kept); // zero or subnormal
  const std::int64_t exponent = unit + l.fraction_bits + l.bias();
  const std::int64_t top = (1 << l.exponent_bits) - 1;
  if (exponent > top) return sign | beyond;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(exponent) << l.fraction_bits |
                                  static_cast<std::uint64_t>(kept - power(l.fraction_bits));
  return sign | (magnitude > largest ? beyond : magnitude);
}

std::uint64_t apply(Primitive primitive, ScalarType type, const std::vector<std::uint64_t> &operands) {
  [[maybe_unused]] const Caches *of_this_thread = &caches; // a mention makes it
  mpfr_t x, y, z, r;
  mpfr_inits2(64, x, y, z, static_cast<mpfr_ptr>(nullptr));
  // Any length beyond 53 bits serves; that of the elementary functions decides what the tests cost.
  mpfr_init2(r, primitive >= Primitive::exp && primitive <= Primitive::pow ? 64 : 240);
  to_mpfr(x, type, operands[0]);
  if (operands.size() > 1) to_mpfr(y, type, operands[1]);
  if (operands.size() > 2) to_mpfr(z, type, operands[2]);
  // Truncation and its flag keep everything that one later rounding needs; a sum of zeros has the sign that
  // rounding to nearest gives.
  constexpr mpfr_rnd_t down = MPFR_RNDZ;
  int inexact = 0;
  switch (primitive) {
  case Primitive::add: inexact = mpfr_add(r, x, y, down); break;
  case Primitive::sub: inexact = mpfr_sub(r, x, y, down); break;
  case Primitive::mul: inexact = mpfr_mul(r, x, y, down); break;
  case Primitive::div: inexact = mpfr_div(r, x, y, down); break;
  case Primitive::sqrt: inexact = mpfr_sqrt(r, x, down); break;
  case Primitive::fma: inexact = mpfr_fma(r, x, y, z, down); break;
  case Primitive::exp: inexact = mpfr_exp(r, x, down); break;
  case Primitive::exp2: inexact = mpfr_exp2(r, x, down); break;
  case Primitive::expm1: inexact = mpfr_expm1(r, x, down); break;
  case Primitive::log: inexact = mpfr_log(r, x, down); break;
  case Primitive::log2: inexact = mpfr_log2(r, x, down); break;
  case Primitive::log1p: inexact = mpfr_log1p(r, x, down); break;
  case Primitive::sin: inexact = mpfr_sin(r, x, down); break;
  case Primitive::cos: inexact = mpfr_cos(r, x, down); break;
  case Primitive::tan: inexact = mpfr_tan(r, x, down); break;
  case Primitive::tanh: inexact = mpfr_tanh(r, x, down); break;
  case Primitive::sinh: inexact = mpfr_sinh(r, x, down); break;
  case Primitive::cosh: inexact = mpfr_cosh(r, x, down); break;
  case Primitive::erf: inexact = mpfr_erf(r, x, down); break;
  case Primitive::pow: inexact = mpfr_pow(r, x, y, down); break;
  case Primitive::rsqrt:
    if (mpfr_zero_p(x) != 0) mpfr_set_inf(r, mpfr_signbit(x) != 0 ? -1 : 1); // IEEE 754-2019, 9.2.1
    else inexact = mpfr_rec_sqrt(r, x, down);
    break;
  default: mpfr_set_nan(r); break;
  }
  const std::uint64_t result = round_to(type, from_mpfr(r, inexact != 0));
  mpfr_clears(x, y, z, r, static_cast<mpfr_ptr>(nullptr));
  return result;
}

// NUM-RN, NUM-INT, NUM-FP8 from the prose, on exact numbers.
Cast cast(ScalarType from, std::uint64_t bits, ScalarType to, bool saturate) {
  const Number n = number_of(from, bits);
  if (to == ScalarType::boolean) return {n.kind != Number::finite || n.magnitude != 0};
  if (is_float(to)) {
    if (from == to && !saturate) return {bits};
    return {round_to(to, n, saturate)};
  }
  // Integers: truncate, then fit, saturate or wrap.
  const int width = bit_width(to);
  const u128 one = 1;
  const u128 most = is_signed(to) ? (one << (width - 1)) - 1 : (one << width) - 1;
  const u128 most_negative = is_signed(to) ? one << (width - 1) : u128{0};
  const std::uint64_t mask = static_cast<std::uint64_t>((one << width) - 1);
  if (n.kind == Number::nan) return {0, !saturate};
  u128 magnitude = n.magnitude;
  bool huge = n.kind == Number::infinite;
  if (!huge && n.exponent < 0) magnitude = n.exponent < -127 ? 0 : magnitude >> -n.exponent;
  if (!huge && n.exponent > 0) {
    huge = magnitude != 0 && n.exponent > 64;
    if (!huge) magnitude <<= n.exponent; // at most 53 + 64 bits
  }
  const u128 limit = n.negative ? most_negative : most;
  const bool fits = !huge && magnitude <= limit;
  Cast e;
  if (!fits && saturate) magnitude = limit;
  else if (!fits && is_float(from)) return {0, true};
  e.wrapped = !fits && !saturate;
  const std::uint64_t low = static_cast<std::uint64_t>(magnitude);
  e.bits = (n.negative ? 0 - low : low) & mask;
  return e;
}

bool is_nan(ScalarType type, std::uint64_t bits) {
  return is_float(type) && number_of(type, bits).kind == Number::nan;
}
bool same(ScalarType type, std::uint64_t a, std::uint64_t b) { return a == b || (is_nan(type, a) && is_nan(type, b)); }

const std::vector<ScalarType> &all_types() {
  static const std::vector<ScalarType> types = {
#define TYPE(name, text, bits, kind) ScalarType::name,
      TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
  };
  return types;
}
const std::vector<ScalarType> &float_types() {
  static const std::vector<ScalarType> types = {ScalarType::f8e4m3fn, ScalarType::f8e5m2, ScalarType::f16,
                                                ScalarType::bf16,     ScalarType::f32,    ScalarType::f64};
  return types;
}
const std::vector<ScalarType> &integer_types() {
  static const std::vector<ScalarType> types = {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64,
                                                ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64};
  return types;
}

std::uint64_t random_element(ScalarType type, Random &random) {
  const std::uint64_t pick = random();
  if (type == ScalarType::boolean) return pick & 1;
  const std::uint64_t mask = bit_width(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type)) - 1;
  std::uint64_t bits = random();
  if (pick % 3 == 0) {
    // Few significant bits beside 0, all ones or the sign bit: small integers, extremes, infinities, NaN.
    bits = (pick >> 8 & 1 ? ~std::uint64_t{0} : 0) ^ (pick >> 9 & 1 ? std::uint64_t{1} << (bit_width(type) - 1) : 0);
    bits ^= random() & 7;
  } else if (is_float(type) && pick % 3 == 1) {
    // An exponent near 1, so that operands meet.
    const Layout l = layout_of(type);
    const std::uint64_t exponent = static_cast<std::uint64_t>(l.bias()) + (pick >> 16) % 7 - 3;
    bits &= ~(((std::uint64_t{1} << l.exponent_bits) - 1) << l.fraction_bits);
    bits |= exponent << l.fraction_bits;
  }
  return bits & mask;
}

} // namespace oracle
