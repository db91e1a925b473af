// SPDX-License-Identifier: Apache-2.0
// RED-LAW and RED-EFF: what is recognised, what is refused and where, for which policy.
#include "semantics/judge.h"
#include "semantics/rules/fold.h"
#include "semantics/reduction/reduction.h"
#include "tests/kernel.h"
#include <functional>

using namespace tilenest;

namespace {

// A reduce over r with a state s = 0 (f32), another t, arguments A (read) and C (written). Line 10 opens the
// reduce; `body` writes its own lines.
struct Reduction : Kernel {
  ViewId A = input("A", 64), C = output("C", 64);
  VarId s = b.declare("s", f32(0.0)), t = b.declare("t", f32(0.0));
  Scope r;

  ValueId S() { return b.read(s); }
  ValueId T() { return b.read(t); }
  ValueId x() { return load(A, r.coords[0]); }
  void set(ValueId v) { b.assign(s, v); }
  ValueId condition() { return op(OpKind::lt, {r.coords[0], 3}); }

  TileProgram reduced(ReductionPolicy policy, const std::function<void(Reduction &)> &body) {
    line(10);
    r = reduce("r", 8, policy);
    line(11);
    body(*this);
    line(99);
    end();
    return take();
  }
};

using Body = std::function<void(Reduction &)>;

// The reports for a policy, and the merge of the state s.
std::string judged(ReductionPolicy policy, const Body &body, std::optional<OpKind> *merge = nullptr) {
  Reduction k;
  TileProgram p = k.reduced(policy, body);
  const std::string out = codes(reductions_ok(p));
  if (merge)
    for (const ReductionAlgebra &a : p.algebras)
      for (const auto &state : a.states)
        if (state.var == k.s && &a == &p.algebras[AlgebraId(0)]) *merge = state.merge;
  return out;
}

void recognised(const Body &body, OpKind expected) {
  std::optional<OpKind> merge;
  CHECK(judged(ReductionPolicy::unordered_tree, body, &merge) == "");
  CHECK(merge == expected);
  CHECK(judged(ReductionPolicy::ordered_tree, body) == "");
  CHECK(judged(ReductionPolicy::fold_right, body) == "");
}

// Refused for both trees at this line, accepted by both strict folds.
void refused(const Body &body, int line) {
  const std::string at = "T0305@" + std::to_string(line);
  std::optional<OpKind> merge = OpKind::add;
  CHECK(judged(ReductionPolicy::unordered_tree, body, &merge) == at);
  CHECK_FALSE(merge.has_value());
  CHECK(judged(ReductionPolicy::ordered_tree, body) == at);
  CHECK(judged(ReductionPolicy::fold_left, body) == "");
  CHECK(judged(ReductionPolicy::fold_right, body) == "");
}

} // namespace

TEST_CASE("s = s + c and s = c + s for every merge of the list", "[RED-LAW]") {
  for (const OpKind kind : {OpKind::add, OpKind::mul, OpKind::min, OpKind::max, OpKind::minnum, OpKind::maxnum}) {
    recognised([kind](Reduction &k) { k.set(k.op(kind, {k.S(), k.x()})); }, kind);
    recognised([kind](Reduction &k) { k.set(k.op(kind, {k.x(), k.S()})); }, kind);
  }
  for (const OpKind kind : {OpKind::bit_and, OpKind::bit_or, OpKind::bit_xor}) {
    Kernel k;
    const VarId s = k.b.declare("s", k.i64(0));
    const Scope r = k.reduce("r", 4);
    k.b.assign(s, k.op(kind, {k.b.read(s), r.coords[0]}));
    k.end();
    TileProgram p = k.take();
    CHECK(codes(reductions_ok(p)) == "");
    CHECK(p.algebras[AlgebraId(0)].states.at(0).merge == kind);
  }
}

TEST_CASE("several steps, steps under conditions and in loops", "[RED-LAW]") {
  recognised([](Reduction &k) {
    k.set(k.add(k.S(), k.x()));
    k.set(k.add(1.0, k.S()));
    k.b.begin_if(k.condition());
    k.set(k.add(k.S(), 2.0));
    k.end();
    const Scope i = k.serial("i", 3);
    k.set(k.add(k.S(), k.load(k.A, i.coords[0])));
    k.end();
    const VarId n = k.b.declare("n", k.r.coords[0]);
    k.b.begin_while();
    k.b.while_condition(k.op(OpKind::gt, {k.b.read(n), 0}));
    k.set(k.add(k.S(), 1.0));
    k.b.assign(n, k.op(OpKind::sub, {k.b.read(n), 1}));
    k.end();
  }, OpKind::add);
}

TEST_CASE("a nested reduce of the same merge is a step, of another none", "[RED-LAW]") {
  recognised([](Reduction &k) {
    k.reduce("q", 3);
    k.set(k.add(k.S(), k.x()));
    k.end();
  }, OpKind::add);
  refused([](Reduction &k) {
    k.set(k.add(k.S(), k.x()));
    k.reduce("q", 3);
    k.line(15);
    k.set(k.mul(k.S(), k.x()));
    k.end();
  }, 15);
}

TEST_CASE("mma into the state", "[RED-LAW]") {
  Reduction k;
  const DimId m = k.b.dim("m"), kk = k.b.dim("k"), n = k.b.dim("n");
  auto tile = [&](DimId x, DimId y) { return k.b.full(ScalarType::f32, k.x(), k.space({{x, 2}, {y, 2}})); };
  const VarId acc = k.b.declare("acc", k.b.full(ScalarType::f32, 0.0, k.space({{m, 2}, {n, 2}})));
  const VarId both = k.b.declare("both", k.b.full(ScalarType::f32, 0.0, k.space({{m, 2}, {n, 2}})));
  const VarId wrong = k.b.declare("wrong", k.b.full(ScalarType::f32, 0.0, k.space({{m, 2}, {n, 2}})));
  k.r = k.reduce("r", 8);
  k.line(20);
  k.b.assign(acc, k.b.mma(tile(m, kk), tile(kk, n), k.b.read(acc)));
  // An accumulation merges by +, so + beside it is the same law.
  k.b.assign(both, k.b.mma(tile(m, kk), tile(kk, n), k.b.read(both)));
  k.b.assign(both, k.add(k.b.read(both), 1.0));
  // The state as an input of the product, too, is no accumulation.
  k.line(23);
  const DimId as_input[] = {m, kk};
  k.b.assign(wrong, k.b.mma(k.b.relabel(k.b.read(wrong), as_input), tile(kk, n), k.b.read(wrong)));
  k.end();
  TileProgram p = k.take();
  CHECK(codes(reductions_ok(p)) == "T0305@23");
  CHECK(p.algebras[AlgebraId(0)].states.at(0).merge == OpKind::mma);
  CHECK(p.algebras[AlgebraId(0)].states.at(1).merge == OpKind::add);
  CHECK_FALSE(p.algebras[AlgebraId(0)].states.at(2).merge.has_value());
}

TEST_CASE("nothing else is recognised", "[RED-LAW]") {
  SECTION("s - c") { refused([](Reduction &k) { k.set(k.op(OpKind::sub, {k.S(), k.x()})); }, 11); }
  SECTION("ite") {
    refused([](Reduction &k) { k.set(k.op(OpKind::ite, {k.condition(), k.S(), k.x()})); }, 11);
  }
  SECTION("s + s") { refused([](Reduction &k) { k.set(k.add(k.S(), k.S())); }, 11); }
  SECTION("c computed from s") {
    refused([](Reduction &k) { k.set(k.add(k.S(), k.op(OpKind::exp, {k.S()}))); }, 11);
  }
  SECTION("(s + a) + b is two steps written as none") {
    refused([](Reduction &k) { k.set(k.add(k.add(k.S(), 1.0), k.x())); }, 11);
  }
  SECTION("two merges") {
    refused([](Reduction &k) {
      k.set(k.add(k.S(), 1.0));
      k.line(12);
      k.set(k.mul(k.S(), 2.0));
    }, 12);
  }
  SECTION("a copy") {
    refused([](Reduction &k) {
      k.b.declare("copy", k.S());
      k.set(k.add(k.S(), 1.0));
    }, 11);
  }
  SECTION("a read beside the step") {
    refused([](Reduction &k) {
      k.line(12);
      k.op(OpKind::exp, {k.S()});
      k.line(13);
      k.set(k.add(k.S(), 1.0));
    }, 12);
  }
  SECTION("overwritten on one path") {
    refused([](Reduction &k) {
      k.set(k.add(k.S(), 1.0));
      k.b.begin_if(k.condition());
      k.line(14);
      k.set(k.x());
      k.end();
    }, 14);
  }
  SECTION("an update of an older definition") {
    refused([](Reduction &k) {
      const ValueId old = k.S();
      k.set(k.add(old, 1.0));
      k.line(14);
      k.set(k.add(old, 2.0));
    }, 14);
  }
  SECTION("the merged value used elsewhere") {
    refused([](Reduction &k) {
      const ValueId sum = k.add(k.S(), 1.0);
      k.op(OpKind::exp, {sum});
      k.line(14);
      k.set(sum);
    }, 14);
  }
}

TEST_CASE("neither a window nor an update in a nested parallel", "[RED-LAW]") {
  for (const bool window : {true, false}) {
    Kernel k;
    const VarId v = k.b.declare("v", k.b.full(ScalarType::f32, 0.0, k.line_space("n", 8)));
    const Scope r = k.reduce("r", 8);
    if (window) {
      k.line(5);
      k.b.assign(v, k.insert(k.b.read(v), 1.0, r.coords[0]));
    } else {
      k.line(5);
      k.parallel("p", 4);
      k.b.assign(v, k.add(k.b.read(v), 1.0));
      k.end();
    }
    k.end();
    TileProgram p = k.take();
    const Diagnostics ds = reductions_ok(p);
    REQUIRE(codes(ds) == "T0305@5");
    CHECK(ds[0].message() ==
          (window ? "`v` has no merge that `unordered_tree` could use: it is updated by `insert`, which is no merge"
                  : "`v` has no merge that `unordered_tree` could use: it is updated inside a nested `parallel`"));
    CHECK(ds[0].help.find("`fold_left`") != std::string::npos);
  }
}

TEST_CASE("independent states are judged one by one", "[RED-LAW]") {
  // t subtracts: refused; s adds: recognised. Two reports would name one cause twice.
  Reduction k;
  TileProgram p = k.reduced(ReductionPolicy::unordered_tree, [](Reduction &k) {
    k.set(k.add(k.S(), k.x()));
    k.line(13);
    k.b.assign(k.t, k.op(OpKind::sub, {k.T(), k.x()}));
  });
  CHECK(codes(reductions_ok(p)) == "T0305@13");
  const auto &states = p.algebras[AlgebraId(0)].states;
  REQUIRE(states.size() == 2);
  CHECK(states[0].merge == OpKind::add);
  CHECK_FALSE(states[1].merge.has_value());
}

TEST_CASE("a contribution may use no state of the same reduce", "[RED-LAW]") {
  // t = t + s: s occurs outside its own step, and what t merges depends on a state: neither has a merge.
  Reduction k;
  TileProgram p = k.reduced(ReductionPolicy::ordered_tree, [](Reduction &k) {
    k.set(k.add(k.S(), k.x()));
    k.line(13);
    k.b.assign(k.t, k.add(k.T(), k.S()));
  });
  CHECK(codes(reductions_ok(p)) == "T0305@13 T0305@13");
}

TEST_CASE("a variable that each contribution writes first is local and needs no law", "[RED-LAW]") {
  recognised([](Reduction &k) {
    k.b.assign(k.t, k.op(OpKind::sub, {k.x(), 1.0})); // t is local: written before read
    k.set(k.add(k.S(), k.op(OpKind::exp, {k.T()})));
  }, OpKind::add);
}

TEST_CASE("no effect, condition or coordinate uses a state, under any policy", "[RED-EFF]") {
  struct Case {
    const char *what;
    Body body;
  };
  const Case cases[] = {
      {"store", [](Reduction &k) { k.store(k.C, k.r.coords[0], k.S()); }},
      {"store of what is computed from it", [](Reduction &k) {
         const ValueId e = k.op(OpKind::exp, {k.S()});
         k.store(k.C, 0, k.op(OpKind::neg, {e}));
       }},
      {"atomic", [](Reduction &k) { k.atomic_add(k.C, 0, k.S()); }},
      {"coordinate of a load", [](Reduction &k) { k.load(k.A, k.b.cast(OpKind::cast, ScalarType::i64, k.S())); }},
      {"condition", [](Reduction &k) {
         k.b.begin_if(k.op(OpKind::lt, {k.S(), 1.0}));
         k.end();
       }},
      {"selector", [](Reduction &k) {
         k.b.begin_switch(k.b.cast(OpKind::cast, ScalarType::i64, k.S()));
         k.b.begin_case(1);
         k.end();
       }},
      {"assertion", [](Reduction &k) { k.b.assert_(k.op(OpKind::lt, {k.S(), 1.0}), "small"); }},
      {"through another variable's loop", [](Reduction &k) {
         const VarId local = k.b.declare("local", k.f32(0.0));
         k.serial("i", 2);
         k.b.assign(local, k.add(k.b.read(local), k.S()));
         k.end();
         k.store(k.C, 0, k.b.read(local));
       }},
  };
  for (const Case &c : cases)
    for (const ReductionPolicy policy : {ReductionPolicy::fold_left, ReductionPolicy::unordered_tree}) {
      INFO(c.what);
      CHECK(judged(policy, [&](Reduction &k) {
              k.set(k.add(k.S(), k.x()));
              c.body(k);
            }) == "T0306@11");
    }
}

TEST_CASE("the condition of a while is one, too", "[RED-EFF]") {
  CHECK(judged(ReductionPolicy::fold_left, [](Reduction &k) {
          k.line(12);
          k.b.begin_while();
          k.line(13);
          k.b.while_condition(k.op(OpKind::lt, {k.S(), 1.0}));
          k.set(k.add(k.S(), 1.0));
          k.end();
        }) == "T0306@12");
}

TEST_CASE("data uses are free in a strict fold: an automaton", "[RED-EFF]") {
  // s = table[s] by `take`: neither effect nor coordinate of a memory; out of range it is a mark.
  Kernel k;
  const ValueId table = k.b.iota({k.b.dim("n"), Extent(8)});
  const VarId s = k.b.declare("s", k.i64(0));
  k.reduce("r", 4, ReductionPolicy::fold_left);
  const Operand index[] = {k.b.read(s)};
  k.b.assign(s, k.b.take(table, index));
  k.end();
  TileProgram p = k.take();
  CHECK(codes(reductions_ok(p)) == "");
}

TEST_CASE("effects that use no state may stand in a reduce", "[RED-EFF]") {
  recognised([](Reduction &k) {
    k.set(k.add(k.S(), k.x()));
    k.store(k.C, k.r.coords[0], k.x());
  }, OpKind::add);
}

TEST_CASE("judge refuses a tree without a law", "[RED-LAW]") {
  Reduction k;
  TileProgram p = k.reduced(ReductionPolicy::unordered_tree,
                            [](Reduction &k) { k.set(k.op(OpKind::sub, {k.S(), k.x()})); });
  CHECK(codes(judge(p)) == "T0305@11");
}

TEST_CASE("identities are neutral bit for bit", "[identity]") {
  // -0 + x is x for every x; 0 + -0 would be 0. NaN is what minnum and maxnum ignore; an infinity would turn
  // minnum(identity, NaN) into a number. e4m3fn has no infinity: its largest finite value bounds every number.
  CHECK(rules::fold_identity(Reducer::add, ScalarType::f32) == 0x80000000u);
  CHECK(rules::fold_identity(Reducer::add, ScalarType::f64) == 0x8000000000000000u);
  CHECK(rules::fold_identity(Reducer::add, ScalarType::f16) == 0x8000u);
  CHECK(rules::fold_identity(Reducer::add, ScalarType::f8e5m2) == 0x80u);
  CHECK(rules::fold_identity(Reducer::add, ScalarType::i32) == 0u);
  CHECK(rules::fold_identity(Reducer::mul, ScalarType::bf16) == 0x3F80u);
  CHECK(rules::fold_identity(Reducer::mul, ScalarType::u8) == 1u);
  CHECK(rules::fold_identity(Reducer::min, ScalarType::f32) == 0x7F800000u);
  CHECK(rules::fold_identity(Reducer::max, ScalarType::f32) == 0xFF800000u);
  CHECK(rules::fold_identity(Reducer::min, ScalarType::f8e4m3fn) == 0x7Eu);
  CHECK(rules::fold_identity(Reducer::max, ScalarType::f8e4m3fn) == 0xFEu);
  CHECK(rules::fold_identity(Reducer::min, ScalarType::i8) == 0x7Fu);
  CHECK(rules::fold_identity(Reducer::max, ScalarType::i8) == 0x80u);
  CHECK(rules::fold_identity(Reducer::min, ScalarType::u16) == 0xFFFFu);
  CHECK(rules::fold_identity(Reducer::max, ScalarType::u64) == 0u);
  CHECK(rules::fold_identity(Reducer::minnum, ScalarType::f32) == 0x7FC00000u);
  CHECK(rules::fold_identity(Reducer::bit_and, ScalarType::u64) == ~std::uint64_t{0});
  CHECK(rules::fold_identity(Reducer::bit_and, ScalarType::boolean) == 1u);
  CHECK(rules::fold_identity(Reducer::bit_or, ScalarType::boolean) == 0u);
  CHECK(rules::fold_identity(Reducer::bit_xor, ScalarType::i64) == 0u);
}
