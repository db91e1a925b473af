// SPDX-License-Identifier: Apache-2.0
// Random numbers from counters: Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3,
// 2011). The same counter and key give the same numbers, wherever and in whatever order they are drawn.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

ValueId word64(Call &c, std::int64_t value) { return c.b.literal(ScalarType::u64, value); }
ValueId as(Call &c, ScalarType type, ValueId x) { return c.elem(x) == type ? x : c.b.cast(OpKind::cast, type, x); }

// The low and high 32 bits, as u32.
ValueId low(Call &c, ValueId x) { return as(c, ScalarType::u32, x); }
ValueId high(Call &c, ValueId x) { return as(c, ScalarType::u32, c.op(OpKind::shr, {x, word64(c, 32)})); }

struct Block {
  ValueId word[4];
};

// Ten rounds: two products of 32 bits each, whose halves are exchanged and mixed with the key, which advances.
Block philox_rounds(Call &c, Block x, ValueId key0, ValueId key1) {
  for (int round = 0; round < 10; ++round) {
    const ValueId p0 = c.op(OpKind::mul, {as(c, ScalarType::u64, x.word[0]), word64(c, 0xD2511F53)});
    const ValueId p1 = c.op(OpKind::mul, {as(c, ScalarType::u64, x.word[2]), word64(c, 0xCD9E8D57)});
    x = {{c.op(OpKind::bit_xor, {c.op(OpKind::bit_xor, {high(c, p1), x.word[1]}), key0}), low(c, p1),
          c.op(OpKind::bit_xor, {c.op(OpKind::bit_xor, {high(c, p0), x.word[3]}), key1}), low(c, p0)}};
    if (round == 9) break;
    key0 = c.op(OpKind::add, {key0, std::int64_t{0x9E3779B9}});
    key1 = c.op(OpKind::add, {key1, std::int64_t{0xBB67AE85}});
  }
  return x;
}

// An optional operand that is a literal or an integer value, as u64.
ValueId operand64(Call &c, std::string_view name) {
  if (!c.has(name)) return word64(c, 0);
  const Operand o = c.operand(name);
  if (const auto *i = std::get_if<std::int64_t>(&o)) return word64(c, *i);
  return as(c, ScalarType::u64, c.b.value(o));
}

// An integer, of a tile over dims of the one that is drawn for.
bool integer_ok(Call &c, std::string_view name, std::string_view of) {
  if (!c.has(name)) return true;
  const Operand o = c.operand(name);
  if (std::holds_alternative<double>(o)) return c.refuse_option(name, "a float", "it is an integer");
  const auto *v = std::get_if<ValueId>(&o);
  if (v && !is_integer(c.elem(*v))) return c.refuse_option(name, "a float", "it is an integer");
  return !v || c.need_inside(name, *v, of);
}

Block draw(Call &c, ValueId counter) {
  const ValueId key = operand64(c, "key"), stream = operand64(c, "stream"), at = as(c, ScalarType::u64, counter);
  return philox_rounds(c, {{low(c, at), high(c, at), low(c, stream), high(c, stream)}}, low(c, key), high(c, key));
}

// 24 bits of a word as a multiple of 2^-24.
ValueId unit_interval(Call &c, ValueId word) {
  const ValueId bits = c.op(OpKind::shr, {word, std::int64_t{8}});
  return c.op(OpKind::mul, {c.b.cast(OpKind::cast, ScalarType::f32, bits), 0x1p-24});
}

std::vector<ValueId> philox(Call &c) {
  if (!integer_ok(c, "key", "counter") || !integer_ok(c, "stream", "counter")) return {};
  const Block x = draw(c, c.tile("counter"));
  return {x.word[0], x.word[1], x.word[2], x.word[3]};
}

std::vector<ValueId> uniform(Call &c) {
  if (!integer_ok(c, "key", "counter") || !integer_ok(c, "stream", "counter")) return {};
  return {unit_interval(c, draw(c, c.tile("counter")).word[0])};
}

// The counter of an element is its place in x, in the order of x's dims, from `first` on.
std::vector<ValueId> dropout(Call &c) {
  const double p = c.number("p");
  if (!(p >= 0 && p < 1)) return c.refuse_option("p", literal_text(p), "it is a probability, at least 0 and below 1"), std::vector<ValueId>{};
  for (std::string_view name : {"key", "stream", "first"})
    if (!integer_ok(c, name, "x")) return {};
  const ValueId x = c.tile("x");
  ValueId place = c.b.literal(ScalarType::i64, std::int64_t{0});
  for (const Factor &f : c.space(x).factors) place = c.op(OpKind::add, {c.op(OpKind::mul, {place, f.extent}), c.b.iota(f)});
  const ValueId counter = c.op(OpKind::add, {as(c, ScalarType::u64, place), operand64(c, "first")});
  const ValueId kept = c.op(OpKind::ge, {unit_interval(c, draw(c, counter).word[0]), p});
  return {c.op(OpKind::ite, {kept, c.op(OpKind::div, {x, 1 - p}), 0.0})};
}

constexpr Parameter key = operand("key", OpOperands::integer, "");
constexpr Parameter stream = operand("stream", OpOperands::integer, "");
constexpr Parameter first = operand("first", OpOperands::integer, "");

constexpr Function random_table[] = {
    {"philox", {tile("counter", OpOperands::integer), key, stream}, "r0, r1, r2, r3", philox, "Philox-4x32-10: four random u32 per counter",
     "counter: any space, the low 64 bits of the counter, stream its high 64 bits; key: 64 bits; both integers, 0 where absent; 2^63 or more, which no literal is, as `cast(i64(-1), u64)`. The results have counter's space. "
     "Refused: a key or stream that is no integer, over other dims than counter's or longer", "exact",
     "kernel k(Y: out u32[8]) { axis n = 8; a, b, c, d = philox(iota(n), key = 7); Y(0, [n]).store(a ^ b ^ c ^ d) }"},
    {"uniform", {tile("counter", OpOperands::integer), key, stream}, "y", uniform, "random multiples of 2^-24 in [0, 1), f32",
     "counter, key, stream: as philox, whose first word gives the upper 24 bits; the result has counter's space", "exact",
     "kernel k(Y: out f32[8]) { axis n = 8; Y(0, [n]).store(uniform(iota(n), key = 7)) }"},
    {"dropout", {tile("x", OpOperands::floating), number("p"), key, stream, first}, "y", dropout, "x / (1 - p) with probability 1 - p, else 0",
     "x: any space; the result has it. An element is kept where its draw, `uniform` of its counter, is p or more. The counter of an element is its place in x plus first (0 where absent), so that tiles of one array draw different numbers. "
     "Refused: p outside [0, 1), a key, stream or first that is no integer, over other dims than x's or longer", "the quotient is correctly rounded",
     "kernel k(X: f32[8], Y: out f32[8]) { axis n = 8; Y(0, [n]).store(dropout(X[0, [n]], 0.25, key = 7)) }"},
};

} // namespace

Family random() { return {"random", "Random numbers", random_table}; }

} // namespace tilenest::library
