// SPDX-License-Identifier: Apache-2.0
// exp, exp2, the logarithms, erf and rsqrt in f32; what would lose bits there in f64. Coefficients are fits in Chebyshev
// points, rounded one after the other (docs/elementary.md).
#include "lower/elementary.h"
#include "lower/lower.h"
#include <bit>
#include <cmath>

namespace tilenest::lowering {

namespace {

using plan::Reg;

// A register with operators: all lanes of one type.
class Num {
public:
  Num(plan::Builder &builder, Reg r) : b(&builder), reg(r) {}
  plan::Builder *b;
  Reg reg;

  plan::Type type() const { return b->type(reg); }
  // The constant of this type and as many lanes.
  Num operator()(double value) const {
    const ScalarType t = type().elem;
    const std::uint64_t bits = t == ScalarType::f64 ? std::bit_cast<std::uint64_t>(value) : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return {*b, b->constant(type(), bits)};
  }
  Num whole(std::int64_t value) const { return {*b, b->constant(type(), static_cast<std::uint64_t>(value))}; }
  Num prim(Primitive p, std::initializer_list<Num> more = {}) const {
    plan::Regs operands{reg};
    for (const Num &n : more) operands.push_back(n.reg);
    return {*b, b->prim(p, std::move(operands))};
  }
  Num as(ScalarType t) const { return {*b, b->prim(Primitive::bitcast, {reg}, t)}; } // the same bits
  Num to(ScalarType t) const { return {*b, b->cast(reg, t)}; }

  friend Num operator+(Num x, Num y) { return x.prim(Primitive::add, {y}); }
  friend Num operator-(Num x, Num y) { return x.prim(Primitive::sub, {y}); }
  friend Num operator*(Num x, Num y) { return x.prim(Primitive::mul, {y}); }
  friend Num operator/(Num x, Num y) { return x.prim(Primitive::div, {y}); }
  friend Num operator-(Num x) { return x.prim(Primitive::neg); }
  friend Num operator<(Num x, Num y) { return x.prim(Primitive::lt, {y}); }
  friend Num operator>(Num x, Num y) { return x.prim(Primitive::gt, {y}); }
  friend Num operator==(Num x, Num y) { return x.prim(Primitive::eq, {y}); }
  friend Num operator&(Num x, Num y) { return x.prim(Primitive::bit_and, {y}); }
};
Num fma(Num x, Num y, Num z) { return x.prim(Primitive::fma, {y, z}); }
Num select(Num condition, Num yes, Num no) { return condition.prim(Primitive::select, {yes, no}); }
Num abs(Num x) { return x.prim(Primitive::abs); }
Num with_sign_of(Num x, Num sign) { return x.prim(Primitive::copysign, {sign}); }
Num at_most(Num x, double limit) { return select(x > x(limit), x(limit), x); } // keeps NaN
Num at_least(Num x, double limit) { return select(x < x(limit), x(limit), x); }

// c[0] + x (c[1] + x (...)).
Num series(Num x, std::initializer_list<double> c) {
  const double *at = c.end();
  Num sum = x(*--at);
  while (at != c.begin()) sum = fma(sum, x, x(*--at));
  return sum;
}

constexpr double infinite = __builtin_inf(), not_a_number = __builtin_nan("");
constexpr double grid32 = 0x1.8p23, grid64 = 0x1.8p52; // adding one rounds to a whole number, in the low bits
constexpr double ln2 = 0x1.62e42fefa39efp-1, log2_e = 0x1.71547652b82fep+0;
constexpr std::int64_t grid32_bits = 0x4b400000, grid64_bits = 0x4338000000000000;

// --- f32 ---

Num power32(Num k) { return (k + k.whole(127)).prim(Primitive::shl, {k.whole(23)}).as(ScalarType::f32); } // 2^k, normal
// 2^k times x in two steps, so that the result may be subnormal or infinite; k at most 250 from 0.
Num times_power(Num x, Num k) {
  const Num half = k.prim(Primitive::shr, {k.whole(1)});
  return x * power32(half) * power32(k - half);
}

// e^x = 2^k (1 + rest) of |x| <= 150.
struct Exponential32 {
  Num k, rest; // i32; f32
};
Exponential32 exponential32(Num x) {
  const Num sum = fma(x, x(log2_e), x(grid32)), k = sum - x(grid32), bits = sum.as(ScalarType::i32);
  Num r = fma(-k, x(0x1.62e400p-1), x); // exact: 15 bits times 8
  r = fma(-k, x(0x1.7f7d1cp-20), r);
  const Num tail = series(r, {0x1p-1, 0x1.555556p-3, 0x1.5555p-5, 0x1.110fc8p-7, 0x1.6d30b6p-10, 0x1.a2cadap-13});
  return {bits - bits.whole(grid32_bits), fma(r * r, tail, r)};
}
Num exp32(Num x) {
  const Exponential32 e = exponential32(at_least(at_most(x, 89), -105));
  return times_power(e.rest + x(1), e.k);
}

Num exp2_32(Num x) {
  const Num clamped = at_least(at_most(x, 129), -151);
  const Num sum = clamped + x(grid32), r = clamped - (sum - x(grid32));
  const Num tail = series(r, {0x1.62e43p-1, 0x1.ebfbep-3, 0x1.c6b06cp-5, 0x1.3b2a54p-7, 0x1.5da97cp-10, 0x1.44175ep-13, 0x1.da62dcp-17});
  return times_power(fma(r, tail, x(1)), sum.as(ScalarType::i32) - sum.as(ScalarType::i32).whole(grid32_bits));
}

// u = 2^exponent (1 + f) with 1 + f in [2/3, 4/3).
struct Scaled {
  Num exponent, f; // f32
  Num field;       // the exponent in its place, i32
};
Num field_of(Num u) {
  const Num bits = u.as(ScalarType::i32);
  return (bits - bits.whole(0x3f2aaaab)) & bits.whole(static_cast<std::int64_t>(0xff800000));
}
Scaled scaled(Num u) {
  const Num subnormal = u < u(0x1p-126), normal = select(subnormal, u * u(0x1p23), u), field = field_of(normal);
  const Num exponent = field.prim(Primitive::shr, {field.whole(23)}).to(ScalarType::f32);
  return {select(subnormal, exponent - u(23), exponent), (normal.as(ScalarType::i32) - field).as(ScalarType::f32) - u(1), field};
}
// (log(1 + f) - f) / f^2
Num log_tail(Num f) {
  return series(f, {-0x1p-1, 0x1.555556p-2, -0x1.ffff62p-3, 0x1.99984p-3, -0x1.5589d6p-3, 0x1.24de42p-3, -0x1.f535eep-4, 0x1.ba72d2p-4, -0x1.036792p-3,
                    0x1.e45cfep-4});
}
// exponent ln 2 + log(1 + f), and something small; the sum of the large parts keeps what it rounds off.
Num log_sum(Num exponent, Num f, std::optional<Num> small = std::nullopt) {
  const Num large = exponent * f(0x1.62e400p-1), high = large + f, low = f - (high - large);
  const Num least = exponent * f(0x1.7f7d1cp-20);
  return high + (low + fma(f * f, log_tail(f), small ? least + *small : least));
}
// `value` where x > pole, the logarithm's others elsewhere.
Num log_at(Num x, double pole, Num value) {
  const Num outside = select(x == x(pole), x(-infinite), x(not_a_number));
  return select(x > x(pole), select(x < x(infinite), value, x), outside);
}
Num log32(Num x) {
  const Scaled u = scaled(x);
  return log_at(x, 0, log_sum(u.exponent, u.f));
}
Num log2_32(Num x) {
  const Scaled u = scaled(x);
  const Num high = fma(u.f, x(0x1.715476p+0), u.exponent), low = fma(u.f, x(0x1.715476p+0), -(high - u.exponent));
  // f^2 tail, with what its two products round off.
  const Num tail = log_tail(u.f), square = u.f * u.f, product = square * tail;
  const Num lost = fma(fma(u.f, u.f, -square), tail, fma(square, tail, -product));
  const Num rest = fma(product, x(log2_e), fma(lost, x(log2_e), u.f * x(log2_e - 0x1.715476p+0)));
  return log_at(x, 0, high + (low + rest));
}
Num log1p_32(Num x) {
  const Num field = field_of(x + x(1));
  const Num power = (field.whole(0x3f800000) - field).as(ScalarType::f32); // 2^-exponent
  const Num far = (x.as(ScalarType::i32) - field).as(ScalarType::f32) - x(1); // where 1 + x is x
  const Num near = fma(power, x, power - x(1)), lost = fma(power, x, (power - x(1)) - near);
  const Num f = select(x > x(0x1p30), far, near);
  const Num exponent = field.prim(Primitive::shr, {field.whole(23)}).to(ScalarType::f32);
  const Num correction = select(x > x(0x1p30), x(0), fma(lost, fma(f, f, -f), lost)); // lost / (1 + f)
  return with_sign_of(log_at(x, -1, log_sum(exponent, f, correction)), x);
}

Num erf32(Num x) {
  const Num a = at_most(abs(x), 4); // erf(4) rounds to 1
  // erf(a) / a - 1, with what the square rounds off.
  const Num square = a * a, rest = series(square, {-0x1.812744p-2, 0x1.ce2eap-4, -0x1.b821eap-6, 0x1.55dd58p-8, -0x1.b9abeep-11, 0x1.c7edbcp-14, -0x1.215ecep-17});
  const Num near = fma(square, rest, fma(fma(a, a, -square), rest, x(0x1.06eba8p-3)));
  const Num log_erfc = series(a, {0x1.2db56p-12, -0x1.214d6cp+0, -0x1.43a338p-1, -0x1.c1ae76p-4, 0x1.adccdap-6, -0x1.330ddap-8, 0x1.2f9ddp-11, -0x1.6ed904p-15, 0x1.94c422p-20});
  const Exponential32 erfc = exponential32(log_erfc);
  const Num power = power32(erfc.k), far = fma(-power, erfc.rest, x(1) - power);
  return with_sign_of(select(a < x(0.9375), fma(a, near, a), far), x);
}

Num rsqrt32(Num x) {
  const Num small = x < x(0x1p-64), u = select(small, x * x(0x1p64), x); // residues need room
  const Num s = u.prim(Primitive::sqrt), y = u(1) / s;
  // One Newton step from the residues of both roundings.
  const Num of_root = fma(-s, s, u), of_quotient = fma(-s, y, u(1));
  const Num better = fma(y, fma(u(-0.5) * of_root * y, y, of_quotient), y);
  const Num result = select((s > u(0)) & (s < u(infinite)), better, y);
  return select(small, result * u(0x1p32), result);
}

// --- f64 ---

// e^x = scale (1 + rest) of |x| <= 700.
struct Exponential {
  Num scale, rest;
};
Exponential exponential(Num x) {
  const Num sum = fma(x, x(log2_e), x(grid64)), k = sum - x(grid64), r = fma(-k, x(ln2), x);
  const Num bits = sum.as(ScalarType::i64);
  const Num power = (bits + bits.whole(1023 - grid64_bits)).prim(Primitive::shl, {bits.whole(52)}).as(ScalarType::f64);
  const Num tail = series(r, {0x1.fffffffff60adp-1, 0x1.fffffffff70a4p-2, 0x1.5555557eb21efp-3, 0x1.5555557459366p-5, 0x1.1110a5b22822fp-7,
                              0x1.6c164d7bf3227p-10, 0x1.a17eaca6dd5a3p-13, 0x1.a15af605bc2a5p-16});
  return {power, r * tail};
}
Num minus_one(Exponential e) { return fma(e.scale, e.rest, e.scale - e.scale(1)); }

Num expm1_64(Num x) { return with_sign_of(minus_one(exponential(at_least(at_most(x, 90), -105))), x); }
Num sinh64(Num x) {
  const Num m = minus_one(exponential(at_most(abs(x), 91)));
  return with_sign_of((m + m / (m + x(1))) * x(0.5), x);
}
Num cosh64(Num x) {
  const Exponential e = exponential(at_most(abs(x), 91));
  const Num whole = fma(e.scale, e.rest, e.scale);
  return (whole + x(1) / whole) * x(0.5);
}
Num tanh64(Num x) {
  const Num m = minus_one(exponential(at_most(abs(x) * x(2), 60)));
  return with_sign_of(m / (m + x(2)), x);
}

// x = (quarters + r / (pi/2)) pi/2 of |x| < 2^20; sine and cosine of r.
struct Turned {
  Num quarters, sine, cosine; // i64; f64
};
Turned turned(Num x) {
  const Num sum = fma(x, x(0x1.45f306dc9c883p-1), x(grid64)), k = sum - x(grid64);
  const Num r = fma(-k, x(0x1.1a62633145c07p-54), fma(-k, x(0x1.921fb54442d18p+0), x)), z = r * r;
  const Num sine = series(z, {-0x1.555555545e16dp-3, 0x1.11110def2562bp-7, -0x1.a013a7691c320p-13, 0x1.6dbdf3bedb5f2p-19});
  const Num cosine = series(z, {-0x1.fffffffffe696p-2, 0x1.555555514f310p-5, -0x1.6c16bae57e64ap-10, 0x1.a0129873af8bep-16, -0x1.2474c7adec1c1p-22});
  return {sum.as(ScalarType::i64), r * fma(z, sine, x(1)), fma(z, cosine, x(1))};
}
Num odd(Num quarters) { return (quarters & quarters.whole(1)) == quarters.whole(1); }
Num flipped(Num x, Num by) { // the sign, where bit 63 of `by` is set
  return x.as(ScalarType::i64).prim(Primitive::bit_xor, {by & by.whole(std::int64_t{1} << 63)}).as(ScalarType::f64);
}
Num sine_of(Turned t) { return flipped(select(odd(t.quarters), t.cosine, t.sine), t.quarters.prim(Primitive::shl, {t.quarters.whole(62)})); }
Num sin64(Num x) { return sine_of(turned(x)); }
Num cos64(Num x) {
  Turned t = turned(x);
  t.quarters = t.quarters + t.quarters.whole(1);
  return sine_of(t);
}
Num tan64(Num x) {
  const Turned t = turned(x);
  const Num swapped = odd(t.quarters);
  const Num quotient = select(swapped, t.cosine, t.sine) / select(swapped, t.sine, t.cosine);
  return flipped(quotient, t.quarters.prim(Primitive::shl, {t.quarters.whole(63)}));
}

Reg any(plan::Builder &b, Reg mask) { // a power of two of lanes
  while (b.type(mask).lanes > 1) {
    std::vector<std::uint16_t> low, high;
    for (std::uint16_t n = b.type(mask).lanes / 2, i = 0; i < n; ++i) low.push_back(i), high.push_back(static_cast<std::uint16_t>(n + i));
    mask = b.prim(Primitive::bit_or, {b.shuffle({mask}, low), b.shuffle({mask}, high)});
  }
  return mask;
}

Num through_f64(Num (*function)(Num), Num x) { return function(x.to(ScalarType::f64)).to(ScalarType::f32); }

// Far from zero the quarter turns need more digits of pi: there the primitive itself.
Num turning(Primitive primitive, Num (*function)(Num), Num x) {
  const Num far = abs(x).prim(Primitive::ge, {x(0x1p20)}) & (abs(x) < x(infinite));
  const plan::Regs result = x.b->if_else(
      any(*x.b, far.reg), [&] { return plan::Regs{x.prim(primitive).reg}; }, [&] { return plan::Regs{through_f64(function, x).reg}; });
  return {*x.b, result[0]};
}

using Function = Num (*)(Primitive, Num);
template <Num (*function)(Num)> Num in_f32(Primitive, Num x) { return function(x); }
template <Num (*function)(Num)> Num in_f64(Primitive, Num x) { return through_f64(function, x); }
template <Num (*function)(Num)> Num near_zero(Primitive primitive, Num x) { return turning(primitive, function, x); }

Function function_of(Primitive function) {
  switch (function) {
  case Primitive::exp: return in_f32<exp32>;
  case Primitive::exp2: return in_f32<exp2_32>;
  case Primitive::expm1: return in_f64<expm1_64>;
  case Primitive::log: return in_f32<log32>;
  case Primitive::log2: return in_f32<log2_32>;
  case Primitive::log1p: return in_f32<log1p_32>;
  case Primitive::sin: return near_zero<sin64>;
  case Primitive::cos: return near_zero<cos64>;
  case Primitive::tan: return near_zero<tan64>;
  case Primitive::tanh: return in_f64<tanh64>;
  case Primitive::sinh: return in_f64<sinh64>;
  case Primitive::cosh: return in_f64<cosh64>;
  case Primitive::erf: return in_f32<erf32>;
  case Primitive::rsqrt: return in_f32<rsqrt32>;
  default: return nullptr;
  }
}

} // namespace

bool has_fast_elementary(Primitive function, ScalarType type) {
  return is_float(type) && type != ScalarType::f64 && function_of(function) != nullptr;
}

std::optional<Reg> fast_elementary(plan::Builder &b, Primitive function, Reg x) {
  const ScalarType type = b.type(x).elem;
  if (!has_fast_elementary(function, type)) return std::nullopt;
  return b.cast(function_of(function)(function, Num(b, b.cast(x, ScalarType::f32))).reg, type);
}

} // namespace tilenest::lowering

namespace tilenest {

const TargetProfile &cpu_profile() {
  static const TargetProfile profile = [] {
    TargetProfile out{"cpu", {}};
    ErrorBound bound;
    bound.ulps = 1;
    for (int t = 0; t < scalar_type_count; ++t)
      for (int i = 0; i < primitive_count; ++i)
        if (lowering::has_fast_elementary(static_cast<Primitive>(i), static_cast<ScalarType>(t)))
          out.types[static_cast<ScalarType>(t)].errors[static_cast<Primitive>(i)] = {bound};
    return out;
  }();
  return profile;
}

} // namespace tilenest
