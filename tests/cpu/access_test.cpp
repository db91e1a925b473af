// SPDX-License-Identifier: Apache-2.0
// Loads, stores, masks, gathers, scatters and atomics of compiled plans. Masked-off lanes are tried at the end of a
// mapping, where a touch of them would end the process.
#include "semantics/numerics/scalar_apply.h"
#include "tests/cpu/compiled.h"
#include <sys/mman.h>
#include <unistd.h>

namespace tilenest::cpu_test {
namespace {

const ScalarType all_types[] = {ScalarType::boolean, ScalarType::i8,       ScalarType::u16,    ScalarType::f16, ScalarType::bf16,
                                ScalarType::i32,     ScalarType::f32,      ScalarType::i64,    ScalarType::f64, ScalarType::f8e4m3fn,
                                ScalarType::f8e5m2,  ScalarType::i4,       ScalarType::u4};

// Pages of which the last cannot be touched; elements end right before it.
struct GuardedPage {
  std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::uint8_t *base = nullptr;
  GuardedPage() {
    void *p = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(p != MAP_FAILED);
    base = static_cast<std::uint8_t *>(p);
    REQUIRE(mprotect(base + 2 * page, page, PROT_NONE) == 0);
    REQUIRE(mprotect(base, page, PROT_NONE) == 0);
  }
  ~GuardedPage() { munmap(base, 3 * page); }
  std::uint8_t *last(std::size_t bytes) { return base + 2 * page - bytes; }
  std::uint8_t *first() { return base + page; }
};

void run_on(const cpu::CompiledPlan &code, std::vector<plan::Argument> arguments) {
  const Result<plan::Outcome> outcome = code.run({{}, std::move(arguments)});
  REQUIRE(outcome.ok());
}

// out[start + i] = in[start + i] where start + i is in [0, n); `lanes` at once.
plan::Plan edge_plan(ScalarType t, std::int64_t n, std::uint16_t lanes, bool gathers) {
  Builder b("edges");
  const auto from = b.argument("from", ScalarType::i64, {}, 2, ArgumentAccess::in);
  const Reg start = b.load(from, b.i64(0));
  const auto in = b.argument("in", t, {n}, 0, ArgumentAccess::in), out = b.argument("out", t, {n}, 1, ArgumentAccess::out);
  const Reg at = b.add(b.splat(start, lanes), b.lane_ids(lanes));
  const Reg inside = b.prim(Primitive::bit_and, {b.prim(Primitive::ge, {at, b.splat(b.i64(0), lanes)}),
                                                 b.prim(Primitive::lt, {at, b.splat(b.i64(n), lanes)})});
  const Reg offset = gathers ? at : start;
  b.store(out, offset, b.load(in, plan::Type{t, lanes}, offset, inside), inside);
  return b.finish();
}

} // namespace

TEST_CASE("masked-off lanes touch no memory", "[cpu]") {
  GuardedPage from, to;
  for (ScalarType t : all_types)
    for (std::uint16_t lanes : {1, 4, 8, 16})
      for (int variant = 0; variant < 4; ++variant) {
        const bool gathers = variant % 2 != 0, wide = variant / 2 != 0;
        const std::int64_t n = 6;
        const auto code = compiled(edge_plan(t, n, lanes, gathers), uncached(wide ? "host" : "x86-64"));
        for (std::int64_t start : {-3, 4, 8, -20}) {
          const std::size_t bytes = storage_size(t, static_cast<std::size_t>(n));
          for (bool at_end : {true, false}) {
            std::uint8_t *in = at_end ? from.last(bytes) : from.first(), *out = at_end ? to.last(bytes) : to.first();
            for (std::size_t i = 0; i < bytes; ++i) {
              in[i] = t == ScalarType::boolean ? 1 : static_cast<std::uint8_t>(0x31 * (i + 1));
              out[i] = 0;
            }
            run_on(*code, {{in, {}, {n}}, {out, {}, {n}}, {&start, {}, {}}});
            Elements was(t, 6), is(t, 6);
            std::memcpy(was.bytes.data(), in, bytes);
            std::memcpy(is.bytes.data(), out, bytes);
            for (std::int64_t i = 0; i < n; ++i) {
              const bool covered = i >= start && i < start + lanes;
              INFO(to_string(t) << " lanes " << lanes << " start " << start << " element " << i);
              CHECK(is.get(static_cast<std::size_t>(i)) == (covered ? was.get(static_cast<std::size_t>(i)) : 0));
            }
          }
        }
      }
}

TEST_CASE("a masked-off lane of a load is 0", "[cpu]") {
  for (ScalarType t : all_types) {
    Builder b("zeros");
    const auto in = b.argument("in", t, {8}, 0, ArgumentAccess::in), out = b.argument("out", t, {8}, 1, ArgumentAccess::out);
    const Reg even = b.prim(Primitive::eq, {b.prim(Primitive::bit_and, {b.lane_ids(8), b.splat(b.i64(1), 8)}), b.splat(b.i64(0), 8)});
    b.store(out, b.i64(0), b.load(in, b.i64(0), 8, even));
    const plan::Plan plan = b.finish();
    Elements source(t, 8), target(t, 8);
    for (std::size_t i = 0; i < 8; ++i) {
      source.set(i, t == ScalarType::boolean ? 1 : 5 + i);
      target.set(i, 1);
    }
    run(*compiled(plan), {&source, &target});
    for (std::size_t i = 0; i < 8; ++i) CHECK(target.get(i) == (i % 2 == 0 ? source.get(i) : 0));
  }
}

TEST_CASE("gathers and scatters go where their offsets say, and the last lane stays", "[cpu]") {
  const std::vector<std::uint64_t> permutation{3, 1, 7, 7, 0, 5, 3, 3};
  for (ScalarType t : all_types) {
    Builder b("scattered");
    const auto where = b.argument("where", ScalarType::i64, {8}, 0, ArgumentAccess::in);
    const auto in = b.argument("in", t, {8}, 1, ArgumentAccess::in);
    const auto gathered = b.argument("gathered", t, {8}, 2, ArgumentAccess::out), scattered = b.argument("scattered", t, {8}, 3, ArgumentAccess::out);
    const Reg offsets = b.load(where, b.i64(0), 8);
    b.store(gathered, b.i64(0), b.gather(in, offsets));
    b.store(scattered, offsets, b.load(in, b.i64(0), 8));
    const plan::Plan plan = b.finish();
    Elements at = elements(ScalarType::i64, permutation), source(t, 8), g(t, 8), s(t, 8);
    for (std::size_t i = 0; i < 8; ++i) source.set(i, t == ScalarType::boolean ? i % 2 : i + 1);
    run(*compiled(plan), {&at, &source, &g, &s});
    Elements expected(t, 8);
    for (std::size_t i = 0; i < 8; ++i) expected.set(permutation[i], source.get(i));
    for (std::size_t i = 0; i < 8; ++i) {
      INFO(to_string(t) << " " << i);
      CHECK(g.get(i) == source.get(permutation[i]));
      CHECK(s.get(i) == expected.get(i));
    }
  }
}

TEST_CASE("an access of another type than its buffer's sees the same bytes", "[cpu]") {
  Builder b("views");
  const auto words = b.argument("words", ScalarType::f32, {4}, 0, ArgumentAccess::in), out = b.argument("out", ScalarType::u8, {16}, 1, ArgumentAccess::out);
  b.store(out, b.i64(0), b.load(words, plan::Type{ScalarType::u8, 16}, b.i64(0)));
  const plan::Plan plan = b.finish();
  Elements source = elements<float>(ScalarType::f32, {1.0f, -2.5f, 3e9f, 0.0f}), target(ScalarType::u8, 16);
  run(*compiled(plan), {&source, &target});
  CHECK(source.bytes == target.bytes);
}

TEST_CASE("strides of an argument are the plan's to use", "[cpu]") {
  Builder b("strided", {});
  const auto in = b.argument("in", ScalarType::i32, {2, 3}, 0, ArgumentAccess::in, true), out = b.argument("out", ScalarType::i64, {2}, 1, ArgumentAccess::out);
  b.store(out, b.i64(0), b.stride(in, 0));
  b.store(out, b.i64(1), b.stride(in, 1));
  const plan::Plan plan = b.finish();
  const auto code = compiled(plan);
  std::int32_t data[6] = {};
  std::int64_t got[2] = {};
  run_on(*code, {{data, {}, {2, 3}}, {got, {}, {2}}});
  CHECK((got[0] == 3 && got[1] == 1));
  run_on(*code, {{data, {-1, 2}, {2, 3}}, {got, {}, {2}}});
  CHECK((got[0] == -1 && got[1] == 2));
}

// --- atomics ---

TEST_CASE("atomics of many instances lose nothing", "[cpu]") {
  for (ScalarType t : {ScalarType::i8, ScalarType::u16, ScalarType::i32, ScalarType::u64, ScalarType::f16, ScalarType::bf16,
                       ScalarType::f32, ScalarType::f64, ScalarType::boolean, ScalarType::f8e5m2})
    for (AtomicKind kind : {AtomicKind::add, AtomicKind::min, AtomicKind::max, AtomicKind::bit_and, AtomicKind::bit_or, AtomicKind::bit_xor}) {
      const bool bits = kind == AtomicKind::bit_and || kind == AtomicKind::bit_or || kind == AtomicKind::bit_xor;
      if (bits == is_float(t) || (!bits && t == ScalarType::boolean)) continue;
      constexpr Primitive primitives[] = {Primitive::add, Primitive::min, Primitive::max, Primitive::bit_and, Primitive::bit_or, Primitive::bit_xor};
      const Primitive p = primitives[static_cast<int>(kind)];
      const std::int64_t n = 1000;
      Builder b("atomics");
      const auto in = b.argument("in", t, {n * 4}, 0, ArgumentAccess::in), out = b.argument("out", t, {4}, 1, ArgumentAccess::mut);
      b.launch("all", {b.i64(n)}, [&](const Regs &c) { // four lanes on two elements, one of them masked off
        const Reg value = b.load(in, b.mul(c[0], b.i64(4)), 4), ids = b.lane_ids(4);
        const Reg mask = b.prim(Primitive::ne, {ids, b.splat(b.i64(2), 4)});
        b.atomic(kind, out, b.prim(Primitive::bit_and, {ids, b.splat(b.i64(1), 4)}), value, mask);
      });
      const plan::Plan plan = b.finish();
      std::mt19937_64 random(5);
      Elements source(t, 4 * n), target(t, 4);
      // Integers, so that sums are exact in any order; small ones, for few-bit floats mostly 0.
      const auto element = [&](std::int64_t value) {
        const std::uint64_t i = static_cast<std::uint64_t>(value);
        if (!is_float(t)) return t == ScalarType::boolean ? i & 1 : i;
        return apply_scalar(Primitive::cast, ScalarType::i64, t, std::vector<std::uint64_t>{i}).bits;
      };
      for (std::size_t i = 0; i < source.count; ++i)
        source.set(i, element(kind == AtomicKind::add && is_float(t) ? static_cast<std::int64_t>(i % 500 < 3) : static_cast<std::int64_t>(random() % 100)));
      Elements expected(t, 4);
      for (std::size_t i = 0; i < 4; ++i) {
        target.set(i, element(kind == AtomicKind::bit_and ? -1 : kind == AtomicKind::min ? 90 : 1));
        expected.set(i, target.get(i));
      }
      for (std::size_t i = 0; i < source.count; ++i) {
        if (i % 4 == 2) continue;
        const std::uint64_t operands[] = {expected.get(i % 2), source.get(i)};
        expected.set(i % 2, apply_scalar(p, t, t, operands).bits);
      }
      const auto code = compiled(plan);
      const Elements start = target;
      for (std::size_t threads : {1, 2, 4}) {
        target = start;
        run(*code, {&source, &target}, threads);
        INFO(to_string(p) << " of " << to_string(t));
        for (std::size_t i = 0; i < 4; ++i) CHECK(target.get(i) == expected.get(i));
      }
    }
}

TEST_CASE("half bytes stored by neighbours at the same time are all kept", "[cpu]") {
  const std::int64_t n = 20000;
  Builder b("halves");
  const auto out = b.argument("out", ScalarType::u4, {n}, 0, ArgumentAccess::out);
  b.launch("all", {b.i64(n)}, [&](const Regs &c) { b.store(out, c[0], b.cast(c[0], ScalarType::u4)); });
  const plan::Plan plan = b.finish();
  const auto code = compiled(plan);
  for (std::size_t threads : {1, 2, 4}) {
    Elements target(ScalarType::u4, n);
    run(*code, {&target}, threads);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < target.count; ++i) wrong += target.get(i) != i % 16;
    CHECK(wrong == 0);
  }
}

} // namespace tilenest::cpu_test
