// SPDX-License-Identifier: Apache-2.0
// Stage graphs by hand: the edges of small pipelines, each worked out from PIPE-CUT in the comment above it.
#include "semantics/judge.h"
#include "semantics/pipeline/pipeline.h"
#include "tests/kernel.h"

using namespace tilenest;

namespace {

// "0>1 value", "1>1+1 value", "0>1 A", "1>0+1 A?B" (overlap), "0>1 sync": one per edge, sorted, without repeats.
std::vector<std::string> edges(const TileProgram &p) {
  OpId id;
  nth(p, OpKind::pipeline, 0, &id);
  std::vector<std::string> out;
  for (const StageGraph::Edge &e : stage_graph(p, id).edges) {
    std::string s = std::to_string(e.producer) + ">" + std::to_string(e.consumer);
    if (e.distance) s += "+" + std::to_string(e.distance);
    if (e.kind == StageGraph::EdgeKind::value)
      s += " value";
    else if (!e.object.valid())
      s += " sync";
    else
      s += " " + p.objects[e.object].name + (e.if_overlap() ? "?" + p.objects[e.other].name : "");
    out.push_back(s);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

using Edges = std::vector<std::string>;

} // namespace

TEST_CASE("load, then accumulate", "[PIPE-CUT]") {
  // The loaded value goes 0 -> 1; acc is carried from 1 to 1 of the next iteration. Loads alone never conflict.
  Kernel k;
  const ViewId A = k.input("A", 8);
  const VarId acc = k.b.declare("acc", k.f32(0.0));
  const Scope s = k.pipeline("s", 4);
  k.b.stage("load");
  const ValueId x = k.load(A, s.coords[0]);
  k.b.stage("compute");
  k.b.assign(acc, k.add(k.b.read(acc), x));
  k.end();
  const TileProgram p = k.take();
  CHECK(edges(p) == Edges{"0>1 value", "1>1+1 value"});
  OpId id;
  nth(p, OpKind::pipeline, 0, &id);
  const StageGraph g = stage_graph(p, id);
  REQUIRE(g.stages.size() == 2);
  CHECK(g.stages[0].label == "load");
  CHECK(recurrences(g) == std::vector<std::vector<int>>{{1}});
  const std::string dot = to_graphviz(p, g);
  CHECK(dot.find("0->1 [label=\"load\"]") != std::string::npos); // the value that a load defines
  CHECK(dot.find("1[label=\"compute\"]") != std::string::npos);
}

TEST_CASE("a delay line carries across two iterations", "[PIPE-CUT]") {
  // Stage 0 defines a. Before the stages b takes a's carry and hands its own old one on: what stage 1 stores
  // went through b's carry (1) and a's (2). Storing C and loading A conflict if they overlap, C with itself.
  Kernel k;
  const ViewId A = k.input("A", 8), C = k.output("C", 8);
  const VarId a = k.b.declare("a", k.f32(0.0)), b = k.b.declare("b", k.f32(0.0));
  const Scope s = k.pipeline("s", 4);
  const ValueId old = k.b.read(b);
  k.b.assign(b, k.b.read(a));
  k.b.stage("one");
  k.b.assign(a, k.load(A, s.coords[0]));
  k.b.stage("two");
  k.store(C, s.coords[0], old);
  k.end();
  CHECK(edges(k.take()) == Edges{"0>1 A?C", "0>1+2 value", "1>0+1 A?C", "1>1+1 C"});
}

TEST_CASE("a definition that is overwritten is no dependence", "[PIPE-CUT]") {
  // v of the iteration before (stage 1) is replaced before stage 0 uses it.
  Kernel k;
  const ViewId A = k.input("A", 8);
  const VarId v = k.b.declare("v", k.i64(0));
  const Scope s = k.pipeline("s", 4);
  k.b.stage("one");
  k.b.assign(v, s.coords[0]);
  const ValueId x = k.load(A, k.b.read(v));
  k.b.stage("two");
  k.b.assign(v, k.b.cast(OpKind::cast, ScalarType::i64, x));
  k.end();
  CHECK(edges(k.take()) == Edges{"0>1 value"});
}

TEST_CASE("effects on one object order stages both ways", "[PIPE-CUT]") {
  // Write in 0, read in 1: forward at 0 (RAW), back at 1 (WAR); 0 writes again in the next iteration (WAW).
  Kernel k;
  const ViewId C = k.output("C", 8);
  const VarId acc = k.b.declare("acc", k.f32(0.0));
  const Scope s = k.pipeline("s", 4);
  k.b.stage("write");
  k.store(C, s.coords[0], 1.0);
  k.b.stage("read");
  k.b.assign(acc, k.add(k.b.read(acc), k.load(C, 0)));
  k.end();
  const TileProgram p = k.take();
  CHECK(edges(p) == Edges{"0>0+1 C", "0>1 C", "1>0+1 C", "1>1+1 value"});
  OpId id;
  nth(p, OpKind::pipeline, 0, &id);
  CHECK(recurrences(stage_graph(p, id)) == std::vector<std::vector<int>>{{0, 1}});
}

TEST_CASE("a memory declared in the body is fresh in each iteration", "[PIPE-CUT]") {
  Kernel k;
  const VarId acc = k.b.declare("acc", k.f32(0.0));
  k.pipeline("s", 4);
  k.b.stage("write");
  const ViewId t = k.b.memory("t", ScalarType::f32, k.line_space("n", 8), {}, "");
  k.store(t, 0, 1.0);
  k.b.stage("read");
  k.b.assign(acc, k.add(k.b.read(acc), k.load(t, 0)));
  k.end();
  CHECK(edges(k.take()) == Edges{"0>1 t", "1>1+1 value"});
}

TEST_CASE("a memory outside is one ring slot: no overlap without versions", "[PIPE-CUT]") {
  Kernel k;
  const ViewId t = k.b.memory("t", ScalarType::f32, k.line_space("n", 8), {}, "");
  const ViewId C = k.output("C", 8);
  const Scope s = k.pipeline("s", 4);
  k.b.stage("write");
  k.store(t, 0, 1.0);
  k.b.stage("read");
  k.store(C, s.coords[0], k.load(t, 0));
  k.end();
  // t and C are a memory and an argument: they never overlap.
  CHECK(edges(k.take()) == Edges{"0>0+1 t", "0>1 t", "1>0+1 t", "1>1+1 C"});
}

TEST_CASE("a sync is an effect on everything", "[PIPE-CUT]") {
  // Distance 0 to all later effects, 1 to all earlier ones; so is everything to it, and it to itself.
  Kernel k;
  const ViewId A = k.input("A", 8), B = k.input("B", 8);
  const Scope nest = k.parallel("nest", 2);
  const Scope s = k.pipeline("s", 4);
  k.b.stage("first");
  const ValueId x = k.load(A, s.coords[0]);
  k.b.stage("meet");
  k.b.sync(nest.level);
  k.b.stage("last");
  k.b.declare("y", k.add(x, k.load(B, s.coords[0])));
  k.end();
  k.end();
  CHECK(edges(k.take()) ==
        Edges{"0>1 sync", "0>2 value", "1>0+1 sync", "1>1+1 sync", "1>2 sync", "2>1+1 sync"});
}

TEST_CASE("equal atomics are unordered, others are not", "[PIPE-CUT]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  k.pipeline("s", 4);
  k.b.stage("a");
  k.atomic_add(C, 0, 1.0);
  k.b.stage("b");
  k.atomic_add(C, 1, 1.0);
  k.b.stage("c");
  k.b.atomic(k.at(C, std::int64_t{0}), AtomicKind::max, 1.0);
  k.end();
  CHECK(edges(k.take()) == Edges{"0>2 C", "1>2 C", "2>0+1 C", "2>1+1 C"});
}

TEST_CASE("scalars before the first stage belong to none and pass dependences on", "[PIPE-CUT]") {
  // n is carried: defined in stage 1, used by stage 0 of the next iteration through the scalar 2 * n.
  Kernel k;
  const ViewId A = k.input("A", 8);
  const VarId n = k.b.declare("n", k.i64(0));
  const VarId acc = k.b.declare("acc", k.f32(0.0));
  k.pipeline("s", 4);
  const ValueId twice = k.mul(k.b.read(n), 2);
  k.b.stage("load");
  const ValueId x = k.load(A, twice);
  k.b.stage("step");
  k.b.assign(acc, k.add(k.b.read(acc), x));
  k.b.assign(n, k.add(k.b.read(n), 1));
  k.end();
  // acc recurs in 1; so does n.
  CHECK(edges(k.take()) == Edges{"0>1 value", "1>0+1 value", "1>1+1 value"});
}

TEST_CASE("a counter before the first stage makes no edge", "[PIPE-CUT]") {
  Kernel k;
  const ViewId A = k.input("A", 8);
  const VarId n = k.b.declare("n", k.i64(0));
  k.pipeline("s", 4);
  k.b.assign(n, k.add(k.b.read(n), 1));
  k.b.stage("load");
  k.b.declare("x", k.load(A, k.b.read(n)));
  k.end();
  CHECK(edges(k.take()).empty());
}

TEST_CASE("a body without stages is one stage", "[PIPE-CUT]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  const Scope s = k.pipeline("s", 4);
  k.store(C, s.coords[0], k.load(C, 0));
  k.end();
  CHECK(edges(k.take()) == Edges{"0>0+1 C"});
}

TEST_CASE("a policy is not negative", "[CTX-PIPE]") {
  for (const PipelinePolicy bad : {PipelinePolicy{-1, 0, 0}, PipelinePolicy{0, -1, 0}, PipelinePolicy{0, 0, -2}}) {
    Kernel k;
    k.line(3);
    k.pipeline("s", 4);
    k.end();
    TileProgram p = k.take();
    CHECK(codes(pipelines_ok(p)).empty());
    p.policies[PolicyId(0)] = bad;
    CHECK(codes(judge(p)) == "T0607@3");
  }
}
