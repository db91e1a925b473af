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

// log(sum of exp(x)) along the dims, without overflow (normalise.cpp).
ValueId log_sum_exp(Call &c, ValueId x, std::span<const DimId> dims);

} // namespace tilenest::library
