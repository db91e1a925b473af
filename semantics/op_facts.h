// SPDX-License-Identifier: Apache-2.0
// What the documentation says of a row of ops.def beside its summary: element types, how exact it is, and a kernel
// on one line that uses it. A test runs the kernels.
#pragma once
#include "semantics/op_table.h"
#include <string>

namespace tilenest {

const char *to_string(Form form);          // "index map"
const char *page_of(Form form);            // "index_map": its page in docs/operations
std::string operand_types(OpKind kind);    // "integers and floats"
std::string result_type(OpKind kind);      // "bool"
std::string rounding_class(OpKind kind);   // "correctly rounded"
std::string example_of(OpKind kind);       // "kernel k(X: f32[8], Y: out f32[8]) { ... }"

} // namespace tilenest
