// SPDX-License-Identifier: Apache-2.0
// tilenest check: all judgements; with --laws, trials of the laws of contracts.
#include "interp/laws.h"
#include "cli/commands.h"
#include "cli/program_source.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "semantics/diag/codes.h"
#include "semantics/program/bind.h"
#include <algorithm>
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

bool has_param(const TileProgram &p, const std::string &name) {
  return std::any_of(p.params.begin(), p.params.end(), [&](const Param &param) { return param.name == name; });
}

std::uint32_t line_of(const TileProgram &p, OpId op) { return p.site(p.ops[op].site).line; }

std::string laws_text(const TileProgram &p, const LawCheck &check) {
  std::string out;
  const auto place = [&](OpId op) { return p.name + ", line " + std::to_string(line_of(p, op)) + ": "; };
  for (const RecognisedReduce &r : check.recognised) {
    std::string merges;
    for (const auto &[state, merge] : r.merges) merges += (merges.empty() ? "" : ", ") + state + (merge.empty() ? " is folded in order" : " merges by " + merge);
    out += place(r.reduce) + "no contract; " + (merges.empty() ? "no states" : merges) + "; nothing to try\n";
  }
  for (const CheckedContract &c : check.contracts) {
    out += place(c.reduce) + c.text.substr(1, c.text.size() - 2) + "\n";
    if (!check.untried.empty() || c.tried() == 0) {
      out += "  not tried: " + (check.untried.empty() ? "no run reached it with a contribution" : check.untried) + "\n";
      continue;
    }
    for (std::size_t i = 0; i < contract_law_count; ++i) {
      const LawTally &t = c.laws[i];
      if (!c.commutative && static_cast<ContractLaw>(i) == ContractLaw::commutative) continue;
      std::string line = "  " + std::string(contract_law_names[i]);
      line.resize(18, ' ');
      out += line + (t.failure ? "broken" : t.tried == 0 ? "not tried: no run had enough contributions" : "no counterexample in " + std::to_string(t.tried - t.undecided) + " trials, not proved");
      if (t.undecided > 0) out += "; " + std::to_string(t.undecided) + " more undecided";
      out += "\n";
    }
  }
  return out;
}

Json failure_json(const LawFailure &f) {
  Json out = {{"operands", Json::array()}, {"left", f.left}, {"left_value", f.left_value}, {"right", f.right}, {"right_value", f.right_value}, {"element", f.element},
              {"exact", f.exact.empty() ? Json(nullptr) : Json(f.exact)}};
  for (const LawFailure::Operand &o : f.operands) out["operands"].push_back({{"name", o.name}, {"value", o.value}, {"from", o.from}});
  return out;
}

Json laws_json(const TileProgram &p, const LawCheck &check) {
  Json out = {{"kernel", p.name}, {"parameters", check.extents}, {"untried", check.untried.empty() ? Json(nullptr) : Json(check.untried)},
              {"recognised", Json::array()}, {"contracts", Json::array()}};
  for (const RecognisedReduce &r : check.recognised) {
    Json states = Json::object();
    for (const auto &[state, merge] : r.merges) states[state] = merge.empty() ? Json(nullptr) : Json(merge.substr(1, merge.size() - 2));
    out["recognised"].push_back({{"line", line_of(p, r.reduce)}, {"merges", std::move(states)}});
  }
  for (const CheckedContract &c : check.contracts) {
    Json laws = Json::array();
    for (std::size_t i = 0; i < contract_law_count; ++i) {
      const LawTally &t = c.laws[i];
      laws.push_back({{"law", std::string(contract_law_names[i])}, {"trials", t.tried}, {"undecided", t.undecided},
                      {"counterexample", t.failure ? failure_json(*t.failure) : Json(nullptr)}});
    }
    out["contracts"].push_back({{"line", line_of(p, c.reduce)}, {"contract", c.text.substr(1, c.text.size() - 2)}, {"laws", std::move(laws)}});
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
  for (const auto &[name, extent] : options.shape)
    if (!has_error(file.diagnostics) && std::none_of(kernels.begin(), kernels.end(), [&](const Program &p) { return has_param(*p, name); }))
      file.diagnostics.emplace_back(Code::T1003, Site{}, std::vector<std::pair<std::string, std::string>>{{"param", name}});
  std::vector<LawCheck> laws; // by kernel
  if (options.laws && !has_error(file.diagnostics))
    for (const Program &p : kernels) {
      const Progress progress("trying the laws of `" + p->name + "`", options.json);
      LawOptions law_options;
      for (const Param &param : p->params)
        if (const auto given = options.shape.find(param.name); given != options.shape.end()) law_options.extents.insert(*given);
      laws.push_back(check_laws(p, law_options));
    }
  for (const LawCheck &check : laws) file.diagnostics.insert(file.diagnostics.end(), check.diagnostics.begin(), check.diagnostics.end());
  if (options.json) {
    Json body;
    body["kernels"] = Json::array();
    for (const Program &p : kernels) body["kernels"].push_back(kernel_json(*p));
    body["laws"] = options.laws ? Json::array() : Json(nullptr);
    for (std::size_t i = 0; i < laws.size(); ++i) body["laws"].push_back(laws_json(*kernels[i], laws[i]));
    return report_json("tilenest-check-1", body, file.diagnostics);
  }
  if (options.laws)
    for (std::size_t i = 0; i < laws.size(); ++i) print_out(laws_text(*kernels[i], laws[i]));
  if (!has_error(file.diagnostics))
    for (const Program &p : kernels) print_out(p->name + ": fine\n");
  return report_text(file.diagnostics);
}

} // namespace tilenest::cli
