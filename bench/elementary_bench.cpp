// SPDX-License-Identifier: Apache-2.0
// Elementary functions: rows of ours, correctly rounded, beside the plain loop over libm's function of the
// type, which is not. Arguments of moderate size, and (bits/) every bit pattern alike.
#include "semantics/numerics/row_kernels.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace tilenest;

namespace {

constexpr std::size_t row = 4096;

template <class Element> std::vector<Element> moderate(unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.01, 4);
  std::vector<Element> x(row);
  for (Element &e : x) e = static_cast<Element>(uniform(random));
  return x;
}
template <class Element> std::vector<Element> any_bits(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Element> x(row);
  for (Element &e : x) {
    const std::uint64_t bits = random();
    std::memcpy(&e, &bits, sizeof e);
  }
  return x;
}

template <class Element>
void ours(benchmark::State &state, Primitive p, ScalarType type, std::vector<Element> x,
          std::vector<Element> y) {
  std::vector<Element> out(row);
  const RowOperand operands[] = {{x.data(), 1}, {y.data(), 1}};
  const RowKernel kernel = find_row_kernel(p, type, type);
  for (auto _ : state) {
    kernel(row, out.data(), operands, {});
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(row));
}

template <class Element, class F>
void libm(benchmark::State &state, F f, std::vector<Element> x, std::vector<Element> y) {
  std::vector<Element> out(row);
  for (auto _ : state) {
    for (std::size_t i = 0; i < row; ++i) out[i] = f(x[i], y[i]);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(row));
}

template <class F> void add(Primitive p, F f) {
  using benchmark::RegisterBenchmark;
  const std::string name{to_string(p)};
  RegisterBenchmark(("f32/" + name).c_str(), [=](benchmark::State &s) {
    ours(s, p, ScalarType::f32, moderate<float>(1), moderate<float>(2));
  });
  RegisterBenchmark(("f32_libm/" + name).c_str(),
                    [=](benchmark::State &s) { libm(s, f, moderate<float>(1), moderate<float>(2)); });
  RegisterBenchmark(("f32_bits/" + name).c_str(), [=](benchmark::State &s) {
    ours(s, p, ScalarType::f32, any_bits<float>(1), any_bits<float>(2));
  });
  RegisterBenchmark(("f64/" + name).c_str(), [=](benchmark::State &s) {
    ours(s, p, ScalarType::f64, moderate<double>(1), moderate<double>(2));
  });
  RegisterBenchmark(("f64_libm/" + name).c_str(),
                    [=](benchmark::State &s) { libm(s, f, moderate<double>(1), moderate<double>(2)); });
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16})
    RegisterBenchmark((std::string(to_string(type)) + "_bits/" + name).c_str(), [=](benchmark::State &s) {
      ours(s, p, type, any_bits<std::uint16_t>(1), any_bits<std::uint16_t>(2));
    });
  for (const ScalarType type : {ScalarType::f8e4m3fn, ScalarType::f8e5m2})
    RegisterBenchmark((std::string(to_string(type)) + "_bits/" + name).c_str(), [=](benchmark::State &s) {
      ours(s, p, type, any_bits<std::uint8_t>(1), any_bits<std::uint8_t>(2));
    });
}

const int registered = [] {
#define ADD(name) add(Primitive::name, [](auto x, auto) { return std::name(x); });
  ADD(exp)
  ADD(exp2) ADD(expm1) ADD(log) ADD(log2) ADD(log1p) ADD(sin) ADD(cos) ADD(tan) ADD(tanh) ADD(sinh) ADD(cosh)
      ADD(erf)
#undef ADD
          add(Primitive::rsqrt, [](auto x, auto) { return 1 / std::sqrt(x); });
  add(Primitive::pow, [](auto x, auto y) { return std::pow(x, y); });
  return 0;
}();

} // namespace

BENCHMARK_MAIN();
