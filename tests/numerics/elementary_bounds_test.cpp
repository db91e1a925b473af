// SPDX-License-Identifier: Apache-2.0
// The error bounds that docs/elementary.md proves for the fast paths of the elementary functions, against
// MPFR at 130 bits: on the ends and insides of many small intervals, and beside the points of the tables.
#include "tests/volume.h"
#include "oracle.h"
#define TILENEST_ISA isa_bounds_test
#include "semantics/numerics/elementary_f64_turns.h"
#include "semantics/numerics/kernels/elementary_values.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <mpfr.h>

using namespace tilenest;
using namespace tilenest::isa_bounds_test;

namespace {

using Reference = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

// log2 of the largest relative error seen.
class Worst {
public:
  Worst() { mpfr_inits2(130, exact_, x_, y_, off_, static_cast<mpfr_ptr>(nullptr)); }
  ~Worst() { mpfr_clears(exact_, x_, y_, off_, static_cast<mpfr_ptr>(nullptr)); }
  Worst(const Worst &) = delete;
  Worst &operator=(const Worst &) = delete;
  void see(Reference f, double x, Pair value, int exponent) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    f(exact_, x_, MPFR_RNDN);
    compare(value, exponent);
  }
  void see_pow(double x, double y, Pair value, int exponent) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    mpfr_pow(exact_, x_, y_, MPFR_RNDN);
    compare(value, exponent);
  }
  double bits() const { return std::log2(worst_); }
  std::size_t seen() const { return seen_; }

private:
  void compare(Pair value, int exponent) {
    if (mpfr_regular_p(exact_) == 0) return;
    mpfr_set_d(off_, value.high, MPFR_RNDN);
    mpfr_add_d(off_, off_, value.low, MPFR_RNDN);
    mpfr_mul_2si(off_, off_, exponent, MPFR_RNDN);
    mpfr_sub(off_, off_, exact_, MPFR_RNDN);
    mpfr_div(off_, off_, exact_, MPFR_RNDN);
    worst_ = std::fmax(worst_, std::fabs(mpfr_get_d(off_, MPFR_RNDN)));
    ++seen_;
  }
  mpfr_t exact_, x_, y_, off_;
  double worst_ = 0x1p-130;
  std::size_t seen_ = 0;
};

// Ends and one inner point of the 64ths, 128ths and table midpoints of [-8, 8], and every size of number.
std::vector<double> arguments() {
  std::vector<double> x;
  oracle::Random random{107};
  for (int i = -1024; i <= 1024; i += i > -256 && i < 256 ? 1 : 3)
    for (const double end : {i / 128.0, i * 0.6931471805599453 / 128, i * 1.5707963267948966 / 16}) {
      x.push_back(end);
      x.push_back(std::nextafter(end, HUGE_VAL));
      x.push_back(std::nextafter(end, -HUGE_VAL));
      x.push_back(end + static_cast<double>(random() >> 11) * 0x1p-60);
    }
  for (int e = -300; e <= 1000; e += 3)
    for (const double sign : {1.0, -1.0})
      x.push_back(sign * std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53, e));
  for (int i = 0; i < 800; ++i) x.push_back((static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 1400);
  return x;
}

struct Function {
  const char *name;
  Value (*pair)(double);
  Reference exact;
};
#define UNARY(name) {#name, &f64_##name, &mpfr_##name}
const Function functions[] = {UNARY(exp),   UNARY(exp2),
                              UNARY(expm1), UNARY(log),
                              UNARY(log2),  UNARY(log1p),
                              UNARY(sin),   UNARY(cos),
                              UNARY(tan),   UNARY(tanh),
                              UNARY(sinh),  UNARY(cosh),
                              UNARY(erf),   {"rsqrt", &f64_rsqrt, &mpfr_rec_sqrt}};
#undef UNARY

bool is_beside_one(Value v) {
  return std::fabs(v.pair.high) == 1 && v.exponent == 0 && std::fabs(v.pair.low) >= 0x1p-62;
}

} // namespace

TEST_CASE("pairs stay within their proved bound", "[NUM-FUN]") {
  const std::vector<double> x = arguments();
  for (const Function &f : functions) {
    Worst worst;
    for (const double v : x) {
      const Value value = f.pair(v);
      if (!std::isnan(value.pair.high) && !is_beside_one(value))
        worst.see(f.exact, v, value.pair, value.exponent);
    }
    INFO(f.name << ": 2^" << worst.bits());
    CHECK(worst.bits() < -70);
    CHECK(worst.seen() > 3000);
  }
}

TEST_CASE("what is said to lie beside one does", "[NUM-FUN]") {
  mpfr_t exact;
  mpfr_init2(exact, 130);
  std::size_t seen = 0;
  for (const double v : arguments())
    for (const Function &f : functions) {
      const Value value = f.pair(v);
      if (!is_beside_one(value)) continue;
      ++seen;
      mpfr_set_d(exact, v, MPFR_RNDN);
      f.exact(exact, exact, MPFR_RNDN);
      if (mpfr_get_d(exact, MPFR_RNDN) != value.pair.high) FAIL_CHECK(f.name << " " << v);
    }
  CHECK(seen > 1000);
  mpfr_clear(exact);
}

TEST_CASE("pow as a pair stays within its proved bound", "[NUM-FUN]") {
  oracle::Random random{109};
  Worst worst;
  for (int i = 0; i < volume(6000); ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const int j = i % 3;
    const double x = j == 0   ? std::ldexp(1 + u, static_cast<int>(random() % 2000) - 1000)
                     : j == 1 ? 1 + (u - 0.5) * std::ldexp(1.0, -static_cast<int>(random() % 40))
                              : 0.5 + u * 2;
    const double y = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 2040 / std::log2(x);
    const Value value = f64_pow(x, y);
    if (!std::isnan(value.pair.high) && !is_beside_one(value))
      worst.see_pow(x, y, value.pair, value.exponent);
  }
  INFO("2^" << worst.bits());
  CHECK(worst.bits() < -70);
  CHECK(worst.seen() > volume(4000));
}

TEST_CASE("f64 values for the narrower types stay within their proved bound", "[NUM-FUN]") {
  std::vector<float> x;
  for (const double v : arguments()) {
    const auto f = static_cast<float>(v);
    if (std::isfinite(f) && f != 0) x.push_back(f);
  }
  const auto check = [&](const char *name, auto values, Reference exact, double low, double high) {
    Worst worst;
    using F = decltype(values);
    for (const float v : x) // where the result is neither zero nor infinite in f32
      if (v > low && v < high)
        worst.see(exact, static_cast<double>(v), {F::value(static_cast<double>(v), F::table()), 0}, 0);
    INFO(name << ": 2^" << worst.bits());
    CHECK(worst.bits() < -48);
    CHECK(worst.seen() > 1000);
  };
  const double inf = HUGE_VAL;
  check("exp", ExpValue{}, &mpfr_exp, -150, 150);
  check("exp2", Exp2Value{}, &mpfr_exp2, -200, 200);
  check("expm1", ExpM1Value{}, &mpfr_expm1, -inf, 150);
  check("log", LogValue{}, &mpfr_log, 0, inf);
  check("log2", Log2Value{}, &mpfr_log2, 0, inf);
  check("log1p", Log1pValue{}, &mpfr_log1p, -1, inf);
  check("sin", SinValue{}, &mpfr_sin, -inf, inf);
  check("cos", CosValue{}, &mpfr_cos, -inf, inf);
  check("tan", TanValue{}, &mpfr_tan, -inf, inf);
  check("tanh", TanhValue{}, &mpfr_tanh, -inf, inf);
  check("sinh", SinhValue{}, &mpfr_sinh, -150, 150);
  check("cosh", CoshValue{}, &mpfr_cosh, -150, 150);
  check("erf", ErfValue{}, &mpfr_erf, -4, 4);
  check("rsqrt", RsqrtValue{}, &mpfr_rec_sqrt, 0, inf);
  Worst worst;
  oracle::Random random{113};
  for (int i = 0; i < volume(20000); ++i) {
    const auto base = std::fabs(static_cast<double>(x[random() % x.size()]));
    const double target = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 300;
    const auto power = static_cast<double>(static_cast<float>(target / std::log2(base)));
    if (PowValue::serves(base, power)) worst.see_pow(base, power, {PowValue::value(base, power), 0}, 0);
  }
  INFO("pow: 2^" << worst.bits());
  CHECK(worst.bits() < -43);
}
