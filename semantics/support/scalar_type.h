// SPDX-License-Identifier: Apache-2.0
// The element types of NUM-TYPES: names, widths, kinds. Values and rounding live in numerics/.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilenest {

// rule: NUM-TYPES
// TYPE(enumerator, spelling, bits, kind): little-endian storage; bool takes one byte that is 0 or 1. Operations
// compute in these.
#define TILENEST_COMPUTED_TYPES(TYPE)                                                                         \
  TYPE(boolean, "bool", 8, boolean)                                                                          \
  TYPE(i8, "i8", 8, signed_int)                                                                              \
  TYPE(i16, "i16", 16, signed_int)                                                                           \
  TYPE(i32, "i32", 32, signed_int)                                                                           \
  TYPE(i64, "i64", 64, signed_int)                                                                           \
  TYPE(u8, "u8", 8, unsigned_int)                                                                            \
  TYPE(u16, "u16", 16, unsigned_int)                                                                         \
  TYPE(u32, "u32", 32, unsigned_int)                                                                         \
  TYPE(u64, "u64", 64, unsigned_int)                                                                         \
  TYPE(f16, "f16", 16, floating)                                                                             \
  TYPE(bf16, "bf16", 16, floating)                                                                           \
  TYPE(f32, "f32", 32, floating)                                                                             \
  TYPE(f64, "f64", 64, floating)                                                                             \
  TYPE(f8e4m3fn, "f8e4m3fn", 8, floating)                                                                    \
  TYPE(f8e5m2, "f8e5m2", 8, floating)
// Types of storage alone: two elements share a byte, the first in its low half. In a tile an element stands as
// one byte that holds its value. They are loaded, stored, moved and cast; nothing computes in them.
#define TILENEST_PACKED_TYPES(TYPE)                                                                          \
  TYPE(i4, "i4", 4, signed_int)                                                                              \
  TYPE(u4, "u4", 4, unsigned_int)
#define TILENEST_SCALAR_TYPES(TYPE)                                                                          \
  TILENEST_COMPUTED_TYPES(TYPE)                                                                              \
  TILENEST_PACKED_TYPES(TYPE)

enum class ScalarType : std::uint8_t {
#define TYPE(name, text, bits, kind) name,
  TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
};

enum class ScalarKind : std::uint8_t { boolean, signed_int, unsigned_int, floating };

constexpr int scalar_type_count = 17;

constexpr std::string_view to_string(ScalarType type) {
  constexpr std::string_view names[] = {
#define TYPE(name, text, bits, kind) text,
      TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
  };
  return names[static_cast<int>(type)];
}

constexpr int bit_width(ScalarType type) {
  constexpr int widths[] = {
#define TYPE(name, text, bits, kind) bits,
      TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
  };
  return widths[static_cast<int>(type)];
}

constexpr bool is_packed(ScalarType type) { return bit_width(type) < 8; }
// Bytes of one element where it stands alone: in a tile, a register, a literal.
constexpr std::size_t byte_size(ScalarType type) {
  return is_packed(type) ? 1 : static_cast<std::size_t>(bit_width(type)) / 8;
}
// Bytes of a run of elements in storage.
constexpr std::size_t storage_size(ScalarType type, std::size_t elements) {
  return is_packed(type) ? elements / 2 + elements % 2 : elements * byte_size(type);
}

constexpr ScalarKind kind_of(ScalarType type) {
  constexpr ScalarKind kinds[] = {
#define TYPE(name, text, bits, kind) ScalarKind::kind,
      TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
  };
  return kinds[static_cast<int>(type)];
}

constexpr bool is_float(ScalarType type) { return kind_of(type) == ScalarKind::floating; }
constexpr bool is_integer(ScalarType type) {
  return kind_of(type) == ScalarKind::signed_int || kind_of(type) == ScalarKind::unsigned_int;
}
constexpr bool is_signed(ScalarType type) { return kind_of(type) == ScalarKind::signed_int; }

constexpr std::optional<ScalarType> find_scalar_type(std::string_view name) {
#define TYPE(type, text, bits, kind) \
  if (name == text) return ScalarType::type;
  TILENEST_SCALAR_TYPES(TYPE)
#undef TYPE
  return std::nullopt;
}

} // namespace tilenest
