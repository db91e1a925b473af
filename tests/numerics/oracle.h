// SPDX-License-Identifier: Apache-2.0
// The tests' own arithmetic: exact dyadic numbers and one rounding on integers, written from the format
// definitions; shares nothing with semantics/numerics but the names of types and primitives.
#pragma once
#include "semantics/numerics/primitives.h"
#include <string>
#include <vector>

namespace oracle {

using tilenest::Primitive;
using tilenest::ScalarType;
using u128 = unsigned __int128;

// (-1)^negative * (magnitude + something in (0, 1) if sticky) * 2^exponent, or a special value.
struct Number {
  enum Kind { finite, infinite, nan } kind = finite;
  bool negative = false;
  u128 magnitude = 0;
  int exponent = 0;
  bool sticky = false;
};

// The number that an element of any type is. Throws nothing; every bit pattern is a number.
Number number_of(ScalarType type, std::uint64_t bits);
Number number_of(double value);
// Rounds once to a float type: ties to even, subnormals kept, overflow to the special value (f8e4m3fn: NaN)
// or, saturating, to the largest finite one. NaN gives the positive quiet NaN.
std::uint64_t round_to(ScalarType type, Number value, bool saturate = false);
// The float arithmetic or elementary primitive on elements of a type, through MPFR at 240 or 64 bits, truncated
// with a sticky bit, then rounded by round_to.
std::uint64_t apply(Primitive primitive, ScalarType type, const std::vector<std::uint64_t> &operands);
// One element under cast or cast_sat.
struct Cast {
  std::uint64_t bits = 0;
  bool undefined = false, wrapped = false;
};
Cast cast(ScalarType from, std::uint64_t bits, ScalarType to, bool saturate);
// Whether two elements are the same, NaN being one value.
bool same(ScalarType type, std::uint64_t a, std::uint64_t b);
bool is_nan(ScalarType type, std::uint64_t bits);

// The bits of an element as it stands alone: those of a 4-bit type fill a byte with its value.
inline std::uint64_t standing(ScalarType type, std::uint64_t bits) {
  return type == ScalarType::i4 && (bits & 8) != 0 ? bits | 0xf0 : bits;
}

// All element types, and the float ones.
const std::vector<ScalarType> &all_types();
const std::vector<ScalarType> &float_types();
const std::vector<ScalarType> &integer_types();

// A small deterministic generator (splitmix64).
struct Random {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};
// A random element, one time in three near a boundary of the type (zeros, ones, extremes, NaN).
std::uint64_t random_element(ScalarType type, Random &random);

} // namespace oracle
