// SPDX-License-Identifier: Apache-2.0
// The families of the library; each is defined in the file of its name. Also what one family lends another.
#pragma once
#include "semantics/library/call.h"

namespace tilenest::library {

Family activation();
Family normalise();
Family contract();
Family order();
Family choose();
Family loss();
Family scan();
Family data();
Family random();
Family quantisation();
Family einsum();
Family convolve();
Family shape();

// What sums of products accumulate in: f32 for narrower floats, i32 for narrower integers (contract.cpp).
ScalarType accumulator(ScalarType t);
// The dims where they are distinct, else the dims that are shared by position (contract.cpp).
std::vector<DimId> result_dims(Call &c, std::vector<DimId> wanted);

// log(sum of exp(x)) along the dims, without overflow (normalise.cpp).
ValueId log_sum_exp(Call &c, ValueId x, std::span<const DimId> dims);
// The sum along the dims over the number of points there (normalise.cpp).
ValueId average(Call &c, ValueId x, std::span<const DimId> dims);
// A tile in the type that is computed in, f32 for narrower floats; and a result of that type rounded once to
// the type of the call's argument (normalise.cpp).
ValueId widened(Call &c, std::string_view argument);
std::vector<ValueId> rounded(Call &c, ValueId result, std::string_view argument = "x");

constexpr OpOperands floats = OpOperands::floating;
constexpr const char *rounded_steps = "composition: each step correctly rounded in the type of x, sums in any grouping; f16, bf16 "
                                      "and f8 in f32, rounded once at the end";

} // namespace tilenest::library
