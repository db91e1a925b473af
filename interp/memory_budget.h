// SPDX-License-Identifier: Apache-2.0
// How much memory the values of a run may take where the caller sets no limit. Debian overcommits: an allocation
// that cannot be served succeeds, and the process is killed when it touches the pages; a limit is an error instead.
#pragma once
#include <cstddef>

namespace tilenest {

// Three quarters of the machine's memory, or of this process's control group where that is less. In bytes.
std::size_t default_memory_limit();

} // namespace tilenest
