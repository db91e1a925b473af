// SPDX-License-Identifier: Apache-2.0
// Plans as text: what is printed reads back to an equal plan, and what is no plan is told with its place.
#include "lower/builder.h"
#include "lower/equality.h"
#include "lower/parse.h"
#include "lower/print.h"
#include "lower/verify.h"
#include "tests/lower/plan_text.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::plan;

namespace {

// "line:column CODE message" of a text that is no plan.
std::string mistake(const std::string &text) {
  const auto parsed = parse_text("t", text);
  return parsed ? "none" : listed(parsed.errors());
}

// With the statement in a plan of one parameter and one buffer, on line 3.
std::string mistake_in(const std::string &statement) {
  return mistake("plan p(M) {\n  argument 0 A: mut f32[M]\n" + statement + "\n}\n");
}

} // namespace

TEST_CASE("a plan prints as it is written", "[plan][text]") {
  const std::string text = R"(plan gemm(M, "K 1") {
  argument 0 A: f32[M, 2 * "K 1" + 1] strided overlapping
  argument 2 C: mut i4[]
  argument 1 "my out": out f8e4m3fn[ceil_div(M, 32), floordiv(M + 1, 4), -M + 7]
  scratch S: bf16[0]
  shared H: u64[16]
  instance L: bool[4, 4]
  %0: i64 = extent -2 * M + 3
  %1: i64 = stride A[1]
  %2: f32x8 = constant -1.5
  %3: f32 = constant bits 0x7fc00001
  %4: i4 = constant -3
  %5: u64 = constant 18446744073709551615
  %6: f64 = constant -inf
  %7: bool = constant false
  %8: f32 = constant -0.0
  %9: f32x8 = shuffle %2, %2 [15, 0, 1, 2, 3, 4, 5, 6]
  %10: f32 = shuffle %9 [3]
  %11: f32x8 = splat %10
  %12: boolx8 = lt %9, %11
  %13: i64x8 = lane_ids
  %14: f32x8 = load A[%13] mask %12
  store S[%0] = %14 mask %12
  atomic C[%1] max %1
  %15: f32, %16: i64 = for %17 in [%0, %1) step 8 carry (%18: f32 = %8, %19: i64 = %0) {
    if %7 {
      %20: f64 = cast %18
    }
    if %7 {
    } else {
      assert %7, "a \"text\"\n"
    }
    %21: f32 = if %7 {
      yield %18
    } else {
      yield %8
    }
    yield %21, %17
  }
  %22: i64 = while (%23: i64 = %16) {
    yield %7
  } do (%24: i64) {
    yield %24
  }
  launch gemm_0 (%25 < %0, %26 < %1) {
    for %27 in [%25, %26) step 1 participants {
    }
    barrier
  }
  launch empty () {
  }
}
)";
  const Plan p = plan_of(text);
  CHECK(print(p) == text);
}

TEST_CASE("sources stand behind operations where they are asked for", "[plan][text]") {
  Builder b("p");
  b.at(OpId(7));
  const Reg one = b.i64(1);
  b.at({});
  b.launch("l", {one}, [&](const Regs &) {
    b.at(OpId(3));
    b.barrier();
  });
  const Plan p = b.finish();
  const std::string text = print(p, {true});
  CHECK(text == "plan p() {\n  %0: i64 = constant 1 @7\n  launch l (%1 < %0) {\n    barrier @3\n  }\n}\n");
  CHECK(equal(p, plan_of(text), true));
  CHECK(equal(p, plan_of(print(p))));
  CHECK(!equal(p, plan_of(print(p)), true));
  const std::string loop = "plan p() {\n  %0: i64 = constant 1\n  if %0 @9 {\n  } else {\n    barrier\n  }\n}\n";
  CHECK(print(plan_of(loop), {true}) == loop);
}

TEST_CASE("names and spacing are free", "[plan][text]") {
  const Plan p = plan_of("plan p(M) { // a comment\n argument 0 A: f32[M]\n%lo: i64 = constant 0x10 %x: f32 = load "
                         "A [ %lo ] %12:f32=add %x,%x for %i in [%lo,%lo) step 1{%x1:f32=neg %12}}");
  CHECK(print(p) == R"(plan p(M) {
  argument 0 A: f32[M]
  %0: i64 = constant 16
  %1: f32 = load A[%0]
  %2: f32 = add %1, %1
  for %3 in [%0, %0) step 1 {
    %4: f32 = neg %2
  }
}
)");
}

TEST_CASE("registers are visible where they are defined", "[plan][text]") {
  CHECK(mistake_in("%a: i64 = add %a, %a") == "3:15 P0006 unknown name `%a`");
  CHECK(mistake_in("%a: i64 = constant 1\n%a: i64 = constant 1") == "4:1 P0007 `%a` is already declared");
  CHECK(mistake_in("%t: bool = constant true\nif %t { %a: i64 = constant 1 }\nassert %a, \"\"") ==
        "5:8 P0006 unknown name `%a`");
  CHECK(mistake_in("%z: i64 = constant 0\nfor %i in [%z, %z) step 1 { }\nassert %i, \"\"") ==
        "5:8 P0006 unknown name `%i`");
  CHECK(mistake_in("%z: i64 = constant 0\n%r: i64 = for %i in [%z, %z) step 1 carry (%c: i64 = %z) { yield %r }") ==
        "4:66 P0006 unknown name `%r`");
  // A name is free again where its block has ended.
  CHECK(mistake_in("%t: bool = constant true\nif %t { %a: i64 = constant 1 } else { %a: i64 = constant 1 }\n"
                   "%a: i64 = constant 2") == "none");
}

TEST_CASE("what is no plan", "[plan][text]") {
  CHECK(mistake("") == "1:1 P0001 unexpected end of file, expected `plan`");
  CHECK(mistake("kernel p() { }") == "1:1 P0001 unexpected `kernel`, expected `plan`");
  CHECK(mistake("plan p() { } x") == "1:14 P0001 unexpected `x`, expected end of file");
  CHECK(mistake("plan p() {") == "1:11 P0001 unexpected end of file, expected an operation");
  CHECK(mistake("plan p(M, M) { }") == "1:11 P0007 `M` is already declared");
  CHECK(mistake("plan p() { \xff }") == "1:12 P0002 the file holds bytes that are not UTF-8");
  CHECK(mistake("plan p() { ? }") == "1:12 P0003 unexpected character `?`");
  CHECK(mistake("plan \"p") == "1:6 P0004 malformed string: the string has no closing quote on its line");
  CHECK(mistake("plan \"\\q\"() { }") == "1:6 P0004 malformed string: an escape is not known");
  CHECK(mistake_in("argument 0 A: f32[M]") == "3:12 P0007 `A` is already declared");
  CHECK(mistake_in("argument 1 B: f32x8[M]") == "3:15 P0001 unexpected `f32x8`, expected an element type");
  CHECK(mistake_in("scratch B: f99[M]") == "3:12 P0001 unexpected `f99`, expected a type");
  CHECK(mistake_in("scratch B: f32[K]") == "3:16 P0006 unknown name `K`");
  CHECK(mistake_in("scratch B: f32[ceil_div(M, 0)]") == "3:28 P0011 this is no quasi-affine extent: a divisor is 0");
  CHECK(mistake_in("scratch B: f32[9223372036854775807 + 1]") ==
        "3:16 P0011 this is no quasi-affine extent: a coefficient leaves 64 bits");
  CHECK(mistake_in("%a: i64 = extent 9223372036854775808") ==
        "3:18 P0005 malformed number: `9223372036854775808` is no number up to 9223372036854775807");
  CHECK(mistake_in("%a: i64 = extent -9223372036854775808") == "none");
  CHECK(mistake_in("%a: i8 = constant 128") == "3:19 T0103 literal 128 is not a value of i8");
  CHECK(mistake_in("%a: i8 = constant -128") == "none");
  CHECK(mistake_in("%a: i4 = constant 8") == "3:19 T0103 literal 8 is not a value of i4");
  CHECK(mistake_in("%a: f32 = constant bits 0x100000000") ==
        "3:25 P0005 malformed number: `0x100000000` is no number up to 4294967295");
  CHECK(mistake_in("%a: f32 = constant one") == "3:20 T0103 literal one is not a value of f32");
  CHECK(mistake_in("%a: f32 = constant [") == "3:20 P0001 unexpected `[`, expected a value");
  CHECK(mistake_in("%a: f32x0 = constant 1") == "3:5 P0001 unexpected `f32x0`, expected a type");
  CHECK(mistake_in("%a: f32x65536 = constant 1") == "3:5 P0001 unexpected `f32x65536`, expected a type");
  CHECK(mistake_in("%a: f32 = frobnicate %a") == "3:11 P0006 unknown name `frobnicate`");
  CHECK(mistake_in("%a f32 = constant 1") == "3:4 P0001 unexpected `f32`, expected `:`");
  CHECK(mistake_in("% a: f32 = constant 1") == "3:3 P0001 unexpected `a`, expected a register's name");
  CHECK(mistake_in("%a: f32 = load B[%a]") == "3:16 P0006 unknown name `B`");
  CHECK(mistake_in("%a: i64 = constant 1\natomic A[%a] sub %a") ==
        "4:14 P0001 unexpected `sub`, expected `add`, `min`, `max`, `and`, `or` or `xor`");
  CHECK(mistake_in("%a: i64 = constant 1\nfor %i in [%a, %a] step 1 { }") == "4:18 P0001 unexpected `]`, expected `)`");
  CHECK(mistake_in("%a: i64 = constant 1\n%b: i64 = shuffle %a [65536]") ==
        "4:23 P0005 malformed number: `65536` is no number up to 65535");
  CHECK(mistake_in("assert \"\", \"\"") == "3:8 P0001 unexpected string, expected a register");
  std::string deep = "plan p() {\n%t: bool = constant true\n";
  for (int i = 0; i < 1000; ++i) deep += "if %t {\n";
  CHECK(mistake(deep) == "259:1 L0101 the text nests deeper than 256 levels");
  std::string nested = "plan p(M) {\nscratch S: f32[";
  for (int i = 0; i < 1000; ++i) nested += "floordiv(";
  CHECK(mistake(nested).find(" L0101 the text nests deeper than 100 levels") != std::string::npos);
}

TEST_CASE("no prefix and no broken byte of a text crashes the parser", "[plan][text]") {
  Builder b("p", {});
  const BufferId a = b.argument("A", ScalarType::f32, {8, 2}, 0, ArgumentAccess::mut, true);
  const Reg lo = b.i64(0), hi = b.extent(Extent(16)), v = b.constant({ScalarType::f32, 4}, 0x3f800000);
  b.launch("l", {hi}, [&](const Regs &at) {
    b.for_loop(lo, hi, 4, {v}, [&](Reg i, const Regs &carried) -> Regs {
      b.store(a, i, b.prim(Primitive::mul, {carried[0], b.splat(b.lane(v, 2), 4)}));
      b.assert_(b.prim(Primitive::le, {at[0], b.stride(a, 1)}), "text");
      return {b.load(a, Type{ScalarType::f32, 4}, i)};
    });
  });
  const std::string text = print(b.finish());
  for (std::size_t n = 0; n + 2 < text.size(); ++n) CHECK_FALSE(parse_text("t", text.substr(0, n)).ok());
  std::uint64_t state = 1;
  for (int i = 0; i < volume(20000); ++i) {
    std::string broken = text;
    for (int k = 0; k < 3; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      broken[(state >> 33) % broken.size()] = static_cast<char>("%:[](){},=<*-\"@ x0a9\n"[(state >> 20) % 21]);
    }
    if (const auto parsed = parse_text("t", broken)) {
      const Diagnostics faults = verify(*parsed);
      if (faults.empty()) CHECK(equal(*parsed, plan_of(print(*parsed))));
    } else {
      CHECK(parsed.errors().size() == 1);
    }
  }
}
