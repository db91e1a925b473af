// SPDX-License-Identifier: Apache-2.0
// Instances on several threads: which parallels go there, and that nothing shows it (run_tile compares 1, 2 and 4
// threads for every program of this folder).
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilenest;

namespace {

// Parallels that ran on threads, of a program that reports these codes.
std::uint64_t on_threads(const std::string &text, std::vector<NamedArray> arrays = {}, bool checked = true,
                         const std::string &codes = "") {
  TileRunOptions options;
  options.threads = 2;
  options.checked = checked;
  const TileRun r = run_tile(text, std::move(arrays), options);
  CHECK(r.codes() == codes);
  return r.on_threads;
}

const std::vector<float> sixteen = iota_values<float>(16);

} // namespace

TEST_CASE("windows that stand apart run on threads", "[threads][PAR-FREE]") {
  CHECK(on_threads(R"(kernel k(A: f32[16], C: out f32[16]) {
  axis g = 4, m = 4
  parallel p in [g] { C((p.g * 4), [m]).store(A[(p.g * 4), [m]] * 2.0) }
})", {array("A", sixteen)}) == 1);
  // Two dims as the digits of one axis, the last one first.
  CHECK(on_threads(R"(kernel k(A: f32[16], C: out f32[16]) {
  axis g = 2, h = 4, m = 2
  parallel p in [g, h] { C((14 - p.g * 2 - p.h * 4), [m]).store(A[(p.g * 2), [m]]) }
})", {array("A", sixteen)}) == 1);
  // Each instance works in its place of what it stores to.
  CHECK(on_threads(R"(kernel k(C: mut f32[4, 4]) {
  axis g = 4, m = 4
  parallel p in [g] {
    parallel q in [m] { C(p.g, q.m).store(C[p.g, q.m] + 1.0) }
  }
})", {array("C", {4, 4}, sixteen)}) == 1);
  // What stands outside is one number for all instances.
  CHECK(on_threads(R"(kernel k(C: mut f32[16]) {
  axis g = 4, t = 4
  serial s in [t] {
    at = s.t * 4
    parallel p in [g] { C(at + p.g).store(C[at + p.g] * 3.0) }
  }
})", {array("C", sixteen)}) == 4);
}

TEST_CASE("bytes side by side are defined by different threads", "[threads][MEM-INIT]") {
  const std::string text = R"(kernel k(C: out i8[4096]) {
  axis g = 512, m = 8
  parallel p in [g] { C((p.g * 8), [m]).store(full(i8 [m], 1)) }
})";
  for (int i = 0; i < 20; ++i) {
    TileRunOptions options;
    options.threads = 4;
    const TileRun r = run_tile(text, {}, options);
    CHECK(r.on_threads == 1);
    CHECK(r.undefined.at("C") == 0);
  }
}

TEST_CASE("what sees the order of instances runs on one thread", "[threads][PAR-FREE]") {
  // The last instance's element stays.
  CHECK(on_threads(R"(kernel k(C: out i64[1]) {
  axis g = 4
  parallel p in [g] { C(0).store(p.g) }
})", {}, true, "U0301@3") == 0);
  // Windows that overlap by one element.
  CHECK(on_threads(R"(kernel k(C: out i64[13]) {
  axis g = 4, m = 4
  parallel p in [g] { C((p.g * 3), [m]).store(full(i64 [m], 1) * p.g) }
})", {}, true, "U0301@3") == 0);
  // A load of a neighbour's element.
  CHECK(on_threads(R"(kernel k(C: mut i64[5]) {
  axis g = 4
  parallel p in [g] { C(p.g).store(C[p.g + 1]) }
})", {array("C", std::vector<std::int64_t>{1, 2, 3, 4, 5})}, true, "U0301@3") == 0);
  // Atomics, for floats the order of the sum.
  CHECK(on_threads(R"(kernel k(C: mut f32[1]) {
  axis g = 4
  parallel p in [g] { C(0).atomic_add(cast(p.g, f32)) }
})", {array("C", std::vector<float>{0})}) == 0);
  // A sync, and a tile that the instances put together.
  CHECK(on_threads(R"(kernel k(A: f32[16], C: out f32[16]) {
  axis g = 16
  parallel p in [g] {
    x = A[p.g]
    p.sync()
    C(p.g).store(x)
  }
})", {array("A", sixteen)}) == 0);
  // One buffer behind two arguments.
  CHECK(on_threads(R"(kernel k(A: f32[16], C: mut f32[16]) {
  axis g = 16
  parallel p in [g] { C(p.g).store(A[p.g] + 1.0) }
})", {array("C", sixteen), alias("A", {16}, "C")}) == 0);
}

TEST_CASE("reports and limits are those of one thread", "[threads][OUT-CONT]") {
  // Elements 3, 7, 11, ... are divided by zero; the third cause, or the first, ends the run.
  const std::string text = R"(kernel k(A: i32[64], C: mut i32[64]) {
  axis g = 16, m = 4
  parallel p in [g] {
    x = A[(p.g * 4), [m]]
    C((p.g * 4), [m]).store(100 / x)
    assert(x[0] < 40)
    assert(x[1] < 20)
  }
})";
  std::vector<std::int32_t> values;
  for (int i = 0; i < 64; ++i) values.push_back(i % 4 == 3 ? 0 : i + 1);
  for (const std::size_t threads : {1, 4})
    for (const std::uint64_t limit : {1, 2, 20}) {
      TileRunOptions options;
      options.threads = threads;
      options.cause_limit = limit;
      const TileRun r = run_tile(text, {array("A", values), array("C", std::vector<std::int32_t>(64, -1))}, options);
      CHECK(r.codes() == (limit == 1 ? "U0101@5" : limit == 2 ? "U0101@5 A0001@7" : "U0101@5 A0001@7 A0001@6"));
      CHECK(r.on_threads == 0);
      // By hand: stopped in the first instance, in the sixth (x[1] = 22), or not at all.
      const auto c = r.get<std::int32_t>("C");
      CHECK(c[0] == 100);
      CHECK(c[24] == (limit == 20 ? 4 : -1));
    }
  TileRunOptions first;
  first.threads = 2;
  first.first_only = true;
  CHECK(run_tile(text, {array("A", values), array("C", std::vector<std::int32_t>(64, -1))}, first).codes() == "U0101@5");
}

TEST_CASE("a limit on memory does not depend on threads", "[threads]") {
  // Each instance holds 1 MiB tiles: what one thread can hold, four can not at a time.
  const std::string text = R"(kernel k(C: out f32[64, 1]) {
  axis g = 64, m = 512, n = 512, one = 1
  parallel p in [g] {
    x = full(f32 [m, n], 1.0) * cast(p.g, f32)
    C((p.g, 0), [_, one]).store(broadcast(sum(sum(x, n), m), [one]))
  }
})";
  for (const std::size_t mebibytes : {1, 2, 3, 4, 5, 6, 8, 16, 64}) {
    TileRunOptions options;
    options.threads = 4;
    options.memory_limit = mebibytes << 20;
    const TileRun r = run_tile(text, {}, options);
    if (mebibytes <= 1) CHECK(r.codes() == "L0301@0");
    if (mebibytes >= 8) CHECK(r.codes() == "");
    if (r.codes().empty()) CHECK(r.get<float>("C")[3] == 3.0f * 512 * 512);
  }
}

TEST_CASE("contributions that interfere through their parallels say so on any number of threads", "[threads][PAR-NI][RED-EFF]") {
  CHECK(on_threads(R"(kernel k(C: out i64[4]) {
  axis r = 3, q = 4
  reduce i in [r] {
    parallel p in [q] { C(p.q).store(p.q) }
  }
})", {}, true, "U0301@4") == 0);
  // Each contribution has its own row.
  on_threads(R"(kernel k(C: out i64[3, 4]) {
  axis r = 3, q = 4
  reduce i in [r] {
    parallel p in [q] { C(i.r, p.q).store(p.q) }
  }
})");
}

// Loads and stores take turns: 2 where one instance sees the other's store, 1 where both load first.
TEST_CASE("interleaved instances show what they race for", "[PAR-FREE]") {
  const auto finals = [](const std::string &body, bool interleave) {
    std::set<std::int32_t> out;
    ExhaustiveChooser every(Freedom::order);
    int runs = 0;
    do {
      TileRunOptions options;
      options.chooser = &every;
      options.checked = false;
      options.interleave = interleave;
      out.insert(run_tile("kernel k(Y: mut i32[2]) {\n  axis n = 2\n" + body + "\n}", {array<std::int32_t>("Y", {0, 0})}, options).get<std::int32_t>("Y")[0]);
      REQUIRE(++runs < 1000);
    } while (every.next());
    return out;
  };
  const std::string counter = "  parallel p in [n] { x = Y[p.n - p.n]\n Y(p.n - p.n).store(x + 1) }";
  CHECK(finals(counter, false) == std::set<std::int32_t>{2});
  CHECK(finals(counter, true) == std::set<std::int32_t>{1, 2});
  // A sync between them: both have loaded.
  CHECK(finals("  parallel p in [n] { x = Y[p.n - p.n]\n sync p\n Y(p.n - p.n).store(x + 1) }", true) == std::set<std::int32_t>{1});
  CHECK(finals("  parallel p in [n] { Y(0).atomic_add(1) }", true) == std::set<std::int32_t>{2});
  // Nested, each adds its own.
  CHECK(finals("  axis m = 1\n  parallel p in [n] { parallel q in [m] { Y(0).atomic_add(cast(p.n * 2 + q.m + 1, i32)) } }", true) == std::set<std::int32_t>{4});
}
