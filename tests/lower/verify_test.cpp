// SPDX-License-Identifier: Apache-2.0
// Each rule of well-formed plans: one plan that breaks it and nothing else, and what is said about it.
#include "lower/builder.h"
#include "lower/verify.h"
#include "tests/lower/plan_text.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::plan;

namespace {

// The faults of a plan with parameters M and N, the buffers below and this body, one per line.
std::string faults_of(const std::string &body, const std::string &more_buffers = "") {
  const std::string text = "plan p(M, N) {\n"
                           "  argument 0 A: f32[M, N] strided\n"
                           "  argument 1 C: mut f32[M]\n"
                           "  argument 2 B: i4[M]\n"
                           "  scratch S: f32[M]\n"
                           "  shared H: f32[8]\n"
                           "  instance L: f32[8]\n" +
                           more_buffers +
                           "  %0: i64 = constant 0\n"
                           "  %one: i64 = constant 1\n"
                           "  %f: f32 = constant 1.0\n"
                           "  %fv: f32x8 = constant 1.0\n"
                           "  %ids: i64x8 = lane_ids\n"
                           "  %t: bool = constant true\n"
                           "  %mask: boolx8 = constant true\n" +
                           body + "\n}\n";
  std::string out;
  for (const Diagnostic &d : verify(plan_of(text))) {
    CHECK(std::string(d.info().code) == "B1601");
    for (const auto &[key, value] : d.args)
      if (key == "why") out += (out.empty() ? "" : "\n") + value;
  }
  return out;
}

struct Bad {
  const char *body, *why;
};

} // namespace

TEST_CASE("a plan that uses everything is well formed", "[plan][verify]") {
  CHECK(faults_of(R"(
  %1: i64 = extent M + 2 * ceil_div(N, 8) - 1
  %2: i64 = stride A[1]
  %3: f32x8 = load A[%ids] mask %mask
  %4: f32x8 = load A[%0]
  %5: f32x8 = fma %3, %4, %fv
  %6: f32x2 = shuffle %5, %fv [0, 15]
  %7: f32 = shuffle %5 [3]
  %8: f32x8 = splat %f
  %9: f32x8 = select %mask, %5, %8
  store C[%0] = %9 mask %mask
  store C[%ids] = %9
  atomic C[%ids] add %9 mask %mask
  atomic S[%0] max %f
  %10: i4 = load B[%0]
  %11: f32 = cast %10
  %12: f32, %13: i64 = for %i in [%0, %1) step 2 carry (%a: f32 = %f, %n: i64 = %0) {
    %14: bool = lt %i, %one
    %15: f32 = if %14 {
      yield %a
    } else {
      yield %f
    }
    yield %15, %i
  }
  %16: i64 = while (%w: i64 = %13) {
    %17: bool = lt %w, %one
    yield %17
  } do (%v: i64) {
    %18: i64 = add %v, %one
    yield %18
  }
  launch l (%x < %1, %y < %one) {
    store L[%0] = %12
    for %j in [%0, %one) step 1 participants {
      store H[%j] = %12
    }
    barrier
    %19: f32 = load H[%0]
    assert %mask, "all of them"
  }
  assert %t, "so it is")") == "");
}

TEST_CASE("the types of operations", "[plan][verify]") {
  const Bad table[] = {
      {"%1: i64x8 = extent M", "`%7: i64x8 = extent M`: the result is `i64x8`, not `i64`"},
      {"%1: f32 = extent M", "`%7: f32 = extent M`: the result is `f32`, not `i64`"},
      {"%1: i32 = stride A[0]", "`%7: i32 = stride A[0]`: the result is `i32`, not `i64`"},
      {"%1: i64 = stride A[2]", "`%7: i64 = stride A[2]`: `A` has no axis 2"},
      {"%1: i64 = stride C[0]", "`%7: i64 = stride C[0]`: `C` has no strides of its own"},
      {"%1: i64 = stride S[0]", "`%7: i64 = stride S[0]`: `S` has no strides of its own"},
      {"%1: f32 = lane_ids", "`%7: f32 = lane_ids`: the result is `f32`, not `i64`"},
      {"%1: i64 = add %one", "`%7: i64 = add %1`: it has 1 operand where 2 are due"},
      {"%1: i64 = add %one, %f", "`%7: i64 = add %1, %2`: operand 0 is `i64`, not `f32`\n"
                                 "`%7: i64 = add %1, %2`: `add` does not go from `f32` to `i64`"},
      {"%1: f32 = add %fv, %fv", "`%7: f32 = add %3, %3`: the result has 1 lane, the operands 8"},
      {"%1: f32x8 = add %f, %fv", "`%7: f32x8 = add %2, %3`: operand 0 is `f32`, not `f32x8`"},
      {"%1: f64 = add %f, %f", "`%7: f64 = add %2, %2`: `add` does not go from `f32` to `f64`"},
      {"%1: f32 = rem %f, %f", "`%7: f32 = rem %2, %2`: `rem` does not go from `f32` to `f32`"},
      {"%1: f32x8 = select %t, %fv, %fv", "`%7: f32x8 = select %5, %3, %3`: operand 0 is `bool`, not `boolx8`"},
      {"%1: f32 = select %one, %f, %f", "`%7: f32 = select %1, %2, %2`: operand 0 is `i64`, not `bool`"},
      {"%1: i16 = bitcast %f", "`%7: i16 = bitcast %2`: `bitcast` does not go from `f32` to `i16`"},
      {"%1: i4 = load B[%0]\n%2: i4 = add %1, %1", "`%8: i4 = add %7, %7`: `add` does not go from `i4` to `i4`"},
      {"%1: f32x2 = shuffle %fv [0]", "`%7: f32x2 = shuffle %3 [0]`: the result is `f32x2`, not `f32`"},
      {"%1: i64 = shuffle %fv [0]", "`%7: i64 = shuffle %3 [0]`: the result is `i64`, not `f32`"},
      {"%1: f32 = shuffle %fv [8]", "`%7: f32 = shuffle %3 [8]`: lane 8 is none of 8"},
      {"%1: f32 = shuffle %fv, %fv [16]", "`%7: f32 = shuffle %3, %3 [16]`: lane 16 is none of 16"},
      {"%1: f32 = shuffle %fv, %f [8]", "`%7: f32 = shuffle %3, %2 [8]`: operand 1 is `f32`, not `f32x8`"},
  };
  for (const Bad &bad : table) {
    INFO(bad.body);
    CHECK(faults_of(bad.body) == bad.why);
  }
  CHECK(faults_of("%1: f32x8 = splat %fv") == ""); // of a vector: its first lane
}

TEST_CASE("accesses", "[plan][verify]") {
  const Bad table[] = {
      {"%1: f32 = load A[%f]", "`%7: f32 = load A[%2]`: the offset is `f32` where `f32` is accessed"},
      {"%1: f32x4 = load A[%ids]", "`%7: f32x4 = load A[%4]`: the offset is `i64x8` where `f32x4` is accessed"},
      {"%1: f32x8 = load A[%0] mask %t", "`%7: f32x8 = load A[%0] mask %5`: the mask is `bool`, not `boolx8`"},
      {"%1: f32 = load A[%0] mask %mask", "`%7: f32 = load A[%0] mask %6`: the mask is `boolx8`, not `bool`"},
      {"%1: f32 = load A[%0] mask %one", "`%7: f32 = load A[%0] mask %1`: the mask is `i64`, not `bool`"},
      {"store C[%0] = %fv mask %t", "`store C[%0] = %3 mask %5`: the mask is `bool`, not `boolx8`"},
      {"store C[%ids] = %f", "`store C[%4] = %2`: the offset is `i64x8` where `f32` is accessed"},
      {"store A[%0] = %f", "`store A[%0] = %2`: `A` is an input and is written"},
      {"atomic A[%0] add %f", "`atomic A[%0] add %2`: `A` is an input and is written"},
      {"atomic C[%0] and %f", "`atomic C[%0] and %2`: there is no atomic of this kind on `f32`"},
      {"atomic C[%0] add %t", "`atomic C[%0] add %5`: there is no atomic of this kind on `bool`"},
      {"%1: i4 = load B[%0]\natomic C[%0] add %1", "`atomic C[%0] add %7`: there is no atomic of this kind on `i4`"},
      {"%1: f32 = load H[%0]", "`%7: f32 = load H[%0]`: `H` is shared memory, which is touched inside launches alone"},
      {"store L[%0] = %f", "`store L[%0] = %2`: `L` is instance memory, which is touched inside launches alone"},
      {"%1: f32 = atomic C[%0] add %f", "`%7: f32 = atomic C[%0] add %2`: it has 1 result where 0 are due"},
  };
  for (const Bad &bad : table) {
    INFO(bad.body);
    CHECK(faults_of(bad.body) == bad.why);
  }
  CHECK(faults_of("atomic C[%0] xor %one\natomic C[%0] or %t") == "");
}

TEST_CASE("structure", "[plan][verify]") {
  const Bad table[] = {
      {"for %i in [%f, %one) step 1 { }", "`for %7 in [%2, %1) step 1`: the lower bound is `f32`, not `i64`"},
      {"for %i in [%0, %ids) step 1 { }", "`for %7 in [%0, %4) step 1`: the upper bound is `i64x8`, not `i64`"},
      {"for %i in [%0, %one) step 0 { }", "`for %7 in [%0, %1) step 0`: its step is not positive"},
      {"for %i in [%0, %one) step -8 { }", "`for %7 in [%0, %1) step -8`: its step is not positive"},
      {"%r: f32 = for %i in [%0, %one) step 1 carry (%a: f32 = %f) { yield %i }",
       "`%7: f32 = for %8 in [%0, %1) step 1 carry (%9: f32 = %2)`: value 0 that the body yields is i64, not f32"},
      {"%r: f32 = for %i in [%0, %one) step 1 carry (%a: f32 = %f) { }",
       "`%7: f32 = for %8 in [%0, %1) step 1 carry (%9: f32 = %2)`: the body yields 0 values where 1 are due"},
      {"%r: f32 = for %i in [%0, %one) step 1 carry (%a: f32x8 = %f) { yield %f }",
       "`%7: f32 = for %8 in [%0, %1) step 1 carry (%9: f32x8 = %2)`: argument 1 of the body is f32x8, not f32"},
      {"%r: f64 = for %i in [%0, %one) step 1 carry (%a: f32 = %f) { yield %a }",
       "`%7: f64 = for %8 in [%0, %1) step 1 carry (%9: f32 = %2)`: result 0 is `f64`, not `f32`"},
      {"for %i in [%0, %one) step 1 carry (%a: f32 = %f) { yield %a }",
       "`for %7 in [%0, %1) step 1 carry (%8: f32 = %2)`: it has 0 results where 1 are due"},
      {"if %one { }", "`if %1`: the condition is `i64`, not `bool`"},
      {"if %mask { }", "`if %6`: the condition is `boolx8`, not `bool`"},
      {"%r: f32 = if %t { yield %f }", "`%7: f32 = if %5`: the second block yields 0 values where 1 are due"},
      {"%r: f32 = if %t { yield %one } else { yield %f }",
       "`%7: f32 = if %5`: value 0 that the first block yields is i64, not f32"},
      {"if %t { yield %f }", "`if %5`: the first block yields 1 value where 0 are due"},
      {"%r: f32 = while (%a: f32 = %f) { yield %a } do (%b: f32) { yield %b }",
       "`%7: f32 = while (%8: f32 = %2)`: value 0 that the condition yields is f32, not bool"},
      {"%r: f32 = while (%a: f32 = %f) { yield %t } do () { yield %f }",
       "`%7: f32 = while (%8: f32 = %2)`: the body has 0 arguments where 1 are due"},
      {"%r: f32 = while (%a: f32 = %f) { yield %t } do (%b: f32) { yield %one }",
       "`%7: f32 = while (%8: f32 = %2)`: value 0 that the body yields is i64, not f32"},
      {"launch l (%x < %f) { }", "`launch l (%7 < %2)`: extent 0 is `f32`, not `i64`"},
      {"launch l (%x < %one) { launch m (%y < %one) { } }", "`launch m (%8 < %1)`: a launch stands in another"},
      {"launch l (%x < %one) { yield %x }", "`launch l (%7 < %1)`: the instance yields 1 value where 0 are due"},
      {"launch l () { }\nlaunch l () { }", "`launch l ()`: two things are named `l`"},
      {"launch A () { }", "`launch A ()`: two things are named `A`"},
      {"launch \"\" () { }", "`launch \"\" ()`: a launch has no name"},
      {"for %i in [%0, %one) step 1 participants { }",
       "`for %7 in [%0, %1) step 1 participants`: a loop over participants stands outside of launches"},
      {"launch l () { for %i in [%0, %one) step 1 participants { for %j in [%0, %one) step 1 participants { } } }",
       "`for %8 in [%0, %1) step 1 participants`: a loop over participants stands in another"},
      {"launch l () { %r: f32 = for %i in [%0, %one) step 1 participants carry (%a: f32 = %f) { yield %a } }",
       "`%7: f32 = for %8 in [%0, %1) step 1 participants carry (%9: f32 = %2)`: a loop over participants carries values"},
      {"barrier", "`barrier`: a barrier stands outside of launches"},
      {"launch l () { for %i in [%0, %one) step 1 participants { if %t { barrier } } }",
       "`barrier`: a barrier stands in a loop over participants"},
      {"assert %f, \"no\"", "`assert %2, \"no\"`: the condition is `f32`, not `bool`"},
      {"yield %f", "the body yields 1 value where 0 are due"},
  };
  for (const Bad &bad : table) {
    INFO(bad.body);
    CHECK(faults_of(bad.body) == bad.why);
  }
}

TEST_CASE("buffers", "[plan][verify]") {
  CHECK(faults_of("", "  argument 1 D: f32[M]\n") == "two buffers are argument 1");
  CHECK(faults_of("", "  scratch \"\": f32[M]\n") == "a buffer has no name");
  CHECK(faults_of("", "  scratch D: out f32[M]\n") ==
        "buffer `D` is no argument and has a position, an access or strides");
  CHECK(faults_of("", "  instance D: f32[M] strided\n") ==
        "buffer `D` is no argument and has a position, an access or strides");
}

TEST_CASE("what text cannot say", "[plan][verify]") {
  Builder b("p", {});
  b.argument("A", ScalarType::f32, {8}, 0, ArgumentAccess::mut);
  const Reg zero = b.i64(0), f = b.load(BufferId(0), zero);
  b.store(BufferId(0), zero, f);
  b.if_then(b.boolean(true), [&] { b.store(BufferId(0), zero, f); });
  const Plan good = b.finish();
  REQUIRE(listed(verify(good)) == "");
  const auto whys = [](const Plan &p) {
    std::string out;
    for (const Diagnostic &d : verify(p)) out += d.args[1].second + "\n";
    return out;
  };
  const auto first = [&](const Plan &p) { return whys(p).substr(0, whys(p).find('\n')); };
  Plan p = good;
  std::swap(p.blocks[p.body].ops[0], p.blocks[p.body].ops[1]);
  CHECK(first(p) == "`%0: f32 = load A[%1]`: a register is used before it is defined");
  p = good;
  p.ops[OpIndex(1)].results[0] = Reg(0);
  CHECK(first(p) == "`%0: i64 = load A[%0]`: a register is defined a second time");
  p = good;
  p.blocks[p.body].ops.push_back(OpIndex(2));
  CHECK(first(p) == "`store A[%0] = %1`: the operation stands in the plan twice");
  p = good;
  p.blocks[p.body].ops.push_back(OpIndex(77));
  CHECK(first(p) == "a block holds an operation that is not in the table");
  p = good;
  p.ops[OpIndex(4)].blocks[1] = p.ops[OpIndex(4)].blocks[0];
  CHECK(first(p) == "`if %2`: the second block stands in the plan twice");
  p = good;
  p.ops[OpIndex(4)].blocks[1] = p.body;
  CHECK(first(p) == "`if %2`: the second block stands in the plan twice");
  p = good;
  p.ops[OpIndex(4)].blocks[1] = BlockId(99);
  CHECK(first(p) == "`if %2`: the second block is not in the table of blocks");
  p = good;
  p.ops[OpIndex(4)].blocks.pop_back();
  CHECK(first(p) == "`if %2`: it has 1 block where 2 are due");
  p = good;
  p.ops[OpIndex(4)].attr = plan::AssertAttr{"x"};
  CHECK(first(p) == "`if %2`: it has attributes that mean nothing");
  p = good;
  p.ops[OpIndex(1)].operands[0] = Reg(1000);
  CHECK(first(p) == "`%1: f32 = load A[%?]`: it uses a register that is not in the table");
  p = good;
  p.ops[OpIndex(1)].results[0] = Reg();
  CHECK(first(p) == "`%?: ? = load A[%0]`: its result is not in the table of registers");
  p = good;
  p.ops[OpIndex(1)].attr = std::monostate{};
  CHECK(first(p) == "`%1: f32 = load ?[%0]`: it lacks its attributes");
  p = good;
  std::get<plan::AccessAttr>(p.ops[OpIndex(1)].attr).buffer = BufferId(3);
  CHECK(first(p) == "`%1: f32 = load ?[%0]`: its buffer is not in the table");
  p = good;
  std::get<plan::AccessAttr>(p.ops[OpIndex(1)].attr).atomic = AtomicKind::max;
  CHECK(first(p) == "`%1: f32 = load A[%0]`: it is no atomic and has a kind");
  p = good;
  p.regs[Reg(1)].lanes = 0;
  CHECK(first(p) == "`%1: f32x0 = load A[%0]`: a register has no lanes");
  p = good;
  p.regs[Reg(2)].elem = ScalarType::i8;
  std::get<ConstantAttr>(p.ops[OpIndex(3)].attr).bits = 256;
  CHECK(first(p) == "`%2: i8 = constant bits 0x100`: its bits do not fit `i8`");
  p = good;
  std::get<ConstantAttr>(p.ops[OpIndex(3)].attr).bits = 2;
  CHECK(first(p) == "`%2: bool = constant bits 0x2`: its bits do not fit `bool`");
  p = good;
  p.buffers[BufferId(0)].argument = -1;
  CHECK(first(p) == "buffer `A` is an argument without a position");
  p = good;
  p.buffers[BufferId(0)].shape[0] = Extent::parameter(ParamId(0));
  CHECK(first(p) == "the shape of buffer `A` has a parameter that the plan lacks");
  p = good;
  p.buffers[BufferId(0)].shape[0] = Extent(INT64_MAX).plus(1);
  CHECK(first(p) == "the shape of buffer `A` does not fit 64 bits");
  p = good;
  p.params.push({"M"}), p.params.push({"M"});
  CHECK(first(p) == "parameter names are not unique");
  p = good;
  p.buffers.push(p.buffers[BufferId(0)]);
  CHECK(first(p) == "two things are named `A`");
  p = good;
  p.body = BlockId();
  CHECK(first(p) == "the body is not in the table of blocks");
  p = good;
  p.blocks[p.body].args.push_back(Reg(0));
  CHECK(first(p) == "the body has 1 argument where 0 are due");
  // A register of an inner block, used outside of it.
  p = good;
  const OpIndex inner = p.ops.push({Kind::constant, {}, {p.regs.push({})}, {}, ConstantAttr{5}, {}});
  p.blocks[p.ops[OpIndex(4)].blocks[0]].ops.push_back(inner);
  p.blocks[p.body].ops.push_back(
      p.ops.push({Kind::store, {p.ops[inner].results[0], f}, {}, {}, plan::AccessAttr{BufferId(0)}, {}}));
  CHECK(first(p) == "`store A[%3] = %1`: a register is not visible here");
}

TEST_CASE("reports end, and nesting does", "[plan][verify]") {
  std::string many, deep;
  for (int i = 0; i < 50; ++i) many += "store A[%0] = %f\n";
  const std::string faults = faults_of(many);
  CHECK(std::count(faults.begin(), faults.end(), '\n') == 19);
  Builder b("p");
  const Reg t = b.boolean(true);
  for (int i = 0; i < max_nesting; ++i) b.begin_if(t);
  for (int i = 0; i < max_nesting; ++i) b.end_if();
  CHECK(listed(verify(b.finish())) == "B1601 the plan `p` is malformed: `if %0`: blocks nest deeper than 256\n"
                                     "B1601 the plan `p` is malformed: `if %0`: blocks nest deeper than 256"); // either block
}
