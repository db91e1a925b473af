// SPDX-License-Identifier: Apache-2.0
// ANC-LEAST and what hangs on it. Each expectation is the join that the calculus states, worked out in the
// comment above it.
#include "semantics/judge.h"
#include "semantics/placement/placement.h"
#include "semantics/text/parser.h"
#include "tests/kernel.h"

using namespace tilenest;

namespace {

TileProgram placed(Kernel &k, const char *reports = "") {
  TileProgram p = k.take();
  CHECK(codes(place(p)) == reports);
  return p;
}
LevelId anchor(const TileProgram &p, ValueId v) { return p.values[v].anchor; }

} // namespace

TEST_CASE("the seed's accumulator: anchor is the nest, frontier the subnest", "[ANC-LEAST][VAL-OWN]") {
  // acc = zeros has no dependence; a and b name nest's coordinate, so mma joins nest; acc's definitions join
  // to nest, its declaration allows nest: owner nest. The subnest's coordinate is named nowhere.
  Kernel k;
  const ViewId A = k.input("A", 64), B = k.input("B", 64);
  const DimId m = k.b.dim("m"), kk = k.b.dim("k"), n = k.b.dim("n");
  const Scope nest = k.parallel("nest", 4);
  const VarId acc = k.b.declare("acc", k.b.full(ScalarType::f32, 0.0, k.space({{m, 4}, {n, 4}})));
  const Scope subnest = k.parallel("subnest", 2);
  const Scope step = k.pipeline("step", 3);
  const ValueId row = k.add(k.mul(nest.coords[0], 16), step.coords[0]);
  const ValueId a = k.b.broadcast(k.b.load(k.window(A, row, {m, 4})), k.space({{m, 4}, {kk, 2}}));
  const ValueId b = k.b.broadcast(k.b.load(k.window(B, row, {n, 4})), k.space({{kk, 2}, {n, 4}}));
  k.line(7);
  k.b.assign(acc, k.b.mma(a, b, k.b.read(acc)));
  k.end();
  k.end();
  k.end();
  const TileProgram p = placed(k, "T0801@7"); // an update that counts once per nest, not per subnest
  const Op &mma = nth(p, OpKind::mma);
  CHECK(mma.anchor == nest.level);
  CHECK(mma.frontier == subnest.level);
  CHECK(p.variables[acc].owner == nest.level);
  CHECK(assignment(p, acc, 0).anchor == nest.level);
  CHECK(assignment(p, acc, 1).anchor == nest.level);
  CHECK(role(assignment(p, acc, 1)) == AssignRole::collective);
  CHECK(nth(p, OpKind::constant).anchor == root); // the zero itself
}

TEST_CASE("without a dependence on the nest everything about it is the root's", "[ANC-LEAST][VAL-OWN]") {
  // Declared in nest, but each definition joins to the root: the least prefix is the root.
  Kernel k;
  const Scope nest = k.parallel("nest", 4);
  const VarId x = k.b.declare("x", k.f32(0.0));
  k.b.assign(x, k.add(k.b.read(x), 1.0));
  k.end();
  const TileProgram p = placed(k); // declared in the same parallel: once or per instance is the same, no note
  CHECK(p.variables[x].owner == root);
  CHECK(p.variables[x].declared == nest.level);
  CHECK(assignment(p, x, 1).anchor == root);
  CHECK(assignment(p, x, 1).frontier == nest.level);
}

TEST_CASE("naming a coordinate is a dependence even where the value is not one", "[ANC-LEAST]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  const Scope b = k.parallel("b", 4);
  const ValueId product = k.mul(b.coords[0], 0); // b * 0 depends on b, textually
  const ValueId outer = k.mul(a.coords[0], 0);
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, product) == b.level);
  CHECK(anchor(p, outer) == a.level);
}

TEST_CASE("an index is that of the nest asked, not of an active descendant", "[EXT-NOW]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  k.parallel("b", 4);
  const Scope c = k.parallel("c", 4);
  const ValueId x = k.add(a.coords[0], 1);
  const ValueId y = k.add(x, c.coords[0]);
  k.end();
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, x) == a.level);
  CHECK(anchor(p, y) == c.level);
}

TEST_CASE("temporal and reduction coordinates name no level", "[ANC-LEAST]") {
  Kernel k;
  const ViewId A = k.input("A", 64);
  const Scope a = k.parallel("a", 4);
  const VarId s = k.b.declare("s", k.f32(0.0));
  const Scope i = k.serial("i", 8);
  const Scope r = k.reduce("r", 8);
  const ValueId x = k.load(A, k.add(i.coords[0], r.coords[0]));
  k.b.assign(s, k.add(k.b.read(s), x));
  k.end();
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, i.coords[0]) == root);
  CHECK(anchor(p, r.coords[0]) == root);
  CHECK(anchor(p, x) == root);
  CHECK(nth(p, OpKind::serial).anchor == root);
  CHECK(nth(p, OpKind::reduce_region).anchor == root);
  CHECK(nth(p, OpKind::load).frontier == a.level);
  CHECK(p.variables[s].owner == root);
}

TEST_CASE("what stands under a condition depends on it", "[ANC-LEAST]") {
  // The literal inside the arm stands under a's condition: anchored at a. The merge depends on it, too. In
  // the switch under a condition of the root everything stays at the root.
  Kernel k;
  const ViewId A = k.input("A", 64);
  const ValueId uniform = k.i64(3);
  const Scope a = k.parallel("a", 4);
  const VarId x = k.b.declare("x", k.f32(0.0));
  const VarId y = k.b.declare("y", k.f32(0.0));
  k.b.begin_if(k.op(OpKind::lt, {a.coords[0], 2}));
  const ValueId inside = k.load(A, 5);
  k.b.assign(x, inside);
  k.end();
  k.b.begin_switch(uniform);
  k.b.begin_case(1);
  const ValueId shared = k.load(A, 6);
  k.b.assign(y, shared);
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, inside) == a.level);
  CHECK(nth(p, OpKind::if_).anchor == a.level);
  CHECK(p.variables[x].owner == a.level);
  CHECK(assignment(p, x, 0).anchor == a.level); // through its owner
  CHECK(anchor(p, nth(p, OpKind::if_).results[0]) == a.level);
  CHECK(anchor(p, shared) == root);
  CHECK(p.variables[y].owner == root);
}

TEST_CASE("predicates and while conditions are control", "[ANC-LEAST]") {
  // a's own domain predicate is evaluated outside a: what stands in a does not name a's coordinates by it.
  // The serial loop's predicate names a: all its body is a's.
  Kernel k;
  const ViewId A = k.input("A", 64);
  const DimId d = k.b.dim("a");
  ParallelSpec spec;
  spec.name = "a";
  spec.domain = k.space({{d, 4}});
  spec.predicate = k.op(OpKind::lt, {k.b.iota({d, Extent(4)}), 3});
  const Scope a = k.b.begin_parallel(spec);
  const ValueId lifted = k.load(A, 1);
  const DimId e = k.b.dim("i");
  LoopSpec loop;
  loop.name = "i";
  loop.domain = k.space({{e, 8}});
  loop.predicate = k.op(OpKind::lt, {k.b.iota({e, Extent(8)}), a.coords[0]});
  const Scope i = k.b.begin_serial(loop);
  const ValueId ragged = k.load(A, 2);
  k.end();
  const VarId n = k.b.declare("n", a.coords[0]);
  k.b.begin_while();
  const ValueId in_condition = k.load(A, 3);
  k.b.while_condition(k.op(OpKind::gt, {k.b.read(n), 0}));
  const ValueId in_body = k.load(A, 4);
  k.b.assign(n, k.op(OpKind::sub, {k.b.read(n), 1}));
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, lifted) == root);
  CHECK(anchor(p, ragged) == a.level);
  CHECK(anchor(p, i.coords[0]) == a.level); // the loop itself stands there
  CHECK(nth(p, OpKind::serial).anchor == a.level);
  CHECK(anchor(p, in_condition) == a.level);
  CHECK(anchor(p, in_body) == a.level);
  CHECK(nth(p, OpKind::while_).anchor == a.level);
}

TEST_CASE("a domain predicate counts for what stands under it", "[ANC-LEAST]") {
  // b's predicate names a's coordinate: b's body is anchored at a at least, though it names nothing itself.
  Kernel k;
  const ViewId A = k.input("A", 64);
  const Scope a = k.parallel("a", 4);
  const DimId d = k.b.dim("b");
  ParallelSpec spec;
  spec.name = "b";
  spec.domain = k.space({{d, 4}});
  spec.predicate = k.op(OpKind::lt, {k.b.iota({d, Extent(4)}), a.coords[0]});
  const Scope b = k.b.begin_parallel(spec);
  const ValueId x = k.load(A, 1);
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, x) == a.level);
  CHECK(p.regions[nth(p, OpKind::load).parent].level == b.level);
}

TEST_CASE("a memory's owner holds what touches it", "[ANC-LEAST][MEM-OWN]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  k.parallel("b", 4);
  const ViewId t = k.b.memory("t", ScalarType::f32, k.line_space("n", 8), {}, "");
  k.store(t, 0, 1.0);
  const ValueId x = k.load(t, 0);
  k.end();
  const ViewId u = k.b.memory("u", ScalarType::f32, k.line_space("n", 8), {}, "");
  k.store(u, 0, 1.0);
  k.end();
  const TileProgram p = placed(k);
  const LevelId b = p.regions[nth(p, OpKind::load).parent].level;
  CHECK(p.objects[p.views[t].object].owner == b);
  CHECK(p.objects[p.views[u].object].owner == a.level);
  CHECK(anchor(p, x) == b);
  CHECK(nth(p, OpKind::store, 0).anchor == b);
  CHECK(nth(p, OpKind::store, 1).anchor == a.level);
}

TEST_CASE("a loop feeds a later anchor back to the definitions before it", "[ANC-LEAST]") {
  // In the first round x is the root's zero; at the end of it x depends on a. The argument joins both, so the
  // product computed from it, earlier in the text, is a's. z goes through two carries: two rounds.
  Kernel k;
  const Scope a = k.parallel("a", 4);
  const VarId x = k.b.declare("x", k.i64(0));
  const VarId y = k.b.declare("y", k.i64(0));
  const VarId z = k.b.declare("z", k.i64(0));
  k.serial("i", 8);
  k.b.assign(z, k.b.read(y));
  const ValueId early = k.mul(k.b.read(x), 2);
  k.b.assign(y, early);
  k.b.assign(x, k.add(k.b.read(x), a.coords[0]));
  k.end();
  const ValueId after = k.add(k.b.read(z), 1);
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, early) == a.level);
  CHECK(anchor(p, after) == a.level);
  CHECK(p.variables[z].owner == a.level);
}

TEST_CASE("what the instances of a parallel give back is the parent's", "[ANC-LEAST][UPD-JOIN]") {
  // v is declared in a, its windows are b's: the definition after b is one of a, and so is its owner.
  Kernel k;
  const Scope a = k.parallel("a", 4);
  const VarId v = k.b.declare("v", k.b.full(ScalarType::f32, 0.0, k.line_space("n", 8)));
  const Scope b = k.parallel("b", 8);
  k.b.assign(v, k.insert(k.b.read(v), 1.0, b.coords[0]));
  k.end();
  const ValueId after = k.add(k.b.read(v), 1.0);
  k.end();
  const TileProgram p = placed(k);
  CHECK(p.variables[v].owner == a.level);
  CHECK(assignment(p, v, 1).anchor == b.level);
  CHECK(role(assignment(p, v, 1)) == AssignRole::window);
  CHECK(anchor(p, nth(p, OpKind::parallel, 1).results[0]) == a.level);
  CHECK(anchor(p, after) == a.level);
}

TEST_CASE("atomics and syncs are never lifted", "[ANC-ATOM]") {
  // Both stand under nothing and name nothing: the store happens once, the atomic once per instance.
  Kernel k;
  const ViewId C = k.output("C", 8);
  const Scope a = k.parallel("a", 4);
  k.atomic_add(C, 0, 1.0);
  IndexedAccess histogram;
  histogram.view = C;
  histogram.index = {k.i64(3)};
  k.b.scatter(histogram, 1.0, AtomicKind::add);
  k.line(9);
  k.b.scatter(histogram, 1.0, {});
  k.b.sync(a.level);
  k.end();
  const TileProgram p = placed(k, "T0801@9");
  CHECK(nth(p, OpKind::atomic).anchor == a.level);
  CHECK(nth(p, OpKind::scatter, 0).anchor == a.level);
  CHECK(nth(p, OpKind::scatter, 1).anchor == root);
  CHECK(nth(p, OpKind::sync).anchor == a.level);
}

TEST_CASE("an operation outside any nest is the root's and runs once", "[CTX-ROOT]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  k.store(C, 0, 1.0);
  const TileProgram p = placed(k); // no note: nothing to be lifted out of
  CHECK(nth(p, OpKind::store).anchor == root);
  CHECK(nth(p, OpKind::store).frontier == root);
}

TEST_CASE("per gives a value one identity per instance", "[ANC-PER]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  const Scope b = k.parallel("b", 4);
  const ValueId x = k.b.per(a.level, k.f32(1.0));
  const ValueId y = k.b.per(b.level, k.add(x, 1.0));
  k.end();
  k.end();
  const TileProgram p = placed(k);
  CHECK(anchor(p, x) == a.level);
  CHECK(anchor(p, y) == b.level);
}

TEST_CASE("per above a value's own anchor is refused", "[ANC-PER]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  const Scope b = k.parallel("b", 4);
  k.line(5);
  k.b.per(a.level, k.add(b.coords[0], 1));
  k.end();
  k.end();
  placed(k, "T0603@5");
}

TEST_CASE("a pinned anchor may be deeper and propagates, and is never shallower", "[ANC-LEAST]") {
  Kernel k;
  const Scope a = k.parallel("a", 4);
  const Scope b = k.parallel("b", 4);
  const ValueId x = k.f32(1.0);
  k.b.pin_anchor(a.level);
  const ValueId y = k.add(x, 1.0);
  k.line(8);
  k.add(b.coords[0], 1);
  k.b.pin_anchor(a.level);
  k.end();
  const ValueId z = k.f32(2.0);
  k.line(11);
  k.b.pin_anchor(b.level);
  k.end();
  TileProgram p = k.take();
  const Diagnostics ds = place(p);
  // The second pin lies above b, which the operation names; the third does not enclose its operation.
  REQUIRE(ds.size() == 2);
  CHECK(codes(ds) == "T0803@8 T0804@8");
  CHECK(ds[0].message() == "the anchor is pinned to `a`, this operation is anchored at `b`");
  CHECK(ds[1].message() == "the anchor is pinned to `b`, which does not enclose this operation");
  CHECK(anchor(p, x) == a.level);
  CHECK(anchor(p, y) == a.level);
  CHECK(anchor(p, z) == root);
}

TEST_CASE("what is never lifted cannot be pinned above its frontier", "[ANC-ATOM]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  k.parallel("a", 4);
  k.line(4);
  k.atomic_add(C, 0, 1.0);
  k.b.pin_anchor(root);
  k.end();
  placed(k, "T0803@4");
}

TEST_CASE("placing twice gives the same attributes", "[ANC-LEAST]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  const Scope a = k.parallel("a", 4);
  k.store(C, a.coords[0], 1.0);
  k.f32(1.0);
  k.b.pin_anchor(a.level);
  k.end();
  TileProgram p = placed(k);
  const LevelId store = nth(p, OpKind::store).anchor, pinned = nth(p, OpKind::constant, 1).anchor;
  place(p);
  CHECK(nth(p, OpKind::store).anchor == store);
  CHECK(nth(p, OpKind::constant, 1).anchor == pinned);
  CHECK(store == a.level);
}

TEST_CASE("the seed's example from text: one mma per nest and step, distributed to the subnest", "[ANC-LEAST]") {
  // Line 9: a and b name nest's coordinate and none of subnest's.
  ParsedFile file = parse_text("seed.tile", R"(kernel seed(A: f32[M, K], B: f32[K, N], C: out f32[M, N]) {
  axis gm = ceil_div(M, 8), w = 4, kt = ceil_div(K, 16)
  axis m = 8, n = 8, k = 16
  parallel nest in [gm] {
    acc = zeros f32 [m, n]
    parallel subnest in [w] {
      pipeline step in [kt] {
        a = A[(nest.gm * 8, step.kt * 16), [m, k]]
        acc = mma(a, B[(step.kt * 16, 0), [k, n]], acc)
      }
    }
    C((nest.gm * 8, 0), [m, n]).store(acc)
  }
}
)");
  for (const Diagnostic &d : file.diagnostics) UNSCOPED_INFO(d.message());
  REQUIRE(file.kernels.size() == 1);
  TileProgram &p = file.kernels[0];
  CHECK(codes(judge(p)) == "T0801@9");
  const Op &mma = nth(p, OpKind::mma), &store = nth(p, OpKind::store);
  CHECK(p.levels[mma.anchor].name == "nest");
  CHECK(p.levels[mma.frontier].name == "subnest");
  CHECK(store.anchor == mma.anchor);
  CHECK(nth(p, OpKind::load, 1).anchor == root); // B's window names no nest
  CHECK(p.variables[VarId(0)].owner == mma.anchor);
}
