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

ErfPoints make_erf_points() {
  ErfPoints table = {};
  Number c(53), r(200), root(200);
  mpfr_const_pi(root.value, MPFR_RNDN);
  mpfr_sqrt(root.value, root.value, MPFR_RNDN);
  for (int i = 0; i <= 128; ++i) {
    mpfr_set_d(c.value, i / 32.0, MPFR_RNDN);
    mpfr_erf(r.value, c.value, MPFR_RNDN);
    table.value[i] = mpfr_get_d(r.value, MPFR_RNDN);
    mpfr_sqr(r.value, c.value, MPFR_RNDN);
    mpfr_neg(r.value, r.value, MPFR_RNDN);
    mpfr_exp(r.value, r.value, MPFR_RNDN);
    mpfr_mul_2ui(r.value, r.value, 1, MPFR_RNDN);
    mpfr_div(r.value, r.value, root.value, MPFR_RNDN);
    table.slope[i] = mpfr_get_d(r.value, MPFR_RNDN);
  }
  return table;
}

} // namespace

const QuarterTurns &quarter_turns() {
  static const QuarterTurns table = make_quarter_turns();
  return table;
}

const ErfPoints &erf_points() {
  static const ErfPoints table = make_erf_points();
  return table;
}

} // namespace tilenest
