// SPDX-License-Identifier: Apache-2.0
// What a capture leaves in the program: one pass, open extents, carries, identities.
#include "tests/dsl/captured.h"
#include "tests/dsl/gemm_kernel.h"

using namespace tilenest;

TEST_CASE("gemm captures open, in one pass") {
  const TileProgram p = captured(gemm_kernel().capture(
      arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")), arg("C", tensor_shape("M", "N"))));
  CHECK(p.name == "gemm");
  REQUIRE(p.params.size() == 3);
  REQUIRE(p.arguments.size() == 3);
  CHECK(p.objects[p.arguments[1]].name == "B");
  CHECK(count(p, OpKind::parallel) == 1);
  CHECK(count(p, OpKind::pipeline) == 1);
  CHECK(count(p, OpKind::stage) == 2);
  CHECK(count(p, OpKind::load) == 2);
  CHECK(count(p, OpKind::mma) == 1);
  CHECK(count(p, OpKind::store) == 1);
  // The accumulator is the only variable: declared, assigned, carried by the pipeline.
  CHECK(p.variables.size() == 1);
  CHECK(count(p, OpKind::assign) == 2);
  const Op &loop = first(p, OpKind::pipeline);
  CHECK(loop.carries.size() == 1);
  CHECK(p.extent_text(p.levels[LevelId(1)].domain.factors[0].extent) == "ceil_div(M, 32)");
}
