// SPDX-License-Identifier: Apache-2.0
// The C++ surface of tilenest, for C++20 and C++23: everything that a kernel's author writes.
#pragma once
// The table of operations uses these names; a test framework may have macros of the same name.
#pragma push_macro("ELEMENTWISE")
#undef ELEMENTWISE
#pragma push_macro("INDEX_MAP")
#undef INDEX_MAP
#pragma push_macro("GENERATE")
#undef GENERATE
#pragma push_macro("REDUCE")
#undef REDUCE
#pragma push_macro("CONTRACT")
#undef CONTRACT
#pragma push_macro("MEMORY")
#undef MEMORY
#pragma push_macro("CONTROL")
#undef CONTROL
#pragma push_macro("META")
#undef META
#include "semantics/dsl/control.h"
#include "semantics/dsl/functions.h"
#include "semantics/dsl/kernel.h"
#include "semantics/dsl/library.h"
#include "semantics/dsl/library_windows.h"
#include "semantics/dsl/scopes.h"
#pragma pop_macro("ELEMENTWISE")
#pragma pop_macro("INDEX_MAP")
#pragma pop_macro("GENERATE")
#pragma pop_macro("REDUCE")
#pragma pop_macro("CONTRACT")
#pragma pop_macro("MEMORY")
#pragma pop_macro("CONTROL")
#pragma pop_macro("META")
