// SPDX-License-Identifier: Apache-2.0
// The tables of foreign words.
#include "semantics/text/hints.h"
#include "semantics/support/scalar_type.h"
#include "semantics/text/scope.h"

namespace tilenest::text {

namespace {
struct Foreign {
  std::string_view word, here;
};
constexpr Foreign types[] = {
    {"float", "f32"},   {"float32", "f32"},   {"fp32", "f32"},  {"single", "f32"},  {"double", "f64"},
    {"float64", "f64"}, {"fp64", "f64"},      {"half", "f16"},  {"float16", "f16"}, {"fp16", "f16"},
    {"bfloat", "bf16"}, {"bfloat16", "bf16"}, {"int", "i32"},   {"int32", "i32"},   {"int32_t", "i32"},
    {"long", "i64"},    {"int64", "i64"},     {"int64_t", "i64"}, {"short", "i16"}, {"int16", "i16"},
    {"int16_t", "i16"}, {"int8", "i8"},       {"int8_t", "i8"}, {"s8", "i8"},       {"s16", "i16"},
    {"s32", "i32"},     {"s64", "i64"},       {"uint", "u32"},  {"unsigned", "u32"}, {"uint32", "u32"},
    {"uint32_t", "u32"}, {"uint64", "u64"},   {"uint64_t", "u64"}, {"uint16", "u16"}, {"uint16_t", "u16"},
    {"uint8", "u8"},    {"uint8_t", "u8"},    {"byte", "u8"},   {"boolean", "bool"}};
constexpr std::string_view statement_words[] = {"axis", "dims", "parallel", "serial", "pipeline", "reduce", "stage",
                                                "if", "switch", "while", "sync", "assert"};

std::string_view foreign_type(std::string_view word) {
  for (const Foreign &f : types)
    if (f.word == word) return f.here;
  return {};
}
std::string did_you_mean(std::string_view word) { return "did you mean `" + std::string(word) + "`?"; }
} // namespace

std::string type_help(std::string_view word) {
  if (const std::string_view here = foreign_type(word); !here.empty()) return did_you_mean(here);
  std::vector<std::string> names;
  std::string list;
  for (int i = 0; i < scalar_type_count; ++i) {
    names.emplace_back(to_string(static_cast<ScalarType>(i)));
    list += (i == 0 ? "`" : ", `") + names.back() + "`";
  }
  for (const Foreign &f : types) names.emplace_back(f.word);
  const std::string near = nearest_spelling(std::string(word), names);
  if (const std::string_view here = foreign_type(near); !here.empty()) return did_you_mean(here);
  return near.empty() ? "the element types are " + list : did_you_mean(near);
}

std::string statement_help(std::string_view word) {
  if (word == "for" || word == "foreach" || word == "loop")
    return "`serial i in [N] { }` runs in order, `parallel p in [N] { }` in any order";
  if (word == "let" || word == "var" || word == "const" || word == "auto")
    return "the first assignment declares a variable: `x = 0`";
  if (word == "elif" || word == "elseif" || word == "elsif") return "write `else if`";
  if (word == "return") return "a kernel has no result: it stores to an `out` or `mut` argument";
  const std::vector<std::string> words(std::begin(statement_words), std::end(statement_words));
  const std::string near = nearest_spelling(std::string(word), words);
  return near.empty() ? "" : did_you_mean(near);
}

std::string call_help(std::string_view word) {
  if (word == "where" || word == "ternary" || word == "if_then_else")
    return "`ite(c, a, b)` is `a` where `c` holds and `b` elsewhere";
  if (word == "l1_loss") return "`mae_loss(x, y)` is the mean of |x - y|";
  if (const std::string_view here = foreign_type(word); !here.empty())
    return "`cast(x, " + std::string(here) + ")` converts a value";
  return {};
}

} // namespace tilenest::text
