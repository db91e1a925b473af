// SPDX-License-Identifier: Apache-2.0
// Identities of the reducers.
#include "semantics/rules/fold.h"
#include "semantics/numerics/literals.h"
#include <cmath>
#include <limits>

namespace tilenest::rules {

Primitive fold_primitive(Reducer reducer) {
  constexpr Primitive primitives[] = {Primitive::add,    Primitive::mul,     Primitive::min,
                                      Primitive::max,    Primitive::minnum,  Primitive::maxnum,
                                      Primitive::bit_and, Primitive::bit_or, Primitive::bit_xor};
  return primitives[static_cast<int>(reducer)];
}

// rule: RED-SEED
std::uint64_t fold_identity(Reducer reducer, ScalarType type) {
  const int bits = bit_width(type);
  const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (is_float(type)) {
    double e = 0;
    switch (reducer) {
    case Reducer::add: e = rule_broken(Rule::red_seed) ? 0.0 : -0.0; break;
    case Reducer::mul: e = 1; break;
    case Reducer::min: e = std::numeric_limits<double>::infinity(); break;
    case Reducer::max: e = -std::numeric_limits<double>::infinity(); break;
    default: e = std::numeric_limits<double>::quiet_NaN(); break;
    }
    // A format without infinities has its largest finite value as the neutral element of min and max.
    if (type == ScalarType::f8e4m3fn && std::isinf(e)) e = std::copysign(448.0, e);
    return literal_bits(e, type).value_or(0);
  }
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  switch (reducer) {
  case Reducer::mul: return 1;
  case Reducer::min: return is_signed(type) ? ones ^ sign : ones;
  case Reducer::max: return is_signed(type) ? sign : 0;
  case Reducer::bit_and: return type == ScalarType::boolean ? 1 : ones;
  default: return 0;
  }
}

} // namespace tilenest::rules
