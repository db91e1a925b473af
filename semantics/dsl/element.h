// SPDX-License-Identifier: Apache-2.0
// The C++ names of the element types (NUM-TYPES): aliases where C++ has the type, storage-only structs where
// it does not. No arithmetic on the host.
#pragma once
#include "semantics/support/scalar_type.h"
#include <concepts>
#include <cstdint>

namespace tilenest {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct f8e4m3fn {
  std::uint8_t bits;
};
struct f8e5m2 {
  std::uint8_t bits;
};
// Two elements share a byte of storage (NUM-TYPES): these name the types, they hold no element.
struct i4;
struct u4;

template <class T> struct ElementOf; // undefined: T is no element type
template <> struct ElementOf<bool> { static constexpr ScalarType type = ScalarType::boolean; };
#define TILENEST_ELEMENT(name)                                                                               \
  template <> struct ElementOf<name> { static constexpr ScalarType type = ScalarType::name; };
TILENEST_ELEMENT(i8)
TILENEST_ELEMENT(i16)
TILENEST_ELEMENT(i32)
TILENEST_ELEMENT(i64)
TILENEST_ELEMENT(u8)
TILENEST_ELEMENT(u16)
TILENEST_ELEMENT(u32)
TILENEST_ELEMENT(u64)
TILENEST_ELEMENT(f16)
TILENEST_ELEMENT(bf16)
TILENEST_ELEMENT(f32)
TILENEST_ELEMENT(f64)
TILENEST_ELEMENT(f8e4m3fn)
TILENEST_ELEMENT(f8e5m2)
TILENEST_ELEMENT(i4)
TILENEST_ELEMENT(u4)
#undef TILENEST_ELEMENT

template <class T>
concept Element = requires {
  ElementOf<T>::type;
};
template <Element T> inline constexpr ScalarType element_type = ElementOf<T>::type;
// What operations compute in.
template <class T>
concept ComputedElement = Element<T> && !is_packed(element_type<T>);
template <class T>
concept NumericElement = ComputedElement<T> && !std::same_as<T, bool>;
template <class T>
concept IntegerElement = ComputedElement<T> && is_integer(element_type<T>);
template <class T>
concept FloatElement = Element<T> && is_float(element_type<T>);
template <class T>
concept BitElement = ComputedElement<T> && !is_float(element_type<T>);

// What the host may write as a literal: NUM-LIT makes it an i64 or an f64 before it meets a type.
template <class T>
concept HostNumber = std::integral<T> || std::floating_point<T>;

} // namespace tilenest
