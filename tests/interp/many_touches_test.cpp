// SPDX-License-Identifier: Apache-2.0
// Many operations on one element: every pair is decided, and the time grows with their number, not its square.
#include "tests/interp/tile_run.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <ctime>

using namespace tilenest;

namespace {
std::string times(int n, const std::string &line) {
  std::string out;
  for (int i = 0; i < n; ++i) out += line + "\n";
  return out;
}
} // namespace

TEST_CASE("of many reads each interferes with a later write", "[PAR-NI]") {
  for (const int n : {3, 15, 16, 17, 40}) { // around the length from which on there is an index
    TileRunOptions options;
    options.cause_limit = 1000;
    const auto one = array("Y", std::vector<std::int64_t>{0});
    const TileRun reads = run_tile("kernel k(Y: mut i64[1], Z: out i64[3]) {\nparallel p in [#0 = 3] {\nx: i64 = 0\n" + times(n, "x = x + Y[0]") +
                                       "Z(p.index()).store(x)\nif p.index() == 1 { Y(0).store(1) }\n}\n}", {one}, options);
    INFO(n << reads.text());
    CHECK(reads.diagnostics.size() == static_cast<std::size_t>(n));
    // Its own reads are ordered before a write.
    const TileRun own = run_tile("kernel k(Y: mut i64[3]) {\nparallel p in [#0 = 3] {\nx: i64 = 0\n" + times(n, "x = x + Y[p.index()]") +
                                     "Y(p.index()).store(x)\n" + times(n, "Y(p.index()).store(Y[p.index()] + 1)") + "}\n}",
                                 {array("Y", std::vector<std::int64_t>{0, 0, 0})}, options);
    INFO(own.text());
    CHECK(own.diagnostics.empty());
    // Equal atomics are unordered, but no plain access beside them.
    const TileRun atomics = run_tile("kernel k(Y: mut i64[1]) {\nparallel p in [#0 = 3] {\n" + times(n, "Y(0).atomic_add(1)") +
                                         "if p.index() == 2 { Y(0).atomic_max(1) }\n}\n}", {one}, options);
    INFO(atomics.text());
    CHECK(atomics.diagnostics.size() == static_cast<std::size_t>(n));
    const TileRun clean = run_tile("kernel k(Y: mut i64[1]) {\nparallel p in [#0 = 3] {\n" + times(n, "Y(0).atomic_add(1)") + "}\n}", {one}, options);
    CHECK(clean.diagnostics.empty());
    CHECK(clean.get<std::int64_t>("Y") == std::vector<std::int64_t>{3 * n});
    // A write beside writes and reads of another instance interferes with all.
    const TileRun mixed = run_tile("kernel k(Y: mut i64[1]) {\nparallel p in [#0 = 2] {\nif p.index() == 0 {\n" + times(n, "Y(0).store(Y[0] + 1)") +
                                       "} else { Y(0).store(1) }\n}\n}", {one}, options);
    INFO(mixed.text());
    CHECK(mixed.diagnostics.size() == static_cast<std::size_t>(2 * n));
  }
}

TEST_CASE("ten thousand operations on one element", "[PAR-NI][limits]" TILENEST_LONG) {
  for (const char *line : {"Y(0).store(1)", "Y(0).store(Y[0] + 1)", "Y(0).atomic_add(1)"}) {
    const std::string text = "kernel k(Y: mut i64[1]) {\nserial i in [#0 = 2] {\n" + times(10000, line) + "}\n}";
    const std::clock_t before = std::clock();
    const TileRun r = run_tile(text, {array("Y", std::vector<std::int64_t>{0})});
    INFO(line);
    CHECK(r.diagnostics.empty());
    CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 8); // compared with each other they take 40
  }
}
