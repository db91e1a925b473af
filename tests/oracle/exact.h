// SPDX-License-Identifier: Apache-2.0
// Exact scalars for the second oracle (calculus 9): rationals, the element operations on them, their bits.
// What is not exact in its type (an integer that wraps, a float that rounds, -0, an infinity, a NaN) is
// refused.
#pragma once
#include "semantics/op_table.h"
#include "semantics/program/program.h"
#include <boost/multiprecision/cpp_int.hpp>
#include <string>

namespace tilenest::oracle {

// Of 512 bits, which every operation on two values of one type fits.
using Integer = boost::multiprecision::checked_int512_t;
using Rational = boost::multiprecision::number<boost::multiprecision::rational_adaptor<Integer::backend_type>>;

// The oracle does not say what this program means.
struct Refused {
  std::string what;
};

// `v` if it is a value of the type.
Rational checked(ScalarType type, Rational v);
std::int64_t whole(const Rational &v);
// The result, or the code of the mark that stands for it (VAL-MARK).
struct Scalar {
  Rational value;
  const char *mark = nullptr;
};
// Of operands of `type`; a unary operation has its operand twice.
Scalar apply(OpKind kind, ScalarType type, ScalarType result, const Rational &a, const Rational &b);
// Little-endian storage (NUM-TYPES).
Rational decode(ScalarType type, const std::uint8_t *bytes);
void encode(ScalarType type, const Rational &v, std::uint8_t *bytes);

} // namespace tilenest::oracle
