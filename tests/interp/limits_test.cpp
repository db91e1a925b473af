// SPDX-License-Identifier: Apache-2.0
// What is large, deep, empty or missing: a limit is a diagnostic, never a crash; empty loops take no memory.
#include "tests/volume.h"
#include "tests/interp/tile_run.h"
#include "interp/run.h"
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>
#include <fstream>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {
// Peak resident memory of this process, in KiB.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stol(line.substr(6));
  return 0;
}
} // namespace

TEST_CASE("more memory than there may be is a limit, not a crash", "[limits]" TILENEST_LONG) {
  TileRunOptions options;
  options.memory_limit = std::size_t{1} << 30;
  // A tile of 2^33 bytes, a memory of 2^33 bytes, a tile per instance of many that live together.
  CHECK(run_tile("kernel k(C: mut f64[1]) {\n x = zeros f64 [m = 1073741824]\n C(0).store(x[0])\n}", {array("C", std::vector<double>{0})}, options).codes() == "L0301@0");
  CHECK(run_tile("kernel k(C: mut f64[1]) {\n x = memory f64 [m = 1073741824]\n x(0).store(1.0)\n}", {array("C", std::vector<double>{0})}, options).codes() == "L0301@0");
  options.memory_limit = std::size_t{16} << 20;
  CHECK(run_tile("kernel k(C: mut i64[1]) {\n parallel p in [#0 = 1000000] {\n sync p\n C(0).atomic_add(1)\n }\n}", {array("C", I{0})}, options).codes() == "L0301@0");
  // A million marks, and the same in a gigabyte.
  CHECK(run_tile("kernel k(C: mut i64[1]) {\n axis m = 1000000\n x = 6 / zeros i64 [m]\n}", {array("C", I{0})}, options).codes() == "L0301@0");
  options.memory_limit = std::size_t{1} << 30;
  CHECK(run_tile("kernel k(C: mut i64[1]) {\n axis m = 1000000\n x = 6 / zeros i64 [m]\n}", {array("C", I{0})}, options).codes() == "");
}

TEST_CASE("ten million empty iterations take no memory", "[limits]" TILENEST_LONG) {
  const long before = peak_kib();
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2]) {
  n: i64 = 0
  serial s in [#0 = 10000000] { }
  serial t in [#0 = 1000000] { n = n + 1 }
  parallel p in [#0 = 10000000] { }
  reduce q in [#1 = 1000, #0 = 1000] { n = n + 1 }
  C(0).store(n)
  C(1).store(1)
})", {array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{2000000, 1});
  CHECK(peak_kib() - before < 16 * 1024);
}

TEST_CASE("lifted loads and values at many temporal points", "[limits][ANC-SHARE]" TILENEST_LONG) {
  // 300,000 points, each with a lifted load and a lifted tile of 512 bytes: kept all, that were 200 MB.
  const long before = peak_kib();
  const TileRun r = run_tile(R"(kernel k(A: i64[64], C: mut i64[2]) {
  axis m = 64
  parallel p in [#0 = 2] {
    n: i64 = 0
    serial t in [#0 = 300000] {
      x = A[0, [m]]
      y = x + t.index()
      n = n + y[3] + p.index()
    }
    C(p.index()).store(n)
  }
})", {array("A", I(64, 1)), array("C", I{0, 0})});
  CHECK(r.codes() == "");
  // sum over t of (1 + t + p) = 300000 + 300000 * 299999 / 2 + 300000 p.
  const std::int64_t sum = 300000 + std::int64_t{300000} * 299999 / 2;
  CHECK(r.get<std::int64_t>("C") == I{sum, sum + 300000});
  CHECK(peak_kib() - before < 64 * 1024);
}

TEST_CASE("what a repeated lifted load violates is reported once", "[OUT-CONT][ANC-ONCE]") {
  const char *text = R"(kernel k(A: i64[4], C: mut i64[8]) {
  axis m = 32
  parallel p in [#0 = 8] {
    serial t in [#0 = 2] {
      x = A[LOAD]
      C(p.index()).store(p.index())
    }
  }
})";
  for (const auto &[load, count] : {std::pair<const char *, int>{"4, assume", 2}, {"2, [m], assume", 60}, {"4, predicate(true)", 2}}) {
    std::string t = text;
    t.replace(t.find("LOAD"), 4, load);
    const TileRun r = run_tile(t, {array("A", I(4, 0)), array("C", I(8, 0))});
    INFO(t << r.text());
    REQUIRE(r.diagnostics.size() == 1);
    CHECK(r.diagnostics[0].count == static_cast<std::uint64_t>(count)); // once per temporal point and element
  }
}

TEST_CASE("thirty-two levels deep", "[limits]" TILENEST_LONG) {
  for (const char *head : {"parallel v in [#0 = 1]", "serial v in [#0 = 2]", "if C[0] < 1000", "reduce v in [#0 = 2]"}) {
    std::string text = "kernel k(C: mut i64[1]) {\n";
    for (int i = 0; i < 20; ++i) {
      std::string line = head;
      if (const auto at = line.find('v'); line[0] != 'i' && at != std::string::npos) line.replace(line.find(" v "), 3, " v" + std::to_string(i) + " ");
      text += line + " {\n";
    }
    text += "C(0).atomic_add(1)\n";
    for (int i = 0; i < 20; ++i) text += "}\n";
    const TileRun r = run_tile(text + "}", {array("C", I{0})});
    INFO(text << r.text());
    CHECK(r.codes() == "");
    CHECK(r.get<std::int64_t>("C") == I{head[0] == 'p' || head[0] == 'i' ? 1 : 1 << 20});
  }
  // 32 parallels, each with a window of the root's tile: 2 instances at the outermost.
  std::string text = "kernel k(C: mut i64[2]) {\n axis m = 2\n acc = zeros i64 [m]\n parallel q in [#0 = 2] {\n";
  for (int i = 0; i < 31; ++i) text += "parallel p" + std::to_string(i) + " in [#0 = 1] {\n";
  text += "acc = insert(acc, q.index() + 5, (q.index() + p30.index()))\n";
  for (int i = 0; i < 32; ++i) text += "}\n";
  const TileRun r = run_tile(text + " C(0, [m]).store(acc)\n}", {array("C", I{0, 0})});
  INFO(r.text());
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{5, 6});
}

TEST_CASE("a thousand variables, carried together", "[limits][VAL-CARRY]") {
  // v0..v999 rotate by one in each of three rounds: v0 ends as 3, v999 as 2.
  std::string text = "kernel k(C: mut i64[2]) {\n";
  for (int i = 0; i < 1000; ++i) text += "v" + std::to_string(i) + ": i64 = " + std::to_string(i) + "\n";
  text += "serial s in [#0 = 3] {\nt = v0\n";
  for (int i = 0; i < 999; ++i) text += "v" + std::to_string(i) + " = v" + std::to_string(i + 1) + "\n";
  text += "v999 = t\n}\nC(0).store(v0)\nC(1).store(v999)\n}";
  const TileRun r = run_tile(text, {array("C", I{0, 0})});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{3, 2});
}

TEST_CASE("a while that does not end", "[limits]") {
  const TileRun r = run_tile("kernel k(C: mut i64[1]) {\n x: i64 = 0\n while x >= 0 { x = 1 - x }\n C(0).store(x)\n}", {array("C", I{0})},
                             [] { TileRunOptions o; o.while_limit = 1000; return o; }());
  CHECK(r.codes() == "L0302@3");
}

// Every row that the judgements accept runs (tests/types); what they would refuse is not reached by text.
TEST_CASE("what this engine does not run", "[limits]") {
  ParsedFile file = parse_text("t.tile", "kernel k(A: bool[4], C: out bool[1]) {\n  axis m = 4\n  C(0).store(reduce_and(A[0, [m]], m))\n}");
  REQUIRE(file.kernels.size() == 1);
  judge(file.kernels[0]);
  for (Op &op : file.kernels[0].ops)
    if (auto *reduce = std::get_if<ReduceAttr>(&op.attr)) reduce->reducer = Reducer::add;
  const auto bound = tilenest::bind(std::make_shared<TileProgram>(std::move(file.kernels[0])), {}, {});
  REQUIRE(bound.ok());
  std::uint8_t a[4] = {1, 1, 1, 1}, c = 0;
  const RunResult result = run(*bound, {{a, {4}, {1}}, {&c, {1}, {1}}});
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].code == Code::N0001);
  CHECK(result.diagnostics[0].sites[0].site.line == 3);
}

TEST_CASE("buffers that do not have the bound shape", "[limits]") {
  ParsedFile file = parse_text("t.tile", "kernel k(A: f32[M]) { }");
  REQUIRE(file.kernels.size() == 1);
  judge(file.kernels[0]);
  const auto bound = tilenest::bind(std::make_shared<TileProgram>(std::move(file.kernels[0])), {{"A", {4}}}, {});
  REQUIRE(bound.ok());
  float data[5] = {};
  auto code = [&](Buffer b) {
    const RunResult r = run(*bound, {std::move(b)});
    return r.diagnostics.empty() ? std::string() : std::string(r.diagnostics[0].info().code);
  };
  CHECK(code({data, {4}, {4}, true}) == "");
  CHECK(code({data, {5}, {4}, true}) == "T1103");
  CHECK(code({data, {4}, {}, true}) == "T1103");
  CHECK(code({}) == "T1103");
  const auto message = [&](Buffer b) { return run(*bound, {std::move(b)}).diagnostics.at(0).message(); };
  CHECK(message({data, {5, 1}, {4, 4}, true}) == "`A` is f32[4] here, its buffer is f32[5, 1]");
  CHECK(message({data, {4}, {}, true}) == "`A` is f32[4] here, its buffer is f32[4] with 0 strides");
}

TEST_CASE("strides of arguments: negative, zero, unaligned, transposed", "[limits][EFF-ORDER]") {
  ParsedFile file = parse_text("t.tile", R"(kernel k(A: i32[M, N], R: i32[N], C: out i32[N, M]) {
  axis m = M, n = N
  C((0, 0), [n, m]).store(transpose(A[(0, 0), [m, n]], [n, m]) + R[0, [n]])
})");
  REQUIRE(file.diagnostics.empty());
  REQUIRE_FALSE(has_error(judge(file.kernels[0])));
  const auto bound = tilenest::bind(std::make_shared<TileProgram>(std::move(file.kernels[0])), {{"A", {2, 3}}, {"R", {3}}, {"C", {3, 2}}}, {});
  REQUIRE(bound.ok());
  std::vector<std::byte> bytes(1 + 6 * 4);
  const std::int32_t a[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(bytes.data() + 1, a, sizeof a);
  std::int32_t ten = 10, c[6] = {};
  // A backwards from its last element, on an odd address; R the same element three times; C in Fortran order, so
  // that C[n, m] lies at n + 3 m.
  const RunResult r = run(*bound, {{bytes.data() + 1 + 20, {2, 3}, {-12, -4}, true}, {&ten, {3}, {0}, true}, {c, {3, 2}, {4, 12}, false}});
  CHECK(r.diagnostics.empty());
  CHECK(r.undefined_elements[2] == 0);
  CHECK(I(c, c + 6) == I{16, 15, 14, 13, 12, 11}); // A reversed is 6 5 4 / 3 2 1
}

TEST_CASE("a domain with more points than a run visits is a limit, found at once", "[limits]") {
  CHECK(run_tile("kernel k(Y: out i64[1]) {\n parallel p in [n = 1000000000000000] { }\n}").codes() == "L0303@2");
  CHECK(run_tile("kernel k(Y: out i64[1]) {\n serial p in [n = 9000000000000000000] { }\n}").codes() == "L0303@2");
  CHECK(run_tile("kernel k(Y: out i64[1]) {\n serial p in [n = 1000000000] order (i) -> (i) { }\n}").codes() == "L0303@2");
}
