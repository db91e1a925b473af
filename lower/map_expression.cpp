// SPDX-License-Identifier: Apache-2.0
// Coordinate maps as plan operations, in 64-bit arithmetic; of scalars or of vectors of points.
#include "lower/lowering.h"
#include <algorithm>

namespace tilenest::lowering {

namespace {

struct Part {
  Reg value;
  Range range;
  Reg wrapped; // invalid: no
};

struct MapWalk {
  Lowering &l;
  const Regs &inputs;
  const std::vector<Range> *ranges; // null: what wraps is not asked

  static constexpr Range any{INT64_MIN, INT64_MAX}, any_extent{0, __int128{1} << 47};

  Part combine(Primitive primitive, const Part &x, const Part &y) const {
    Part out{l.prim(primitive, {x.value, y.value}), any, l.both_or(x.wrapped, y.wrapped)};
    if (!ranges) return out;
    const Range &a = x.range, &c = y.range;
    const __int128 products[] = {a.low * c.low, a.low * c.high, a.high * c.low, a.high * c.high}; // below 2^126
    switch (primitive) {
    case Primitive::add: out.range = {a.low + c.low, a.high + c.high}; break;
    case Primitive::sub: out.range = {a.low - c.high, a.high - c.low}; break;
    case Primitive::mul: out.range = {*std::min_element(products, products + 4), *std::max_element(products, products + 4)}; break;
    case Primitive::min:
    case Primitive::max: out.range = {std::min(a.low, c.low), std::max(a.high, c.high)}; return out;
    default: return out;
    }
    if (out.range.low >= any.low && out.range.high <= any.high) return out;
    out.range = any;
    out.wrapped = l.both_or(out.wrapped, l.left_64_bits(primitive, x.value, y.value, out.value));
    return out;
  }

  Part expression(const IndexExpr &e) const {
    if (e->kind == IndexNode::Kind::input) {
      const auto i = static_cast<std::size_t>(e->input);
      return {inputs[i], ranges ? (*ranges)[i] : any, {}};
    }
    if (e->kind == IndexNode::Kind::extent) return extent(e->extent);
    constexpr Primitive primitives[] = {Primitive::add, Primitive::sub, Primitive::mul, Primitive::floordiv,
                                        Primitive::mod, Primitive::min, Primitive::max, Primitive::bit_xor};
    const auto i = static_cast<std::size_t>(e->kind) - static_cast<std::size_t>(IndexNode::Kind::add);
    return combine(primitives[i], expression(e->left), expression(e->right));
  }
  Part extent(const Extent &e) const {
    const auto known = e.constant();
    return {l.b.extent(e), known ? Range{*known, *known} : any_extent, {}};
  }

  Part output(const Map &map, int i) const {
    if (map.kind() == Map::Kind::index_expr) return expression(map.output_expressions()[static_cast<std::size_t>(i)]);
    Part out = extent(map.offset());
    for (std::size_t k = 0; k < inputs.size(); ++k)
      out = combine(Primitive::add, out, combine(Primitive::mul, {inputs[k], ranges ? (*ranges)[k] : any, {}}, extent(map.strides()[k])));
    return out;
  }
};

} // namespace

Reg Lowering::map_output(const Map &map, int output, const Regs &inputs) { return MapWalk{*this, inputs, nullptr}.output(map, output).value; }

Reg Lowering::map_wrapped(const Map &map, int output, const Regs &inputs, const std::vector<Range> &ranges) {
  return MapWalk{*this, inputs, &ranges}.output(map, output).wrapped;
}

} // namespace tilenest::lowering
