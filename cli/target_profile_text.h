// SPDX-License-Identifier: Apache-2.0
// Target profiles by name: `ieee`, `cpu`, or a file.
#pragma once
#include "semantics/numerics/target_profile.h"

namespace tilenest::cli {

// Errors: an unreadable file, P1201.
Result<TargetProfile> load_profile(const std::string &target);

} // namespace tilenest::cli
