// SPDX-License-Identifier: Apache-2.0
// The meaning of every elementwise operation, written once over an abstract algebra: `A::Value` and
// `a.apply(Primitive, x...)` in the type of the last operand, `a.convert(Primitive, x)` to the operation's
// result type. A rule never branches on a value. The rows of ops.def reach their rule by name: a missing rule
// or a wrong arity does not compile.
#pragma once
#include "semantics/numerics/primitives.h"
#include "semantics/op_table.h"
#include <span>

namespace tilenest::rules {

// rule: NUM-RN
#define TILENEST_RULE1(name, primitive) \
  template <class A> auto name(A &a, typename A::Value x) { return a.apply(Primitive::primitive, x); }
#define TILENEST_RULE2(name, primitive)                                    \
  template <class A> auto name(A &a, typename A::Value x, typename A::Value y) { \
    return a.apply(Primitive::primitive, x, y);                            \
  }
TILENEST_RULE2(add, add)
TILENEST_RULE2(sub, sub)
TILENEST_RULE2(mul, mul)
TILENEST_RULE2(div, div)
TILENEST_RULE2(rem, rem)
TILENEST_RULE2(floordiv, floordiv)
TILENEST_RULE2(mod, mod)
TILENEST_RULE1(neg, neg)
TILENEST_RULE1(abs, abs)
TILENEST_RULE2(min, min)
TILENEST_RULE2(max, max)
TILENEST_RULE2(minnum, minnum)
TILENEST_RULE2(maxnum, maxnum)
TILENEST_RULE1(sqrt, sqrt)
TILENEST_RULE1(floor, floor)
TILENEST_RULE1(ceil, ceil)
TILENEST_RULE1(trunc, trunc)
TILENEST_RULE1(round, round_even)
TILENEST_RULE1(exp, exp)
TILENEST_RULE1(exp2, exp2)
TILENEST_RULE1(expm1, expm1)
TILENEST_RULE1(log, log)
TILENEST_RULE1(log2, log2)
TILENEST_RULE1(log1p, log1p)
TILENEST_RULE1(sin, sin)
TILENEST_RULE1(cos, cos)
TILENEST_RULE1(tan, tan)
TILENEST_RULE1(tanh, tanh)
TILENEST_RULE1(sinh, sinh)
TILENEST_RULE1(cosh, cosh)
TILENEST_RULE1(erf, erf)
TILENEST_RULE1(rsqrt, rsqrt)
TILENEST_RULE2(pow, pow)
TILENEST_RULE2(eq, eq)
TILENEST_RULE2(ne, ne)
TILENEST_RULE2(lt, lt)
TILENEST_RULE2(le, le)
TILENEST_RULE2(gt, gt)
TILENEST_RULE2(ge, ge)
TILENEST_RULE2(bit_and, bit_and)
TILENEST_RULE2(bit_or, bit_or)
TILENEST_RULE2(bit_xor, bit_xor)
TILENEST_RULE1(bit_not, bit_not)
TILENEST_RULE2(shl, shl)
TILENEST_RULE2(shr, shr)
TILENEST_RULE1(is_nan, is_nan)
#undef TILENEST_RULE1
#undef TILENEST_RULE2

template <class A> auto fma(A &a, typename A::Value x, typename A::Value y, typename A::Value z) {
  return a.apply(Primitive::fma, x, y, z);
}
// rule: VAL-MARK -- `select` passes on only the selected arm's mark.
template <class A> auto ite(A &a, typename A::Value c, typename A::Value x, typename A::Value y) {
  return a.apply(Primitive::select, c, x, y);
}
template <class A> auto cast(A &a, typename A::Value x) { return a.convert(Primitive::cast, x); }
template <class A> auto cast_sat(A &a, typename A::Value x) { return a.convert(Primitive::cast_sat, x); }
template <class A> auto bitcast(A &a, typename A::Value x) { return a.convert(Primitive::bitcast, x); }

// Applies the rule of `kind` to its operands.
template <class A> typename A::Value elementwise(A &a, OpKind kind, std::span<const typename A::Value> x) {
  switch (kind) {
#define TILENEST_ARGS_1 x[0]
#define TILENEST_ARGS_2 x[0], x[1]
#define TILENEST_ARGS_3 x[0], x[1], x[2]
#define ELEMENTWISE(name, spelling, arity, ...) \
  case OpKind::name: return rules::name(a, TILENEST_ARGS_##arity);
#include "semantics/ops.def"
#undef TILENEST_ARGS_1
#undef TILENEST_ARGS_2
#undef TILENEST_ARGS_3
  default: return typename A::Value{};
  }
}

} // namespace tilenest::rules
