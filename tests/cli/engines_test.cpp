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

TEST_CASE("an order that is no bijection is refused before any engine runs", "[cli][engines][CTX-SER]") {
  const Folder f;
  f.file("order.tile", "kernel order(Y: mut f32[6]) {\n  axis q = 4\n  serial i in [q] order (a) -> (a * 0) { Y(i.q).store(Y[i.q] + 1) }\n}\n");
  for (const char *engine : {"interp", "plan", "cpu"}) {
    const Outcome o = f.tilenest({"run", "order.tile", "--fill", "1", "--engine", engine});
    CHECK(o.status == 2);
    holds(o.err, "T0610");
  }
  const Outcome check = f.tilenest({"check", "order.tile"});
  CHECK(check.status == 2);
  holds(check.err, "T0610");
  f.file("open.tile", "kernel open(Y: mut f32[N]) {\n  axis q = N\n  serial i in [q] order (a) -> (xor(a, 1)) { Y(i.q).store(1.0) }\n}\n");
  for (const char *engine : {"interp", "plan"}) {
    CHECK(f.tilenest({"run", "open.tile", "--shape", "N=6", "--fill", "1", "--engine", engine}).status == 0);
    CHECK(f.tilenest({"run", "open.tile", "--shape", "N=5", "--fill", "1", "--engine", engine}).status == 2);
  }
}

TEST_CASE("an extent of 0 makes a space empty on every engine", "[cli][engines][SPC-UNIQ]") {
  const Folder f;
  f.file("empty.tile", "kernel empty(X: f32[A, B, C], Y: out f32[1]) { Y(0).store(sum(X[(0, 0, 0), [A, B, C]]) + 1) }\n");
  f.file("tile.tile", "kernel tile(Y: out f32[1]) { x = zeros f32 [a = 0, b = 65536, c = 65536]; Y(0).store(f32(1) + sum(x)) }\n");
  f.file("loop.tile", "kernel loop(Y: mut f32[1]) {\n  parallel p in [a = 0, b = 4294967296, c = 4294967296] { Y(0).store(7.0) }\n"
                      "  serial s in [a = 0, b = 4294967296, c = 4294967296] { Y(0).store(7.0) }\n}\n");
  for (const char *engine : {"interp", "plan", "cpu"}) {
    const Outcome argument = f.tilenest({"run", "empty.tile", "--shape", "A=0,B=65536,C=65536", "--fill", "1", "--engine", engine});
    if (argument.status == 5 && argument.err.find("N1501") != std::string::npos) continue; // a build without the CPU engine
    CHECK(argument.status == 0);
    holds(argument.out, "min 1.0");
    const Outcome tile = f.tilenest({"run", "tile.tile", "--engine", engine});
    CHECK(tile.status == 0);
    holds(tile.out, "min 1.0");
    const Outcome loop = f.tilenest({"run", "loop.tile", "--fill", "1", "--engine", engine});
    CHECK(loop.status == 0);
    holds(loop.out, "min 1.0");
  }
  // The reference visits no extent of an empty tile.
  f.file("forms.tile", "kernel forms(Y: out f32[1], Z: out f32[1]) {\n  axis a = 4294967296, b = 4294967296, c = 0, d = 1\n"
                       "  x = zeros f32 [c, a, b]\n  y = reshape(cumsum(transpose(x * 2.0, [a, b, c]), a), [d, c, a])\n"
                       "  z = mma(zeros f32 [c, a, b], zeros f32 [a, b, d = 0], zeros f32 [c, d = 0])\n"
                       "  Y(0).store(sum(y) + sum(softmax(x, a)) + sum(z) + 1)\n"
                       "  Z(0).store(sum(relabel(x, [a, b, c])) + sum(take(x, iota(c), 0, 0)) + 1)\n}\n");
  const Outcome forms = f.tilenest({"run", "forms.tile"});
  INFO(forms.err);
  CHECK(forms.status == 0);
  holds(forms.out, "min 1.0");
}
