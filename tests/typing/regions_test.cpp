// SPDX-License-Identifier: Apache-2.0
// Places of stages and syncs, domains, layouts: what a captured program may still get wrong.
#include "semantics/judge.h"
#include "tests/kernel.h"

using namespace tilenest;

namespace {

std::string refused(Kernel &k) { return codes(typing_ok(k.take_unjudged())); }

} // namespace

TEST_CASE("once a stage stands, effects and tiles follow the first", "[PIPE-CUT]") {
  Kernel k;
  const ViewId A = k.input("A", 8), C = k.output("C", 8);
  const DimId m = k.b.dim("m");
  const Scope s = k.pipeline("s", 4);
  const ValueId twice = k.mul(s.coords[0], 2); // a pure scalar may stand before
  k.line(5);
  k.load(A, twice); // reads memory
  k.line(6);
  k.store(C, twice, 1.0);
  k.line(7);
  k.b.iota({m, Extent(4)}); // a tile
  k.line(8);
  k.b.begin_if(k.op(OpKind::lt, {twice, 4}));
  k.line(9);
  k.store(C, twice, 1.0); // not unconditionally, but before all the same
  k.end();
  k.line(10);
  k.b.stage("one");
  k.load(A, twice);
  k.b.stage("two");
  k.store(C, twice, 1.0);
  k.end();
  CHECK(refused(k) == "T0609@5 T0609@6 T0609@7 T0609@9");
}

TEST_CASE("without a stage a pipeline's body is free", "[PIPE-CUT]") {
  Kernel k;
  const ViewId A = k.input("A", 8), C = k.output("C", 8);
  const Scope s = k.pipeline("s", 4);
  k.store(C, s.coords[0], k.load(A, s.coords[0]));
  k.end();
  CHECK(refused(k) == "");
}

TEST_CASE("scalars, their variables and their conditions may stand before the first stage", "[PIPE-CUT]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  const VarId n = k.b.declare("n", k.i64(0));
  const Scope s = k.pipeline("s", 4);
  k.b.begin_if(k.op(OpKind::lt, {s.coords[0], 2}));
  k.b.assign(n, k.add(k.b.read(n), 1));
  k.end();
  k.b.stage("only");
  k.store(C, k.b.read(n), 1.0);
  k.end();
  CHECK(refused(k) == "");
}

TEST_CASE("a stage stands at the top level of a pipeline's body", "[PIPE-CUT]") {
  // The builder refuses it; a program from elsewhere may hold it: here the pipeline became a serial loop.
  Kernel k;
  k.pipeline("s", 4);
  k.line(4);
  k.b.stage("one");
  k.end();
  TileProgram p = k.take();
  OpId id;
  nth(p, OpKind::pipeline, 0, &id);
  p.ops[id].kind = OpKind::serial;
  CHECK(codes(typing_ok(p)) == "T0601@4");
}

TEST_CASE("a stage's values reach the stages after it", "[CTX-STAGE]") {
  Kernel k;
  const ViewId A = k.input("A", 8), C = k.output("C", 8);
  const Scope nest = k.parallel("nest", 2);
  const Scope s = k.pipeline("s", 4);
  k.b.stage("load");
  const ValueId x = k.load(A, s.coords[0]);
  k.b.stage("store");
  k.store(C, s.coords[0], x);
  k.end();
  k.end();
  const TileProgram p = k.take();
  const Op &store = nth(p, OpKind::store);
  CHECK(p.ops[p.regions[store.parent].op].kind == OpKind::stage);
  CHECK(p.regions[store.parent].level == nest.level); // a stage keeps the prefix
}

TEST_CASE("a sync stands in its own parallel, in no reduce", "[SYNC]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  k.b.begin_if(k.op(OpKind::lt, {a.coords[0], 4}));
  k.line(4);
  k.b.sync(a.level); // conditional, in its own parallel: typed; meeting is a matter of the run
  k.end();
  k.serial("i", 2);
  k.line(6);
  k.b.sync(a.level);
  k.end();
  k.reduce("r", 4);
  k.line(8);
  k.b.sync(a.level);
  k.end();
  k.end();
  k.reduce("q", 4);
  const Scope b = k.parallel("b", 4);
  k.line(13);
  k.b.sync(b.level);
  k.end();
  k.end();
  const TileProgram p = k.take_unjudged();
  const Diagnostics ds = typing_ok(p);
  CHECK(codes(ds) == "T0602@8 T0602@13");
  REQUIRE(!ds.empty());
  CHECK(ds[0].message() == "`sync` of `a` stands where a `reduce` encloses it");
}

TEST_CASE("a sync of another nest is refused", "[SYNC]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  k.parallel("b", 4);
  k.line(4);
  k.b.sync(a.level);
  k.end();
  k.end();
  CHECK_FALSE(k.b.finish().ok()); // already while capturing
  // And in a finished program.
  Kernel m;
  const Scope c = m.parallel("c", 4);
  const Scope d = m.parallel("d", 4);
  m.line(4);
  m.b.sync(d.level);
  m.end();
  m.end();
  TileProgram p = m.take();
  OpId id;
  nth(p, OpKind::sync, 0, &id);
  p.ops[id].attr = ParallelAttr{c.level};
  CHECK(codes(typing_ok(p)) == "T0602@4");
}

TEST_CASE("a domain's predicate is a bool tile over its dims", "[IDX-PRED]") {
  Kernel k;
  const DimId d = k.b.dim("d"), e = k.b.dim("e");
  auto serial = [&](std::uint32_t line, ValueId predicate) {
    k.line(line);
    LoopSpec s;
    s.name = "s";
    s.domain = k.space({{d, 4}});
    s.predicate = predicate;
    k.b.begin_serial(s);
    k.end();
  };
  const ValueId over_d = k.b.iota({d, Extent(4)}), over_e = k.b.iota({e, Extent(4)});
  serial(10, k.op(OpKind::lt, {over_d, 2}));
  serial(11, over_d);
  serial(12, k.op(OpKind::lt, {over_e, 2}));
  serial(13, k.op(OpKind::lt, {k.b.iota({d, Extent(5)}), 2}));
  serial(14, k.op(OpKind::lt, {k.i64(1), 2})); // over no dim: all or nothing
  CHECK(refused(k) == "T0105@11 T0212@12 T0215@13");
}

TEST_CASE("carries need equal predicates", "[IDX-PRED]") {
  // Both definitions are restricted by one predicate: fine. The definition inside by another one: refused.
  for (const bool equal : {true, false}) {
    Kernel k;
    const DimId d = k.b.dim("d");
    const ValueId i = k.b.iota({d, Extent(4)});
    const ValueId p = k.op(OpKind::lt, {i, 3}), q = k.op(OpKind::lt, {i, 2});
    const ValueId x = k.b.full(ScalarType::f32, 1.0, k.space({{d, 4}}));
    const VarId v = k.b.declare("v", k.b.restrict(x, p));
    k.line(7);
    k.serial("s", 3);
    k.b.assign(v, k.b.restrict(x, p));
    k.end();
    TileProgram program = k.take();
    if (!equal) {
      // The builder refuses this; a pass may not have.
      OpId id;
      const Op &inside = nth(program, OpKind::restrict, 1, &id);
      program.values[inside.results[0]].type.active = {q};
      program.ops[id].operands[1] = q;
      program.values[assignment(program, v, 1).results[0]].type.active = {q};
    }
    CHECK(codes(typing_ok(program)) == (equal ? "" : "T0213@7"));
  }
}

TEST_CASE("an inferred domain needs an access", "[CTX-INFER]") {
  Kernel k;
  ParallelSpec s;
  s.name = "p";
  s.infer = true;
  k.line(3);
  k.b.begin_parallel(s);
  k.end();
  CHECK(refused(k) == "T0605@3");
}

TEST_CASE("a parallel's map takes the path and the local coordinate", "[CTX-MAP]") {
  for (const int inputs : {1, 2}) {
    Kernel k;
    k.parallel("a", 4);
    ParallelSpec s;
    s.name = "b";
    s.domain = k.line_space("b", 4);
    std::vector<IndexExpr> out;
    for (int i = 0; i < inputs; ++i) out.push_back(index_input(i));
    s.map = Map::expressions(inputs, out);
    k.line(4);
    k.b.begin_parallel(s);
    k.end();
    k.end();
    CHECK(refused(k) == (inputs == 2 ? "" : "T0606@4"));
  }
}

TEST_CASE("judge refuses what typing refuses and goes no further", "[PIPE-CUT]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  k.pipeline("s", 4);
  k.line(3);
  k.store(C, 0, 1.0);
  k.b.stage("one");
  k.end();
  TileProgram p = k.take_unjudged();
  CHECK(codes(judge(p)) == "T0609@3");
  CHECK_FALSE(nth(p, OpKind::store).anchor.valid()); // not placed
}
