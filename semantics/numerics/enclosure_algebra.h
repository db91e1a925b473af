// SPDX-License-Identifier: Apache-2.0
// The algebra of enclosures: what a scalar primitive may give on operands of which only enclosures are known, computed
// correctly rounded or as a target declares (NUM-TGT). The rules of the operations run over it (ADM-SET).
#pragma once
#include "semantics/numerics/declared_error.h"

namespace tilenest {

// Sound: a result on elements of `x` is in the enclosure. Sets `undefined` where an element of `x` has no result
// (VAL-MARK) and `x` are no points. Types as for apply_scalar.
Enclosure enclose(const TargetProfile &profile, Primitive primitive, ScalarType operand_type, ScalarType result_type,
                  std::span<const Enclosure> x, bool &undefined);

struct EnclosureAlgebra {
  struct Value {
    Enclosure set;
    ScalarType type = ScalarType::f32;
  };
  const TargetProfile &profile;
  ScalarType result_type; // of the operation
  bool undefined = false;

  template <class... X> Value apply(Primitive primitive, const X &...x) {
    const Value operands[] = {x...};
    const ScalarType type = operands[sizeof...(x) - 1].type;
    const Enclosure sets[] = {x.set...};
    const ScalarType result = tilenest::result_type(primitive, type).value_or(result_type);
    return {enclose(profile, primitive, type, result, sets, undefined), result};
  }
  Value convert(Primitive primitive, const Value &x) {
    const Enclosure sets[] = {x.set};
    return {enclose(profile, primitive, x.type, result_type, sets, undefined), result_type};
  }
};

} // namespace tilenest
