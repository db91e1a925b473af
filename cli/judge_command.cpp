// SPDX-License-Identifier: Apache-2.0
// tilenest judge: results of another engine against the set that a kernel admits on the same arguments, or how wide
// that set is.
#include "interp/judge.h"
#include "arrays/npz.h"
#include "cli/argument_source.h"
#include "cli/earlier_sites.h"
#include "cli/program_source.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/target_profile_text.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

struct Judged {
  Judgement result;
  std::string kernel;
  Json parameters = Json::object();
  Diagnostics diagnostics;
  bool given = false; // results were given
  struct Output {
    std::string name;
    Array array;
  };
  std::vector<Output> outputs; // one for each of the result's
};

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string enclosure_text(ScalarType type, const Enclosure &e) {
  if (e.is_point()) return e.number ? scalar_text(type, e.low) : "nan";
  return "[" + scalar_text(type, e.low) + ", " + scalar_text(type, e.high) + "]" + (e.nan ? " or nan" : "");
}

std::string text_of(const Judged &j) {
  std::string out;
  if (!j.result.outputs.empty() && j.result.undecided.empty())
    out += j.result.members > 0 ? "the admitted set has " + std::to_string(j.result.members) + " members, all of which were tried\n"
                                : "the admitted set was enclosed\n";
  for (std::size_t i = 0; i < j.outputs.size(); ++i) {
    const JudgedOutput &r = j.result.outputs[i];
    const Array &a = j.outputs[i].array;
    const std::string &name = j.outputs[i].name;
    const std::int64_t n = a.count();
    if (j.given) {
      out += name + ": " + std::string(to_string(r.verdict));
      if (j.result.members == 0 && r.verdict != Verdict::undecided)
        out += "; of " + std::to_string(n) + " elements " + std::to_string(r.points) + " are the only value, " + std::to_string(r.within) +
               " within their enclosures, " + std::to_string(r.outside) + " outside";
      else if (r.verdict == Verdict::outside)
        out += j.outputs.size() > 1 ? "; no member has these results together" : "; no member is this result";
      out += "\n";
    } else if (r.verdict == Verdict::undecided) {
      out += name + ": undecided\n";
    } else {
      out += name + ": " + std::to_string(r.points) + " of " + std::to_string(n) + " elements have one value\n";
    }
    if (r.unwritten > 0) out += "  " + std::to_string(r.unwritten) + " of them are never written, and nothing is said of these\n";
    if (j.result.members > 0) continue; // enclosures say less
    if (r.worst && j.given && !(r.worst->enclosure.is_point() && r.outside == 0)) {
      const JudgedElement &w = *r.worst;
      out += "  " + name + index_text(a.shape, w.index) + ": " + scalar_text(a.type, w.result) + ", admitted " +
             (w.values > 0 ? (w.values == 1 ? "one value, " : std::to_string(w.values) + " values, in ") : "") + enclosure_text(a.type, w.enclosure) +
             ", the reference has " + scalar_text(a.type, w.reference) + "\n";
    }
    if (is_float(a.type) && r.largest_half_width > 0)
      out += "  half-widths in units of the last place: median " + short_number(r.median_half_width) + ", largest " + short_number(r.largest_half_width) + "\n";
  }
  return out;
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(x > 0 ? "inf" : x < 0 ? "-inf" : "nan"); }

Json json_of(const Judged &j) {
  Json body;
  body["kernel"] = j.kernel.empty() ? Json(nullptr) : Json(j.kernel);
  body["parameters"] = j.parameters;
  body["members"] = j.result.members > 0 ? Json(j.result.members) : Json(nullptr);
  body["outputs"] = Json::array();
  for (std::size_t i = 0; i < j.outputs.size(); ++i) {
    const JudgedOutput &r = j.result.outputs[i];
    const Array &a = j.outputs[i].array;
    Json output = {{"name", j.outputs[i].name}, {"type", std::string(to_string(a.type))}, {"shape", a.shape}};
    output["verdict"] = j.given ? Json(std::string(to_string(r.verdict))) : Json(nullptr);
    output["points"] = r.points;
    output["within"] = r.within;
    output["outside"] = r.outside;
    output["unwritten"] = r.unwritten;
    output["median_half_width_ulp"] = number(r.median_half_width);
    output["largest_half_width_ulp"] = number(r.largest_half_width);
    output["worst"] = nullptr;
    if (r.worst && j.given) {
      const JudgedElement &w = *r.worst;
      const auto end = [&](std::uint64_t bits) { return element_json(a.type, w.enclosure.number ? std::optional(bits) : std::nullopt); };
      output["worst"] = {{"index", w.index}, {"result", element_json(a.type, w.result)}, {"reference", element_json(a.type, w.reference)},
                         {"low", end(w.enclosure.low)}, {"high", end(w.enclosure.high)}, {"may_be_nan", w.enclosure.nan},
                         {"values", w.values > 0 ? Json(w.values) : Json(nullptr)}};
    }
    body["outputs"].push_back(std::move(output));
  }
  return body;
}

// The arrays of --result, in C order.
void read_results(const TileProgram &p, const BoundProgram &bound, const JudgeArguments &options, Judged &out, std::vector<std::size_t> &arguments) {
  for (const Assignment &r : options.results) {
    std::size_t at = 0;
    while (at < p.arguments.size() && p.objects[p.arguments[at]].name != r.name) ++at;
    if (at == p.arguments.size() || p.objects[p.arguments[at]].access == ArgumentAccess::in) {
      std::string names;
      for (const ObjectId id : p.arguments)
        if (p.objects[id].access != ArgumentAccess::in) names += (names.empty() ? "`" : ", `") + p.objects[id].name + "`";
      const bool input = at < p.arguments.size();
      out.diagnostics.emplace_back(input ? Code::T1101 : Code::T1001, input ? p.site(p.objects[p.arguments[at]].site) : Site{},
                                   std::vector<std::pair<std::string, std::string>>{{"argument", r.name}},
                                   "the arguments that `" + p.name + "` writes: " + names);
      continue;
    }
    const Object &object = p.objects[p.arguments[at]];
    std::vector<std::int64_t> shape;
    for (const Extent &e : object.shape) shape.push_back(bound.extent(e));
    Result<Array> array = read_array(r.place, object.elem, MapMode::read_only, &out.diagnostics);
    if (array) array = make_contiguous(*array);
    if (!array) {
      out.diagnostics.insert(out.diagnostics.end(), array.errors().begin(), array.errors().end());
      continue;
    }
    if (is_packed(object.elem)) {
      out.diagnostics.emplace_back(Code::N0501, Site{}, std::vector<std::pair<std::string, std::string>>{
          {"file", r.place}, {"what", "4-bit elements, as a result to be judged"}});
      continue;
    }
    if (array->shape != shape) {
      out.diagnostics.emplace_back(
          Code::T1103, p.site(object.site),
          std::vector<std::pair<std::string, std::string>>{{"argument", object.name},
                                                           {"expected", describe(object.elem, shape)},
                                                           {"given", "`" + r.place + "`"},
                                                           {"found", describe(array->type, array->shape)}});
      continue;
    }
    arguments.push_back(at);
    out.outputs.push_back({object.name, std::move(*array)});
  }
}

void judge_kernel(const Program &program, const JudgeArguments &options, Judged &out) {
  JudgeOptions judge_options;
  judge_options.run.checked = true;
  if (options.run.while_limit) judge_options.run.while_limit = *options.run.while_limit;
  Result<TargetProfile> target = load_profile(options.target.empty() ? "ieee" : options.target);
  Result<Launch> launch = prepare_launch(program, options.run, out.diagnostics);
  for (const Diagnostics &errors : {target ? Diagnostics{} : target.errors(), launch ? Diagnostics{} : launch.errors()})
    out.diagnostics.insert(out.diagnostics.end(), errors.begin(), errors.end());
  if (!target || !launch) return;
  judge_options.target = &*target;
  out.parameters = launch->parameters();
  std::vector<std::size_t> arguments;
  read_results(*program, launch->bound, options, out, arguments);
  if (has_error(out.diagnostics)) return;
  std::vector<GivenResult> results;
  for (std::size_t i = 0; i < arguments.size(); ++i) results.push_back({arguments[i], out.outputs[i].array.data});
  const Progress progress("judging `" + program->name + "`", options.run.json);
  if (!out.given) { // the reference's own results: how wide are their sets?
    judge_options.enumerate = 0;
    for (std::size_t i = 0; i < program->arguments.size(); ++i) {
      const Object &object = program->objects[program->arguments[i]];
      if (object.access == ArgumentAccess::in || is_packed(object.elem)) continue;
      out.outputs.push_back({object.name, *launch->arguments[i].array});
      results.push_back({i, nullptr});
    }
  }
  out.result = judge(launch->bound, launch->buffers(), results, judge_options);
  RunArguments checked = options.run; // whatever was asked for
  checked.unchecked = false;
  say_how_to_replay(out.result.diagnostics, checked);
  say_where_earlier(out.result.diagnostics, program, checked);
  out.diagnostics.insert(out.diagnostics.end(), out.result.diagnostics.begin(), out.result.diagnostics.end());
  if (has_error(out.diagnostics)) return void(out.outputs.clear());
  for (const Judgement::Undecided &u : out.result.undecided) {
    Diagnostic d(Code::N0002, u.site, {{"what", u.what}});
    out.diagnostics.push_back(std::move(d));
  }
}

} // namespace

int judge_command(const JudgeArguments &options) {
  Judged out;
  out.given = !options.results.empty();
  const auto refused = with_kernel(options.run.file, options.run.kernel, out.diagnostics, out.kernel, [&](const Program &program) { judge_kernel(program, options, out); });
  if (refused) return *refused;
  int verdict = 0;
  for (const JudgedOutput &o : out.result.outputs)
    if (out.given && o.verdict == Verdict::outside) verdict = status_not_conforming;
  if (options.run.json) return report_json("tilenest-judge-1", json_of(out), out.diagnostics, verdict);
  print_out(text_of(out));
  const int status = report_text(out.diagnostics);
  return status != 0 ? status : verdict;
}

} // namespace tilenest::cli
