// SPDX-License-Identifier: Apache-2.0
// The tables of the elementary functions, entry by entry from MPFR.
#include "semantics/numerics/elementary_tables.h"
#include <mpfr.h>

namespace tilenest {

namespace {

// An MPFR number of `bits` bits for the time of a scope.
struct Number {
  mpfr_t value;
  explicit Number(long bits) { mpfr_init2(value, bits); }
  ~Number() { mpfr_clear(value); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
};

// Takes the leading bits of `from` away from it and returns them.
double take_bits(mpfr_t from, int bits, mpfr_rnd_t rounding) {
  Number part(bits);
  mpfr_set(part.value, from, rounding);
  mpfr_sub(from, from, part.value, MPFR_RNDN); // exact: `from` is long
  return mpfr_get_d(part.value, MPFR_RNDN);
}

QuarterTurns make_quarter_turns() {
  QuarterTurns table = {};
  Number turns(600), rest(600), whole(600); // 2/pi with more bits than the largest exponent moves out
  mpfr_const_pi(turns.value, MPFR_RNDN);
  mpfr_ui_div(turns.value, 2, turns.value, MPFR_RNDN);
  for (int i = 0; i < 149 + 128; ++i) {
    const int exponent = i - 149 - 23; // x is an integer below 2^24 times 2^exponent
    mpfr_mul_2si(rest.value, turns.value, exponent - 2, MPFR_RNDN);
    mpfr_frac(rest.value, rest.value, MPFR_RNDZ);
    mpfr_mul_2si(rest.value, rest.value, 2 - exponent, MPFR_RNDN);
    table.part[0][i] = take_bits(rest.value, 29, MPFR_RNDZ);
    table.part[1][i] = take_bits(rest.value, 29, MPFR_RNDZ);
    table.part[2][i] = take_bits(rest.value, 53, MPFR_RNDN);
  }
  return table;
}

// The derivative of erf, (2 / sqrt(pi)) e^(-c^2).
void erf_slope(mpfr_t r, const mpfr_t c, const mpfr_t root_pi) {
  mpfr_sqr(r, c, MPFR_RNDN);
  mpfr_neg(r, r, MPFR_RNDN);
  mpfr_exp(r, r, MPFR_RNDN);
  mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
  mpfr_div(r, r, root_pi, MPFR_RNDN);
}

ErfPoints make_erf_points() {
  ErfPoints table = {};
  Number c(53), r(200), root(200);
  mpfr_const_pi(root.value, MPFR_RNDN);
  mpfr_sqrt(root.value, root.value, MPFR_RNDN);
  for (int i = 0; i <= 128; ++i) {
    mpfr_set_d(c.value, i / 32.0, MPFR_RNDN);
    mpfr_erf(r.value, c.value, MPFR_RNDN);
    table.value[i] = mpfr_get_d(r.value, MPFR_RNDN);
    erf_slope(r.value, c.value, root.value);
    table.slope[i] = mpfr_get_d(r.value, MPFR_RNDN);
  }
  return table;
}

Pair pair_of(mpfr_t value) {
  Number rest(300);
  mpfr_set(rest.value, value, MPFR_RNDN);
  const double high = take_bits(rest.value, 53, MPFR_RNDN);
  return {high, mpfr_get_d(rest.value, MPFR_RNDN)};
}
Pair quotient(unsigned long a, unsigned long b) {
  Number q(200);
  mpfr_set_ui(q.value, a, MPFR_RNDN);
  mpfr_div_ui(q.value, q.value, b, MPFR_RNDN);
  return pair_of(q.value);
}

F64Tables make_f64_tables() {
  F64Tables t = {};
  Number x(200), r(200), ln2(200), root_pi(200);
  mpfr_const_log2(ln2.value, MPFR_RNDN);
  t.ln2 = pair_of(ln2.value);
  mpfr_ui_div(r.value, 1, ln2.value, MPFR_RNDN);
  t.log2_e = pair_of(r.value);
  mpfr_div_2ui(r.value, ln2.value, 6, MPFR_RNDN);
  t.ln2_64[0] = take_bits(r.value, 34, MPFR_RNDZ);
  t.ln2_64[1] = take_bits(r.value, 34, MPFR_RNDZ);
  t.ln2_64[2] = take_bits(r.value, 53, MPFR_RNDN);
  mpfr_const_pi(r.value, MPFR_RNDN);
  mpfr_sqrt(root_pi.value, r.value, MPFR_RNDN);
  mpfr_div_2ui(r.value, r.value, 1, MPFR_RNDN);
  t.half_pi = pair_of(r.value);
  t.sixth = quotient(1, 6);
  t.third = quotient(1, 3);
  t.twenty_fourth = quotient(1, 24);

  Number bits(1400);
  mpfr_const_pi(bits.value, MPFR_RNDN);
  mpfr_ui_div(bits.value, 2, bits.value, MPFR_RNDN);
  for (std::uint64_t &word : t.two_over_pi) { // the first is the part above the point: none
    word = mpfr_get_ui(bits.value, MPFR_RNDZ);
    mpfr_frac(bits.value, bits.value, MPFR_RNDZ);
    mpfr_mul_2ui(bits.value, bits.value, 64, MPFR_RNDN);
  }

  for (int i = 0; i < 64; ++i) {
    mpfr_set_d(x.value, i / 64.0, MPFR_RNDN);
    mpfr_exp2(r.value, x.value, MPFR_RNDN);
    t.power[i] = pair_of(r.value);
  }
  for (int j = 90; j <= 182; ++j) {
    t.reciprocal[j] = 128.0 / j;
    mpfr_set_d(x.value, t.reciprocal[j], MPFR_RNDN);
    mpfr_log(r.value, x.value, MPFR_RNDN);
    mpfr_neg(r.value, r.value, MPFR_RNDN);
    t.log_of[j] = pair_of(r.value);
  }
  for (int i = 0; i < 52; ++i) {
    mpfr_set_d(x.value, i / 64.0, MPFR_RNDN);
    mpfr_sin(r.value, x.value, MPFR_RNDN);
    t.sine[i] = pair_of(r.value);
    mpfr_cos(r.value, x.value, MPFR_RNDN);
    t.cosine[i] = pair_of(r.value);
  }
  for (int i = 0; i <= 384; ++i) {
    mpfr_set_d(x.value, i / 64.0, MPFR_RNDN);
    mpfr_erf(r.value, x.value, MPFR_RNDN);
    t.erf[i] = pair_of(r.value);
    erf_slope(r.value, x.value, root_pi.value);
    t.erf_slope[i] = pair_of(r.value);
  }
  return t;
}

} // namespace

const F64Tables &f64_tables() {
  static const F64Tables tables = make_f64_tables();
  return tables;
}

const QuarterTurns &quarter_turns() {
  static const QuarterTurns table = make_quarter_turns();
  return table;
}

const ErfPoints &erf_points() {
  static const ErfPoints table = make_erf_points();
  return table;
}

} // namespace tilenest
