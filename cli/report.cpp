// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error.
#include "cli/report.h"
#include "cli/commands.h"
#include "semantics/diag/render.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tilenest::cli {

namespace {
int first_write_error = 0;
}

void print_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && first_write_error == 0)
    first_write_error = errno;
}

void print_err(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int report_text(const Diagnostics &diagnostics) {
  if (diagnostics.empty()) return 0;
  const char *no_color = std::getenv("NO_COLOR");
  TextStyle style;
  style.color = isatty(STDERR_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
  std::fflush(stdout);
  print_err(render_text(diagnostics, style));
  return exit_status(diagnostics);
}

int report_json(const char *schema, const Json &body, const Diagnostics &diagnostics, int otherwise) {
  const int status = exit_status(diagnostics) != 0 ? exit_status(diagnostics) : otherwise;
  Json document;
  document["schema"] = schema;
  document["exit_status"] = status;
  for (const auto &[key, value] : body.items()) document[key] = value;
  document["diagnostics"] = Json::parse(to_json(diagnostics, -1)).at("diagnostics");
  print_out(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return status;
}

int usage_error(std::string_view message, std::string_view hint) {
  print_err("tilenest: " + std::string(message) + "\n  = help: " + std::string(hint) + "\n");
  return status_usage;
}

int finish_output(int status) {
  if (std::fflush(stdout) != 0 && first_write_error == 0) first_write_error = errno;
  if (first_write_error == 0 || first_write_error == EPIPE) return status;
  print_err("tilenest: cannot write standard output: " + std::string(std::strerror(first_write_error)) + "\n");
  return status == 0 ? 2 : status;
}

} // namespace tilenest::cli
