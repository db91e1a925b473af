// SPDX-License-Identifier: Apache-2.0
// run --engine and print --emit: what each engine gives, what it refuses, and what it shows.
#include "tests/cli/command.h"
#include <catch2/catch.hpp>

using namespace tilenest::cli_test;

namespace {
const char scale_kernel[] = "kernel scale(X: f32[N], Y: out f32[N]) {\n  axis n = 8\n  parallel p in [m = ceil_div(N, 8)] {\n"
                            "    Y(p.m * 8, [n]).store(X[p.m * 8, [n]] * 2.0)\n  }\n}\n";
} // namespace

TEST_CASE("every engine gives the elements", "[cli][engines]") {
  const Folder f;
  f.file("scale.tile", scale_kernel);
  const Outcome reference = f.tilenest({"run", "scale.tile", "--shape", "N=21", "--fill", "iota"});
  CHECK(reference.status == 0);
  for (const char *engine : {"plan", "cpu"}) {
    for (const bool strict : {false, true}) {
      std::vector<std::string> words{"run", "scale.tile", "--shape", "N=21", "--fill", "iota", "--engine", engine};
      if (strict) words.emplace_back("--strict");
      const Outcome o = f.tilenest(words);
      if (o.status == 5 && o.err.find("N1501") != std::string::npos) continue; // a build without the CPU engine
      CHECK(o.status == 0);
      CHECK(o.out == reference.out);
    }
  }
}

TEST_CASE("an assertion fails on every engine", "[cli][engines]") {
  const Folder f;
  f.file("no.tile", "kernel no(X: f32[4]) {\n  axis n = 4\n  assert(X[1] < 0.0, \"below\")\n}\n");
  for (const char *engine : {"interp", "plan", "cpu"}) {
    const Outcome o = f.tilenest({"run", "no.tile", "--fill", "1", "--engine", engine});
    if (o.status == 5) continue;
    CHECK(o.status == 1);
    holds(o.err, "A0001");
    holds(o.err, "no.tile:3:");
  }
}

TEST_CASE("what is the reference's alone is refused for other engines", "[cli][engines]") {
  const Folder f;
  f.file("scale.tile", scale_kernel);
  for (const std::vector<std::string> &more : std::vector<std::vector<std::string>>{
           {"--engine", "plan", "--cover"}, {"--engine", "plan", "--first"}, {"--engine", "cpu", "--schedule", "seed=1"},
           {"--engine", "cpu", "--while-limit", "9"}, {"--strict"}, {"--engine", "gpu"}}) {
    std::vector<std::string> words{"run", "scale.tile", "--shape", "N=21", "--fill", "iota"};
    words.insert(words.end(), more.begin(), more.end());
    CHECK(f.tilenest(words).status == 64);
  }
}

TEST_CASE("a plan and the code made of it are shown", "[cli][engines]") {
  const Folder f;
  f.file("scale.tile", scale_kernel);
  const Outcome plan = f.tilenest({"print", "scale.tile", "--emit", "plan"});
  CHECK(plan.status == 0);
  holds(plan.out, "plan scale(N) {");
  holds(plan.out, "launch p (");
  const Outcome llvm = f.tilenest({"print", "scale.tile", "--emit", "llvm"});
  if (llvm.status != 5) holds(llvm.out, "define");
  const Outcome text = f.tilenest({"print", "scale.tile", "--emit", "asm"});
  if (text.status != 5) holds(text.out, "ret");
}

TEST_CASE("overlapping arguments keep their snapshots on every engine", "[cli][engines][VAL-SNAP]") {
  const Folder f;
  f.file("shift.tile", "kernel shift(X: mut i64[9]) {\n  axis n = 8\n  X(1, [n]).store(X[0, [n]])\n}\n");
  const Outcome reference = f.tilenest({"run", "shift.tile", "--fill", "iota"});
  CHECK(reference.status == 0);
  for (const char *engine : {"plan", "cpu"}) {
    const Outcome o = f.tilenest({"run", "shift.tile", "--fill", "iota", "--engine", engine});
    if (o.status != 5) CHECK(o.out == reference.out);
  }
}

TEST_CASE("an access that breaks its promise is the program's fault on the engine plan, too", "[cli][engines][BND-ASSUME]") {
  const Folder f;
  f.file("far.tile", "kernel far(Y: mut f32[4]) {\n  axis n = 4\n  Y(3, [n], assume).store(full(f32 [n], 1.0))\n}\n");
  const Outcome o = f.tilenest({"run", "far.tile", "--fill", "zeros", "--engine", "plan"});
  CHECK(o.status == 3);
  holds(o.err, "U0201");
  holds(o.err, "far.tile:3:");
}
