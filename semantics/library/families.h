// SPDX-License-Identifier: Apache-2.0
// The families of the library; each is defined in the file of its name.
#pragma once
#include "semantics/library/call.h"

namespace tilenest::library {

Family activation();
Family normalise();
Family contract();
Family order();

} // namespace tilenest::library
