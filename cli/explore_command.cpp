// SPDX-License-Identifier: Apache-2.0
// tilenest explore: which outputs depend on the freedoms of a run, and the schedules that show it.
#include "interp/explore.h"
#include "interp/laws.h"
#include "cli/argument_source.h"
#include "cli/earlier_sites.h"
#include "cli/program_source.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

struct Explored {
  Exploration result;
  std::string kernel;
  Json parameters = Json::object();
  Diagnostics diagnostics;
  struct Output {
    std::string name;
    ScalarType type;
    std::vector<std::int64_t> shape;
    std::int64_t count;
  };
  std::vector<Output> outputs; // one for each of the result's
  // Why, where trials found it: laws of contracts that are broken. Tried where an output depends on the grouping.
  struct BrokenLaw {
    std::uint32_t line;
    std::string contract;
    ContractLaw law;
  };
  std::vector<BrokenLaw> broken;
};

std::string text_of(const Explored &e) {
  std::string out = std::to_string(e.result.runs) + (e.result.runs == 1 ? " run; " : " runs; ") +
                    (e.result.all ? "no output can have another value\n" : "outputs may have other values\n");
  if (!e.result.all && !e.result.unexplored.empty()) {
    std::string names;
    for (const std::string &name : e.result.unexplored) names += (names.empty() ? "" : ", ") + name;
    out += "enclosed, not all run: the freedoms of " + names + "\n";
  }
  for (std::size_t i = 0; i < e.outputs.size(); ++i) {
    const ExploredOutput &r = e.result.outputs[i];
    const Explored::Output &o = e.outputs[i];
    if (r.sensitive == 0 && r.open == 0) {
      out += o.name + ": the same in every admitted run\n";
      continue;
    }
    out += o.name + ": " + std::to_string(r.sensitive) + " of " + std::to_string(o.count) + " elements depend on a freedom";
    if (r.may > 0) out += ", " + std::to_string(r.may) + " more may";
    if (r.open > 0 && r.open < r.sensitive + r.may) out += "; all values of " + std::to_string(r.sensitive + r.may - r.open) + " are known";
    out += "\n";
    if (!r.widest) continue;
    const SensitiveElement &w = *r.widest;
    out += "  " + o.name + index_text(o.shape, w.index) + ": " + (w.exact ? "" : "at least ") + std::to_string(w.values) + " values";
    if (w.enclosure) out += ", all in [" + scalar_text(o.type, w.enclosure->low) + ", " + scalar_text(o.type, w.enclosure->high) + "]" + (w.enclosure->nan ? " or nan" : "");
    out += "\n";
    if (!w.low) continue;
    out += "    least    " + scalar_text(o.type, *w.low) + "  --schedule " + w.low_schedule + "\n";
    out += "    greatest " + scalar_text(o.type, *w.high) + "  --schedule " + w.high_schedule + "\n";
  }
  for (const Explored::BrokenLaw &b : e.broken)
    out += "line " + std::to_string(b.line) + ": " + b.contract + " breaks the law `" + std::string(to_string(b.law)) + "`, which `tilenest check --laws` shows\n";
  return out;
}

Json json_of(const Explored &e) {
  Json body;
  body["kernel"] = e.kernel.empty() ? Json(nullptr) : Json(e.kernel);
  body["parameters"] = e.parameters;
  body["runs"] = e.result.runs;
  body["all"] = e.result.all;
  body["unexplored"] = e.result.unexplored;
  body["failed_schedule"] = e.result.schedule.empty() ? Json(nullptr) : Json(e.result.schedule);
  body["outputs"] = Json::array();
  for (std::size_t i = 0; i < e.outputs.size(); ++i) {
    const ExploredOutput &r = e.result.outputs[i];
    const Explored::Output &o = e.outputs[i];
    Json output = {{"name", o.name}, {"type", std::string(to_string(o.type))}, {"shape", o.shape}, {"sensitive", r.sensitive},
                   {"may", r.may}, {"open", r.open}, {"widest", nullptr}};
    if (r.widest) {
      const SensitiveElement &w = *r.widest;
      output["widest"] = {{"index", w.index}, {"values", w.values}, {"exact", w.exact}, {"enclosure", nullptr}, {"least", nullptr}, {"greatest", nullptr}};
      if (w.enclosure)
        output["widest"]["enclosure"] = {{"low", element_json(o.type, w.enclosure->low)}, {"high", element_json(o.type, w.enclosure->high)}, {"may_be_nan", w.enclosure->nan}};
      if (w.low) {
        output["widest"]["least"] = {{"value", element_json(o.type, *w.low)}, {"schedule", w.low_schedule}};
        output["widest"]["greatest"] = {{"value", element_json(o.type, *w.high)}, {"schedule", w.high_schedule}};
      }
    }
    body["outputs"].push_back(std::move(output));
  }
  body["broken_laws"] = Json::array();
  for (const Explored::BrokenLaw &b : e.broken)
    body["broken_laws"].push_back({{"line", b.line}, {"contract", b.contract}, {"law", std::string(to_string(b.law))}});
  return body;
}

void explore_kernel(const Program &program, const ExploreArguments &options, Explored &out) {
  Result<Launch> launch = prepare_launch(program, options.run, out.diagnostics);
  if (!launch) {
    out.diagnostics.insert(out.diagnostics.end(), launch.errors().begin(), launch.errors().end());
    return;
  }
  out.parameters = launch->parameters();
  ExploreOptions explore_options{{}, options.limit, options.samples};
  explore_options.run.checked = !options.run.unchecked;
  if (options.run.while_limit) explore_options.run.while_limit = *options.run.while_limit;
  {
    const Progress progress("exploring `" + program->name + "`", options.run.json);
    out.result = tilenest::explore(launch->bound, launch->buffers(), explore_options);
  }
  RunArguments along = options.run;
  along.schedule = out.result.schedule;
  say_how_to_replay(out.result.diagnostics, along);
  say_where_earlier(out.result.diagnostics, program, along);
  out.diagnostics.insert(out.diagnostics.end(), out.result.diagnostics.begin(), out.result.diagnostics.end());
  for (const ExploredOutput &o : out.result.outputs) {
    const Array &array = *launch->arguments[o.argument].array;
    out.outputs.push_back({program->objects[program->arguments[o.argument]].name, array.type, array.shape, array.count()});
  }
  if (std::none_of(out.result.outputs.begin(), out.result.outputs.end(), [](const ExploredOutput &o) { return o.sensitive > 0; })) return;
  const Progress progress("trying the laws of `" + program->name + "`", options.run.json);
  for (const CheckedContract &c : check_laws(program).contracts)
    for (std::size_t i = 0; i < contract_law_count; ++i)
      if (c.laws[i].failure)
        out.broken.push_back({program->site(program->ops[c.reduce].site).line, c.text.substr(1, c.text.size() - 2), static_cast<ContractLaw>(i)});
}

} // namespace

int explore_command(const ExploreArguments &options) {
  Explored out;
  const auto refused = with_kernel(options.run.file, options.run.kernel, out.diagnostics, out.kernel, [&](const Program &program) { explore_kernel(program, options, out); });
  if (refused) return *refused;
  if (options.run.json) return report_json("tilenest-explore-1", json_of(out), out.diagnostics);
  if (!has_error(out.diagnostics)) print_out(text_of(out));
  const int status = report_text(out.diagnostics);
  if (!out.result.schedule.empty()) print_err("tilenest: along `--schedule " + out.result.schedule + "`\n");
  return status;
}

} // namespace tilenest::cli
