// SPDX-License-Identifier: Apache-2.0
// The lists of words.
#include "semantics/text/words.h"
#include "semantics/library/function.h"
#include "semantics/op_table.h"
#include "semantics/support/scalar_type.h"
#include <algorithm>

namespace tilenest::text {

namespace {
constexpr std::string_view reserved[] = {
    "kernel", "axis",  "dims",  "parallel", "serial", "pipeline", "reduce", "if",    "else", "switch", "case", "default",
    "while",  "test",  "stage", "sync",     "memory", "zeros",    "true",   "false", "inf",  "nan",    "root", "where",
    "assert", "give", "_"};
constexpr std::string_view functions_and_policies[] = {
    "full", "per", "sum", "prod", "ceil_div", "extent", "assume", "predicate", "fallback", "none", "unordered_tree",
    "ordered_tree", "fold_left", "fold_right", "wide_accumulation", "allow_reassociation", "allow_contraction"};
constexpr std::string_view in_places[] = {
    "in", "out", "mut", "with", "at", "layout", "order", "strides", "offset", "infer", "zero", "stages", "ii",
    "max_in_flight", "contract", "associative", "identity", "merge", "index", "coord", "dim", "load", "store", "with_dims", "view_as", "xor", "anchor"};
template <std::size_t N> bool in(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}
} // namespace

bool reserved_word(std::string_view name) { return find_scalar_type(name).has_value() || in(reserved, name); }

bool word_of_language(std::string_view name) {
  return reserved_word(name) || in(functions_and_policies, name) || find_op(name) || library::find(name) || in(in_places, name) ||
         name.starts_with("reduce_") || name.starts_with("scatter") || name.starts_with("atomic_");
}

} // namespace tilenest::text
