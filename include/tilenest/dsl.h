// SPDX-License-Identifier: Apache-2.0
// The C++ surface of tilenest, for C++20 and C++23: everything that a kernel's author writes.
#pragma once
#include "semantics/dsl/control.h"
#include "semantics/dsl/functions.h"
#include "semantics/dsl/kernel.h"
#include "semantics/dsl/scopes.h"
