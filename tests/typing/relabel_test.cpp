// SPDX-License-Identifier: Apache-2.0
// T0208: front ends give a relabelled tile the extents that it had; a pass that does not is refused.
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "tests/kernel.h"

using namespace tilenest;

TEST_CASE("relabel keeps rank and extents", "[BCAST]") {
  Kernel k;
  const DimId m = k.b.dim("m"), n = k.b.dim("n");
  const ValueId x = k.b.full(ScalarType::f32, 1.0, k.space({{m, 4}}));
  const DimId to[] = {n};
  k.b.declare("y", k.b.relabel(x, to));
  TileProgram p = k.take();
  OpId id;
  nth(p, OpKind::relabel, 0, &id);
  std::get<SpaceAttr>(p.ops[id].attr).space.factors[0].extent = Extent(5); // T0208
  const Diagnostics ds = judge(p);
  REQUIRE_FALSE(ds.empty());
  CHECK(ds[0].code == Code::T0208);
}
