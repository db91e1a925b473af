// SPDX-License-Identifier: Apache-2.0
// tilenest run: a file, a kernel, arrays; binding; the machine; summaries or files.
#include "cli/argument_source.h"
#include "cli/earlier_sites.h"
#include "cli/output_files.h"
#include "cli/program_source.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "conformance/engines/engine.h"
#include "interp/chooser.h"
#include "interp/explore.h"
#include "semantics/diag/codes.h"
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

struct Outcome {
  Diagnostics diagnostics;
  std::vector<Summary> summaries; // of every `mut` and `out` argument; empty after an error
  struct Covered {
    std::string name;
    std::vector<std::int64_t> shape;
    Coverage counts;
  };
  std::vector<Covered> covered; // with --cover
  Json parameters = Json::object();
  std::string kernel;

  void add(Diagnostics more) {
    for (Diagnostic &d : more) diagnostics.push_back(std::move(d));
  }
};

// Elements that a run never wrote keep an output from its file.
void refuse_partial(const TileProgram &program, const std::vector<OutputFile> &files,
                    const std::vector<Argument> &arguments, const RunResult &result, Outcome &out) {
  for (const OutputFile &f : files) {
    if (result.undefined_elements[f.argument] == 0) continue;
    const Object &object = program.objects[program.arguments[f.argument]];
    Diagnostic d(Code::U1101, program.site(object.site),
                 {{"argument", object.name}, {"count", std::to_string(result.undefined_elements[f.argument])},
                  {"total", std::to_string(arguments[f.argument].array->count())}},
                 "`--cover` counts the stores of each element; `--allow-partial` writes those that have none as zero");
    if (const auto &first = result.first_undefined[f.argument])
      d.note("the first is `" + object.name + index_text(arguments[f.argument].array->shape, *first) + "`");
    out.diagnostics.push_back(std::move(d));
  }
}

// What a list of groupings has that the run had no use for, or "".
std::string unused_text(const ListedChooser &chooser) {
  std::string out;
  if (chooser.beyond() > 0) out = std::to_string(chooser.beyond()) + " of the groupings are beyond the last one there is, which was taken";
  if (chooser.unused() > 0) out += (out.empty() ? "" : "; ") + ("the last " + std::to_string(chooser.unused()) + " of the groupings stand for no choice of this run");
  return out;
}

void run_kernel(const Program &program, const RunArguments &options, EarlierAccesses &earlier, Outcome &out) {
  Result<std::vector<OutputFile>> files = plan_outputs(*program, options);
  Diagnostics warnings;
  Result<Launch> launch = prepare_launch(program, options, warnings);
  out.add(std::move(warnings));
  if (!files) out.add(files.errors());
  if (!launch) out.add(launch.errors());
  if (!files || !launch) return;
  out.parameters = launch->parameters();
  const std::vector<Argument> &arguments = launch->arguments;

  RunResult result;
  std::string unused_choices;
  if (options.engine != "interp") {
    const Progress progress("running `" + program->name + "`", options.json);
    result.diagnostics = conformance::find_engine(options.engine)->run(
        launch->bound, launch->buffers(),
        {{.strict = options.strict, .threads = options.threads.value_or(0), .vector_bits = options.vector_bits, .no_cache = options.no_cache}});
    result.undefined_elements.resize(arguments.size()); // it does not know
    result.touched.resize(arguments.size());
  } else {
    const Progress progress("running `" + program->name + "`", options.json);
    RunOptions run_options;
    run_options.checked = !options.unchecked;
    if (options.while_limit) run_options.while_limit = *options.while_limit;
    run_options.threads = options.threads.value_or(0);
    run_options.first_only = options.first;
    run_options.cover = options.cover;
    run_options.earlier = &earlier;
    const std::unique_ptr<Chooser> chooser = chooser_of(options.schedule);
    run_options.chooser = chooser.get();
    result = tilenest::run(launch->bound, launch->buffers(), run_options);
    if (const auto *listed = dynamic_cast<const ListedChooser *>(chooser.get())) unused_choices = unused_text(*listed);
  }
  out.add(std::move(result.diagnostics));
  for (const Coverage &c : result.coverage)
    out.covered.push_back({program->objects[program->arguments[c.argument]].name, arguments[c.argument].array->shape, c});
  if (!unused_choices.empty() && !has_error(out.diagnostics)) print_err("tilenest: --schedule: " + unused_choices + "\n");
  if (!has_error(out.diagnostics) && !options.allow_partial)
    refuse_partial(*program, *files, arguments, result, out);
  say_how_to_replay(out.diagnostics, options);
  if (has_error(out.diagnostics)) return;
  out.add(write_outputs(*files, arguments));
  if (has_error(out.diagnostics) || (!options.outputs.empty() && !options.json)) return;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Object &object = program->objects[program->arguments[i]];
    if (object.access == ArgumentAccess::in) continue;
    out.summaries.push_back(summarise(object.name, *arguments[i].array, result.undefined_elements[i], result.touched[i]));
  }
}

std::string text_of(const std::vector<Outcome::Covered> &covered) {
  std::string out;
  for (const auto &[name, shape, c] : covered) {
    out += name + ": " + std::to_string(c.once) + " elements stored once, " + std::to_string(c.never) + " never, " + std::to_string(c.more) + " more than once";
    if (c.first_never) out += "; never " + name + index_text(shape, *c.first_never);
    if (c.first_most) out += "; " + std::to_string(c.most) + " times " + name + index_text(shape, *c.first_most);
    out += "\n";
  }
  return out;
}

Json json_of(const Outcome::Covered &covered) {
  const Coverage &c = covered.counts;
  const auto element = [](const std::optional<std::int64_t> &i) { return i ? Json(*i) : Json(nullptr); };
  return {{"name", covered.name}, {"never", c.never}, {"once", c.once}, {"more", c.more}, {"first_never", element(c.first_never)},
          {"first_most", element(c.first_most)}, {"most", c.most}};
}

int report(const RunArguments &options, const Outcome &out) {
  if (options.json) {
    Json body;
    body["kernel"] = out.kernel.empty() ? Json(nullptr) : Json(out.kernel);
    body["parameters"] = out.parameters;
    body["outputs"] = Json::array();
    for (const Summary &s : out.summaries) {
      Json output = json_of(s);
      output["file"] = nullptr;
      for (const Assignment &o : options.outputs)
        if (o.name == s.name) output["file"] = o.place;
      body["outputs"].push_back(std::move(output));
    }
    body["coverage"] = options.cover ? Json::array() : Json(nullptr);
    for (const Outcome::Covered &c : out.covered) body["coverage"].push_back(json_of(c));
    return report_json("tilenest-run-1", body, out.diagnostics);
  }
  print_out(text_of(out.summaries) + text_of(out.covered));
  const int status = report_text(out.diagnostics);
  if (status != 0 && !options.outputs.empty()) print_err("tilenest: nothing is written\n");
  return status;
}

} // namespace

int run_command(const RunArguments &options) {
  Outcome out;
  const auto refused =
      with_kernel(options.file, options.kernel, out.diagnostics, out.kernel, [&](const Program &program) {
        EarlierAccesses earlier;
        run_kernel(program, options, earlier, out);
        say_where_earlier(out.diagnostics, program, options, std::move(earlier));
      });
  if (refused) return *refused;
  return report(options, out);
}

} // namespace tilenest::cli
