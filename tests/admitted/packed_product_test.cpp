// SPDX-License-Identifier: Apache-2.0
// Products over instances in blocks (lower/packed_product.h): every spelling is packed and gives the reference's bits; what
// would see the instances' work interleaved is not packed, and gives them too.
#include "lower/lower.h"
#include "tests/admitted/launch.h"
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

bool packs(const Launch &launch) {
  const auto plan = lower(launch.program(), {.strict = true});
  REQUIRE(plan.ok());
  return std::any_of(plan->buffers.begin(), plan->buffers.end(), [](const plan::Buffer &b) { return b.name == "packed_rows"; });
}

void same_bits(const Launch &launch) {
  std::vector<std::string> engines{"plan"};
#ifdef TILENEST_CPU_MODULE_BUILT
  setenv("TILENEST_CPU_MODULE", TILENEST_CPU_MODULE_BUILT, 0);
  engines.emplace_back("cpu");
#endif
  const auto reference = launch.run();
  for (const std::string &engine : engines) {
    INFO(engine);
    CHECK(launch.differences(reference, launch.run_on(engine, {{.strict = true}})) == 0);
  }
}

// `in` of A and B, `out` of the accumulator and C.
std::string product(const std::string &in, const std::string &out, int m = 32, int n = 32, int k = 16) {
  const std::string tm = std::to_string(m), tn = std::to_string(n), tk = std::to_string(k);
  return "kernel product(A: " + in + "[M, K], B: " + in + "[K, N], C: out " + out +
         "[M, N]) {\n"
         "  axis m = " + tm + ", n = " + tn + ", k = " + tk + ", gm = ceil_div(M, " + tm + "), gn = ceil_div(N, " + tn + "), kt = ceil_div(K, " + tk + ")\n" +
         "  parallel nest in [gm, gn] {\n    acc = zeros " + out + " [m, n]\n    serial step in [kt] {\n" +
         "      a = A[(nest.gm * " + tm + ", step.kt * " + tk + "), [m, k]]\n" +
         "      b = B[(step.kt * " + tk + ", nest.gn * " + tn + "), [k, n]]\n" +
         "      acc = mma(a, b, acc)\n    }\n    C((nest.gm * " + tm + ", nest.gn * " + tn + "), [m, n]).store(acc)\n  }\n}\n";
}

const std::vector<std::map<std::string, std::int64_t>> shapes{
    {{"M", 1}, {"N", 1}, {"K", 1}},    {{"M", 64}, {"N", 32}, {"K", 16}}, {{"M", 37}, {"N", 70}, {"K", 300}},
    {{"M", 300}, {"N", 5}, {"K", 33}}, {{"M", 3}, {"N", 530}, {"K", 7}},  {{"M", 0}, {"N", 9}, {"K", 4}}, {{"M", 40}, {"N", 9}, {"K", 0}},
};

} // namespace

TEST_CASE("packed products: shapes with tails in every direction", "[MMA][engines]") {
  for (const auto &shape : shapes) {
    INFO("M " << shape.at("M") << ", N " << shape.at("N") << ", K " << shape.at("K"));
    const Launch launch(product("f32", "f32"), shape, uniform);
    CHECK(packs(launch));
    same_bits(launch);
  }
}

TEST_CASE("packed products: types and tile sizes", "[MMA][engines]") {
  const std::map<std::string, std::int64_t> shape{{"M", 75}, {"N", 41}, {"K", 90}};
  for (const auto &[in, out] : std::vector<std::pair<std::string, std::string>>{{"f64", "f64"}, {"bf16", "f32"}, {"f16", "f32"}, {"i8", "i32"}, {"f8e4m3fn", "f32"}}) {
    INFO(in << " to " << out);
    const Launch launch(product(in, out), shape, in == "i8" ? whole : uniform);
    CHECK(packs(launch));
    same_bits(launch);
  }
  for (const auto &[m, n, k] : {std::array{8, 8, 8}, {64, 16, 32}, {5, 12, 3}, {1, 64, 1}, {7, 3, 200}}) {
    INFO("tiles " << m << ", " << n << ", " << k);
    const Launch launch(product("f32", "f32", m, n, k), shape, uniform);
    CHECK(packs(launch));
    same_bits(launch);
  }
}

TEST_CASE("packed products: spellings", "[MMA][engines]") {
  const std::string nest = "axis m = 16, n = 16, k = 8, gm = ceil_div(M, 16), gn = ceil_div(N, 16), kt = ceil_div(K, 8), all = K\n";
  const struct {
    const char *name, *arguments, *body;
  } forms[] = {
      {"both turned", "A: f32[K, M], B: f32[N, K], C: out f32[M, N]", R"(parallel nest in [gm, gn] {
          acc = zeros f32 [m, n]
          serial step in [kt] {
            a = A[(step.kt * 8, nest.gm * 16), [k, m]]
            b = B[(nest.gn * 16, step.kt * 8), [n, k]]
            acc = mma(a, b, acc)
          }
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(acc)
        })"},
      {"the result turned", "A: f32[M, K], B: f32[K, N], C: out f32[N, M]", R"(parallel nest in [gn, gm] {
          acc = zeros f32 [n, m]
          serial step in [kt] {
            a = A[(nest.gm * 16, step.kt * 8), [m, k]]
            b = B[(step.kt * 8, nest.gn * 16), [k, n]]
            acc = mma(a, b, acc)
          }
          C((nest.gn * 16, nest.gm * 16), [n, m]).store(acc)
        })"},
      {"batched", "A: f32[Z, M, K], B: f32[Z, K, N], C: out f32[Z, M, N]", R"(axis z = Z
        parallel nest in [z, gm, gn] {
          acc = zeros f32 [m, n]
          serial step in [kt] {
            a = A[(nest.z, nest.gm * 16, step.kt * 8), [_, m, k]]
            b = B[(nest.z, step.kt * 8, nest.gn * 16), [_, k, n]]
            acc = mma(a, b, acc)
          }
          C((nest.z, nest.gm * 16, nest.gn * 16), [_, m, n]).store(acc)
        })"},
      {"one operand for all batches", "A: f32[Z, M, K], B: f32[K, N], C: out f32[Z, M, N]", R"(axis z = Z
        parallel nest in [z, gm, gn] {
          acc = zeros f32 [m, n]
          serial step in [kt] {
            a = A[(nest.z, nest.gm * 16, step.kt * 8), [_, m, k]]
            b = B[(step.kt * 8, nest.gn * 16), [k, n]]
            acc = mma(a, b, acc)
          }
          C((nest.z, nest.gm * 16, nest.gn * 16), [_, m, n]).store(acc)
        })"},
      {"matmul of whole rows", "A: f32[M, K], B: f32[K, N], C: out f32[M, N]", R"(parallel nest in [gm, gn] {
          a = A[(nest.gm * 16, 0), [m, all]]
          b = B[(0, nest.gn * 16), [all, n]]
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(matmul(a, b))
        })"},
      {"einsum", "A: f32[M, K], B: f32[K, N], C: out f32[M, N]", R"(parallel nest in [gm, gn] {
          a = A[(nest.gm * 16, 0), [m, all]]
          b = B[(0, nest.gn * 16), [all, n]]
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(einsum("mk,kn->mn", a, b))
        })"},
      {"an operand computed, the accumulator loaded, an epilogue", "A: f32[M, K], B: f32[K, N], scale: f32[M], bias: f32[N], C: mut f32[M, N]", R"(parallel nest in [gm, gn] {
          acc = C[(nest.gm * 16, nest.gn * 16), [m, n]]
          serial step in [kt] {
            a = A[(nest.gm * 16, step.kt * 8), [m, k]] * scale[(nest.gm * 16), [m]]
            b = max(B[(step.kt * 8, nest.gn * 16), [k, n]], 0.0)
            acc = mma(a, b, acc)
          }
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(max(acc + bias[(nest.gn * 16), [n]], 0.0))
        })"},
  };
  for (const auto &form : forms) {
    INFO(form.name);
    std::map<std::string, std::int64_t> extents{{"M", 53}, {"N", 37}, {"K", 45}};
    if (std::string(form.arguments).find('Z') != std::string::npos) extents["Z"] = 3;
    const Launch launch("kernel product(" + std::string(form.arguments) + ") {\n" + nest + form.body + "\n}\n", extents, uniform);
    CHECK(packs(launch));
    same_bits(launch);
  }
}

TEST_CASE("packed products: what would see other instances' rounds is left alone", "[MMA][PAR-FREE][engines]") {
  const std::string nest = "axis m = 16, n = 16, k = 8, gm = ceil_div(M, 16), gn = ceil_div(N, 16), kt = ceil_div(K, 8)\n";
  const struct {
    const char *name, *arguments, *body;
  } forms[] = {
      {"a memory of the instance", "A: f32[M, K], B: f32[K, N], C: out f32[M, N]", R"(parallel nest in [gm, gn] {
          acc = zeros f32 [m, n]
          serial step in [kt] {
            acc = mma(A[(nest.gm * 16, step.kt * 8), [m, k]], B[(step.kt * 8, nest.gn * 16), [k, n]], acc)
          }
          held = memory f32 [m, n]
          held((0, 0), [m, n]).store(acc)
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(held[(0, 0), [m, n]])
        })"},
      {"floats added in the reference's order", "A: f32[M, K], B: f32[K, N], C: mut f32[M, N], total: mut f32[16, 16]", R"(parallel nest in [gm, gn] {
          acc = zeros f32 [m, n]
          serial step in [kt] {
            acc = mma(A[(nest.gm * 16, step.kt * 8), [m, k]], B[(step.kt * 8, nest.gn * 16), [k, n]], acc)
          }
          total((0, 0), [m, n]).atomic_add(acc)
        })"},
      {"two accumulators", "A: f32[M, K], B: f32[K, N], C: out f32[M, N]", R"(parallel nest in [gm, gn] {
          x = zeros f32 [m, n]
          y = zeros f32 [m, n]
          serial step in [kt] {
            a = A[(nest.gm * 16, step.kt * 8), [m, k]]
            b = B[(step.kt * 8, nest.gn * 16), [k, n]]
            x = mma(a, b, x)
            y = y + sum(a, k)
          }
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(x + y)
        })"},
      {"an operand that depends on the accumulator", "A: f32[M, K], B: f32[K, N], C: out f32[M, N]", R"(parallel nest in [gm, gn] {
          acc = zeros f32 [m, n]
          serial step in [kt] {
            a = A[(nest.gm * 16, step.kt * 8), [m, k]] + sum(acc, n)
            acc = mma(a, B[(step.kt * 8, nest.gn * 16), [k, n]], acc)
          }
          C((nest.gm * 16, nest.gn * 16), [m, n]).store(acc)
        })"},
  };
  for (const auto &form : forms) {
    INFO(form.name);
    const Launch launch("kernel product(" + std::string(form.arguments) + ") {\n" + nest + form.body + "\n}\n", {{"M", 53}, {"N", 37}, {"K", 45}}, uniform);
    CHECK_FALSE(packs(launch));
    same_bits(launch);
  }
}
