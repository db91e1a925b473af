// SPDX-License-Identifier: Apache-2.0
// The compositions, from their formulas.
#include "semantics/diag/codes.h"
#include "semantics/library/library.h"

namespace tilenest::library {

namespace {

ValueId op(Builder &b, OpKind kind, std::initializer_list<Operand> operands) {
  return b.elementwise(kind, std::span<const Operand>(operands.begin(), operands.size()));
}

constexpr double sqrt_half = 0.70710678118654752440;
constexpr double sqrt_two_over_pi = 0.79788456080286535588;

template <ValueId (*F)(Builder &, ValueId)>
ValueId unary(Builder &b, std::span<const ValueId> x, std::span<const DimId>) {
  return F(b, x[0]);
}
ValueId call_softmax(Builder &b, std::span<const ValueId> x, std::span<const DimId> d) { return softmax(b, x[0], d[0]); }
ValueId call_matmul(Builder &b, std::span<const ValueId> x, std::span<const DimId>) { return matmul(b, x[0], x[1]); }

constexpr Function table[] = {
    {"relu", 1, 0, 0, unary<relu>, "a tile", "relu(x): max(x, 0)"},
    {"sigmoid", 1, 0, 0, unary<sigmoid>, "a tile", "sigmoid(x): 1 / (1 + exp(-x))"},
    {"silu", 1, 0, 0, unary<silu>, "a tile", "silu(x): x * sigmoid(x)"},
    {"gelu", 1, 0, 0, unary<gelu>, "a tile", "gelu(x): x / 2 * (1 + erf(x / sqrt(2)))"},
    {"gelu_tanh", 1, 0, 0, unary<gelu_tanh>, "a tile", "gelu_tanh(x): the tanh approximation of gelu"},
    {"softmax", 1, 1, 1, call_softmax, "a tile and a dim", "softmax(x, m): exp(x - max) / sum along m"},
    {"matmul", 2, 0, 0, call_matmul, "two tiles", "matmul(a, b): rank 2, columns of a with rows of b"},
};

ScalarType accumulator(ScalarType t) {
  if (is_float(t)) return bit_width(t) < 32 ? ScalarType::f32 : t;
  return is_integer(t) && bit_width(t) < 32 ? ScalarType::i32 : t;
}

} // namespace

std::span<const Function> functions() { return table; }

const Function *find(std::string_view name) {
  for (const Function &f : table)
    if (name == f.name) return &f;
  return nullptr;
}

ValueId relu(Builder &b, ValueId x) { return op(b, OpKind::max, {x, std::int64_t{0}}); }

ValueId sigmoid(Builder &b, ValueId x) {
  const ValueId e = op(b, OpKind::exp, {op(b, OpKind::neg, {x})});
  return op(b, OpKind::div, {1.0, op(b, OpKind::add, {1.0, e})});
}

ValueId silu(Builder &b, ValueId x) { return op(b, OpKind::mul, {x, sigmoid(b, x)}); }

ValueId gelu(Builder &b, ValueId x) {
  const ValueId e = op(b, OpKind::erf, {op(b, OpKind::mul, {x, sqrt_half})});
  return op(b, OpKind::mul, {op(b, OpKind::mul, {0.5, x}), op(b, OpKind::add, {1.0, e})});
}

ValueId gelu_tanh(Builder &b, ValueId x) {
  const ValueId cube = op(b, OpKind::mul, {op(b, OpKind::mul, {x, x}), x});
  const ValueId inner = op(b, OpKind::add, {x, op(b, OpKind::mul, {0.044715, cube})});
  const ValueId t = op(b, OpKind::tanh, {op(b, OpKind::mul, {sqrt_two_over_pi, inner})});
  return op(b, OpKind::mul, {op(b, OpKind::mul, {0.5, x}), op(b, OpKind::add, {1.0, t})});
}

ValueId softmax(Builder &b, ValueId x, DimId dim) {
  const DimId dims[] = {dim};
  const ValueId top = b.reduce(x, dims, Reducer::max, ReductionPolicy::unordered_tree);
  const ValueId e = op(b, OpKind::exp, {op(b, OpKind::sub, {x, top})});
  const ValueId sum = b.reduce(e, dims, Reducer::add, ReductionPolicy::unordered_tree);
  return op(b, OpKind::div, {e, sum});
}

ValueId matmul(Builder &b, ValueId left, ValueId right) {
  for (ValueId v : {left, right})
    if (b.type(v).space.rank() != 2) {
      b.error(Code::T0214, {{"what", "`matmul`"}, {"expected", "2"}, {"found", std::to_string(b.type(v).space.rank())}},
              "`mma` contracts any dims that both inputs share");
      return left;
    }
  const Space a = b.type(left).space, c = b.type(right).space;
  const DimId row = b.dim("row"), column = b.dim("column"), inner = b.dim("inner");
  const DimId left_dims[] = {row, inner}, right_dims[] = {inner, column};
  const ValueId x = b.relabel(left, left_dims), y = b.relabel(right, right_dims);
  const Space result{{{row, a.factors[0].extent}, {column, c.factors[1].extent}}};
  const ValueId acc = b.full(accumulator(b.type(left).elem), std::int64_t{0}, result);
  const ValueId product = b.mma(x, y, acc);
  const bool distinct = a.factors[0].dim != c.factors[1].dim;
  const DimId out[] = {distinct ? a.factors[0].dim : b.positional_dim(1),
                       distinct ? c.factors[1].dim : b.positional_dim(0)};
  return b.relabel(product, out);
}

} // namespace tilenest::library
