// SPDX-License-Identifier: Apache-2.0
// What a target declares about its scalar primitives (NUM-TGT): errors, flushed subnormals, an fma that is not
// fused. Typed data, read from JSON and printed as such; what results a declaration admits is declared_error.h's.
#pragma once
#include "semantics/diag/diagnostic.h"
#include "semantics/numerics/primitives.h"
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilenest {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// How a target computes a primitive out of others, each with its own declared error: `exp2(mul(y, log2(x)))`.
struct Formula {
  enum class Kind : std::uint8_t { operand, literal, primitive } kind = Kind::literal;
  int operand = 0; // x, y, z
  double literal = 0;
  Primitive primitive = Primitive::add;
  std::vector<Formula> arguments;
  friend bool operator==(const Formula &, const Formula &) = default;
};

// One bound, for first operands in [from, to].
struct ErrorBound {
  enum class Kind : std::uint8_t {
    ulps,     // |result - exact| <= (ulps + per_magnitude * |x|) units in the last place of the exact value
    absolute, // |result - exact| <= absolute
    inherited, // what the formula gives
    faithful  // the exact value rounded down or up; no profile file declares it
  } kind = Kind::ulps;
  double from = -infinity, to = infinity;
  double ulps = 0, per_magnitude = 0, absolute = 0;
  Formula formula;
  friend bool operator==(const ErrorBound &, const ErrorBound &) = default;
};

// What is declared for one float type. The first bound whose interval holds the first operand counts; an operand
// that is in none, and a primitive that is not declared, have the correctly rounded result alone.
struct TypeProfile {
  bool flushes_subnormals = false; // a subnormal operand or result may count as a zero of its sign
  bool fuses_fma = true;           // false: fma(x, y, z) may round the product first
  std::map<Primitive, std::vector<ErrorBound>> errors;
  friend bool operator==(const TypeProfile &, const TypeProfile &) = default;
};

struct TargetProfile {
  std::string name;
  std::map<ScalarType, TypeProfile> types;
  // An operation on numbers that has no number as its result (inf - inf, the root of -1) may give anything. No profile
  // file declares it.
  bool invalid_gives_anything = false;
  // nullptr where nothing is declared.
  const TypeProfile *find(ScalarType type) const;
  // The bounds that are declared for a primitive whose results have this type; empty where none is. An fma that
  // is not fused has the bound of its formula.
  std::vector<ErrorBound> bounds(Primitive primitive, ScalarType type) const;
  friend bool operator==(const TargetProfile &, const TargetProfile &) = default;
};

// Declares nothing.
const TargetProfile &ieee_profile();
// Enclosures under it hold what real arithmetic gives: every result is the exact one rounded down or up, an overflow is
// the largest finite value or an infinity, and what has no exact result may give anything.
const TargetProfile &real_arithmetic();

// Functions that a formula may apply to operands with an error: interval arithmetic knows them everywhere.
bool takes_intervals(Primitive primitive);
// Whether a target may declare an error: the result is a float of the type of the operands, or a cast's.
bool may_have_error(Primitive primitive);

// Errors: P1201, which names the place in the file.
Result<TargetProfile> parse_target_profile(std::string_view json, const std::string &file);
// JSON that parses back to an equal profile.
std::string print_target_profile(const TargetProfile &profile);
// "exact", "3 + 2|x| ulps", "0.000488281 for x in [-3.14159, 3.14159], else exact", "as exp2(mul(y, log2(x)))".
std::string error_text(const TargetProfile &profile, Primitive primitive, ScalarType type);

} // namespace tilenest
