// SPDX-License-Identifier: Apache-2.0
// The generator: a plan grows block by block from the registers that are visible. Loops have few rounds.
#include "tests/lower/random_plan.h"
#include "lower/builder.h"

namespace tilenest {

namespace {

using namespace tilenest::plan;
using plan::Builder;
using plan::Buffer;

struct Dice {
  std::uint64_t state;
  std::uint64_t next() { // splitmix64
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool once_in(std::size_t n) { return below(n) == 0; }
};

struct Growing {
  Builder b;
  Dice dice;
  std::vector<Reg> visible;
  std::vector<std::int64_t> bits; // by buffer
  BufferId strided;
  int depth = 0, launches = 0;
  bool in_launch = false, in_participants = false, portable = false;

  Growing(std::uint64_t seed, IdVector<ParamId, Param> params) : b("random plan", std::move(params)), dice{seed} {}

  ScalarType elem() { return static_cast<ScalarType>(dice.below(scalar_type_count)); }
  std::uint16_t lanes() {
    constexpr std::uint16_t counts[] = {1, 1, 1, 2, 4, 5};
    return counts[dice.below(6)];
  }
  Type type() { return {elem(), lanes()}; }
  Reg see(Reg r) {
    visible.push_back(r);
    return r;
  }
  Reg constant(Type t) {
    std::uint64_t value = dice.once_in(2) ? dice.below(7) : dice.next();
    if (t.elem == ScalarType::boolean) value &= 1;
    return see(b.constant(t, value));
  }
  Reg pick(Type t) {
    std::vector<Reg> fitting;
    for (Reg r : visible)
      if (b.type(r) == t) fitting.push_back(r);
    if (fitting.empty() || dice.once_in(6)) return constant(t);
    return fitting[dice.below(fitting.size())];
  }
  Reg any() { return visible.empty() ? constant(type()) : visible[dice.below(visible.size())]; }

  void primitive() {
    for (;;) {
      const auto p = static_cast<Primitive>(dice.below(primitive_count));
      const ScalarType in = visible.empty() || dice.once_in(4) ? elem() : b.type(any()).elem;
      const ScalarType out = result_type(p, in).value_or(elem());
      if (!admits(p, in, out)) continue;
      if (portable && is_float(in) && (p == Primitive::bitcast || p == Primitive::copysign)) continue;
      const std::uint16_t n = lanes();
      Regs operands;
      for (int i = 0; i < arity(p); ++i) operands.push_back(pick({operand_type(p, i, in), n}));
      see(b.prim(p, std::move(operands), out));
      return;
    }
  }

  void shuffle() {
    const Reg x = any();
    Regs operands{x};
    if (dice.once_in(2)) operands.push_back(pick(b.type(x)));
    const std::size_t n = b.type(x).lanes * operands.size();
    std::vector<std::uint16_t> chosen;
    const std::size_t start = dice.below(n);
    const bool row = dice.once_in(2);
    for (std::uint16_t i = 0, count = lanes(); i < count; ++i)
      chosen.push_back(static_cast<std::uint16_t>(row ? (start + i) % n : dice.below(n)));
    see(b.shuffle(std::move(operands), std::move(chosen)));
  }

  void access() {
    const BufferId buffer(in_launch && dice.once_in(2) ? 4 + dice.below(bits.size() - 4) : dice.below(4));
    const Buffer &described = b.plan().buffers[buffer];
    const bool writable = described.space != AddressSpace::argument || described.access != ArgumentAccess::in;
    const auto what = writable ? dice.below(3) : 0;
    Type t{dice.once_in(3) && !portable ? elem() : described.elem, lanes()};
    if (portable && what == 2 && (is_packed(t.elem) || is_float(t.elem))) return;
    auto kind = static_cast<AtomicKind>(dice.below(6));
    if (what == 2) {
      while (is_packed(t.elem)) t.elem = elem();
      if (is_float(t.elem)) kind = static_cast<AtomicKind>(dice.below(3));
      if (t.elem == ScalarType::boolean) kind = static_cast<AtomicKind>(3 + dice.below(3));
    }
    const std::int64_t count = bits[buffer.index] / bit_width(t.elem);
    if (count < t.lanes) return;
    const bool gather = dice.once_in(3);
    const Type offset_type{ScalarType::i64, gather ? t.lanes : std::uint16_t{1}};
    Reg offset = pick(offset_type), mask;
    if (dice.once_in(4) && (gather || t.lanes == 1)) { // any offset, and a mask for those that exist
      mask = b.prim(Primitive::bit_and,
                    {b.prim(Primitive::ge, {offset, b.constant(offset_type, 0)}),
                     b.prim(Primitive::lt, {offset, b.constant(offset_type, static_cast<std::uint64_t>(count))})});
    } else {
      const std::int64_t room = gather ? count : count - t.lanes + 1;
      offset = b.prim(Primitive::mod, {offset, b.constant(offset_type, static_cast<std::uint64_t>(room))});
      if (dice.once_in(3)) mask = pick({ScalarType::boolean, t.lanes});
    }
    if (what == 0) see(b.load(buffer, t, offset, mask));
    else if (what == 1) b.store(buffer, offset, stored(pick(t)), mask);
    else b.atomic(kind, buffer, offset, pick(t), mask);
  }

  // 0 for a NaN, whose bits are nobody's business.
  Reg stored(Reg r) {
    if (!portable || !is_float(b.type(r).elem)) return r;
    return b.select(b.prim(Primitive::is_nan, {r}), b.zero(b.type(r)), r);
  }
  void clear(BufferId buffer) {
    const ScalarType elem = b.plan().buffers[buffer].elem;
    b.for_each(b.i64(0), b.i64(bits[buffer.index] / bit_width(elem)), 1, [&](Reg i) { b.store(buffer, i, b.zero({elem, 1})); });
  }

  // The last registers become visible outside: stored behind each other somewhere in the output.
  void observe(std::size_t most) {
    for (std::size_t i = 0; i < most && i < visible.size(); ++i) {
      Reg r = visible[visible.size() - 1 - i];
      if (is_packed(b.type(r).elem)) r = b.cast(r, ScalarType::i8); // its sign, too
      const std::int64_t count = bits[strided.index] / bit_width(b.type(r).elem) - b.type(r).lanes;
      b.store(strided, b.i64(static_cast<std::int64_t>(dice.below(static_cast<std::size_t>(count + 1)))), stored(r));
    }
  }

  std::vector<Type> some_types() {
    std::vector<Type> types;
    for (std::size_t i = dice.below(4); i > 0; --i)
      types.push_back(visible.empty() || dice.once_in(3) ? type() : b.type(any()));
    return types;
  }
  Regs picked(const std::vector<Type> &types) {
    Regs out;
    for (Type t : types) out.push_back(pick(t));
    return out;
  }
  void see_all(const Regs &rs) { visible.insert(visible.end(), rs.begin(), rs.end()); }

  // A block of a few operations from what is visible; then `yields`.
  Regs block(const std::vector<Type> &yields, const Regs &args, std::size_t &before) {
    before = visible.size();
    see_all(args);
    ++depth;
    operations(dice.below(5));
    observe(dice.below(3));
    --depth;
    return picked(yields);
  }

  void loop() {
    const std::vector<Type> types = in_launch && !in_participants && dice.once_in(4) ? std::vector<Type>{} : some_types();
    const bool participants = types.empty() && in_launch && !in_participants;
    const Reg lo = b.i64(static_cast<std::int64_t>(dice.below(4)) - 2);
    const Reg hi =
        dice.once_in(2) ? b.i64(static_cast<std::int64_t>(dice.below(4))) : b.extent(Extent::parameter(ParamId(1)));
    const auto step = static_cast<std::int64_t>(1 + dice.below(3));
    const Regs inits = picked(types);
    std::size_t before = 0;
    in_participants |= participants;
    const Regs results = b.for_loop(lo, hi, step, inits, [&](Reg iv, const Regs &carried) {
      Regs args = carried;
      args.push_back(iv);
      Regs yields = block(types, args, before);
      if (types.size() > 1 && types[0] == types[1] && dice.once_in(2)) yields[0] = carried[1], yields[1] = carried[0];
      return yields;
    }, participants ? Binding::participants : Binding::serial);
    if (participants) in_participants = false;
    visible.resize(before);
    see_all(results);
  }

  void choice() {
    const std::vector<Type> types = some_types();
    const Reg condition = pick({ScalarType::boolean, 1});
    std::size_t before = 0;
    const auto arm = [&] {
      Regs yields = block(types, {}, before);
      visible.resize(before);
      return yields;
    };
    if (types.empty() && dice.once_in(2)) b.if_then(condition, arm);
    else see_all(b.if_else(condition, arm, arm));
  }

  void rounds() {
    std::vector<Type> types = some_types();
    Regs inits = picked(types);
    inits.push_back(b.i64(0)); // the counter
    const std::uint64_t most = 1 + dice.below(3);
    std::size_t before = 0;
    const Regs results = b.while_loop(
        std::move(inits),
        [&](const Regs &carried) {
          block({}, carried, before);
          visible.resize(before);
          return b.prim(Primitive::lt, {carried.back(), b.i64(static_cast<std::int64_t>(most))});
        },
        [&](const Regs &carried) {
          Regs yields = block(types, carried, before);
          visible.resize(before);
          yields.push_back(b.add(carried.back(), b.i64(1)));
          return yields;
        });
    see_all(results);
  }

  void launch() {
    Regs extents;
    for (std::size_t rank = dice.below(3); rank > 0; --rank)
      extents.push_back(dice.once_in(2) ? b.extent(Extent::parameter(ParamId(1)))
                                        : b.i64(static_cast<std::int64_t>(dice.below(3))));
    std::size_t before = visible.size();
    in_launch = true;
    ++depth;
    b.launch("launch_" + std::to_string(launches++), extents, [&](const Regs &at) {
      see_all(at);
      for (std::size_t i = 4; portable && i < bits.size(); ++i) clear(BufferId(i));
      operations(2 + dice.below(10));
      observe(6);
    });
    --depth;
    in_launch = false;
    visible.resize(before);
  }

  void operations(std::size_t n) {
    for (; n > 0; --n) {
      b.at(dice.once_in(2) ? OpId() : OpId(dice.below(100)));
      switch (dice.below(depth < 4 ? 16 : 12)) {
      case 0: constant(type()); break;
      case 1: see(dice.once_in(2) ? b.lane_ids(lanes()) : b.stride(strided, static_cast<int>(dice.below(2)))); break;
      case 2: see(b.extent(Extent::parameter(ParamId(0)).times(static_cast<std::int64_t>(dice.below(9)) - 4).plus(
                  Extent::parameter(ParamId(1)).ceil_div(2 + static_cast<std::int64_t>(dice.below(3))))));
        break;
      case 3:
      case 4: shuffle(); break;
      case 5: b.assert_(pick({ScalarType::boolean, lanes()}), "assert \"" + std::to_string(dice.below(100)) + "\""); break;
      case 6:
      case 7:
      case 8: access(); break;
      case 12: loop(); break;
      case 13: choice(); break;
      case 14: rounds(); break;
      case 15:
        if (!in_launch) launch();
        else if (!in_participants) b.barrier();
        break;
      default: primitive();
      }
    }
  }
};

ScalarType argument_type(std::uint64_t seed, std::size_t i) {
  return static_cast<ScalarType>(Dice{seed + 1000 * i}.below(scalar_type_count));
}

} // namespace

plan::Plan random_plan(std::uint64_t seed, bool portable) {
  IdVector<ParamId, Param> params;
  const Extent m = Extent::parameter(params.push({"M"})), n = Extent::parameter(params.push({"a name"}));
  Growing g(seed, std::move(params));
  const auto count_bits = [&](ScalarType t, std::int64_t count) { g.bits.push_back(count * bit_width(t)); };
  const ScalarType a = argument_type(seed, 0), c = argument_type(seed, 1), s = g.elem(), h = g.elem(), l = g.elem();
  g.b.argument("A", a, {m, n.times(2)}, 1, ArgumentAccess::in);
  count_bits(a, 2 * random_m * random_n);
  g.b.argument("C", c, {m + n}, 0, ArgumentAccess::mut);
  count_bits(c, random_m + random_n);
  // Forwards from coordinate 0 alone, so that all offsets that are made exist.
  g.strided = g.b.argument("an output", ScalarType::f32, {n, n.plus(1)}, 2, ArgumentAccess::out, true);
  count_bits(ScalarType::f32, 2 * (random_n - 1) + 7 * random_n + 1);
  g.b.memory(AddressSpace::scratch, "S", s, {n, Extent(4)});
  count_bits(s, 4 * random_n);
  g.b.memory(AddressSpace::shared, "H", h, {m.floor_div(2).plus(9)});
  count_bits(h, random_m / 2 + 9);
  g.b.memory(AddressSpace::instance, "L", l, {});
  count_bits(l, 1);
  g.b.memory(AddressSpace::instance, "L2", ScalarType::i64, {Extent(6)});
  count_bits(ScalarType::i64, 6);
  g.portable = portable;
  if (portable) g.clear(BufferId(3));
  g.operations(5 + g.dice.below(20));
  g.observe(12);
  return g.b.finish();
}

std::vector<RandomArgument> random_arguments(std::uint64_t seed, bool portable) {
  Dice dice{seed ^ 0x5eed};
  const ScalarType a = argument_type(seed, 0), c = argument_type(seed, 1);
  std::vector<RandomArgument> out(3);
  out[0].shape = {random_m + random_n};
  out[0].bytes.resize(storage_size(c, static_cast<std::size_t>(random_m + random_n)));
  out[1].shape = {random_m, 2 * random_n};
  out[1].bytes.resize(storage_size(a, static_cast<std::size_t>(2 * random_m * random_n)));
  out[2].shape = {random_n, random_n + 1};
  out[2].strides = {2, 7};
  out[2].bytes.resize(4 * static_cast<std::size_t>(2 * (random_n - 1) + 7 * random_n + 1));
  for (RandomArgument &argument : out)
    for (std::uint8_t &byte : argument.bytes) byte = static_cast<std::uint8_t>(dice.next());
  for (std::size_t i = 0; i < 2; ++i) // bools are 0 or 1, floats small
    for (std::uint8_t &byte : out[i].bytes) {
      const ScalarType t = i == 0 ? c : a;
      if (portable && (t == ScalarType::boolean || is_float(t))) byte &= t == ScalarType::boolean ? 1 : 0x3f;
    }
  for (std::size_t i = 3; portable && i < out[2].bytes.size(); i += 4) out[2].bytes[i] &= 0x3f;
  return out;
}

} // namespace tilenest
