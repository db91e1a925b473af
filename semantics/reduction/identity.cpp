// SPDX-License-Identifier: Apache-2.0
// Identities of merges as bits, and names of policies.
#include "semantics/reduction/reduction.h"

namespace tilenest {

namespace {

// The bits of +1, +infinity (the largest finite value of a format without one) and a quiet NaN.
struct FloatBits {
  std::uint64_t one, greatest, nan;
};

FloatBits float_bits(ScalarType t) {
  switch (t) {
  case ScalarType::f16: return {0x3C00, 0x7C00, 0x7E00};
  case ScalarType::bf16: return {0x3F80, 0x7F80, 0x7FC0};
  case ScalarType::f32: return {0x3F800000, 0x7F800000, 0x7FC00000};
  case ScalarType::f8e4m3fn: return {0x38, 0x7E, 0x7F};
  case ScalarType::f8e5m2: return {0x3C, 0x7C, 0x7E};
  default: return {0x3FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000};
  }
}

} // namespace

// Neutral bit for bit (RED-TREE): -0 for a float `+`, NaN where a NaN is ignored.
std::uint64_t identity_bits(OpKind merge, ScalarType type) {
  const int width = bit_width(type);
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const bool floating = is_float(type);
  switch (merge) {
  case OpKind::add:
  case OpKind::mma: return floating ? sign : 0;
  case OpKind::mul: return floating ? float_bits(type).one : 1;
  case OpKind::min: return floating ? float_bits(type).greatest : is_signed(type) ? all ^ sign : all;
  case OpKind::max: return floating ? float_bits(type).greatest | sign : is_signed(type) ? sign : 0;
  case OpKind::minnum:
  case OpKind::maxnum: return float_bits(type).nan;
  case OpKind::bit_and: return type == ScalarType::boolean ? 1 : all;
  default: return 0; // bit_or, bit_xor
  }
}

OpKind merge_of(Reducer reducer) {
  switch (reducer) {
  case Reducer::add: return OpKind::add;
  case Reducer::mul: return OpKind::mul;
  case Reducer::min: return OpKind::min;
  case Reducer::max: return OpKind::max;
  case Reducer::minnum: return OpKind::minnum;
  case Reducer::maxnum: return OpKind::maxnum;
  case Reducer::bit_and: return OpKind::bit_and;
  case Reducer::bit_or: return OpKind::bit_or;
  case Reducer::bit_xor: return OpKind::bit_xor;
  }
  return OpKind::add;
}

std::string_view to_string(ReductionPolicy policy) {
  constexpr std::string_view names[] = {"unordered_tree", "ordered_tree", "fold_left", "fold_right"};
  return names[static_cast<int>(policy)];
}

} // namespace tilenest
