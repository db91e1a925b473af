// SPDX-License-Identifier: Apache-2.0
// Codes of a run that no text can trigger, since the command line makes the buffers that it passes.
#include "interp/run.h"
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

BoundProgram copy_of(std::int64_t n) {
  ParsedFile file = parse_text("copy.tile", "kernel copy(A: f32[M], B: mut f32[M]) {\n"
                                            "  axis i = M\n"
                                            "  parallel p in [i] {\n"
                                            "    B(p.index()).store(A[p.index()])\n"
                                            "  }\n"
                                            "}\n");
  REQUIRE(file.kernels.size() == 1);
  REQUIRE_FALSE(has_error(judge(file.kernels[0])));
  auto bound = bind(std::make_shared<const TileProgram>(std::move(file.kernels[0])), {{"A", {n}}, {"B", {n}}}, {});
  REQUIRE(bound.ok());
  return *bound;
}

} // namespace

TEST_CASE("a buffer of another shape than the bound one is refused and nothing is written") {
  const BoundProgram bound = copy_of(5);
  std::vector<float> a(5, 1.0f), b(5, 2.0f);
  const Buffer good{b.data(), {5}, {4}};
  for (const Buffer &bad : {Buffer{a.data(), {4}, {4}}, Buffer{a.data(), {5, 1}, {4, 4}}, Buffer{a.data(), {5}, {}}}) {
    const RunResult result = run(bound, {bad, good});
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == Code::T1103);
    CHECK(b == std::vector<float>(5, 2.0f));
  }
  CHECK(run(bound, {{a.data(), {5}, {4}}, good}).diagnostics.empty());
  CHECK(b == std::vector<float>(5, 1.0f));
}
