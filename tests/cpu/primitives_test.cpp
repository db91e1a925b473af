// SPDX-License-Identifier: Apache-2.0
// Every primitive at every type against the row kernels, which are the meaning: all pairs of 8-bit elements, all
// 16-bit elements, special and random wider ones; on this machine's instructions and on those that each x86-64 has.
#include "semantics/numerics/formats.h"
#include "semantics/numerics/row_kernels.h"
#include "tests/cpu/compiled.h"
#include "tests/volume.h"

namespace tilenest::cpu_test {
namespace {

constexpr std::size_t widest = 16; // element counts are multiples of it

struct Case {
  Primitive primitive;
  ScalarType result;
};

std::vector<Case> cases_of(ScalarType operand) {
  std::vector<Case> out;
  for (int p = 0; p < primitive_count; ++p)
    for (int t = 0; t < scalar_type_count; ++t)
      if (admits(static_cast<Primitive>(p), operand, static_cast<ScalarType>(t)))
        out.push_back({static_cast<Primitive>(p), static_cast<ScalarType>(t)});
  return out;
}

std::vector<std::uint64_t> specials(ScalarType t) {
  const int width = bit_width(t);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  std::vector<std::uint64_t> out;
  const auto with_signs = [&](std::uint64_t bits) {
    out.push_back(bits & mask);
    out.push_back((bits ^ std::uint64_t{1} << (width - 1)) & mask);
  };
  if (is_float(t)) {
    const FloatLayout layout = float_layout(t);
    const auto fraction = static_cast<unsigned>(layout.fraction_bits);
    const std::uint64_t one = static_cast<std::uint64_t>(layout.bias()) << fraction, top = layout.infinity();
    for (std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << fraction, layout.largest(), top, layout.nan(),
                               layout.nan() - 2, one, one + 1, one - 1, one + (std::uint64_t{1} << (fraction - 1))})
      with_signs(bits);
    for (std::uint64_t e : {1u, 3u, 7u, 8u, 11u, 15u, 16u, 23u, 24u, 31u, 32u, 33u, 52u, 53u, 63u, 64u, 65u, 127u, 128u}) {
      const std::uint64_t power = one + (e << fraction);
      if (power >= top) break;
      for (std::uint64_t bits : {power - 1, power, power + 1}) with_signs(bits);
    }
    // Halfway between narrower values, and beside that.
    for (unsigned kept : {2u, 3u, 7u, 10u, 23u})
      if (kept < fraction) {
        const std::uint64_t half = one + (std::uint64_t{1} << (fraction - kept - 1)) + (std::uint64_t{5} << fraction);
        for (std::uint64_t bits : {half, half - 1, half + 1, half + (std::uint64_t{1} << (fraction - kept))}) with_signs(bits);
      }
    return out;
  }
  for (int e = 0; e < width; ++e)
    for (std::uint64_t bits : {std::uint64_t{1} << e, (std::uint64_t{1} << e) - 1, ~(std::uint64_t{1} << e) + 1, std::uint64_t{3} << e})
      out.push_back(bits & mask);
  return out;
}

struct Operands {
  Elements a, b, c;
};

std::uint64_t random_bits(ScalarType t, std::mt19937_64 &random) {
  if (t == ScalarType::boolean) return random() & 1;
  const int width = bit_width(t);
  std::uint64_t bits = random();
  if (is_float(t) && random() % 2 == 0) { // near 1: results that are neither 0 nor infinite
    const FloatLayout layout = float_layout(t);
    const std::uint64_t exponent = static_cast<std::uint64_t>(layout.bias()) + random() % 5 - 2;
    bits = (random() & ((std::uint64_t{1} << layout.fraction_bits) - 1)) | exponent << layout.fraction_bits |
           (random() & 1) << (width - 1);
  } else if (!is_float(t) && random() % 2 == 0) {
    bits %= static_cast<std::uint64_t>(width) + 3; // counts of shifts, small divisors
  }
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

Operands operands_of(ScalarType t) {
  std::mt19937_64 random(7 + static_cast<unsigned>(t));
  std::vector<std::uint64_t> a, b;
  const auto pair = [&](std::uint64_t x, std::uint64_t y) {
    a.push_back(x);
    b.push_back(y);
  };
  const int width = bit_width(t);
  if (t == ScalarType::boolean) {
    for (unsigned i = 0; i < 4; ++i) pair(i & 1, i >> 1);
  } else if (width <= 8) {
    const unsigned n = 1u << width;
    for (unsigned i = 0; i < n * n; ++i) pair(i % n, i / n);
  } else {
    for (std::uint64_t x : specials(t))
      for (std::uint64_t y : specials(t)) pair(x, y);
    if (width == 16)
      for (unsigned i = 0; i < 65536; ++i) pair(i, random_bits(t, random));
    for (int i = 0; i < 6000; ++i) pair(random_bits(t, random), random_bits(t, random));
  }
  if (const std::size_t kept = static_cast<std::size_t>(volume(static_cast<int>(a.size()))); kept < a.size() && a.size() > 16) {
    for (std::size_t i = 0; i < kept; ++i) { // spread over all
      a[i] = a[i * a.size() / kept];
      b[i] = b[i * b.size() / kept];
    }
    a.resize(kept);
    b.resize(kept);
  }
  while (a.size() % widest != 0) pair(random_bits(t, random), random_bits(t, random));
  Operands out{Elements(t, a.size()), Elements(t, a.size()), Elements(t, a.size())};
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.a.set(i, a[i]);
    out.b.set(i, b[i]);
    // Of a fused operation often the negated product, so that much cancels.
    out.c.set(i, i % 3 == 0 ? a[i] : random_bits(t, random));
  }
  return out;
}

// out[i] = primitive(a[i], b[i], c[i]) for every case, `lanes` at a time; the condition of a select is b[i] < c[i],
// or b[i] itself of bools, and of 4-bit integers, which nothing compares, a lane that is never chosen differently.
plan::Plan plan_of(ScalarType t, const std::vector<Case> &cases, std::size_t count, std::uint16_t lanes) {
  Builder b("primitives");
  const auto n = static_cast<std::int64_t>(count);
  plan::BufferId in[3], flags = b.argument("flags", ScalarType::boolean, {n}, 3, ArgumentAccess::in);
  for (int i = 0; i < 3; ++i) in[i] = b.argument(std::string("in") + std::to_string(i), t, {n}, i, ArgumentAccess::in);
  std::vector<plan::BufferId> out;
  for (std::size_t i = 0; i < cases.size(); ++i)
    out.push_back(b.argument("out" + std::to_string(i), cases[i].result, {n}, static_cast<int>(i) + 4, ArgumentAccess::out));
  // One loop a case: LLVM's time grows faster than a loop's length.
  for (std::size_t i = 0; i < cases.size(); ++i)
    b.for_each(b.i64(0), b.i64(n), lanes, [&](Reg at) {
      Regs x;
      for (int k = 0; k < arity(cases[i].primitive); ++k) {
        const bool is_flag = cases[i].primitive == Primitive::select && k == 0;
        x.push_back(is_flag ? b.load(flags, at, lanes) : b.load(in[cases[i].primitive == Primitive::select ? k - 1 : k], at, lanes));
      }
      b.store(out[i], at, b.prim(cases[i].primitive, x, cases[i].result));
    });
  return b.finish();
}

bool same(ScalarType t, std::uint64_t x, std::uint64_t y) {
  if (x == y) return true;
  if (!is_float(t)) return false;
  const FloatLayout layout = float_layout(t);
  const std::uint64_t magnitude = (std::uint64_t{1} << (bit_width(t) - 1)) - 1;
  const auto is_nan = [&](std::uint64_t bits) {
    return layout.infinities ? (bits & magnitude) > layout.infinity() : (bits & magnitude) == layout.nan();
  };
  return is_nan(x) && is_nan(y);
}

// The elements one by one as the rows have them: 4-bit integers as bytes that hold their value.
std::vector<std::uint8_t> rows_of(const Elements &e) {
  if (!is_packed(e.type)) return e.bytes;
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < e.count; ++i)
    out.push_back(static_cast<std::uint8_t>(e.type == ScalarType::i4 ? (e.get(i) ^ 8) - 8 : e.get(i)));
  return out;
}

std::string compare(ScalarType t, const std::vector<Case> &cases, Operands &in, const cpu::CompiledPlan &code) {
  std::vector<Elements> out;
  for (const Case &c : cases) out.emplace_back(c.result, in.a.count);
  Elements flags(ScalarType::boolean, in.a.count);
  for (std::size_t i = 0; i < flags.count; ++i) flags.set(i, in.c.get(i) & 1);
  std::vector<Elements *> arrays{&in.a, &in.b, &in.c, &flags};
  for (Elements &e : out) arrays.push_back(&e);
  run(code, arrays);
  std::string faults;
  const std::vector<std::uint8_t> a = rows_of(in.a), b = rows_of(in.b), c = rows_of(in.c);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const RowOperand x{a.data(), 1}, y{b.data(), 1}, z{c.data(), 1}, condition{flags.bytes.data(), 1};
    const bool select = cases[k].primitive == Primitive::select;
    const RowOperand rows[3] = {select ? condition : x, select ? x : y, select ? y : z};
    std::vector<std::uint8_t> expected(in.a.count * byte_size(cases[k].result));
    find_row_kernel(cases[k].primitive, t, cases[k].result)(in.a.count, expected.data(), rows, {});
    Elements want(cases[k].result, in.a.count);
    const std::size_t size = byte_size(cases[k].result);
    for (std::size_t i = 0; i < in.a.count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &expected[i * size], size);
      want.set(i, bits);
      if (same(cases[k].result, want.get(i), out[k].get(i))) continue;
      char line[200];
      std::snprintf(line, sizeof line, "%s %s -> %s: (%llx, %llx, %llx) gives %llx, not %llx\n", to_string(cases[k].primitive).data(),
                    to_string(t).data(), to_string(cases[k].result).data(), static_cast<unsigned long long>(in.a.get(i)),
                    static_cast<unsigned long long>(in.b.get(i)), static_cast<unsigned long long>(in.c.get(i)),
                    static_cast<unsigned long long>(out[k].get(i)), static_cast<unsigned long long>(want.get(i)));
      faults += line;
      break;
    }
  }
  return faults;
}

void try_all(const cpu::CpuOptions &options, std::vector<std::uint16_t> lanes) {
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto t = static_cast<ScalarType>(i);
    const std::vector<Case> cases = cases_of(t);
    Operands in = operands_of(t);
    for (std::uint16_t n : lanes) {
      if (n == 16 && t != ScalarType::f32) continue;
      INFO(to_string(t) << " of " << n << " lanes");
      CHECK(compare(t, cases, in, *compiled(plan_of(t, cases, in.a.count, n), options)) == "");
    }
  }
}

} // namespace

TEST_CASE("primitives give the bits of the row kernels on this machine", "[cpu]") { try_all(uncached(), {1, 8, 16}); }
TEST_CASE("primitives give the bits of the row kernels on SSE2", "[cpu]" TILENEST_LONG) { try_all(uncached("x86-64"), {8}); }
TEST_CASE("no level of optimisation changes a bit", "[cpu]" TILENEST_LONG) {
  for (int level : {0, 3}) {
    cpu::CpuOptions options = uncached();
    options.opt_level = level;
    for (ScalarType t : {ScalarType::f32, ScalarType::bf16, ScalarType::i32}) {
      const std::vector<Case> cases = cases_of(t);
      Operands in = operands_of(t);
      CHECK(compare(t, cases, in, *compiled(plan_of(t, cases, in.a.count, 8), options)) == "");
    }
  }
}

} // namespace tilenest::cpu_test
