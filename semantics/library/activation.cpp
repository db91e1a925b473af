// SPDX-License-Identifier: Apache-2.0
// Activations: elementwise compositions of one tile.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

constexpr double sqrt_half = 0.70710678118654752440;
constexpr double sqrt_two_over_pi = 0.79788456080286535588;

std::vector<ValueId> relu(Call &c) { return {c.op(OpKind::max, {c.tile("x"), std::int64_t{0}})}; }

ValueId logistic(Call &c, ValueId x) {
  const ValueId e = c.op(OpKind::exp, {c.op(OpKind::neg, {x})});
  return c.op(OpKind::div, {1.0, c.op(OpKind::add, {1.0, e})});
}

std::vector<ValueId> sigmoid(Call &c) { return {logistic(c, c.tile("x"))}; }

std::vector<ValueId> silu(Call &c) { return {c.op(OpKind::mul, {c.tile("x"), logistic(c, c.tile("x"))})}; }

std::vector<ValueId> gelu(Call &c) {
  const ValueId x = c.tile("x");
  const ValueId e = c.op(OpKind::erf, {c.op(OpKind::mul, {x, sqrt_half})});
  return {c.op(OpKind::mul, {c.op(OpKind::mul, {0.5, x}), c.op(OpKind::add, {1.0, e})})};
}

std::vector<ValueId> gelu_tanh(Call &c) {
  const ValueId x = c.tile("x");
  const ValueId cube = c.op(OpKind::mul, {c.op(OpKind::mul, {x, x}), x});
  const ValueId inner = c.op(OpKind::add, {x, c.op(OpKind::mul, {0.044715, cube})});
  const ValueId t = c.op(OpKind::tanh, {c.op(OpKind::mul, {sqrt_two_over_pi, inner})});
  return {c.op(OpKind::mul, {c.op(OpKind::mul, {0.5, x}), c.op(OpKind::add, {1.0, t})})};
}

constexpr const char *shapes = "x: any space, also with a predicate; the result has the same. A type that is not named above is refused";
constexpr const char *steps = "composition: each step correctly rounded in the type of x";

#define TILENEST_EXAMPLE(call)                                                                               \
  "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; x = X[(0, 0), [m, n]]; Y((0, 0), [m, n]).store(" call ") }"

constexpr Function activation_table[] = {
    {"relu", {tile("x", OpOperands::numeric)}, "y", relu, "max(x, 0); NaN stays NaN", shapes, "exact",
     TILENEST_EXAMPLE("relu(x)")},
    {"sigmoid", {tile("x", OpOperands::floating)}, "y", sigmoid, "1 / (1 + exp(-x))", shapes, steps,
     TILENEST_EXAMPLE("sigmoid(x)")},
    {"silu", {tile("x", OpOperands::floating)}, "y", silu, "x * sigmoid(x)", shapes, steps, TILENEST_EXAMPLE("silu(x)")},
    {"gelu", {tile("x", OpOperands::floating)}, "y", gelu, "x / 2 * (1 + erf(x / sqrt(2)))", shapes, steps,
     TILENEST_EXAMPLE("gelu(x)")},
    {"gelu_tanh", {tile("x", OpOperands::floating)}, "y", gelu_tanh,
     "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))", shapes, steps, TILENEST_EXAMPLE("gelu_tanh(x)")},
};

} // namespace

Family activation() { return {"activation", "Activations", activation_table}; }

} // namespace tilenest::library
