// SPDX-License-Identifier: Apache-2.0
// UPD-JOIN's roles, VAL-OWN's truncation, the notes of ANC-SHARE.
#include "semantics/placement/placement.h"
#include "tests/kernel.h"

using namespace tilenest;

namespace {

struct Assembly : Kernel {
  ViewId A = input("A", 8), C = output("C", 8);
  Space n = line_space("n", 8);
  VarId v = b.declare("v", zeros());
  ValueId zeros() { return b.full(ScalarType::f32, 0.0, n); }
};

} // namespace

TEST_CASE("windows, whole writes and collective updates", "[UPD-JOIN]") {
  Assembly k;
  const Scope p = k.parallel("p", 8);
  const ValueId i = p.coords[0];
  k.b.assign(k.v, k.zeros());                                      // 1 names no instance: collective
  k.b.assign(k.v, k.insert(k.b.read(k.v), 1.0, i));                // 2 window
  const ValueId chain = k.insert(k.insert(k.b.read(k.v), 1.0, i), 2.0, i);
  k.b.assign(k.v, chain);                                          // 3 a chain of windows
  const VarId t = k.b.declare("t", k.b.read(k.v));
  k.b.assign(t, k.insert(k.b.read(t), 3.0, i));
  k.b.assign(k.v, k.b.read(t));                                    // 4 through a copy
  k.b.assign(k.v, k.insert(k.b.read(t), 4.0, i));                  // 5 after the copy t is v's current definition
  const VarId old = k.b.declare("old", k.b.read(k.v));
  k.b.assign(k.v, k.insert(k.b.read(k.v), 5.0, i));                // 6 window; `old` keeps the one before
  k.b.assign(k.v, k.insert(k.b.read(old), 6.0, i));                // 7 takes 6 back: whole
  k.b.assign(k.v, k.zeros());                                      // 8 after own writes: own, no more collective
  k.end();
  TileProgram q = k.take();
  place(q);
  CHECK(q.variables[k.v].owner == root);
  CHECK(role(assignment(q, k.v, 0)) == AssignRole::own); // the owner's own context
  CHECK(role(assignment(q, k.v, 1)) == AssignRole::collective);
  CHECK(role(assignment(q, k.v, 2)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 3)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 4)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 5)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 6)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 7)) == AssignRole::own);
  CHECK(role(assignment(q, k.v, 8)) == AssignRole::own);
  CHECK(assignment(q, k.v, 8).anchor == p.level);
  CHECK(assignment(q, k.v, 1).anchor == root);
}

TEST_CASE("everything else writes all of the variable", "[UPD-JOIN]") {
  Assembly k;
  const VarId snapshot = k.b.declare("s", k.b.read(k.v));
  const Scope p = k.parallel("p", 8);
  const ValueId i = p.coords[0];
  const ValueId mine = k.op(OpKind::eq, {i, 0});
  k.b.assign(k.v, k.op(OpKind::ite, {mine, k.insert(k.b.read(k.v), 1.0, i), k.b.read(k.v)})); // ite is whole
  k.b.assign(k.v, k.b.read(k.v));                                   // a bare copy is whole
  k.b.assign(k.v, k.insert(k.b.read(snapshot), 1.0, i));            // a snapshot from outside is not v
  k.b.assign(k.v, k.add(k.insert(k.b.read(k.v), 1.0, i), 0.0));     // arithmetic on top is whole
  k.end();
  TileProgram q = k.take();
  place(q);
  for (int n = 1; n <= 4; ++n) CHECK(role(assignment(q, k.v, n)) == AssignRole::own);
}

TEST_CASE("merges keep what the path wrote: inserts under if and in a loop are windows", "[UPD-JOIN]") {
  Assembly k;
  const Scope p = k.parallel("p", 8);
  const ValueId i = p.coords[0];
  k.b.begin_if(k.op(OpKind::lt, {i, 4}));
  k.b.assign(k.v, k.insert(k.b.read(k.v), 1.0, i));
  k.end();
  k.b.assign(k.v, k.insert(k.b.read(k.v), 2.0, i)); // on the merge, which is the current definition
  k.serial("t", 3);
  k.b.assign(k.v, k.zeros()); // the carried definition is p's own after the first round: own
  k.b.assign(k.v, k.insert(k.b.read(k.v), 3.0, i));
  k.end();
  k.end();
  TileProgram q = k.take();
  place(q);
  CHECK(role(assignment(q, k.v, 1)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 2)) == AssignRole::window);
  CHECK(role(assignment(q, k.v, 3)) == AssignRole::own);
  CHECK(role(assignment(q, k.v, 4)) == AssignRole::window);
}

TEST_CASE("nested parallels: one assignment may be collective for one and a window for the other", "[UPD-JOIN]") {
  // In q under p an insert that names p only is lifted out of q and is p's window; one that names q is q's.
  // A whole update that names nothing is collective at the root, as long as no instance wrote before it.
  Assembly k;
  const Scope p = k.parallel("p", 4);
  const Scope q = k.parallel("q", 2);
  k.b.assign(k.v, k.add(k.b.read(k.v), 1.0));
  k.b.assign(k.v, k.insert(k.b.read(k.v), 1.0, p.coords[0]));
  k.b.assign(k.v, k.insert(k.b.read(k.v), 1.0, q.coords[0]));
  k.end();
  k.b.assign(k.v, k.zeros());
  k.end();
  TileProgram r = k.take();
  place(r);
  CHECK(assignment(r, k.v, 1).anchor == root);
  CHECK(role(assignment(r, k.v, 1)) == AssignRole::collective);
  CHECK(assignment(r, k.v, 2).anchor == p.level);
  CHECK(assignment(r, k.v, 2).frontier == q.level);
  CHECK(role(assignment(r, k.v, 2)) == AssignRole::window);
  CHECK(assignment(r, k.v, 3).anchor == q.level);
  CHECK(role(assignment(r, k.v, 3)) == AssignRole::window);
  CHECK(assignment(r, k.v, 4).anchor == p.level); // after q, p has written v itself
  CHECK(role(assignment(r, k.v, 4)) == AssignRole::own);
  CHECK(r.values[nth(r, OpKind::parallel, 1).results[0]].anchor == p.level);
  CHECK(r.values[nth(r, OpKind::parallel, 0).results[0]].anchor == root);
}

TEST_CASE("the owner is no deeper than the declaration", "[VAL-OWN]") {
  // Declared in a; a definition in b counts up to a. Declared at the root, the root owns it whatever a does.
  Kernel k;
  const VarId outer = k.b.declare("outer", k.i64(0));
  const Scope a = k.parallel("a", 4);
  const VarId x = k.b.declare("x", k.i64(0));
  k.b.assign(outer, k.add(a.coords[0], 1));
  const Scope b = k.parallel("b", 4);
  k.b.assign(x, k.add(b.coords[0], 1));
  k.end();
  k.end();
  TileProgram p = k.take();
  place(p);
  CHECK(p.variables[outer].owner == root);
  CHECK(p.variables[x].owner == a.level);
  CHECK(assignment(p, x, 1).anchor == b.level);
}

TEST_CASE("lifted stores and updates are noted, a lifted read-modify-write is warned of", "[ANC-SHARE]") {
  Assembly k;
  const Scope p = k.parallel("p", 8);
  k.line(11);
  k.store(k.C, 0, 1.0); // once
  k.line(12);
  k.store(k.C, p.coords[0], 1.0); // p's own
  k.line(13);
  k.b.assign(k.v, k.add(k.b.read(k.v), 1.0)); // acc += 1 counts once
  k.line(14);
  k.store(k.C, 1, k.add(k.load(k.C, 1), 1.0)); // counts once although it looks like a count
  k.line(15);
  k.store(k.C, 2, k.load(k.A, 2)); // another object
  k.line(16);
  k.store(k.C, 3, k.b.per(p.level, k.f32(1.0))); // p's own by request
  k.end();
  TileProgram q = k.take();
  const Diagnostics ds = place(q);
  CHECK(codes(ds) == "T0801@11 T0801@13 T0802@14 T0801@15");
  REQUIRE(ds.size() == 4);
  CHECK(ds[0].message() == "this store to `C` is lifted out of `p`: it happens once for all of its instances");
  CHECK(ds[1].message() == "this update of `v` is lifted out of `p`: it happens once for all of its instances");
  CHECK(ds[2].info().severity == Severity::warning);
  CHECK_FALSE(has_error(ds));
}

TEST_CASE("a value that went through a carry is still loaded from the object", "[ANC-SHARE]") {
  Assembly k;
  k.parallel("p", 8);
  const VarId s = k.b.declare("s", k.f32(0.0));
  const Scope i = k.serial("i", 4);
  k.b.assign(s, k.add(k.b.read(s), k.load(k.C, i.coords[0])));
  k.end();
  k.line(20);
  k.store(k.C, 0, k.b.read(s));
  k.end();
  TileProgram q = k.take();
  CHECK(codes(place(q)) == "T0802@20");
}

TEST_CASE("a subtree is lifted where nothing in it names the level", "[ANC-SHARE]") {
  Assembly k;
  const Scope p = k.parallel("p", 8);
  const Scope i = k.serial("i", 4);
  k.load(k.A, i.coords[0]);
  k.end();
  k.serial("j", 4);
  k.load(k.A, p.coords[0]);
  k.end();
  k.end();
  TileProgram q = k.take();
  place(q);
  OpId first, second;
  CHECK(nth(q, OpKind::serial, 0, &first).anchor == root);
  CHECK(nth(q, OpKind::serial, 1, &second).anchor == root); // the loop itself; not all that stands in it
  CHECK(subtree_anchor(q, first) == root);
  CHECK(subtree_anchor(q, second) == p.level);
}
