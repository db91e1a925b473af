// SPDX-License-Identifier: Apache-2.0
// Coordinate maps as plan operations, in 64-bit arithmetic; of scalars or of vectors of points.
#include "lower/lowering.h"

namespace tilenest::lowering {

namespace {

Reg index_expression(Lowering &l, const IndexExpr &e, const Regs &inputs) {
  switch (e->kind) {
  case IndexNode::Kind::input: return inputs[static_cast<std::size_t>(e->input)];
  case IndexNode::Kind::extent: return l.b.extent(e->extent);
  default: break;
  }
  constexpr Primitive primitives[] = {Primitive::add, Primitive::sub, Primitive::mul, Primitive::floordiv,
                                      Primitive::mod, Primitive::min, Primitive::max, Primitive::bit_xor};
  const auto i = static_cast<std::size_t>(e->kind) - static_cast<std::size_t>(IndexNode::Kind::add);
  return l.prim(primitives[i], {index_expression(l, e->left, inputs), index_expression(l, e->right, inputs)});
}

} // namespace

Reg Lowering::map_output(const Map &map, int output, const Regs &inputs) {
  if (map.kind() == Map::Kind::index_expr) return index_expression(*this, map.output_expressions()[static_cast<std::size_t>(output)], inputs);
  Reg out = b.extent(map.offset());
  for (std::size_t i = 0; i < inputs.size(); ++i) out = prim(Primitive::add, {out, prim(Primitive::mul, {inputs[i], b.extent(map.strides()[i])})});
  return out;
}

} // namespace tilenest::lowering
