// SPDX-License-Identifier: Apache-2.0
// What a command says: results on standard output, diagnostics on standard error, or both in one JSON document
// on standard output. Schemas: docs/cli.md.
#pragma once
#include "semantics/diag/diagnostic.h"
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace tilenest::cli {

using Json = nlohmann::ordered_json;

// Diagnostics as text on standard error, in colour on a terminal (not with NO_COLOR). Returns their exit status.
int report_text(const Diagnostics &diagnostics);

// One document on standard output: `schema`, `exit_status`, the members of `body`, `diagnostics`. Returns the
// exit status: that of the diagnostics, or `otherwise`.
int report_json(const char *schema, const Json &body, const Diagnostics &diagnostics, int otherwise = 0);

// A usage error found after the command line: message and hint on standard error. Returns 64.
int usage_error(std::string_view message, std::string_view hint);

void print_out(std::string_view text); // standard output
void print_err(std::string_view text); // standard error

// Flushes standard output. Where it could not be written (other than to a reader that went away), says so and
// turns status 0 into 2.
int finish_output(int status);

} // namespace tilenest::cli
