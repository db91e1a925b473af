// SPDX-License-Identifier: Apache-2.0
// Compositions of core operations that both front ends offer by name. Each captures through Builder; a
// program holds the expansion only. Nothing here is an operation of the table.
#pragma once
#include "semantics/program/builder.h"
#include <span>
#include <string_view>

namespace tilenest::library {

struct Function {
  const char *name;
  int values;                // leading tiles
  int least_dims, most_dims; // then dims
  ValueId (*build)(Builder &, std::span<const ValueId>, std::span<const DimId>);
  const char *arguments;     // for messages: "a tile and a dim"
  const char *summary;
};
std::span<const Function> functions();
const Function *find(std::string_view name);

ValueId relu(Builder &b, ValueId x);               // max(x, 0); NaN stays
ValueId sigmoid(Builder &b, ValueId x);            // 1 / (1 + exp(-x))
ValueId silu(Builder &b, ValueId x);               // x * sigmoid(x)
ValueId gelu(Builder &b, ValueId x);               // x / 2 * (1 + erf(x / sqrt(2)))
ValueId gelu_tanh(Builder &b, ValueId x);          // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
ValueId softmax(Builder &b, ValueId x, DimId dim); // exp(x - max) / sum of it along dim
// Rank 2 by rank 2, by position: the columns of a with the rows of b. Accumulates in f32 for narrower floats,
// i32 for narrower integers, else in the inputs' type. The result has a's row dim and b's column dim where
// these differ, else the positional dims.
ValueId matmul(Builder &b, ValueId left, ValueId right);

} // namespace tilenest::library
