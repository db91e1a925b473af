// SPDX-License-Identifier: Apache-2.0
// Reports of interference whose earlier access stands in a serial loop: the same run once more says in which round it
// was.
#pragma once
#include "cli/argument_source.h"
#include "interp/earlier_accesses.h"
#include <optional>

namespace tilenest::cli {

// `seen`: what the run that gave these diagnostics has collected; nullopt: it has not, and one more run does. The files
// of -i are read again.
void say_where_earlier(Diagnostics &diagnostics, const Program &program, const RunArguments &options,
                       std::optional<EarlierAccesses> seen = std::nullopt);

} // namespace tilenest::cli
