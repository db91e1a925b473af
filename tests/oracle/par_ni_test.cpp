// SPDX-License-Identifier: Apache-2.0
// The oracle on small programs: each clause of PAR-NI with its closest innocent twin. "5~9" says that the
// statements of lines 5 and 9 interfere, as read from the rule.
#include "tests/oracle/both_runs.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilenest;
using namespace tilenest::oracle;

namespace {

// i32 and f32 elements 1, 2, 3, ...; other bytes likewise.
std::vector<std::uint8_t> counting(const Object &o, std::int64_t elements) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(elements) * byte_size(o.elem));
  for (std::int64_t i = 0; i < elements; ++i)
    encode(o.elem, Rational(o.elem == ScalarType::boolean ? 1 : i + 1),
           out.data() + static_cast<std::size_t>(i) * byte_size(o.elem));
  return out;
}

CATCH_TRANSLATE_EXCEPTION(const Refused &r) { return "the oracle refuses " + r.what; }

struct Seen {
  std::string interferences, violations;
  std::map<std::string, std::vector<std::int64_t>> values; // undefined elements are -999
};
// The lines of a text begin with 1. Values and violations are compared with the engine's, too.
Seen see(const std::string &text) {
  const Bound bound = bind_text(text, counting);
  const Outcome o = interpret(bound.program, bound.arguments);
  Seen s{joined(interferences(bound, o)), joined(violations(bound, o)), {}};
  const TileProgram &p = *bound.program.program;
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    const std::size_t size = byte_size(object.elem);
    for (std::size_t k = 0; k + size <= o.arguments[i].size(); k += size) {
      std::vector<std::uint8_t> bytes;
      for (std::size_t b = 0; b < size; ++b)
        if (o.arguments[i][k + b]) bytes.push_back(*o.arguments[i][k + b]);
      if (bytes.size() != size)
        s.values[object.name].push_back(-999);
      else if (is_integer(object.elem) || text.find("view_as") == std::string::npos)
        s.values[object.name].push_back(whole(decode(object.elem, bytes.data())));
    }
  }
  const EngineRun engine = run_engine(bound);
  INFO(text);
  const std::set<std::string> reported = violations(engine.result), expected = violations(bound, o);
  if (o.complete) CHECK(joined(reported) == s.violations);
  CHECK(std::includes(reported.begin(), reported.end(), expected.begin(), expected.end()));
  if (s.violations.empty()) {
    CHECK(value_difference(bound, o, engine) == "");
    const std::set<std::string> found = interferences(engine.result), plain = interferences(bound, o, true), all = interferences(bound, o);
    CHECK(std::includes(found.begin(), found.end(), plain.begin(), plain.end()));
    CHECK(std::includes(all.begin(), all.end(), found.begin(), found.end()));
  }
  return s;
}
using V = std::vector<std::int64_t>;

} // namespace

TEST_CASE("oracle B01: shared and private halos", "[oracle][PAR-NI]") {
  const auto program = [](const char *outer, const char *inner, const char *at) {
    return std::string("kernel halo(G: out f32[32]) {\naxis t = 4, w = 14, m = 8, all = 38\n") + outer +
           "\nparallel p in [t] {\n" + inner + "\nf(" + at + ", [w]).store(zeros f32 [w])\nf(" + at +
           ", [w]).store(f[" + at + ", [w]] + 1.0)\nG(p.index() * 8, [m]).store(f[" + at + ", [m]] + f[" +
           at + " + 6, [m]])\n}\n}\n";
  };
  const Seen twin = see(program("", "f = memory f32 [w]", "0"));
  CHECK(twin.interferences == "");
  CHECK(twin.values.at("G") == V(32, 2));
  // Tiles t and t + 1 share f[8t+8 .. 8t+13]: the stores of both, and the loads of one with the stores of the
  // other.
  const Seen shared = see(program("f = memory f32 [all]", "", "p.index() * 8"));
  CHECK(shared.interferences == "6~6 6~7 6~8 7~7 7~8");
}

TEST_CASE("oracle B01: which elements", "[oracle][PAR-NI]") {
  const Bound b = bind_text("kernel k(G: mut f32[22]) {\naxis t = 2, w = 14\nparallel p in [t] "
                            "{\nG(p.index() * 8, [w]).store(zeros f32 [w])\n}\n}\n",
                            counting);
  const Outcome o = interpret(b.program, b.arguments);
  REQUIRE(o.interferences.size() == 1);
  CHECK(o.interferences[0].pairs == 6); // f[5..10] of the case, here elements 8 to 13
}

TEST_CASE("oracle B03: a store without the guard", "[oracle][PAR-NI]") {
  const Seen race =
      see("kernel k(C: mut i32[1]) {\naxis b = 4\nparallel p in [b] {\nif p.index() == 0 { C(0).store(0) }\n"
          "C(0).store(cast(p.index() + 100, i32))\n}\n}\n");
  CHECK(race.interferences == "4~5 5~5");
  const Seen twin =
      see("kernel k(C: mut i32[1]) {\naxis b = 4\nparallel p in [b] {\nif p.index() == 0 { C(0).store(0) }\n"
          "if p.index() == 0 { C(0).store(cast(p.index() + 100, i32)) }\n}\n}\n");
  CHECK(twin.interferences == "");
  CHECK(twin.values.at("C") == V{100});
}

TEST_CASE("oracle B05: parallel over what is a reduction", "[oracle][PAR-NI]") {
  const Seen race = see("kernel k(A: i32[3, 5], C: mut i32[3]) {\naxis i = 3, j = 5\nparallel p in [i, j] {\n"
                        "C(p.i).store(C[p.i] + A[p.i, p.j])\n}\n}\n");
  CHECK(race.interferences == "4~4");
  const Seen twin =
      see("kernel k(A: i32[3, 5], C: mut i32[3]) {\naxis i = 3, j = 5\nparallel p in [i] {\ns = i32(0)\n"
          "reduce r in [j] { s = s + A[p.index(), r.index()] }\nC(p.index()).store(s)\n}\n}\n");
  CHECK(twin.interferences == "");
  CHECK(twin.values.at("C") == V{15, 40, 65});
}

TEST_CASE("oracle B07: phases", "[oracle][PAR-NI][SYNC]") {
  const auto program = [](const char *between) {
    return std::string("kernel k(D: out i32[8]) {\naxis t = 8\nc = memory i32 [t]\nparallel p in [t] {\n"
                       "c(p.index()).store(cast(p.index() * p.index(), i32))\n") +
           between + "\nD(p.index()).store(c[(p.index() + 3) % 8])\n}\n}\n";
  };
  const Seen twin = see(program("sync p"));
  CHECK(twin.interferences == "");
  CHECK(twin.values.at("D") == V{9, 16, 25, 36, 49, 0, 1, 4});
  // Without it the reference order also reads cells that are not stored yet.
  CHECK(see(program("")).interferences == "5~7");
}

TEST_CASE("oracle B11: bytes of narrow elements", "[oracle][PAR-NI]") {
  CHECK(see("kernel k(C: mut u8[16]) {\naxis t = 16\nparallel p in [t] {\nC(p.index()).store(u8(7))\n}\n}\n")
            .interferences == "");
  const auto two = [](int byte) {
    return "kernel k(C: mut f32[2]) {\naxis t = 2\nb = C.view_as(u8)\nparallel p in [t] {\nif p.index() == 0 "
           "{ C(0).store(1.0) }\n"
           "if p.index() == 1 { b(" +
           std::to_string(byte) + ").store(u8(3)) }\n}\n}\n";
  };
  CHECK(see(two(3)).interferences == "5~6");
  CHECK(see(two(4)).interferences == "");
  const Bound b = bind_text(two(3), counting);
  CHECK(interpret(b.program, b.arguments).interferences[0].pairs == 1);
}

TEST_CASE("oracle B60: an exchange without its barrier", "[oracle][PAR-NI][SYNC]") {
  const std::string head =
      "kernel k(X: mut i32[2, 8], M: i32[8], C: mut i32[8]) {\naxis t = 8, i = 2\ns = memory i32 [t]\n"
      "parallel p in [t] {\nacc = i32(0)\n";
  const auto exchange = [](const char *sync) {
    return std::string("serial q in [i] {\ns(p.index()).store(X[q.index(), p.index()])\n") + sync +
           "\nacc = acc + s[7 - p.index()]\n" + sync +
           "\nX(q.index(), p.index()).store(cast(q.index() * 10 + p.index(), i32))\n}\n";
  };
  const std::string guard = "if M[p.index()] != 8 {\n", store = "C(p.index()).store(acc)\n";
  // M[t] = t + 1: lane 7 stands apart. X[i][t] = 8 i + t + 1, so that the sum over i of X[i][7 - t] is 24 - 2
  // t.
  const Seen twin = see(head + exchange("sync p") + guard + store + "}\n}\n}\n");
  CHECK(twin.interferences == "");
  CHECK(twin.values.at("C") == V{24, 22, 20, 18, 16, 14, 12, 8});
  // Dropped inside the guard: store and load of s interfere, and lane 0 reads s[7], which nobody stores.
  const Seen dropped = see(head + guard + exchange("") + store + "}\n}\n}\n");
  CHECK(dropped.interferences == "8~10");
  CHECK(dropped.violations == "U0106@10");
  // Kept inside the guard: lane 7 does not meet the others.
  CHECK(see(head + guard + exchange("sync p") + store + "}\n}\n}\n").violations == "U0401");
}

TEST_CASE("oracle: a sync separates phases of its own parallel alone", "[oracle][PAR-NI][SYNC]") {
  const auto program = [](const char *nest, const char *read) {
    return std::string("kernel k(C: mut i32[4], D: out i32[2, 2]) {\naxis a = 2, b = 2\nparallel p in [a] "
                       "{\nparallel q in [b] {\n"
                       "C(p.index() * 2 + q.index()).store(1)\nsync q\nD(p.index(), q.index()).store(C[") +
           read + "])\n}\n" + nest + "}\n}\n";
  };
  CHECK(see(program("", "p.index() * 2 + 1 - q.index()")).interferences == "");
  CHECK(see(program("", "2 - p.index() * 2 + q.index()")).interferences == "5~7"); // of the other p
}

TEST_CASE("oracle: contributions of a reduce", "[oracle][PAR-NI][RED-EFF]") {
  CHECK(see("kernel k(C: mut i32[4]) {\naxis r = 4\nreduce x in [r] {\nC(0).store(cast(x.index(), "
            "i32))\n}\n}\n")
            .interferences == "4~4");
  CHECK(see("kernel k(C: mut i32[4]) {\naxis r = 4\nreduce x in [r] {\nC(x.index()).store(cast(x.index(), "
            "i32))\n}\n}\n")
            .interferences == "");
  CHECK(see("kernel k(C: mut i32[4]) {\naxis r = 4\nserial x in [r] {\nC(0).store(cast(x.index(), "
            "i32))\n}\n}\n")
            .interferences == "");
  CHECK(see("kernel k(C: mut i32[4]) {\naxis r = 4\nreduce x in [r] {\nC(0).atomic_add(1)\n}\n}\n")
            .interferences == "");
  CHECK(see("kernel k(A: i32[4], C: mut i32[1]) {\naxis r = 4\ns = i32(0)\nreduce x in [r] {\ns = s + "
            "A[x.index()]\n}\nC(0).store(s)\n}\n")
            .interferences == "");
}

TEST_CASE("oracle: lifted events", "[oracle][PAR-NI][ANC-SHARE]") {
  // Once for all instances; two of them lifted out of one parallel are ordered.
  CHECK(
      see("kernel k(C: mut i32[4]) {\naxis a = 4\nparallel p in [a] {\nC(0).store(1)\nC(0).store(2)\n}\n}\n")
          .interferences == "");
  // A private load of the same cell is concurrent with it.
  const auto program = [](const char *at) {
    return std::string("kernel k(C: mut i32[8], D: mut i32[4]) {\naxis a = 4\nparallel p in [a] "
                       "{\nC(0).store(1)\nD(p.index()).store(C[") +
           at + "])\n}\n}\n";
  };
  CHECK(see(program("p.index()")).interferences == "4~5");
  CHECK(see(program("p.index() + 1")).interferences == "");
  CHECK(see(program("0")).interferences == ""); // the load is lifted, too
  // Lifted out of the inner one only: the instances of the outer one remain.
  CHECK(see("kernel k(C: mut i32[4]) {\naxis a = 2, b = 2\nparallel p in [a] {\nparallel q in [b] "
            "{\nC(0).store(cast(p.index(), i32))\n}\n}\n}\n")
            .interferences == "5~5");
  CHECK(see("kernel k(C: mut i32[4]) {\naxis a = 2, b = 2\nparallel p in [a] {\nparallel q in [b] "
            "{\nC(p.index()).store(cast(p.index(), i32))\n}\n}\n}\n")
            .interferences == "");
}

TEST_CASE("oracle: atomics", "[oracle][PAR-NI][ATOM]") {
  const auto program = [](const char *second) {
    return std::string("kernel k(C: mut i32[4]) {\naxis a = 4\nu = C.view_as(u32)\nh = "
                       "C.view_as(i16)\nparallel p in [a] {\nC(0).atomic_add(1)\n") +
           second + "\n}\n}\n";
  };
  const Seen equal = see(program("C(0).atomic_add(2)"));
  CHECK(equal.interferences == "");
  CHECK(equal.values.at("C") == V{13, 2, 3, 4}); // 1 + 4 (1 + 2)
  CHECK(see(program("C(0).atomic_max(2)")).interferences == "6~7");
  CHECK(see(program("C(1).atomic_max(2)")).interferences == "");
  CHECK(see(program("u(0).atomic_add(u32(2))")).interferences == "6~7"); // another type
  CHECK(see(program("if p.index() == 0 { C(0).store(3) }")).interferences == "6~7");
  CHECK(see(program("if p.index() == 0 { h(2).store(i16(3)) }")).interferences == "");
}

TEST_CASE("oracle: the elements of one scatter", "[oracle][PAR-NI]") {
  const auto program = [](const char *scatter, const char *index) {
    return std::string("kernel k(C: mut i32[4]) {\naxis a = 4\nC.") + scatter + "(cast(iota(a), i32), " +
           index + ")\n}\n";
  };
  CHECK(see(program("scatter", "iota(a) / 2")).interferences == "3~3");
  CHECK(see(program("scatter", "3 - iota(a)")).interferences == "");
  CHECK(see(program("scatter_add", "iota(a) / 2")).interferences == "");
  CHECK(see(program("scatter", "iota(a) / 2 * 9")).interferences ==
        "3~3"); // 0, 0, 9, 9: the last two are masked
  CHECK(see(program("scatter", "iota(a) / 1 * 9")).interferences == "");
}

TEST_CASE("oracle: a masked element is no access", "[oracle][PAR-NI][BND-ZERO]") {
  CHECK(see("kernel k(C: mut i32[6]) {\naxis a = 3, m = 3\nparallel p in [a] {\nC(p.index() * 3, "
            "[m]).store(full(i32 [m], 1))\n}\n}\n")
            .interferences == "");
  CHECK(see("kernel k(C: mut i32[6]) {\naxis a = 3, m = 3\nparallel p in [a] {\nC(p.index() * 2, "
            "[m]).store(full(i32 [m], 1))\n}\n}\n")
            .interferences == "4~4");
  CHECK(see("kernel k(C: mut i32[6]) {\naxis a = 3, m = 3\nparallel p in [a] {\nC(p.index() * 2, [m], "
            "predicate(iota(m) < 2)).store(full(i32 [m], 1))\n}\n}\n")
            .interferences == "");
  CHECK(see("kernel k(C: mut i32[6]) {\naxis a = 3, m = 3\nparallel p in [a] {\nC(p.index() * 2, "
            "[m]).store(restrict(full(i32 [m], 1), m < 2))\n}\n}\n")
            .interferences == "");
}

TEST_CASE("oracle: memories of instances", "[oracle][PAR-NI][MEM-OWN]") {
  CHECK(see("kernel k(C: mut i32[4]) {\naxis a = 4, one = 1\nparallel p in [a] {\nm = memory i32 "
            "[one]\nm(0).store(cast(p.index(), i32))\nC(p.index()).store(m[0])\n}\n}\n")
            .interferences == "");
  CHECK(see("kernel k(C: mut i32[4]) {\naxis a = 4, one = 1\nm = memory i32 [one]\nparallel p in [a] "
            "{\n\nm(0).store(cast(p.index(), i32))\nC(p.index()).store(m[0])\n}\n}\n")
            .interferences == "6~6 6~7");
}

TEST_CASE("oracle: tiles of ancestors", "[oracle][PAR-NI][UPD-JOIN]") {
  const auto program = [](const std::string &body) {
    return "kernel k(A: i32[4], C: mut i32[8]) {\naxis a = 4, m = 8, w = 2\nv = A[0, [m]]\nparallel p in [a] "
           "{\n" +
           body + "\n}\nC(0, [m]).store(v)\n}\n";
  };
  const Seen windows =
      see(program("v = insert(v, full(i32 [m = 2], 9) + cast(p.index(), i32), (p.index() * 2))"));
  CHECK(windows.interferences == "");
  CHECK(windows.values.at("C") == V{9, 9, 10, 10, 11, 11, 12, 12});
  CHECK(
      see(program("v = insert(v, full(i32 [m = 2], 9) + cast(p.index(), i32), (p.index()))")).interferences ==
      "5~5");
  // Whole updates: all write all; a collective one is a write of no instance.
  CHECK(see(program("v = v + cast(p.index(), i32)")).interferences == "5~5");
  CHECK(see(program("v = v + 1")).interferences == "");
  CHECK(see(program("v = v + 1")).values.at("C") == V{2, 3, 4, 5, 1, 1, 1, 1});
  // A reader and another writer. What the instance has written itself is its own.
  CHECK(see(program("v = insert(v, v[(p.index() + 1) % 8], (p.index()))")).interferences == "5~5");
  CHECK(see(program("v = insert(v, v[p.index() + 4], (p.index()))")).interferences == "");
  CHECK(see(program("v = insert(v, i32(5) + cast(p.index(), i32), (p.index()))\nv = insert(v, v[p.index()], "
                    "(p.index() + 4))"))
            .interferences == "");
  CHECK(see(program("v = insert(v, i32(5) + cast(p.index(), i32), (p.index()))\nv = insert(v, v[(p.index() + "
                    "1) % 4], (p.index() + 4))"))
            .interferences == "5~6");
  // A definition from outside under another name is a snapshot.
  CHECK(see("kernel k(A: i32[4], C: mut i32[8]) {\naxis a = 4, m = 8\nv = A[0, [m]]\nt = v\nparallel p in "
            "[a] {\n"
            "v = insert(v, t[(p.index() + 1) % 8], (p.index()))\n}\nC(0, [m]).store(v)\n}\n")
            .interferences == "");
  // A sync excuses no interference on a tile.
  const auto two = [](const char *sync, int at) {
    return std::string("if p.index() == 0 { v = insert(v, i32(1), (p.index())) }\n") + sync +
           "\nif p.index() == 1 { v = insert(v, i32(1), (p.index() - " + std::to_string(at) + ")) }";
  };
  CHECK(see(program(two("", 0))).interferences == "");
  CHECK(see(program(two("", 1))).interferences == "5~7");
  CHECK(see(program(two("sync p", 1))).interferences == "5~7");
}

TEST_CASE("oracle: what is no pair on a tile", "[oracle][PAR-NI][UPD-JOIN]") {
  const auto program = [](const char *instances, const std::string &body) {
    return std::string("kernel k(A: i32[8], C: mut i32[8]) {\naxis a = ") + instances +
           ", m = 8, n = 4\nv = A[0, [m]]\nparallel p in [a] {\n" + body + "\n}\nC(0, [m]).store(v)\n}\n";
  };
  // Two readers of an element that nobody writes, and of one that somebody does.
  CHECK(see(program("4", "v = insert(v, v[7], (p.index()))")).interferences == "");
  CHECK(see(program("4", "v = insert(v, v[3], (p.index()))")).interferences == "5~5");
  // A collective update is a write of no instance.
  const Seen collective = see(program("4", "C(p.index()).store(v[p.index()])\nv = v + 1"));
  CHECK(collective.interferences == "");
  CHECK(collective.values.at("C") == V{2, 3, 4, 5, 6, 7, 8, 9});
  // The states of a reduce are no objects.
  CHECK(see(program("1", "reduce r in [n] { v = v + A[r.index() + p.index()] }")).interferences == "");
  CHECK(see(program("2", "reduce r in [n] { v = v + A[r.index() + p.index()] }")).interferences == "5~5");
}

TEST_CASE("oracle: a whole update lifted out of the inner parallel only", "[oracle][PAR-NI][UPD-JOIN]") {
  const std::string head = "kernel k(C: mut i32[4]) {\naxis a = 1, b = 2, m = 4\nv = zeros i32 [m]\nparallel "
                           "p in [a] {\nparallel q in [b] {\n",
                    tail = "\n}\n}\nC(0, [m]).store(v)\n}\n";
  const std::string whole_one = "v = full(i32 [m], 0) + cast(p.index() + 4, i32)\n";
  CHECK(see(head + whole_one + tail).interferences == ""); // one event
  // It stands before the window in each instance, happens once, and counts for each: in instance 1, too,
  // whose window instance 0 does not write. The value is that of the last write, whichever way that is read.
  const Seen both = see(head + whole_one + "v = insert(v, i32(9), (q.index()))" + tail);
  CHECK(both.interferences == "6~7");
  CHECK(both.values.at("C") == V{9, 9, 4, 4});
  const Bound b = bind_text(head + whole_one + "v = insert(v, i32(9), (q.index()))" + tail, counting);
  CHECK(interferences(b, interpret(b.program, b.arguments), true).empty());
}

TEST_CASE("oracle: nested joins", "[oracle][PAR-NI][UPD-JOIN]") {
  const auto program = [](const std::string &at) {
    return "kernel k(C: mut i32[4]) {\naxis a = 2, b = 2, m = 4\nv = zeros i32 [m]\nparallel p in [a] "
           "{\nparallel q in [b] {\n"
           "v = insert(v, cast(p.index() * 2 + q.index() + 1, i32), (" +
           at + "))\n}\n}\nC(0, [m]).store(v)\n}\n";
  };
  const Seen twin = see(program("p.index() * 2 + q.index()"));
  CHECK(twin.interferences == "");
  CHECK(twin.values.at("C") == V{1, 2, 3, 4});
  CHECK(see(program("q.index() + p.index() * 0")).interferences == "6~6");
}

TEST_CASE("oracle: arguments that overlap", "[oracle][PAR-NI][EFF-ORDER]") {
  const std::string text = "kernel k(X: mut i32[8], Y: mut i32[4]) {\naxis a = 4\nparallel p in [a] {\n"
                           "X(p.index() + 4).store(7)\nY(p.index()).store(9)\n}\n}\n";
  const auto at = [&](std::int64_t offset) { // of Y in the storage of X, in bytes
    Bound b = bind_text(text, counting);
    b.arguments[0].bytes.resize(64);
    if (offset >= 0) b.arguments[1].alias_of = 0, b.arguments[1].offset = offset;
    return joined(interferences(b, interpret(b.program, b.arguments)));
  };
  CHECK(at(-1) == ""); // apart
  CHECK(at(0) == "");  // bytes 0 to 15 and 16 to 31
  CHECK(at(16) == ""); // Y[p] is X[p + 4], which the same instance stores
  CHECK(at(20) == "4~5");
  CHECK(at(18) == "4~5"); // half of X[p + 4], half of X[p + 5]
  CHECK(at(32) == "");
}

TEST_CASE("oracle: what comes of a marked coordinate has no other cause", "[oracle][OUT-CONT]") {
  const auto program = [](const char *element) {
    return std::string("kernel k(A: i32[8], X: i32[4], C: out i32[4]) {\naxis i = 4, m = 8\na = A[0, [m]]\nparallel p in [i] {\n"
                       "at = X[p.i + 1, assume]\nC(p.i).store(") +
           element + ")\n}\n}\n";
  };
  CHECK(see(program("A[at]")).violations == "U0201@5");
  CHECK(see(program("a[at]")).violations == "U0201@5");
}

// Random kernel 166427. What the stored half has of a mark is reported there; that the other half was never stored is a
// cause of its own (MEM-INIT, OUT-CONT), whichever half comes first.
TEST_CASE("oracle: an element that a store of a mark made in part", "[oracle][MEM-INIT][OUT-CONT]") {
  const auto program = [](int stored, int loaded) {
    return "kernel k(C: out i32[1]) {\naxis one = 1\nm = memory i32 [one]\nn = m.view_as(i16)\nn(" + std::to_string(stored) +
           ").store(n[" + std::to_string(loaded) + "])\nC(0).store(m[0])\n}\n";
  };
  CHECK(see(program(0, 1)).violations == "U0106@5 U0106@6");
  CHECK(see(program(1, 0)).violations == "U0106@5 U0106@6");
}

TEST_CASE("oracle: what it refuses", "[oracle]") {
  const auto refused = [](const char *statement) {
    const Bound b = bind_text(
        std::string("kernel k(A: i32[4], F: f32[4], C: mut i32[4], D: mut f32[4]) {\naxis m = 4\n") +
            statement + "\n}\n",
        counting);
    try {
      (void)interpret(b.program, b.arguments);
    } catch (const Refused &) {
      return true;
    }
    return false;
  };
  CHECK_FALSE(refused("C(0, [m]).store(A[0, [m]])"));
  CHECK(refused("C(0, [m]).store(scan(A[0, [m]], m, add))"));
  CHECK(refused("C(0, [m]).store(A[0, [m]] * 2000000000)"));
  CHECK(refused("D(0, [m]).store(F[0, [m]] / 3.0)"));
  CHECK(refused("D(0, [m]).store(exp(F[0, [m]]))"));
  CHECK(refused("serial s in [m] order (i) -> (3 - i) { C(s.index()).store(1) }"));
}
