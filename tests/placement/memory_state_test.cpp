// SPDX-License-Identifier: Apache-2.0
// MEM-STATE: which state each access uses and makes.
#include "semantics/placement/placement.h"
#include "tests/kernel.h"

using namespace tilenest;

namespace {

std::uint32_t before(const Op &op) { return op.states.at(0).before; }
std::uint32_t after(const Op &op) { return op.states.at(0).after; }

} // namespace

TEST_CASE("each store makes a state, a load uses the one that reaches it", "[MEM-STATE]") {
  Kernel k;
  const ViewId C = k.output("C", 8), D = k.output("D", 8);
  k.load(C, 0);
  k.store(C, 0, 1.0);
  k.load(C, 0);
  k.load(D, 0);
  k.store(C, 0, 2.0);
  TileProgram p = k.take();
  number_states(p);
  const Op &load0 = nth(p, OpKind::load, 0), &load1 = nth(p, OpKind::load, 1), &other = nth(p, OpKind::load, 2);
  const Op &store0 = nth(p, OpKind::store, 0), &store1 = nth(p, OpKind::store, 1);
  CHECK(before(load0) == 0);
  CHECK(after(load0) == before(load0));
  CHECK(before(store0) == 0);
  CHECK(after(store0) != before(store0));
  CHECK(before(load1) == after(store0));
  CHECK(before(other) == 0); // another object
  CHECK(before(store1) == after(store0));
  CHECK(after(store1) != after(store0));
}

TEST_CASE("arms start from one state and leave another; loops start from a merge", "[MEM-STATE]") {
  Kernel k;
  const ViewId C = k.output("C", 8);
  const ValueId c = k.op(OpKind::lt, {k.i64(1), k.i64(2)});
  k.store(C, 0, 1.0); // state 1
  k.b.begin_if(c);
  k.store(C, 0, 2.0);
  k.b.begin_else();
  k.load(C, 0); // sees state 1, not the other arm's
  k.end();
  k.load(C, 0); // sees the merge
  k.serial("i", 4);
  k.load(C, 0); // not the state before the loop: the iteration before may have stored
  k.store(C, 0, 3.0);
  k.end();
  k.load(C, 0);
  k.serial("j", 4);
  k.load(C, 0); // a loop that stores nothing leaves the state alone
  k.end();
  TileProgram p = k.take();
  number_states(p);
  const Op &first = nth(p, OpKind::store, 0);
  const Op &arm = nth(p, OpKind::if_);
  CHECK(before(nth(p, OpKind::store, 1)) == after(first));
  CHECK(before(nth(p, OpKind::load, 0)) == after(first));
  CHECK(before(arm) == after(first));
  CHECK(after(arm) != after(nth(p, OpKind::store, 1)));
  CHECK(before(nth(p, OpKind::load, 1)) == after(arm));
  const Op &loop = nth(p, OpKind::serial, 0);
  CHECK(before(loop) == after(arm));
  CHECK(before(nth(p, OpKind::load, 2)) != before(loop));
  CHECK(before(nth(p, OpKind::load, 2)) != after(nth(p, OpKind::store, 2)));
  CHECK(before(nth(p, OpKind::load, 3)) == after(loop));
  CHECK(after(loop) != after(nth(p, OpKind::store, 2)));
  CHECK(nth(p, OpKind::serial, 1).states.empty());
  CHECK(before(nth(p, OpKind::load, 4)) == after(loop));
}

TEST_CASE("a sync makes the other instances' stores visible", "[MEM-STATE]") {
  // C is shared by p's instances and written in p; t is each instance's own and D is only read.
  Kernel k;
  const ViewId C = k.output("C", 8), D = k.input("D", 8);
  const Scope s = k.parallel("p", 8);
  const ViewId t = k.b.memory("t", ScalarType::f32, k.line_space("n", 8), {}, "");
  k.store(t, 0, 1.0);
  k.store(C, s.coords[0], 1.0);
  k.load(D, 0);
  k.b.sync(s.level);
  k.load(C, 0);
  k.load(t, 0);
  k.load(D, 0);
  k.end();
  TileProgram p = k.take();
  number_states(p);
  const Op &sync = nth(p, OpKind::sync);
  REQUIRE(sync.states.size() == 1);
  CHECK(sync.states[0].object == p.views[C].object);
  CHECK(before(sync) == after(nth(p, OpKind::store, 1)));
  CHECK(before(nth(p, OpKind::load, 1)) == after(sync));
  CHECK(after(sync) != before(sync));
  CHECK(before(nth(p, OpKind::load, 2)) == after(nth(p, OpKind::store, 0)));
  CHECK(before(nth(p, OpKind::load, 3)) == before(nth(p, OpKind::load, 0)));
  REQUIRE(nth(p, OpKind::parallel).states.size() == 1); // t is not visible outside
  CHECK(nth(p, OpKind::parallel).states[0].object == p.views[C].object);
}
