// SPDX-License-Identifier: Apache-2.0
// Elementary functions against MPFR, rounded by the tests' own oracle: all 8- and 16-bit elements, f32 and f64 by
// binade and at their hard points, special values. All f32: bench/elementary_sweep.cpp.
#include "tests/volume.h"
#include "bits.h"
#include "oracle.h"
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/scalar_apply.h"
#include <catch2/catch.hpp>
#include <bit>
#include <cmath>
#include <mpfr.h>
#include <optional>
#include <thread>

using namespace tilenest;

namespace {

constexpr Primitive unary[] = {Primitive::exp, Primitive::exp2, Primitive::expm1, Primitive::log,  Primitive::log2,
                               Primitive::log1p, Primitive::sin, Primitive::cos,  Primitive::tan,  Primitive::tanh,
                               Primitive::sinh, Primitive::cosh, Primitive::erf,  Primitive::rsqrt};

// The row of results, each an element's bits.
std::vector<std::uint64_t> row_of(RowKernel kernel, ScalarType type, const std::vector<std::uint64_t> &x,
                                  const std::vector<std::uint64_t> &y) {
  const std::size_t size = byte_size(type);
  std::vector<unsigned char> a(x.size() * size), b(x.size() * size), out(x.size() * size);
  for (std::size_t i = 0; i < x.size(); ++i) {
    store_bits(type, &a[i * size], x[i]);
    store_bits(type, &b[i * size], y.empty() ? 0 : y[i]);
  }
  const RowOperand operands[] = {{a.data(), 1}, {b.data(), 1}};
  kernel(x.size(), out.data(), operands, {});
  std::vector<std::uint64_t> results;
  for (std::size_t i = 0; i < x.size(); ++i) results.push_back(load_bits(type, &out[i * size]));
  return results;
}

// Elements that any instruction set's rows get wrong.
std::size_t count_wrong(Primitive p, ScalarType type, const std::vector<std::uint64_t> &x,
                        const std::vector<std::uint64_t> &y = {}) {
  std::vector<std::uint64_t> expected(x.size());
  const std::size_t workers = x.size() > 1000 ? 2 : 1;
  std::vector<std::thread> threads;
  for (std::size_t w = 0; w < workers; ++w)
    threads.emplace_back([&, w] {
      for (std::size_t i = w; i < x.size(); i += workers) {
        std::vector<std::uint64_t> operands = {x[i]};
        if (p == Primitive::pow) operands.push_back(y[i]);
        expected[i] = oracle::apply(p, type, operands);
      }
    });
  for (std::thread &thread : threads) thread.join();
  std::size_t wrong = 0;
  for (int isa = 0; isa < kernel_isa_count; ++isa) {
    const RowKernel kernel = find_row_kernel(static_cast<KernelIsa>(isa), p, type, type);
    if (kernel == nullptr) continue;
    const std::vector<std::uint64_t> got = row_of(kernel, type, x, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!oracle::same(type, got[i], expected[i]) && wrong++ == 0)
        UNSCOPED_INFO(to_string(p) << " " << to_string(type) << " of " << scalar_text(type, x[i])
                                   << (y.empty() ? "" : ", " + scalar_text(type, y[i])) << " gave "
                                   << scalar_text(type, got[i]) << ", expected " << scalar_text(type, expected[i]));
  }
  return wrong;
}

std::vector<std::uint64_t> elements(ScalarType type, std::size_t stride) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < std::size_t{1} << bit_width(type); i += stride) all.push_back(i);
  return all;
}

double apply(Primitive p, ScalarType type, double x, double y = 0) {
  std::vector<std::uint64_t> operands = {bits(x, type)};
  if (p == Primitive::pow) operands.push_back(bits(y, type));
  return value_as_f64(type, apply_scalar(p, type, type, operands).bits);
}

} // namespace

TEST_CASE("elementary functions of all 8- and 16-bit floats", "[NUM-FUN]") {
  for (const ScalarType type : {ScalarType::f8e4m3fn, ScalarType::f8e5m2, ScalarType::f16, ScalarType::bf16})
    for (const Primitive p : unary) CHECK(count_wrong(p, type, elements(type, 1)) == 0);
}

TEST_CASE("pow of all 8-bit and many 16-bit floats", "[NUM-FUN]") {
  for (const ScalarType type : {ScalarType::f8e4m3fn, ScalarType::f8e5m2}) {
    std::vector<std::uint64_t> x, y;
    for (std::uint64_t i = 0; i < 65536; ++i) {
      x.push_back(i & 255);
      y.push_back(i >> 8);
    }
    CHECK(count_wrong(Primitive::pow, type, x, y) == 0);
  }
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16}) {
    oracle::Random random{89};
    std::vector<std::uint64_t> x, y;
    for (int i = 0; i < volume(40000); ++i) {
      x.push_back(oracle::random_element(type, random));
      y.push_back(i % 2 == 0 ? oracle::random_element(type, random) : bits(static_cast<double>(random() % 25) / 2 - 6, type));
    }
    CHECK(count_wrong(Primitive::pow, type, x, y) == 0);
  }
}

// Every binade of both signs, its ends and `count` numbers inside.
std::vector<std::uint64_t> by_binade(ScalarType type, std::size_t count, oracle::Random &random) {
  const int fraction = type == ScalarType::f32 ? 23 : 52, exponents = type == ScalarType::f32 ? 256 : 2048;
  const std::uint64_t mask = (std::uint64_t{1} << fraction) - 1;
  std::vector<std::uint64_t> x;
  for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(exponents) * 2; ++e)
    for (std::size_t i = 0; i < count + 2; ++i)
      x.push_back(e << fraction | (i == 0 ? 0 : i == 1 ? mask : random() & mask));
  return x;
}

TEST_CASE("elementary functions in every binade of f32 and f64", "[NUM-FUN]") {
  oracle::Random random{73};
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    std::vector<std::uint64_t> x = by_binade(type, type == ScalarType::f32 ? 10 : 1, random);
    // Where something happens: ends of the range of exp and its like, saturation, ends of a reduction.
    for (const double v : {0.0, 1.0, 0.5, 2.0, 88.7228391, 87.3365448, 103.97208, 103.2789, 709.782712893384, 708.396418532264,
                           745.133219101941, 89.41598, 710.475860073944, 127.99999, 1024.0, 149.5, 150.0, 1074.5, 1075.0, 9.01091,
                           19.0615, 3.8325, 5.9215, 0.34657359, 0.70710678, 1.41421356, 0.41421356, -0.29289322, 0.78539816,
                           1.57079633, 3.14159265, 2.35619449, 1e22, 0.0078125, 0.015625, 17.328679})
      for (int ulp = -3; ulp <= 3; ++ulp)
        for (const double sign : {1.0, -1.0}) x.push_back(bits(sign * v, type) + static_cast<std::uint64_t>(static_cast<std::int64_t>(ulp)));
    for (auto &e : x) e &= type == ScalarType::f32 ? 0xffffffffu : ~std::uint64_t{0};
    for (const Primitive p : unary) CHECK(count_wrong(p, type, x) == 0);
  }
}

TEST_CASE("elementary functions of f64 where they are used", "[NUM-FUN]") {
  oracle::Random random{97};
  std::vector<std::uint64_t> x;
  for (int i = 0; i < volume(2000); ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    for (const double scale : {0.02, 2.0, 40.0}) x.push_back(std::bit_cast<std::uint64_t>((u - 0.3) * scale));
  }
  for (const Primitive p : unary) CHECK(count_wrong(p, ScalarType::f64, x) == 0);
}

// x^y of every magnitude that the type can tell from zero and infinity; small integers and halves as powers,
// and bases beside 1 and of few bits, where results are exact or ties.
void pow_pairs(ScalarType type, int count, oracle::Random &random, std::vector<std::uint64_t> &x, std::vector<std::uint64_t> &y) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t pick = random();
    std::uint64_t base = oracle::random_element(type, random);
    if (pick % 8 == 1) base = bits(static_cast<double>(pick >> 8 & 4095) / 8 - 100, type);
    if (pick % 8 == 2) base = bits(1 + std::ldexp(static_cast<double>(pick >> 8 & 4095) - 2048, -20), type);
    const double reach = type == ScalarType::f32 ? 300 : 2200;
    const double exponent = (static_cast<double>(pick >> 11) * 0x1p-53 - 0.53) * reach; // of the result
    double power = exponent / std::log2(std::fabs(value_as_f64(type, base)));
    if (pick % 4 == 0) power = static_cast<double>(pick >> 20 & 31) / 2 - 7.5;
    if (pick % 4 == 1) power = std::nearbyint(power);
    x.push_back(base);
    y.push_back(bits(power, type));
  }
}

TEST_CASE("pow of f32 and f64", "[NUM-FUN]") {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    oracle::Random random{79};
    std::vector<std::uint64_t> x, y;
    pow_pairs(type, type == ScalarType::f32 ? 60000 : 15000, random, x, y);
    CHECK(count_wrong(Primitive::pow, type, x, y) == 0);
  }
}

TEST_CASE("millions of pow", "[NUM-FUN][.slow]") {
  oracle::Random random{101};
  for (int i = 0; i < 20; ++i) {
    std::vector<std::uint64_t> x, y;
    pow_pairs(ScalarType::f32, 200000, random, x, y);
    CHECK(count_wrong(Primitive::pow, ScalarType::f32, x, y) == 0);
  }
}

TEST_CASE("elementary functions of many f32", "[NUM-FUN][.slow]") {
  std::vector<std::uint64_t> x;
  for (std::uint64_t i = 0; i < 0x100000000u; i += 10007) x.push_back(i);
  for (const Primitive p : unary) CHECK(count_wrong(p, ScalarType::f32, x) == 0);
}

TEST_CASE("hard and exact points", "[NUM-FUN]") {
  // Ties and exact results: x^2 with 25 significant bits; exp2 and rsqrt of integers.
  std::vector<std::uint64_t> x, y;
  for (std::uint32_t i = 4097; i < 8192; i += 2) { // odd^2 of 25 or 26 bits: ties or beside them
    x.push_back(bits(std::int64_t{i}, ScalarType::f32));
    y.push_back(bits(2.0, ScalarType::f32));
  }
  CHECK(count_wrong(Primitive::pow, ScalarType::f32, x, y) == 0);
  for (int e = -149; e < 128; ++e) CHECK(apply(Primitive::exp2, ScalarType::f32, e) == std::ldexp(1.0, e));
  CHECK(apply(Primitive::exp2, ScalarType::f32, -150) == 0); // the tie of 0 and the least subnormal
  CHECK(apply(Primitive::exp2, ScalarType::f32, std::nextafter(-150.0f, 0.0f)) == 0x1p-149);
  CHECK(apply(Primitive::exp2, ScalarType::f64, -1075) == 0);
  CHECK(apply(Primitive::exp2, ScalarType::f64, -1074) == 0x1p-1074);
  for (int e = -60; e < 60; ++e) CHECK(apply(Primitive::rsqrt, ScalarType::f32, std::ldexp(1.0, 2 * e)) == std::ldexp(1.0, -e));
  for (const Primitive p : unary) { // subnormal results and arguments
    std::vector<std::uint64_t> small;
    for (std::uint64_t i = 1; i < 0x00900000; i += 34567) {
      small.push_back(i);
      small.push_back(i | 0x80000000u);
    }
    for (double v = -104; v < -86; v += 0.37) small.push_back(bits(v, ScalarType::f32));
    CHECK(count_wrong(p, ScalarType::f32, small) == 0);
  }
}

TEST_CASE("inputs where an f64 value rounded again is wrong", "[NUM-FUN]") {
  // Found by bench/elementary_sweep: the exact value is so near a tie of f32 that the nearest f64 is that tie,
  // and the tie goes to the wrong side.
  const struct {
    Primitive primitive;
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    float x;
  } inputs[] = {
      {Primitive::exp2, &mpfr_exp2, 0x1.853a6ep-9f},
      {Primitive::exp2, &mpfr_exp2, -0x1.e7526ep-6f},
      {Primitive::log, &mpfr_log, 0x1.827a74p-7f},
      {Primitive::log, &mpfr_log, 0x1.2f1fd6p+3f},
      {Primitive::log, &mpfr_log, 0x1.bacb4ap+25f},
      {Primitive::log, &mpfr_log, 0x1.b121a6p+76f},
      {Primitive::log, &mpfr_log, 0x1.6351d8p+95f},
      {Primitive::log1p, &mpfr_log1p, 0x1.800006p-21f},
      {Primitive::log1p, &mpfr_log1p, 0x1.200036p-17f},
      {Primitive::log1p, &mpfr_log1p, 0x1.fb035ap-2f},
      {Primitive::log1p, &mpfr_log1p, 0x1.0f1fd6p+3f},
      {Primitive::log1p, &mpfr_log1p, 0x1.b121a6p+76f},
      {Primitive::log1p, &mpfr_log1p, 0x1.6351d8p+95f},
      {Primitive::log1p, &mpfr_log1p, -0x1.7ffffap-21f},
      {Primitive::log1p, &mpfr_log1p, -0x1.1fffcap-17f},
      {Primitive::log1p, &mpfr_log1p, -0x1.1d9188p-9f},
      {Primitive::sin, &mpfr_sin, 0x1.33333p+13f},
      {Primitive::cos, &mpfr_cos, 0x1.3170fp+63f},
      {Primitive::cos, &mpfr_cos, 0x1.2b9622p+67f},
      {Primitive::sinh, &mpfr_sinh, 0x1.250bfep-11f}};
  for (const auto &input : inputs) {
    mpfr_t x, r;
    mpfr_init2(x, 24);
    mpfr_init2(r, 53);
    mpfr_set_flt(x, input.x, MPFR_RNDN);
    input.exact(r, x, MPFR_RNDN);
    const auto twice = static_cast<float>(mpfr_get_d(r, MPFR_RNDN)); // the correctly rounded f64, rounded again
    mpfr_clears(x, r, static_cast<mpfr_ptr>(nullptr));
    const std::uint64_t element = std::bit_cast<std::uint32_t>(input.x);
    CHECK(oracle::apply(input.primitive, ScalarType::f32, {element}) != std::bit_cast<std::uint32_t>(twice));
    CHECK(count_wrong(input.primitive, ScalarType::f32, {element}) == 0);
  }
}

TEST_CASE("special values of IEEE 754-2019 clause 9", "[NUM-FUN]") {
  const double inf = HUGE_VAL;
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64, ScalarType::f8e5m2}) {
    const auto f = [&](Primitive p, double x, double y = 0) { return apply(p, type, x, y); };
    INFO(to_string(type));
    CHECK(f(Primitive::exp, -inf) == 0);
    CHECK(f(Primitive::exp, inf) == inf);
    CHECK(f(Primitive::expm1, -inf) == -1);
    CHECK(f(Primitive::log, 0.0) == -inf);
    CHECK(f(Primitive::log, -0.0) == -inf);
    CHECK(f(Primitive::log2, 0.0) == -inf);
    CHECK(f(Primitive::log1p, -1) == -inf);
    CHECK(std::isnan(f(Primitive::log, -1)));
    CHECK(f(Primitive::rsqrt, 0.0) == inf);
    CHECK(f(Primitive::rsqrt, -0.0) == -inf);
    CHECK(f(Primitive::rsqrt, inf) == 0);
    CHECK(std::isnan(f(Primitive::rsqrt, -1)));
    for (const Primitive p : {Primitive::expm1, Primitive::log1p, Primitive::sin, Primitive::tan, Primitive::tanh,
                              Primitive::sinh, Primitive::erf})
      for (const double zero : {0.0, -0.0}) {
        const double r = f(p, zero);
        CHECK((r == 0 && std::signbit(r) == std::signbit(zero)));
      }
    CHECK(f(Primitive::cos, 0) == 1);
    CHECK(std::isnan(f(Primitive::sin, inf)));
    CHECK(std::isnan(f(Primitive::cos, -inf)));
    CHECK(std::isnan(f(Primitive::tan, inf)));
    CHECK(f(Primitive::tanh, inf) == 1);
    CHECK(f(Primitive::erf, -inf) == -1);
    CHECK(f(Primitive::cosh, -inf) == inf);
    CHECK(f(Primitive::pow, NAN, 0) == 1);
    CHECK(f(Primitive::pow, 1, NAN) == 1);
    CHECK(f(Primitive::pow, -1, inf) == 1);
    CHECK(f(Primitive::pow, 0.5, inf) == 0);
    CHECK(f(Primitive::pow, 0.5, -inf) == inf);
    CHECK(f(Primitive::pow, 2, -inf) == 0);
    CHECK(f(Primitive::pow, -0.0, -3) == -inf);
    CHECK(f(Primitive::pow, -0.0, -2) == inf);
    CHECK(f(Primitive::pow, -inf, 3) == -inf);
    CHECK(f(Primitive::pow, -8, 3) == -512);
    CHECK(std::isnan(f(Primitive::pow, -8, 0.5)));
    const double r = f(Primitive::pow, -0.0, 3);
    CHECK((r == 0 && std::signbit(r)));
  }
}

// pow by the list of IEEE 754-2019, 9.2.1; nothing where the list is silent. `odd`: y is an odd integer.
std::optional<double> listed_pow(double x, double y) {
  const double inf = HUGE_VAL;
  const bool integer = std::isfinite(y) && y == std::floor(y), odd = integer && std::fmod(y, 2) != 0;
  if (y == 0) return 1;                                                        // for any x, even a NaN
  if (x == 1) return 1;                                                        // for any y, even a NaN
  if (std::isnan(x) || std::isnan(y)) return NAN;
  if (x == 0 && odd) return y < 0 ? std::copysign(inf, x) : std::copysign(0.0, x);
  if (x == 0) return y < 0 ? inf : 0.0;                                        // y = -inf included
  if (x == -1 && std::isinf(y)) return 1;
  if (std::isinf(y)) return (std::fabs(x) < 1) == (y < 0) ? inf : 0.0;
  if (std::isinf(x) && x > 0) return y < 0 ? 0.0 : inf;
  if (std::isinf(x) && odd) return y < 0 ? -0.0 : -inf;
  if (std::isinf(x)) return y < 0 ? 0.0 : inf;
  if (x < 0 && !integer) return NAN;
  return std::nullopt;
}

TEST_CASE("every special case of pow", "[NUM-FUN]") {
  const double inf = HUGE_VAL;
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64, ScalarType::f8e5m2}) {
    std::vector<double> values = {0.0, inf, double(NAN), 1.0, 0.5, 0.75, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 1024.0,
                                  std::ldexp(1.0, -14), std::ldexp(1.0, -16), std::ldexp(1.0, 15)};
    if (bit_width(type) > 8) values.insert(values.end(), {127.0, 128.0, 255.0, 257.0});
    if (bit_width(type) > 16)
      values.insert(values.end(), {0x1p24, 0x1p24 - 1, 0x1p24 + 2, 0x1p23 + 1, 0x1p23 - 0.5, 0x1p-149, 0x1p127, 0x1p30, 0x1p60});
    if (type == ScalarType::f64)
      values.insert(values.end(), {0x1p53, 0x1p53 - 1, 0x1p52 + 1, 0x1p52 - 0.5, 0x1p-1074, 0x1p1023, 0x1p53 + 2, 0x1p80, 1e300});
    for (std::size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
    std::size_t listed = 0;
    for (const double v : values)
      for (const double w : values) {
        const double x = value_as_f64(type, bits(v, type)), y = value_as_f64(type, bits(w, type));
        const std::optional<double> expected = listed_pow(x, y);
        if (!expected) continue;
        ++listed;
        const double got = apply(Primitive::pow, type, x, y);
        const bool same = std::isnan(*expected) ? std::isnan(got) : got == *expected && std::signbit(got) == std::signbit(*expected);
        if (!same) FAIL_CHECK(to_string(type) << " pow(" << x << ", " << y << ") gave " << got);
      }
    CHECK(listed > 200);
  }
}

TEST_CASE("few elements take the exact path", "[NUM-FUN]") {
  oracle::Random random{103};
  std::vector<std::uint64_t> any, moderate, positive;
  for (int i = 0; i < volume(100000); ++i) {
    any.push_back(random() & 0xffffffffu);
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    moderate.push_back(std::bit_cast<std::uint64_t>(u * 4 + 0.01));
    positive.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(u * 4 + 0.01)));
  }
  const auto exact_path = [](Primitive p, ScalarType type, const std::vector<std::uint64_t> &x, const std::vector<std::uint64_t> &y) {
    const std::uint64_t before = mpfr_evaluations();
    row_of(find_row_kernel(p, type, type), type, x, y);
    return mpfr_evaluations() - before;
  };
  for (const Primitive p : unary) {
    INFO(to_string(p));
    CHECK(exact_path(p, ScalarType::f32, any, {}) <= 10);     // expected: 2^-21 of them
    CHECK(exact_path(p, ScalarType::f64, moderate, {}) <= 30); // expected: 2^-14
  }
  CHECK(exact_path(Primitive::pow, ScalarType::f32, positive, positive) <= 30);
  CHECK(exact_path(Primitive::pow, ScalarType::f32, any, any) <= 100);
  CHECK(exact_path(Primitive::pow, ScalarType::f64, moderate, moderate) <= 30);
  CHECK(exact_path(Primitive::exp, ScalarType::f64, {std::bit_cast<std::uint64_t>(-720.0)}, {}) == 1); // the counter counts
}

TEST_CASE("elementary functions from several threads", "[NUM-FUN]") {
  std::vector<std::uint64_t> x;
  oracle::Random random{83};
  for (int i = 0; i < 200; ++i) x.push_back(oracle::random_element(ScalarType::f64, random));
  std::vector<std::uint64_t> alone(x.size());
  const RowOperand operand{x.data(), 1};
  const RowKernel kernel = find_row_kernel(Primitive::sin, ScalarType::f64, ScalarType::f64);
  kernel(x.size(), alone.data(), &operand, {});
  std::vector<std::vector<std::uint64_t>> together(4, alone);
  std::vector<std::thread> threads;
  for (auto &out : together) threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) kernel(x.size(), out.data(), &operand, {});
    });
  for (auto &thread : threads) thread.join();
  for (const auto &out : together) CHECK(out == alone);
}
