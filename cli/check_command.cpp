// SPDX-License-Identifier: Apache-2.0
// tilenest check: all judgements, no run.
#include "cli/commands.h"
#include "cli/program_source.h"
#include "cli/report.h"
#include "semantics/program/bind.h"
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

const char *access_text(ArgumentAccess access) {
  return access == ArgumentAccess::in ? "in" : access == ArgumentAccess::mut ? "mut" : "out";
}

Json kernel_json(const TileProgram &p) {
  Json out;
  out["name"] = p.name;
  out["parameters"] = Json::array();
  for (const Param &param : p.params) out["parameters"].push_back(param.name);
  out["arguments"] = Json::array();
  for (ObjectId id : p.arguments) {
    const Object &object = p.objects[id];
    Json argument;
    argument["name"] = object.name;
    argument["access"] = access_text(object.access);
    argument["type"] = std::string(to_string(object.elem));
    argument["shape"] = Json::array();
    for (const Extent &e : object.shape) argument["shape"].push_back(p.extent_text(e));
    out["arguments"].push_back(std::move(argument));
  }
  return out;
}

} // namespace

int check_command(const CheckArguments &options) {
  LoadedFile file = load_file(options.file, options.kernel);
  std::vector<Program> kernels;
  if (!options.kernel.empty() && !has_error(file.diagnostics)) {
    const auto chosen = choose_kernel(file, options.kernel);
    if (const int *status = std::get_if<int>(&chosen)) return *status;
    kernels.push_back(std::get<Program>(chosen));
  } else {
    kernels = file.kernels;
  }
  // Without parameters the one binding is known, and what it decides is decided here.
  for (const Program &p : kernels) {
    if (!p->params.empty()) continue;
    const Result<BoundProgram> bound = tilenest::bind(p, {}, {});
    if (bound) continue;
    for (const Diagnostic &d : bound.errors()) file.diagnostics.push_back(d);
  }
  if (options.json) {
    Json body;
    body["kernels"] = Json::array();
    for (const Program &p : kernels) body["kernels"].push_back(kernel_json(*p));
    return report_json("tilenest-check-1", body, file.diagnostics);
  }
  if (!has_error(file.diagnostics))
    for (const Program &p : kernels) print_out(p->name + ": fine\n");
  return report_text(file.diagnostics);
}

} // namespace tilenest::cli
