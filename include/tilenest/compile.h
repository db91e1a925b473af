// SPDX-License-Identifier: Apache-2.0
// A captured kernel as machine code: `auto kernel = compile(program); kernel->operator()(array(a, M, K), array(c, M, N));`
// Arrays are spans, pointers with extents or strides, Eigen's matrices and maps: <tilenest/run.h>.
#pragma once
#include "compile/compiled_kernel.h"
#include "lower/cpu/load.h"
#include <tilenest/run.h>

#ifdef TILENEST_CPU_MODULE // find_package knows where the engine was installed
namespace tilenest::cpu {
inline const bool installed_module_known = (add_module_place(TILENEST_CPU_MODULE), true);
} // namespace tilenest::cpu
#endif
