// SPDX-License-Identifier: Apache-2.0
// Between floats and narrow numbers with a scale: per tensor where the scale is a scalar, per channel where it is a tile
// over the channel's dim.
#include "semantics/library/families.h"
#include <cmath>

namespace tilenest::library {

namespace {

// Of the type, and over dims of the tile that is scaled, whose space the result has.
bool scale_ok(Call &c, std::string_view scaled, ScalarType type) {
  for (std::string_view name : {"scale", "zero"}) {
    if (!c.has(name)) continue;
    const Operand o = c.operand(name);
    const auto *v = std::get_if<ValueId>(&o);
    if (!v) continue;
    if (c.elem(*v) != type)
      return c.refuse_option(name, std::string(to_string(c.elem(*v))), "it is of type " + std::string(to_string(type)));
    if (!c.need_inside(name, *v, scaled)) return false;
  }
  return true;
}

// A zero point is a narrow number: a literal with a fraction is none.
bool zero_ok(Call &c) {
  if (!c.has("zero")) return true;
  const Operand o = c.operand("zero");
  const auto *d = std::get_if<double>(&o);
  return !d || (std::isfinite(*d) && std::trunc(*d) == *d) || c.refuse_option("zero", literal_text(*d), "it is a whole number");
}

// A literal scale is one that a step can have.
bool literal_scale_ok(Call &c) {
  const Operand o = c.operand("scale");
  const auto *i = std::get_if<std::int64_t>(&o);
  const auto *d = std::get_if<double>(&o);
  if ((!i || *i > 0) && (!d || (*d > 0 && std::isfinite(*d)))) return true;
  return c.refuse_option("scale", d ? literal_text(*d) : std::to_string(*i), "it is positive and finite");
}

// Rounded to the nearest step, ties to even, moved by the zero point, saturated.
std::vector<ValueId> quantise(Call &c) {
  const ValueId x = c.tile("x");
  const ScalarType to = c.element("to");
  if (!is_integer(to) && !(is_float(to) && bit_width(to) == 8)) {
    c.refuse_option("to", std::string(to_string(to)), "it is an integer type or f8e4m3fn or f8e5m2");
    return {};
  }
  if (is_float(to) && c.has("zero")) return c.refuse_option("zero", "a value", "floats have no zero point"), std::vector<ValueId>{};
  if (!scale_ok(c, "x", c.elem(x)) || !literal_scale_ok(c) || !zero_ok(c)) return {};
  ValueId y = c.op(OpKind::div, {x, c.operand("scale")});
  if (is_integer(to)) y = c.op(OpKind::round, {y});
  if (c.has("zero")) y = c.op(OpKind::add, {y, c.operand("zero")});
  return {c.b.cast(OpKind::cast_sat, to, y)};
}

std::vector<ValueId> dequantise(Call &c) {
  const ScalarType to = c.element("to");
  if (!is_float(to)) return c.refuse_option("to", std::string(to_string(to)), "it is a float type"), std::vector<ValueId>{};
  if (!scale_ok(c, "q", to) || !literal_scale_ok(c)) return {};
  ValueId y = c.b.cast(OpKind::cast, to, c.tile("q"));
  if (c.has("zero")) y = c.op(OpKind::sub, {y, c.operand("zero")});
  return {c.op(OpKind::mul, {y, c.operand("scale")})};
}

constexpr Parameter zero = operand("zero", OpOperands::floating, "");

constexpr Function quantisation_table[] = {
    {"quantise", {tile("x", OpOperands::floating), operand("scale", OpOperands::floating), element("to"), zero}, "q", quantise, "x / scale as a narrow number, saturated",
     "x: any space; scale, zero: scalars, or tiles over dims of x, of its type; the result has x's space. Integers: round(x / scale), ties to even, plus zero, "
     "saturated, NaN is 0; f8: the quotient rounded and saturated. Refused: other target types, a zero point for floats, a literal scale that is not positive and finite, a scale or zero of another type, over other dims or longer than x", "each step correctly rounded",
     "kernel k(X: f32[4, 6], S: f32[6], Y: out i8[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(quantise(X[(0, 0), [m, n]], S[0, [n]] + 1, i8)) }"},
    {"dequantise", {tile("q", OpOperands::stored_numeric), operand("scale", OpOperands::floating), zero, element("to", "f32")}, "x", dequantise, "(q - zero) * scale as a float",
     "q: any space, integers or floats, also i4 and u4; scale, zero: scalars, or tiles over dims of q, of the target type; the result has q's space. Refused: "
     "targets that are no float, a literal scale that is not positive and finite, a scale or zero of another type, over other dims or longer than q", "each step correctly rounded",
     "kernel k(Q: i32[8], Y: out f32[8]) { axis n = 8; Y(0, [n]).store(dequantise(Q[0, [n]], 0.5, zero = 3.0)) }"},
};

} // namespace

Family quantisation() { return {"quantisation", "Quantisation", quantisation_table}; }

} // namespace tilenest::library
