// SPDX-License-Identifier: Apache-2.0
// ops.def as C++: the kinds, their forms and facts. No meaning stands here (see rules/).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilenest {

enum class Form : std::uint8_t { elementwise, index_map, generate, reduce, contract, memory, control, meta };

enum class OpKind : std::uint8_t {
#define ELEMENTWISE(name, ...) name,
#define INDEX_MAP(name, ...) name,
#define GENERATE(name, ...) name,
#define REDUCE(name, ...) name,
#define CONTRACT(name, ...) name,
#define MEMORY(name, ...) name,
#define CONTROL(name, ...) name,
#define META(name, ...) name,
#include "semantics/ops.def"
};

// Which element types an elementwise operation admits.
// Nothing computes in i4 and u4 (T0108): only `any` and `stored_numeric` hold them.
enum class OpOperands : std::uint8_t {
  none, numeric, integer, signed_numeric, floating, bool_or_int, any,
  boolean, computed, stored_numeric // of library functions: bool; any but i4 and u4; numbers, also i4 and u4
};
enum class OpResult : std::uint8_t { none, same, boolean, attribute };

struct OpInfo {
  const char *name;
  Form form;
  const char *spelling; // operator of the text language, or ""
  int arity;            // elementwise only, else 0
  OpOperands operands;
  OpResult result;
  const char *summary;
};

inline constexpr OpInfo op_table[] = {
#define ELEMENTWISE(name, spelling, arity, operands, result, summary) \
  {#name, Form::elementwise, spelling, arity, OpOperands::operands, OpResult::result, summary},
#define TILENEST_ROW(name, form, summary) {#name, form, "", 0, OpOperands::none, OpResult::none, summary},
#define INDEX_MAP(name, summary) TILENEST_ROW(name, Form::index_map, summary)
#define GENERATE(name, summary) TILENEST_ROW(name, Form::generate, summary)
#define REDUCE(name, summary) TILENEST_ROW(name, Form::reduce, summary)
#define CONTRACT(name, summary) TILENEST_ROW(name, Form::contract, summary)
#define MEMORY(name, summary) TILENEST_ROW(name, Form::memory, summary)
#define CONTROL(name, summary) TILENEST_ROW(name, Form::control, summary)
#define META(name, summary) TILENEST_ROW(name, Form::meta, summary)
#include "semantics/ops.def"
#undef TILENEST_ROW
};
inline constexpr int op_count = static_cast<int>(sizeof(op_table) / sizeof(op_table[0]));

constexpr const OpInfo &info(OpKind kind) { return op_table[static_cast<int>(kind)]; }

constexpr std::optional<OpKind> find_op(std::string_view name) {
  for (int i = 0; i < op_count; ++i)
    if (name == op_table[i].name) return static_cast<OpKind>(i);
  return std::nullopt;
}

} // namespace tilenest
