// SPDX-License-Identifier: Apache-2.0
// GEMM through the builder and the machine, against f64 loops; ragged shapes, empty extents.
#include "interp/run.h"
#include "semantics/judge.h"
#include "semantics/program/builder.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;

namespace {

TileProgram gemm_program(bool pipelined) {
  Builder b("gemm");
  const Extent M = b.extent_param("M"), N = b.extent_param("N"), K = b.extent_param("K");
  const ViewId A = b.argument("A", ScalarType::f32, {M, K}, ArgumentAccess::in);
  const ViewId B = b.argument("B", ScalarType::f32, {K, N}, ArgumentAccess::in);
  const ViewId C = b.argument("C", ScalarType::f32, {M, N}, ArgumentAccess::out);
  const DimId gm = b.dim("gm"), gn = b.dim("gn"), kt = b.dim("kt"), m = b.dim("m"), n = b.dim("n"), k = b.dim("k");
  ParallelSpec spec;
  spec.name = "nest";
  spec.domain.factors = {{gm, M.ceil_div(32)}, {gn, N.ceil_div(32)}};
  const Scope nest = b.begin_parallel(spec);
  const VarId acc = b.declare("acc", b.full(ScalarType::f32, 0.0, {{{m, 32}, {n, 32}}}));
  LoopSpec loop;
  loop.name = "step";
  loop.domain.factors = {{kt, K.ceil_div(16)}};
  const Scope step = pipelined ? b.begin_pipeline(loop) : b.begin_serial(loop);
  if (pipelined) b.stage("load");
  auto times = [&](ValueId v, std::int64_t c) { return b.elementwise(OpKind::mul, std::vector<Operand>{v, c}); };
  Access a;
  a.view = A;
  a.origin = {times(nest.coords[0], 32), times(step.coords[0], 16)};
  a.window = {{false, m, 32}, {false, k, 16}};
  const ValueId x = b.load(a);
  a.view = B;
  a.origin = {times(step.coords[0], 16), times(nest.coords[1], 32)};
  a.window = {{false, k, 16}, {false, n, 32}};
  const ValueId y = b.load(a);
  if (pipelined) b.stage("compute");
  b.assign(acc, b.mma(x, y, b.read(acc)));
  b.end();
  a.view = C;
  a.origin = {times(nest.coords[0], 32), times(nest.coords[1], 32)};
  a.window = {{false, m, 32}, {false, n, 32}};
  b.store(a, b.read(acc));
  b.end();
  Result<TileProgram> p = b.finish();
  REQUIRE(p.ok());
  REQUIRE(exit_status(judge(*p)) == 0);
  return *p;
}

} // namespace

TEST_CASE("gemm on ragged shapes is the f32 chain over k", "[MMA][CTX-PAR][CTX-PIPE]") {
  for (bool pipelined : {false, true}) {
    const auto program = std::make_shared<TileProgram>(gemm_program(pipelined));
    for (auto [M, N, K] : {std::array<int, 3>{32, 32, 16}, {45, 70, 33}, {1, 1, 1}, {3, 0, 5}, {5, 4, 0}}) {
      std::vector<float> A(M * K), B(K * N), C(M * N, 7.0f);
      for (std::size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(std::sin(0.37 * i));
      for (std::size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(std::cos(0.91 * i));
      const auto bound = bind(program, {{"A", {M, K}}, {"B", {K, N}}, {"C", {M, N}}}, {});
      REQUIRE(bound.ok());
      auto buffer = [](std::vector<float> &v, std::int64_t r, std::int64_t c, bool defined) {
        return Buffer{v.data(), {r, c}, {c * 4, 4}, defined};
      };
      const RunResult r = run(*bound, {buffer(A, M, K, true), buffer(B, K, N, true), buffer(C, M, N, false)});
      REQUIRE(r.diagnostics.empty());
      CHECK(r.undefined_elements[2] == 0);
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
          float chain = 0; // the reference member: ascending k, each product and sum rounded
          for (int k = 0; k < K; ++k) {
            const volatile float product = A[i * K + k] * B[k * N + j];
            chain = chain + product;
          }
          REQUIRE(C[i * N + j] == chain);
        }
    }
  }
}
