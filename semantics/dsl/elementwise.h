// SPDX-License-Identifier: Apache-2.0
// The elementwise functions, one per named row of ops.def: a new row is a new function. Operators stand in
// tile.h.
#pragma once
#include "semantics/dsl/domain.h"

namespace tilenest {

namespace dsl {
template <class A> struct MetBy { using type = void; };
template <Element T> struct MetBy<Tile<T>> { using type = T; };
template <> struct MetBy<Index> { using type = i64; };
template <class A, class... Rest> struct FirstMet { using type = typename MetBy<A>::type; };
template <class A, class B, class... Rest>
requires std::same_as < typename MetBy<A>::type,
void > struct FirstMet<A, B, Rest...> : FirstMet<B, Rest...> {};
// The element type that the tiles among the operands have; void if there is no tile.
template <class... A> using Met = typename FirstMet<A...>::type;

template <class A>
concept DeviceOperand = !HostNumber<A>;
template <class A, class T>
concept Meets = std::constructible_from < Arg<T>,
const A &, std::source_location > ;

template <class T> constexpr bool admits(OpOperands c) {
  switch (c) {
  case OpOperands::numeric:
    return NumericElement<T>;
  case OpOperands::integer:
    return IntegerElement<T>;
  case OpOperands::signed_numeric:
    return FloatElement<T> || (ComputedElement<T> && is_signed(element_type<T>));
  case OpOperands::floating:
    return FloatElement<T>;
  case OpOperands::bool_or_int:
    return BitElement<T>;
  case OpOperands::any:
    return ComputedElement<T>;
  default: // of library functions
    return false;
  }
  return false;
}
// Operands of one elementwise operation: one element type, which it admits.
template <OpKind Kind, class... A>
concept OperandsOf =
    Element<Met<A...>> &&(Meets<A, Met<A...>> &&...) && admits<Met<A...>>(info(Kind).operands);

template <OpKind Kind, class... A> auto apply(std::source_location where, const A &...a) {
  using T = Met<A...>;
  using R = std::conditional_t<info(Kind).result == OpResult::boolean, bool, T>;
  return Tile<R>(Defined{}, elementwise(Kind, where, {Arg<T>(a, where).operand...}));
}
template <class A, class B> auto choose(const Arg<bool> &condition, const A &a, const B &b) {
  using T = Met<A, B>;
  const std::source_location where = condition.where;
  return Tile<T>(Defined{},
                 elementwise(OpKind::ite, where,
                             {condition.operand, Arg<T>(a, where).operand, Arg<T>(b, where).operand}));
}
ValueId cast(OpKind kind, ScalarType type, const AnyArg &x);
} // namespace dsl

// --- elementwise: one function per named row of ops.def; reducers are objects, to be passed by name ---

// Numbers come by value: a local constant of the host needs no capture by the lambda that uses it.
#define TILENEST_BINARY_FORMS(kind, name, suffix)                                                            \
  template <dsl::DeviceOperand A, dsl::DeviceOperand B>                                                      \
  requires dsl::OperandsOf<kind, A, B>                                                                       \
  auto name(const A &a, const B &b, std::source_location where = std::source_location::current()) suffix {   \
    return dsl::apply<kind>(where, a, b);                                                                    \
  }                                                                                                          \
  template <dsl::DeviceOperand A, HostNumber B>                                                              \
  requires dsl::OperandsOf<kind, A, B>                                                                       \
  auto name(const A &a, B b, std::source_location where = std::source_location::current()) suffix {          \
    return dsl::apply<kind>(where, a, b);                                                                    \
  }                                                                                                          \
  template <HostNumber A, dsl::DeviceOperand B>                                                              \
  requires dsl::OperandsOf<kind, A, B>                                                                       \
  auto name(A a, const B &b, std::source_location where = std::source_location::current()) suffix {          \
    return dsl::apply<kind>(where, a, b);                                                                    \
  }

template <OpKind Kind, Reducer R> struct ReducerFunction {
  static constexpr Reducer reducer = R;
  TILENEST_BINARY_FORMS(Kind, operator(), const)
};
inline constexpr ReducerFunction<OpKind::add, Reducer::add> add;
inline constexpr ReducerFunction<OpKind::mul, Reducer::mul> mul;
inline constexpr ReducerFunction<OpKind::min, Reducer::min> min;
inline constexpr ReducerFunction<OpKind::max, Reducer::max> max;
inline constexpr ReducerFunction<OpKind::minnum, Reducer::minnum> minnum;
inline constexpr ReducerFunction<OpKind::maxnum, Reducer::maxnum> maxnum;
inline constexpr ReducerFunction<OpKind::bit_and, Reducer::bit_and> bit_and;
inline constexpr ReducerFunction<OpKind::bit_or, Reducer::bit_or> bit_or;
inline constexpr ReducerFunction<OpKind::bit_xor, Reducer::bit_xor> bit_xor;

#define TILENEST_FUNCTION_1(name)                                                                            \
  template <class A>                                                                                         \
  requires dsl::OperandsOf<OpKind::name, A>                                                                  \
  auto name(const A &a, std::source_location where = std::source_location::current()) {                      \
    return dsl::apply<OpKind::name>(where, a);                                                               \
  }
#define TILENEST_FUNCTION_2(name) TILENEST_BINARY_FORMS(OpKind::name, name, )
#define TILENEST_FUNCTION_3(name)                                                                            \
  template <class A, class B, class C>                                                                       \
  requires dsl::OperandsOf<OpKind::name, A, B, C>                                                            \
  auto name(const A &a, const B &b, const C &c,                                                              \
            std::source_location where = std::source_location::current()) {                                  \
    return dsl::apply<OpKind::name>(where, a, b, c);                                                         \
  }
// Rows that have their own declaration in this file.
#define TILENEST_DECLARED_add ,
#define TILENEST_DECLARED_mul ,
#define TILENEST_DECLARED_min ,
#define TILENEST_DECLARED_max ,
#define TILENEST_DECLARED_minnum ,
#define TILENEST_DECLARED_maxnum ,
#define TILENEST_DECLARED_bit_and ,
#define TILENEST_DECLARED_bit_or ,
#define TILENEST_DECLARED_bit_xor ,
#define TILENEST_DECLARED_ite ,
#define TILENEST_DECLARED_cast ,
#define TILENEST_DECLARED_cast_sat ,
#define TILENEST_DECLARED_bitcast ,
#define TILENEST_NOTHING(name)
#define TILENEST_THIRD(a, b, c, ...) c
#define TILENEST_PICK(...) TILENEST_THIRD(__VA_ARGS__)
#define ELEMENTWISE(name, spelling, arity, operands, result, summary)                                        \
  TILENEST_PICK(TILENEST_DECLARED_##name TILENEST_NOTHING, TILENEST_NOTHING, TILENEST_FUNCTION_##arity, )    \
  (name)
#include "semantics/ops.def"
#undef TILENEST_PICK
#undef TILENEST_THIRD
#undef TILENEST_NOTHING
#undef TILENEST_FUNCTION_1
#undef TILENEST_FUNCTION_2
#undef TILENEST_FUNCTION_3
#undef TILENEST_BINARY_FORMS

// a where the condition holds, else b: one element type, of any kind.
template <dsl::DeviceOperand A, dsl::DeviceOperand B>
requires dsl::OperandsOf<OpKind::ite, A, B>
auto ite(Arg<bool> condition, const A &a, const B &b) { return dsl::choose(condition, a, b); }
template <dsl::DeviceOperand A, HostNumber B>
requires dsl::OperandsOf<OpKind::ite, A, B>
auto ite(Arg<bool> condition, const A &a, B b) { return dsl::choose(condition, a, b); }
template <HostNumber A, dsl::DeviceOperand B>
requires dsl::OperandsOf<OpKind::ite, A, B>
auto ite(Arg<bool> condition, A a, const B &b) { return dsl::choose(condition, a, b); }

template <Element T> Tile<T> cast(AnyArg x) {
  return {dsl::Defined{}, dsl::cast(OpKind::cast, element_type<T>, x)};
}
template <Element T>
requires(!std::same_as<T, bool>) Tile<T> cast_sat(AnyArg x) {
  return {dsl::Defined{}, dsl::cast(OpKind::cast_sat, element_type<T>, x)};
}
template <NumericElement T, NumericElement U>
requires(bit_width(element_type<T>) == bit_width(element_type<U>)) Tile<T> bitcast(
    const Tile<U> &x, std::source_location where = std::source_location::current()) {
  return {dsl::Defined{}, dsl::cast(OpKind::bitcast, element_type<T>, AnyArg(x, where))};
}

} // namespace tilenest
