// SPDX-License-Identifier: Apache-2.0
// What the builder appends, reuses and folds: by the text of what it made.
#include "lower/builder.h"
#include "lower/print.h"
#include "lower/verify.h"
#include "tests/lower/plan_text.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::plan;

TEST_CASE("values: folding and reuse", "[plan][builder]") {
  Builder b("p", {});
  const Reg two = b.i64(2), three = b.i64(3);
  CHECK(b.i64(2) == two);
  CHECK(b.known(b.add(two, three)) == 5);
  CHECK(b.known(b.sub(two, three)) == -1);
  CHECK(b.known(b.mul(two, three)) == 6);
  CHECK(b.known(b.mul(b.i64(INT64_MAX), two)) == -2); // as `mul` wraps
  CHECK(b.extent(Extent(3)) == three);
  const Reg x = b.prim(Primitive::neg, {two});
  CHECK(!b.known(x));
  CHECK(b.add(x, b.i64(0)) == x);
  CHECK(b.add(b.i64(0), x) == x);
  CHECK(b.sub(x, b.i64(0)) == x);
  CHECK(b.mul(b.i64(1), x) == x);
  CHECK(b.sub(b.i64(0), x) != x);
  CHECK(b.cast(x, ScalarType::i64) == x);
  CHECK(b.splat(x, 1) == x);
  CHECK(b.lane(x, 0) == x);
  CHECK(b.lane_ids(1) == b.i64(0));
  CHECK(b.lane_ids(4) == b.lane_ids(4));
  CHECK(b.constant({ScalarType::i8, 1}, ~0ull) == b.constant({ScalarType::i8, 1}, 0xff));
  CHECK(b.constant({ScalarType::i8, 2}, 1) != b.constant({ScalarType::i8, 1}, 1));
  CHECK(b.constant({ScalarType::f64, 1}, 2) != two);
}

TEST_CASE("loads have as many lanes as offsets, or as asked", "[plan][builder]") {
  Builder b("p");
  const BufferId a = b.argument("A", ScalarType::bf16, {9}, 0, ArgumentAccess::in);
  CHECK(b.type(b.load(a, b.i64(1))) == Type{ScalarType::bf16, 1});
  CHECK(b.type(b.load(a, b.i64(1), 4)) == Type{ScalarType::bf16, 4});
  CHECK(b.type(b.load(a, b.lane_ids(8))) == Type{ScalarType::bf16, 8});
  CHECK(b.type(b.gather(a, b.lane_ids(2), b.constant({ScalarType::boolean, 2}, 1))) == Type{ScalarType::bf16, 2});
  CHECK(b.type(b.load(a, Type{ScalarType::u8, 2}, b.i64(3))) == Type{ScalarType::u8, 2});
  CHECK(listed(verify(b.finish())) == "");
}

TEST_CASE("a constant of a closed block is not reused", "[plan][builder]") {
  Builder b("p");
  const Reg t = b.boolean(true);
  Reg inner, outer;
  b.if_else(
      t, [&] { inner = b.i64(9); CHECK(b.boolean(true) == t); }, [&] { CHECK(b.i64(9) != inner); });
  outer = b.i64(9);
  CHECK(outer != inner);
  CHECK(listed(verify(b.finish())) == "");
}

TEST_CASE("control by callbacks", "[plan][builder]") {
  IdVector<ParamId, Param> params;
  const ParamId m = params.push({"M"});
  Builder b("k", std::move(params));
  const Extent M = Extent::parameter(m);
  const BufferId A = b.argument("A", ScalarType::f32, {M}, 0, ArgumentAccess::in);
  const BufferId C = b.argument("C", ScalarType::f32, {1}, 1, ArgumentAccess::out);
  const BufferId L = b.memory(AddressSpace::instance, "L", ScalarType::f32, {4});
  const Reg zero = b.i64(0), count = b.extent(M);
  b.launch("k_0", {b.extent(M.ceil_div(4))}, [&](const Regs &at) {
    const Regs sum = b.for_loop(zero, count, 1, {b.zero({ScalarType::f32})}, [&](Reg i, const Regs &c) -> Regs {
      return {b.add(c[0], b.load(A, i))};
    });
    b.for_each(zero, b.i64(4), 1, [&](Reg i) { b.store(L, i, sum[0]); }, Binding::participants);
    b.barrier();
    const Regs n = b.while_loop(
        {at[0]}, [&](const Regs &c) { return b.prim(Primitive::gt, {c[0], zero}); },
        [&](const Regs &c) -> Regs { return {b.prim(Primitive::shr, {c[0], b.i64(1)})}; });
    const Reg is_zero = b.prim(Primitive::eq, {n[0], zero});
    const Regs chosen = b.if_else(
        is_zero, [&]() -> Regs { return {b.load(L, zero)}; }, [&]() -> Regs { return {sum[0]}; });
    b.if_then(is_zero, [&] { b.atomic(AtomicKind::add, C, zero, chosen[0], is_zero); });
    b.assert_(is_zero, "ends");
  });
  const Plan p = b.finish();
  CHECK(listed(verify(p)) == "");
  CHECK(print(p) == R"(plan k(M) {
  argument 0 A: f32[M]
  argument 1 C: out f32[1]
  instance L: f32[4]
  %0: i64 = constant 0
  %1: i64 = extent M
  %2: i64 = extent ceil_div(M, 4)
  launch k_0 (%3 < %2) {
    %4: f32 = constant 0.0
    %5: f32 = for %6 in [%0, %1) step 1 carry (%7: f32 = %4) {
      %8: f32 = load A[%6]
      %9: f32 = add %7, %8
      yield %9
    }
    %10: i64 = constant 4
    for %11 in [%0, %10) step 1 participants {
      store L[%11] = %5
    }
    barrier
    %12: i64 = while (%13: i64 = %3) {
      %14: bool = gt %13, %0
      yield %14
    } do (%15: i64) {
      %16: i64 = constant 1
      %17: i64 = shr %15, %16
      yield %17
    }
    %18: bool = eq %12, %0
    %19: f32 = if %18 {
      %20: f32 = load L[%0]
      yield %20
    } else {
      yield %5
    }
    if %18 {
      atomic C[%0] add %19 mask %18
    }
    assert %18, "ends"
  }
}
)");
}
