// SPDX-License-Identifier: Apache-2.0
// Loops, branches, launches, buffers and asserts of compiled plans.
#include "tests/cpu/compiled.h"
#include <atomic>
#include <limits>

namespace tilenest::cpu_test {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), greatest = std::numeric_limits<std::int64_t>::max();

std::int64_t value(const Elements &e, std::size_t i) { return static_cast<std::int64_t>(e.get(i)); }

Elements numbers(const std::vector<std::int64_t> &values) { return elements(ScalarType::i64, values); }

} // namespace

TEST_CASE("a for loop visits lo, lo + step, ... below hi", "[cpu]") {
  for (std::int64_t step : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1} << 62}) {
    Builder b("loop");
    const auto in = b.argument("in", ScalarType::i64, {2}, 0, ArgumentAccess::in), out = b.argument("out", ScalarType::i64, {3}, 1, ArgumentAccess::out);
    const Regs after = b.for_loop(b.load(in, b.i64(0)), b.load(in, b.i64(1)), step, {b.i64(0), b.i64(0), b.i64(-7)},
                                  [&](Reg iv, const Regs &c) { return Regs{b.add(c[0], b.i64(1)), b.add(c[1], iv), iv}; });
    for (int i = 0; i < 3; ++i) b.store(out, b.i64(i), after[static_cast<std::size_t>(i)]);
    const plan::Plan plan = b.finish();
    const auto code = compiled(plan);
    const std::int64_t near = greatest - 5;
    for (const auto &[lo, hi] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {0, 10}, {10, 0}, {0, 0}, {-5, 5}, {near, greatest}, {least, least + 4}, {greatest, least}, {near - 1, greatest}}) {
      Elements bounds = numbers({lo, hi}), target(ScalarType::i64, 3);
      run(*code, {&bounds, &target});
      std::int64_t count = 0, last = -7;
      std::uint64_t sum = 0;
      for (__int128 iv = lo; iv < hi; iv += step, ++count) {
        last = static_cast<std::int64_t>(iv);
        sum += static_cast<std::uint64_t>(last);
      }
      INFO(lo << " to " << hi << " by " << step);
      CHECK(value(target, 0) == count);
      CHECK(target.get(1) == sum);
      CHECK(value(target, 2) == last);
    }
    if (step >> 40 != 0) { // few steps through all there is
      Elements bounds = numbers({least, greatest}), target(ScalarType::i64, 3);
      run(*code, {&bounds, &target});
      CHECK(value(target, 0) == 4);
    }
  }
}

TEST_CASE("while, if and carried vectors", "[cpu]") {
  Builder b("collatz");
  const auto in = b.argument("in", ScalarType::i64, {1}, 0, ArgumentAccess::in), out = b.argument("out", ScalarType::i64, {8}, 1, ArgumentAccess::out);
  const Reg one = b.i64(1);
  const Regs after = b.while_loop({b.load(in, b.i64(0)), b.zero({ScalarType::i64, 4})}, [&](const Regs &c) { return b.prim(Primitive::ne, {c[0], one}); },
                                  [&](const Regs &c) {
                                    const Reg odd = b.prim(Primitive::eq, {b.prim(Primitive::bit_and, {c[0], one}), one});
                                    const Regs next = b.if_else(odd, [&] { return Regs{b.add(b.mul(c[0], b.i64(3)), one)}; },
                                                                [&] { return Regs{b.prim(Primitive::div, {c[0], b.i64(2)})}; });
                                    return Regs{next[0], b.add(c[1], b.lane_ids(4))};
                                  });
  b.store(out, b.i64(0), after[1]);
  b.store(out, b.i64(4), b.shuffle({after[1], b.splat(after[0], 4)}, {4, 3, 0, 7}));
  const plan::Plan plan = b.finish();
  Elements start = numbers({27}), target(ScalarType::i64, 8);
  run(*compiled(plan), {&start, &target});
  const std::int64_t expected[] = {0, 111, 222, 333, 1, 333, 0, 1};
  for (std::size_t i = 0; i < 8; ++i) CHECK(value(target, i) == expected[i]);
}

TEST_CASE("shuffles take lanes of one or two operands", "[cpu]") {
  Builder b("shuffles");
  const auto out = b.argument("out", ScalarType::i64, {16}, 0, ArgumentAccess::out);
  const Reg four = b.lane_ids(4), eight = b.add(b.lane_ids(8), b.splat(b.i64(100), 8)), one = b.i64(7);
  const Reg upper = b.add(four, b.splat(b.i64(100), 4));
  b.store(out, b.i64(0), b.shuffle({four, upper}, {3, 4, 7, 0}));
  b.store(out, b.i64(4), b.shuffle({eight}, {7, 0, 3, 0}));
  b.store(out, b.i64(8), b.shuffle({one}, {0, 0, 0, 0}));
  b.store(out, b.i64(12), b.shuffle({four, upper}, {4}));
  b.store(out, b.i64(13), b.shuffle({four, upper}, {1}));
  b.store(out, b.i64(14), b.shuffle({one, one}, {1, 0}));
  const plan::Plan plan = b.finish();
  Elements target(ScalarType::i64, 16);
  run(*compiled(plan), {&target});
  const std::int64_t expected[] = {3, 100, 103, 0, 107, 100, 103, 100, 7, 7, 7, 7, 100, 1, 7, 7};
  for (std::size_t i = 0; i < 16; ++i) CHECK(value(target, i) == expected[i]);
}

TEST_CASE("a launch runs each instance once, with what the host computed", "[cpu]") {
  const IdVector<ParamId, Param> params = [] {
    IdVector<ParamId, Param> p;
    p.push({"M"});
    p.push({"N"});
    return p;
  }();
  const Extent m = Extent::parameter(ParamId(0)), n = Extent::parameter(ParamId(1));
  Builder b("grid", params);
  const auto out = b.argument("out", ScalarType::i64, {m, n, 3}, 0, ArgumentAccess::mut);
  const auto table = b.memory(plan::AddressSpace::scratch, "table", ScalarType::i64, {n});
  b.for_each(b.i64(0), b.extent(n), 1, [&](Reg i) { b.store(table, i, b.mul(i, i)); });
  const Reg flag = b.prim(Primitive::lt, {b.load(table, b.i64(0)), b.i64(1)}), mask = b.splat(flag, 4);
  b.for_each(b.i64(0), b.i64(2), 1, [&](Reg round) {
    b.launch("points", {b.extent(m), b.extent(n), b.i64(3)}, [&](const Regs &c) {
      const Reg at = b.add(b.mul(b.add(b.mul(c[0], b.extent(n)), c[1]), b.i64(3)), c[2]);
      const Reg sum = b.add(b.mul(c[0], b.i64(1000)), b.add(b.load(table, c[1]), b.mul(c[2], b.mul(round, b.i64(1000000)))));
      const Reg kept = b.select(b.lane(mask, 3), sum, b.i64(-1));
      b.store(out, at, b.add(b.load(out, at), kept));
    });
  });
  const plan::Plan plan = b.finish();
  const auto code = compiled(plan);
  for (std::size_t threads : {1, 2, 4})
    for (const auto &[rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{{5, 7}, {1, 1}, {0, 4}, {40, 33}}) {
      Elements target(ScalarType::i64, static_cast<std::size_t>(rows * columns * 3));
      const auto outcome = code->run({{rows, columns}, {{target.bytes.data(), {}, {rows, columns, 3}}}}, on_threads(threads));
      REQUIRE(outcome.ok());
      std::size_t wrong = 0;
      for (std::int64_t i = 0; i < rows * columns * 3; ++i) {
        const std::int64_t row = i / 3 / columns, column = i / 3 % columns, k = i % 3;
        wrong += value(target, static_cast<std::size_t>(i)) != 2 * (row * 1000 + column * column) + k * 1000000;
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("each instance has its own buffers, small, large and open", "[cpu]") {
  IdVector<ParamId, Param> params;
  const Extent n = Extent::parameter(params.push({"N"}));
  Builder b("buffers", params);
  const auto out = b.argument("out", ScalarType::i64, {200}, 0, ArgumentAccess::out);
  const plan::BufferId buffers[] = {b.memory(plan::AddressSpace::instance, "small", ScalarType::i64, {16}),
                                    b.memory(plan::AddressSpace::instance, "large", ScalarType::i64, {100000}),
                                    b.memory(plan::AddressSpace::shared, "open", ScalarType::i64, {n, 3})};
  b.launch("all", {b.i64(200)}, [&](const Regs &c) {
    Reg sum = b.i64(0);
    for (plan::BufferId buffer : buffers) b.for_each(b.i64(0), b.i64(16), 1, [&](Reg i) { b.store(buffer, i, b.mul(c[0], i)); });
    for (plan::BufferId buffer : buffers)
      sum = b.for_loop(b.i64(0), b.i64(16), 1, {sum}, [&](Reg i, const Regs &s) { return Regs{b.add(s[0], b.load(buffer, i))}; })[0];
    b.store(out, c[0], sum);
  });
  const plan::Plan plan = b.finish();
  const auto code = compiled(plan);
  for (std::size_t threads : {1, 2, 4}) {
    Elements target(ScalarType::i64, 200);
    run(*code, {&target}, threads, {6});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 200; ++i) wrong += target.get(i) != i * 120 * 3;
    CHECK(wrong == 0);
  }
  std::int64_t unused[200];
  plan::Arguments huge{{std::int64_t{1} << 50}, {{unused, {}, {200}}}};
#ifndef TILENEST_SANITIZED // whose allocator ends the process instead
  const auto outcome = code->run(huge);
  REQUIRE(!outcome.ok());
  CHECK(messages(outcome.errors()) == "L0301: out of memory: the instances' buffers of the plan `buffers`\n");
#endif
  huge.params = {greatest};
  CHECK(!code->run(huge).ok());
  huge.params = {-1};
  REQUIRE(!code->run(huge).ok());
  CHECK(messages(code->run(huge).errors()).substr(0, 5) == "B1603");
}

TEST_CASE("arguments that do not fit the plan are refused", "[cpu]") {
  IdVector<ParamId, Param> params;
  const Extent n = Extent::parameter(params.push({"N"}));
  Builder b("fits", params);
  b.argument("A", ScalarType::i64, {n, 3}, 0, ArgumentAccess::in);
  b.argument("B", ScalarType::i64, {n}, 1, ArgumentAccess::mut, true);
  const plan::Plan plan = b.finish();
  const auto code = compiled(plan);
  std::int64_t data[6] = {};
  const auto says = [&](const plan::Arguments &arguments) {
    const auto outcome = code->run(arguments);
    const std::string said = outcome.ok() ? "" : messages(outcome.errors());
    return said.substr(0, said.find(':'));
  };
  const plan::Argument a{data, {}, {2, 3}}, c{data, {}, {2}};
  CHECK(says({{2}, {a, c}}) == "");
  CHECK(says({{2}, {{data, {3, 1}, {2, 3}}, {data, {-7}, {2}}}}) == "");
  CHECK(says({{0}, {{nullptr, {}, {0, 3}}, {nullptr, {}, {0}}}}) == "");
  for (const plan::Arguments &wrong : std::vector<plan::Arguments>{{{}, {a, c}},
                                                                   {{2}, {a}},
                                                                   {{3}, {a, c}},
                                                                   {{2}, {{data, {1, 2}, {2, 3}}, c}},
                                                                   {{2}, {{data, {1}, {2, 3}}, c}},
                                                                   {{2}, {{nullptr, {}, {2, 3}}, c}},
                                                                   {{-1}, {a, c}}})
    CHECK(says(wrong) == "B1603");
}

TEST_CASE("a grid that cannot be counted is refused", "[cpu]") {
  IdVector<ParamId, Param> params;
  const Extent n = Extent::parameter(params.push({"N"}));
  Builder b("grid", params);
  b.launch("all", {b.extent(n), b.extent(n)}, [&](const Regs &) {});
  const plan::Plan plan = b.finish();
  const auto outcome = compiled(plan)->run({{std::int64_t{1} << 40}, {}});
  REQUIRE(!outcome.ok());
  CHECK(messages(outcome.errors()).substr(0, 5) == "L0303");
}

TEST_CASE("failed asserts are counted, and the run goes on", "[cpu]") {
  Builder b("claims");
  const auto out = b.argument("out", ScalarType::i64, {100}, 0, ArgumentAccess::out);
  b.assert_(b.boolean(true), "holds");
  b.assert_(b.boolean(false), "fails once");
  b.launch("all", {b.i64(100)}, [&](const Regs &c) {
    b.assert_(b.prim(Primitive::lt, {c[0], b.i64(60)}), "c < 60");
    b.barrier();
    b.assert_(b.prim(Primitive::lt, {b.lane_ids(8), b.splat(b.i64(5), 8)}), "lanes");
    b.store(out, c[0], c[0]);
  });
  const plan::Plan plan = b.finish();
  const auto code = compiled(plan);
  for (std::size_t threads : {1, 4}) {
    Elements target(ScalarType::i64, 100);
    const plan::Outcome outcome = run(*code, {&target}, threads);
    CHECK(messages(outcome.diagnostics) == "A0001: assertion failed: fails once\nA0001: assertion failed: c < 60\nA0001: assertion failed: lanes\n");
    REQUIRE(outcome.diagnostics.size() == 3);
    CHECK(outcome.diagnostics[1].count == 40);
    CHECK(outcome.diagnostics[2].count == 300); // a lane each
    CHECK(value(target, 99) == 99);
  }
}

TEST_CASE("plans are compiled and run by several threads at a time", "[cpu]") {
  IdVector<ParamId, Param> params;
  const Extent n = Extent::parameter(params.push({"N"}));
  Builder b("shared", params);
  const auto out = b.argument("out", ScalarType::i64, {n}, 0, ArgumentAccess::out);
  const auto open = b.memory(plan::AddressSpace::instance, "open", ScalarType::i64, {n});
  const auto total = b.memory(plan::AddressSpace::scratch, "total", ScalarType::i64, {});
  b.store(total, b.i64(0), b.i64(1));
  b.launch("all", {b.extent(n)}, [&](const Regs &c) {
    b.store(open, c[0], b.add(c[0], b.load(total, b.i64(0))));
    b.store(out, c[0], b.load(open, c[0]));
  });
  const plan::Plan plan = b.finish();
  engine();
  std::atomic<std::size_t> wrong{0};
  const auto code = compiled(plan);
  parallel_for(16, 1, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto own = i % 4 == 0 ? compiled(plan) : nullptr;
      const std::int64_t size = static_cast<std::int64_t>(i) * 300;
      std::vector<std::int64_t> data(static_cast<std::size_t>(size) + 1);
      const auto outcome = (own ? *own : *code).run({{size}, {{data.data(), {}, {size}}}}, on_threads(2));
      for (std::int64_t k = 0; k < size; ++k) wrong += data[static_cast<std::size_t>(k)] != k + 1;
      wrong += !outcome.ok();
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("code is strict and as wide as asked for", "[cpu]") {
  Builder b("axpy");
  const auto x = b.argument("x", ScalarType::f32, {64}, 0, ArgumentAccess::in), y = b.argument("y", ScalarType::f32, {64}, 1, ArgumentAccess::mut);
  b.for_each(b.i64(0), b.i64(64), 16, [&](Reg i) {
    b.store(y, i, b.add(b.mul(b.load(x, i, 16), b.load(x, i, 16)), b.load(y, i, 16)));
  });
  const plan::Plan plan = b.finish();
  const auto text = engine().emit_llvm(plan, uncached());
  REQUIRE(text.ok());
  CHECK(text->find("fmul <16 x float>") != std::string::npos);
  for (int bits : {128, 256, 512}) {
    const auto assembly = engine().emit_assembly(plan, uncached("x86-64-v4", bits));
    REQUIRE(assembly.ok());
    INFO(*assembly);
    CHECK((assembly->find("%zmm") != std::string::npos) == (bits == 512));
    CHECK((assembly->find("%ymm") != std::string::npos) == (bits == 256));
    CHECK(assembly->find("vfmadd") == std::string::npos);
  }
}

TEST_CASE("what this machine or LLVM lacks is refused", "[cpu]") {
  Builder b("nothing");
  const plan::Plan plan = b.finish();
  CHECK(messages(engine().compile(plan, uncached("host", 100)).errors()) == "N1502: the CPU engine does not support a vector width of 100 bits here\n");
  CHECK(messages(engine().compile(plan, uncached("no-such", 0)).errors()) == "N1502: the CPU engine does not support the processor `no-such` here\n");
  CHECK(messages(engine().compile(plan, uncached("x86-64", 256)).errors()).substr(0, 5) == "N1502");
}

TEST_CASE("malformed LLVM code is a bug with a file", "[cpu]") {
  Builder b("wrong");
  const auto in = b.argument("in", ScalarType::i32, {1}, 0, ArgumentAccess::in), out = b.argument("out", ScalarType::f32, {1}, 1, ArgumentAccess::out);
  b.store(out, b.i64(0), b.add(b.load(in, b.i64(0)), b.load(out, b.i64(0)))); // operands of two types
  const plan::Plan plan = b.finish();
  const auto code = engine().compile(plan, uncached());
  REQUIRE(!code.ok());
  const std::string message = messages(code.errors());
  CHECK(message.substr(0, 5) == "B1501");
  const std::size_t begin = message.rfind("to `") + 4;
  const std::string path = message.substr(begin, message.rfind('`') - begin);
  CHECK(std::remove(path.c_str()) == 0);
}

} // namespace tilenest::cpu_test
