// SPDX-License-Identifier: Apache-2.0
// The plan interpreter on plans written by hand; every expected number is derived by hand.
#include "tests/lower/plan_run.h"
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

using namespace tilenest;
using plan::VisitOrder;
using i32s = std::vector<std::int32_t>;
using i64s = std::vector<std::int64_t>;
using f32s = std::vector<float>;
using u8s = std::vector<std::uint8_t>;

TEST_CASE("a loop that sums", "[plan][interpret]") {
  f32s a{1, 2, 3, 4, 5}, c{0};
  CHECK(run_text(R"(plan p(M) {
    argument 0 A: f32[M]
    argument 1 C: out f32[]
    %lo: i64 = constant 0
    %hi: i64 = extent M
    %z: f32 = constant 0.5
    %s: f32 = for %i in [%lo, %hi) step 1 carry (%c: f32 = %z) {
      %x: f32 = load A[%i]
      %n: f32 = add %c, %x
      yield %n
    }
    store C[%lo] = %s
  })", {{5}, {on(a), {c.data(), {}, {}}}}) == "");
  CHECK(c[0] == 15.5f);
}

TEST_CASE("a vector loop with a masked tail", "[plan][interpret]") {
  f32s a(11), c(11, -1);
  std::iota(a.begin(), a.end(), 1.0f);
  CHECK(run_text(R"(plan p(M) {
    argument 0 A: f32[M]
    argument 1 C: out f32[M]
    %lo: i64 = constant 0
    %hi: i64 = extent M
    %ids: i64x4 = lane_ids
    %his: i64x4 = splat %hi
    %two: f32x4 = constant 2.0
    for %i in [%lo, %hi) step 4 {
      %is: i64x4 = splat %i
      %at: i64x4 = add %is, %ids
      %m: boolx4 = lt %at, %his
      %x: f32x4 = load A[%i] mask %m
      %y: f32x4 = mul %x, %two
      store C[%i] = %y mask %m
    }
  })", {{11}, {on(a), on(c)}}) == "");
  CHECK(c == f32s{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22});
}

TEST_CASE("lanes that a mask leaves out are 0 and touch nothing", "[plan][interpret]") {
  f32s a{7, 8}, c(4, -1);
  CHECK(run_text(R"(plan p() {
    argument 0 A: f32[2]
    argument 1 C: out f32[4]
    %0: i64 = constant 0
    %ids: i64x4 = lane_ids
    %far: i64x4 = constant 9000000000000000000
    %two: i64x4 = constant 2
    %m: boolx4 = lt %ids, %two
    %at: i64x4 = select %m, %ids, %far
    %x: f32x4 = load A[%at] mask %m
    store C[%0] = %x
    %no: boolx4 = constant false
    store C[%far] = %x mask %no
    atomic C[%far] add %x mask %no
  })", {{}, {on(a), on(c)}}) == "");
  CHECK(c == f32s{7, 8, 0, 0});
}

TEST_CASE("gather, scatter, and shuffles", "[plan][interpret]") {
  i32s a{10, 11, 12, 13, 14, 15, 16, 17}, c(8, -1), d(8, -1);
  CHECK(run_text(R"(plan p() {
    argument 0 A: i32[8]
    argument 1 C: out i32[8]
    argument 2 D: out i32[8]
    %0: i64 = constant 0
    %4: i64 = constant 4
    %ids: i64x4 = lane_ids
    %two: i64x4 = constant 2
    %even: i64x4 = mul %ids, %two
    %x: i32x4 = load A[%even]
    %halves: i64x4 = div %ids, %two
    store C[%halves] = %x
    %y: i32x4 = load A[%4]
    %mixed: i32x6 = shuffle %x, %y [7, 0, 0, 3, 4, 5]
    store D[%0] = %mixed
    %last: i32 = shuffle %mixed [5]
    %7: i64 = constant 7
    store D[%7] = %last
    %part: i32x2 = shuffle %y [1, 2]
    store C[%4] = %part
  })", {{}, {on(a), on(c), on(d)}}) == "");
  // x = 10 12 14 16; y = 14 15 16 17. Offsets 0 0 1 1: the last of each stays.
  CHECK(c == i32s{12, 16, -1, -1, 15, 16, -1, -1});
  CHECK(d == i32s{17, 10, 10, 16, 14, 15, -1, 15});
}

TEST_CASE("atomics", "[plan][interpret]") {
  i32s c{5, 5, 5, 12, 12, 12};
  u8s b{250, 1};
  CHECK(run_text(R"(plan p() {
    argument 0 C: mut i32[6]
    argument 1 B: mut u8[2]
    %0: i64 = constant 0
    %1: i64 = constant 1
    %2: i64 = constant 2
    %3: i64 = constant 3
    %4: i64 = constant 4
    %5: i64 = constant 5
    %same: i64x4 = constant 0
    %ten: i32x4 = constant 10
    %ids: i64x4 = lane_ids
    %three: i64x4 = constant 3
    %m: boolx4 = lt %ids, %three
    atomic C[%same] add %ten mask %m
    %seven: i32 = constant 7
    %n: i32 = constant -7
    atomic C[%1] min %n
    atomic C[%2] max %seven
    atomic C[%3] and %seven
    atomic C[%4] or %seven
    atomic C[%5] xor %seven
    %x: u8 = constant 10
    atomic B[%0] add %x
    %t: bool = constant true
    atomic B[%1] xor %t
  })", {{}, {on(c), on(b)}}) == "");
  CHECK(c == i32s{35, -7, 7, 4, 15, 11}); // 12 = 1100, 7 = 0111
  CHECK(b == u8s{4, 0});
  f32s f{1, 2};
  CHECK(run_text(R"(plan p() {
    argument 0 F: mut f32[2]
    %0: i64 = constant 0
    %x: f32x2 = constant 0.25
    atomic F[%0] add %x
    %1: i64 = constant 1
    %y: f32 = constant 7.0
    atomic F[%1] max %y
  })", {{}, {on(f)}}) == "");
  CHECK(f == f32s{1.25f, 7});
}

TEST_CASE("while: the steps of 27 to 1", "[plan][interpret]") {
  i64s c(2, -1);
  CHECK(run_text(R"(plan p() {
    argument 0 C: out i64[2]
    %0: i64 = constant 0
    %1: i64 = constant 1
    %2: i64 = constant 2
    %3: i64 = constant 3
    %start: i64 = constant 27
    %n: i64, %steps: i64 = while (%x: i64 = %start, %k: i64 = %0) {
      %more: bool = ne %x, %1
      yield %more
    } do (%y: i64, %j: i64) {
      %odd: i64 = bit_and %y, %1
      %is: bool = eq %odd, %1
      %next: i64 = if %is {
        %t: i64 = mul %y, %3
        %u: i64 = add %t, %1
        yield %u
      } else {
        %h: i64 = div %y, %2
        yield %h
      }
      %i: i64 = add %j, %1
      yield %next, %i
    }
    store C[%0] = %n
    store C[%1] = %steps
  })", {{}, {on(c)}}) == "");
  CHECK(c == i64s{1, 111});
}

TEST_CASE("carried values that change places, and loops in loops", "[plan][interpret]") {
  i64s c(6, -1);
  CHECK(run_text(R"(plan p() {
    argument 0 C: out i64[6]
    %0: i64 = constant 0
    %1: i64 = constant 1
    %2: i64 = constant 2
    %3: i64 = constant 3
    %4: i64 = constant 4
    %5: i64 = constant 5
    %10: i64 = constant 10
    %a: i64, %b: i64 = for %i in [%0, %10) step 1 carry (%x: i64 = %0, %y: i64 = %1) {
      %z: i64 = add %x, %y
      yield %y, %z
    }
    store C[%0] = %a
    %p: i64, %q: i64, %r: i64 = for %i in [%0, %4) step 1 carry (%x: i64 = %1, %y: i64 = %2, %w: i64 = %3) {
      yield %y, %w, %x
    }
    store C[%1] = %p
    store C[%2] = %q
    store C[%3] = %r
    %s: i64 = for %i in [%0, %4) step 1 carry (%x: i64 = %0) {
      %t: i64 = for %j in [%0, %i) step 1 carry (%y: i64 = %x) {
        %u: i64 = for %k in [%j, %i) step 2 carry (%v: i64 = %y) {
          %n: i64 = add %v, %1
          yield %n
        }
        yield %u
      }
      yield %t
    }
    store C[%4] = %s
    %m: i64, %n: i64 = while (%x: i64 = %0, %y: i64 = %10) {
      %less: bool = lt %x, %y
      yield %less
    } do (%x: i64, %y: i64) {
      %d: i64 = sub %y, %1
      %u: i64 = add %x, %2
      yield %u, %d
    }
    store C[%5] = %m
  })", {{}, {on(c)}}) == "");
  CHECK(c[0] == 55);
  // 1 2 3 rotates to the left once a round: after 4 rounds 2 3 1.
  CHECK(i64s(c.begin() + 1, c.begin() + 4) == i64s{2, 3, 1});
  // ceil((i - j) / 2) over j < i < 4: i = 1: 1; i = 2: 1 + 1; i = 3: 2 + 1 + 1.
  CHECK(c[4] == 7);
  CHECK(c[5] == 8); // 0 10, 2 9, 4 8, 6 7, 8 6
}

TEST_CASE("trip counts at the ends of i64", "[plan][interpret]") {
  i64s c(4, 0);
  CHECK(run_text(R"(plan p() {
    argument 0 C: mut i64[4]
    %0: i64 = constant 0
    %1: i64 = constant 1
    %2: i64 = constant 2
    %3: i64 = constant 3
    %min: i64 = constant -9223372036854775808
    %max: i64 = constant 9223372036854775807
    %near: i64 = constant 9223372036854775805
    for %i in [%near, %max) step 4 { atomic C[%0] add %1 }
    for %i in [%min, %max) step 9223372036854775807 { atomic C[%1] add %1 }
    for %i in [%max, %min) step 1 { atomic C[%2] add %1 }
    for %i in [%0, %0) step 1 { atomic C[%3] add %1 }
  })", {{}, {on(c)}}) == "");
  CHECK(c == i64s{1, 3, 0, 0}); // min, -1 and max - 1 are below max
}

TEST_CASE("narrow floats and 4-bit elements", "[plan][interpret]") {
  f32s x{1, 448, -2, 0.5f};
  u8s e(4), packed{0x8f, 0x70, 0x21}, out(3, 0xee), u(3, 0xff);
  std::vector<std::uint16_t> b(4);
  f32s back(6), bback(4);
  CHECK(run_text(R"(plan p() {
    argument 0 X: f32[4]
    argument 1 E: out f8e4m3fn[4]
    argument 2 B: out bf16[4]
    argument 3 P: i4[6]
    argument 4 O: out i4[5]
    argument 5 Y: out f32[6]
    argument 6 Z: out f32[4]
    argument 7 U: out u4[6]
    %0: i64 = constant 0
    %x: f32x4 = load X[%0]
    %e: f8e4m3fnx4 = cast %x
    store E[%0] = %e
    %b: bf16x4 = cast %x
    store B[%0] = %b
    %c: bf16x4 = load B[%0]
    %z: f32x4 = cast %c
    store Z[%0] = %z
    %p: i4x6 = load P[%0]
    %y: f32x6 = cast %p
    store Y[%0] = %y
    %q: i4x5 = shuffle %p [5, 4, 3, 2, 1]
    store O[%0] = %q
    %1: i64 = constant 1
    %m: i4 = constant -3
    store O[%1] = %m
    %odd: i64x2 = lane_ids
    %ss: i64x2 = constant 3
    %at: i64x2 = mul %odd, %ss
    %u: u4x2 = constant 9
    store U[%at] = %u
    %w: u4 = load U[%0]
    %5: i64 = constant 5
    store U[%5] = %w
  })", {{}, {on(x), on(e), on(b), on(packed, {6}), on(out, {5}), on(back), on(bback), on(u, {6})}}) == "");
  CHECK(e == u8s{0x38, 0x7e, 0xc0, 0x30});
  CHECK(b == std::vector<std::uint16_t>{0x3f80, 0x43e0, 0xc000, 0x3f00});
  CHECK(bback == x);
  CHECK(back == f32s{-1, -8, 0, 7, 1, 2});
  // 2 1 7 0 -8, then -3 at 1; the half behind the last stays.
  CHECK(out == u8s{0xd2, 0x07, 0xe8});
  CHECK(u == u8s{0xf9, 0x9f, 0x9f});
}

TEST_CASE("what has no result is 0", "[plan][interpret]") {
  i32s c(4, -1);
  CHECK(run_text(R"(plan p() {
    argument 0 C: out i32[4]
    %0: i64 = constant 0
    %7: i32x2 = constant 7
    %z: i32x2 = constant 0
    %d: i32x2 = div %7, %z
    store C[%0] = %d
    %nan: f32x2 = constant nan
    %k: i32x2 = cast %nan
    %2: i64 = constant 2
    store C[%2] = %k
  })", {{}, {on(c)}}) == "");
  CHECK(c == i32s{0, 0, 0, 0});
}

TEST_CASE("strides and other element types", "[plan][interpret]") {
  std::vector<std::uint32_t> c(6, 0);
  f32s a{1, 2, 3, 4, 5, 6, 7, 8};
  const std::string text = R"(plan p(M, N) {
    argument 0 A: f32[M, N] strided
    argument 1 C: out u32[6]
    %0: i64 = constant 0
    %s: i64 = stride A[0]
    %t: i64 = stride A[1]
    %sum: i64 = add %s, %t
    %x: f32 = load A[%sum]
    %k: u32 = cast %x
    store C[%0] = %k
    %1: i64 = constant 1
    %bits: u32 = load A[%0]
    store C[%1] = %bits
    %4: i64 = constant 4
    %b: u8x4 = load A[%0]
    %w: u32x4 = cast %b
    %2: i64 = constant 2
    store C[%2] = %w
  })";
  // A is the transpose of rows of 4: A[i, j] = a[4 * j + i].
  CHECK(run_text(text, {{3, 2}, {{a.data(), {1, 4}, {3, 2}}, on(c)}}) == "");
  CHECK(c == std::vector<std::uint32_t>{6, 0x3f800000, 0, 0, 0x80, 0x3f});
  // Backwards from the last element: A[i, j] = a[7 - 2 * i - j].
  CHECK(run_text(text, {{3, 2}, {{a.data() + 7, {-2, -1}, {3, 2}}, on(c)}}) == "");
  CHECK(c == std::vector<std::uint32_t>{5, 0x41000000, 0, 0, 0, 0x41});
}

TEST_CASE("each instance has fresh memory, and scratch stays", "[plan][interpret]") {
  u8s c(12, 0);
  CHECK(run_text(R"(plan p() {
    argument 0 C: out u8[12]
    scratch S: u8[4]
    shared H: u8[2]
    instance L: u8[2]
    %0: i64 = constant 0
    %1: i64 = constant 1
    %2: i64 = constant 2
    %4: i64 = constant 4
    %first: u8 = load S[%1]
    store C[%0] = %first
    launch a (%x < %2) {
      %at: i64 = mul %x, %4
      %at1: i64 = add %at, %1
      %at2: i64 = add %at, %2
      %l: u8 = load L[%0]
      store C[%at1] = %l
      %h: u8 = load H[%1]
      store C[%at2] = %h
      %byte: u8 = cast %x
      store L[%0] = %byte
      store H[%1] = %byte
      store S[%x] = %byte
    }
    launch b () {
      %8: i64 = constant 8
      %s: u8x4 = load S[%0]
      store C[%8] = %s
    }
  })", {{}, {on(c)}}) == "");
  CHECK(c == u8s{0xcd, 0xcd, 0xcd, 0, 0, 0xcd, 0xcd, 0, 0, 1, 0xcd, 0xcd});
}

TEST_CASE("bools are 0 or 1 in registers", "[plan][interpret]") {
  u8s a{0, 1, 2, 0xcd}, c(4, 9);
  CHECK(run_text(R"(plan p() {
    argument 0 A: bool[4]
    argument 1 C: out bool[4]
    %0: i64 = constant 0
    %x: boolx4 = load A[%0]
    store C[%0] = %x
  })", {{}, {on(a), on(c)}}) == "");
  CHECK(c == u8s{0, 1, 1, 1});
}

TEST_CASE("failed asserts are counted and the run goes on", "[plan][interpret]") {
  i64s c(1, 0);
  plan::Plan p = good_plan(R"(plan p() {
    argument 0 C: out i64[1]
    %0: i64 = constant 0
    %5: i64 = constant 5
    %two: i64x4 = constant 2
    %ids: i64x4 = lane_ids
    %m: boolx4 = lt %ids, %two
    launch l (%x < %5) {
      %big: bool = ge %x, %5
      assert %big, "x is big" @12
      assert %m, "two of four"
      %small: bool = lt %x, %5
      assert %small, "holds"
    }
    store C[%0] = %5
  })");
  CHECK(run_on(p, {{}, {on(c)}}) == "assertion failed: x is big (5)\nassertion failed: two of four (10)");
  CHECK(c[0] == 5);
  const auto outcome = plan::interpret(p, {{}, {on(c)}});
  REQUIRE(outcome.ok());
  CHECK(std::string(outcome->diagnostics[0].info().code) == "A0001");
  CHECK(outcome->sources == std::vector<OpId>{OpId(12), OpId()});
}

TEST_CASE("the order of instances and of participants is an option", "[plan][interpret]") {
  const std::string text = R"(plan p(M) {
    argument 0 C: out i64[M, 2]
    argument 1 D: out i64[7]
    scratch N: i64[]
    %0: i64 = constant 0
    %1: i64 = constant 1
    %2: i64 = constant 2
    %10: i64 = constant 10
    %17: i64 = constant 17
    %m: i64 = extent floordiv(M, 2)
    store N[%0] = %0
    launch l (%x < %m, %y < %2) {
      %n: i64 = load N[%0]
      %at: i64 = mul %n, %2
      store C[%at] = %x
      %at1: i64 = add %at, %1
      store C[%at1] = %y
      %next: i64 = add %n, %1
      store N[%0] = %next
    }
    store N[%0] = %0
    launch k () {
      for %i in [%10, %17) step 1 participants {
        %n: i64 = load N[%0]
        store D[%n] = %i
        %next: i64 = add %n, %1
        store N[%0] = %next
      }
    }
  })";
  const plan::Plan p = good_plan(text);
  i64s c(12), d(7);
  CHECK(run_on(p, {{6}, {on(c, {6, 2}), on(d)}}) == "");
  CHECK(c == i64s{0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1});
  CHECK(d == i64s{10, 11, 12, 13, 14, 15, 16});
  CHECK(run_on(p, {{6}, {on(c, {6, 2}), on(d)}}, {VisitOrder::backward}) == "");
  CHECK(c == i64s{2, 1, 2, 0, 1, 1, 1, 0, 0, 1, 0, 0});
  CHECK(d == i64s{16, 15, 14, 13, 12, 11, 10});
  std::set<i64s> orders, loops;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CHECK(run_on(p, {{6}, {on(c, {6, 2}), on(d)}}, {VisitOrder::shuffled, seed}) == "");
    orders.insert(c), loops.insert(d);
    i64s sorted = d, points;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == i64s{10, 11, 12, 13, 14, 15, 16});
    for (std::size_t i = 0; i < 6; ++i) points.push_back(c[2 * i] * 2 + c[2 * i + 1]);
    std::sort(points.begin(), points.end());
    CHECK(points == i64s{0, 1, 2, 3, 4, 5});
  }
  CHECK(orders.size() > 20);
  CHECK(loops.size() > 20);
}
