// SPDX-License-Identifier: Apache-2.0
// UPD-JOIN: what instances write of an ancestor's tile and how it comes together. Every expected value is
// derived in the comment above it.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {
TileRun assemble(const std::string &body, std::size_t n = 8, const TileRunOptions &options = {}) {
  return run_tile(R"(kernel k(C: mut i64[8]) {
  axis i = 4, m = 8
  acc = iota(m) * 10
)" + body + R"(
  C(0, [m]).store(acc)
})", {array("C", {8}, I(n, -1))}, options);
}
} // namespace

TEST_CASE("instances write windows, the rest passes", "[UPD-JOIN]") {
  // p writes p + 100 at 2p; odd elements keep 10 * m.
  const TileRun r = assemble(R"(  parallel p in [i] {
    acc = insert(acc, p.index() + 100, (p.index() * 2))
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{100, 10, 101, 30, 102, 50, 103, 70});
}

TEST_CASE("a chain of inserts, through copies and per, is one window write", "[UPD-JOIN]") {
  const I expected{0, 100, 0, 101, 0, 102, 0, 103}; // even ones 0 by the second insert, odd ones p + 100
  CHECK(assemble(R"(  parallel p in [i] {
    acc = insert(insert(acc, p.index() + 100, (p.index() * 2 + 1)), 0, (p.index() * 2))
  })").get<std::int64_t>("C") == expected);
  CHECK(assemble(R"(  parallel p in [i] {
    t = acc
    t = insert(t, p.index() + 100, (p.index() * 2 + 1))
    u = t
    acc = insert(u, 0, (p.index() * 2))
  })").get<std::int64_t>("C") == expected);
  CHECK(assemble(R"(  parallel p in [i] {
    t = insert(per(p, acc), p.index() + 100, (p.index() * 2 + 1))
    acc = per(p, insert(per(p, t), 0, (p.index() * 2)))
  })").get<std::int64_t>("C") == expected);
}

TEST_CASE("conditions and loops keep what the path taken wrote", "[UPD-JOIN]") {
  // p = 1, 3 write 100 + p at p; each p writes 200 + s at 4 + p while s counts 0..p: the last is 200 + p, but p = 0
  // has no round and leaves 40.
  const TileRun r = assemble(R"(  parallel p in [i] {
    if p.index() % 2 == 1 {
      acc = insert(acc, p.index() + 100, (p.index()))
    }
    s: i64 = 0
    while s < p.index() {
      s = s + 1
      acc = insert(acc, s + 200, (p.index() + 4))
    }
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 101, 20, 103, 40, 201, 202, 203});
}

TEST_CASE("an element that the instance has not written reads the shared definition", "[UPD-JOIN]") {
  // p reads element p + 4 (shared: 10 (p + 4)) after it wrote p; then its own element p, which is what it wrote.
  const TileRun r = assemble(R"(  parallel p in [i] {
    acc = insert(acc, acc[p.index() + 4] + 1, (p.index()))
    acc = insert(acc, acc[p.index()] * 2, (p.index()))
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{82, 102, 122, 142, 40, 50, 60, 70});
}

TEST_CASE("a collective update counts once and is everybody's", "[UPD-JOIN]") {
  // acc + 1 names no coordinate: one new shared definition. Then each p writes its window of that. Every instance reaches
  // the reading of acc, and so reads what another writes.
  const TileRun r = assemble(R"(  parallel p in [i] {
    acc = acc + 1
    acc = insert(acc, acc[p.index()] * 100, (p.index()))
  })");
  CHECK(r.codes() == "U0305@5");
  CHECK(r.get<std::int64_t>("C") == I{100, 1100, 2100, 3100, 41, 51, 61, 71});
  // In a loop: once per temporal point, 3 times.
  CHECK(assemble(R"(  parallel p in [i] {
    serial s in [#0 = 3] { acc = acc + 1 }
  })").get<std::int64_t>("C") == I{3, 13, 23, 33, 43, 53, 63, 73});
}

TEST_CASE("once an instance has written, whole updates in it are its own", "[UPD-JOIN]") {
  // The whole update after the window writes all elements in each of 4 instances: every element has four writers, by this
  // line and by the one before, and three instances read what the fourth has written, in the one line or the other.
  const TileRun r = assemble(R"(  parallel p in [i] {
    acc = insert(acc, 1, (p.index()))
    acc = acc + 1
  })");
  CHECK(r.codes() == "U0305@5 U0302@5 U0305@6 U0302@6");
  CHECK(r.says("(2) written by p(i=1)"));
  CHECK(r.says("(1) written by p(i=0)"));
  // One active instance: nothing overlaps; element 2 is 1 + 1, the others 10 m + 1.
  const TileRun one = assemble(R"(  parallel p in [i] where i == 2 {
    acc = insert(acc, 1, (p.index()))
    acc = acc + 1
  })");
  CHECK(one.codes() == "");
  CHECK(one.get<std::int64_t>("C") == I{1, 11, 2, 31, 41, 51, 61, 71});
}

TEST_CASE("an own whole update writes all of the variable", "[UPD-JOIN]") {
  const TileRun r = assemble("  parallel p in [i] where i == 3 { acc = acc + p.index() }");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{3, 13, 23, 33, 43, 53, 63, 73});
  CHECK(assemble("  parallel p in [i] { acc = acc + p.index() }").codes() == "U0305@4 U0302@4");
  // `ite` writes all of it, too, whatever it selects.
  CHECK(assemble("  parallel p in [i] { acc = ite(iota(m) == p.index(), full(i64 [m], 7), acc) }").codes() == "U0305@4 U0302@4");
  // So does an insert into a definition from outside under another name.
  CHECK(assemble("  old = acc\n  parallel p in [i] { acc = insert(old, 7, (p.index())) }").codes() == "U0302@5");
}

TEST_CASE("a copy of another variable is no window", "[UPD-JOIN]") {
  // One instance: acc becomes the snapshot with one element replaced, also where acc was updated before.
  const TileRun r = assemble(R"(  old = acc
  acc = acc + 1000
  parallel p in [i] where i == 1 { acc = insert(old, 7, (p.index())) })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 7, 20, 30, 40, 50, 60, 70});
}

TEST_CASE("overlapping windows are reported with both instances, statements and the element", "[UPD-JOIN]") {
  const TileRun r = assemble(R"(  parallel p in [i] {
    if p.index() == 0 {
      acc = insert(acc, 5, (3))
    } else {
      acc = insert(acc, p.index(), (p.index() * 2 + 1))
    }
  })");
  // p = 0 writes 3 (line 6), p = 1 writes 3 (line 8), 2 writes 5, 3 writes 7.
  REQUIRE(r.codes() == "U0302@8");
  CHECK(r.says("`acc[3]`"));
  CHECK(r.says("(2) written by p(i=1)"));
  CHECK(r.says("(1) written by p(i=0)"));
  CHECK(r.diagnostics[0].count == 1);
  REQUIRE(r.diagnostics[0].sites.size() == 2);
  CHECK(r.diagnostics[0].sites[1].site.line == 6);
  // The run goes on with the reference order's value.
  CHECK(r.get<std::int64_t>("C") == I{0, 10, 20, 1, 40, 2, 60, 3});
}

TEST_CASE("that both write the same value is no excuse; one report per cause with its count", "[UPD-JOIN]") {
  // 4 instances write elements 0, 1: elements 0 and 1 are each written again 3 times: 6 overlaps.
  const TileRun r = assemble("  parallel p in [i] { acc = insert(acc, full(i64 [m = 2], 0), (p.index() * 0)) }");
  REQUIRE(r.codes() == "U0302@4");
  CHECK(r.diagnostics[0].count == 6);
}

TEST_CASE("nested parallels join level by level", "[UPD-JOIN]") {
  // (p, q) writes 10 p + q + 1 at 4 p + q for q < 3: elements 3 and 7 keep their value.
  const TileRun r = assemble(R"(  parallel p in [#0 = 2] {
    parallel q in [#0 = 3] {
      acc = insert(acc, p.index() * 10 + q.index() + 1, (p.index() * 4 + q.index()))
    }
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1, 2, 3, 30, 11, 12, 13, 70});
}

TEST_CASE("an overlap between cousins is found at the outer join", "[UPD-JOIN]") {
  // (0, q) writes q, (1, q) writes 2 + q: element 2 has (0, 2) and (1, 0).
  const TileRun r = assemble(R"(  parallel p in [a = 2] {
    parallel q in [b = 3] {
      acc = insert(acc, 1, (p.index() * 2 + q.index()))
    }
  })");
  REQUIRE(r.codes() == "U0302@6");
  CHECK(r.says("`acc[2]`"));
  CHECK(r.says("(2) written by p(a=1)"));
  CHECK(r.says("(1) written by p(a=0)"));
}

TEST_CASE("an overlap between siblings of one outer instance names the whole path", "[UPD-JOIN]") {
  const TileRun r = assemble(R"(  serial t in [c = 3] {
    parallel p in [a = 2] {
      parallel q in [b = 2] {
        if t.index() == 2 { acc = insert(acc, 1, (p.index() * 2)) }
      }
    }
  })");
  // The insert names p only: it is lifted out of q, one write per p. No overlap.
  CHECK(r.codes() == "");
  const TileRun s = assemble(R"(  serial t in [c = 3] {
    parallel p in [a = 2] {
      parallel q in [b = 2] {
        if t.index() == 2 { acc = insert(acc, q.index(), (p.index() * 2)) }
      }
    }
  })");
  REQUIRE(s.codes() == "U0302@7");
  CHECK(s.says("(2) written by t(c=2), p(a=0), q(b=1)"));
  CHECK(s.diagnostics[0].count == 2);
}

TEST_CASE("outer windows before, between and after an inner parallel", "[UPD-JOIN]") {
  // p (0, 1): element 4p = -1; inner q writes 4p + 1 + q = q, reading element 4p it sees -1; after it p writes
  // 4p + 3 = what it reads at 4p + 2 (q = 1: 1) plus 50.
  const TileRun r = assemble(R"(  parallel p in [#0 = 2] {
    b = p.index() * 4
    acc = insert(acc, -1, (b))
    parallel q in [#0 = 2] {
      acc = insert(acc, q.index() - acc[b] - 1, (b + 1 + q.index()))
    }
    acc = insert(acc, acc[b + 2] + 50, (b + 3))
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{-1, 0, 1, 51, -1, 0, 1, 51});
}

TEST_CASE("a variable owned in the middle", "[UPD-JOIN]") {
  // t belongs to p; q's write its windows; then p stores it: row p is p, p*10 + q at 1 + q.
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 4]) {
  axis a = 2, b = 3, m = 4
  parallel p in [a] {
    t = full(i64 [m], p.index())
    parallel q in [b] {
      t = insert(t, p.index() * 10 + q.index(), (q.index() + 1))
    }
    C((p.index(), 0), [_, m]).store(t)
  }
})", {array("C", {2, 4}, I(8, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{0, 0, 1, 2, 1, 10, 11, 12});
}

TEST_CASE("a whole update of an instance's definition from a deeper frontier is that instance's, once", "[UPD-JOIN]") {
  // p = 1 writes element 1, then, lifted out of q, adds 1 to all of its definition: once, not per q.
  const TileRun r = assemble(R"(  parallel p in [i] where i == 1 {
    acc = insert(acc, 5, (p.index()))
    parallel q in [#0 = 3] { acc = acc + 1 }
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1, 6, 21, 31, 41, 51, 61, 71});
  // Then q's windows on top of it: elements 0, 1, 2 become 10 q + what p left there. What is lifted out of q reads them in
  // every q that reaches it.
  const TileRun s = assemble(R"(  parallel p in [i] where i == 1 {
    acc = insert(acc, 5, (p.index()))
    parallel q in [#0 = 3] {
      acc = acc + 1
      acc = insert(acc, acc[q.index()] + q.index() * 10, (q.index()))
    }
  })");
  CHECK(s.codes() == "U0305@7");
  CHECK(s.get<std::int64_t>("C") == I{1, 16, 41, 31, 41, 51, 61, 71});
}

TEST_CASE("no active instance: the incoming definition", "[UPD-JOIN]") {
  CHECK(assemble("  parallel p in [i] where i > 9 { acc = insert(acc, 1, (p.index())) }").get<std::int64_t>("C") ==
        I{0, 10, 20, 30, 40, 50, 60, 70});
}

TEST_CASE("two variables, a swap in the instances", "[UPD-JOIN]") {
  // a and b change places in one active instance (whole, own updates).
  const TileRun r = run_tile(R"(kernel k(C: mut i64[2, 3]) {
  axis i = 4, m = 3
  a = full(i64 [m], 1)
  b = full(i64 [m], 2)
  parallel p in [i] where i == 2 {
    t = a
    a = b + p.index()
    b = t + p.index()
  }
  C((0, 0), [_, m]).store(a)
  C((1, 0), [_, m]).store(b)
})", {array("C", {2, 3}, I(6, -1))});
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{4, 4, 4, 3, 3, 3});
}

TEST_CASE("insert outside the tile is a violation, its other elements are written", "[UPD-JOIN]") {
  const TileRun r = assemble("  acc = insert(acc, full(i64 [m = 3], 1), (6))");
  REQUIRE(r.codes() == "U0303@4");
  CHECK(r.says("the window has extents [3], the tile [8]"));
  CHECK(r.get<std::int64_t>("C") == I{0, 10, 20, 30, 40, 50, 1, 1});
  CHECK(assemble("  acc = insert(acc, full(i64 [m = 3], 1), (5))").codes() == "");
  CHECK(assemble("  acc = insert(acc, full(i64 [m = 3], 1), (-1))").codes() == "U0303@4");
  // Inactive elements of the piece write nothing, outside or not.
  CHECK(assemble("  acc = insert(acc, restrict(full(i64 [m = 3], 1), m < 2), (6))").codes() == "");
}

TEST_CASE("a lifted insert outside its tile is one event", "[UPD-JOIN][ANC-ONCE]") {
  const TileRun r = assemble("  parallel p in [i] { acc = insert(acc, 1, (9)) }");
  REQUIRE(r.codes() == "U0303@4");
  CHECK(r.diagnostics[0].count == 1);
  const TileRun s = assemble("  parallel p in [i] { acc = insert(acc, p.index(), (9 + p.index())) }");
  REQUIRE(s.codes() == "U0303@4");
  CHECK(s.diagnostics[0].count == 4);
}

TEST_CASE("the run's other joins: a second parallel sees what the first gave back", "[UPD-JOIN]") {
  const TileRun r = assemble(R"(  parallel p in [i] { acc = insert(acc, 1, (p.index())) }
  parallel q in [i] { acc = insert(acc, acc[q.index()] + q.index(), (q.index() + 4)) })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{1, 1, 1, 1, 1, 2, 3, 4});
}

TEST_CASE("joins in a loop carry the whole", "[UPD-JOIN][VAL-CARRY]") {
  // Each round every p adds 1 to element p and the next round's reads see it: after 3 rounds + 3.
  const TileRun r = assemble(R"(  serial s in [#0 = 3] {
    parallel p in [i] { acc = insert(acc, acc[p.index()] + 1, (p.index())) }
  })");
  CHECK(r.codes() == "");
  CHECK(r.get<std::int64_t>("C") == I{3, 13, 23, 33, 40, 50, 60, 70});
}

TEST_CASE("a mark that one instance writes stays with its element", "[UPD-JOIN][VAL-MARK]") {
  // Element 0 is 1 / 0 in instance 0; only it is marked: the store of the whole reports once, for the division.
  const TileRun r = assemble("  parallel p in [i] { acc = insert(acc, 6 / p.index(), (p.index())) }");
  REQUIRE(r.codes() == "U0101@4");
  CHECK(r.diagnostics[0].count == 1);
  CHECK(r.get<std::int64_t>("C")[2] == 3);
}
