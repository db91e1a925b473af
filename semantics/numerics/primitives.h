// SPDX-License-Identifier: Apache-2.0
// The scalar primitives as an enumeration with their arities and type rules. What they compute stands in
// scalar_ops.h (bits), elementary.h (elementary functions); this file knows types only.
#pragma once
#include "semantics/support/scalar_type.h"
#include <optional>
#include <string_view>

namespace tilenest {

enum class Primitive : std::uint8_t {
#define PRIM(name, arity, operand, result, undefined) name,
#include "semantics/numerics/primitives.def"
#undef PRIM
};

enum class OperandClass : std::uint8_t { any, bits, integer, floating, number };
enum class ResultClass : std::uint8_t { same, boolean, converted, reinterpreted };

struct PrimitiveInfo {
  std::string_view name;
  std::uint8_t arity;
  OperandClass operand;
  ResultClass result;
  bool may_be_undefined; // for some operand and result type; narrower: may_be_undefined() below
};

constexpr PrimitiveInfo primitive_table[] = {
#define PRIM(name, arity, operand, result, undefined) \
  {#name, arity, OperandClass::operand, ResultClass::result, undefined},
#include "semantics/numerics/primitives.def"
#undef PRIM
};
constexpr int primitive_count = static_cast<int>(sizeof primitive_table / sizeof primitive_table[0]);

constexpr const PrimitiveInfo &info(Primitive p) { return primitive_table[static_cast<int>(p)]; }
constexpr std::string_view to_string(Primitive p) { return info(p).name; }
constexpr int arity(Primitive p) { return info(p).arity; }

constexpr std::optional<Primitive> find_primitive(std::string_view name) {
  for (int i = 0; i < primitive_count; ++i)
    if (primitive_table[i].name == name) return static_cast<Primitive>(i);
  return std::nullopt;
}

constexpr bool admits(OperandClass c, ScalarType t) {
  switch (c) {
  case OperandClass::any: return true;
  case OperandClass::bits: return !is_float(t);
  case OperandClass::integer: return is_integer(t);
  case OperandClass::floating: return is_float(t);
  case OperandClass::number: return t != ScalarType::boolean;
  }
  return false;
}

// Whether the primitive computes in `operand` and yields `result`.
constexpr bool admits(Primitive p, ScalarType operand, ScalarType result) {
  if (!admits(info(p).operand, operand)) return false;
  if ((is_packed(operand) || is_packed(result)) && info(p).result != ResultClass::converted) return false;
  switch (info(p).result) {
  case ResultClass::same: return result == operand;
  case ResultClass::boolean: return result == ScalarType::boolean;
  case ResultClass::converted: return true;
  case ResultClass::reinterpreted:
    return bit_width(operand) == bit_width(result) && operand != ScalarType::boolean &&
           result != ScalarType::boolean;
  }
  return false;
}

// The result type that follows from the operand type; nullopt where the program must name it.
constexpr std::optional<ScalarType> result_type(Primitive p, ScalarType operand) {
  switch (info(p).result) {
  case ResultClass::same: return operand;
  case ResultClass::boolean: return ScalarType::boolean;
  default: return std::nullopt;
  }
}

// The type of operand number `i`: bool for the condition of `select`, else the type it computes in.
constexpr ScalarType operand_type(Primitive p, int i, ScalarType computes_in) {
  return p == Primitive::select && i == 0 ? ScalarType::boolean : computes_in;
}

// Whether an element can lack a result (VAL-MARK) at these types.
constexpr bool may_be_undefined(Primitive p, ScalarType operand, ScalarType result) {
  if (!info(p).may_be_undefined) return false;
  return p == Primitive::cast ? is_float(operand) && is_integer(result) : is_integer(operand);
}

// Whether an element's result can differ from the exact one by wrapping at these types. This is the half of
// the rule that detects; what a wrapped value means where it is used is the machine's business.
// rule: NUM-WRAP
constexpr bool may_wrap(Primitive p, ScalarType operand, ScalarType result) {
  switch (p) {
  case Primitive::add:
  case Primitive::sub:
  case Primitive::mul:
  case Primitive::neg:
  case Primitive::shl: return is_integer(operand);
  case Primitive::abs:
  case Primitive::div:
  case Primitive::floordiv: return is_signed(operand);
  case Primitive::cast:
    if (!is_integer(operand) || !is_integer(result)) return false;
    return is_signed(operand) ? !is_signed(result) || bit_width(result) < bit_width(operand)
                              : bit_width(result) < bit_width(operand) + (is_signed(result) ? 1 : 0);
  default: return false;
  }
}

// Whether a result counts as wrapped because an operand does: + - *, negation and casts remember, every other
// primitive forgets.
constexpr bool remembers_wrap(Primitive p) {
  switch (p) {
  case Primitive::add:
  case Primitive::sub:
  case Primitive::mul:
  case Primitive::neg:
  case Primitive::cast: return true;
  default: return false;
  }
}

} // namespace tilenest
