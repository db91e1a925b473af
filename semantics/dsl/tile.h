// SPDX-License-Identifier: Apache-2.0
// Tile<T>: a device value with identity (VAL-OWN). A declaration, a copy and a parameter by value make new
// identities; `=` and `+=` define the same one again. Scalar<T> is a tile of rank 0. Operators only; the
// functions stand in functions.h.
#pragma once
#include "semantics/dsl/capture.h"
#include "semantics/dsl/element.h"
#include "semantics/dsl/extents.h"

namespace tilenest {

template <Element T> using Scalar = Tile<T>;
class Index;
class Domain;

// One variable of one capture.
class TileIdentity {
public:
  explicit TileIdentity(ValueId definition); // declares a variable
  ~TileIdentity();
  // The current definition.
  ValueId read() const;
  DimId dim(std::size_t axis) const;
  ExtentExpr extent_of_axis(std::size_t axis) const;
  std::size_t rank() const;
  VarId variable() const { return var_; }

protected:
  void assign(ValueId definition, std::source_location where);

  VarId var_;
  ScalarType element_;
  std::uint32_t generation_;
};

// An operand of any element type, with its place: a tile, a host number, an extent, a rank-1 index().
struct AnyArg {
  Operand operand;
  std::source_location where;

  template <Element T>
  AnyArg(const Tile<T> &tile, std::source_location w = std::source_location::current())
      : operand((Capture::at(w), tile.read())), where(w) {}
  template <HostNumber N>
  AnyArg(N number, std::source_location w = std::source_location::current())
      : operand(literal(number)), where(w) {}
  AnyArg(const Extent &extent, std::source_location w = std::source_location::current())
      : operand(extent), where(w) {}
  AnyArg(const Index &index, std::source_location w = std::source_location::current());

  template <HostNumber N> static Operand literal(N number) {
    if constexpr (std::integral<N>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<double>(number);
  }
};

// An operand that meets element type T: a literal takes T (NUM-LIT), a tile has it already.
template <Element T> struct Arg : AnyArg {
  Arg(const Tile<T> &tile, std::source_location w = std::source_location::current()) : AnyArg(tile, w) {}
  template <HostNumber N>
  requires(std::integral<N> || FloatElement<T>)
      Arg(N number, std::source_location w = std::source_location::current())
      : AnyArg(number, w) {}
  Arg(const Extent &extent,
      std::source_location w = std::source_location::current()) requires std::same_as<T, i64>
      : AnyArg(extent, w) {}
  Arg(const Index &index,
      std::source_location w = std::source_location::current()) requires std::same_as<T, i64>
      : AnyArg(index, w) {}
};

namespace dsl {
struct Defined {}; // tag: a tile of a value that was just captured
ValueId elementwise(OpKind kind, std::source_location where, std::initializer_list<Operand> operands);
ValueId scalar(ScalarType type, const Operand &operand, std::source_location where);
TileIdentity copied(const TileIdentity &other, std::source_location where);
template <class T> struct MaskOf { using type = Tile<bool>; };
template <class T> using Mask = typename MaskOf<T>::type;
} // namespace dsl

// The operators of one element type, found by argument lookup from tiles and from index().
template <class T> struct TileOperators {
#define TILENEST_BINARY(symbol, kind, result, constraint)                                                    \
  friend result operator symbol(Arg<T> a, Arg<T> b) requires constraint<T> {                                 \
    return result(dsl::Defined{}, dsl::elementwise(OpKind::kind, a.where, {a.operand, b.operand}));          \
  }
  TILENEST_BINARY(+, add, Tile<T>, NumericElement)
  TILENEST_BINARY(-, sub, Tile<T>, NumericElement)
  TILENEST_BINARY(*, mul, Tile<T>, NumericElement)
  TILENEST_BINARY(/, div, Tile<T>, NumericElement)
  TILENEST_BINARY(%, rem, Tile<T>, IntegerElement)
  TILENEST_BINARY(<<, shl, Tile<T>, IntegerElement)
  TILENEST_BINARY(>>, shr, Tile<T>, IntegerElement)
  TILENEST_BINARY(&, bit_and, Tile<T>, BitElement)
  TILENEST_BINARY(|, bit_or, Tile<T>, BitElement)
  TILENEST_BINARY(^, bit_xor, Tile<T>, BitElement)
  TILENEST_BINARY(==, eq, dsl::Mask<T>, ComputedElement)
  TILENEST_BINARY(!=, ne, dsl::Mask<T>, ComputedElement)
  TILENEST_BINARY(<, lt, dsl::Mask<T>, NumericElement)
  TILENEST_BINARY(<=, le, dsl::Mask<T>, NumericElement)
  TILENEST_BINARY(>, gt, dsl::Mask<T>, NumericElement)
  TILENEST_BINARY(>=, ge, dsl::Mask<T>, NumericElement)
#undef TILENEST_BINARY
#define TILENEST_UNARY(symbol, kind, constraint)                                                             \
  friend Tile<T> operator symbol(Arg<T> a) requires constraint<T> {                                          \
    return Tile<T>(dsl::Defined{}, dsl::elementwise(OpKind::kind, a.where, {a.operand}));                    \
  }
  TILENEST_UNARY(-, neg, NumericElement)
  TILENEST_UNARY(~, bit_not, BitElement)
#undef TILENEST_UNARY
  // Takes the tile itself, because the built-in `!` converts, too; so it has the place of the statement
  // before.
  friend Tile<T> operator!(const Tile<T> &a) requires BitElement<T> {
    const Operand x[] = {a.read()};
    return Tile<T>(dsl::Defined{}, Capture::here().builder().elementwise(OpKind::bit_not, x));
  }
};

template <Element T> class Tile : public TileIdentity, public TileOperators<T> {
public:
  using element = T;

  Tile(dsl::Defined, ValueId definition) : TileIdentity(definition) {}
  // rule: VAL-OWN -- a copy is a new identity with the same definition.
  Tile(const Tile &other, std::source_location where = std::source_location::current())
      : TileIdentity(dsl::copied(other, where)) {}
  template <HostNumber N>
  requires(std::integral<N> || FloatElement<T>)
      Tile(N number, std::source_location where = std::source_location::current())
      : TileIdentity(dsl::scalar(element_type<T>, AnyArg::literal(number), where)) {}

  // Never viable: assignments go through the one below, which knows its line. Only a variable can be assigned:
  // `Y[origin, shape] = x` would change a value that nobody keeps; writing is `Y(origin, shape).store(x)`.
  Tile &operator=(const Tile &) &requires(!std::same_as<T, T>);
  Tile &operator=(Arg<T> value) & {
    assign(dsl::scalar(element_type<T>, value.operand, value.where), value.where);
    return *this;
  }
  Tile &operator=(Arg<T>) && = delete; // nobody keeps this value: assign a variable, or write with .store(tile)
#define TILENEST_COMPOUND(symbol, kind, constraint)                                                          \
  Tile &operator symbol(Arg<T> value) &requires constraint<T> {                                              \
    assign(dsl::elementwise(OpKind::kind, value.where, {read(), value.operand}), value.where);               \
    return *this;                                                                                            \
  }                                                                                                          \
  Tile &operator symbol(Arg<T>) && = delete; // nobody keeps this value: write with .store(tile)
  TILENEST_COMPOUND(+=, add, NumericElement)
  TILENEST_COMPOUND(-=, sub, NumericElement)
  TILENEST_COMPOUND(*=, mul, NumericElement)
  TILENEST_COMPOUND(/=, div, NumericElement)
  TILENEST_COMPOUND(%=, rem, IntegerElement)
  TILENEST_COMPOUND(<<=, shl, IntegerElement)
  TILENEST_COMPOUND(>>=, shr, IntegerElement)
  TILENEST_COMPOUND(&=, bit_and, BitElement)
  TILENEST_COMPOUND(|=, bit_or, BitElement)
  TILENEST_COMPOUND(^=, bit_xor, BitElement)
#undef TILENEST_COMPOUND

  explicit operator bool() const = delete; // a device value has no truth on the host: use if_, while_ or ite

  template <std::size_t I> DimId dim() const { return TileIdentity::dim(I); }
  template <std::size_t I> ExtentExpr extent() const { return extent_of_axis(I); }
  // The axes of these dims with this tile's extents, as a domain: `nest.reduce(x.domain(k))`.
  Domain domain(DimList dims, std::source_location where = std::source_location::current()) const;
  // This tile at the coordinates of a scope over some of its dims; its other dims stay.
  Tile at(const ScopeHandle &scope, std::source_location where = std::source_location::current()) const;
};

// There is no implicit conversion between element types (NUM-LIT); the type's name is what a compiler shows.
struct element_types_differ_write_cast;
#define TILENEST_MIXED(symbol)                                                                               \
  template <Element A, Element B>                                                                            \
  requires(!std::same_as<A, B>)                                                                              \
  element_types_differ_write_cast operator symbol(const Tile<A> &, const Tile<B> &) = delete;
TILENEST_MIXED(+)
TILENEST_MIXED(-)
TILENEST_MIXED(*)
TILENEST_MIXED(/)
TILENEST_MIXED(%)
TILENEST_MIXED(<<)
TILENEST_MIXED(>>)
TILENEST_MIXED(&)
TILENEST_MIXED(|)
TILENEST_MIXED(^)
TILENEST_MIXED(==)
TILENEST_MIXED(!=)
TILENEST_MIXED(<)
TILENEST_MIXED(<=)
TILENEST_MIXED(>)
TILENEST_MIXED(>=)
#undef TILENEST_MIXED

} // namespace tilenest
